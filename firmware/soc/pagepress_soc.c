/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See pagepress_soc.h. Rings are volatile throughout: the core reads and writes them, and a compiler that makes memset and memcpy of
 * plain stores would need a libc. Every loop is bounded by a number of the caller's, never by the core.
 */
#include "pagepress_soc.h"

/* A read that the bus has failed, of a core without clock or power. */
#define ALL_ONES 0xFFFFFFFFu
/* A high half moves once in 2^32 counts: of a sound core the second look is right. */
#define LOOKS 3u

#define STATUS_TABLE_ENTRY(name, number, kind) [number] = #name,
static const char *const status_names[] = { PAGEPRESS_STATUSES(STATUS_TABLE_ENTRY) };
#define STATUS_COUNT (sizeof(status_names) / sizeof(status_names[0]))

/* ---- the bus ---- */

static uint32_t read_register(const struct pagepress_core *core, uint32_t offset)
{
	return core->bus->read(core->bus->context, offset);
}

static void write_register(const struct pagepress_core *core, uint32_t offset, uint32_t value)
{
	core->bus->write(core->bus->context, offset, value);
}

static uint32_t queue_register(const struct pagepress_core *core, uint32_t offset)
{
	return PAGEPRESS_QUEUE_BASE + (core->queue * PAGEPRESS_QUEUE_STRIDE) + offset;
}

static uint32_t doorbell(const struct pagepress_core *core, uint32_t offset)
{
	return PAGEPRESS_DOORBELL_BASE + (core->queue * PAGEPRESS_DOORBELL_STRIDE) + offset;
}

static uint64_t bus_address(const struct pagepress_core *core, const volatile void *memory)
{
	uint64_t address = (uint64_t)(uintptr_t)memory;

	if (core->bus->address != NULL) {
		address = core->bus->address(core->bus->context, memory);
	}
	return address;
}

static void clean(const struct pagepress_core *core, const volatile void *memory, size_t bytes)
{
	if (core->bus->clean != NULL) {
		core->bus->clean(core->bus->context, memory, bytes);
	}
}

static void invalidate(const struct pagepress_core *core, volatile void *memory, size_t bytes)
{
	if (core->bus->invalidate != NULL) {
		core->bus->invalidate(core->bus->context, memory, bytes);
	}
}

static void idle(const struct pagepress_core *core)
{
	if (core->bus->idle != NULL) {
		core->bus->idle(core->bus->context);
	}
}

/* Polls STATUS until its bits under `mask` are `wanted`; false after so many polls. A bus that answers all ones is no answer. */
static bool await_status(const struct pagepress_core *core, uint32_t mask, uint32_t wanted)
{
	bool found = false;
	uint32_t poll;

	for (poll = 0u; (poll < core->polls) && !found; poll++) {
		uint32_t status = read_register(core, PAGEPRESS_REGISTER_STATUS);

		found = (status != ALL_ONES) && ((status & mask) == wanted);
		if (!found) {
			idle(core);
		}
	}
	return found;
}

/* ---- life of a core ---- */

static bool usable(const struct pagepress_core *core)
{
	return (core != NULL) && (core->bus != NULL) && (core->bus->read != NULL) && (core->bus->write != NULL);
}

static bool well_formed(const struct pagepress_core *core)
{
	return usable(core) && (core->polls != 0u) && (core->submissions != NULL) && (core->completions != NULL) &&
	       (core->depth_log2 >= PAGEPRESS_MIN_DEPTH_LOG2) && (core->depth_log2 <= PAGEPRESS_MAX_DEPTH_LOG2) &&
	       (core->queue < PAGEPRESS_MAX_QUEUE_PAIRS) &&
	       ((bus_address(core, core->submissions) % PAGEPRESS_RING_ALIGNMENT) == 0u) &&
	       ((bus_address(core, core->completions) % PAGEPRESS_RING_ALIGNMENT) == 0u);
}

static enum pagepress_result identify(struct pagepress_core *core)
{
	uint32_t capabilities;
	enum pagepress_result result = PAGEPRESS_OK;

