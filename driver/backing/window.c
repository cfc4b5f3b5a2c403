// SPDX-License-Identifier: GPL-2.0-only
/*
 * Windows: stretches of a backing device with an arm that were read around a page, as they lie
 * there. Whatever is wanted of one later costs no access. They are a fixed amount of memory, know
 * nothing of pages, and only the work of page I/O looks at them. What is taken from one is judged
 * as if it had come from the device just now.
 */
#include <linux/gfp.h>

#include "backing/backing.h"

/* Whether there are any, and how many, is nobody's error. */
void pagepress_windows_create(struct pagepress_backing *backing)
{
	struct pagepress_windows *windows = &backing->windows;
	void *data;

	if (!pagepress_is_rotational(backing->bdev))
		return;
	while (windows->count < PAGEPRESS_WINDOWS) {
		data = alloc_pages_exact(PAGEPRESS_WINDOW_BYTES, GFP_KERNEL | __GFP_NOWARN);
		if (!data)
			break;
		windows->windows[windows->count++].data = data;
	}
}

void pagepress_windows_destroy(struct pagepress_backing *backing)
{
	struct pagepress_windows *windows = &backing->windows;

	while (windows->count)
		free_pages_exact(windows->windows[--windows->count].data, PAGEPRESS_WINDOW_BYTES);
}

/* Something of it is not what it should be. */
void pagepress_window_forget(struct pagepress_window *window)
{
	window->bytes = 0;
}

/* The accounts of its space begin anew. */
void pagepress_windows_forget(struct pagepress_backing *backing)
{
	unsigned int index;

	for (index = 0; index < backing->windows.count; index++)
		pagepress_window_forget(&backing->windows.windows[index]);
}

/*
 * The window that has the whole stream, or is about to; NULL: none. Since the slot said that it
 * rests there, and before: nobody has written to its segment since the window was asked for.
 */
struct pagepress_window *pagepress_window_find(struct pagepress_backing *backing,
					       const struct pagepress_content *place)
{
	struct pagepress_windows *windows = &backing->windows;
	struct pagepress_window *window;

	for (window = windows->windows; window < windows->windows + windows->count; window++) {
		if (!window->bytes || place->address < window->address ||
		    place->address + place->length > window->address + window->bytes)
			continue;
		if (pagepress_log_look(&backing->log, place->address).generation !=
		    window->generation)
			continue;
		window->turn = windows->turn;
		return window;
	}
	return NULL;
}

/* The one that was not wanted for longest; NULL: all are being read. */
static struct pagepress_window *oldest(struct pagepress_windows *windows)
{
	struct pagepress_window *window, *found = NULL;

	for (window = windows->windows; window < windows->windows + windows->count; window++)
		if (!window->leader && (!found || (long)(window->turn - found->turn) < 0))
			found = window;
	return found;
}

/*
 * A window that leader is to read around the stream, of which it has all; NULL: the stream is to be
 * read alone. Streams do not cross segments, so neither does it.
 */
struct pagepress_window *pagepress_window_open(struct pagepress_backing *backing,
					       const struct pagepress_content *place,
					       struct pagepress_page_io *leader)
{
	struct pagepress_window *window = oldest(&backing->windows);
	u64 end = round_up(place->address + place->length, backing->log.block);
	struct pagepress_rest rest;

	/* Where a page is as large as a window, its blocks may be more. */
	if (!window ||
	    end - round_down(place->address, backing->log.block) > PAGEPRESS_WINDOW_BYTES)
		return NULL;
	rest = pagepress_log_look(&backing->log, place->address);
	if (rest.held)
		return NULL;
	if (!pagepress_read_around_decide(&backing->windows.policy, rest.live,
					  PAGEPRESS_SEGMENT_BYTES))
		return NULL;
	window->address = round_down(place->address, PAGEPRESS_WINDOW_BYTES);
	if (end > window->address + PAGEPRESS_WINDOW_BYTES)
		window->address = end - PAGEPRESS_WINDOW_BYTES;
	window->bytes = PAGEPRESS_WINDOW_BYTES;
	window->generation = rest.generation;
	window->turn = backing->windows.turn;
	window->leader = leader;
	return window;
}

/* Its leader has ended. */
void pagepress_window_filled(struct pagepress_window *window, bool answered)
{
	window->leader = NULL;
	if (!answered)
		pagepress_window_forget(window);
}
