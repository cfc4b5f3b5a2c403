/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the services offer each other and the main loop. Each is a file; each `_turn` does what is due and returns within
 * a few milliseconds, but for a signature's check (4.7 million cycles); nothing waits for flash, lane or host.
 */
#ifndef SERVICES_H
#define SERVICES_H

#include <stdbool.h>
#include <stdint.h>

#include "pagepress_management.h"

#define PAYLOAD_MAX (PAGEPRESS_MAILBOX_BYTES - PAGEPRESS_MESSAGE_HEADER_BYTES)

/* The open request, and its response: a handler fills `response` and `response_bytes` and returns a status, or PENDING and calls mailbox_answer later. */
struct request {
	uint32_t kind, tag, argument, bytes; /* of the payload */
	uint8_t payload[PAYLOAD_MAX], response[PAYLOAD_MAX];
	uint32_t response_bytes;
};

#define PENDING ~0u

void mailbox_start(void);
void mailbox_turn(void);
void mailbox_answer(uint32_t status);
uint32_t mailbox_answered(void);
uint32_t mailbox_refused(void);

/* trial.c: which slot runs, and the confirmation of a new image */
void trial_start(void);
void trial_turn(void);
uint32_t running_slot(void);
bool on_trial(void);
uint32_t message_identify(struct request *request);
uint32_t message_rollback(struct request *request);

/* update.c */
void update_start(void);
void update_turn(void);
uint32_t message_update_begin(struct request *request);
uint32_t message_update_data(struct request *request);
uint32_t message_update_commit(struct request *request);

/* sensors.c: units of 0.01 degrees Celsius, millivolts; a silent voltage is 0 */
void sensors_start(void);
void sensors_turn(void);
int32_t sensors_temperature(void);
int32_t sensors_temperature_peak(void);
uint32_t sensors_voltage(uint32_t channel);
uint32_t sensors_silent(void);

/* throttle.c */
void throttle_start(void);
void throttle_turn(void);
uint32_t throttle_step(void);
uint32_t throttle_lanes(uint32_t lanes);
uint32_t throttle_time(void);
void throttle_limits(uint32_t *begin, uint32_t *hardest);
uint32_t message_set_limits(struct request *request);

/* self_test.c: bits of what failed */
uint32_t self_test(uint32_t parts);
uint32_t self_test_failed(void);
uint32_t message_self_test(struct request *request);

/* lane.c. `lane_began`: milliseconds, when the last whole round of looks began; `lane_tell` is false where there is no such lane */
void lane_start(void);
void lane_turn(void);
uint32_t lane_began(void);
bool lane_tell(uint32_t number, struct pagepress_lane *told);
uint32_t message_lanes(struct request *request);

/* monitor.c: queues and link, since the image was entered. `monitor_began`: milliseconds, when the last whole round began */
void monitor_start(void);
void monitor_turn(void);
uint32_t monitor_began(void);
uint64_t monitor_cycles(void);
uint32_t monitor_queues(void);
void monitor_link(struct pagepress_telemetry_link *told);
void monitor_queue(uint32_t number, struct pagepress_telemetry_queue *told);

/* telemetry.c */
void telemetry_start(void);
void telemetry_turn(void);
uint32_t message_telemetry(struct request *request);
void count_flash_error(void);

/* memory.c: of the program's own RAM */
uint32_t stack_size(void);
uint32_t stack_used(void);
void free_memory(uint32_t **begin, uint32_t **end);

/* The header that the boot ROM has checked, as it stands in the RAM: all but its signature. What the flash says later may be a misread. */
const struct pagepress_image_header *running_image(void);

/* image_check, in the boot ROM */
uint32_t check_image(uint32_t offset, uint32_t floor, struct pagepress_image_header *header);

#endif
