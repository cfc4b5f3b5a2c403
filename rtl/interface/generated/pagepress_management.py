# SPDX-License-Identifier: Apache-2.0
# Made by rtl/interface/generate.py. Do not edit: change the TOML files there and run it again.
"""Every number shared by hardware and software."""

import struct
from dataclasses import dataclass

# Version
MANAGEMENT_INTERFACE_VERSION_MAJOR = 0x1  # interface version, major
MANAGEMENT_INTERFACE_VERSION_MINOR = 0x5  # interface version, minor
MANAGEMENT_INTERFACE_VERSION_VALUE = 0x10005  # what MANAGEMENT_VERSION reads as
MANAGEMENT_INTERFACE_HASH_LOW_VALUE = 0xd4c0b8f9  # what HASH_LOW reads as
MANAGEMENT_INTERFACE_HASH_HIGH_VALUE = 0x9eb53c95  # what HASH_HIGH reads as

# Identity and limits
MANAGEMENT_MAGIC_VALUE = 0x474d4750  # what MANAGEMENT_MAGIC reads as: the letters PGMG
MANAGEMENT_WINDOW_OFFSET = 0x3000  # the host's window in BAR0 of a card, byte offset; it reads 0 in a card without management
MANAGEMENT_WINDOW_BYTES = 4096  # size of the host's window, bytes
MAILBOX_REQUEST_OFFSET = 0x100  # request buffer in the host's window and in CORE_MAILBOX, byte offset; the host writes it
MAILBOX_RESPONSE_OFFSET = 0x200  # response buffer in the host's window and in CORE_MAILBOX, byte offset; the firmware writes it
MAILBOX_BYTES = 256  # size of either buffer, bytes
LOG_OFFSET = 0x400  # event log in the host's window: LOG_ENTRIES times LogEntry; entry n stands at n modulo LOG_ENTRIES
LOG_ENTRIES = 0x20  # entries of the event log
TELEMETRY_OFFSET = 0x600  # telemetry page in the host's window and in CORE_TELEMETRY, byte offset; TelemetryHeader says how it is laid out
TELEMETRY_PAGE_BYTES = 2560  # room for the telemetry page, bytes
SENSOR_COUNT = 8  # channels of the sensor port
CORE_ROM_BASE = 0x0  # boot ROM, address of the management core
CORE_ROM_BYTES = 32768  # size of the boot ROM, bytes
CORE_RAM_BASE = 0x10000  # RAM, address of the management core; an image is loaded and entered here
CORE_RAM_BYTES = 65536  # size of the RAM, bytes
BOOT_WORKSPACE_BYTES = 8192  # upper end of the RAM that the boot ROM keeps for itself while it loads an image, bytes
LANE_COUNT = 16  # most lanes of a card; a lane is an engine with its window, verifier and guard. Decompressors come first
QUEUE_COUNT = 64  # most queues of a card
LANE_BUFFER_BYTES = 4096  # size of either buffer of the lanes' test, bytes
CORE_LANE_SOURCE_BASE = 0x80007000  # what the next test of a lane reads, address of the management core: LANE_BUFFER_BYTES, written in whole words, never read
CORE_LANE_SINK_BASE = 0x80008000  # what the last test of a lane gave, address of the management core: LANE_BUFFER_BYTES, read only
FLASH_SECTOR_BYTES = 4096  # what one erase of the flash makes ones, bytes
FLASH_PAGE_BYTES = 256  # most bytes of one program command, aligned
FLASH_RECORDS_OFFSET = 0x0  # two sectors of boot records in the flash, byte offset
FLASH_FLOOR_OFFSET = 0x2000  # two sectors of boot records of which the newest holds the version floor, byte offset; written by the boot ROM alone, before it locks them
FLASH_MAP_BYTES = 262144  # what all of this takes of the flash, bytes; no flash is smaller
FLASH_SLOT_A_OFFSET = 0x10000  # slot A in the flash, byte offset
FLASH_SLOT_B_OFFSET = 0x20000  # slot B in the flash, byte offset
IMAGE_MAX_BYTES = 57344  # most bytes of an image with its header: the RAM without the boot ROM's part
IMAGE_MAGIC_VALUE = 0x57464750  # first word of an image: the letters PGFW
IMAGE_TARGET_VALUE = 0x10002  # target of images for this core and memory map
SIGNATURE_BYTES = 64  # EdDSA signature over Curve25519 with BLAKE2b, over the whole image behind the signature, bytes

# Slots
SLOT_A = 0x0  # slot A
SLOT_B = 0x1  # slot B
SLOT_NONE = 0xff  # no slot

# Stages
STAGE_RESET = 0x0  # in reset, or the boot ROM has not begun
STAGE_BOOTING = 0x1  # the boot ROM checks and loads an image
STAGE_RUNNING = 0x2  # an image runs
STAGE_FAILED = 0x3  # no slot holds an image that may run; BOOT_REPORT says why

# Boot kinds
BOOT_NORMAL = 0x0  # the slot that was asked for, confirmed before
BOOT_TRIAL = 0x1  # a new image for the first time: it must confirm itself before the next reset
BOOT_FALLBACK = 0x2  # the other slot, as the one asked for failed its check or its trial

# Reset causes
RESET_CAUSE_POWER = 0x0  # power-on, or reset of the card
RESET_CAUSE_HOST = 0x1  # the host held the core and let it go
RESET_CAUSE_WATCHDOG = 0x2  # the firmware did not feed the watchdog
RESET_CAUSE_FIRMWARE = 0x3  # the firmware asked for it

# Mailbox states
MAILBOX_STATE_IDLE = 0x0  # no request since the core's first reset
MAILBOX_STATE_REQUESTED = 0x1  # the firmware has a request; the request buffer does not take writes
MAILBOX_STATE_ANSWERED = 0x2  # a response is there; length 0 means that the core was reset before it answered

# Management statuses
MANAGEMENT_STATUS_OK = 0x0  # done
MANAGEMENT_STATUS_UNKNOWN_MESSAGE = 0x1  # this firmware has no message of that kind
MANAGEMENT_STATUS_BAD_LENGTH = 0x2  # the message is not of the length that its kind has
MANAGEMENT_STATUS_BAD_ARGUMENT = 0x3  # a value of the message is out of range
MANAGEMENT_STATUS_WRONG_STATE = 0x4  # not now: no update has begun, or parts of it are missing
MANAGEMENT_STATUS_FLASH_TIMEOUT = 0x5  # the flash does not answer
MANAGEMENT_STATUS_FLASH_FAILED = 0x6  # the flash does not hold what was written
MANAGEMENT_STATUS_SELF_TEST_FAILED = 0x7  # a part failed its test; the response says which
MANAGEMENT_STATUS_IMAGE_EMPTY = 0x10  # the slot is erased
MANAGEMENT_STATUS_IMAGE_BAD_MAGIC = 0x11  # no image: its first word is wrong
MANAGEMENT_STATUS_IMAGE_TRUNCATED = 0x12  # shorter than its header says, or than a header
MANAGEMENT_STATUS_IMAGE_TOO_LARGE = 0x13  # does not fit the slot or the RAM
MANAGEMENT_STATUS_IMAGE_WRONG_TARGET = 0x14  # made for another core or memory map
MANAGEMENT_STATUS_IMAGE_BAD_SIGNATURE = 0x15  # unsigned, signed with another key, or altered
MANAGEMENT_STATUS_IMAGE_TOO_OLD = 0x16  # its version is below the floor
MANAGEMENT_STATUS_IMAGE_TRIAL_FAILED = 0x17  # it was reset before it had confirmed itself
MANAGEMENT_STATUS_IMAGE_BAD_HEADER = 0x18  # its header contradicts itself: version 0, or a floor above the version