	if (read_register(core, PAGEPRESS_REGISTER_MAGIC) != PAGEPRESS_MAGIC_VALUE) {
		result = PAGEPRESS_NO_CORE;
	} else if ((read_register(core, PAGEPRESS_REGISTER_HASH_LOW) != PAGEPRESS_HASH_LOW_VALUE) ||
		   (read_register(core, PAGEPRESS_REGISTER_HASH_HIGH) != PAGEPRESS_HASH_HIGH_VALUE)) {
		result = PAGEPRESS_OTHER_VERSION;
	} else {
		capabilities = read_register(core, PAGEPRESS_REGISTER_CAPABILITIES);
		core->page_bytes = 1u << ((capabilities & PAGEPRESS_CAPABILITIES_PAGE_SHIFT_MASK) & 31u);
		if ((core->queue >= ((capabilities & PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_MASK) >> PAGEPRESS_CAPABILITIES_QUEUE_PAIRS_SHIFT)) ||
		    (core->depth_log2 > ((capabilities & PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_MASK) >> PAGEPRESS_CAPABILITIES_MAX_DEPTH_LOG2_SHIFT))) {
			result = PAGEPRESS_NO_QUEUE;
		}
	}
	return result;
}

/* Completions of a former life must not look like new ones. */
static void clear_completions(struct pagepress_core *core)
{
	uint32_t entry;
	uint32_t entries = 1u << core->depth_log2;

	for (entry = 0u; entry < entries; entry++) {
		core->completions[entry].phase = 0u;
	}
	clean(core, core->completions, entries * sizeof(core->completions[0]));
}

static void set_up_queue(const struct pagepress_core *core)
{
	uint64_t submissions = bus_address(core, core->submissions);
	uint64_t completions = bus_address(core, core->completions);

	write_register(core, queue_register(core, PAGEPRESS_REGISTER_SUBMISSION_BASE_LOW), (uint32_t)(submissions & ALL_ONES));
	write_register(core, queue_register(core, PAGEPRESS_REGISTER_SUBMISSION_BASE_HIGH), (uint32_t)(submissions >> 32));
	write_register(core, queue_register(core, PAGEPRESS_REGISTER_COMPLETION_BASE_LOW), (uint32_t)(completions & ALL_ONES));
	write_register(core, queue_register(core, PAGEPRESS_REGISTER_COMPLETION_BASE_HIGH), (uint32_t)(completions >> 32));
	write_register(core, queue_register(core, PAGEPRESS_REGISTER_DEPTH_LOG2), core->depth_log2);
	write_register(core, queue_register(core, PAGEPRESS_REGISTER_MODERATION), 0u);
	write_register(core, queue_register(core, PAGEPRESS_REGISTER_QUEUE_CONTROL), PAGEPRESS_QUEUE_CONTROL_ENABLE_MASK);
}

enum pagepress_result pagepress_start(struct pagepress_core *core)
{
	enum pagepress_result result = PAGEPRESS_BAD_ARGUMENT;

	if (well_formed(core)) {
		core->running = false;
		result = identify(core);
	}
	if (result == PAGEPRESS_OK) {
		result = pagepress_stop(core);
	}
	if (result == PAGEPRESS_OK) {
		write_register(core, PAGEPRESS_REGISTER_CONTROL, PAGEPRESS_CONTROL_ENABLE_MASK);
		if (!await_status(core, PAGEPRESS_STATUS_READY_MASK, PAGEPRESS_STATUS_READY_MASK)) {
			result = PAGEPRESS_HUNG;
		}
	}
	if (result == PAGEPRESS_OK) {
		core->tail = 0u;
		core->head = 0u;
		core->in_flight = 0u;
		core->phase = 1u;
		clear_completions(core);
		set_up_queue(core);
		core->running = true;
		if (pagepress_cause(core) != PAGEPRESS_FATAL_NONE) {
			core->running = false;
			result = PAGEPRESS_STOPPED;
		}
	}
	return result;
}

enum pagepress_result pagepress_stop(struct pagepress_core *core)
{
	enum pagepress_result result = PAGEPRESS_BAD_ARGUMENT;

