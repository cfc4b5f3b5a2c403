// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whether the firmware lives, once a second; one that does not is restarted a few times and then
 * left alone. The card's pages do not depend on it, and nobody waits for it here.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "management/management.h"

#define LOOK_EVERY HZ
#define RESTARTS 5
#define HOLD_US 1000
/* Lines of the kernel's log: twice what recovery says until it gives up. */
#define LINES_BURST 16
#define LINES_EVERY (60 * HZ)

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
	view->control = pagepress_window_read(management, PAGEPRESS_REGISTER_CORE_CONTROL);
	return pagepress_window_read(management, PAGEPRESS_REGISTER_MANAGEMENT_MAGIC) ==
	       PAGEPRESS_MANAGEMENT_MAGIC_VALUE;
}

/* Files show these, each for itself. */
static void remember(struct pagepress_management *management,
		     const struct pagepress_management_view *view)
{
	WRITE_ONCE(management->view.status, view->status);
	WRITE_ONCE(management->view.report, view->report);
	WRITE_ONCE(management->view.version, view->version);
	WRITE_ONCE(management->view.throttle, view->throttle);
}

static struct pagepress_sign sign_of(const struct pagepress_management_view *view)
{
	return (struct pagepress_sign){ stage_of(view), view->heartbeat, view->uptime };
}

static void became(struct pagepress_management *management, enum pagepress_firmware_state state)
{
	WRITE_ONCE(management->state, state);
}

static u32 part(u32 report, u32 mask, u32 shift)
{
	return (report & mask) >> shift;
}

/* Firmware that is another at each look, or comes and goes, fills nobody's disk either. */
static bool may_say(struct pagepress_management *management)
{
	return __ratelimit(&management->state_limit);
}

static void say_running(struct pagepress_management *management,
			const struct pagepress_management_view *view)
{
	u32 report = view->report;

	if (!may_say(management))
		return;
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

	if (!may_say(management))
		return;
	dev_err(management->card->device,
		"firmware does not run (stage %s, BOOT_REPORT %#x: slot A %s, slot B %s): pages do without it\n",
		pagepress_stage_name(stage_of(view)), report,
		pagepress_management_status_name(part(report, PAGEPRESS_BOOT_REPORT_STATUS_A_MASK,
						      PAGEPRESS_BOOT_REPORT_STATUS_A_SHIFT)),
		pagepress_management_status_name(part(report, PAGEPRESS_BOOT_REPORT_STATUS_B_MASK,
						      PAGEPRESS_BOOT_REPORT_STATUS_B_SHIFT)));
}

/* Holds the core in reset and lets it go, which boots it. */
static void restart(struct pagepress_management *management)
{
	pagepress_window_write(management, PAGEPRESS_REGISTER_CORE_CONTROL,
			       PAGEPRESS_CORE_CONTROL_HOLD_MASK);
	pagepress_window_read(management, PAGEPRESS_REGISTER_CORE_CONTROL); /* it has got there */
	usleep_range(HOLD_US, 2 * HOLD_US);
	pagepress_window_write(management, PAGEPRESS_REGISTER_CORE_CONTROL, 0);
	pagepress_pulse_boot(&management->pulse,
			     pagepress_window_read(management, PAGEPRESS_REGISTER_UPTIME),
			     pagepress_window_read(management, PAGEPRESS_REGISTER_HEARTBEAT),
			     jiffies);
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
		if (management->state != PAGEPRESS_FIRMWARE_DEAD && may_say(management))
			dev_err(management->card->device,
				"firmware did not come back in %u restarts: left dead; write restart to management/control to try again\n",
				restarts);
		became(management, PAGEPRESS_FIRMWARE_DEAD);
		return;
	}
	if (time_before(jiffies, READ_ONCE(management->patience)))
		return;
	if (may_say(management))
		dev_warn(management->card->device, "restarting the firmware, %u of %u\n",
			 restarts + 1, RESTARTS);
	restart(management);
	WRITE_ONCE(management->resets, management->resets + 1);
	management->patience = jiffies + (LOOK_EVERY << (restarts + 1));
	WRITE_ONCE(management->restarts, restarts + 1);
	became(management, PAGEPRESS_FIRMWARE_SILENT);
}

static void beats(struct pagepress_management *management,
		  const struct pagepress_management_view *view)
{
	if (management->state != PAGEPRESS_FIRMWARE_RUNNING ||
	    view->version != management->view.version)
		say_running(management, view);
	became(management, PAGEPRESS_FIRMWARE_RUNNING);
	/* One beat between two restarts would make them endless. */
	if (pagepress_pulse_is_well(&management->pulse, jiffies))
		WRITE_ONCE(management->restarts, 0);
}

static void judge(struct pagepress_management *management,
		  const struct pagepress_management_view *view)
{
	struct pagepress_sign sign = sign_of(view);

	switch (pagepress_pulse_look(&management->pulse, &sign, jiffies)) {
	case PAGEPRESS_PULSE_BEATS:
		beats(management, view);
		break;
	case PAGEPRESS_PULSE_BOOTS:
		became(management, PAGEPRESS_FIRMWARE_STARTING);
		break;
	case PAGEPRESS_PULSE_OVERDUE:
		silent(management, view);
		break;
	case PAGEPRESS_PULSE_AWAITED:
		break;
	}
}

/* What it did before nobody saw: it has the time of a boot. */
static void look_first(struct pagepress_management *management,
		       const struct pagepress_management_view *view)
{
	struct pagepress_sign sign = sign_of(view);

	remember(management, view);
	pagepress_pulse_begin(&management->pulse, &sign, jiffies);
	became(management, PAGEPRESS_FIRMWARE_STARTING);
}

/*
 * Recovery may have reset the card between the two writes of restart(), and the second was lost: a
 * core would be held for ever. Nobody else holds it, nor do we between two looks.
 */
static void let_go(struct pagepress_management *management,
		   const struct pagepress_management_view *view)
{
	if (view->control & PAGEPRESS_CORE_CONTROL_HOLD_MASK)
		pagepress_window_write(management, PAGEPRESS_REGISTER_CORE_CONTROL, 0);
}

static void watch(struct work_struct *work)
{
	struct pagepress_management *management =
		container_of(to_delayed_work(work), struct pagepress_management, watch);
	struct pagepress_management_view view;

	if (look(management, &view)) {
		if (management->state == PAGEPRESS_FIRMWARE_UNREACHABLE)
			look_first(management, &view);
		let_go(management, &view);
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
	ratelimit_state_init(&management->state_limit, LINES_EVERY, LINES_BURST);
	INIT_DELAYED_WORK(&management->watch, watch);
}
