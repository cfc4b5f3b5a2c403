// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"

#include "pagepress_interface.h"

namespace pagepressctl {

namespace {

Attribute counter(const char* file, const char* help) { return {file, help, false, true}; }
Attribute gauge(const char* file, const char* help, Unit unit = Unit::NONE) { return {file, help, false, false, false, unit}; }
Attribute shared(Attribute attribute) {
    attribute.shared = true;
    return attribute;
}

#define COUNTER(upper, index, lower) shared(counter(#lower, "counted by the cards themselves, see counters.toml: " #lower)),

}  // namespace

const std::vector<AttributeGroup> ATTRIBUTE_GROUPS = {
    {"disk", "Disk", "", 
     {gauge("disksize", "size of the disk", Unit::BYTES),
      gauge("mem_limit", "most memory that stored pages may take, 0 for any", Unit::BYTES)}},
    // The names of the first compressed swap devices.
    {"table",
     "Pages",
     "pagepress/",
     {
         counter("NumReads", "pages asked for"),
         counter("NumWrites", "pages handed over"),
         counter("FailedReads", "page reads that ended in an error"),
         counter("FailedWrites", "page writes that ended in an error"),
         counter("InvalidIO", "requests that were not whole pages, or of an unknown kind"),
         counter("NotifyFree", "slots freed by swap's notification"),
         gauge("ZeroPages", "pages stored that repeat one value"),
         gauge("GoodCompress", "pages in memory that take at most half a page"),
         gauge("NoCompress", "pages in memory that are stored as they are"),
         gauge("PagesStored", "pages stored, in memory or on the backing device"),
         gauge("PagesUsed", "pages of memory that stored pages take"),
         gauge("OrigDataSize", "size of all stored pages before compression", Unit::BYTES),
         gauge("ComprDataSize", "size of what is in the pool", Unit::BYTES),
         gauge("MemUsedTotal", "memory that stored pages take, table included", Unit::BYTES),
     }},
    {"ways",
     "Which way pages went",
     "pagepress/",
     {
         counter("card_pages_out", "pages written that a card compressed"),
         counter("card_pages_in", "pages read that a card decompressed"),
         counter("software_pages_out", "pages written that a CPU compressed"),
         counter("software_pages_in", "pages read that a CPU decompressed"),
         counter("direct_pages_out", "pages written that needed no compression"),
         counter("direct_pages_in", "pages read that needed no decompression"),
         counter("memory_short_pages", "pages a CPU did because memory was short"),
         counter("memory_waits", "pages compressed again after waiting for memory"),
         counter("redone_pages", "pages a card had and software did again"),
         shared(counter("card_late", "commands answered too late for their page")),
         shared(counter("card_timeouts", "commands that passed timeout_ms")),
         counter("card_errors", "pages of which a card reported that it could not"),
         counter("card_mismatches", "answers of cards that could not be right"),
         counter("verified_streams", "streams of cards that a CPU decompressed again to be sure"),
         counter("streams_proven_by_card", "streams of a card that another engine of it decompressed again to be sure"),
         shared(counter("card_resets", "cards stopped after a failure")),
         counter("single_reads_by_card", "pages a task waited for, decompressed by a card"),
         counter("single_reads_by_cpu", "pages a task waited for, decompressed by a CPU"),
         counter("single_reads_pushed", "single reads whose command was pushed to the card"),
         counter("single_read_probes", "single reads given to whoever was slower, to see"),
         shared(gauge("single_read_card_ns", "moving average of a card's single reads", Unit::NANOSECONDS)),
         shared(gauge("single_read_cpu_ns", "moving average of the CPUs' single reads", Unit::NANOSECONDS)),
         counter("notify_free_misses", "notifications that found the slot locked"),
         gauge("backed_pages", "pages that rest on the backing device"),
         counter("backing_pages_out", "pages moved from memory to the backing device"),
         counter("backing_pages_in", "pages read from the backing device"),
         counter("backing_reads", "accesses of it that were to bring them"),
         counter("backing_windows", "of these, accesses that brought what lies around a page as well"),
         counter("backing_window_pages", "pages that came with what was read around another"),
         counter("forwarded_pages", "pages written that went to the backing device at once"),
         counter("inverted_pages", "of them, pages that went there though older ones are in memory"),
         counter("cleaned_pages", "oldest pages moved to the backing device because memory was nearly full"),
         counter("cleaning_writes", "writes in which they went"),
         counter("cleaning_waits", "pages whose write waited for them to go"),
         counter("backing_sectors_out", "sectors of 512 bytes sent to the backing device"),
         counter("backing_sectors_in", "sectors of 512 bytes asked of the backing device"),
         counter("backing_searches", "searches of the whole backing device for segments to empty"),
         counter("collected_segments", "segments of the backing device emptied for others"),
         counter("collected_pages", "pages moved on the backing device for that"),
         counter("backing_errors", "requests that failed on the backing device"),
         counter("recompressed_pages", "pages that became streams of the cold format"),
         counter("recompression_saved_bytes", "bytes that they took less afterwards"),
         counter("recompressions_in_vain", "pages that were to become so and stayed as they were"),
         gauge("cold_pages", "pages in memory as streams of the cold format"),
         gauge("cold_bytes", "size of these streams", Unit::BYTES),
         counter("origin_pages_in", "pages read whose stream came from the origin"),
         counter("lookaside_pages_in", "pages read whose stream came from the lookaside image"),
         counter("origin_sectors_in", "sectors of 512 bytes asked of the origin"),
         counter("lookaside_sectors_in", "sectors of 512 bytes asked of the lookaside image"),
         counter("origin_errors", "pages that the origin did not deliver"),
         counter("lookaside_faults", "pages that the lookaside image did not deliver"),
         gauge("table_bytes", "memory of the slot table", Unit::BYTES),
         shared({"card_state", "state of the best card", true}),
         shared(counter("acomp_card_pages_out", "pages of the crypto API that cards compressed")),
         shared(counter("acomp_card_pages_in", "pages of the crypto API that cards decompressed")),
         shared(counter("acomp_software_out", "requests of the crypto API that a CPU compressed")),
         shared(counter("acomp_software_in", "requests of the crypto API that a CPU decompressed")),
         shared(counter("acomp_redone", "pages of the crypto API given to a card and done by a CPU after all")),
         shared(counter("acomp_card_errors", "pages of the crypto API of which a card reported that it could not")),
         shared(counter("acomp_card_mismatches", "answers of cards to the crypto API that could not be right")),
         shared(counter("acomp_verified_streams", "streams of the crypto API that a CPU decompressed again to be sure")),
         shared(counter("acomp_streams_proven_by_card", "streams of the crypto API that another engine of the card decompressed again to be sure")),
     }},
    {"card",
     "The cards' own counters",
     "card/",
     {shared(gauge("present", "cards bound to the driver")), PAGEPRESS_COUNTERS(COUNTER)}},
};

const std::vector<const char*> CARD_STATES = {"none", "forbidden", "ready", "starting", "dead", "stopped"};

}  // namespace pagepressctl
