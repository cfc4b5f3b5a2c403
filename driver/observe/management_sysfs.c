// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files below management/ of a card's device. The short ones say what was seen at the last
 * look, a second ago at most; identity, telemetry, lanes and what is written ask the firmware.
 */
#include <linux/device.h>
#include <linux/slab.h>

#include "management/compat.h"
#include "management/management.h"
#include "observe/observe.h"

static struct pagepress_management *management_of(struct device *device)
{
	struct pagepress_card *card = dev_get_drvdata(device);

	return card->followed;
}

/* ---- what was seen ---- */

static u32 field(u32 word, u32 mask, u32 shift)
{
	return (word & mask) >> shift;
}

#define FIELD(word, name) field(word, PAGEPRESS_##name##_MASK, PAGEPRESS_##name##_SHIFT)

#define SEEN(file, form, ...) \
static ssize_t file##_show(struct device *device, struct device_attribute *attribute, \
			   char *buffer) \
{ \
	struct pagepress_management *management = management_of(device); \
\
	return sysfs_emit(buffer, form "\n", __VA_ARGS__); \
} \
static DEVICE_ATTR_RO(file)

static const char *state_name(struct pagepress_management *management)
{
	static const char *const names[] = {
		[PAGEPRESS_FIRMWARE_STARTING] = "starting",
		[PAGEPRESS_FIRMWARE_RUNNING] = "running",
		[PAGEPRESS_FIRMWARE_SILENT] = "silent",
		[PAGEPRESS_FIRMWARE_DEAD] = "dead",
		[PAGEPRESS_FIRMWARE_UNREACHABLE] = "unreachable",
	};

	return READ_ONCE(management->away) ? "away" : names[READ_ONCE(management->state)];
}

static const char *slot_name(struct pagepress_management *management)
{
	return pagepress_slot_name(FIELD(READ_ONCE(management->view.report), BOOT_REPORT_SLOT));
}

static const char *boot_name(struct pagepress_management *management)
{
	return pagepress_boot_name(FIELD(READ_ONCE(management->view.report), BOOT_REPORT_KIND));
}

static const char *cause_name(struct pagepress_management *management)
{
	return pagepress_cause_name(FIELD(READ_ONCE(management->view.status), CORE_STATUS_CAUSE));
}

SEEN(state, "%s", state_name(management));
SEEN(slot, "%s", slot_name(management));
SEEN(boot_kind, "%s", boot_name(management));
SEEN(reset_cause, "%s", cause_name(management));
SEEN(watchdog_resets, "%u", FIELD(READ_ONCE(management->view.status), CORE_STATUS_BITES));
SEEN(firmware_resets, "%u", READ_ONCE(management->resets));
SEEN(throttle, "%u", READ_ONCE(management->view.throttle));

static ssize_t firmware_version_show(struct device *device, struct device_attribute *attribute,
				     char *buffer)
{
	u32 version = READ_ONCE(management_of(device)->view.version);

	return sysfs_emit(buffer, PAGEPRESS_FIRMWARE_VERSION_FORMAT "\n",
			  PAGEPRESS_FIRMWARE_VERSION_PARTS(version));
}
static DEVICE_ATTR_RO(firmware_version);

static ssize_t update_status_show(struct device *device, struct device_attribute *attribute,
				  char *buffer)
{
	int status = READ_ONCE(management_of(device)->update_status);

	if (status == PAGEPRESS_NO_UPDATE)
		return sysfs_emit(buffer, "none\n");
	if (status < 0)
		return sysfs_emit(buffer, "error %d\n", -status);
	return sysfs_emit(buffer, "%s\n", pagepress_management_status_name(status));
}
static DEVICE_ATTR_RO(update_status);

/* The last entries, oldest first: number, milliseconds since power-on, severity, event. */
static ssize_t log_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	struct pagepress_management *management = management_of(device);
	u32 number, first;
	int length = 0;

	mutex_lock(&management->log_lock);
	first = management->log_next - min_t(u32, management->log_next, PAGEPRESS_LOG_ENTRIES);
	for (number = first; number != management->log_next; number++) {
		const struct pagepress_log_entry *entry =
			&management->log[number % PAGEPRESS_LOG_ENTRIES];
		char text[96];

		if (le32_to_cpu(entry->number) != number)
			continue;
		pagepress_event_text(text, sizeof(text), entry);
		length += sysfs_emit_at(buffer, length, "%u %u %s %s\n", number,
					le32_to_cpu(entry->time),
					pagepress_severity_name(entry->severity), text);
	}
	mutex_unlock(&management->log_lock);
	return length;
}
static DEVICE_ATTR_RO(log);

/* ---- what the firmware is asked ---- */

