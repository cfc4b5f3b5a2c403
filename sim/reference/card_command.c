/* SPDX-License-Identifier: Apache-2.0 */
/* One command of the card model: checks, source, codec, destination, result. */
#include <string.h>

#include "card_state.h"
#include "cold.h"

/* Notional time: the page at the width the model claims, and a fixed start-up. */
enum { STREAM_BYTES = 16, START_CYCLES = 40 };

static bool is_cold(const struct pagepress_submission_entry *entry)
{
	return entry->format == PAGEPRESS_FORMAT_COLD;
}

static bool knows_format(const struct card_model *card, const struct pagepress_submission_entry *entry)
{
	return entry->format == PAGEPRESS_FORMAT_LZO1X || (is_cold(entry) && card->options.cold_format);
}

static uint8_t check(const struct card_model *card, const struct pagepress_submission_entry *entry)
{
	uint32_t page = card_page_bytes(card), least = page, most = page;
	uint32_t least_capacity = page;

	switch (entry->opcode) {
	case PAGEPRESS_OPCODE_NOP:
		break;
	case PAGEPRESS_OPCODE_COMPRESS:
		least_capacity = 1;
		break;
	case PAGEPRESS_OPCODE_DECOMPRESS:
		least = 1;
		most = 2 * page;
		break;
	default:
		return PAGEPRESS_STATUS_INVALID_OPCODE;
	}
	if (entry->opcode != PAGEPRESS_OPCODE_NOP && !knows_format(card, entry))
		return PAGEPRESS_STATUS_INVALID_FORMAT;
	if (entry->flags & ~(PAGEPRESS_FLAG_SKIP_VERIFY | PAGEPRESS_FLAG_CHECK_CRC))
		return PAGEPRESS_STATUS_INVALID_FLAGS;
	for (size_t index = 0; index < sizeof(entry->reserved); index++)
		if (entry->reserved[index])
			return PAGEPRESS_STATUS_INVALID_FLAGS;
	if (entry->opcode == PAGEPRESS_OPCODE_NOP)
		return PAGEPRESS_STATUS_SUCCESS;
	if (entry->source_length < least || entry->source_length > most ||
	    entry->destination_capacity < least_capacity || entry->destination_capacity > page)
		return PAGEPRESS_STATUS_INVALID_LENGTH;
	if (card_bad_address(entry->source_address, entry->source_length) ||
	    card_bad_address(entry->destination_address, entry->destination_capacity))
		return PAGEPRESS_STATUS_INVALID_ADDRESS;
	return PAGEPRESS_STATUS_SUCCESS;
}

/* What the entry's format makes of a page, and of a stream. */
static uint8_t encode(const struct pagepress_submission_entry *entry, const uint8_t *page, size_t page_bytes, uint8_t *stream,
		      size_t *length)
{
	return (is_cold(entry) ? cold_compress : page_compress)(page, page_bytes, stream, entry->destination_capacity, length);
}

static uint8_t decode(const struct pagepress_submission_entry *entry, const uint8_t *stream, size_t stream_bytes, uint8_t *page,
		      size_t page_bytes, size_t *length)
{
	return (is_cold(entry) ? cold_decompress : page_decompress)(stream, stream_bytes, page, page_bytes, length);
}

static uint8_t compress(struct card_model *card, const struct pagepress_submission_entry *entry,
			struct pagepress_completion_entry *completion)
{
	uint32_t page = card_page_bytes(card);
	uint64_t fill;
	size_t length, verified;
	uint8_t status;

	completion->crc32c = page_crc32c(card->source, page);
	if (page_same_filled(card->source, page, &fill)) {
		completion->detail = fill;
		return PAGEPRESS_STATUS_SAME_FILLED;
	}
	status = encode(entry, card->source, page, card->output, &length);
	if (status != PAGEPRESS_STATUS_SUCCESS)
		return status;
	if (!(entry->flags & PAGEPRESS_FLAG_SKIP_VERIFY) &&
	    (decode(entry, card->output, length, card->verified, page, &verified) != PAGEPRESS_STATUS_SUCCESS ||
	     memcmp(card->source, card->verified, page)))
		return PAGEPRESS_STATUS_VERIFY_FAILED;
	completion->produced_length = (uint32_t)length;
	completion->detail = page_crc32c(card->output, length);
	return PAGEPRESS_STATUS_SUCCESS;
}

