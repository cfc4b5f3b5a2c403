/* SPDX-License-Identifier: Apache-2.0 */
/* Images, boots and messages for the tests. */
#ifndef BENCH_H
#define BENCH_H

#include <stdint.h>

#include "choice.h"
#include "model.h"

extern uint8_t loaded[PAGEPRESS_CORE_RAM_BYTES];

void read_signing_key(const char *path);

/* A signed image of so many bytes; its program follows from its version. Returns the static buffer that holds it. */
uint8_t *make_image(uint32_t version, uint32_t floor, uint32_t bytes);
void sign_again(uint8_t *image);
void put_image(uint32_t slot, const uint8_t *image);

/* The boot ROM's choice, then the firmware's start; SLOT_NONE when nothing may run. The version that runs is in `booted_version`. */
uint32_t boot_card(struct choice *choice);

/* The same without a loss of power: the flash may still be busy. */
uint32_t reset_card(struct choice *choice);

/* A message, and turns of the firmware until it is answered; returns its status. */
uint32_t message(uint32_t kind, uint32_t argument, const void *payload, uint32_t bytes);
void turns(uint32_t count);

/* All of an update but the reset; the first status that is not OK. */
uint32_t update(const uint8_t *image, uint32_t bytes);

/* Whether from now on the memory that the self-test looks at is broken. */
void break_memory(bool broken);

/* The last event of this name that was logged, in `when`. */
#define LOGGED(event_name, severity_name, value, when) logged(PAGEPRESS_EVENT_##event_name, PAGEPRESS_SEVERITY_##severity_name, value, when)
void logged(uint32_t event, uint32_t severity, uint32_t argument, const char *when);

void firmware_start(void);
void firmware_turn(void);

#endif