	if (usable(core) && (core->polls != 0u)) {
		core->running = false;
		write_register(core, PAGEPRESS_REGISTER_CONTROL, 0u);
		/* READY falls only when no transfer is outstanding. */
		result = await_status(core, PAGEPRESS_STATUS_READY_MASK, 0u) ? PAGEPRESS_OK : PAGEPRESS_HUNG;
	}
	return result;
}

/* ---- commands ---- */

/* What can be told without the core; it refuses the rest. The driver allows no command whose completion it could not judge. */
static bool acceptable(const struct pagepress_core *core, const struct pagepress_command *command)
{
	bool lengths = false;

	if (command->opcode == PAGEPRESS_OPCODE_COMPRESS) {
		lengths = (command->source_length == core->page_bytes) && (command->destination_capacity >= 1u) &&
			  (command->destination_capacity <= core->page_bytes);
	} else if (command->opcode == PAGEPRESS_OPCODE_DECOMPRESS) {
		lengths = (command->source_length >= 1u) && (((command->source_length - 1u) / 2u) < core->page_bytes) &&
			  (command->destination_capacity == core->page_bytes);
	} else {
		/* no other moves a page */
	}
	return lengths && (command->source != NULL) && (command->destination != NULL);
}

/* The tag says what a completion may be: its lowest bit is 1 for COMPRESS; above stands the command's number. */
static void write_entry(const struct pagepress_core *core, const struct pagepress_command *command, uint32_t tag)
{
	volatile struct pagepress_submission_entry *entry = &core->submissions[core->tail];
	size_t byte;

	entry->opcode = command->opcode;
	entry->format = (uint8_t)PAGEPRESS_FORMAT_LZO1X;
	entry->flags = command->flags;
	entry->tag = tag;
	entry->source_address = bus_address(core, command->source);
	entry->destination_address = bus_address(core, command->destination);
	entry->source_length = command->source_length;
	entry->destination_capacity = command->destination_capacity;
	entry->expected_crc32c = command->crc32c;
	for (byte = 0u; byte < sizeof(entry->reserved); byte++) {
		entry->reserved[byte] = 0u;
	}
	clean(core, entry, sizeof(*entry));
}

enum pagepress_result pagepress_submit(struct pagepress_core *core, const struct pagepress_command *command, uint32_t *tag)
{
	enum pagepress_result result = PAGEPRESS_OK;

	if (!usable(core) || (command == NULL) || (tag == NULL)) {
		result = PAGEPRESS_BAD_ARGUMENT;
	} else if (!core->running) {
		result = PAGEPRESS_NOT_RUNNING;
	} else if (!acceptable(core, command)) {
		result = PAGEPRESS_BAD_ARGUMENT;
	} else if ((core->in_flight + 1u) >= (1u << core->depth_log2)) {
		/* A ring is full one entry before its last. An entry whose completion has been taken has been fetched. */
		result = PAGEPRESS_FULL;
	} else {
		*tag = (core->next_tag << 1) | ((command->opcode == PAGEPRESS_OPCODE_COMPRESS) ? 1u : 0u);
		core->next_tag++;
		clean(core, command->source, command->source_length);
		/* No dirty line of the destination may be written over what the core writes. */
		clean(core, command->destination, command->destination_capacity);
		invalidate(core, command->destination, command->destination_capacity);
		write_entry(core, command, *tag);
		core->tail = (core->tail + 1u) & ((1u << core->depth_log2) - 1u);
		core->in_flight++;
		write_register(core, doorbell(core, PAGEPRESS_REGISTER_SUBMISSION_TAIL), core->tail);
	}
	return result;
}