# Messages
MESSAGE_PING = 0x1  # answers with the payload it was sent, of up to MAILBOX_BYTES less the header
MESSAGE_IDENTIFY = 0x2  # answers with Identity
MESSAGE_TELEMETRY = 0x3  # answers with Telemetry: one consistent snapshot
MESSAGE_SELF_TEST = 0x4  # tests the parts whose bits stand in argument (self_tests), 0 for all; answers with SelfTestResult
MESSAGE_UPDATE_BEGIN = 0x5  # argument: bytes of the image to come. Forgets an update that had begun. Goes to the slot that does not run
MESSAGE_UPDATE_DATA = 0x6  # argument: byte offset of the payload in the image, which must be what came before; pieces are multiples of 4 bytes but the last
MESSAGE_UPDATE_COMMIT = 0x7  # checks the image that has come; when it may run, the next reset of the core boots it on trial
MESSAGE_ROLLBACK = 0x8  # checks the slot that does not run; when it may run, the next reset of the core boots it, on trial unless it is the confirmed one
MESSAGE_RESET = 0x9  # answers, then resets the core: boots what the last UPDATE_COMMIT or ROLLBACK asked for
MESSAGE_SET_LIMITS = 0xa  # argument: bits 15..0 temperature at which throttling begins, bits 31..16 at which it is hardest, in units of 0.01 degrees Celsius
MESSAGE_LANES = 0xb  # argument: number of the first lane; answers with a Lane for each one from there, as many as fit: one consistent snapshot of each

# Self tests
SELF_TEST_RAM = 0x1  # a RAM pattern test beside the running program
SELF_TEST_TIMER = 0x2  # milliseconds advance with the core's cycles
SELF_TEST_FLASH = 0x4  # the flash answers with an identity
SELF_TEST_SENSORS = 0x8  # temperature and voltages arrive and are plausible
SELF_TEST_IMAGE = 0x10  # the running image in its slot still passes its check

# Log severities
SEVERITY_ERROR = 0x3  # something failed
SEVERITY_WARNING = 0x4  # something may fail
SEVERITY_INFO = 0x6  # something happened

# Events
EVENT_CORE_RESET = 1  # the core was reset; argument: cause (reset_causes). Written by hardware
EVENT_BOOTED = 2  # an image runs; argument: its version
EVENT_SLOT_REFUSED = 3  # the boot ROM refused a slot; argument: slot in bits 15..8, status (management_statuses) in bits 7..0
EVENT_NO_IMAGE = 4  # no slot holds an image that may run
EVENT_CONFIRMED = 5  # a new image has confirmed itself; argument: its version
EVENT_UPDATE_BEGUN = 6  # argument: bytes to come
EVENT_UPDATE_ENDED = 7  # argument: status (management_statuses)
EVENT_SELF_TEST_ENDED = 8  # argument: bits that failed (self_tests)
EVENT_THROTTLED = 9  # argument: new throttle step
EVENT_SENSOR_SILENT = 10  # argument: channel whose value has not come for a second
EVENT_FLASH_TROUBLE = 11  # argument: status (management_statuses)
EVENT_MAILBOX_REFUSED = 12  # a request was refused; argument: kind in bits 15..0, status in bits 31..16
EVENT_LANE_ISOLATED = 13  # a lane was isolated; argument: lane in bits 7..0, cause (lane_causes) in bits 15..8
EVENT_LANE_FAILED = 14  # a lane did not pass its golden vectors; argument: lane in bits 7..0, the vector in bits 15..8, status of the card in bits 23..16
EVENT_LANE_RETURNED = 15  # a lane is in service again; argument: lane in bits 7..0, golden vectors that it passed in bits 15..8
EVENT_LANE_OUT = 16  # a lane failed three times in a row and stays out; argument: lane

# Lane actions
LANE_ACTION_LOOK = 0x0  # nothing: only report
LANE_ACTION_ISOLATE = 0x1  # takes no command of the host's any more. Refused to the last healthy lane of its kind
LANE_ACTION_RESET = 0x2  # resets the lane alone. Refused unless it is isolated and idle; ends a test
LANE_ACTION_TEST = 0x3  # runs a page of the buffers. Refused unless the lane has been reset since it was isolated, and while any test runs
LANE_ACTION_RETURN = 0x4  # takes commands again. Refused while it is tested, and to a faulty lane that is not proven

# Lane kinds
LANE_KIND_DECOMPRESS = 0x0  # decompresses
LANE_KIND_COMPRESS = 0x1  # compresses

# Lane states
LANE_STATE_IN_SERVICE = 0x0  # takes commands
LANE_STATE_ISOLATED = 0x1  # takes none, and ends those it has
LANE_STATE_TESTED = 0x2  # has been reset, and runs golden vectors
LANE_STATE_OUT = 0x3  # has failed three times in a row and stays out
LANE_STATE_RESTING = 0x4  # takes none while the card is hot; nothing is wrong with it

# Lane causes
LANE_CAUSE_NONE = 0x0  # no trouble
LANE_CAUSE_FAULT = 0x1  # its engine hung or broke its contract
LANE_CAUSE_VERIFY = 0x2  # it found many of its own pages badly compressed
LANE_CAUSE_TEST = 0x3  # it did not pass a test

# Sensors
SENSOR_TEMPERATURE = 0x0  # die; degrees Celsius are code x 509.3140064 / 65536 - 280.2308787
SENSOR_VOLTAGE_CORE = 0x1  # core supply; volts are code x 3 / 65536, as of the next two
SENSOR_VOLTAGE_AUX = 0x2  # auxiliary supply
SENSOR_VOLTAGE_MEMORY = 0x3  # memory supply

