// SPDX-License-Identifier: GPL-2.0-only
/* What the firmware's numbers are called: by rtl/interface, so that they can be looked up there. */
#include <linux/kernel.h>

#include "management/management.h"

struct word {
	u32 number;
	const char *name;
};

#define WORD(name, number) { number, #name },
static const struct word slots[] = { PAGEPRESS_SLOT_TABLE(WORD) };
static const struct word boot_kinds[] = { PAGEPRESS_BOOT_TABLE(WORD) };
static const struct word causes[] = { PAGEPRESS_RESET_CAUSE_TABLE(WORD) };
static const struct word stages[] = { PAGEPRESS_STAGE_TABLE(WORD) };
static const struct word severities[] = { PAGEPRESS_SEVERITY_TABLE(WORD) };
static const struct word statuses[] = { PAGEPRESS_MANAGEMENT_STATUS_TABLE(WORD) };
static const struct word events[] = { PAGEPRESS_EVENT_TABLE(WORD) };
static const struct word sensors[] = { PAGEPRESS_SENSOR_TABLE(WORD) };
static const struct word messages[] = { PAGEPRESS_MESSAGE_TABLE(WORD) };
static const struct word lane_kinds[] = { PAGEPRESS_LANE_KIND_TABLE(WORD) };
static const struct word lane_states[] = { PAGEPRESS_LANE_STATE_TABLE(WORD) };
static const struct word lane_causes[] = { PAGEPRESS_LANE_CAUSE_TABLE(WORD) };
static const struct word self_tests[] = { PAGEPRESS_SELF_TEST_TABLE(WORD) };

static const char *find(const struct word *words, unsigned int count, u32 number)
{
	unsigned int index;

	for (index = 0; index < count; index++)
		if (words[index].number == number)
			return words[index].name;
	return "?";
}

#define FIND(words, number) find(words, ARRAY_SIZE(words), number)

const char *pagepress_slot_name(u32 number)
{
	return FIND(slots, number);
}

const char *pagepress_boot_name(u32 number)
{
	return FIND(boot_kinds, number);
}

const char *pagepress_cause_name(u32 number)
{
	return FIND(causes, number);
}

const char *pagepress_stage_name(u32 number)
{
	return FIND(stages, number);
}

const char *pagepress_severity_name(u32 number)
{
	return FIND(severities, number);
}

const char *pagepress_management_status_name(u32 number)
{
	return FIND(statuses, number);
}

const char *pagepress_lane_kind_name(u32 number)
{
	return FIND(lane_kinds, number);
}

const char *pagepress_lane_state_name(u32 number)
{
	return FIND(lane_states, number);
}

const char *pagepress_lane_cause_name(u32 number)
{
	return FIND(lane_causes, number);
}

/* "RAM FLASH", or "none". */
int pagepress_self_test_names(char *buffer, size_t size, u32 bits)
{
	unsigned int index;
	int length = 0;

	for (index = 0; index < ARRAY_SIZE(self_tests); index++)
		if (bits & self_tests[index].number)
			length += scnprintf(buffer + length, size - length, "%s%s",
					    length ? " " : "", self_tests[index].name);
	return length ? length : scnprintf(buffer, size, "none");
}

/* One event in a few words, its name first. */
int pagepress_event_text(char *buffer, size_t size, const struct pagepress_log_entry *entry)
{
	u32 code = le16_to_cpu(entry->code), argument = le32_to_cpu(entry->argument);
	int length = scnprintf(buffer, size, "%s ", FIND(events, code));

	buffer += length;
	size -= length;
	switch (code) {
	case PAGEPRESS_EVENT_CORE_RESET:
		return length + scnprintf(buffer, size, "%s", pagepress_cause_name(argument));
	case PAGEPRESS_EVENT_BOOTED:
	case PAGEPRESS_EVENT_CONFIRMED:
		return length + scnprintf(buffer, size, PAGEPRESS_FIRMWARE_VERSION_FORMAT,
					  PAGEPRESS_FIRMWARE_VERSION_PARTS(argument));
	case PAGEPRESS_EVENT_SLOT_REFUSED:
		return length + scnprintf(buffer, size, "%s %s",
					  pagepress_slot_name(argument >> 8 & 0xff),
					  pagepress_management_status_name(argument & 0xff));
	case PAGEPRESS_EVENT_UPDATE_ENDED:
	case PAGEPRESS_EVENT_FLASH_TROUBLE:
		return length + scnprintf(buffer, size, "%s",
					  pagepress_management_status_name(argument));
	case PAGEPRESS_EVENT_SELF_TEST_ENDED:
		length += scnprintf(buffer, size, "failed: ");
		return length + pagepress_self_test_names(buffer + 8, size - 8, argument);
	case PAGEPRESS_EVENT_SENSOR_SILENT:
		return length + scnprintf(buffer, size, "%s", FIND(sensors, argument));
	case PAGEPRESS_EVENT_MAILBOX_REFUSED:
		return length + scnprintf(buffer, size, "%s %s",
					  FIND(messages, argument & 0xffff),
					  pagepress_management_status_name(argument >> 16));
	case PAGEPRESS_EVENT_LANE_ISOLATED:
		return length + scnprintf(buffer, size, "%u %s", argument & 0xff,
					  pagepress_lane_cause_name(argument >> 8 & 0xff));
	case PAGEPRESS_EVENT_LANE_FAILED:
		return length + scnprintf(buffer, size, "%u vector %u status %u", argument & 0xff,
					  argument >> 8 & 0xff, argument >> 16 & 0xff);
	case PAGEPRESS_EVENT_LANE_RETURNED:
		return length + scnprintf(buffer, size, "%u vectors %u", argument & 0xff,
					  argument >> 8 & 0xff);
	default:
		return length + scnprintf(buffer, size, "%u", argument);
	}
}

/* Of what pagepress_message() returns. */
int pagepress_management_errno(int status)
{
	if (status <= 0)
		return status;
	switch (status) {
	case PAGEPRESS_MANAGEMENT_STATUS_UNKNOWN_MESSAGE:
		return -EOPNOTSUPP;
	case PAGEPRESS_MANAGEMENT_STATUS_BAD_LENGTH:
		return -EMSGSIZE;
	case PAGEPRESS_MANAGEMENT_STATUS_BAD_ARGUMENT:
		return -EINVAL;
	case PAGEPRESS_MANAGEMENT_STATUS_WRONG_STATE:
		return -EBUSY;
	case PAGEPRESS_MANAGEMENT_STATUS_FLASH_TIMEOUT:
		return -ETIME;
	case PAGEPRESS_MANAGEMENT_STATUS_FLASH_FAILED:
	case PAGEPRESS_MANAGEMENT_STATUS_SELF_TEST_FAILED:
		return -EIO;
	case PAGEPRESS_MANAGEMENT_STATUS_IMAGE_EMPTY:
		return -ENODATA;
	case PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TRUNCATED:
	case PAGEPRESS_MANAGEMENT_STATUS_IMAGE_BAD_HEADER:
		return -EBADMSG;
	case PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TOO_LARGE:
		return -EFBIG;
	case PAGEPRESS_MANAGEMENT_STATUS_IMAGE_BAD_MAGIC:
	case PAGEPRESS_MANAGEMENT_STATUS_IMAGE_WRONG_TARGET:
		return -ENOEXEC;
	case PAGEPRESS_MANAGEMENT_STATUS_IMAGE_BAD_SIGNATURE:
		return -EKEYREJECTED;
	case PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TOO_OLD:
		return -EKEYEXPIRED;
	case PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TRIAL_FAILED:
		return -ECANCELED;
	default:
		return -EPROTO;
	}
}