static uint8_t decompress(struct card_model *card, const struct pagepress_submission_entry *entry,
			  struct pagepress_completion_entry *completion)
{
	uint32_t page = card_page_bytes(card);
	size_t length;
	uint8_t status = decode(entry, card->source, entry->source_length, card->output, page, &length);

	completion->produced_length = (uint32_t)length;
	completion->crc32c = page_crc32c(card->output, length);
	if (status == PAGEPRESS_STATUS_SUCCESS && (entry->flags & PAGEPRESS_FLAG_CHECK_CRC) &&
	    completion->crc32c != entry->expected_crc32c)
		return PAGEPRESS_STATUS_CRC_MISMATCH;
	return status;
}

static void count_result(struct card_model *card, const struct pagepress_submission_entry *entry,
			 const struct pagepress_completion_entry *completion)
{
	bool compressing = entry->opcode == PAGEPRESS_OPCODE_COMPRESS;

	switch (completion->status) {
	case PAGEPRESS_STATUS_SUCCESS:
		if (entry->opcode == PAGEPRESS_OPCODE_NOP)
			break;
		card_count(card, compressing ? PAGEPRESS_COUNTER_PAGES_COMPRESSED :
					       PAGEPRESS_COUNTER_PAGES_DECOMPRESSED, 1);
		card_count(card, compressing ? PAGEPRESS_COUNTER_COMPRESS_BYTES_IN :
					       PAGEPRESS_COUNTER_DECOMPRESS_BYTES_IN, entry->source_length);
		card_count(card, compressing ? PAGEPRESS_COUNTER_COMPRESS_BYTES_OUT :
					       PAGEPRESS_COUNTER_DECOMPRESS_BYTES_OUT, completion->produced_length);
		break;
	case PAGEPRESS_STATUS_SAME_FILLED:
		card_count(card, PAGEPRESS_COUNTER_PAGES_SAME_FILLED, 1);
		break;
	case PAGEPRESS_STATUS_INCOMPRESSIBLE:
		card_count(card, PAGEPRESS_COUNTER_PAGES_INCOMPRESSIBLE, 1);
		break;
	case PAGEPRESS_STATUS_VERIFY_FAILED:
		card_count(card, PAGEPRESS_COUNTER_VERIFY_FAILURES, 1);
		break;
	}
#define KIND_DONE 0
#define KIND_REFUSED 1
#define KIND_FAILED 2
#define KIND(name, number, kind) [number] = KIND_##kind,
	static const uint8_t kinds[] = { PAGEPRESS_STATUSES(KIND) };

	if (kinds[completion->status] == KIND_REFUSED)
		card_count(card, PAGEPRESS_COUNTER_COMMANDS_REFUSED, 1);
	else if (kinds[completion->status] == KIND_FAILED)
		card_count(card, PAGEPRESS_COUNTER_COMMANDS_FAILED, 1);
}

void card_execute(struct card_model *card, const struct pagepress_submission_entry *entry,
		  struct pagepress_completion_entry *completion)
{
	uint8_t status = check(card, entry);
	bool compressing = entry->opcode == PAGEPRESS_OPCODE_COMPRESS;

	memset(completion, 0, sizeof(*completion));
	completion->tag = entry->tag;
	if (status == PAGEPRESS_STATUS_SUCCESS && entry->opcode != PAGEPRESS_OPCODE_NOP) {
		completion->engine_cycles = START_CYCLES + entry->source_length / STREAM_BYTES;
		card_count(card, PAGEPRESS_COUNTER_CYCLES, completion->engine_cycles);
		card_count(card, compressing ? PAGEPRESS_COUNTER_COMPRESS_BUSY_CYCLES :
					       PAGEPRESS_COUNTER_DECOMPRESS_BUSY_CYCLES, completion->engine_cycles);
		if (!card->host.read(card->host.context, entry->source_address, card->source, entry->source_length))
			status = PAGEPRESS_STATUS_READ_FAULT;
		else
			status = compressing ? compress(card, entry, completion) : decompress(card, entry, completion);
		/* The hardware writes a page while it decompresses it: what came of a bad stream is there, too. */
		if (completion->produced_length &&
		    !card->host.write(card->host.context, entry->destination_address, card->output,
				      completion->produced_length)) {
			if (status == PAGEPRESS_STATUS_SUCCESS)
				status = PAGEPRESS_STATUS_WRITE_FAULT;
			completion->produced_length = 0;
			completion->crc32c = 0;
			completion->detail = 0;
		}
	}
	completion->status = status;
	count_result(card, entry, completion);
}
