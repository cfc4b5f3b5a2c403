/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints, one a stage of a page's life; docs/tracing.md follows a page through them. `request`
 * is the tag of the command a card has: its submission and its completion carry it, and no other
 * command of that queue has it until the same place has been used 65536 times.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pagepress

#if !defined(PAGEPRESS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PAGEPRESS_TRACE_H

#include <linux/tracepoint.h>

struct pagepress_io;
struct pagepress_queue;
struct pagepress_request;
struct pagepress_slot;
struct pagepress_store;
struct pagepress_transfer;

#define show_way(write) ((write) ? "write" : "read")
#define show_verdict(verdict) \
	__print_symbolic(verdict, { PAGEPRESS_DONE, "done" }, { PAGEPRESS_KEPT, "done" }, \
			 { PAGEPRESS_LATER, "later" }, { PAGEPRESS_FAILED, "failed" }, \
			 { PAGEPRESS_CHANGED, "changed" }, { PAGEPRESS_DOUBTED, "doubted" }, \
			 { PAGEPRESS_REPORTED, "reported" })
#define show_kind(kind) \
	__print_symbolic(kind, { PAGEPRESS_SAME, "same" }, { PAGEPRESS_STREAM, "stream" }, \
			 { PAGEPRESS_RAW, "raw" }, { PAGEPRESS_BACKED, "backed" })
/* The length of a same-filled or raw page is known, not stored. */
#define stored_bytes(slot) \
	((slot)->kind == PAGEPRESS_SAME ? 0 : \
	 (slot)->kind == PAGEPRESS_RAW ? PAGE_SIZE : pagepress_slot_length(slot))
#define disk_number(transfer) ((transfer)->io->disk->gendisk->first_minor)
/* A card's device, of whatever bus; what names it longer is cut off. */
#define CARD_NAME_BYTES 32
#define name_card(queue) \
	strscpy(__entry->card, dev_name((queue)->card->device), CARD_NAME_BYTES)
#define QUEUE_FORMAT "%s queue=%u"
#define QUEUE_ARGUMENTS	__entry->card, __entry->queue

/* A page of a bio is begun. */
TRACE_EVENT(pagepress_page_begin,
	TP_PROTO(const struct pagepress_transfer *transfer, bool write),
	TP_ARGS(transfer, write),
	TP_STRUCT__entry(
		__field(int, disk)
		__field(unsigned long, slot)
		__field(bool, write)
	),
	TP_fast_assign(
		__entry->disk = disk_number(transfer);
		__entry->slot = transfer->slot;
		__entry->write = write;
	),
	TP_printk("pagepress%d slot=%lu %s", __entry->disk, __entry->slot, show_way(__entry->write))
);

/* This CPU has done a page: begun here, or done again in place of a card. */
TRACE_EVENT(pagepress_page_software,
	TP_PROTO(const struct pagepress_transfer *transfer, bool write, unsigned int bytes,
		 u64 nanoseconds),
	TP_ARGS(transfer, write, bytes, nanoseconds),
	TP_STRUCT__entry(
		__field(int, disk)
		__field(unsigned long, slot)
		__field(bool, write)
		__field(unsigned int, bytes)
		__field(u64, nanoseconds)
	),
	TP_fast_assign(
		__entry->disk = disk_number(transfer);
		__entry->slot = transfer->slot;
		__entry->write = write;
		__entry->bytes = bytes;
		__entry->nanoseconds = nanoseconds;
	),
	TP_printk("pagepress%d slot=%lu %s bytes=%u nanoseconds=%llu", __entry->disk, __entry->slot,
		  show_way(__entry->write), __entry->bytes, __entry->nanoseconds)
);

/* A page's command is in the submission ring. */
TRACE_EVENT(pagepress_request_submit,
	TP_PROTO(const struct pagepress_queue *queue, u32 tag,
		 const struct pagepress_transfer *transfer, bool write),
	TP_ARGS(queue, tag, transfer, write),
	TP_STRUCT__entry(
		__array(char, card, CARD_NAME_BYTES)
		__field(int, disk)
		__field(unsigned long, slot)
		__field(unsigned int, queue)
		__field(u32, tag)
		__field(bool, write)
	),
	TP_fast_assign(
		name_card(queue);
		__entry->disk = disk_number(transfer);
		__entry->slot = transfer->slot;
		__entry->queue = queue->number;
		__entry->tag = tag;
		__entry->write = write;
	),
	TP_printk(QUEUE_FORMAT " request=%#x pagepress%d slot=%lu %s", QUEUE_ARGUMENTS,
		  __entry->tag, __entry->disk, __entry->slot, show_way(__entry->write))
);

