// SPDX-License-Identifier: GPL-2.0-only
/*
 * acomp_requests.ko: requests of 0 to 64 KiB to lzo-pagepress, from every context the crypto API
 * may be called in, in lists of one to four pieces, from any address to any other or to where they
 * come from, against the kernel's own lzo-scomp: what one compresses the other decompresses. First
 * a chain of requests of which each is made by the callback of the one before.
 * lzo-scomp is asked by tasks only: kernel 6.1 leaves soft interrupts on under its lock of a CPU,
 * so one that asks, too, would spin for ever.
 *
 * insmod acomp_requests.ko takes_name=1: none of that, but the name lzo-pagepress is taken then.
 *
 * insmod acomp_requests.ko seed=1 rounds=1000 [workers=2] [pages=1]
 * pages=1: whole pages only. rounds=0: until 1 is written to parameters/enough. Fails with -EIO, and
 * says why, at the first wrong byte or error; parameters/rounds_done counts.
 */
#include <crypto/acompress.h>
#include <crypto/algapi.h>
#include <linux/completion.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <linux/timer.h>
#include <linux/version.h>

#define MOST		SZ_64K
#define ORDER		5	/* of a buffer: twice MOST, for streams that grow */
#define BUFFERS		3
#define SHIFTS		256	/* addresses in a buffer that bytes begin at */
#define GUARD		64
#define GUARD_BYTE	0xa5
#define PIECES		4
#define WORKERS		8

#define CHAIN		200	/* requests */
#define DEEPEST		2	/* callbacks upon one stack */

/* From SOFT_INTERRUPTS_OFF on, whoever asks is answered here and now. */
enum context { MAY_SLEEP, PROCESS, ATOMIC, SOFT_INTERRUPTS_OFF, SOFT_INTERRUPT, CONTEXTS };

static unsigned long seed = 1;
static unsigned int rounds = 100;
static unsigned int workers = 1;
static bool pages;
static bool enough;
static bool takes_name;
static atomic_t finished;
static unsigned int rounds_done;
module_param(seed, ulong, 0444);
module_param(rounds, uint, 0444);
module_param(workers, uint, 0444);
module_param(pages, bool, 0444);
module_param(enough, bool, 0644);
module_param(takes_name, bool, 0444);
module_param(rounds_done, uint, 0444);

struct worker {
	struct task_struct *task;
	u64 random;
	u8 *buffers[BUFFERS];
	u8 *plain, *stream, *back;	/* in these */
	struct crypto_acomp *ours, *theirs;
	struct acomp_req *request;	/* of the call at hand */
	bool compress;
	struct timer_list timer;
	struct completion called;
	int error;			/* what the call returned */
	unsigned int left, depth;	/* of a chain */
	int result;
};

static struct worker all[WORKERS];

/* What a callback is given: kernels before 6.3 gave the request, which has it. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
#define CALLBACK_ARGUMENT	struct crypto_async_request *
#define CALLBACK_DATA(argument)	((argument)->data)
#else
#define CALLBACK_ARGUMENT	void *
#define CALLBACK_DATA(argument)	(argument)
#endif

static u32 draw(struct worker *worker, u32 limit)
{
	worker->random ^= worker->random << 13;
	worker->random ^= worker->random >> 7;
	worker->random ^= worker->random << 17;
	return (u32)(worker->random >> 32) % limit;
}

static void call(struct worker *worker)
{
	worker->error = worker->compress ? crypto_acomp_compress(worker->request)
					 : crypto_acomp_decompress(worker->request);
}

static void in_soft_interrupt(struct timer_list *timer)
{
	struct worker *worker = container_of(timer, struct worker, timer);

	call(worker);
	complete(&worker->called);
}

/* length bytes in pieces of any size. */
static void split(struct worker *worker, struct scatterlist *list, u8 *data, u32 length)
{
	u32 count = min(1 + draw(worker, PIECES), length), index, piece;

	sg_init_table(list, count);
	for (index = 0; index < count; index++) {
		piece = index == count - 1 ? length : 1 + draw(worker, length - (count - index) + 1);
		sg_set_buf(&list[index], data, piece);
		data += piece;
		length -= piece;
	}
}

