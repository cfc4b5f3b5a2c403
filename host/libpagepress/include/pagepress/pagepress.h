/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libpagepress: memory pages to LZO1X streams and back, on Pagepress kernels of an accelerator card that AMD's XRT drives,
 * or in software where there is none. Both write the same format: either decompresses what the other has compressed.
 *
 * Units are bytes unless a name says otherwise. Memory that a caller passes stays the caller's. Functions return one of
 * enum pagepress_error and never throw; pagepress_message() says in one line what was wrong. A device may be used from any
 * number of threads at once; closing it must be the last use.
 *
 * No failure of a card loses or alters a page: every answer is checked against its CRC32C before it is handed out, and a
 * page that the card did not do, or not well, is done in software, unless its caller forbids that. That a page is the one of
 * its stream, not one of another, is known under PAGEPRESS_FLAG_CHECK_CRC alone.
 */
#ifndef PAGEPRESS_H
#define PAGEPRESS_H

#include <stddef.h>
#include <stdint.h>

#include <pagepress_interface.h> /* PAGEPRESS_OPCODE_*, _FLAG_*, _STATUS_* */

#ifdef __cplusplus
extern "C" {
#endif

struct pagepress_device;

enum pagepress_error {
	PAGEPRESS_OK = 0,
	PAGEPRESS_ERROR_ARGUMENT = 1, /* an argument is outside what this header allows */
	PAGEPRESS_ERROR_MEMORY = 2, /* no memory, or no thread, is to be had */
	PAGEPRESS_ERROR_NO_DEVICE = 3, /* XRT finds no card, or not this one */
	PAGEPRESS_ERROR_XCLBIN = 4, /* the file is no xclbin, holds no Pagepress kernel, or one of another interface */
	PAGEPRESS_ERROR_IN_USE = 5, /* another process has the kernels */
	PAGEPRESS_ERROR_LOST = 6, /* the card does not answer any more, or not in time */
};

/* How to open a device; all zero means: in software. */
struct pagepress_options {
	size_t size; /* sizeof(struct pagepress_options) */
	const char *xclbin; /* file with the kernels; NULL: in software */
	const char *device; /* which card: XRT's index or bus address; NULL: "0" */
	uint32_t kernels; /* kernels to use, or threads in software; 0: all of the card, one thread */
	uint32_t timeout_ms; /* longest a card may go without ending a command of a run, and to be opened, while the process is not stopped; 0: 120000 */
	uint32_t forbid_software; /* 1: pages that the card fails to do keep their status */
	uint32_t trust_answers; /* 1: do not check what the card answers; for tests of such checks */
};

/* One page to compress or to decompress, and what came of it. */
struct pagepress_page {
	uint32_t opcode; /* PAGEPRESS_OPCODE_COMPRESS or _DECOMPRESS */
	uint32_t flags; /* PAGEPRESS_FLAG_* */
	const void *source; /* a page to compress, or a stream of 1 to two pages to decompress */
	void *destination; /* unchanged unless `status` is SUCCESS; does not overlap any source or destination */
	uint32_t source_length;
	uint32_t destination_capacity; /* 1 to one page for compression, one page for decompression */
	uint32_t expected_crc32c; /* CRC32C of the plain page, under PAGEPRESS_FLAG_CHECK_CRC */

	/* results */
	uint32_t status; /* PAGEPRESS_STATUS_*; of another kind than done: `destination` holds nothing */
	uint32_t produced_length; /* bytes of `destination` written */
	uint32_t crc32c; /* of the plain page */
	uint64_t detail; /* SAME_FILLED: the 8 bytes the page repeats; SUCCESS of a compression: CRC32C of the stream */
	uint32_t engine_cycles; /* core clock cycles from dispatch to result; 0 where software did it */
	uint32_t by_software; /* 1: software did it */
};

/* What a device is and has done. */
struct pagepress_information {
	size_t size; /* sizeof(struct pagepress_information), set by the caller */
	uint32_t page_bytes;
	uint32_t kernels; /* kernels or threads in use */
	uint32_t clock_kilohertz; /* of the kernels; 0 in software */
	uint32_t lost; /* kernels that do not answer any more */
	uint64_t card_pages; /* pages whose answer came from a kernel */
	uint64_t software_pages;
	uint64_t mismatches; /* answers of kernels that did not agree with their CRC32C or their command */
	uint64_t failures; /* commands that kernels answered with a status of kind failed, or not at all */
	uint64_t cycles; /* core clock cycles of all runs */
	char name[64];
};

/*
 * Called once when all pages of a submission have their results, or none will get any: from a thread of the library, or within
 * pagepress_submit() where there are no pages. It may submit; pagepress_run() and pagepress_close() of its device would wait for
 * this very call.
 */
typedef void (*pagepress_done)(void *context, enum pagepress_error error);

/* Fills in *device. With a card, loads the xclbin where it is not loaded yet. */
enum pagepress_error pagepress_open(const struct pagepress_options *options, struct pagepress_device **device);
/* Waits for everything submitted. Where a kernel is lost XRT may hang at the end of the process: leave it by _exit(). */
void pagepress_close(struct pagepress_device *device);

/*
 * Hands `count` pages over; they and what they point to must stay until `done` is called. Submissions of any size: they are
 * cut into runs, and kernels take them as they become free. ERROR_LOST comes only where software is forbidden or cannot
 * help; pages that were not done then have the status ABORTED.
 */
enum pagepress_error pagepress_submit(struct pagepress_device *device, struct pagepress_page *pages, size_t count,
				      pagepress_done done, void *context);
/* The same, returning when all is done. */
enum pagepress_error pagepress_run(struct pagepress_device *device, struct pagepress_page *pages, size_t count);

enum pagepress_error pagepress_inform(struct pagepress_device *device, struct pagepress_information *information);

/* Name of a PAGEPRESS_STATUS_*, for messages. */
const char *pagepress_status_name(uint32_t status);
/* One line about the last error of a function in this thread; empty before the first. */
const char *pagepress_message(void);
/* CRC32C as in `crc32c` and `detail`. */
uint32_t pagepress_crc32c(const void *data, size_t bytes);
/* "major.minor" of the interface to the hardware. */
const char *pagepress_version(void);

#ifdef __cplusplus
}
#endif

#endif