static ssize_t identity_show(struct device *device, struct device_attribute *attribute,
			     char *buffer)
{
	struct pagepress_identity identity;
	u32 running, other, floor;
	int error = pagepress_ask(management_of(device), PAGEPRESS_MESSAGE_IDENTIFY, 0, &identity,
				  sizeof(identity));

	if (error)
		return error;
	running = le32_to_cpu(identity.version);
	other = le32_to_cpu(identity.other_version);
	floor = le32_to_cpu(identity.floor);
	return sysfs_emit(buffer,
			  "version " PAGEPRESS_FIRMWARE_VERSION_FORMAT "\n"
			  "slot %s\n"
			  "trial %u\n"
			  "next_slot %s\n"
			  "other_version " PAGEPRESS_FIRMWARE_VERSION_FORMAT "\n"
			  "other_status %s\n"
			  "floor " PAGEPRESS_FIRMWARE_VERSION_FORMAT "\n"
			  "flash_id %06x\n"
			  "interface %u.%u\n",
			  PAGEPRESS_FIRMWARE_VERSION_PARTS(running),
			  pagepress_slot_name(identity.slot), identity.trial,
			  pagepress_slot_name(identity.next_slot),
			  PAGEPRESS_FIRMWARE_VERSION_PARTS(other),
			  pagepress_management_status_name(identity.other_status),
			  PAGEPRESS_FIRMWARE_VERSION_PARTS(floor),
			  le32_to_cpu(identity.flash_id), le32_to_cpu(identity.interface) >> 16,
			  le32_to_cpu(identity.interface) & 0xffff);
}
static DEVICE_ATTR_RO(identity);

/* One consistent snapshot; the names and units of struct pagepress_telemetry. */
static ssize_t telemetry_show(struct device *device, struct device_attribute *attribute,
			      char *buffer)
{
	struct pagepress_telemetry telemetry;
	int length = 0;
	int error = pagepress_ask(management_of(device), PAGEPRESS_MESSAGE_TELEMETRY, 0,
				  &telemetry, sizeof(telemetry));

	if (error)
		return error;
#define LINE(form, name, value) \
	length += sysfs_emit_at(buffer, length, name " " form "\n", value)
#define WORD(name) LINE("%u", #name, le32_to_cpu(telemetry.name))
#define SIGNED(name) LINE("%d", #name, (s32)le32_to_cpu(telemetry.name))
#define HALF(name) LINE("%u", #name, le16_to_cpu(telemetry.name))
#define BYTE(name) LINE("%u", #name, telemetry.name)
	WORD(uptime);
	WORD(running);
	SIGNED(temperature);
	SIGNED(temperature_peak);
	HALF(voltage_core);
	HALF(voltage_aux);
	HALF(voltage_memory);
	BYTE(throttle);
	BYTE(sensors_silent);
	WORD(messages);
	WORD(messages_refused);
	WORD(flash_errors);
	WORD(throttle_time);
	HALF(stack_used);
	HALF(stack_size);
	WORD(loop_longest);
	WORD(self_test_failed);
	HALF(temperature_begin);
	HALF(temperature_hardest);
#undef LINE
#undef WORD
#undef SIGNED
#undef HALF
#undef BYTE
	return length;
}
static DEVICE_ATTR_RO(telemetry);

/*
 * One snapshot of everything that the card counts, as its interface lays it out. It is read whole
 * by one read, as another one may be of another snapshot; behind it there is nothing.
 */
static ssize_t telemetry_page_read(struct file *file, struct kobject *object,
				   PAGEPRESS_BINARY_READ *attribute, char *buffer, loff_t offset,
				   size_t size)
{
	union pagepress_telemetry_page *page;
	int length;

	if (offset)
		return 0;
	page = kmalloc(sizeof(*page), GFP_KERNEL);
	if (!page)
		return -ENOMEM;
	length = pagepress_telemetry_take(management_of(kobj_to_dev(object)), page);
	if (length > 0 && size < length)
		length = -EMSGSIZE;
	if (length > 0)
		memcpy(buffer, page->bytes, length);
	kfree(page);
	return length;
}
static BIN_ATTR_RO(telemetry_page, 0);

#define LANES_IN_AN_ANSWER	(PAGEPRESS_MESSAGE_PAYLOAD_BYTES / sizeof(struct pagepress_lane))

static int lane_line(char *buffer, int length, const struct pagepress_lane *lane)
{
	return sysfs_emit_at(buffer, length, "%u %s %s %s %u %u %u %llu %llu\n", lane->number,
			     pagepress_lane_kind_name(lane->kind),
			     pagepress_lane_state_name(lane->state),
			     pagepress_lane_cause_name(lane->cause), lane->failures,
			     le32_to_cpu(lane->verify_failures), le32_to_cpu(lane->resets),
			     le64_to_cpu(lane->pages), le64_to_cpu(lane->cycles));
}

/*
 * A line for each lane, in the order of struct pagepress_lane. Lanes come in rising order, and what
 * an answer does not hold is zeros, so each turn begins further up and none is said twice.
 */
