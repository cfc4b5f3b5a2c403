// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long the driver waits for a card's firmware (management/pulse.c): looks once a second at what a card does.
 *
 * usage: pulse_model [well] BEAT|MUTE|BOOT|FLAP|RESTART|FAILED:SECONDS:RATE...
 *   what the firmware does, one after the other, for so many of the host's seconds, in each of which so many milliseconds of the card's pass:
 *   it runs and beats, runs and is mute, boots, boots again and again with a beat between, is restarted by the driver after one more beat and is mute, or has no image.
 *   The card boots when the driver comes.
 * prints which of these, from 0, it is overdue in, after how many seconds of it and milliseconds of the card's; or "never". With `well`, the
 * same of when it has been well for a while, and the driver restarts what is overdue meanwhile.
 */
#include <stdio.h>
#include <string.h>

#include "management/pulse.c"

#include "model.h"

/* Both counts pass their ends soon. */
#define UPTIME_BEFORE	0xfffffff0u
#define JIFFIES_BEFORE	(0ul - 2 * HZ)

int main(int count, char **words)
{
	struct pagepress_sign sign = { .stage = PAGEPRESS_STAGE_BOOTING, .uptime = UPTIME_BEFORE };
	unsigned long now = JIFFIES_BEFORE;
	struct pagepress_pulse pulse;
	bool well = count > 1 && !strcmp(words[1], "well");
	int first = 1 + well, index;

	pagepress_pulse_begin(&pulse, &sign, now);
	for (index = first; index < count; index++) {
		u32 seconds, rate, second;
		char what[8];

		if (sscanf(words[index], "%7[A-Z]:%u:%u", what, &seconds, &rate) != 3)
			wrong("what does it do, for how many seconds, at which rate?");
		if (!strcmp(what, "RESTART"))
			pagepress_pulse_boot(&pulse, sign.uptime, ++sign.heartbeat, now);
		for (second = 1; second <= seconds; second++) {
			now += HZ;
			sign.uptime += rate;
			sign.heartbeat += !strcmp(what, "BEAT") || !strcmp(what, "FLAP");
			sign.stage = !strcmp(what, "BOOT") || !strcmp(what, "FLAP") ? PAGEPRESS_STAGE_BOOTING
				     : !strcmp(what, "FAILED") ? PAGEPRESS_STAGE_FAILED
							       : PAGEPRESS_STAGE_RUNNING;
			bool overdue = pagepress_pulse_look(&pulse, &sign, now) == PAGEPRESS_PULSE_OVERDUE;

			if (well ? pagepress_pulse_is_well(&pulse, now) : overdue) {
				printf("%d %u %u\n", index - first, second, second * rate);
				return 0;
			}
			if (overdue)
				pagepress_pulse_boot(&pulse, sign.uptime, sign.heartbeat, now);
		}
	}
	printf("never\n");
	return 0;
}
