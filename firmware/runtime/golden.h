/* SPDX-License-Identifier: Apache-2.0 */
/* Golden vectors for lanes: a page, and a stream of it, that follow from a seed. */
#ifndef GOLDEN_H
#define GOLDEN_H

#include <stdbool.h>
#include <stdint.h>

#include "pagepress_management.h"

#define GOLDEN_BYTES PAGEPRESS_LANE_BUFFER_BYTES

/* A page longer than GOLDEN_BYTES is `page` again and again. */
struct golden {
	uint8_t page[GOLDEN_BYTES], stream[GOLDEN_BYTES];
	uint32_t filled, stream_bytes, page_bytes;
};

void golden_draw(struct golden *golden, uint32_t seed, uint32_t page_bytes);

/* Whether a stream, whoever made it, holds that page and nothing else. */
bool golden_is_held_by(const struct golden *golden, const uint8_t *stream, uint32_t bytes);

#endif