/* The card is told of `commands` in its submission ring. */
TRACE_EVENT(pagepress_queue_ring,
	TP_PROTO(const struct pagepress_queue *queue, unsigned int commands),
	TP_ARGS(queue, commands),
	TP_STRUCT__entry(
		__array(char, card, CARD_NAME_BYTES)
		__field(unsigned int, queue)
		__field(unsigned int, commands)
	),
	TP_fast_assign(
		name_card(queue);
		__entry->queue = queue->number;
		__entry->commands = commands;
	),
	TP_printk(QUEUE_FORMAT " commands=%u", QUEUE_ARGUMENTS,
		  __entry->commands)
);

/* The card's completion has been read from its ring. */
TRACE_EVENT(pagepress_request_complete,
	TP_PROTO(const struct pagepress_request *request, u32 cycles),
	TP_ARGS(request, cycles),
	TP_STRUCT__entry(
		__array(char, card, CARD_NAME_BYTES)
		__field(unsigned int, queue)
		__field(u32, tag)
		__field(u8, status)
		__field(u32, bytes)
		__field(u32, cycles)
	),
	TP_fast_assign(
		name_card(request->queue);
		__entry->queue = request->queue->number;
		__entry->tag = request->tag;
		__entry->status = request->status;
		__entry->bytes = request->produced_length;
		__entry->cycles = cycles;
	),
	TP_printk(QUEUE_FORMAT " request=%#x status=%u bytes=%u cycles=%u", QUEUE_ARGUMENTS,
		  __entry->tag, __entry->status, __entry->bytes, __entry->cycles)
);

/*
 * The answer is judged: done, later (once the backing device can take it), failed (no room for it),
 * doubted or reported (both: done again).
 */
TRACE_EVENT(pagepress_request_judge,
	TP_PROTO(const struct pagepress_request *request, unsigned int verdict, u64 nanoseconds),
	TP_ARGS(request, verdict, nanoseconds),
	TP_STRUCT__entry(
		__array(char, card, CARD_NAME_BYTES)
		__field(unsigned int, verdict)
		__field(unsigned int, queue)
		__field(u32, tag)
		__field(u64, nanoseconds)
	),
	TP_fast_assign(
		name_card(request->queue);
		__entry->verdict = verdict;
		__entry->queue = request->queue->number;
		__entry->tag = request->tag;
		__entry->nanoseconds = nanoseconds;
	),
	TP_printk(QUEUE_FORMAT " request=%#x %s nanoseconds=%llu", QUEUE_ARGUMENTS,
		  __entry->tag, show_verdict(__entry->verdict), __entry->nanoseconds)
);

/* This CPU does the page of a command again, from its owner or from the pool. */
TRACE_EVENT(pagepress_request_redo,
	TP_PROTO(const struct pagepress_request *request),
	TP_ARGS(request),
	TP_STRUCT__entry(
		__array(char, card, CARD_NAME_BYTES)
		__field(unsigned int, queue)
		__field(u32, tag)
	),
	TP_fast_assign(
		name_card(request->queue);
		__entry->queue = request->queue->number;
		__entry->tag = request->tag;
	),
	TP_printk(QUEUE_FORMAT " request=%#x", QUEUE_ARGUMENTS,
		  __entry->tag)
);

DECLARE_EVENT_CLASS(pagepress_slot,
	TP_PROTO(struct pagepress_store *store, unsigned long index,
		 const struct pagepress_slot *slot),
	TP_ARGS(store, index, slot),
	TP_STRUCT__entry(
		__field(int, disk)
		__field(unsigned long, slot)
		__field(unsigned int, kind)
		__field(unsigned int, bytes)
	),
	TP_fast_assign(
		__entry->disk = store->disk;
		__entry->slot = index;
		__entry->kind = slot->kind;
		__entry->bytes = stored_bytes(slot);
	),
	TP_printk("pagepress%d slot=%lu %s bytes=%u", __entry->disk, __entry->slot,
		  show_kind(__entry->kind), __entry->bytes)
);

/* A slot holds a page from now on. */
DEFINE_EVENT(pagepress_slot, pagepress_slot_give,
	TP_PROTO(struct pagepress_store *store, unsigned long index,
		 const struct pagepress_slot *slot),
	TP_ARGS(store, index, slot)
);

/*
 * What a slot held goes: freed, overwritten, moved to or from the backing device, or recompressed.
 */
DEFINE_EVENT(pagepress_slot, pagepress_slot_take,
	TP_PROTO(struct pagepress_store *store, unsigned long index,
		 const struct pagepress_slot *slot),
	TP_ARGS(store, index, slot)
);

/* The bio ends; its pages are where they belong, or it carries an error. */
TRACE_EVENT(pagepress_io_end,
	TP_PROTO(const struct pagepress_io *io),
	TP_ARGS(io),
	TP_STRUCT__entry(
		__field(int, disk)
		__field(unsigned int, error)
	),
	TP_fast_assign(
		__entry->disk = io->disk->gendisk->first_minor;
		__entry->error = (__force unsigned int)io->status;
	),
	TP_printk("pagepress%d error=%u", __entry->disk, __entry->error)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH observe
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