# Registers: MANAGEMENT
MANAGEMENT_BASE = 0x0  # The host's window
REGISTER_MANAGEMENT_MAGIC = 0x0  # ro: identifies the window; a card without management reads 0
REGISTER_MANAGEMENT_VERSION = 0x4  # ro: version of this interface
MANAGEMENT_VERSION_MINOR_SHIFT = 0  # minor version
MANAGEMENT_VERSION_MINOR_WIDTH = 16  # bits of MANAGEMENT_VERSION_MINOR
MANAGEMENT_VERSION_MINOR_MASK = 0xffff  # MANAGEMENT_VERSION_MINOR in place
MANAGEMENT_VERSION_MAJOR_SHIFT = 16  # major version
MANAGEMENT_VERSION_MAJOR_WIDTH = 16  # bits of MANAGEMENT_VERSION_MAJOR
MANAGEMENT_VERSION_MAJOR_MASK = 0xffff0000  # MANAGEMENT_VERSION_MAJOR in place
REGISTER_CORE_CONTROL = 0x8  # rw: control of the core
CORE_CONTROL_HOLD_SHIFT = 0  # 1: the core is in reset; going to 0 boots it
CORE_CONTROL_HOLD_WIDTH = 1  # bits of CORE_CONTROL_HOLD
CORE_CONTROL_HOLD_MASK = 0x1  # CORE_CONTROL_HOLD in place
REGISTER_CORE_STATUS = 0xc  # ro: status of the core
CORE_STATUS_STAGE_SHIFT = 0  # how far it is (stages); 0 while it is in reset
CORE_STATUS_STAGE_WIDTH = 8  # bits of CORE_STATUS_STAGE
CORE_STATUS_STAGE_MASK = 0xff  # CORE_STATUS_STAGE in place
CORE_STATUS_CAUSE_SHIFT = 8  # cause of the last reset (reset_causes)
CORE_STATUS_CAUSE_WIDTH = 8  # bits of CORE_STATUS_CAUSE
CORE_STATUS_CAUSE_MASK = 0xff00  # CORE_STATUS_CAUSE in place
CORE_STATUS_BITES_SHIFT = 16  # resets by the watchdog since power-on, modulo 65536
CORE_STATUS_BITES_WIDTH = 16  # bits of CORE_STATUS_BITES
CORE_STATUS_BITES_MASK = 0xffff0000  # CORE_STATUS_BITES in place
REGISTER_HEARTBEAT = 0x10  # ro: counts up at least ten times a second while the firmware runs
REGISTER_BOOT_REPORT = 0x14  # ro: what the boot ROM did; 0 while the core is in reset
BOOT_REPORT_SLOT_SHIFT = 0  # slot that runs (slots)
BOOT_REPORT_SLOT_WIDTH = 8  # bits of BOOT_REPORT_SLOT
BOOT_REPORT_SLOT_MASK = 0xff  # BOOT_REPORT_SLOT in place
BOOT_REPORT_STATUS_A_SHIFT = 8  # what was found in slot A (management_statuses); OK if it was not looked at
BOOT_REPORT_STATUS_A_WIDTH = 8  # bits of BOOT_REPORT_STATUS_A
BOOT_REPORT_STATUS_A_MASK = 0xff00  # BOOT_REPORT_STATUS_A in place
BOOT_REPORT_STATUS_B_SHIFT = 16  # the same of slot B
BOOT_REPORT_STATUS_B_WIDTH = 8  # bits of BOOT_REPORT_STATUS_B
BOOT_REPORT_STATUS_B_MASK = 0xff0000  # BOOT_REPORT_STATUS_B in place
BOOT_REPORT_KIND_SHIFT = 24  # how it came to this slot (boot_kinds)
BOOT_REPORT_KIND_WIDTH = 8  # bits of BOOT_REPORT_KIND
BOOT_REPORT_KIND_MASK = 0xff000000  # BOOT_REPORT_KIND in place
REGISTER_FIRMWARE_VERSION = 0x18  # ro: version of the running image; 0 while none runs
REGISTER_MAILBOX_SEND = 0x1c  # wo: bytes of the request that stands in the request buffer, 1 to MAILBOX_BYTES: hands it over. Ignored while a request is open
REGISTER_MAILBOX_STATUS = 0x20  # ro: status of the mailbox
MAILBOX_STATUS_STATE_SHIFT = 0  # whose turn it is (mailbox_states)
MAILBOX_STATUS_STATE_WIDTH = 8  # bits of MAILBOX_STATUS_STATE
MAILBOX_STATUS_STATE_MASK = 0xff  # MAILBOX_STATUS_STATE in place
MAILBOX_STATUS_LENGTH_SHIFT = 16  # bytes of the response
MAILBOX_STATUS_LENGTH_WIDTH = 16  # bits of MAILBOX_STATUS_LENGTH
MAILBOX_STATUS_LENGTH_MASK = 0xffff0000  # MAILBOX_STATUS_LENGTH in place
REGISTER_LOG_NEXT = 0x24  # ro: entries ever written to the event log
REGISTER_UPTIME = 0x28  # ro: milliseconds since power-on, modulo 2^32
REGISTER_THROTTLE = 0x2c  # ro: throttle step of the firmware, 0 (none) to 3; 0 while the core is in reset
REGISTER_TELEMETRY_TAKE = 0x30  # wo: any write: the telemetry page shows the newest snapshot from now on, until the next write
REGISTER_TELEMETRY_SEQUENCE = 0x34  # ro: number of the snapshot that the telemetry page shows, from 1; 0: none, the page means nothing. Two reads of the same number: what was read between them is of one snapshot

# Registers: CORE_SYSTEM
CORE_SYSTEM_BASE = 0x80000000  # The core itself
REGISTER_SYSTEM_STAGE = 0x0  # wo: CORE_STATUS.STAGE
REGISTER_SYSTEM_REPORT = 0x4  # rw: BOOT_REPORT
REGISTER_SYSTEM_VERSION = 0x8  # wo: FIRMWARE_VERSION
REGISTER_SYSTEM_HEARTBEAT = 0xc  # wo: any write counts HEARTBEAT up
REGISTER_SYSTEM_RESET = 0x10  # wo: any write resets the core
REGISTER_SYSTEM_CLOCK = 0x14  # ro: clock of the core, kilohertz
REGISTER_SYSTEM_CAUSE = 0x18  # ro: cause of the last reset (reset_causes)
REGISTER_SYSTEM_THROTTLE = 0x1c  # rw: throttle step, 0 (none) to 3

# Registers: CORE_TIMER
CORE_TIMER_BASE = 0x80001000  # Time and watchdog
REGISTER_TIMER_MILLISECONDS = 0x0  # ro: milliseconds since power-on, modulo 2^32
REGISTER_WATCHDOG_LIMIT = 0x4  # rw: milliseconds without food after which the core is reset, 1 to 65535; 0 counts as 1. It cannot be switched off
REGISTER_WATCHDOG_FEED = 0x8  # wo: any write feeds it

# Registers: CORE_MAILBOX
CORE_MAILBOX_BASE = 0x80002000  # The mailbox; its buffers stand at MAILBOX_REQUEST_OFFSET and MAILBOX_RESPONSE_OFFSET
REGISTER_MAILBOX_REQUEST = 0x0  # ro: bytes of the open request; 0: none
REGISTER_MAILBOX_ANSWER = 0x4  # wo: bytes of the response that stands in the response buffer: ends the request

# Registers: CORE_LOG
CORE_LOG_BASE = 0x80003000  # The event log
REGISTER_LOG_EVENT = 0x0  # rw: of the entry to be written
LOG_EVENT_CODE_SHIFT = 0  # events
LOG_EVENT_CODE_WIDTH = 16  # bits of LOG_EVENT_CODE
LOG_EVENT_CODE_MASK = 0xffff  # LOG_EVENT_CODE in place
LOG_EVENT_SEVERITY_SHIFT = 16  # log_severities
LOG_EVENT_SEVERITY_WIDTH = 8  # bits of LOG_EVENT_SEVERITY
LOG_EVENT_SEVERITY_MASK = 0xff0000  # LOG_EVENT_SEVERITY in place
REGISTER_LOG_ARGUMENT = 0x4  # wo: argument: writes the entry

