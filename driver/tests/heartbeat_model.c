// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's looks at a card's firmware (management/heartbeat.c) while the card is reset at any moment of them: what is written then is
 * lost, and what is read is ones. Whatever was lost, no core is left held.
 *
 * usage: heartbeat_model
 */
#include <stdio.h>
#include <string.h>
#include <linux/types.h>

#define PAGEPRESS_CARD_H /* of a card nothing is known here but its device */
#define PAGEPRESS_ALL_ONES (~0u)
#define HZ 250
#define KBUILD_MODNAME "pagepress"
#define __le32 u32
struct device;
struct pagepress_card { struct device *device; };
struct pagepress_card_follower { int none; };
struct mutex { int none; };
struct work_struct { int none; };
struct delayed_work { struct work_struct work; };
struct ratelimit_state { int none; };
#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))
#define to_delayed_work(pointer) container_of(pointer, struct delayed_work, work)
#define INIT_DELAYED_WORK(delayed, function) ((void)(delayed), (void)(function))
#define queue_delayed_work(queue, delayed, delay) ((void)(delayed), (void)(delay))
#define cancel_delayed_work_sync(delayed) ((void)(delayed))
#define ratelimit_state_init(state, interval, burst) ((void)(state))
#define __ratelimit(state) ((void)(state), 1)
#define time_before(left, right) ((long)((left) - (right)) < 0)
#define dev_err(device, ...) ((void)(device), say(__VA_ARGS__))
#define dev_warn(device, ...) ((void)(device), say(__VA_ARGS__))
#define dev_info(device, ...) ((void)(device), say(__VA_ARGS__))

static unsigned long jiffies;
static void say(const char *form, ...);
static u32 pagepress_read(struct pagepress_card *card, u32 offset);
static void pagepress_write_unless_reset(struct pagepress_card *card, u32 offset, u32 value);
static void usleep_range(unsigned long least, unsigned long most);

#include "card/card.h"
#include "management/management.h"
#include "management/pulse.c"
#include "management/heartbeat.c"

#include "model.h"

static struct pagepress_card card;
static struct pagepress_management management;
static bool held, lives, in_reset;
static u32 heartbeat, uptime, accesses, sleeps;
static u32 reset_at; /* the access, or behind all of them the sleep, from which on the card is reset, until the look ends; 0: none */
#define SLEEPS 1000

static void say(const char *form, ...)
{
	(void)form;
}

#define NAMES(function) const char *function(u32 number) { return number ? "some" : "none"; }
NAMES(pagepress_slot_name)
NAMES(pagepress_boot_name)
NAMES(pagepress_stage_name)
NAMES(pagepress_management_status_name)

void pagepress_log_forward(struct pagepress_management *looked)
{
	(void)looked;
}

int pagepress_ask(struct pagepress_management *asked, u16 kind, u32 argument, void *answer, size_t bytes)
{
	(void)asked, (void)kind, (void)argument, (void)answer, (void)bytes;
	return -ETIMEDOUT;
}

static u32 pagepress_read(struct pagepress_card *asked, u32 offset)
{
	(void)asked;
	in_reset |= ++accesses == reset_at;
	if (in_reset)
		return PAGEPRESS_ALL_ONES;
	switch (offset - PAGEPRESS_MANAGEMENT_WINDOW_OFFSET) {
	case PAGEPRESS_REGISTER_MANAGEMENT_MAGIC:
		return PAGEPRESS_MANAGEMENT_MAGIC_VALUE;
	case PAGEPRESS_REGISTER_CORE_CONTROL:
		return held;
	case PAGEPRESS_REGISTER_CORE_STATUS:
		return held ? PAGEPRESS_STAGE_RESET : PAGEPRESS_STAGE_RUNNING;
	case PAGEPRESS_REGISTER_HEARTBEAT:
		return heartbeat;
	case PAGEPRESS_REGISTER_UPTIME:
		return uptime;
	}
	return 0;
}

static void pagepress_write_unless_reset(struct pagepress_card *asked, u32 offset, u32 value)
{
	(void)asked;
	in_reset |= ++accesses == reset_at;
	if (offset - PAGEPRESS_MANAGEMENT_WINDOW_OFFSET == PAGEPRESS_REGISTER_CORE_CONTROL && !in_reset)
		held = value & PAGEPRESS_CORE_CONTROL_HOLD_MASK;
}

static void usleep_range(unsigned long least, unsigned long most)
{
	(void)least, (void)most;
	in_reset |= ++sleeps + SLEEPS == reset_at;
}

/* So many seconds, a look in each. */
static void look_for(u32 seconds)
{
	while (seconds--) {
		jiffies += HZ;
		uptime += 1000;
		heartbeat += lives && !held ? 100 : 0;
		watch(&management.watch.work);
		in_reset = false;
	}
}

static void begin(u32 at)
{
	memset(&management, 0, sizeof(management));
	management.card = &card;
	held = in_reset = false;
	lives = true;
	accesses = sleeps = reset_at = 0;
	pagepress_heartbeat_init(&management);
	pagepress_heartbeat_start(&management);
	look_for(3);
	if (management.state != PAGEPRESS_FIRMWARE_RUNNING)
		wrong("firmware that beats does not run");
	accesses = sleeps = 0;
	reset_at = at;
}

/* Dead firmware is restarted until it is left alone, and lives again then. */
static void reset_meanwhile(u32 at)
{
	begin(at);
	lives = false;
	look_for(120);
	if (!reset_at && management.resets != RESTARTS)
		wrong("dead firmware is not restarted as often as is promised");
	if (held)
		wrong("a core is left held");
	lives = true;
	look_for(5);
	if (management.state != PAGEPRESS_FIRMWARE_RUNNING)
		wrong("firmware that beats again does not run");
}

/* Whoever held it: it is let go at the next look, without a restart. */
static void held_by_others(void)
{
	begin(0);
	held = true;
	look_for(1);
	if (held || management.resets)
		wrong("a core that others hold is restarted, or left");
}

int main(void)
{
	u32 at;

	for (at = 0; at < SLEEPS; at++)
		reset_meanwhile(at);
	for (at = 1; at <= RESTARTS; at++)
		reset_meanwhile(SLEEPS + at);
	held_by_others();
	return 0;
}
