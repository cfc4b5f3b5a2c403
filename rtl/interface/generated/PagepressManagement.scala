// SPDX-License-Identifier: Apache-2.0
// Made by rtl/interface/generate.py. Do not edit: change the TOML files there and run it again.
package pagepress.interface

import spinal.core._

/** Every number of the Pagepress management interface. */
object ManagementInterface {
  // Version
  val MANAGEMENT_INTERFACE_VERSION_MAJOR = 0x1 // interface version, major
  val MANAGEMENT_INTERFACE_VERSION_MINOR = 0x5 // interface version, minor
  val MANAGEMENT_INTERFACE_VERSION_VALUE = 0x10005 // what MANAGEMENT_VERSION reads as
  val MANAGEMENT_INTERFACE_HASH_LOW_VALUE = 0xd4c0b8f9L // what HASH_LOW reads as
  val MANAGEMENT_INTERFACE_HASH_HIGH_VALUE = 0x9eb53c95L // what HASH_HIGH reads as
  // Identity and limits
  val MANAGEMENT_MAGIC_VALUE = 0x474d4750 // what MANAGEMENT_MAGIC reads as: the letters PGMG
  val MANAGEMENT_WINDOW_OFFSET = 0x3000 // the host's window in BAR0 of a card, byte offset; it reads 0 in a card without management
  val MANAGEMENT_WINDOW_BYTES = 4096 // size of the host's window, bytes
  val MAILBOX_REQUEST_OFFSET = 0x100 // request buffer in the host's window and in CORE_MAILBOX, byte offset; the host writes it
  val MAILBOX_RESPONSE_OFFSET = 0x200 // response buffer in the host's window and in CORE_MAILBOX, byte offset; the firmware writes it
  val MAILBOX_BYTES = 256 // size of either buffer, bytes
  val LOG_OFFSET = 0x400 // event log in the host's window: LOG_ENTRIES times LogEntry; entry n stands at n modulo LOG_ENTRIES
  val LOG_ENTRIES = 0x20 // entries of the event log
  val TELEMETRY_OFFSET = 0x600 // telemetry page in the host's window and in CORE_TELEMETRY, byte offset; TelemetryHeader says how it is laid out
  val TELEMETRY_PAGE_BYTES = 2560 // room for the telemetry page, bytes
  val SENSOR_COUNT = 8 // channels of the sensor port
  val CORE_ROM_BASE = 0x0 // boot ROM, address of the management core
  val CORE_ROM_BYTES = 32768 // size of the boot ROM, bytes
  val CORE_RAM_BASE = 0x10000 // RAM, address of the management core; an image is loaded and entered here
  val CORE_RAM_BYTES = 65536 // size of the RAM, bytes
  val BOOT_WORKSPACE_BYTES = 8192 // upper end of the RAM that the boot ROM keeps for itself while it loads an image, bytes
  val LANE_COUNT = 16 // most lanes of a card; a lane is an engine with its window, verifier and guard. Decompressors come first
  val QUEUE_COUNT = 64 // most queues of a card
  val LANE_BUFFER_BYTES = 4096 // size of either buffer of the lanes' test, bytes
  val CORE_LANE_SOURCE_BASE = 0x80007000L // what the next test of a lane reads, address of the management core: LANE_BUFFER_BYTES, written in whole words, never read
  val CORE_LANE_SINK_BASE = 0x80008000L // what the last test of a lane gave, address of the management core: LANE_BUFFER_BYTES, read only
  val FLASH_SECTOR_BYTES = 4096 // what one erase of the flash makes ones, bytes
  val FLASH_PAGE_BYTES = 256 // most bytes of one program command, aligned
  val FLASH_RECORDS_OFFSET = 0x0 // two sectors of boot records in the flash, byte offset
  val FLASH_FLOOR_OFFSET = 0x2000 // two sectors of boot records of which the newest holds the version floor, byte offset; written by the boot ROM alone, before it locks them
  val FLASH_MAP_BYTES = 262144 // what all of this takes of the flash, bytes; no flash is smaller
  val FLASH_SLOT_A_OFFSET = 0x10000 // slot A in the flash, byte offset
  val FLASH_SLOT_B_OFFSET = 0x20000 // slot B in the flash, byte offset
  val IMAGE_MAX_BYTES = 57344 // most bytes of an image with its header: the RAM without the boot ROM's part
  val IMAGE_MAGIC_VALUE = 0x57464750 // first word of an image: the letters PGFW
  val IMAGE_TARGET_VALUE = 0x10002 // target of images for this core and memory map
  val SIGNATURE_BYTES = 64 // EdDSA signature over Curve25519 with BLAKE2b, over the whole image behind the signature, bytes
  // Slots
  val SLOT_A = 0x0 // slot A
  val SLOT_B = 0x1 // slot B
  val SLOT_NONE = 0xff // no slot
  // Stages
  val STAGE_RESET = 0x0 // in reset, or the boot ROM has not begun
  val STAGE_BOOTING = 0x1 // the boot ROM checks and loads an image
  val STAGE_RUNNING = 0x2 // an image runs
  val STAGE_FAILED = 0x3 // no slot holds an image that may run; BOOT_REPORT says why
  // Boot kinds
  val BOOT_NORMAL = 0x0 // the slot that was asked for, confirmed before
  val BOOT_TRIAL = 0x1 // a new image for the first time: it must confirm itself before the next reset
  val BOOT_FALLBACK = 0x2 // the other slot, as the one asked for failed its check or its trial
  // Reset causes
  val RESET_CAUSE_POWER = 0x0 // power-on, or reset of the card
  val RESET_CAUSE_HOST = 0x1 // the host held the core and let it go
  val RESET_CAUSE_WATCHDOG = 0x2 // the firmware did not feed the watchdog
  val RESET_CAUSE_FIRMWARE = 0x3 // the firmware asked for it
  // Mailbox states
  val MAILBOX_STATE_IDLE = 0x0 // no request since the core's first reset
  val MAILBOX_STATE_REQUESTED = 0x1 // the firmware has a request; the request buffer does not take writes
  val MAILBOX_STATE_ANSWERED = 0x2 // a response is there; length 0 means that the core was reset before it answered
  // Management statuses
  val MANAGEMENT_STATUS_OK = 0x0 // done
  val MANAGEMENT_STATUS_UNKNOWN_MESSAGE = 0x1 // this firmware has no message of that kind
  val MANAGEMENT_STATUS_BAD_LENGTH = 0x2 // the message is not of the length that its kind has
  val MANAGEMENT_STATUS_BAD_ARGUMENT = 0x3 // a value of the message is out of range
  val MANAGEMENT_STATUS_WRONG_STATE = 0x4 // not now: no update has begun, or parts of it are missing
  val MANAGEMENT_STATUS_FLASH_TIMEOUT = 0x5 // the flash does not answer
  val MANAGEMENT_STATUS_FLASH_FAILED = 0x6 // the flash does not hold what was written
  val MANAGEMENT_STATUS_SELF_TEST_FAILED = 0x7 // a part failed its test; the response says which
  val MANAGEMENT_STATUS_IMAGE_EMPTY = 0x10 // the slot is erased
  val MANAGEMENT_STATUS_IMAGE_BAD_MAGIC = 0x11 // no image: its first word is wrong
  val MANAGEMENT_STATUS_IMAGE_TRUNCATED = 0x12 // shorter than its header says, or than a header
  val MANAGEMENT_STATUS_IMAGE_TOO_LARGE = 0x13 // does not fit the slot or the RAM
  val MANAGEMENT_STATUS_IMAGE_WRONG_TARGET = 0x14 // made for another core or memory map
  val MANAGEMENT_STATUS_IMAGE_BAD_SIGNATURE = 0x15 // unsigned, signed with another key, or altered
  val MANAGEMENT_STATUS_IMAGE_TOO_OLD = 0x16 // its version is below the floor
  val MANAGEMENT_STATUS_IMAGE_TRIAL_FAILED = 0x17 // it was reset before it had confirmed itself
  val MANAGEMENT_STATUS_IMAGE_BAD_HEADER = 0x18 // its header contradicts itself: version 0, or a floor above the version
  // Messages
  val MESSAGE_PING = 0x1 // answers with the payload it was sent, of up to MAILBOX_BYTES less the header
  val MESSAGE_IDENTIFY = 0x2 // answers with Identity
  val MESSAGE_TELEMETRY = 0x3 // answers with Telemetry: one consistent snapshot
  val MESSAGE_SELF_TEST = 0x4 // tests the parts whose bits stand in argument (self_tests), 0 for all; answers with SelfTestResult
  val MESSAGE_UPDATE_BEGIN = 0x5 // argument: bytes of the image to come. Forgets an update that had begun. Goes to the slot that does not run
  val MESSAGE_UPDATE_DATA = 0x6 // argument: byte offset of the payload in the image, which must be what came before; pieces are multiples of 4 bytes but the last
  val MESSAGE_UPDATE_COMMIT = 0x7 // checks the image that has come; when it may run, the next reset of the core boots it on trial
  val MESSAGE_ROLLBACK = 0x8 // checks the slot that does not run; when it may run, the next reset of the core boots it, on trial unless it is the confirmed one
  val MESSAGE_RESET = 0x9 // answers, then resets the core: boots what the last UPDATE_COMMIT or ROLLBACK asked for
  val MESSAGE_SET_LIMITS = 0xa // argument: bits 15..0 temperature at which throttling begins, bits 31..16 at which it is hardest, in units of 0.01 degrees Celsius
  val MESSAGE_LANES = 0xb // argument: number of the first lane; answers with a Lane for each one from there, as many as fit: one consistent snapshot of each
  // Self tests
  val SELF_TEST_RAM = 0x1 // a RAM pattern test beside the running program
  val SELF_TEST_TIMER = 0x2 // milliseconds advance with the core's cycles
  val SELF_TEST_FLASH = 0x4 // the flash answers with an identity
  val SELF_TEST_SENSORS = 0x8 // temperature and voltages arrive and are plausible
  val SELF_TEST_IMAGE = 0x10 // the running image in its slot still passes its check
  // Log severities
  val SEVERITY_ERROR = 0x3 // something failed
  val SEVERITY_WARNING = 0x4 // something may fail
  val SEVERITY_INFO = 0x6 // something happened
  // Events
  val EVENT_CORE_RESET = 1 // the core was reset; argument: cause (reset_causes). Written by hardware
  val EVENT_BOOTED = 2 // an image runs; argument: its version
  val EVENT_SLOT_REFUSED = 3 // the boot ROM refused a slot; argument: slot in bits 15..8, status (management_statuses) in bits 7..0
  val EVENT_NO_IMAGE = 4 // no slot holds an image that may run
  val EVENT_CONFIRMED = 5 // a new image has confirmed itself; argument: its version
  val EVENT_UPDATE_BEGUN = 6 // argument: bytes to come
  val EVENT_UPDATE_ENDED = 7 // argument: status (management_statuses)
  val EVENT_SELF_TEST_ENDED = 8 // argument: bits that failed (self_tests)
  val EVENT_THROTTLED = 9 // argument: new throttle step
  val EVENT_SENSOR_SILENT = 10 // argument: channel whose value has not come for a second
  val EVENT_FLASH_TROUBLE = 11 // argument: status (management_statuses)
  val EVENT_MAILBOX_REFUSED = 12 // a request was refused; argument: kind in bits 15..0, status in bits 31..16
  val EVENT_LANE_ISOLATED = 13 // a lane was isolated; argument: lane in bits 7..0, cause (lane_causes) in bits 15..8
  val EVENT_LANE_FAILED = 14 // a lane did not pass its golden vectors; argument: lane in bits 7..0, the vector in bits 15..8, status of the card in bits 23..16
  val EVENT_LANE_RETURNED = 15 // a lane is in service again; argument: lane in bits 7..0, golden vectors that it passed in bits 15..8
  val EVENT_LANE_OUT = 16 // a lane failed three times in a row and stays out; argument: lane
  // Lane actions
  val LANE_ACTION_LOOK = 0x0 // nothing: only report
  val LANE_ACTION_ISOLATE = 0x1 // takes no command of the host's any more. Refused to the last healthy lane of its kind
  val LANE_ACTION_RESET = 0x2 // resets the lane alone. Refused unless it is isolated and idle; ends a test
  val LANE_ACTION_TEST = 0x3 // runs a page of the buffers. Refused unless the lane has been reset since it was isolated, and while any test runs
  val LANE_ACTION_RETURN = 0x4 // takes commands again. Refused while it is tested, and to a faulty lane that is not proven
  // Lane kinds
  val LANE_KIND_DECOMPRESS = 0x0 // decompresses
  val LANE_KIND_COMPRESS = 0x1 // compresses
  // Lane states
  val LANE_STATE_IN_SERVICE = 0x0 // takes commands
  val LANE_STATE_ISOLATED = 0x1 // takes none, and ends those it has
  val LANE_STATE_TESTED = 0x2 // has been reset, and runs golden vectors
  val LANE_STATE_OUT = 0x3 // has failed three times in a row and stays out
  val LANE_STATE_RESTING = 0x4 // takes none while the card is hot; nothing is wrong with it
  // Lane causes
  val LANE_CAUSE_NONE = 0x0 // no trouble
  val LANE_CAUSE_FAULT = 0x1 // its engine hung or broke its contract
  val LANE_CAUSE_VERIFY = 0x2 // it found many of its own pages badly compressed
  val LANE_CAUSE_TEST = 0x3 // it did not pass a test
  // Sensors
  val SENSOR_TEMPERATURE = 0x0 // die; degrees Celsius are code x 509.3140064 / 65536 - 280.2308787
  val SENSOR_VOLTAGE_CORE = 0x1 // core supply; volts are code x 3 / 65536, as of the next two
  val SENSOR_VOLTAGE_AUX = 0x2 // auxiliary supply
  val SENSOR_VOLTAGE_MEMORY = 0x3 // memory supply
  // Registers: MANAGEMENT
  val MANAGEMENT_BASE = 0x0 // The host's window
  val REGISTER_MANAGEMENT_MAGIC = 0x0 // ro: identifies the window; a card without management reads 0
  val REGISTER_MANAGEMENT_VERSION = 0x4 // ro: version of this interface
  val MANAGEMENT_VERSION_MINOR_SHIFT = 0 // minor version
  val MANAGEMENT_VERSION_MINOR_WIDTH = 16 // bits of MANAGEMENT_VERSION_MINOR
  val MANAGEMENT_VERSION_MINOR_MASK = 0xffff // MANAGEMENT_VERSION_MINOR in place
  val MANAGEMENT_VERSION_MAJOR_SHIFT = 16 // major version
  val MANAGEMENT_VERSION_MAJOR_WIDTH = 16 // bits of MANAGEMENT_VERSION_MAJOR
  val MANAGEMENT_VERSION_MAJOR_MASK = 0xffff0000L // MANAGEMENT_VERSION_MAJOR in place
  val REGISTER_CORE_CONTROL = 0x8 // rw: control of the core
  val CORE_CONTROL_HOLD_SHIFT = 0 // 1: the core is in reset; going to 0 boots it
  val CORE_CONTROL_HOLD_WIDTH = 1 // bits of CORE_CONTROL_HOLD
  val CORE_CONTROL_HOLD_MASK = 0x1 // CORE_CONTROL_HOLD in place
  val REGISTER_CORE_STATUS = 0xc // ro: status of the core
  val CORE_STATUS_STAGE_SHIFT = 0 // how far it is (stages); 0 while it is in reset
  val CORE_STATUS_STAGE_WIDTH = 8 // bits of CORE_STATUS_STAGE
  val CORE_STATUS_STAGE_MASK = 0xff // CORE_STATUS_STAGE in place
  val CORE_STATUS_CAUSE_SHIFT = 8 // cause of the last reset (reset_causes)
  val CORE_STATUS_CAUSE_WIDTH = 8 // bits of CORE_STATUS_CAUSE
  val CORE_STATUS_CAUSE_MASK = 0xff00 // CORE_STATUS_CAUSE in place
  val CORE_STATUS_BITES_SHIFT = 16 // resets by the watchdog since power-on, modulo 65536
  val CORE_STATUS_BITES_WIDTH = 16 // bits of CORE_STATUS_BITES
  val CORE_STATUS_BITES_MASK = 0xffff0000L // CORE_STATUS_BITES in place
  val REGISTER_HEARTBEAT = 0x10 // ro: counts up at least ten times a second while the firmware runs
  val REGISTER_BOOT_REPORT = 0x14 // ro: what the boot ROM did; 0 while the core is in reset
  val BOOT_REPORT_SLOT_SHIFT = 0 // slot that runs (slots)
  val BOOT_REPORT_SLOT_WIDTH = 8 // bits of BOOT_REPORT_SLOT
  val BOOT_REPORT_SLOT_MASK = 0xff // BOOT_REPORT_SLOT in place
  val BOOT_REPORT_STATUS_A_SHIFT = 8 // what was found in slot A (management_statuses); OK if it was not looked at
  val BOOT_REPORT_STATUS_A_WIDTH = 8 // bits of BOOT_REPORT_STATUS_A
  val BOOT_REPORT_STATUS_A_MASK = 0xff00 // BOOT_REPORT_STATUS_A in place
  val BOOT_REPORT_STATUS_B_SHIFT = 16 // the same of slot B
  val BOOT_REPORT_STATUS_B_WIDTH = 8 // bits of BOOT_REPORT_STATUS_B
  val BOOT_REPORT_STATUS_B_MASK = 0xff0000 // BOOT_REPORT_STATUS_B in place
  val BOOT_REPORT_KIND_SHIFT = 24 // how it came to this slot (boot_kinds)
  val BOOT_REPORT_KIND_WIDTH = 8 // bits of BOOT_REPORT_KIND
  val BOOT_REPORT_KIND_MASK = 0xff000000L // BOOT_REPORT_KIND in place
  val REGISTER_FIRMWARE_VERSION = 0x18 // ro: version of the running image; 0 while none runs
  val REGISTER_MAILBOX_SEND = 0x1c // wo: bytes of the request that stands in the request buffer, 1 to MAILBOX_BYTES: hands it over. Ignored while a request is open
  val REGISTER_MAILBOX_STATUS = 0x20 // ro: status of the mailbox
  val MAILBOX_STATUS_STATE_SHIFT = 0 // whose turn it is (mailbox_states)
  val MAILBOX_STATUS_STATE_WIDTH = 8 // bits of MAILBOX_STATUS_STATE
  val MAILBOX_STATUS_STATE_MASK = 0xff // MAILBOX_STATUS_STATE in place
  val MAILBOX_STATUS_LENGTH_SHIFT = 16 // bytes of the response
  val MAILBOX_STATUS_LENGTH_WIDTH = 16 // bits of MAILBOX_STATUS_LENGTH
  val MAILBOX_STATUS_LENGTH_MASK = 0xffff0000L // MAILBOX_STATUS_LENGTH in place
  val REGISTER_LOG_NEXT = 0x24 // ro: entries ever written to the event log
  val REGISTER_UPTIME = 0x28 // ro: milliseconds since power-on, modulo 2^32
  val REGISTER_THROTTLE = 0x2c // ro: throttle step of the firmware, 0 (none) to 3; 0 while the core is in reset
  val REGISTER_TELEMETRY_TAKE = 0x30 // wo: any write: the telemetry page shows the newest snapshot from now on, until the next write
  val REGISTER_TELEMETRY_SEQUENCE = 0x34 // ro: number of the snapshot that the telemetry page shows, from 1; 0: none, the page means nothing. Two reads of the same number: what was read between them is of one snapshot
  // Registers: CORE_SYSTEM
  val CORE_SYSTEM_BASE = 0x80000000L // The core itself
  val REGISTER_SYSTEM_STAGE = 0x0 // wo: CORE_STATUS.STAGE
  val REGISTER_SYSTEM_REPORT = 0x4 // rw: BOOT_REPORT
  val REGISTER_SYSTEM_VERSION = 0x8 // wo: FIRMWARE_VERSION
  val REGISTER_SYSTEM_HEARTBEAT = 0xc // wo: any write counts HEARTBEAT up
  val REGISTER_SYSTEM_RESET = 0x10 // wo: any write resets the core
  val REGISTER_SYSTEM_CLOCK = 0x14 // ro: clock of the core, kilohertz
  val REGISTER_SYSTEM_CAUSE = 0x18 // ro: cause of the last reset (reset_causes)
  val REGISTER_SYSTEM_THROTTLE = 0x1c // rw: throttle step, 0 (none) to 3
  // Registers: CORE_TIMER
  val CORE_TIMER_BASE = 0x80001000L // Time and watchdog
  val REGISTER_TIMER_MILLISECONDS = 0x0 // ro: milliseconds since power-on, modulo 2^32
  val REGISTER_WATCHDOG_LIMIT = 0x4 // rw: milliseconds without food after which the core is reset, 1 to 65535; 0 counts as 1. It cannot be switched off
  val REGISTER_WATCHDOG_FEED = 0x8 // wo: any write feeds it
  // Registers: CORE_MAILBOX
  val CORE_MAILBOX_BASE = 0x80002000L // The mailbox; its buffers stand at MAILBOX_REQUEST_OFFSET and MAILBOX_RESPONSE_OFFSET
  val REGISTER_MAILBOX_REQUEST = 0x0 // ro: bytes of the open request; 0: none
  val REGISTER_MAILBOX_ANSWER = 0x4 // wo: bytes of the response that stands in the response buffer: ends the request
  // Registers: CORE_LOG
  val CORE_LOG_BASE = 0x80003000L // The event log
  val REGISTER_LOG_EVENT = 0x0 // rw: of the entry to be written
  val LOG_EVENT_CODE_SHIFT = 0 // events
  val LOG_EVENT_CODE_WIDTH = 16 // bits of LOG_EVENT_CODE
  val LOG_EVENT_CODE_MASK = 0xffff // LOG_EVENT_CODE in place
  val LOG_EVENT_SEVERITY_SHIFT = 16 // log_severities
  val LOG_EVENT_SEVERITY_WIDTH = 8 // bits of LOG_EVENT_SEVERITY
  val LOG_EVENT_SEVERITY_MASK = 0xff0000 // LOG_EVENT_SEVERITY in place
  val REGISTER_LOG_ARGUMENT = 0x4 // wo: argument: writes the entry
  // Registers: CORE_SENSOR
  val CORE_SENSOR_BASE = 0x80004000L // The sensor port
  val CORE_SENSOR_STRIDE = 0x4 // bytes from one copy to the next
  val CORE_SENSOR_COUNT = 8 // copies
  val REGISTER_SENSOR = 0x0 // ro: one channel
  val SENSOR_CODE_SHIFT = 0 // last value that came
  val SENSOR_CODE_WIDTH = 16 // bits of SENSOR_CODE
  val SENSOR_CODE_MASK = 0xffff // SENSOR_CODE in place
  val SENSOR_UPDATES_SHIFT = 16 // values that have come, modulo 65536
  val SENSOR_UPDATES_WIDTH = 16 // bits of SENSOR_UPDATES
  val SENSOR_UPDATES_MASK = 0xffff0000L // SENSOR_UPDATES in place
  // Registers: CORE_FLASH
  val CORE_FLASH_BASE = 0x80005000L // The flash port: SPI mode 0, most significant bit first
  val REGISTER_FLASH_CONTROL = 0x0 // rw: control
  val FLASH_CONTROL_SELECT_SHIFT = 0 // 1: chip select is low
  val FLASH_CONTROL_SELECT_WIDTH = 1 // bits of FLASH_CONTROL_SELECT
  val FLASH_CONTROL_SELECT_MASK = 0x1 // FLASH_CONTROL_SELECT in place
  val FLASH_CONTROL_DIVIDER_SHIFT = 8 // half a period of the SPI clock in cycles of the core, less one
  val FLASH_CONTROL_DIVIDER_WIDTH = 8 // bits of FLASH_CONTROL_DIVIDER
  val FLASH_CONTROL_DIVIDER_MASK = 0xff00 // FLASH_CONTROL_DIVIDER in place
  val REGISTER_FLASH_STATUS = 0x4 // ro: 1: a transfer is under way
  val REGISTER_FLASH_BYTE = 0x8 // wo: begins a transfer of bits 7..0; ignored during one
  val REGISTER_FLASH_WORD = 0xc // wo: begins a transfer of four bytes, bits 7..0 first; ignored during one
  val REGISTER_FLASH_DATA = 0x10 // ro: what came in during the last transfer: of a byte in bits 31..24, of a word first in bits 7..0
  val REGISTER_FLASH_LOCK = 0x14 // rw: any write locks the sectors of the version floor until the core's next reset; reads 1 then. Locked, the port ignores a transfer that begins a command (the first one after a select) unless it is a byte 05, 06 or 9F, or a word with command 03 and an address, or with 02 or 20 and an address below FLASH_MAP_BYTES and outside of those sectors
  // Registers: CORE_LANES
  val CORE_LANES_BASE = 0x80006000L // The lanes. An action is on one of them, and is answered with a report of that lane as it was a few cycles later; none is answered while the card's clock stands
  val REGISTER_LANES_PRESENT = 0x0 // ro: what there is
  val LANES_PRESENT_LANES_SHIFT = 0 // a bit for each lane that there is
  val LANES_PRESENT_LANES_WIDTH = 16 // bits of LANES_PRESENT_LANES
  val LANES_PRESENT_LANES_MASK = 0xffff // LANES_PRESENT_LANES in place
  val LANES_PRESENT_COMPRESSORS_SHIFT = 16 // a bit for each of them that compresses
  val LANES_PRESENT_COMPRESSORS_WIDTH = 16 // bits of LANES_PRESENT_COMPRESSORS
  val LANES_PRESENT_COMPRESSORS_MASK = 0xffff0000L // LANES_PRESENT_COMPRESSORS in place
  val REGISTER_LANES_PAGE = 0x4 // ro: bytes of a page
  val REGISTER_LANE_ACTION = 0x8 // wo: begins an action; ignored while one is under way
  val LANE_ACTION_LANE_SHIFT = 0 // which
  val LANE_ACTION_LANE_WIDTH = 4 // bits of LANE_ACTION_LANE
  val LANE_ACTION_LANE_MASK = 0xf // LANE_ACTION_LANE in place
  val LANE_ACTION_ACTION_SHIFT = 8 // lane_actions
  val LANE_ACTION_ACTION_WIDTH = 3 // bits of LANE_ACTION_ACTION
  val LANE_ACTION_ACTION_MASK = 0x700 // LANE_ACTION_ACTION in place
  val LANE_ACTION_LENGTH_SHIFT = 16 // TEST of a decompressor: bytes of the stream. A compressor takes a page; where that is longer than the buffer, the buffer again and again
  val LANE_ACTION_LENGTH_WIDTH = 13 // bits of LANE_ACTION_LENGTH
  val LANE_ACTION_LENGTH_MASK = 0x1fff0000 // LANE_ACTION_LENGTH in place
  val REGISTER_LANE_BUSY = 0xc // ro: 1: an action is under way; the report below is of the one before
  val REGISTER_LANE_REPORT = 0x10 // ro: state of the lane
  val LANE_REPORT_DONE_SHIFT = 0 // 1: the action was done, 0: refused
  val LANE_REPORT_DONE_WIDTH = 1 // bits of LANE_REPORT_DONE
  val LANE_REPORT_DONE_MASK = 0x1 // LANE_REPORT_DONE in place
  val LANE_REPORT_ISOLATED_SHIFT = 1 // 1: takes no commands
  val LANE_REPORT_ISOLATED_WIDTH = 1 // bits of LANE_REPORT_ISOLATED
  val LANE_REPORT_ISOLATED_MASK = 0x2 // LANE_REPORT_ISOLATED in place
  val LANE_REPORT_FAULTY_SHIFT = 2 // 1: its engine has given a page up since READY rose or the lane returned; it gets no commands while there is another
  val LANE_REPORT_FAULTY_WIDTH = 1 // bits of LANE_REPORT_FAULTY
  val LANE_REPORT_FAULTY_MASK = 0x4 // LANE_REPORT_FAULTY in place
  val LANE_REPORT_IDLE_SHIFT = 3 // 1: no command of the host's in it, nothing outstanding on the bus
  val LANE_REPORT_IDLE_WIDTH = 1 // bits of LANE_REPORT_IDLE
  val LANE_REPORT_IDLE_MASK = 0x8 // LANE_REPORT_IDLE in place
  val LANE_REPORT_FRESH_SHIFT = 4 // 1: it has been reset since it was isolated
  val LANE_REPORT_FRESH_WIDTH = 1 // bits of LANE_REPORT_FRESH
  val LANE_REPORT_FRESH_MASK = 0x10 // LANE_REPORT_FRESH in place
  val LANE_REPORT_PROVEN_SHIFT = 5 // 1: its last test since its reset ended with SUCCESS
  val LANE_REPORT_PROVEN_WIDTH = 1 // bits of LANE_REPORT_PROVEN
  val LANE_REPORT_PROVEN_MASK = 0x20 // LANE_REPORT_PROVEN in place
  val LANE_REPORT_TESTING_SHIFT = 6 // 1: its test runs
  val LANE_REPORT_TESTING_WIDTH = 1 // bits of LANE_REPORT_TESTING
  val LANE_REPORT_TESTING_MASK = 0x40 // LANE_REPORT_TESTING in place
  val LANE_REPORT_STATUS_SHIFT = 16 // how the last test of any lane ended: a status of the card
  val LANE_REPORT_STATUS_WIDTH = 8 // bits of LANE_REPORT_STATUS
  val LANE_REPORT_STATUS_MASK = 0xff0000 // LANE_REPORT_STATUS in place
  val REGISTER_LANE_PAGES = 0x14 // ro: commands of the host's that it has ended since power-on, modulo 2^32
  val REGISTER_LANE_CYCLES = 0x18 // ro: cycles of the card's clock with any of them in it, since power-on, modulo 2^32
  val REGISTER_LANE_TROUBLE = 0x1c // ro: what went wrong since power-on
  val LANE_TROUBLE_VERIFY_FAILURES_SHIFT = 0 // pages that it found badly compressed, modulo 65536
  val LANE_TROUBLE_VERIFY_FAILURES_WIDTH = 16 // bits of LANE_TROUBLE_VERIFY_FAILURES
  val LANE_TROUBLE_VERIFY_FAILURES_MASK = 0xffff // LANE_TROUBLE_VERIFY_FAILURES in place
  val LANE_TROUBLE_RESETS_SHIFT = 16 // resets of the lane alone, modulo 65536
  val LANE_TROUBLE_RESETS_WIDTH = 16 // bits of LANE_TROUBLE_RESETS
  val LANE_TROUBLE_RESETS_MASK = 0xffff0000L // LANE_TROUBLE_RESETS in place
  val REGISTER_LANE_LENGTH = 0x20 // ro: bytes that the last test gave; the first LANE_BUFFER_BYTES of them are in the buffer
  val REGISTER_LANE_CRC32C = 0x24 // ro: CRC32C of its plain page, as the lane says
  val REGISTER_LANE_DETAIL = 0x28 // ro: of a compressor: CRC32C of the stream, as the lane says
  // Registers: CORE_TELEMETRY
  val CORE_TELEMETRY_BASE = 0x80009000L // The telemetry page that is being written, at TELEMETRY_OFFSET: whole words, never read. The host sees it once it is published; what stands in it then is of an older snapshot
  val REGISTER_TELEMETRY_PUBLISH = 0x0 // rw: any write: what has been written is the newest snapshot; a read gives the number of snapshots published since power-on, modulo 2^32
  // Registers: CORE_MONITOR
  val CORE_MONITOR_BASE = 0x8000a000L // The monitor of the card's queues and of its link. Each request is answered with a report as of a few hundred cycles later; none is answered while the card's clock stands
  val REGISTER_MONITOR_QUEUES = 0x0 // ro: queues that there are
  val REGISTER_MONITOR_ASK = 0x4 // wo: number of a queue: asks for a report of it and of the link; ignored while a report is to come
  val REGISTER_MONITOR_BUSY = 0x8 // ro: 1: a report is to come; the one below is of the request before
  val REGISTER_MONITOR_CYCLES_LOW = 0xc // ro: cycles of the card's clock since power-on, bits 31..0
  val REGISTER_MONITOR_CYCLES_HIGH = 0x10 // ro: bits 63..32
  val REGISTER_MONITOR_DEPTH = 0x14 // ro: commands that the host has submitted to the queue and whose completion is not begun
  val MONITOR_DEPTH_NOW_SHIFT = 0 // at the report
  val MONITOR_DEPTH_NOW_WIDTH = 16 // bits of MONITOR_DEPTH_NOW
  val MONITOR_DEPTH_NOW_MASK = 0xffff // MONITOR_DEPTH_NOW in place
  val MONITOR_DEPTH_PEAK_SHIFT = 16 // most since the last report of this queue
  val MONITOR_DEPTH_PEAK_WIDTH = 16 // bits of MONITOR_DEPTH_PEAK
  val MONITOR_DEPTH_PEAK_MASK = 0xffff0000L // MONITOR_DEPTH_PEAK in place
  val REGISTER_MONITOR_COMMANDS = 0x18 // ro: commands that have stopped waiting, since power-on, modulo 2^32
  val REGISTER_MONITOR_DEPTH_CYCLES_LOW = 0x1c // ro: sum of the queue's depth over all cycles since power-on, bits 31..0; sampled every MONITOR_SAMPLE_CYCLES
  val REGISTER_MONITOR_DEPTH_CYCLES_HIGH = 0x20 // ro: bits 63..32
  val REGISTER_MONITOR_WAITING_CYCLES_LOW = 0x24 // ro: the same sum of those commands that no engine has taken yet, bits 31..0
  val REGISTER_MONITOR_WAITING_CYCLES_HIGH = 0x28 // ro: bits 63..32
  val REGISTER_MONITOR_COMPLETIONS_FAULTED = 0x2c // ro: completions of reads of the host's memory that bore an error, since power-on, modulo 2^32, as the next ones
  val REGISTER_MONITOR_READS_OVERDUE = 0x30 // ro: reads that did not come back in time
  val REGISTER_MONITOR_WRITES_FAILED = 0x34 // ro: bursts of writes that were dropped, or of which the link did not say in time that they had gone
  val REGISTER_MONITOR_COMPLETIONS_UNEXPECTED = 0x38 // ro: completions that came for no read, and were dropped
  val REGISTER_MONITOR_SAMPLE_CYCLES = 0x3c // ro: cycles between two samples of a queue
  // Descriptors
  val MESSAGE_HEADER_BYTES = 8 // head of every request and response; the payload follows
  val MESSAGE_HEADER_KIND_OFFSET = 0x0 // byte offset of kind
  val MESSAGE_HEADER_TAG_OFFSET = 0x2 // byte offset of tag
  val MESSAGE_HEADER_ARGUMENT_OFFSET = 0x4 // byte offset of argument
  val LOG_ENTRY_BYTES = 16 // one event
  val LOG_ENTRY_NUMBER_OFFSET = 0x0 // byte offset of number
  val LOG_ENTRY_TIME_OFFSET = 0x4 // byte offset of time
  val LOG_ENTRY_CODE_OFFSET = 0x8 // byte offset of code
  val LOG_ENTRY_SEVERITY_OFFSET = 0xa // byte offset of severity
  val LOG_ENTRY_RESERVED_OFFSET = 0xb // byte offset of reserved
  val LOG_ENTRY_ARGUMENT_OFFSET = 0xc // byte offset of argument
  val IMAGE_HEADER_BYTES = 96 // head of an image; the program follows, and the signature is over all bytes behind the signature
  val IMAGE_HEADER_SIGNATURE_OFFSET = 0x0 // byte offset of signature
  val IMAGE_HEADER_MAGIC_OFFSET = 0x40 // byte offset of magic
  val IMAGE_HEADER_TARGET_OFFSET = 0x44 // byte offset of target
  val IMAGE_HEADER_LENGTH_OFFSET = 0x48 // byte offset of length
  val IMAGE_HEADER_VERSION_OFFSET = 0x4c // byte offset of version
  val IMAGE_HEADER_FLOOR_OFFSET = 0x50 // byte offset of floor
  val IMAGE_HEADER_MEMORY_OFFSET = 0x54 // byte offset of memory
  val IMAGE_HEADER_RESERVED_OFFSET = 0x58 // byte offset of reserved
  val BOOT_RECORD_BYTES = 16 // what the next reset boots; the intact one with the highest number counts
  val BOOT_RECORD_NUMBER_OFFSET = 0x0 // byte offset of number
  val BOOT_RECORD_FLOOR_OFFSET = 0x4 // byte offset of floor
  val BOOT_RECORD_SLOT_OFFSET = 0x8 // byte offset of slot
  val BOOT_RECORD_TRIAL_OFFSET = 0x9 // byte offset of trial
  val BOOT_RECORD_RESERVED_OFFSET = 0xa // byte offset of reserved
  val BOOT_RECORD_CRC32C_OFFSET = 0xc // byte offset of crc32c
  val IDENTITY_BYTES = 32 // payload of IDENTIFY's response
  val IDENTITY_VERSION_OFFSET = 0x0 // byte offset of version
  val IDENTITY_SLOT_OFFSET = 0x4 // byte offset of slot
  val IDENTITY_TRIAL_OFFSET = 0x5 // byte offset of trial
  val IDENTITY_NEXT_SLOT_OFFSET = 0x6 // byte offset of next_slot
  val IDENTITY_OTHER_STATUS_OFFSET = 0x7 // byte offset of other_status
  val IDENTITY_OTHER_VERSION_OFFSET = 0x8 // byte offset of other_version
  val IDENTITY_FLOOR_OFFSET = 0xc // byte offset of floor
  val IDENTITY_FLASH_ID_OFFSET = 0x10 // byte offset of flash_id
  val IDENTITY_INTERFACE_OFFSET = 0x14 // byte offset of interface
  val IDENTITY_RESERVED_OFFSET = 0x18 // byte offset of reserved
  val SELF_TEST_RESULT_BYTES = 8 // payload of SELF_TEST's response
  val SELF_TEST_RESULT_RAN_OFFSET = 0x0 // byte offset of ran
  val SELF_TEST_RESULT_FAILED_OFFSET = 0x4 // byte offset of failed
  val TELEMETRY_BYTES = 56 // payload of TELEMETRY's response; minor versions add at the end
  val TELEMETRY_UPTIME_OFFSET = 0x0 // byte offset of uptime
  val TELEMETRY_RUNNING_OFFSET = 0x4 // byte offset of running
  val TELEMETRY_TEMPERATURE_OFFSET = 0x8 // byte offset of temperature
  val TELEMETRY_TEMPERATURE_PEAK_OFFSET = 0xc // byte offset of temperature_peak
  val TELEMETRY_VOLTAGE_CORE_OFFSET = 0x10 // byte offset of voltage_core
  val TELEMETRY_VOLTAGE_AUX_OFFSET = 0x12 // byte offset of voltage_aux
  val TELEMETRY_VOLTAGE_MEMORY_OFFSET = 0x14 // byte offset of voltage_memory
  val TELEMETRY_THROTTLE_OFFSET = 0x16 // byte offset of throttle
  val TELEMETRY_SENSORS_SILENT_OFFSET = 0x17 // byte offset of sensors_silent
  val TELEMETRY_MESSAGES_OFFSET = 0x18 // byte offset of messages
  val TELEMETRY_MESSAGES_REFUSED_OFFSET = 0x1c // byte offset of messages_refused
  val TELEMETRY_FLASH_ERRORS_OFFSET = 0x20 // byte offset of flash_errors
  val TELEMETRY_THROTTLE_TIME_OFFSET = 0x24 // byte offset of throttle_time
  val TELEMETRY_STACK_USED_OFFSET = 0x28 // byte offset of stack_used
  val TELEMETRY_STACK_SIZE_OFFSET = 0x2a // byte offset of stack_size
  val TELEMETRY_LOOP_LONGEST_OFFSET = 0x2c // byte offset of loop_longest
  val TELEMETRY_SELF_TEST_FAILED_OFFSET = 0x30 // byte offset of self_test_failed
  val TELEMETRY_TEMPERATURE_BEGIN_OFFSET = 0x34 // byte offset of temperature_begin
  val TELEMETRY_TEMPERATURE_HARDEST_OFFSET = 0x36 // byte offset of temperature_hardest
  val LANE_BYTES = 32 // one lane, in LANES' response; counts are of the time since the image was entered
  val LANE_NUMBER_OFFSET = 0x0 // byte offset of number
  val LANE_KIND_OFFSET = 0x1 // byte offset of kind
  val LANE_STATE_OFFSET = 0x2 // byte offset of state
  val LANE_CAUSE_OFFSET = 0x3 // byte offset of cause
  val LANE_FAILURES_OFFSET = 0x4 // byte offset of failures
  val LANE_RESERVED_OFFSET = 0x5 // byte offset of reserved
  val LANE_VERIFY_FAILURES_OFFSET = 0x8 // byte offset of verify_failures
  val LANE_RESETS_OFFSET = 0xc // byte offset of resets
  val LANE_PAGES_OFFSET = 0x10 // byte offset of pages
  val LANE_CYCLES_OFFSET = 0x18 // byte offset of cycles
  val TELEMETRY_HEADER_BYTES = 40 // head of the telemetry page. Behind it stand, each right behind the one before: a Telemetry, a TelemetryLink, a Lane for each lane and a TelemetryQueue for each queue from 0 on. All counts are of the time since the image was entered. A reader steps by the sizes that stand here, as minor versions add at the end of each part
  val TELEMETRY_HEADER_LENGTH_OFFSET = 0x0 // byte offset of length
  val TELEMETRY_HEADER_HEADER_BYTES_OFFSET = 0x2 // byte offset of header_bytes
  val TELEMETRY_HEADER_TELEMETRY_BYTES_OFFSET = 0x4 // byte offset of telemetry_bytes
  val TELEMETRY_HEADER_LINK_BYTES_OFFSET = 0x6 // byte offset of link_bytes
  val TELEMETRY_HEADER_LANE_BYTES_OFFSET = 0x8 // byte offset of lane_bytes
  val TELEMETRY_HEADER_QUEUE_BYTES_OFFSET = 0xa // byte offset of queue_bytes
  val TELEMETRY_HEADER_LANES_OFFSET = 0xc // byte offset of lanes
  val TELEMETRY_HEADER_QUEUES_OFFSET = 0xd // byte offset of queues
  val TELEMETRY_HEADER_SAMPLE_CYCLES_OFFSET = 0xe // byte offset of sample_cycles
  val TELEMETRY_HEADER_INTERFACE_OFFSET = 0x10 // byte offset of interface
  val TELEMETRY_HEADER_BEGAN_OFFSET = 0x14 // byte offset of began
  val TELEMETRY_HEADER_PUBLISHED_OFFSET = 0x18 // byte offset of published
  val TELEMETRY_HEADER_RESERVED_OFFSET = 0x1c // byte offset of reserved
  val TELEMETRY_HEADER_CYCLES_OFFSET = 0x20 // byte offset of cycles
  val TELEMETRY_LINK_BYTES = 16 // what went wrong between the card and the host's memory
  val TELEMETRY_LINK_COMPLETIONS_FAULTED_OFFSET = 0x0 // byte offset of completions_faulted
  val TELEMETRY_LINK_READS_OVERDUE_OFFSET = 0x4 // byte offset of reads_overdue
  val TELEMETRY_LINK_WRITES_FAILED_OFFSET = 0x8 // byte offset of writes_failed
  val TELEMETRY_LINK_COMPLETIONS_UNEXPECTED_OFFSET = 0xc // byte offset of completions_unexpected
  val TELEMETRY_QUEUE_BYTES = 24 // one queue
  val TELEMETRY_QUEUE_DEPTH_OFFSET = 0x0 // byte offset of depth
  val TELEMETRY_QUEUE_DEPTH_PEAK_OFFSET = 0x2 // byte offset of depth_peak
  val TELEMETRY_QUEUE_COMMANDS_OFFSET = 0x4 // byte offset of commands
  val TELEMETRY_QUEUE_DEPTH_CYCLES_OFFSET = 0x8 // byte offset of depth_cycles
  val TELEMETRY_QUEUE_WAITING_CYCLES_OFFSET = 0x10 // byte offset of waiting_cycles
}