# Registers: CORE_SENSOR
CORE_SENSOR_BASE = 0x80004000  # The sensor port
CORE_SENSOR_STRIDE = 0x4  # bytes from one copy to the next
CORE_SENSOR_COUNT = 8  # copies
REGISTER_SENSOR = 0x0  # ro: one channel
SENSOR_CODE_SHIFT = 0  # last value that came
SENSOR_CODE_WIDTH = 16  # bits of SENSOR_CODE
SENSOR_CODE_MASK = 0xffff  # SENSOR_CODE in place
SENSOR_UPDATES_SHIFT = 16  # values that have come, modulo 65536
SENSOR_UPDATES_WIDTH = 16  # bits of SENSOR_UPDATES
SENSOR_UPDATES_MASK = 0xffff0000  # SENSOR_UPDATES in place

# Registers: CORE_FLASH
CORE_FLASH_BASE = 0x80005000  # The flash port: SPI mode 0, most significant bit first
REGISTER_FLASH_CONTROL = 0x0  # rw: control
FLASH_CONTROL_SELECT_SHIFT = 0  # 1: chip select is low
FLASH_CONTROL_SELECT_WIDTH = 1  # bits of FLASH_CONTROL_SELECT
FLASH_CONTROL_SELECT_MASK = 0x1  # FLASH_CONTROL_SELECT in place
FLASH_CONTROL_DIVIDER_SHIFT = 8  # half a period of the SPI clock in cycles of the core, less one
FLASH_CONTROL_DIVIDER_WIDTH = 8  # bits of FLASH_CONTROL_DIVIDER
FLASH_CONTROL_DIVIDER_MASK = 0xff00  # FLASH_CONTROL_DIVIDER in place
REGISTER_FLASH_STATUS = 0x4  # ro: 1: a transfer is under way
REGISTER_FLASH_BYTE = 0x8  # wo: begins a transfer of bits 7..0; ignored during one
REGISTER_FLASH_WORD = 0xc  # wo: begins a transfer of four bytes, bits 7..0 first; ignored during one
REGISTER_FLASH_DATA = 0x10  # ro: what came in during the last transfer: of a byte in bits 31..24, of a word first in bits 7..0
REGISTER_FLASH_LOCK = 0x14  # rw: any write locks the sectors of the version floor until the core's next reset; reads 1 then. Locked, the port ignores a transfer that begins a command (the first one after a select) unless it is a byte 05, 06 or 9F, or a word with command 03 and an address, or with 02 or 20 and an address below FLASH_MAP_BYTES and outside of those sectors

# Registers: CORE_LANES
CORE_LANES_BASE = 0x80006000  # The lanes. An action is on one of them, and is answered with a report of that lane as it was a few cycles later; none is answered while the card's clock stands
REGISTER_LANES_PRESENT = 0x0  # ro: what there is
LANES_PRESENT_LANES_SHIFT = 0  # a bit for each lane that there is
LANES_PRESENT_LANES_WIDTH = 16  # bits of LANES_PRESENT_LANES
LANES_PRESENT_LANES_MASK = 0xffff  # LANES_PRESENT_LANES in place
LANES_PRESENT_COMPRESSORS_SHIFT = 16  # a bit for each of them that compresses
LANES_PRESENT_COMPRESSORS_WIDTH = 16  # bits of LANES_PRESENT_COMPRESSORS
LANES_PRESENT_COMPRESSORS_MASK = 0xffff0000  # LANES_PRESENT_COMPRESSORS in place
REGISTER_LANES_PAGE = 0x4  # ro: bytes of a page
REGISTER_LANE_ACTION = 0x8  # wo: begins an action; ignored while one is under way
LANE_ACTION_LANE_SHIFT = 0  # which
LANE_ACTION_LANE_WIDTH = 4  # bits of LANE_ACTION_LANE
LANE_ACTION_LANE_MASK = 0xf  # LANE_ACTION_LANE in place
LANE_ACTION_ACTION_SHIFT = 8  # lane_actions
LANE_ACTION_ACTION_WIDTH = 3  # bits of LANE_ACTION_ACTION
LANE_ACTION_ACTION_MASK = 0x700  # LANE_ACTION_ACTION in place
LANE_ACTION_LENGTH_SHIFT = 16  # TEST of a decompressor: bytes of the stream. A compressor takes a page; where that is longer than the buffer, the buffer again and again
LANE_ACTION_LENGTH_WIDTH = 13  # bits of LANE_ACTION_LENGTH
LANE_ACTION_LENGTH_MASK = 0x1fff0000  # LANE_ACTION_LENGTH in place
REGISTER_LANE_BUSY = 0xc  # ro: 1: an action is under way; the report below is of the one before
REGISTER_LANE_REPORT = 0x10  # ro: state of the lane
LANE_REPORT_DONE_SHIFT = 0  # 1: the action was done, 0: refused
LANE_REPORT_DONE_WIDTH = 1  # bits of LANE_REPORT_DONE
LANE_REPORT_DONE_MASK = 0x1  # LANE_REPORT_DONE in place
LANE_REPORT_ISOLATED_SHIFT = 1  # 1: takes no commands
LANE_REPORT_ISOLATED_WIDTH = 1  # bits of LANE_REPORT_ISOLATED
LANE_REPORT_ISOLATED_MASK = 0x2  # LANE_REPORT_ISOLATED in place
LANE_REPORT_FAULTY_SHIFT = 2  # 1: its engine has given a page up since READY rose or the lane returned; it gets no commands while there is another
LANE_REPORT_FAULTY_WIDTH = 1  # bits of LANE_REPORT_FAULTY
LANE_REPORT_FAULTY_MASK = 0x4  # LANE_REPORT_FAULTY in place
LANE_REPORT_IDLE_SHIFT = 3  # 1: no command of the host's in it, nothing outstanding on the bus
LANE_REPORT_IDLE_WIDTH = 1  # bits of LANE_REPORT_IDLE
LANE_REPORT_IDLE_MASK = 0x8  # LANE_REPORT_IDLE in place
LANE_REPORT_FRESH_SHIFT = 4  # 1: it has been reset since it was isolated
LANE_REPORT_FRESH_WIDTH = 1  # bits of LANE_REPORT_FRESH
LANE_REPORT_FRESH_MASK = 0x10  # LANE_REPORT_FRESH in place
LANE_REPORT_PROVEN_SHIFT = 5  # 1: its last test since its reset ended with SUCCESS
LANE_REPORT_PROVEN_WIDTH = 1  # bits of LANE_REPORT_PROVEN
LANE_REPORT_PROVEN_MASK = 0x20  # LANE_REPORT_PROVEN in place
LANE_REPORT_TESTING_SHIFT = 6  # 1: its test runs
LANE_REPORT_TESTING_WIDTH = 1  # bits of LANE_REPORT_TESTING
LANE_REPORT_TESTING_MASK = 0x40  # LANE_REPORT_TESTING in place
LANE_REPORT_STATUS_SHIFT = 16  # how the last test of any lane ended: a status of the card
LANE_REPORT_STATUS_WIDTH = 8  # bits of LANE_REPORT_STATUS
LANE_REPORT_STATUS_MASK = 0xff0000  # LANE_REPORT_STATUS in place
REGISTER_LANE_PAGES = 0x14  # ro: commands of the host's that it has ended since power-on, modulo 2^32
REGISTER_LANE_CYCLES = 0x18  # ro: cycles of the card's clock with any of them in it, since power-on, modulo 2^32
REGISTER_LANE_TROUBLE = 0x1c  # ro: what went wrong since power-on
LANE_TROUBLE_VERIFY_FAILURES_SHIFT = 0  # pages that it found badly compressed, modulo 65536
LANE_TROUBLE_VERIFY_FAILURES_WIDTH = 16  # bits of LANE_TROUBLE_VERIFY_FAILURES
LANE_TROUBLE_VERIFY_FAILURES_MASK = 0xffff  # LANE_TROUBLE_VERIFY_FAILURES in place
LANE_TROUBLE_RESETS_SHIFT = 16  # resets of the lane alone, modulo 65536
LANE_TROUBLE_RESETS_WIDTH = 16  # bits of LANE_TROUBLE_RESETS
LANE_TROUBLE_RESETS_MASK = 0xffff0000  # LANE_TROUBLE_RESETS in place
REGISTER_LANE_LENGTH = 0x20  # ro: bytes that the last test gave; the first LANE_BUFFER_BYTES of them are in the buffer
REGISTER_LANE_CRC32C = 0x24  # ro: CRC32C of its plain page, as the lane says
REGISTER_LANE_DETAIL = 0x28  # ro: of a compressor: CRC32C of the stream, as the lane says

