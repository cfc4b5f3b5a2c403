/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The card's management part: a processor of its own, whose firmware watches temperature and
 * voltages, keeps a log and takes updates. No page depends on it, and nothing here runs for one.
 */
#ifndef PAGEPRESS_MANAGEMENT_ROOM_H
#define PAGEPRESS_MANAGEMENT_ROOM_H

#include <linux/mutex.h>
#include <linux/ratelimit.h>
#include <linux/workqueue.h>

#include "card/card.h"
#include "management/pulse.h"
#include "pagepress_management.h"

#define PAGEPRESS_MESSAGE_PAYLOAD_BYTES \
	(PAGEPRESS_MAILBOX_BYTES - PAGEPRESS_MESSAGE_HEADER_BYTES)

enum pagepress_firmware_state {
	PAGEPRESS_FIRMWARE_STARTING,
	PAGEPRESS_FIRMWARE_RUNNING,	/* its heartbeat counts */
	PAGEPRESS_FIRMWARE_SILENT,	/* it does not, and the driver restarts it */
	PAGEPRESS_FIRMWARE_DEAD,	/* that did not help: left alone */
	PAGEPRESS_FIRMWARE_UNREACHABLE,	/* the window reads all ones */
};

/* What the window said when it was last looked at. */
struct pagepress_management_view {
	u32 status;		/* CORE_STATUS */
	u32 heartbeat;
	u32 report;		/* BOOT_REPORT */
	u32 version;		/* FIRMWARE_VERSION */
	u32 throttle;
	u32 uptime;		/* UPTIME: the card's own milliseconds */
	u32 control;		/* CORE_CONTROL */
};

/* Born when a card with a management window has started, freed when it leaves. */
struct pagepress_management {
	struct pagepress_card *card;
	u32 minor;		/* version of its interface: a minor one only adds */
	bool away;		/* the window is not to be touched */

	struct delayed_work watch;	/* heartbeat.c; alone writes what follows */
	struct pagepress_management_view view;
	enum pagepress_firmware_state state;
	struct pagepress_pulse pulse;
	unsigned long patience;	/* jiffies: no restart before */
	unsigned int restarts;	/* since it was last well for a while, or somebody asked */
	unsigned int resets;	/* by this driver because it was silent, ever */
	bool restart_asked;	/* of firmware that does not answer; set by others */
	struct ratelimit_state state_limit;

	struct mutex log_lock;	/* log.c; the entries and how many were ever seen */
	u32 log_next;
	bool log_found;		/* what stood there when the driver came has been read */
	struct pagepress_log_entry log[PAGEPRESS_LOG_ENTRIES];	/* as in the window */
	struct ratelimit_state log_limit;

	struct mutex mailbox;	/* mailbox.c, telemetry.c; one message, one page at a time */
	u16 tag;
	bool overdue;		/* the last answer did not come in time */

	struct mutex self_test_lock;	/* the last result */
	struct pagepress_self_test_result self_test;

	unsigned long updating;	/* bit 0: an update is under way; it alone writes what follows */
	bool cancelled;
	int update_status;	/* of the last: a status, an errno, or PAGEPRESS_NO_UPDATE */
	char upload_name[32];	/* upload.c */
	struct fw_upload *upload;	/* where the kernel has that interface ... */
	struct dentry *upload_file;	/* ... and where it has not */

	struct device *sensors;	/* sensors.c; NULL: not registered */
};

#define PAGEPRESS_NO_UPDATE	1000	/* none since the card came; greater than any status */

static inline u32 pagepress_window_read(struct pagepress_management *management, u32 offset)
{
	return pagepress_read(management->card, PAGEPRESS_MANAGEMENT_WINDOW_OFFSET + offset);
}

static inline void pagepress_window_write(struct pagepress_management *management, u32 offset,
					  u32 value)
{
	pagepress_write_unless_reset(management->card, PAGEPRESS_MANAGEMENT_WINDOW_OFFSET + offset,
				     value);
}

/* attach.c */
extern const struct pagepress_card_follower pagepress_management_follower;

/* heartbeat.c */
void pagepress_heartbeat_init(struct pagepress_management *management);
void pagepress_heartbeat_start(struct pagepress_management *management);
void pagepress_heartbeat_stop(struct pagepress_management *management);
int pagepress_firmware_restart(struct pagepress_management *management);

/* log.c */
void pagepress_log_init(struct pagepress_management *management);
void pagepress_log_forward(struct pagepress_management *management);

/* mailbox.c: each waits at most for two seconds once it is its turn */
int pagepress_message(struct pagepress_management *management, u16 kind, u32 argument,
		      const void *payload, size_t bytes, void *answer, size_t capacity);
int pagepress_ask(struct pagepress_management *management, u16 kind, u32 argument, void *answer,
		  size_t bytes);

/* update.c: an image, in order */
int pagepress_update_begin(struct pagepress_management *management, size_t bytes);
int pagepress_update_piece(struct pagepress_management *management, const u8 *image, size_t bytes,
			   size_t offset, size_t *written);
int pagepress_update_commit(struct pagepress_management *management);
void pagepress_update_end(struct pagepress_management *management);

/* upload.c: who brings the image */
void pagepress_upload_register(struct pagepress_management *management);
void pagepress_upload_unregister(struct pagepress_management *management);

/* telemetry.c: a page of words as they come, which holds its parts behind each other */
union pagepress_telemetry_page {
	struct pagepress_telemetry_header header;
	__le32 words[PAGEPRESS_TELEMETRY_PAGE_BYTES / sizeof(__le32)];
	u8 bytes[PAGEPRESS_TELEMETRY_PAGE_BYTES];
};

bool pagepress_has_telemetry_page(struct pagepress_management *management);
int pagepress_telemetry_take(struct pagepress_management *management,
			     union pagepress_telemetry_page *page);

/* sensors.c */
void pagepress_sensors_register(struct pagepress_management *management);
void pagepress_sensors_unregister(struct pagepress_management *management);

/* words.c: the names that rtl/interface gives */
const char *pagepress_slot_name(u32 slot);
const char *pagepress_boot_name(u32 kind);
const char *pagepress_cause_name(u32 cause);
const char *pagepress_stage_name(u32 stage);
const char *pagepress_severity_name(u32 severity);
const char *pagepress_management_status_name(u32 status);
const char *pagepress_lane_kind_name(u32 kind);
const char *pagepress_lane_state_name(u32 state);
const char *pagepress_lane_cause_name(u32 cause);
int pagepress_self_test_names(char *buffer, size_t size, u32 bits);
int pagepress_event_text(char *buffer, size_t size, const struct pagepress_log_entry *entry);
int pagepress_management_errno(int status);

#define PAGEPRESS_FIRMWARE_VERSION_FORMAT	"%u.%u.%u"
#define PAGEPRESS_FIRMWARE_VERSION_PARTS(version) \
	(version) >> 24, (version) >> 16 & 0xff, (version) & 0xffff

#endif