/** head of every request and response; the payload follows */
case class MessageHeader() extends Bundle {
  val kind = Bits(16 bits) // what it is (messages); the same in the response
  val tag = Bits(16 bits) // returned in the response, not interpreted
  val argument = Bits(32 bits) // of a request: depends on its kind, else 0; of a response: status (management_statuses)
  assert(getBitsWidth == 8 * 8)
}

/** one event */
case class LogEntry() extends Bundle {
  val number = Bits(32 bits) // entries written before this one, modulo 2^32: tells an entry that was overwritten while it was read
  val time = Bits(32 bits) // milliseconds since power-on, modulo 2^32
  val code = Bits(16 bits) // events
  val severity = Bits(8 bits) // log_severities
  val reserved = Bits(8 bits) // 0
  val argument = Bits(32 bits) // depends on the code
  assert(getBitsWidth == 16 * 8)
}

/** head of an image; the program follows, and the signature is over all bytes behind the signature */
case class ImageHeader() extends Bundle {
  val signature = Bits(512 bits) // EdDSA over Curve25519 with BLAKE2b: R, then s
  val magic = Bits(32 bits) // IMAGE_MAGIC_VALUE
  val target = Bits(32 bits) // IMAGE_TARGET_VALUE
  val length = Bits(32 bits) // bytes of the image with this header; a multiple of 4
  val version = Bits(32 bits) // of the image, 1 or more; shown as FIRMWARE_VERSION: major, minor, patch in bits 31..24, 23..16, 15..0
  val floor = Bits(32 bits) // when this image is confirmed, images of lower versions are refused; not above version
  val memory = Bits(32 bits) // RAM that it uses from its first byte on, stack included, bytes
  val reserved = Bits(64 bits) // 0
  assert(getBitsWidth == 96 * 8)
}

