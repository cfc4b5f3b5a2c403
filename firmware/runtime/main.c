/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware: every service in turn, for ever. */
#include "registers.h"
#include "services.h"

#define HEARTBEAT_PERIOD 10 /* milliseconds: a simulated part, far slower than its clock says, is to beat often enough, too */

void firmware_start(void);
void firmware_turn(void);

static uint32_t last_beat;

void firmware_start(void)
{
	telemetry_start();
	sensors_start();
	throttle_start();
	lane_start();
	monitor_start();
	update_start();
	trial_start();
	mailbox_start();
	last_beat = milliseconds() - HEARTBEAT_PERIOD;
	WRITE(CORE_SYSTEM, SYSTEM_STAGE, PAGEPRESS_STAGE_RUNNING);
}

void firmware_turn(void)
{
	feed_watchdog();
	if (milliseconds() - last_beat >= HEARTBEAT_PERIOD) {
		last_beat = milliseconds();
		WRITE(CORE_SYSTEM, SYSTEM_HEARTBEAT, 1);
	}
	sensors_turn();
	throttle_turn();
	lane_turn();
	monitor_turn();
	update_turn();
	mailbox_turn();
	trial_turn();
	telemetry_turn();
}

#ifdef __riscv
int main(void)
{
	firmware_start();
	for (;;)
		firmware_turn();
}

/* Nothing is expected to trap: stand still until the watchdog resets the core. */
void trapped(void)
{
	for (;;)
		;
}
#endif
