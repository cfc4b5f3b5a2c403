/* SPDX-License-Identifier: GPL-2.0-only */
/* Cards, their queues, and the pool of engines that disks draw from. */
#ifndef PAGEPRESS_CARD_H
#define PAGEPRESS_CARD_H

#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "card/request.h"

#define PAGEPRESS_MAX_CARDS	16

enum pagepress_card_state {
	PAGEPRESS_CARD_STARTING,
	PAGEPRESS_CARD_READY,
	PAGEPRESS_CARD_DEAD,	/* failed; recovery.c decides whether it comes back */
	PAGEPRESS_CARD_STOPPED,	/* suspended, or leaving */
};

/* Which streams are proven by decompression before anything is given up for them, and by whom. */
enum pagepress_verification {
	PAGEPRESS_VERIFY_ALL,		/* all, by this CPU */
	PAGEPRESS_VERIFY_CARD,		/* all, by the card's decompressors; samples by this CPU */
	PAGEPRESS_VERIFY_SAMPLED,
	PAGEPRESS_VERIFY_NONE,
};

/* Who is to prove the stream at hand. */
enum pagepress_prover {
	PAGEPRESS_PROVER_NONE,
	PAGEPRESS_PROVER_CPU,
	PAGEPRESS_PROVER_CARD,
};

struct pagepress_bus; /* bus.h */
struct pagepress_card;

/* A pair of rings. Submission indices and completion indices are ring positions, modulo depth. */
struct pagepress_queue {
	struct pagepress_card *card;
	unsigned int number;
	spinlock_t lock;		/* everything below */
	bool running;			/* false: submit nothing, ring nothing, reap nothing */
	unsigned int depth;		/* entries, a power of two */
	unsigned int weight;		/* the administrator's; a card that starts gets it */
	struct pagepress_submission_entry *submissions;
	dma_addr_t submissions_bus;
	unsigned int tail;		/* next submission to write */
	unsigned int rung;		/* tail as last told to the card */
	u64 gathers_since;		/* ktime_get_ns() of the first that it was not told of */
	u32 submitted;			/* submissions since the queue was started */
	bool to_prove;			/* some are proofs, not rung for; without the lock */
	struct pagepress_completion_entry *completions;
	dma_addr_t completions_bus;
	unsigned int head;		/* next completion to read */
	u8 phase;			/* what makes the completion at head new */
	u32 completed;			/* completions taken, ever; read without the lock */
	struct pagepress_request *requests;
	unsigned int request_count;	/* depth - 1: while a request is free, so is a ring entry */
	struct list_head free;
	unsigned int free_count;
	struct list_head answered;	/* requests, completed, which nobody finishes yet */
	u64 late_at;			/* ktime_get_ns() of late_timer; 0: it is not set */
	struct hrtimer late_timer;	/* starts late, which looks for late commands */
	struct work_struct late;
};

struct pagepress_card {
	struct kref references;		/* the memory of this structure only */
	struct device *device;
	const struct pagepress_bus *bus;
	void __iomem *registers;	/* up to PAGEPRESS_PUSH_BASE */
	void __iomem *push_windows;	/* write-combining where the machine can, or NULL */
	bool pushes;			/* the card looks at the windows */
	bool weighs;			/* its queues have weights */
	u32 cold_tables;		/* version of its tables of the cold format; 0: none */
	struct mutex lock;		/* starting and stopping */
	struct rw_semaphore reset_lock;	/* to write: a reset; to read: its registers, by others */
	enum pagepress_card_state state;	/* to DEAD from anywhere; else under lock */
	unsigned int max_depth_log2;
	u32 engines;			/* register ENGINES */
	u32 clock_khz;
	struct pagepress_queue *queues;
	unsigned int queue_count;
	bool told;			/* it may know addresses of the queues' buffers */
	bool stopped;			/* proven: no DMA of this card is outstanding */

	atomic_t probation;		/* answers that are still to be proven: probation.c */
	atomic_t answers;		/* since then: which of them are samples */

	atomic_t outstanding;		/* requests not free, and holds: torn down only at 0 */

	u64 answer_ns[2];		/* what answers take: to reads, to writes; 0: unknown */
	atomic_t owed;			/* requests TAKEN_BACK or LATE: no new ones meanwhile */

	struct delayed_work watchdog;	/* runs while commands are in flight */
	unsigned long watchdog_armed;	/* bit 0 */
	struct work_struct recover;
	struct delayed_work rejoin;
	unsigned int failures;		/* since it last worked for a while */
	u64 ready_since;		/* get_jiffies_64(), which never wraps */
	atomic64_t worked_at;		/* the same: when it last answered with SUCCESS */

