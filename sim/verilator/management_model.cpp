// SPDX-License-Identifier: Apache-2.0
#include "management_model.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

extern "C" {
#include "choice.h"
#include "flash_lock_model.h"
#include "hostile.h"
#include "image.h"
#include "lane_model.h"
#include "registers.h"
#include "services.h"
#include "telemetry_model.h"

void firmware_start(void);
void firmware_turn(void);
}

namespace card {

namespace {

constexpr uint64_t ACCESS_CYCLES = 10;  // of one register by the core, with the instructions around it
constexpr uint32_t FIRST_WATCHDOG_LIMIT = 1000;
constexpr uint32_t WATCHDOG_MOST = 0xffff;
constexpr uint32_t TURN_MILLISECONDS = 5;  // between two turns of the firmware while time passes by itself
/// As much time as passes at most between two looks at the window: a host that looks once a second sees nothing of it.
constexpr std::chrono::milliseconds LONGEST_LOOK{2000};

ManagementModel* part;  // the one there is
alignas(4) std::array<uint8_t, PAGEPRESS_CORE_RAM_BYTES> ram;
std::array<uint32_t, 1024> free_words;

/// The word of a buffer of MAILBOX_BYTES at `base`, or none.
template <class Buffer> uint32_t* word_in(Buffer& buffer, uint32_t base, uint32_t offset) {
    return offset >= base && offset < base + PAGEPRESS_MAILBOX_BYTES ? &buffer[(offset - base) / 4] : nullptr;
}

}  // namespace

ManagementModel::ManagementModel(Board& board) : board_(board), looked_(Clock::now()) {
    if (part) throw std::runtime_error("there can be one model of a management part only");
    part = this;
    board_.flash.power_on();
    flash_lock_model_reset();
    lane_model_power_on();
    telemetry_model_power_on();
}

ManagementModel::~ManagementModel() { part = nullptr; }

uint32_t ManagementModel::read(uint32_t offset) {
    catch_up();
    uint32_t word = honest_read(offset);
    return board_.firmware == Board::Firmware::LIAR ? drawn_instead_of(word) : word;
}

/// The truth as often as not, so that whoever reads gets far enough to be lied to again.
uint32_t ManagementModel::drawn_instead_of(uint32_t word) {
    switch (lot_() % 16) {
    case 0:
        return ~uint32_t{0};
    case 1:
        return 0;
    case 2:
        return static_cast<uint32_t>(lot_());
    case 3:
        return word + static_cast<uint32_t>(lot_() % 64);
    case 4:
        return word ^ uint32_t{1} << lot_() % 32;
    default:
        return word;
    }
}

uint32_t ManagementModel::honest_read(uint32_t offset) {
    if (uint32_t* word = word_in(response_, PAGEPRESS_MAILBOX_RESPONSE_OFFSET, offset)) return *word;
    if (offset >= PAGEPRESS_LOG_OFFSET && offset < PAGEPRESS_LOG_OFFSET + sizeof(log_)) {
        uint32_t word;
        std::memcpy(&word, reinterpret_cast<const uint8_t*>(log_.data()) + (offset - PAGEPRESS_LOG_OFFSET), sizeof(word));
        return word;
    }
    if (offset >= PAGEPRESS_TELEMETRY_OFFSET) return telemetry_model_shown(offset);
    return window_register(offset);
}

uint32_t ManagementModel::window_register(uint32_t offset) const {
    switch (offset) {
    case PAGEPRESS_REGISTER_MANAGEMENT_MAGIC:
        return PAGEPRESS_MANAGEMENT_MAGIC_VALUE;
    case PAGEPRESS_REGISTER_MANAGEMENT_VERSION:
        return PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_VALUE;
    case PAGEPRESS_REGISTER_CORE_CONTROL:
        return uint32_t{held_} << PAGEPRESS_CORE_CONTROL_HOLD_SHIFT;
    case PAGEPRESS_REGISTER_CORE_STATUS:
        return stage_ << PAGEPRESS_CORE_STATUS_STAGE_SHIFT | cause_ << PAGEPRESS_CORE_STATUS_CAUSE_SHIFT |
               bites_ << PAGEPRESS_CORE_STATUS_BITES_SHIFT;
    case PAGEPRESS_REGISTER_HEARTBEAT:
        return heartbeat_;
    case PAGEPRESS_REGISTER_BOOT_REPORT:
        return report_;
    case PAGEPRESS_REGISTER_FIRMWARE_VERSION:
        return version_;
    case PAGEPRESS_REGISTER_MAILBOX_STATUS:
        return mailbox_state_ << PAGEPRESS_MAILBOX_STATUS_STATE_SHIFT | response_length_ << PAGEPRESS_MAILBOX_STATUS_LENGTH_SHIFT;
    case PAGEPRESS_REGISTER_LOG_NEXT:
        return log_next_;
    case PAGEPRESS_REGISTER_UPTIME:
        return milliseconds();
    case PAGEPRESS_REGISTER_THROTTLE:
        return throttle_;
    case PAGEPRESS_REGISTER_TELEMETRY_SEQUENCE:
        return telemetry_model.sequence;
    default:
        return 0;
    }
}

void ManagementModel::write(uint32_t offset, uint32_t value) {
    catch_up();
    bool open = mailbox_state_ == PAGEPRESS_MAILBOX_STATE_REQUESTED;
    if (uint32_t* word = word_in(request_, PAGEPRESS_MAILBOX_REQUEST_OFFSET, offset)) {
        if (!open) *word = value;
    } else if (offset == PAGEPRESS_REGISTER_MAILBOX_SEND && !open && value && value <= PAGEPRESS_MAILBOX_BYTES) {
        mailbox_state_ = PAGEPRESS_MAILBOX_STATE_REQUESTED;
        request_length_ = value;
    } else if (offset == PAGEPRESS_REGISTER_TELEMETRY_TAKE) {
        telemetry_model_take();
    } else if (offset == PAGEPRESS_REGISTER_CORE_CONTROL) {
        held_ = value & PAGEPRESS_CORE_CONTROL_HOLD_MASK;
        if (held_) {
            begin_reset(PAGEPRESS_RESET_CAUSE_HOST);
            board_.core_was_reset(true);
        }
    }
}

bool ManagementModel::run() {
    catch_up();
    bool open = mailbox_state_ == PAGEPRESS_MAILBOX_STATE_REQUESTED && !mute() && board_.hostile() < 0;
    bool due = !held_ && (in_reset_ || (!board_.stands_still() && (open || !booted_)));
    if (due) turn();
    return due && stage_ != PAGEPRESS_STAGE_FAILED;
}

/// The core works; a reset of it ends that, wherever it is.
template <class Work> void ManagementModel::in_core(Work work) {
    try {
        work();
    } catch (const Reset& reset) {
        begin_reset(reset.cause);
        if (reset.cause == PAGEPRESS_RESET_CAUSE_WATCHDOG) bites_ = (bites_ + 1) & 0xffff;
        board_.core_was_reset(false);
    }
}

void ManagementModel::turn() {
    if (held_) return;
    if (board_.hostile() != hostile_ && booted_) begin_reset(PAGEPRESS_RESET_CAUSE_FIRMWARE);  // another image
    if (in_reset_) leave_reset();
    if (board_.stands_still()) return;
    in_core([this] {
        if (!booted_)
            boot();
        else if (hostile_ >= 0)
            hostile_turn();
        else if (stage_ == PAGEPRESS_STAGE_RUNNING)
            firmware_turn();
        else
            feed_watchdog();  // as the boot ROM does that found no image
    });
}

void ManagementModel::leave_reset() {
    in_reset_ = false;
    bool bitten = cause_ == PAGEPRESS_RESET_CAUSE_WATCHDOG;
    log(bitten ? PAGEPRESS_SEVERITY_ERROR : PAGEPRESS_SEVERITY_INFO, PAGEPRESS_EVENT_CORE_RESET, cause_);
    fed_ = cycle_;
    watchdog_limit_ = FIRST_WATCHDOG_LIMIT;
}

void ManagementModel::boot() {
    booted_ = true;
    hostile_ = board_.hostile();
    if (hostile_ >= 0) {
        flash_lock_model_write(ADDRESS(CORE_FLASH, FLASH_LOCK), 1);  // as the boot ROM did
        hostile_start(static_cast<hostile>(hostile_), &hostile_memory_);
        return;
    }
    choice chosen;
    stage_ = PAGEPRESS_STAGE_BOOTING;
    choose_image(&chosen, ram.data());
    report_ = choice_report(&chosen);
    if (chosen.slot == PAGEPRESS_SLOT_NONE) {
        LOG(ERROR, NO_IMAGE, 0);
        stage_ = PAGEPRESS_STAGE_FAILED;
        return;
    }
    version_ = chosen.header.version;
    firmware_start();
}

void ManagementModel::begin_reset(uint32_t cause) {
    in_reset_ = true;
    booted_ = false;
    cause_ = cause;
    stage_ = report_ = version_ = throttle_ = 0;
    fed_ = cycle_;
    if (mailbox_state_ == PAGEPRESS_MAILBOX_STATE_REQUESTED) answer(0);
    selected_ = false;
    flash_lock_model_reset();
    board_.flash.step(true, false, false, cycle_);
}

void ManagementModel::catch_up() {
    auto now = Clock::now();
    looked_ = std::max(looked_, now - LONGEST_LOOK);
    for (constexpr std::chrono::milliseconds STEP{TURN_MILLISECONDS}; now - looked_ >= STEP; looked_ += STEP) {
        in_core([this] { pass(uint64_t{TURN_MILLISECONDS} * Board::CYCLES_A_MILLISECOND); });
        turn();
    }
}

void ManagementModel::pass(uint64_t cycles) {
    cycle_ += cycles;
    for (; cycle_ - sensed_ >= Board::SENSOR_CYCLES; sensed_ += Board::SENSOR_CYCLES)
        for (uint32_t channel = 0; channel < Board::CHANNELS; channel++) {
            if (board_.codes[channel] == Board::OFF) continue;
            codes_[channel] = board_.codes[channel];
            updates_[channel]++;
        }
    if (board_.firmware == Board::Firmware::DEAD) fed_ = cycle_;  // its watchdog sleeps with it
    if (!in_reset_ && cycle_ - fed_ >= uint64_t{watchdog_limit_} * Board::CYCLES_A_MILLISECOND) throw Reset{PAGEPRESS_RESET_CAUSE_WATCHDOG};
}

void ManagementModel::answer(uint32_t bytes) {
    mailbox_state_ = PAGEPRESS_MAILBOX_STATE_ANSWERED;
    response_length_ = bytes;
}

void ManagementModel::log(uint32_t severity, uint32_t code, uint32_t argument) {
    pagepress_log_entry& entry = log_[log_next_ % PAGEPRESS_LOG_ENTRIES];
    entry = {};
    entry.number = log_next_++;
    entry.time = milliseconds();
    entry.code = static_cast<uint16_t>(code);
    entry.severity = static_cast<uint8_t>(severity);
    entry.argument = argument;
}

uint32_t ManagementModel::sensor(uint32_t channel) const {
    return channel < Board::CHANNELS ? updates_[channel] << PAGEPRESS_SENSOR_UPDATES_SHIFT | codes_[channel] : 0;
}

/// Clocks bits of `value` out to the flash, the highest first, and returns those that came in.
uint32_t ManagementModel::shift(uint32_t value, int bits) {
    uint32_t in = 0;
    for (int bit = bits - 1; bit >= 0; bit--) {
        bool out = value >> bit & 1;
        flash_out_ = board_.flash.step(false, false, out, ++cycle_);
        in = in << 1 | flash_out_;
        flash_out_ = board_.flash.step(false, true, out, ++cycle_);
    }
    flash_out_ = board_.flash.step(false, false, false, cycle_);
    return in;
}

/// Lanes break as the board says, and what is once broken is the lane model's.
void ManagementModel::break_lanes() {
    for (unsigned index = 0; index < Board::LANES; index++) {
        model_lane& lane = lane_model.lanes[index];
        Board::Lane& trouble = board_.lanes[index];
        lane.engine = trouble == Board::Lane::BROKEN ? model_lane::FAULTS : model_lane::WELL;
        lane.faulty |= trouble != Board::Lane::WELL && !lane.isolated;
        if (trouble == Board::Lane::BREAKS) trouble = Board::Lane::WELL;
    }
}

uint32_t ManagementModel::core_read(uint32_t address) {
    pass(ACCESS_CYCLES);
    if (uint32_t word; lane_model_read(address, &word) || telemetry_model_read(address, &word)) return word;
    if (uint32_t* word = word_in(request_, PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_REQUEST_OFFSET, address)) return *word;
    if (address >= PAGEPRESS_CORE_SENSOR_BASE && address < PAGEPRESS_CORE_FLASH_BASE)
        return sensor((address - PAGEPRESS_CORE_SENSOR_BASE) / PAGEPRESS_CORE_SENSOR_STRIDE);
    switch (address) {
    case ADDRESS(CORE_TIMER, TIMER_MILLISECONDS):
        return milliseconds();
    case ADDRESS(CORE_MAILBOX, MAILBOX_REQUEST):
        return mailbox_state_ == PAGEPRESS_MAILBOX_STATE_REQUESTED && !mute() ? request_length_ : 0;
    case ADDRESS(CORE_SYSTEM, SYSTEM_REPORT):
        return report_;
    case ADDRESS(CORE_SYSTEM, SYSTEM_CLOCK):
        return Board::CYCLES_A_MILLISECOND;
    case ADDRESS(CORE_SYSTEM, SYSTEM_CAUSE):
        return cause_;
    case ADDRESS(CORE_SYSTEM, SYSTEM_THROTTLE):
        return throttle_;
    case ADDRESS(CORE_FLASH, FLASH_DATA):
        return flash_data_;
    case ADDRESS(CORE_FLASH, FLASH_LOCK):
        return flash_lock_model_locked();
    default:
        return 0;
    }
}

void ManagementModel::core_write(uint32_t address, uint32_t value) {
    pass(ACCESS_CYCLES);
    break_lanes();
    if (lane_model_write(address, value) || telemetry_model_write(address, value)) return;
    if (uint32_t* word = word_in(response_, PAGEPRESS_CORE_MAILBOX_BASE + PAGEPRESS_MAILBOX_RESPONSE_OFFSET, address)) {
        *word = value;
        return;
    }
    if (!flash_lock_model_write(address, value)) return;
    switch (address) {
    case ADDRESS(CORE_FLASH, FLASH_CONTROL):
        selected_ = value & PAGEPRESS_FLASH_CONTROL_SELECT_MASK;
        board_.flash.step(!selected_, false, false, ++cycle_);
        break;
    case ADDRESS(CORE_FLASH, FLASH_BYTE):
        flash_data_ = shift(value & 0xff, 8) << 24;
        break;
    case ADDRESS(CORE_FLASH, FLASH_WORD):
        flash_data_ = __builtin_bswap32(shift(__builtin_bswap32(value), 32));
        break;
    case ADDRESS(CORE_MAILBOX, MAILBOX_ANSWER):
        if (mailbox_state_ == PAGEPRESS_MAILBOX_STATE_REQUESTED) answer(std::min(value, PAGEPRESS_MAILBOX_BYTES));
        break;
    case ADDRESS(CORE_SYSTEM, SYSTEM_STAGE):
        stage_ = value & PAGEPRESS_CORE_STATUS_STAGE_MASK;
        break;
    case ADDRESS(CORE_SYSTEM, SYSTEM_REPORT):
        report_ = value;
        break;
    case ADDRESS(CORE_SYSTEM, SYSTEM_VERSION):
        version_ = value;
        break;
    case ADDRESS(CORE_SYSTEM, SYSTEM_HEARTBEAT):
        heartbeat_++;
        break;
    case ADDRESS(CORE_SYSTEM, SYSTEM_RESET):
        throw Reset{PAGEPRESS_RESET_CAUSE_FIRMWARE};
    case ADDRESS(CORE_SYSTEM, SYSTEM_THROTTLE):
        throttle_ = value & 3;
        break;
    case ADDRESS(CORE_TIMER, WATCHDOG_LIMIT):
        watchdog_limit_ = std::clamp(value, 1u, WATCHDOG_MOST);
        break;
    case ADDRESS(CORE_TIMER, WATCHDOG_FEED):
        fed_ = cycle_;
        break;
    case ADDRESS(CORE_LOG, LOG_EVENT):
        log_event_ = value;
        break;
    case ADDRESS(CORE_LOG, LOG_ARGUMENT):
        log((log_event_ & PAGEPRESS_LOG_EVENT_SEVERITY_MASK) >> PAGEPRESS_LOG_EVENT_SEVERITY_SHIFT, log_event_ & PAGEPRESS_LOG_EVENT_CODE_MASK, value);
        break;
    }
}

}  // namespace card

// What the hardware, the linker script and the boot ROM give the firmware.
extern "C" {
uint32_t register_read(uint32_t address) { return card::part->core_read(address); }
void register_write(uint32_t address, uint32_t value) { card::part->core_write(address, value); }
uint32_t stack_size(void) { return 0; }
uint32_t stack_used(void) { return 0; }
const pagepress_image_header* running_image(void) { return reinterpret_cast<const pagepress_image_header*>(card::ram.data()); }
uint32_t check_image(uint32_t offset, uint32_t floor, pagepress_image_header* header) { return image_check(offset, floor, header, nullptr); }

void free_memory(uint32_t** begin, uint32_t** end) {
    *begin = card::free_words.data();
    *end = *begin + card::free_words.size();
}
}
