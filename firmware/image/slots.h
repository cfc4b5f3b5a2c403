/* SPDX-License-Identifier: Apache-2.0 */
/* Where the two images stand in the flash. */
#ifndef SLOTS_H
#define SLOTS_H

#include "pagepress_management.h"

static inline uint32_t slot_offset(uint32_t slot)
{
	return slot == PAGEPRESS_SLOT_B ? PAGEPRESS_FLASH_SLOT_B_OFFSET : PAGEPRESS_FLASH_SLOT_A_OFFSET;
}

static inline uint32_t other_slot(uint32_t slot)
{
	return slot == PAGEPRESS_SLOT_B ? PAGEPRESS_SLOT_A : PAGEPRESS_SLOT_B;
}

#endif
