// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the firmware lives, once a second; one that does not is restarted a few times and then
 * left alone. The card's pages do not depend on it, and nobody waits for it here.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "management/management.h"

#define LOOK_EVERY HZ
/*
 * Milliseconds of the card's own time, and how long of the host's whatever the card says: a
 * simulated card is slower, and one whose clock stands is not waited for.
 */
#define SILENT_AFTER 1500 /* it beats ten times a second */
#define SILENT_AT_MOST (60 * HZ)
#define BOOTED_AFTER 10000 /* a slow core checks a signature for half a second */
#define BOOT_AT_MOST (300 * HZ)
#define STANDS_AFTER (10 * HZ) /* the card's own time does not move */
#define RESTARTS 5
#define WELL_AFTER (60 * HZ) /* of beating: earlier restarts no longer count */
#define HOLD_US 1000

static u32 stage_of(const struct pagepress_management_view *view)
{
	return (view->status & PAGEPRESS_CORE_STATUS_STAGE_MASK) >>
	       PAGEPRESS_CORE_STATUS_STAGE_SHIFT;
}

/*
 * False: the card has gone, or is being reset, and some of the view may be all ones. MAGIC is read
 * last, as a link may go between any two reads.
 */
static bool look(struct pagepress_management *management, struct pagepress_management_view *view)
{
	view->status = pagepress_window_read(management, PAGEPRESS_REGISTER_CORE_STATUS);
	view->heartbeat = pagepress_window_read(management, PAGEPRESS_REGISTER_HEARTBEAT);
	view->report = pagepress_window_read(management, PAGEPRESS_REGISTER_BOOT_REPORT);
	view->version = pagepress_window_read(management, PAGEPRESS_REGISTER_FIRMWARE_VERSION);
	view->throttle = pagepress_window_read(management, PAGEPRESS_REGISTER_THROTTLE);
	view->uptime = pagepress_window_read(management, PAGEPRESS_REGISTER_UPTIME);
	return pagepress_window_read(management, PAGEPRESS_REGISTER_MANAGEMENT_MAGIC) ==
	       PAGEPRESS_MANAGEMENT_MAGIC_VALUE;
}

/* Files show these, each for itself. */
static void remember(struct pagepress_management *management,
		     const struct pagepress_management_view *view)
{
	WRITE_ONCE(management->view.status, view->status);
	WRITE_ONCE(management->view.heartbeat, view->heartbeat);
	WRITE_ONCE(management->view.report, view->report);
	WRITE_ONCE(management->view.version, view->version);
	WRITE_ONCE(management->view.throttle, view->throttle);
	management->view.uptime = view->uptime; /* nobody else's */
}

static void became(struct pagepress_management *management, enum pagepress_firmware_state state)
{
	WRITE_ONCE(management->state, state);
}

static u32 part(u32 report, u32 mask, u32 shift)
{
	return (report & mask) >> shift;
}

static void say_running(struct pagepress_management *management,
			const struct pagepress_management_view *view)
{
	u32 report = view->report;

	dev_info(management->card->device,
		 "firmware " PAGEPRESS_FIRMWARE_VERSION_FORMAT " runs from slot %s (boot %s)\n",
		 PAGEPRESS_FIRMWARE_VERSION_PARTS(view->version),
		 pagepress_slot_name(part(report, PAGEPRESS_BOOT_REPORT_SLOT_MASK,
					  PAGEPRESS_BOOT_REPORT_SLOT_SHIFT)),
		 pagepress_boot_name(part(report, PAGEPRESS_BOOT_REPORT_KIND_MASK,
					  PAGEPRESS_BOOT_REPORT_KIND_SHIFT)));
}

static void say_silent(struct pagepress_management *management,
		       const struct pagepress_management_view *view)
{
	u32 report = view->report;

	dev_err(management->card->device,
		"firmware does not run (stage %s, BOOT_REPORT %#x: slot A %s, slot B %s): pages do without it\n",
		pagepress_stage_name(stage_of(view)), report,
		pagepress_management_status_name(part(report, PAGEPRESS_BOOT_REPORT_STATUS_A_MASK,
						      PAGEPRESS_BOOT_REPORT_STATUS_A_SHIFT)),
		pagepress_management_status_name(part(report, PAGEPRESS_BOOT_REPORT_STATUS_B_MASK,
						      PAGEPRESS_BOOT_REPORT_STATUS_B_SHIFT)));
}