/** what the next reset boots; the intact one with the highest number counts */
case class BootRecord() extends Bundle {
  val number = Bits(32 bits) // one more than of the record before; never 0xffffffff
  val floor = Bits(32 bits) // versions below it are refused. What stands at FLASH_FLOOR_OFFSET counts, too; the boot ROM raises that to this when it enters an image
  val slot = Bits(8 bits) // slot to boot (slots)
  val trial = Bits(8 bits) // 1: boot it on trial; 2: its trial has begun; 0: it is confirmed
  val reserved = Bits(16 bits) // 0
  val crc32c = Bits(32 bits) // CRC32C of the bytes before
  assert(getBitsWidth == 16 * 8)
}

/** payload of IDENTIFY's response */
case class Identity() extends Bundle {
  val version = Bits(32 bits) // of the running image
  val slot = Bits(8 bits) // it runs from (slots)
  val trial = Bits(8 bits) // 1: it has not confirmed itself
  val nextSlot = Bits(8 bits) // the next reset boots (slots)
  val otherStatus = Bits(8 bits) // of the other slot's header (management_statuses); its signature is not looked at
  val otherVersion = Bits(32 bits) // of the image in the other slot; 0 if there is none
  val floor = Bits(32 bits) // versions below it are refused
  val flashId = Bits(32 bits) // JEDEC identity of the flash, bits 23..0; 0 if it does not answer
  val interface = Bits(32 bits) // version of this interface that the image was made for
  val reserved = Bits(64 bits) // 0
  assert(getBitsWidth == 32 * 8)
}

