/* SPDX-License-Identifier: Apache-2.0 */
/* A serial NOR flash with the commands that all of them share. Keeps no state; everything ends by itself. */
#ifndef FLASH_H
#define FLASH_H

#include <stdbool.h>
#include <stdint.h>

/* Manufacturer and device in bits 23..0; 0 when nothing answers. */
uint32_t flash_identity(void);

void flash_read(uint32_t offset, void *to, uint32_t bytes);

/* Begin an erase or a program (at most to the end of a page); it lasts until flash_busy() is false. */
void flash_begin_erase(uint32_t offset);
void flash_begin_program(uint32_t offset, const void *from, uint32_t bytes);
bool flash_busy(void);

/* The longest that a datasheet allows, and as much again. */
#define FLASH_ERASE_LIMIT 800 /* milliseconds */
#define FLASH_PROGRAM_LIMIT 10

/* Wait for its end, feeding the watchdog: OK or FLASH_TIMEOUT. */
uint32_t flash_finish(uint32_t limit);

/* True when the flash holds exactly that. */
bool flash_holds(uint32_t offset, const void *expected, uint32_t bytes);

#endif
