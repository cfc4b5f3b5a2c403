// SPDX-License-Identifier: GPL-2.0-only
/* The firmware's event log, in the kernel's. A firmware that floods it fills nobody's disk. */
#include "management/management.h"

#define LINES_BURST PAGEPRESS_LOG_ENTRIES
#define LINES_EVERY (10 * HZ)
#define TEXT_BYTES 96

static void read_entry(struct pagepress_management *management, u32 number,
		       struct pagepress_log_entry *entry)
{
	u32 offset = PAGEPRESS_LOG_OFFSET + number % PAGEPRESS_LOG_ENTRIES * sizeof(*entry);
	__le32 *words = (__le32 *)entry;
	unsigned int index;

	for (index = 0; index < sizeof(*entry) / sizeof(*words); index++)
		words[index] = cpu_to_le32(pagepress_window_read(management, offset +
								 index * sizeof(*words)));
	/* One that was overwritten while it was read is none. */
	entry->number = cpu_to_le32(pagepress_window_read(management, offset));
}

static void say_event(struct pagepress_management *management,
		      const struct pagepress_log_entry *entry)
{
	struct device *device = management->card->device;
	char text[TEXT_BYTES];

	if (!__ratelimit(&management->log_limit))
		return;
	pagepress_event_text(text, sizeof(text), entry);
	if (entry->severity <= PAGEPRESS_SEVERITY_ERROR)
		dev_err(device, "firmware event: %s\n", text);
	else if (entry->severity <= PAGEPRESS_SEVERITY_WARNING)
		dev_warn(device, "firmware event: %s\n", text);
	else
		dev_info(device, "firmware event: %s\n", text);
}

/*
 * The entries since the last call, no more than the log holds, whatever LOG_NEXT says. Those from
 * before the driver came are in the file `log` alone: the kernel's would have them as of now.
 */
void pagepress_log_forward(struct pagepress_management *management)
{
	u32 next = pagepress_window_read(management, PAGEPRESS_REGISTER_LOG_NEXT);
	u32 seen = management->log_next;

	/* The card has just gone: its events are read when it is back. */
	if (next == PAGEPRESS_ALL_ONES)
		return;
	/* It went back: the log has begun anew, as the card was reset. */
	if ((s32)(next - seen) < 0)
		seen = 0;
	if (next - seen > PAGEPRESS_LOG_ENTRIES) {
		if (management->log_found && __ratelimit(&management->log_limit))
			dev_warn(management->card->device, "firmware events lost: %u\n",
				 next - seen - PAGEPRESS_LOG_ENTRIES);
		seen = next - PAGEPRESS_LOG_ENTRIES;
	}
	for (; seen != next; seen++) {
		struct pagepress_log_entry entry;

		read_entry(management, seen, &entry);
		if (le32_to_cpu(entry.number) != seen)
			continue;
		mutex_lock(&management->log_lock);
		management->log[seen % PAGEPRESS_LOG_ENTRIES] = entry;
		mutex_unlock(&management->log_lock);
		if (management->log_found)
			say_event(management, &entry);
	}
	mutex_lock(&management->log_lock);
	management->log_next = next;
	management->log_found = true;
	mutex_unlock(&management->log_lock);
}

void pagepress_log_init(struct pagepress_management *management)
{
	unsigned int index;

	mutex_init(&management->log_lock);
	ratelimit_state_init(&management->log_limit, LINES_EVERY, LINES_BURST);
	/* Numbers that stand at other places: nothing has been seen yet. */
	for (index = 0; index < PAGEPRESS_LOG_ENTRIES; index++)
		management->log[index].number = cpu_to_le32(index + 1);
}
