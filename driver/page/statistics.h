/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counters of one disk: name in the source, name in sysfs. docs/sysfs-block-pagepress tells
 * their meaning.
 */
#ifndef PAGEPRESS_STATISTICS_H
#define PAGEPRESS_STATISTICS_H

#define PAGEPRESS_STATISTICS(X) \
	X(NUM_READS, NumReads) \
	X(NUM_WRITES, NumWrites) \
	X(FAILED_READS, FailedReads) \
	X(FAILED_WRITES, FailedWrites) \
	X(INVALID_IO, InvalidIO) \
	X(NOTIFY_FREE, NotifyFree) \
	X(CARD_PAGES_OUT, card_pages_out) \
	X(CARD_PAGES_IN, card_pages_in) \
	X(SOFTWARE_PAGES_OUT, software_pages_out) \
	X(SOFTWARE_PAGES_IN, software_pages_in) \
	X(DIRECT_PAGES_OUT, direct_pages_out) \
	X(DIRECT_PAGES_IN, direct_pages_in) \
	X(MEMORY_SHORT_PAGES, memory_short_pages) \
	X(MEMORY_WAITS, memory_waits) \
	X(REDONE_PAGES, redone_pages) \
	X(CARD_ERRORS, card_errors) \
	X(CARD_MISMATCHES, card_mismatches) \
	X(VERIFIED_STREAMS, verified_streams) \
	X(PROVEN_BY_CARD, streams_proven_by_card) \
	X(SINGLE_READS_BY_CARD, single_reads_by_card) \
	X(SINGLE_READS_BY_CPU, single_reads_by_cpu) \
	X(SINGLE_READS_PUSHED, single_reads_pushed) \
	X(SINGLE_READ_PROBES, single_read_probes) \
	X(NOTIFY_FREE_MISSES, notify_free_misses) \
	X(BACKING_PAGES_OUT, backing_pages_out) \
	X(BACKING_PAGES_IN, backing_pages_in) \
	X(BACKING_READS, backing_reads) \
	X(BACKING_WINDOWS, backing_windows) \
	X(BACKING_WINDOW_PAGES, backing_window_pages) \
	X(FORWARDED_PAGES, forwarded_pages) \
	X(INVERTED_PAGES, inverted_pages) \
	X(CLEANED_PAGES, cleaned_pages) \
	X(CLEANING_WRITES, cleaning_writes) \
	X(CLEANING_WAITS, cleaning_waits) \
	X(BACKING_SECTORS_OUT, backing_sectors_out) \
	X(BACKING_SECTORS_IN, backing_sectors_in) \
	X(BACKING_SEARCHES, backing_searches) \
	X(COLLECTED_SEGMENTS, collected_segments) \
	X(COLLECTED_PAGES, collected_pages) \
	X(BACKING_ERRORS, backing_errors) \
	X(RECOMPRESSED_PAGES, recompressed_pages) \
	X(RECOMPRESSION_SAVED, recompression_saved_bytes) \
	X(RECOMPRESSIONS_IN_VAIN, recompressions_in_vain) \
	X(ORIGIN_PAGES_IN, origin_pages_in) \
	X(LOOKASIDE_PAGES_IN, lookaside_pages_in) \
	X(ORIGIN_SECTORS_IN, origin_sectors_in) \
	X(LOOKASIDE_SECTORS_IN, lookaside_sectors_in) \
	X(ORIGIN_ERRORS, origin_errors) \
	X(LOOKASIDE_FAULTS, lookaside_faults)

enum pagepress_statistic {
#define X(name, file) PAGEPRESS_##name,
	PAGEPRESS_STATISTICS(X)
#undef X
	PAGEPRESS_STATISTIC_COUNT
};

#endif