# Registers: CORE_TELEMETRY
CORE_TELEMETRY_BASE = 0x80009000  # The telemetry page that is being written, at TELEMETRY_OFFSET: whole words, never read. The host sees it once it is published; what stands in it then is of an older snapshot
REGISTER_TELEMETRY_PUBLISH = 0x0  # rw: any write: what has been written is the newest snapshot; a read gives the number of snapshots published since power-on, modulo 2^32

# Registers: CORE_MONITOR
CORE_MONITOR_BASE = 0x8000a000  # The monitor of the card's queues and of its link. Each request is answered with a report as of a few hundred cycles later; none is answered while the card's clock stands
REGISTER_MONITOR_QUEUES = 0x0  # ro: queues that there are
REGISTER_MONITOR_ASK = 0x4  # wo: number of a queue: asks for a report of it and of the link; ignored while a report is to come
REGISTER_MONITOR_BUSY = 0x8  # ro: 1: a report is to come; the one below is of the request before
REGISTER_MONITOR_CYCLES_LOW = 0xc  # ro: cycles of the card's clock since power-on, bits 31..0
REGISTER_MONITOR_CYCLES_HIGH = 0x10  # ro: bits 63..32
REGISTER_MONITOR_DEPTH = 0x14  # ro: commands that the host has submitted to the queue and whose completion is not begun
MONITOR_DEPTH_NOW_SHIFT = 0  # at the report
MONITOR_DEPTH_NOW_WIDTH = 16  # bits of MONITOR_DEPTH_NOW
MONITOR_DEPTH_NOW_MASK = 0xffff  # MONITOR_DEPTH_NOW in place
MONITOR_DEPTH_PEAK_SHIFT = 16  # most since the last report of this queue
MONITOR_DEPTH_PEAK_WIDTH = 16  # bits of MONITOR_DEPTH_PEAK
MONITOR_DEPTH_PEAK_MASK = 0xffff0000  # MONITOR_DEPTH_PEAK in place
REGISTER_MONITOR_COMMANDS = 0x18  # ro: commands that have stopped waiting, since power-on, modulo 2^32
REGISTER_MONITOR_DEPTH_CYCLES_LOW = 0x1c  # ro: sum of the queue's depth over all cycles since power-on, bits 31..0; sampled every MONITOR_SAMPLE_CYCLES
REGISTER_MONITOR_DEPTH_CYCLES_HIGH = 0x20  # ro: bits 63..32
REGISTER_MONITOR_WAITING_CYCLES_LOW = 0x24  # ro: the same sum of those commands that no engine has taken yet, bits 31..0
REGISTER_MONITOR_WAITING_CYCLES_HIGH = 0x28  # ro: bits 63..32
REGISTER_MONITOR_COMPLETIONS_FAULTED = 0x2c  # ro: completions of reads of the host's memory that bore an error, since power-on, modulo 2^32, as the next ones
REGISTER_MONITOR_READS_OVERDUE = 0x30  # ro: reads that did not come back in time
REGISTER_MONITOR_WRITES_FAILED = 0x34  # ro: bursts of writes that were dropped, or of which the link did not say in time that they had gone
REGISTER_MONITOR_COMPLETIONS_UNEXPECTED = 0x38  # ro: completions that came for no read, and were dropped
REGISTER_MONITOR_SAMPLE_CYCLES = 0x3c  # ro: cycles between two samples of a queue