/* Whether a completion can be true of a command that is in flight. */
static bool believable(const struct pagepress_core *core, const struct pagepress_outcome *outcome)
{
	bool compress = (outcome->tag & 1u) != 0u;
	bool believed = (core->in_flight != 0u) && (outcome->status < STATUS_COUNT);

	if ((outcome->status == PAGEPRESS_STATUS_SUCCESS) && compress) {
		believed = believed && (outcome->length >= 1u) && (outcome->length <= core->page_bytes);
	} else if (outcome->status == PAGEPRESS_STATUS_SUCCESS) {
		believed = believed && (outcome->length == core->page_bytes);
	} else if ((outcome->status == PAGEPRESS_STATUS_SAME_FILLED) || (outcome->status == PAGEPRESS_STATUS_INCOMPRESSIBLE)) {
		believed = believed && compress && (outcome->length == 0u);
	} else {
		believed = believed && (outcome->length <= core->page_bytes);
	}
	return believed;
}

/* The core is stopped before its buffers are anybody's: `result`, or HUNG. */
static enum pagepress_result stop_for(struct pagepress_core *core, enum pagepress_result result)
{
	return (pagepress_stop(core) == PAGEPRESS_OK) ? result : PAGEPRESS_HUNG;
}

enum pagepress_result pagepress_poll(struct pagepress_core *core, struct pagepress_outcome *outcome)
{
	enum pagepress_result result = PAGEPRESS_OK;
	volatile struct pagepress_completion_entry *entry;

	if (!usable(core) || (outcome == NULL)) {
		result = PAGEPRESS_BAD_ARGUMENT;
	} else if (!core->running) {
		result = PAGEPRESS_NOT_RUNNING;
	} else {
		entry = &core->completions[core->head];
		invalidate(core, entry, sizeof(*entry));
		if (entry->phase != core->phase) {
			core->running = pagepress_cause(core) == PAGEPRESS_FATAL_NONE;
			/* The cause stays to be read. A core that stopped by itself may still be moving pages. */
			result = core->running ? PAGEPRESS_EMPTY : PAGEPRESS_STOPPED;
		} else {
			/* The phase is written last, and this read keeps later loads behind it, whatever the processor does. */
			(void)read_register(core, PAGEPRESS_REGISTER_STATUS);
			/* Of a cache's line the rest may be older than the phase: the core wrote while it was filled. This fill has all. */
			invalidate(core, entry, sizeof(*entry));
			outcome->tag = entry->tag;
			outcome->status = entry->status;
			outcome->length = entry->produced_length;
			outcome->crc32c = entry->crc32c;
			outcome->detail = entry->detail;
			if (!believable(core, outcome)) {
				result = stop_for(core, PAGEPRESS_BROKEN);
			} else {
				core->in_flight--;
				core->head = (core->head + 1u) & ((1u << core->depth_log2) - 1u);
				if (core->head == 0u) {
					core->phase ^= 1u;
				}
				write_register(core, doorbell(core, PAGEPRESS_REGISTER_COMPLETION_HEAD), core->head);
			}
		}
	}
	return result;
}

/* A command alone, waited for. */
static enum pagepress_result carry_out(struct pagepress_core *core, const struct pagepress_command *command, struct pagepress_outcome *outcome)
{
	uint32_t tag = 0u;
	uint32_t poll;
	enum pagepress_result result;

	if ((outcome == NULL) || !usable(core) || ((core->in_flight != 0u) && core->running)) {
		result = PAGEPRESS_BAD_ARGUMENT;
	} else {
		result = pagepress_submit(core, command, &tag);
		if (result == PAGEPRESS_OK) {
			result = PAGEPRESS_EMPTY;
			for (poll = 0u; (poll < core->polls) && (result == PAGEPRESS_EMPTY); poll++) {
				result = pagepress_poll(core, outcome);
				if (result == PAGEPRESS_EMPTY) {
					idle(core);
				}
			}
			if (result == PAGEPRESS_EMPTY) {
				result = stop_for(core, PAGEPRESS_TIMEOUT);
			} else if ((result == PAGEPRESS_OK) && (outcome->tag != tag)) {
				result = stop_for(core, PAGEPRESS_BROKEN);
			} else if ((result == PAGEPRESS_OK) && (outcome->length > command->destination_capacity)) {
				result = stop_for(core, PAGEPRESS_BROKEN);
			} else {
				/* as pagepress_poll says */
			}
			if (result == PAGEPRESS_OK) {
				invalidate(core, command->destination, command->destination_capacity);
			}
		}
	}
	return result;
}

