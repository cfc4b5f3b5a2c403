// SPDX-License-Identifier: Apache-2.0
#include "attributes.h"
#include "pagepress_interface.h"

#define NUMBER(name) { .file = name, .kind = ATTRIBUTE_NUMBER }
#define WORD(name) { .file = name, .kind = ATTRIBUTE_WORD }

static struct attribute disk[] = { NUMBER("disksize") };

// The names of the first compressed swap devices.
static struct attribute table[] = {
	NUMBER("NumReads"), NUMBER("NumWrites"), NUMBER("FailedReads"), NUMBER("FailedWrites"),
	NUMBER("InvalidIO"), NUMBER("NotifyFree"), NUMBER("ZeroPages"), NUMBER("GoodCompress"),
	NUMBER("NoCompress"), NUMBER("PagesStored"), NUMBER("PagesUsed"), NUMBER("OrigDataSize"),
	NUMBER("ComprDataSize"), NUMBER("MemUsedTotal"),
};

static struct attribute ways[] = {
	NUMBER("card_pages_out"), NUMBER("card_pages_in"), NUMBER("software_pages_out"), NUMBER("software_pages_in"),
	NUMBER("direct_pages_out"), NUMBER("direct_pages_in"), NUMBER("memory_short_pages"),
	NUMBER("redone_pages"), NUMBER("card_timeouts"),
	NUMBER("card_errors"), NUMBER("card_mismatches"), NUMBER("opened_streams"), NUMBER("card_resets"),
	NUMBER("single_reads_by_card"), NUMBER("single_reads_by_cpu"), NUMBER("single_reads_pushed"),
	NUMBER("single_read_probes"),
	NUMBER("single_read_card_ns"), NUMBER("single_read_cpu_ns"), NUMBER("notify_free_misses"),
	NUMBER("backed_pages"), NUMBER("backing_pages_out"), NUMBER("backing_pages_in"), NUMBER("forwarded_pages"),
	NUMBER("backing_sectors_out"), NUMBER("backing_sectors_in"), NUMBER("backing_errors"), WORD("card_state"),
};

#define COUNTER(upper, index, lower) NUMBER(#lower),
static struct attribute card[] = { NUMBER("present"), PAGEPRESS_COUNTERS(COUNTER) };

#define GROUP(key, heading, below, array) \
	{ .name = key, .title = heading, .folder = below, .attributes = array, \
	  .count = sizeof(array) / sizeof((array)[0]) }

struct attribute_group attribute_groups[] = {
	GROUP("disk", "Disk", "", disk),
	GROUP("table", "Pages", "pagepress/", table),
	GROUP("ways", "Which way pages went", "pagepress/", ways),
	GROUP("card", "The cards' own counters", "card/", card),
};
const size_t attribute_group_count = sizeof(attribute_groups) / sizeof(attribute_groups[0]);