	void *followed;			/* the follower's own, NULL without */

	struct mutex counter_lock;	/* counters; one reader of a counter's two words */
	u64 counters_read;		/* get_jiffies_64(); the watchdog's */
	u64 counters[PAGEPRESS_COUNTER_COUNT];	/* as last read */
	u64 counted_before[PAGEPRESS_COUNTER_COUNT];	/* the last time it was reset */
};

/*
 * Who else uses a card's registers. Each is called in process context that may sleep, with the
 * driver core holding the device, not under card->lock; pages wait for none of them.
 */
struct pagepress_card_follower {
	void (*arrived)(struct pagepress_card *card);	/* it has started for the first time */
	void (*away)(struct pagepress_card *card);	/* hands off its registers, by the return */
	void (*back)(struct pagepress_card *card);	/* they are what they were */
	void (*left)(struct pagepress_card *card);	/* for good; it is away already */
};

/* What reads return when no card answers. */
#define PAGEPRESS_ALL_ONES	(~0u)

/* A card that is being reset is not touched: it reads as one that is not there. */
static inline u32 pagepress_read(struct pagepress_card *card, u32 offset)
{
	u32 value;

	if (!down_read_trylock(&card->reset_lock))
		return PAGEPRESS_ALL_ONES;
	value = readl(card->registers + offset);
	up_read(&card->reset_lock);
	return value;
}

/* Of whoever starts and stops the card, and of queues while they run: no reset meanwhile. */
static inline void pagepress_write(struct pagepress_card *card, u32 offset, u32 value)
{
	writel(value, card->registers + offset);
}

/* Of anybody else: lost while the card is being reset. */
static inline void pagepress_write_unless_reset(struct pagepress_card *card, u32 offset, u32 value)
{
	if (!down_read_trylock(&card->reset_lock))
		return;
	writel(value, card->registers + offset);
	up_read(&card->reset_lock);
}

/* PAGEPRESS_REGISTER_SUBMISSION_TAIL, or COMPLETION_HEAD. Under queue->lock, while it runs. */
static inline void pagepress_queue_doorbell(struct pagepress_queue *queue, u32 offset, u32 value)
{
	pagepress_write(queue->card, PAGEPRESS_DOORBELL_BASE +
			queue->number * PAGEPRESS_DOORBELL_STRIDE + offset, value);
}

static inline unsigned int pagepress_card_compressors(struct pagepress_card *card)
{
	return (card->engines & PAGEPRESS_ENGINES_COMPRESSORS_MASK) >>
	       PAGEPRESS_ENGINES_COMPRESSORS_SHIFT;
}

/* Module parameters. */
extern bool pagepress_card_allowed;		/* pool.c */
extern unsigned int pagepress_full_wait_us;
extern unsigned int pagepress_depth;		/* queue_memory.c */
extern unsigned int pagepress_moderation_count;	/* queue.c */
extern unsigned int pagepress_moderation_cycles;
extern unsigned int pagepress_poll_us;		/* completion.c */
extern unsigned int pagepress_card_wait_ms;	/* late.c */
extern unsigned int pagepress_timeout_ms;	/* recovery.c */
extern unsigned int pagepress_rejoin_ms;
extern unsigned int pagepress_rejoin_limit;
extern unsigned int pagepress_verify_streams;	/* probation.c; enum pagepress_verification */

/* pool.c: the pool */
void pagepress_engines_join(struct pagepress_card *card);
void pagepress_engines_leave(struct pagepress_card *card);
struct pagepress_request *
pagepress_engines_claim(u8 opcode, const struct pagepress_owner *owner);
struct pagepress_request *
pagepress_engines_claim_now(u8 opcode, const struct pagepress_owner *owner);
struct pagepress_request *
pagepress_engines_claim_cold(u32 tables, const struct pagepress_owner *owner);
unsigned int pagepress_engines_cold_lanes(u32 tables);
void pagepress_engines_changed(void);
void pagepress_card_let_go(struct pagepress_card *card);
void pagepress_engines_wait_idle(struct pagepress_card *card);
const char *pagepress_engines_state(void);
u64 pagepress_engines_counter(unsigned int index);
unsigned int pagepress_engines_sum(unsigned int (*value)(struct pagepress_card *card));
u32 pagepress_engines_first(u32 (*value)(struct pagepress_card *card));
int pagepress_engines_addresses(char *buffer);
void pagepress_engines_each(void (*show)(struct pagepress_card *card, void *data), void *data);

