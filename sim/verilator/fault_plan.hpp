// SPDX-License-Identifier: Apache-2.0
/// Which faults are armed, and whether one strikes now.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace card {

enum class Fault {
    LOST_COMPLETION,  ///< the entry never reaches memory
    LATE_COMPLETION,  ///< it and all behind it in its ring come `after` milliseconds later
    WRONG_TAG,        ///< it names a command nobody gave
    WRONG_LENGTH,     ///< SUCCESS with another produced_length
    WRONG_CRC,        ///< SUCCESS with another crc32c
    WRONG_DETAIL,     ///< SUCCESS with another detail
    BROKEN_STREAM,    ///< compression: SUCCESS, but the stream is not the page's; its CRC32C is right
    CORRUPTED_DATA,   ///< a bit of the stream or page turns over on its way to memory
    LATE_WRITE,       ///< a bit of stream or page turns over in memory `after` milliseconds after its completion
    FAILED_STATUS,    ///< VERIFY_FAILED for a compression, MALFORMED_STREAM for a decompression
    ENGINE_FAULT,     ///< ENGINE_FAULT: the engine broke with this page in it
    STUCK,            ///< from now on no completion leaves the card, until it is disabled
    FATAL,            ///< the same, and STATUS.FATAL with its event interrupt
    INTERRUPT_STORM,  ///< from now on the queue's vector interrupts without end, until the card is disabled
    EVENT_STORM,      ///< the same, the vector of events
    ALL_ONES,         ///< from now on registers read all ones; the card itself works on
    DEAD,             ///< from now on the card is off the bus: all ones everywhere, no interrupt, no access to memory
    LYING_COUNTERS,   ///< from the next reading of one on, every word of a counter is another at each reading
    FEWER_QUEUES,     ///< from the next reading of CAPABILITIES on, one queue pair
    RESET_REFUSED,    ///< the next write of 0 to CONTROL, and all that follow, have no effect: READY stays
    COUNT
};

class FaultPlan {
public:
    /// One line of the control protocol (README.md) without its first word `arm`; what is wrong with it, or nothing.
    std::string arm(const std::vector<std::string>& words);
    void seed(uint64_t seed) { random_.seed(seed); }
    void clear();

    /// Whether `fault` strikes at a command of this opcode; counts it then. `after` is set for what is late.
    bool strikes(Fault fault, uint8_t opcode, unsigned* after_ms = nullptr);

    uint64_t struck() const { return struck_; }
    /// Strikes that are still to come.
    uint64_t armed() const;
    /// A number below `limit`, from the same sequence as the strikes.
    uint32_t draw(uint32_t limit) { return static_cast<uint32_t>(random_() % limit); }

private:
    struct Rule {
        Fault fault;
        std::optional<uint8_t> opcode;  // any when empty
        uint64_t left, one_in;
        unsigned after_ms;
    };

    std::vector<Rule> rules_;
    std::mt19937_64 random_{1};
    uint64_t struck_ = 0;
};

}  // namespace card