enum pagepress_result pagepress_compress(struct pagepress_core *core, const void *page, void *stream, uint32_t capacity,
					 struct pagepress_outcome *outcome)
{
	struct pagepress_command command;

	command.opcode = (uint8_t)PAGEPRESS_OPCODE_COMPRESS;
	command.flags = 0u;
	command.source = page;
	command.source_length = (core != NULL) ? core->page_bytes : 0u;
	command.destination = stream;
	command.destination_capacity = capacity;
	command.crc32c = 0u;
	return carry_out(core, &command, outcome);
}

enum pagepress_result pagepress_decompress(struct pagepress_core *core, const void *stream, uint32_t length, uint32_t crc32c, void *page,
					   struct pagepress_outcome *outcome)
{
	struct pagepress_command command;
	enum pagepress_result result;

	command.opcode = (uint8_t)PAGEPRESS_OPCODE_DECOMPRESS;
	command.flags = (uint16_t)PAGEPRESS_FLAG_CHECK_CRC;
	command.source = stream;
	command.source_length = length;
	command.destination = page;
	command.destination_capacity = (core != NULL) ? core->page_bytes : 0u;
	command.crc32c = crc32c;
	result = carry_out(core, &command, outcome);
	if ((result == PAGEPRESS_OK) && (outcome->status == PAGEPRESS_STATUS_SUCCESS) && (outcome->crc32c != crc32c)) {
		result = stop_for(core, PAGEPRESS_BROKEN);
	}
	return result;
}

/* ---- what else a core says ---- */

uint32_t pagepress_cause(const struct pagepress_core *core)
{
	uint32_t cause = PAGEPRESS_FATAL_NONE;
	uint32_t status;

	if (usable(core)) {
		status = read_register(core, PAGEPRESS_REGISTER_STATUS);
		if ((status != ALL_ONES) && ((status & PAGEPRESS_STATUS_FATAL_MASK) != 0u)) {
			cause = read_register(core, PAGEPRESS_REGISTER_FATAL_CAUSE);
		} else {
			status = read_register(core, queue_register(core, PAGEPRESS_REGISTER_QUEUE_STATUS));
			if ((status != ALL_ONES) && ((status & PAGEPRESS_QUEUE_STATUS_ERROR_MASK) != 0u)) {
				cause = (status & PAGEPRESS_QUEUE_STATUS_CAUSE_MASK) >> PAGEPRESS_QUEUE_STATUS_CAUSE_SHIFT;
			}
		}
	}
	return cause;
}

uint64_t pagepress_counter(const struct pagepress_core *core, uint32_t counter)
{
	uint32_t offset = PAGEPRESS_COUNTER_BASE + (counter * 8u);
	uint32_t high = 0u;
	uint32_t low = 0u;
	uint32_t again;
	uint32_t look;

	if (usable(core) && (counter < PAGEPRESS_COUNTER_COUNT)) {
		high = read_register(core, offset + 4u);
		for (look = 0u; look < LOOKS; look++) {
			low = read_register(core, offset);
			again = read_register(core, offset + 4u);
			if (again == high) {
				break;
			}
			high = again;
		}
	}
	return ((uint64_t)high << 32) | low;
}

const char *pagepress_status_name(uint32_t status)
{
	return ((status < STATUS_COUNT) && (status_names[status] != NULL)) ? status_names[status] : "?";
}

/* ---- a core that is mapped ---- */

/* Orders memory and devices, as each kind of processor wants it. */
static void fence(void)
{
#if defined(__riscv)
	__asm__ volatile("fence iorw, iorw" ::: "memory");
#elif defined(__aarch64__) || defined(__arm__)
	__asm__ volatile("dsb sy" ::: "memory");
#else
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

uint32_t pagepress_mapped_read(void *context, uint32_t offset)
{
	uint32_t value = *(volatile uint32_t *)((uintptr_t)context + offset);

	fence();
	return value;
}

void pagepress_mapped_write(void *context, uint32_t offset, uint32_t value)
{
	fence();
	*(volatile uint32_t *)((uintptr_t)context + offset) = value;
}