static int ask(struct worker *worker, struct crypto_acomp *tfm, bool compress, u8 *from, u32 length,
	       u8 *to, u32 *room)
{
	struct scatterlist source[PIECES], destination[PIECES];
	enum context context = draw(worker, CONTEXTS);
	DECLARE_CRYPTO_WAIT(wait);
	int error;

	if (tfm == worker->theirs && context == SOFT_INTERRUPT)
		context = PROCESS;
	/* In place; the kernel's own does not say that it can. */
	if (tfm == worker->ours && length <= *room && !draw(worker, 4)) {
		memcpy(to, from, length);
		from = to;
	}
	worker->request = acomp_request_alloc(tfm);
	if (!worker->request)
		return -ENOMEM;
	worker->compress = compress;
	if (length)
		split(worker, source, from, length);
	else
		sg_init_one(source, from, 1);
	split(worker, destination, to, *room);
	memset(to + *room, GUARD_BYTE, GUARD);
	acomp_request_set_callback(worker->request, context == MAY_SLEEP ? CRYPTO_TFM_REQ_MAY_SLEEP : 0,
				   crypto_req_done, &wait);
	acomp_request_set_params(worker->request, source, destination, length, *room);
	switch (context) {
	case ATOMIC:
		preempt_disable();
		call(worker);
		preempt_enable();
		break;
	case SOFT_INTERRUPTS_OFF:
		local_bh_disable();
		call(worker);
		local_bh_enable();
		break;
	case SOFT_INTERRUPT:
		reinit_completion(&worker->called);
		mod_timer(&worker->timer, jiffies);
		wait_for_completion(&worker->called);
		break;
	default:
		call(worker);
	}
	error = crypto_wait_req(worker->error, &wait);
	if (tfm == worker->ours && context >= SOFT_INTERRUPTS_OFF && worker->error == -EINPROGRESS)
		error = -EDEADLK;
	if (memchr_inv(to + *room, GUARD_BYTE, GUARD))
		error = -EFAULT;
	*room = worker->request->dlen;
	acomp_request_free(worker->request);
	return error;
}

static void fill(struct worker *worker, u32 length)
{
	u32 kind = draw(worker, 8), at;

	for (at = 0; at < length; at++)
		worker->plain[at] = !kind ? 7 : kind == 1 ? draw(worker, 256)
							 : at % 5 ? worker->plain[at - 1]
								  : draw(worker, 16);
}

static int failed(const char *what, u32 length, int error)
{
	pr_err("acomp_requests: %s of %u bytes: %d\n", what, length, error);
	return -EIO;
}

static int one_round(struct worker *worker)
{
	static const u32 edges[] = { 0, 1, 2, PAGE_SIZE - 1, PAGE_SIZE, PAGE_SIZE + 1,
				     2 * PAGE_SIZE, MOST - 1, MOST };
	u32 length = edges[draw(worker, ARRAY_SIZE(edges))], room, back, theirs, direction;
	bool aligned = draw(worker, 2);
	int error, their_error;

	worker->plain = worker->buffers[0] + (aligned ? 0 : draw(worker, SHIFTS));
	worker->stream = worker->buffers[1] + (aligned ? 0 : draw(worker, SHIFTS));
	worker->back = worker->buffers[2] + (aligned ? 0 : draw(worker, SHIFTS));
	if (pages || draw(worker, 2))
		length = PAGE_SIZE;
	else if (draw(worker, 2))
		length = draw(worker, MOST + 1);
	fill(worker, length);
	if (!length) {
		room = PAGE_SIZE;
		error = ask(worker, worker->ours, true, worker->plain, 0, worker->stream, &room);
		return error == -EINVAL ? 0 : failed("compression", 0, error);
	}
	/* Too little room is refused, and nothing behind it is written. */
	room = 1 + draw(worker, length);
	back = room;
	error = ask(worker, worker->ours, true, worker->plain, length, worker->stream, &room);
	if (error ? error != -ENOSPC : room > back)
		return failed("compression with little room", length, error);
	for (direction = 0; direction < 3; direction++) {
		room = length == PAGE_SIZE && direction == 2 ? PAGE_SIZE : length + length / 16 + 67;
		error = ask(worker, direction == 1 ? worker->theirs : worker->ours, true,
			    worker->plain, length, worker->stream, &room);
		if (error == -ENOSPC && direction == 2)
			continue; /* noise takes more than a page */
		if (error)
			return failed("compression", length, error);
		back = length;
		memset(worker->back, 0, length);
		error = ask(worker, direction ? worker->ours : worker->theirs, false,
			    worker->stream, room, worker->back, &back);
		if (error || back != length || memcmp(worker->plain, worker->back, length))
			return failed("decompression", length, error);
	}
	/* A stream with a wrong byte is decompressed or refused as by software. */
	worker->stream[draw(worker, room)] ^= 1 + draw(worker, 255);
	back = length;
	error = ask(worker, worker->ours, false, worker->stream, room, worker->back, &back);
	theirs = length;
	their_error = ask(worker, worker->theirs, false, worker->stream, room, worker->plain, &theirs);
	if (error != their_error)
		return failed("decompression of nonsense", length, error);
	if (!error && (back != theirs || memcmp(worker->back, worker->plain, back)))
		return failed("decompression of nonsense to other bytes", length, back);
	return 0;
}