# Descriptors
MESSAGE_HEADER_BYTES = 8  # head of every request and response; the payload follows
MESSAGE_HEADER_KIND_OFFSET = 0x0  # byte offset of kind
MESSAGE_HEADER_TAG_OFFSET = 0x2  # byte offset of tag
MESSAGE_HEADER_ARGUMENT_OFFSET = 0x4  # byte offset of argument
LOG_ENTRY_BYTES = 16  # one event
LOG_ENTRY_NUMBER_OFFSET = 0x0  # byte offset of number
LOG_ENTRY_TIME_OFFSET = 0x4  # byte offset of time
LOG_ENTRY_CODE_OFFSET = 0x8  # byte offset of code
LOG_ENTRY_SEVERITY_OFFSET = 0xa  # byte offset of severity
LOG_ENTRY_RESERVED_OFFSET = 0xb  # byte offset of reserved
LOG_ENTRY_ARGUMENT_OFFSET = 0xc  # byte offset of argument
IMAGE_HEADER_BYTES = 96  # head of an image; the program follows, and the signature is over all bytes behind the signature
IMAGE_HEADER_SIGNATURE_OFFSET = 0x0  # byte offset of signature
IMAGE_HEADER_MAGIC_OFFSET = 0x40  # byte offset of magic
IMAGE_HEADER_TARGET_OFFSET = 0x44  # byte offset of target
IMAGE_HEADER_LENGTH_OFFSET = 0x48  # byte offset of length
IMAGE_HEADER_VERSION_OFFSET = 0x4c  # byte offset of version
IMAGE_HEADER_FLOOR_OFFSET = 0x50  # byte offset of floor
IMAGE_HEADER_MEMORY_OFFSET = 0x54  # byte offset of memory
IMAGE_HEADER_RESERVED_OFFSET = 0x58  # byte offset of reserved
BOOT_RECORD_BYTES = 16  # what the next reset boots; the intact one with the highest number counts
BOOT_RECORD_NUMBER_OFFSET = 0x0  # byte offset of number
BOOT_RECORD_FLOOR_OFFSET = 0x4  # byte offset of floor
BOOT_RECORD_SLOT_OFFSET = 0x8  # byte offset of slot
BOOT_RECORD_TRIAL_OFFSET = 0x9  # byte offset of trial
BOOT_RECORD_RESERVED_OFFSET = 0xa  # byte offset of reserved
BOOT_RECORD_CRC32C_OFFSET = 0xc  # byte offset of crc32c
IDENTITY_BYTES = 32  # payload of IDENTIFY's response
IDENTITY_VERSION_OFFSET = 0x0  # byte offset of version
IDENTITY_SLOT_OFFSET = 0x4  # byte offset of slot
IDENTITY_TRIAL_OFFSET = 0x5  # byte offset of trial
IDENTITY_NEXT_SLOT_OFFSET = 0x6  # byte offset of next_slot
IDENTITY_OTHER_STATUS_OFFSET = 0x7  # byte offset of other_status
IDENTITY_OTHER_VERSION_OFFSET = 0x8  # byte offset of other_version
IDENTITY_FLOOR_OFFSET = 0xc  # byte offset of floor
IDENTITY_FLASH_ID_OFFSET = 0x10  # byte offset of flash_id
IDENTITY_INTERFACE_OFFSET = 0x14  # byte offset of interface
IDENTITY_RESERVED_OFFSET = 0x18  # byte offset of reserved
SELF_TEST_RESULT_BYTES = 8  # payload of SELF_TEST's response
SELF_TEST_RESULT_RAN_OFFSET = 0x0  # byte offset of ran
SELF_TEST_RESULT_FAILED_OFFSET = 0x4  # byte offset of failed
TELEMETRY_BYTES = 56  # payload of TELEMETRY's response; minor versions add at the end
TELEMETRY_UPTIME_OFFSET = 0x0  # byte offset of uptime
TELEMETRY_RUNNING_OFFSET = 0x4  # byte offset of running
TELEMETRY_TEMPERATURE_OFFSET = 0x8  # byte offset of temperature
TELEMETRY_TEMPERATURE_PEAK_OFFSET = 0xc  # byte offset of temperature_peak
TELEMETRY_VOLTAGE_CORE_OFFSET = 0x10  # byte offset of voltage_core
TELEMETRY_VOLTAGE_AUX_OFFSET = 0x12  # byte offset of voltage_aux
TELEMETRY_VOLTAGE_MEMORY_OFFSET = 0x14  # byte offset of voltage_memory
TELEMETRY_THROTTLE_OFFSET = 0x16  # byte offset of throttle
TELEMETRY_SENSORS_SILENT_OFFSET = 0x17  # byte offset of sensors_silent
TELEMETRY_MESSAGES_OFFSET = 0x18  # byte offset of messages
TELEMETRY_MESSAGES_REFUSED_OFFSET = 0x1c  # byte offset of messages_refused
TELEMETRY_FLASH_ERRORS_OFFSET = 0x20  # byte offset of flash_errors
TELEMETRY_THROTTLE_TIME_OFFSET = 0x24  # byte offset of throttle_time
TELEMETRY_STACK_USED_OFFSET = 0x28  # byte offset of stack_used
TELEMETRY_STACK_SIZE_OFFSET = 0x2a  # byte offset of stack_size
TELEMETRY_LOOP_LONGEST_OFFSET = 0x2c  # byte offset of loop_longest
TELEMETRY_SELF_TEST_FAILED_OFFSET = 0x30  # byte offset of self_test_failed
TELEMETRY_TEMPERATURE_BEGIN_OFFSET = 0x34  # byte offset of temperature_begin
TELEMETRY_TEMPERATURE_HARDEST_OFFSET = 0x36  # byte offset of temperature_hardest
LANE_BYTES = 32  # one lane, in LANES' response; counts are of the time since the image was entered
LANE_NUMBER_OFFSET = 0x0  # byte offset of number
LANE_KIND_OFFSET = 0x1  # byte offset of kind
LANE_STATE_OFFSET = 0x2  # byte offset of state
LANE_CAUSE_OFFSET = 0x3  # byte offset of cause
LANE_FAILURES_OFFSET = 0x4  # byte offset of failures
LANE_RESERVED_OFFSET = 0x5  # byte offset of reserved
LANE_VERIFY_FAILURES_OFFSET = 0x8  # byte offset of verify_failures
LANE_RESETS_OFFSET = 0xc  # byte offset of resets
LANE_PAGES_OFFSET = 0x10  # byte offset of pages
LANE_CYCLES_OFFSET = 0x18  # byte offset of cycles
TELEMETRY_HEADER_BYTES = 40  # head of the telemetry page. Behind it stand, each right behind the one before: a Telemetry, a TelemetryLink, a Lane for each lane and a TelemetryQueue for each queue from 0 on. All counts are of the time since the image was entered. A reader steps by the sizes that stand here, as minor versions add at the end of each part
TELEMETRY_HEADER_LENGTH_OFFSET = 0x0  # byte offset of length
TELEMETRY_HEADER_HEADER_BYTES_OFFSET = 0x2  # byte offset of header_bytes
TELEMETRY_HEADER_TELEMETRY_BYTES_OFFSET = 0x4  # byte offset of telemetry_bytes
TELEMETRY_HEADER_LINK_BYTES_OFFSET = 0x6  # byte offset of link_bytes
TELEMETRY_HEADER_LANE_BYTES_OFFSET = 0x8  # byte offset of lane_bytes
TELEMETRY_HEADER_QUEUE_BYTES_OFFSET = 0xa  # byte offset of queue_bytes
TELEMETRY_HEADER_LANES_OFFSET = 0xc  # byte offset of lanes
TELEMETRY_HEADER_QUEUES_OFFSET = 0xd  # byte offset of queues
TELEMETRY_HEADER_SAMPLE_CYCLES_OFFSET = 0xe  # byte offset of sample_cycles
TELEMETRY_HEADER_INTERFACE_OFFSET = 0x10  # byte offset of interface
TELEMETRY_HEADER_BEGAN_OFFSET = 0x14  # byte offset of began
TELEMETRY_HEADER_PUBLISHED_OFFSET = 0x18  # byte offset of published
TELEMETRY_HEADER_RESERVED_OFFSET = 0x1c  # byte offset of reserved
TELEMETRY_HEADER_CYCLES_OFFSET = 0x20  # byte offset of cycles
TELEMETRY_LINK_BYTES = 16  # what went wrong between the card and the host's memory
TELEMETRY_LINK_COMPLETIONS_FAULTED_OFFSET = 0x0  # byte offset of completions_faulted
TELEMETRY_LINK_READS_OVERDUE_OFFSET = 0x4  # byte offset of reads_overdue
TELEMETRY_LINK_WRITES_FAILED_OFFSET = 0x8  # byte offset of writes_failed
TELEMETRY_LINK_COMPLETIONS_UNEXPECTED_OFFSET = 0xc  # byte offset of completions_unexpected
TELEMETRY_QUEUE_BYTES = 24  # one queue
TELEMETRY_QUEUE_DEPTH_OFFSET = 0x0  # byte offset of depth
TELEMETRY_QUEUE_DEPTH_PEAK_OFFSET = 0x2  # byte offset of depth_peak
TELEMETRY_QUEUE_COMMANDS_OFFSET = 0x4  # byte offset of commands
TELEMETRY_QUEUE_DEPTH_CYCLES_OFFSET = 0x8  # byte offset of depth_cycles
TELEMETRY_QUEUE_WAITING_CYCLES_OFFSET = 0x10  # byte offset of waiting_cycles
SLOT_NAMES = {0: "A", 1: "B", 255: "NONE"}
STAGE_NAMES = {0: "RESET", 1: "BOOTING", 2: "RUNNING", 3: "FAILED"}
BOOT_NAMES = {0: "NORMAL", 1: "TRIAL", 2: "FALLBACK"}
RESET_CAUSE_NAMES = {0: "POWER", 1: "HOST", 2: "WATCHDOG", 3: "FIRMWARE"}
MAILBOX_STATE_NAMES = {0: "IDLE", 1: "REQUESTED", 2: "ANSWERED"}
MANAGEMENT_STATUS_NAMES = {0: "OK", 1: "UNKNOWN_MESSAGE", 2: "BAD_LENGTH", 3: "BAD_ARGUMENT", 4: "WRONG_STATE", 5: "FLASH_TIMEOUT", 6: "FLASH_FAILED", 7: "SELF_TEST_FAILED", 16: "IMAGE_EMPTY", 17: "IMAGE_BAD_MAGIC", 18: "IMAGE_TRUNCATED", 19: "IMAGE_TOO_LARGE", 20: "IMAGE_WRONG_TARGET", 21: "IMAGE_BAD_SIGNATURE", 22: "IMAGE_TOO_OLD", 23: "IMAGE_TRIAL_FAILED", 24: "IMAGE_BAD_HEADER"}
MESSAGE_NAMES = {1: "PING", 2: "IDENTIFY", 3: "TELEMETRY", 4: "SELF_TEST", 5: "UPDATE_BEGIN", 6: "UPDATE_DATA", 7: "UPDATE_COMMIT", 8: "ROLLBACK", 9: "RESET", 10: "SET_LIMITS", 11: "LANES"}
SELF_TEST_NAMES = {1: "RAM", 2: "TIMER", 4: "FLASH", 8: "SENSORS", 16: "IMAGE"}
SEVERITY_NAMES = {3: "ERROR", 4: "WARNING", 6: "INFO"}
EVENT_NAMES = {1: "CORE_RESET", 2: "BOOTED", 3: "SLOT_REFUSED", 4: "NO_IMAGE", 5: "CONFIRMED", 6: "UPDATE_BEGUN", 7: "UPDATE_ENDED", 8: "SELF_TEST_ENDED", 9: "THROTTLED", 10: "SENSOR_SILENT", 11: "FLASH_TROUBLE", 12: "MAILBOX_REFUSED", 13: "LANE_ISOLATED", 14: "LANE_FAILED", 15: "LANE_RETURNED", 16: "LANE_OUT"}
LANE_ACTION_NAMES = {0: "LOOK", 1: "ISOLATE", 2: "RESET", 3: "TEST", 4: "RETURN"}
LANE_KIND_NAMES = {0: "DECOMPRESS", 1: "COMPRESS"}
LANE_STATE_NAMES = {0: "IN_SERVICE", 1: "ISOLATED", 2: "TESTED", 3: "OUT", 4: "RESTING"}
LANE_CAUSE_NAMES = {0: "NONE", 1: "FAULT", 2: "VERIFY", 3: "TEST"}
SENSOR_NAMES = {0: "TEMPERATURE", 1: "VOLTAGE_CORE", 2: "VOLTAGE_AUX", 3: "VOLTAGE_MEMORY"}


