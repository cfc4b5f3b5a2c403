/* SPDX-License-Identifier: Apache-2.0 */
/* The program's RAM: start.S filled the stack with STACK_PATTERN, the linker script names the rest. */
#include "image.h"
#include "registers.h"
#include "services.h"

#define STACK_PATTERN 0x5AC5AC5Au

extern uint32_t __stack_bottom[], __stack_top[], __free_begin[], __free_end[];
extern const struct rom_services rom_services;

uint32_t stack_size(void)
{
	return (uint32_t)(__stack_top - __stack_bottom) * 4;
}

uint32_t stack_used(void)
{
	const uint32_t *word = __stack_bottom;

	while (word < __stack_top && *word == STACK_PATTERN)
		word++;
	return (uint32_t)(__stack_top - word) * 4;
}

void free_memory(uint32_t **begin, uint32_t **end)
{
	*begin = __free_begin;
	*end = __free_end;
}

const struct pagepress_image_header *running_image(void)
{
	return (const struct pagepress_image_header *)PAGEPRESS_CORE_RAM_BASE;
}

uint32_t check_image(uint32_t offset, uint32_t floor, struct pagepress_image_header *header)
{
	if (rom_services.magic != ROM_SERVICES_MAGIC)
		return STATUS(IMAGE_WRONG_TARGET);
	return rom_services.image_check(offset, floor, header, NULL);
}