/* The rest of a chain, as far as requests are answered at once; else their callback goes on. */
static void go_on(struct worker *worker)
{
	while (worker->left && !worker->result) {
		int error;

		worker->left--;
		worker->request->dlen = 2 * PAGE_SIZE; /* was made what the last one took */
		error = crypto_acomp_compress(worker->request);
		if (error == -EINPROGRESS)
			return;
		if (error)
			worker->result = failed("compression in a chain", PAGE_SIZE, error);
	}
	complete(&worker->called);
}

/* Requests complete one after the other, so nothing is shared. */
static void chained(CALLBACK_ARGUMENT argument, int error)
{
	struct worker *worker = CALLBACK_DATA(argument);

	if (++worker->depth > DEEPEST)
		worker->result = failed("a callback upon callbacks", worker->depth, -EOVERFLOW);
	if (error)
		worker->result = failed("compression in a chain", PAGE_SIZE, error);
	go_on(worker);
	worker->depth--;
}

static int chain(struct worker *worker)
{
	struct scatterlist source, destination;

	worker->plain = worker->buffers[0];
	fill(worker, PAGE_SIZE);
	sg_init_one(&source, worker->plain, PAGE_SIZE);
	sg_init_one(&destination, worker->buffers[1], 2 * PAGE_SIZE);
	worker->request = acomp_request_alloc(worker->ours);
	if (!worker->request)
		return -ENOMEM;
	acomp_request_set_callback(worker->request, 0, chained, worker);
	acomp_request_set_params(worker->request, &source, &destination, PAGE_SIZE, 2 * PAGE_SIZE);
	worker->left = CHAIN;
	reinit_completion(&worker->called);
	go_on(worker);
	wait_for_completion(&worker->called);
	acomp_request_free(worker->request);
	return worker->result;
}

static int work(void *data)
{
	struct worker *worker = data;
	unsigned int round;

	worker->result = chain(worker);
	for (round = 0; !worker->result && !READ_ONCE(enough) && (!rounds || round < rounds); round++) {
		worker->result = one_round(worker);
		WRITE_ONCE(rounds_done, rounds_done + 1);
		cond_resched();
	}
	atomic_inc(&finished);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(HZ / 20);
	return worker->result;
}

static int prepare(struct worker *worker, unsigned int number)
{
	unsigned int buffer;

	worker->random = (seed * 1000003 + number) * 0x9e3779b97f4a7c15ull | 1;
	timer_setup(&worker->timer, in_soft_interrupt, 0);
	init_completion(&worker->called);
	for (buffer = 0; buffer < BUFFERS; buffer++) {
		worker->buffers[buffer] = (u8 *)__get_free_pages(GFP_KERNEL, ORDER);
		if (!worker->buffers[buffer])
			return -ENOMEM;
	}
	worker->ours = crypto_alloc_acomp("lzo-pagepress", 0, 0);
	worker->theirs = crypto_alloc_acomp("lzo-scomp", 0, 0);
	if (IS_ERR(worker->ours) || IS_ERR(worker->theirs))
		return -ENOMEM;
	worker->task = kthread_run(work, worker, "acomp_requests");
	return PTR_ERR_OR_ZERO(worker->task);
}

static int clean_up(struct worker *worker)
{
	int result = worker->task && !IS_ERR(worker->task) ? kthread_stop(worker->task) : 0;
	unsigned int buffer;

	if (!IS_ERR_OR_NULL(worker->ours))
		crypto_free_acomp(worker->ours);
	if (!IS_ERR_OR_NULL(worker->theirs))
		crypto_free_acomp(worker->theirs);
	for (buffer = 0; buffer < BUFFERS; buffer++)
		free_pages((unsigned long)worker->buffers[buffer], ORDER);
	return result;
}

/* An algorithm that nobody asks for. */
static struct crypto_alg taker = {
	.cra_name = "lzo-pagepress",
	.cra_driver_name = "takes-a-name",
	.cra_flags = CRYPTO_ALG_TYPE_CIPHER,
	.cra_blocksize = 1,
	.cra_module = THIS_MODULE,
};

static int __init start(void)
{
	unsigned int number;
	int error = 0, result = 0;

	if (takes_name)
		return crypto_register_alg(&taker);
	workers = clamp(workers, 1u, (unsigned int)WORKERS);
	for (number = 0; number < workers && !error; number++)
		error = prepare(&all[number], number);
	if (error)
		enough = true;
	while (!error && atomic_read(&finished) < workers)
		schedule_timeout_interruptible(HZ / 20);
	for (number = 0; number < workers; number++)
		result = clean_up(&all[number]) ?: result;
	pr_info("acomp_requests: %u rounds\n", rounds_done);
	return error ?: result;
}

static void __exit stop(void)
{
	if (takes_name)
		crypto_unregister_alg(&taker);
}

module_init(start);
module_exit(stop);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("requests to an algorithm for compression, checked against the kernel's own");