/* probe.c */
extern struct workqueue_struct *pagepress_workqueue;	/* recovery of cards */
extern struct workqueue_struct *pagepress_late_workqueue;	/* pages that have waited enough */
extern const struct pagepress_card_follower *pagepress_card_follower;
int pagepress_card_register(const struct pagepress_card_follower *follower,
			    const struct attribute_group **groups);
void pagepress_card_unregister(void);
void pagepress_card_release(struct kref *references);

/* power.c: start and stop, under card->lock */
int pagepress_card_identify(struct pagepress_card *card);
int pagepress_card_start(struct pagepress_card *card);
int pagepress_card_restart(struct pagepress_card *card);
void pagepress_card_stop(struct pagepress_card *card);

void pagepress_card_abandon(struct pagepress_card *card);

/* events.c */
void pagepress_card_take_down(struct pagepress_card *card);
void pagepress_card_cut_off(struct pagepress_card *card);
int pagepress_card_bring_back(struct pagepress_card *card);
extern const struct dev_pm_ops pagepress_card_power_operations;

/* counters.c */
u64 pagepress_card_counter(struct pagepress_card *card, unsigned int counter);
void pagepress_card_read_counters(struct pagepress_card *card);
void pagepress_card_resume_counters(struct pagepress_card *card);

/* recovery.c */
void pagepress_recovery_init(struct pagepress_card *card);
void pagepress_recovery_cancel(struct pagepress_card *card);
__printf(2, 3) bool pagepress_card_fail(struct pagepress_card *card, const char *format, ...);
void pagepress_card_check(struct pagepress_card *card);
void pagepress_card_rejoin_later(struct pagepress_card *card);
void pagepress_watchdog_arm(struct pagepress_card *card);
extern atomic64_t pagepress_card_timeouts;
extern atomic64_t pagepress_card_resets;

/* late.c */
void pagepress_late_init(struct pagepress_queue *queue);
void pagepress_late_cancel(struct pagepress_card *card);
void pagepress_late_arm(struct pagepress_queue *queue, u64 at);
void pagepress_late_redo(struct list_head *list);
u64 pagepress_late_after(struct pagepress_card *card, u8 opcode);
void pagepress_late_measured(struct pagepress_card *card, u8 opcode, u64 nanoseconds);
extern atomic64_t pagepress_card_late;

/* probation.c */
void pagepress_probation_begin(struct pagepress_card *card);
void pagepress_probation_failed(struct pagepress_card *card);
enum pagepress_prover pagepress_card_prover(struct pagepress_card *card);

/* queue.c */
int pagepress_queue_create(struct pagepress_card *card, unsigned int number);
void pagepress_queue_destroy(struct pagepress_queue *queue);
void pagepress_queue_start(struct pagepress_queue *queue);
u32 pagepress_queue_read(struct pagepress_queue *queue, u32 offset);
void pagepress_queue_weigh(struct pagepress_queue *queue, unsigned int weight);
struct pagepress_request *
pagepress_queue_claim(struct pagepress_queue *queue, u8 opcode,
		      const struct pagepress_owner *owner);
void pagepress_queue_release(struct pagepress_request *request);
void pagepress_queue_set_free(struct pagepress_queue *queue, struct pagepress_request *request);
bool pagepress_queue_submit(struct pagepress_request *request, u32 *tag);
unsigned int pagepress_queue_waiting(struct pagepress_queue *queue);
bool pagepress_queue_ring(struct pagepress_queue *queue, bool urgent);
bool pagepress_queue_overdue(struct pagepress_queue *queue, bool *busy);

/* completion.c */
bool pagepress_queue_answered(struct pagepress_queue *queue);
bool pagepress_queue_reap(struct pagepress_queue *queue, unsigned int most);
void pagepress_queue_poll(struct pagepress_request *request, u32 tag,
			  const struct pagepress_owner *owner);
void pagepress_queue_stop(struct pagepress_queue *queue, struct list_head *reads,
			  struct list_head *writes);
void pagepress_queue_finish(struct pagepress_queue *queue);

/* proof.c */
bool pagepress_queue_prove(struct pagepress_request *request);
void pagepress_queue_ring_for_proofs(struct pagepress_queue *queue);

/* push.c */
void pagepress_queue_push(struct pagepress_queue *queue);

#endif