static ssize_t lanes_show(struct device *device, struct device_attribute *attribute, char *buffer)
{
	struct pagepress_lane lanes[LANES_IN_AN_ANSWER];
	u32 next = 0;
	int length = 0;

	while (next < PAGEPRESS_LANE_COUNT) {
		unsigned int index;
		int error = pagepress_ask(management_of(device), PAGEPRESS_MESSAGE_LANES, next,
					  lanes, sizeof(lanes));

		if (error)
			return error;
		for (index = 0; index < ARRAY_SIZE(lanes); index++) {
			if (lanes[index].number < next ||
			    lanes[index].number >= PAGEPRESS_LANE_COUNT)
				return length;
			length += lane_line(buffer, length, &lanes[index]);
			next = lanes[index].number + 1;
		}
	}
	return length;
}
static DEVICE_ATTR_RO(lanes);

/* What the last self-test did: "ran: RAM TIMER ...", "failed: none". */
static ssize_t self_test_show(struct device *device, struct device_attribute *attribute,
			      char *buffer)
{
	struct pagepress_management *management = management_of(device);
	struct pagepress_self_test_result result;
	char ran[64], failed[64];

	mutex_lock(&management->self_test_lock);
	result = management->self_test;
	mutex_unlock(&management->self_test_lock);
	pagepress_self_test_names(ran, sizeof(ran), le32_to_cpu(result.ran));
	pagepress_self_test_names(failed, sizeof(failed), le32_to_cpu(result.failed));
	return sysfs_emit(buffer, "ran: %s\nfailed: %s\n", ran, failed);
}

/* all: runs all tests. A test that fails is a result, not an error of the write. */
static ssize_t self_test_store(struct device *device, struct device_attribute *attribute,
			       const char *buffer, size_t length)
{
	struct pagepress_management *management = management_of(device);
	struct pagepress_self_test_result result;
	int status;

	if (!sysfs_streq(buffer, "all"))
		return -EINVAL;
	status = pagepress_message(management, PAGEPRESS_MESSAGE_SELF_TEST, 0, NULL, 0, &result,
				   sizeof(result));
	if (status && status != PAGEPRESS_MANAGEMENT_STATUS_SELF_TEST_FAILED)
		return pagepress_management_errno(status);
	mutex_lock(&management->self_test_lock);
	management->self_test = result;
	mutex_unlock(&management->self_test_lock);
	return length;
}
static DEVICE_ATTR_RW(self_test);

/* restart: the firmware boots anew. rollback: the image of the other slot is to boot then. */
static ssize_t control_store(struct device *device, struct device_attribute *attribute,
			     const char *buffer, size_t length)
{
	struct pagepress_management *management = management_of(device);
	int error = -EINVAL;

	if (sysfs_streq(buffer, "restart"))
		error = pagepress_firmware_restart(management);
	else if (sysfs_streq(buffer, "rollback"))
		error = pagepress_ask(management, PAGEPRESS_MESSAGE_ROLLBACK, 0, NULL, 0);
	return error ? error : length;
}
static DEVICE_ATTR_WO(control);

static struct attribute *attributes[] = {
	&dev_attr_state.attr,
	&dev_attr_firmware_version.attr,
	&dev_attr_slot.attr,
	&dev_attr_boot_kind.attr,
	&dev_attr_reset_cause.attr,
	&dev_attr_watchdog_resets.attr,
	&dev_attr_firmware_resets.attr,
	&dev_attr_throttle.attr,
	&dev_attr_update_status.attr,
	&dev_attr_log.attr,
	&dev_attr_identity.attr,
	&dev_attr_telemetry.attr,
	&dev_attr_lanes.attr,
	&dev_attr_self_test.attr,
	&dev_attr_control.attr,
	NULL
};

/* Of a card without a management part there is no file. */
static umode_t is_visible(struct kobject *object, struct attribute *attribute, int index)
{
	return management_of(kobj_to_dev(object)) ? attribute->mode : 0;
}

/* Their type is the kernel's: newer ones promise not to change them. */
static typeof(*((struct attribute_group *)0)->bin_attrs) binary_attributes[] = {
	&bin_attr_telemetry_page,
	NULL
};

/* Of a card whose interface is older there is none of these. */
static umode_t is_binary_visible(struct kobject *object, PAGEPRESS_BINARY_VISIBLE *attribute,
				 int index)
{
	struct pagepress_management *management = management_of(kobj_to_dev(object));

	return management && pagepress_has_telemetry_page(management) ? attribute->attr.mode : 0;
}

const struct attribute_group pagepress_management_group = {
	.name = "management",
	.attrs = attributes,
	.is_visible = is_visible,
	.bin_attrs = binary_attributes,
	.is_bin_visible = is_binary_visible,
};