static struct pagepress_moment moment(u32 uptime)
{
	return (struct pagepress_moment){ .host = jiffies, .card = uptime };
}

static void boot_began(struct pagepress_management *management, u32 uptime, u32 heartbeat)
{
	management->beaten = moment(uptime);
	management->booted = moment(uptime);
	management->booted_at_beat = heartbeat;
	management->ticked = jiffies;
}

/* Holds the core in reset and lets it go, which boots it. */
static void restart(struct pagepress_management *management)
{
	pagepress_window_write(management, PAGEPRESS_REGISTER_CORE_CONTROL,
			       PAGEPRESS_CORE_CONTROL_HOLD_MASK);
	pagepress_window_read(management, PAGEPRESS_REGISTER_CORE_CONTROL); /* it has got there */
	usleep_range(HOLD_US, 2 * HOLD_US);
	pagepress_window_write(management, PAGEPRESS_REGISTER_CORE_CONTROL, 0);
	boot_began(management,
		   pagepress_window_read(management, PAGEPRESS_REGISTER_UPTIME),
		   pagepress_window_read(management, PAGEPRESS_REGISTER_HEARTBEAT));
	WRITE_ONCE(management->resets, management->resets + 1);
}

static void silent(struct pagepress_management *management,
		   const struct pagepress_management_view *view)
{
	unsigned int restarts = READ_ONCE(management->restarts);

	if (management->state < PAGEPRESS_FIRMWARE_SILENT) {
		say_silent(management, view);
		became(management, PAGEPRESS_FIRMWARE_SILENT);
		if (!restarts)
			management->patience = jiffies;
	}
	if (restarts >= RESTARTS) {
		if (management->state != PAGEPRESS_FIRMWARE_DEAD)
			dev_err(management->card->device,
				"firmware did not come back in %u restarts: left dead; write restart to management/control to try again\n",
				restarts);
		became(management, PAGEPRESS_FIRMWARE_DEAD);
		return;
	}
	if (time_before(jiffies, READ_ONCE(management->patience)))
		return;
	dev_warn(management->card->device, "restarting the firmware, %u of %u\n", restarts + 1,
		 RESTARTS);
	restart(management);
	management->patience = jiffies + (LOOK_EVERY << (restarts + 1));
	WRITE_ONCE(management->restarts, restarts + 1);
	became(management, PAGEPRESS_FIRMWARE_SILENT);
}

static bool passed(const struct pagepress_moment *since,
		   const struct pagepress_management_view *view, s32 milliseconds,
		   unsigned long at_most)
{
	return (s32)(view->uptime - since->card) >= milliseconds ||
	       time_after_eq(jiffies, since->host + at_most);
}

/* A beat, or the end of a boot. */
static bool overdue(const struct pagepress_management *management,
		    const struct pagepress_management_view *view)
{
	u32 stage = stage_of(view);

	if (stage == PAGEPRESS_STAGE_FAILED ||
	    time_after_eq(jiffies, management->ticked + STANDS_AFTER))
		return true;
	if (stage == PAGEPRESS_STAGE_RUNNING)
		return passed(&management->beaten, view, SILENT_AFTER, SILENT_AT_MOST);
	return passed(&management->booted, view, BOOTED_AFTER, BOOT_AT_MOST);
}

