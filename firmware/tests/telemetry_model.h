/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The telemetry page with its three copies, and the monitor of queues and link, as firmware and host meet them: the rules of
 * rtl/management/TelemetryPage.scala and rtl/queues/QueueMonitor.scala. For the firmware's own tests and the card's model (sim/verilator).
 */
#ifndef TELEMETRY_MODEL_H
#define TELEMETRY_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "pagepress_management.h"

#define MODEL_QUEUES 4u
#define MODEL_SAMPLE_CYCLES 16u

/* Since power-on. */
struct model_queue {
	uint32_t depth, peak, commands; /* peak: since it was last told */
	uint64_t depth_cycles, waiting_cycles;
};

struct telemetry_model {
	struct model_queue queues[MODEL_QUEUES];
	struct pagepress_telemetry_link link;
	uint64_t cycles;
	bool silent; /* the card's clock stands */
	uint32_t strays; /* questions for queues that are not there */
	uint32_t sequence; /* of the page that the host is shown */
};

extern struct telemetry_model telemetry_model;

void telemetry_model_power_on(void);

/* The firmware's side. */
bool telemetry_model_read(uint32_t at, uint32_t *value);
bool telemetry_model_write(uint32_t at, uint32_t value);

/* The host's: TELEMETRY_TAKE, and a word of the page at its offset in the window. */
void telemetry_model_take(void);
uint32_t telemetry_model_shown(uint32_t offset);

#endif
