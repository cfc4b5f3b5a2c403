/* SPDX-License-Identifier: Apache-2.0 */
/* The card as the management core sees it: READ(CORE_FLASH, FLASH_DATA). Tests on the host put a model in its place. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stdint.h>

#include "pagepress_management.h"

#ifdef __riscv
static inline uint32_t register_read(uint32_t address)
{
	return *(volatile uint32_t *)address;
}

static inline void register_write(uint32_t address, uint32_t value)
{
	*(volatile uint32_t *)address = value;
}
#else
uint32_t register_read(uint32_t address);
void register_write(uint32_t address, uint32_t value);
#endif

#define ADDRESS(block, name) (PAGEPRESS_##block##_BASE + PAGEPRESS_REGISTER_##name)
#define READ(block, name) register_read(ADDRESS(block, name))
#define WRITE(block, name, value) register_write(ADDRESS(block, name), value)

/* A result as the interface names it. */
#define STATUS(name) PAGEPRESS_MANAGEMENT_STATUS_##name

static inline uint32_t milliseconds(void)
{
	return READ(CORE_TIMER, TIMER_MILLISECONDS);
}

static inline void feed_watchdog(void)
{
	WRITE(CORE_TIMER, WATCHDOG_FEED, 1);
}

static inline void log_event(uint32_t severity, uint32_t event, uint32_t argument)
{
	WRITE(CORE_LOG, LOG_EVENT, severity << PAGEPRESS_LOG_EVENT_SEVERITY_SHIFT | event);
	WRITE(CORE_LOG, LOG_ARGUMENT, argument);
}

#define LOG(severity, event, argument) log_event(PAGEPRESS_SEVERITY_##severity, PAGEPRESS_EVENT_##event, argument)

#endif