static void judge(struct pagepress_management *management,
		  const struct pagepress_management_view *view)
{
	u32 before = stage_of(&management->view), stage = stage_of(view);

	if (view->uptime != management->view.uptime)
		management->ticked = jiffies;
	if (stage == PAGEPRESS_STAGE_RUNNING &&
	    view->heartbeat != management->view.heartbeat) {
		management->beaten = moment(view->uptime);
		if (management->state != PAGEPRESS_FIRMWARE_RUNNING ||
		    view->version != management->view.version)
			say_running(management, view);
		became(management, PAGEPRESS_FIRMWARE_RUNNING);
		if (time_after(jiffies, management->patience + WELL_AFTER))
			WRITE_ONCE(management->restarts, 0);
		return;
	}
	/*
	 * It boots anew, by its own watchdog or because it was asked to. One that has not beaten
	 * since the boot before has its time already.
	 */
	if (before == PAGEPRESS_STAGE_RUNNING && stage < PAGEPRESS_STAGE_RUNNING &&
	    view->heartbeat != management->booted_at_beat) {
		boot_began(management, view->uptime, view->heartbeat);
		became(management, PAGEPRESS_FIRMWARE_STARTING);
	}
	/* The boot is over, however long it took; the first beat is due. */
	if (before < PAGEPRESS_STAGE_RUNNING && stage == PAGEPRESS_STAGE_RUNNING)
		management->beaten = moment(view->uptime);
	if (overdue(management, view))
		silent(management, view);
}

/* What it did before nobody saw: it has the time of a boot. */
static void look_first(struct pagepress_management *management,
		       const struct pagepress_management_view *view)
{
	remember(management, view);
	boot_began(management, view->uptime, view->heartbeat);
	became(management, PAGEPRESS_FIRMWARE_STARTING);
}

static void watch(struct work_struct *work)
{
	struct pagepress_management *management =
		container_of(to_delayed_work(work), struct pagepress_management, watch);
	struct pagepress_management_view view;

	if (look(management, &view)) {
		if (management->state == PAGEPRESS_FIRMWARE_UNREACHABLE)
			look_first(management, &view);
		pagepress_log_forward(management);
		if (READ_ONCE(management->restart_asked)) {
			WRITE_ONCE(management->restart_asked, false);
			restart(management);
			became(management, PAGEPRESS_FIRMWARE_STARTING);
		} else {
			judge(management, &view);
		}
		remember(management, &view);
	} else {
		/* The card's own recovery says so. */
		became(management, PAGEPRESS_FIRMWARE_UNREACHABLE);
	}
	queue_delayed_work(system_long_wq, &management->watch, LOOK_EVERY);
}

/* Somebody asks for it: a firmware left dead is tried again. Boots what an update asked for. */
int pagepress_firmware_restart(struct pagepress_management *management)
{
	enum pagepress_firmware_state state = READ_ONCE(management->state);
	int error;

	/* The back-off is for restarts that nobody asks for. */
	WRITE_ONCE(management->patience, jiffies);
	WRITE_ONCE(management->restarts, 0);
	if (state == PAGEPRESS_FIRMWARE_UNREACHABLE || READ_ONCE(management->away))
		return -ENODEV;
	if (state > PAGEPRESS_FIRMWARE_RUNNING)
		return 0; /* watch() does it when it looks next */
	error = pagepress_ask(management, PAGEPRESS_MESSAGE_RESET, 0, NULL, 0);
	if (error != -ETIMEDOUT && error != -EPROTO)
		return error;
	/* It beats, but does not answer, or answers nonsense. */
	WRITE_ONCE(management->restart_asked, true);
	return 0;
}

/* The window may be touched from here on. */
void pagepress_heartbeat_start(struct pagepress_management *management)
{
	struct pagepress_management_view view;

	if (look(management, &view))
		look_first(management, &view);
	else
		became(management, PAGEPRESS_FIRMWARE_UNREACHABLE);
	management->patience = jiffies;
	WRITE_ONCE(management->restarts, 0);
	/* Whoever had the card before us may have left it held. */
	pagepress_window_write(management, PAGEPRESS_REGISTER_CORE_CONTROL, 0);
	queue_delayed_work(system_long_wq, &management->watch, LOOK_EVERY);
}

void pagepress_heartbeat_stop(struct pagepress_management *management)
{
	cancel_delayed_work_sync(&management->watch);
}

void pagepress_heartbeat_init(struct pagepress_management *management)
{
	INIT_DELAYED_WORK(&management->watch, watch);
}
