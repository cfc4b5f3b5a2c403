/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of the flash port by the rules of rtl/management/FlashPort.scala, for the firmware's own tests and the card's model (sim/verilator). */
#ifndef FLASH_LOCK_MODEL_H
#define FLASH_LOCK_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* The core was reset. */
void flash_lock_model_reset(void);

/* A write of any register; false when it begins a transfer that the locked port ignores. */
bool flash_lock_model_write(uint32_t at, uint32_t value);

uint32_t flash_lock_model_locked(void);

#endif