/** payload of SELF_TEST's response */
case class SelfTestResult() extends Bundle {
  val ran = Bits(32 bits) // bits of the tests that ran (self_tests)
  val failed = Bits(32 bits) // bits of those that failed
  assert(getBitsWidth == 8 * 8)
}

/** payload of TELEMETRY's response; minor versions add at the end */
case class Telemetry() extends Bundle {
  val uptime = Bits(32 bits) // milliseconds since power-on, modulo 2^32
  val running = Bits(32 bits) // milliseconds since this image was entered, modulo 2^32
  val temperature = Bits(32 bits) // of the die, units of 0.01 degrees Celsius, two's complement
  val temperaturePeak = Bits(32 bits) // highest since the image was entered
  val voltageCore = Bits(16 bits) // millivolts; 0: silent
  val voltageAux = Bits(16 bits) // millivolts; 0: silent
  val voltageMemory = Bits(16 bits) // millivolts; 0: silent
  val throttle = Bits(8 bits) // step, 0 (none) to 3
  val sensorsSilent = Bits(8 bits) // a bit for each channel that is silent, from the start on or for a second (sensors): what it said last counts no more
  val messages = Bits(32 bits) // requests answered
  val messagesRefused = Bits(32 bits) // of these, with another status than OK
  val flashErrors = Bits(32 bits) // commands of the flash that failed or timed out
  val throttleTime = Bits(32 bits) // milliseconds spent throttled
  val stackUsed = Bits(16 bits) // most bytes of stack ever used
  val stackSize = Bits(16 bits) // bytes of stack there are
  val loopLongest = Bits(32 bits) // longest turn of the main loop, cycles
  val selfTestFailed = Bits(32 bits) // bits that failed in the last self-test (self_tests)
  val temperatureBegin = Bits(16 bits) // throttling begins, units of 0.01 degrees Celsius
  val temperatureHardest = Bits(16 bits) // throttling is hardest, units of 0.01 degrees Celsius
  assert(getBitsWidth == 56 * 8)
}

