// SPDX-License-Identifier: GPL-2.0-only
/* The tracepoints of trace.h come into being here. */
#include "card/card.h"
#include "path/offload.h"
#include "store/table.h"

#define CREATE_TRACE_POINTS
#include "observe/trace.h"