@dataclass
class MessageHeader:
    """head of every request and response; the payload follows; 8 bytes, little-endian."""
    kind: int = 0  # what it is (messages); the same in the response
    tag: int = 0  # returned in the response, not interpreted
    argument: int = 0  # of a request: depends on its kind, else 0; of a response: status (management_statuses)
    LAYOUT = struct.Struct("<HHI")

    def pack(self):
        """Return the 8 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.kind, self.tag, self.argument)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 8 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class LogEntry:
    """one event; 16 bytes, little-endian."""
    number: int = 0  # entries written before this one, modulo 2^32: tells an entry that was overwritten while it was read
    time: int = 0  # milliseconds since power-on, modulo 2^32
    code: int = 0  # events
    severity: int = 0  # log_severities
    reserved: bytes = bytes(1)  # 0
    argument: int = 0  # depends on the code
    LAYOUT = struct.Struct("<IIHB1sI")

    def pack(self):
        """Return the 16 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.number, self.time, self.code, self.severity, self.reserved, self.argument)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 16 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class ImageHeader:
    """head of an image; the program follows, and the signature is over all bytes behind the signature; 96 bytes, little-endian."""
    signature: bytes = bytes(64)  # EdDSA over Curve25519 with BLAKE2b: R, then s
    magic: int = 0  # IMAGE_MAGIC_VALUE
    target: int = 0  # IMAGE_TARGET_VALUE
    length: int = 0  # bytes of the image with this header; a multiple of 4
    version: int = 0  # of the image, 1 or more; shown as FIRMWARE_VERSION: major, minor, patch in bits 31..24, 23..16, 15..0
    floor: int = 0  # when this image is confirmed, images of lower versions are refused; not above version
    memory: int = 0  # RAM that it uses from its first byte on, stack included, bytes
    reserved: bytes = bytes(8)  # 0
    LAYOUT = struct.Struct("<64sIIIIII8s")

    def pack(self):
        """Return the 96 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.signature, self.magic, self.target, self.length, self.version, self.floor, self.memory, self.reserved)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 96 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class BootRecord:
    """what the next reset boots; the intact one with the highest number counts; 16 bytes, little-endian."""
    number: int = 0  # one more than of the record before; never 0xffffffff
    floor: int = 0  # versions below it are refused. What stands at FLASH_FLOOR_OFFSET counts, too; the boot ROM raises that to this when it enters an image
    slot: int = 0  # slot to boot (slots)
    trial: int = 0  # 1: boot it on trial; 2: its trial has begun; 0: it is confirmed
    reserved: bytes = bytes(2)  # 0
    crc32c: int = 0  # CRC32C of the bytes before
    LAYOUT = struct.Struct("<IIBB2sI")

    def pack(self):
        """Return the 16 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.number, self.floor, self.slot, self.trial, self.reserved, self.crc32c)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 16 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class Identity:
    """payload of IDENTIFY's response; 32 bytes, little-endian."""
    version: int = 0  # of the running image
    slot: int = 0  # it runs from (slots)
    trial: int = 0  # 1: it has not confirmed itself
    next_slot: int = 0  # the next reset boots (slots)
    other_status: int = 0  # of the other slot's header (management_statuses); its signature is not looked at
    other_version: int = 0  # of the image in the other slot; 0 if there is none
    floor: int = 0  # versions below it are refused
    flash_id: int = 0  # JEDEC identity of the flash, bits 23..0; 0 if it does not answer
    interface: int = 0  # version of this interface that the image was made for
    reserved: bytes = bytes(8)  # 0
    LAYOUT = struct.Struct("<IBBBBIIII8s")

    def pack(self):
        """Return the 32 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.version, self.slot, self.trial, self.next_slot, self.other_status, self.other_version, self.floor, self.flash_id, self.interface, self.reserved)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 32 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class SelfTestResult:
    """payload of SELF_TEST's response; 8 bytes, little-endian."""
    ran: int = 0  # bits of the tests that ran (self_tests)
    failed: int = 0  # bits of those that failed
    LAYOUT = struct.Struct("<II")

    def pack(self):
        """Return the 8 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.ran, self.failed)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 8 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class Telemetry:
    """payload of TELEMETRY's response; minor versions add at the end; 56 bytes, little-endian."""
    uptime: int = 0  # milliseconds since power-on, modulo 2^32
    running: int = 0  # milliseconds since this image was entered, modulo 2^32
    temperature: int = 0  # of the die, units of 0.01 degrees Celsius, two's complement
    temperature_peak: int = 0  # highest since the image was entered
    voltage_core: int = 0  # millivolts; 0: silent
    voltage_aux: int = 0  # millivolts; 0: silent
    voltage_memory: int = 0  # millivolts; 0: silent
    throttle: int = 0  # step, 0 (none) to 3
    sensors_silent: int = 0  # a bit for each channel that is silent, from the start on or for a second (sensors): what it said last counts no more
    messages: int = 0  # requests answered
    messages_refused: int = 0  # of these, with another status than OK
    flash_errors: int = 0  # commands of the flash that failed or timed out
    throttle_time: int = 0  # milliseconds spent throttled
    stack_used: int = 0  # most bytes of stack ever used
    stack_size: int = 0  # bytes of stack there are
    loop_longest: int = 0  # longest turn of the main loop, cycles
    self_test_failed: int = 0  # bits that failed in the last self-test (self_tests)
    temperature_begin: int = 0  # throttling begins, units of 0.01 degrees Celsius
    temperature_hardest: int = 0  # throttling is hardest, units of 0.01 degrees Celsius
    LAYOUT = struct.Struct("<IIIIHHHBBIIIIHHIIHH")

    def pack(self):
        """Return the 56 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.uptime, self.running, self.temperature, self.temperature_peak, self.voltage_core, self.voltage_aux, self.voltage_memory, self.throttle, self.sensors_silent, self.messages, self.messages_refused, self.flash_errors, self.throttle_time, self.stack_used, self.stack_size, self.loop_longest, self.self_test_failed, self.temperature_begin, self.temperature_hardest)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 56 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class Lane:
    """one lane, in LANES' response; counts are of the time since the image was entered; 32 bytes, little-endian."""
    number: int = 0  # of the lane
    kind: int = 0  # lane_kinds
    state: int = 0  # lane_states
    cause: int = 0  # of its last trouble (lane_causes)
    failures: int = 0  # in a row; a minute in service forgives them
    reserved: bytes = bytes(3)  # 0
    verify_failures: int = 0  # pages that it found badly compressed
    resets: int = 0  # resets of the lane alone
    pages: int = 0  # commands of the host's that it has ended
    cycles: int = 0  # cycles of the card's clock with any of them in it
    LAYOUT = struct.Struct("<BBBBB3sIIQQ")

    def pack(self):
        """Return the 32 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.number, self.kind, self.state, self.cause, self.failures, self.reserved, self.verify_failures, self.resets, self.pages, self.cycles)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 32 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class TelemetryHeader:
    """head of the telemetry page. Behind it stand, each right behind the one before: a Telemetry, a TelemetryLink, a Lane for each lane and a TelemetryQueue for each queue from 0 on. All counts are of the time since the image was entered. A reader steps by the sizes that stand here, as minor versions add at the end of each part; 40 bytes, little-endian."""
    length: int = 0  # of the snapshot with this header, bytes
    header_bytes: int = 0  # of this header, as the next ones
    telemetry_bytes: int = 0  # of the Telemetry
    link_bytes: int = 0  # of the TelemetryLink
    lane_bytes: int = 0  # of each Lane
    queue_bytes: int = 0  # of each TelemetryQueue
    lanes: int = 0  # how many
    queues: int = 0  # how many
    sample_cycles: int = 0  # cycles of the card's clock between two samples of a queue
    interface: int = 0  # version of this interface that the image was made for
    began: int = 0  # milliseconds since power-on, modulo 2^32, when the first of its counts was read: not long before Telemetry.uptime, when it was published, unless the card's clock stands
    published: int = 0  # snapshots published since the image was entered, with this one
    reserved: bytes = bytes(4)  # 0
    cycles: int = 0  # of the card's clock
    LAYOUT = struct.Struct("<HHHHHHBBHIII4sQ")

    def pack(self):
        """Return the 40 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.length, self.header_bytes, self.telemetry_bytes, self.link_bytes, self.lane_bytes, self.queue_bytes, self.lanes, self.queues, self.sample_cycles, self.interface, self.began, self.published, self.reserved, self.cycles)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 40 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class TelemetryLink:
    """what went wrong between the card and the host's memory; 16 bytes, little-endian."""
    completions_faulted: int = 0  # completions of reads that bore an error
    reads_overdue: int = 0  # reads that did not come back in time
    writes_failed: int = 0  # bursts of writes that were dropped, or of which the link did not say in time that they had gone
    completions_unexpected: int = 0  # completions that came for no read, and were dropped
    LAYOUT = struct.Struct("<IIII")

    def pack(self):
        """Return the 16 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.completions_faulted, self.reads_overdue, self.writes_failed, self.completions_unexpected)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 16 bytes."""
        return cls(*cls.LAYOUT.unpack(data))


@dataclass
class TelemetryQueue:
    """one queue; 24 bytes, little-endian."""
    depth: int = 0  # commands that the host has submitted and whose completion is not begun
    depth_peak: int = 0  # most that a sample found
    commands: int = 0  # that have stopped waiting, modulo 2^32: an engine has taken them, or they ended without one
    depth_cycles: int = 0  # sum of the depth over all cycles: divided by cycles the mean depth, by commands the mean time from doorbell to completion
    waiting_cycles: int = 0  # sum of those that no engine had taken: divided by commands the mean waiting time
    LAYOUT = struct.Struct("<HHIQQ")

    def pack(self):
        """Return the 24 bytes as they stand in memory."""
        return self.LAYOUT.pack(self.depth, self.depth_peak, self.commands, self.depth_cycles, self.waiting_cycles)

    @classmethod
    def unpack(cls, data):
        """Read an entry from 24 bytes."""
        return cls(*cls.LAYOUT.unpack(data))
