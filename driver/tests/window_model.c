// SPDX-License-Identifier: GPL-2.0-only
/*
 * The driver's own windows (backing/window.c) over streams that lie anywhere in a segment, on devices of every block, and with pages of
 * the size it is built for (PAGE_SHIFT): a window has all of the stream that it was opened for, and nothing of another segment.
 *
 * usage: window_model SEED STREAMS
 * prints for how many of the streams there was a window
 */
#include <stdio.h>
#include <sys/types.h>
#include <linux/types.h>

/* ---- what it takes from the kernel beside arithmetic ---- */

#include "backing_model.h"

#define pagepress_is_rotational(device) ((void)(device), true)
#define alloc_pages_exact(bytes, flags) malloc(bytes)
#define free_pages_exact(data, bytes) free(data)

#include "backing/window.c"

#include "model.h"

/* Nobody writes there, and it always pays. */
struct pagepress_rest pagepress_log_look(struct pagepress_log *log, u64 address)
{
	(void)log, (void)address;
	return (struct pagepress_rest){ .live = PAGEPRESS_SEGMENT_BYTES };
}

bool pagepress_read_around_decide(struct pagepress_read_around *state, u32 live, u32 all)
{
	(void)state;
	return live == all;
}

int main(int count, char **words)
{
	static struct pagepress_backing backing;
	u32 streams, opened = 0;

	if (count != 3) {
		fprintf(stderr, "usage: window_model SEED STREAMS\n");
		return 2;
	}
	random_state = strtoull(words[1], NULL, 0);
	streams = strtoull(words[2], NULL, 0);
	pagepress_windows_create(&backing);
	while (streams--) {
		u64 segment = (u64)below(100) * PAGEPRESS_SEGMENT_BYTES;
		struct pagepress_content place = { .length = below(4) ? 20 + below(PAGE_SIZE - 20) : PAGE_SIZE };
		struct pagepress_window *window;

		backing.log.block = 512 << below(PAGE_SHIFT - 8);
		place.address = segment + below(PAGEPRESS_SEGMENT_BYTES - place.length + 1);
		window = pagepress_window_open(&backing, &place, NULL);
		if (!window)
			continue;
		opened++;
		if (window->address % backing.log.block || window->bytes % backing.log.block)
			wrong("a window is no whole number of blocks");
		if (window->address < segment || window->address + window->bytes > segment + PAGEPRESS_SEGMENT_BYTES)
			wrong("a window leaves its segment");
		if (place.address < window->address || place.address + place.length > window->address + window->bytes)
			wrong("a window has not all of its stream");
	}
	printf("%u\n", opened);
	pagepress_windows_destroy(&backing);
	return 0;
}