/** one lane, in LANES' response; counts are of the time since the image was entered */
case class Lane() extends Bundle {
  val number = Bits(8 bits) // of the lane
  val kind = Bits(8 bits) // lane_kinds
  val state = Bits(8 bits) // lane_states
  val cause = Bits(8 bits) // of its last trouble (lane_causes)
  val failures = Bits(8 bits) // in a row; a minute in service forgives them
  val reserved = Bits(24 bits) // 0
  val verifyFailures = Bits(32 bits) // pages that it found badly compressed
  val resets = Bits(32 bits) // resets of the lane alone
  val pages = Bits(64 bits) // commands of the host's that it has ended
  val cycles = Bits(64 bits) // cycles of the card's clock with any of them in it
  assert(getBitsWidth == 32 * 8)
}

/** head of the telemetry page. Behind it stand, each right behind the one before: a Telemetry, a TelemetryLink, a Lane for each lane and a TelemetryQueue for each queue from 0 on. All counts are of the time since the image was entered. A reader steps by the sizes that stand here, as minor versions add at the end of each part */
case class TelemetryHeader() extends Bundle {
  val length = Bits(16 bits) // of the snapshot with this header, bytes
  val headerBytes = Bits(16 bits) // of this header, as the next ones
  val telemetryBytes = Bits(16 bits) // of the Telemetry
  val linkBytes = Bits(16 bits) // of the TelemetryLink
  val laneBytes = Bits(16 bits) // of each Lane
  val queueBytes = Bits(16 bits) // of each TelemetryQueue
  val lanes = Bits(8 bits) // how many
  val queues = Bits(8 bits) // how many
  val sampleCycles = Bits(16 bits) // cycles of the card's clock between two samples of a queue
  val interface = Bits(32 bits) // version of this interface that the image was made for
  val began = Bits(32 bits) // milliseconds since power-on, modulo 2^32, when the first of its counts was read: not long before Telemetry.uptime, when it was published, unless the card's clock stands
  val published = Bits(32 bits) // snapshots published since the image was entered, with this one
  val reserved = Bits(32 bits) // 0
  val cycles = Bits(64 bits) // of the card's clock
  assert(getBitsWidth == 40 * 8)
}

/** what went wrong between the card and the host's memory */
case class TelemetryLink() extends Bundle {
  val completionsFaulted = Bits(32 bits) // completions of reads that bore an error
  val readsOverdue = Bits(32 bits) // reads that did not come back in time
  val writesFailed = Bits(32 bits) // bursts of writes that were dropped, or of which the link did not say in time that they had gone
  val completionsUnexpected = Bits(32 bits) // completions that came for no read, and were dropped
  assert(getBitsWidth == 16 * 8)
}

/** one queue */
case class TelemetryQueue() extends Bundle {
  val depth = Bits(16 bits) // commands that the host has submitted and whose completion is not begun
  val depthPeak = Bits(16 bits) // most that a sample found
  val commands = Bits(32 bits) // that have stopped waiting, modulo 2^32: an engine has taken them, or they ended without one
  val depthCycles = Bits(64 bits) // sum of the depth over all cycles: divided by cycles the mean depth, by commands the mean time from doorbell to completion
  val waitingCycles = Bits(64 bits) // sum of those that no engine had taken: divided by commands the mean waiting time
  assert(getBitsWidth == 24 * 8)
}
