/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */
/* Made by rtl/interface/generate.py. Do not edit: change the TOML files there and run it again. */
#ifndef PAGEPRESS_MANAGEMENT_H
#define PAGEPRESS_MANAGEMENT_H

/*
 * Members are little-endian in memory. In the kernel they are __le types, so that sparse sees a missing
 * conversion; elsewhere the header wants a little-endian machine and says so.
 */
#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#include <linux/types.h>
#define PAGEPRESS_U8	__u8
#define PAGEPRESS_LE16	__le16
#define PAGEPRESS_LE32	__le32
#define PAGEPRESS_LE64	__le64
#else
#include <stddef.h>
#include <stdint.h>
/* As C11's <assert.h> has it, which programs without a libc lack. */
#if !defined(__cplusplus) && !defined(static_assert)
#define static_assert _Static_assert
#endif
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "pagepress_interface.h outside the kernel needs a little-endian machine"
#endif
#define PAGEPRESS_U8	uint8_t
#define PAGEPRESS_LE16	uint16_t
#define PAGEPRESS_LE32	uint32_t
#define PAGEPRESS_LE64	uint64_t
#endif


/* Version */
#define PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_MAJOR	0x1u	/* interface version, major */
#define PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_MINOR	0x5u	/* interface version, minor */
#define PAGEPRESS_MANAGEMENT_INTERFACE_VERSION_VALUE	0x10005u	/* what MANAGEMENT_VERSION reads as */
#define PAGEPRESS_MANAGEMENT_INTERFACE_HASH_LOW_VALUE	0xd4c0b8f9u	/* what HASH_LOW reads as */
#define PAGEPRESS_MANAGEMENT_INTERFACE_HASH_HIGH_VALUE	0x9eb53c95u	/* what HASH_HIGH reads as */

/* Identity and limits */
#define PAGEPRESS_MANAGEMENT_MAGIC_VALUE	0x474d4750u	/* what MANAGEMENT_MAGIC reads as: the letters PGMG */
#define PAGEPRESS_MANAGEMENT_WINDOW_OFFSET	0x3000u	/* the host's window in BAR0 of a card, byte offset; it reads 0 in a card without management */
#define PAGEPRESS_MANAGEMENT_WINDOW_BYTES	4096u	/* size of the host's window, bytes */
#define PAGEPRESS_MAILBOX_REQUEST_OFFSET	0x100u	/* request buffer in the host's window and in CORE_MAILBOX, byte offset; the host writes it */
#define PAGEPRESS_MAILBOX_RESPONSE_OFFSET	0x200u	/* response buffer in the host's window and in CORE_MAILBOX, byte offset; the firmware writes it */
#define PAGEPRESS_MAILBOX_BYTES	256u	/* size of either buffer, bytes */
#define PAGEPRESS_LOG_OFFSET	0x400u	/* event log in the host's window: LOG_ENTRIES times LogEntry; entry n stands at n modulo LOG_ENTRIES */
#define PAGEPRESS_LOG_ENTRIES	0x20u	/* entries of the event log */
#define PAGEPRESS_TELEMETRY_OFFSET	0x600u	/* telemetry page in the host's window and in CORE_TELEMETRY, byte offset; TelemetryHeader says how it is laid out */
#define PAGEPRESS_TELEMETRY_PAGE_BYTES	2560u	/* room for the telemetry page, bytes */
#define PAGEPRESS_SENSOR_COUNT	8u	/* channels of the sensor port */
#define PAGEPRESS_CORE_ROM_BASE	0x0u	/* boot ROM, address of the management core */
#define PAGEPRESS_CORE_ROM_BYTES	32768u	/* size of the boot ROM, bytes */
#define PAGEPRESS_CORE_RAM_BASE	0x10000u	/* RAM, address of the management core; an image is loaded and entered here */
#define PAGEPRESS_CORE_RAM_BYTES	65536u	/* size of the RAM, bytes */
#define PAGEPRESS_BOOT_WORKSPACE_BYTES	8192u	/* upper end of the RAM that the boot ROM keeps for itself while it loads an image, bytes */
#define PAGEPRESS_LANE_COUNT	16u	/* most lanes of a card; a lane is an engine with its window, verifier and guard. Decompressors come first */
#define PAGEPRESS_QUEUE_COUNT	64u	/* most queues of a card */
#define PAGEPRESS_LANE_BUFFER_BYTES	4096u	/* size of either buffer of the lanes' test, bytes */
#define PAGEPRESS_CORE_LANE_SOURCE_BASE	0x80007000u	/* what the next test of a lane reads, address of the management core: LANE_BUFFER_BYTES, written in whole words, never read */
#define PAGEPRESS_CORE_LANE_SINK_BASE	0x80008000u	/* what the last test of a lane gave, address of the management core: LANE_BUFFER_BYTES, read only */
#define PAGEPRESS_FLASH_SECTOR_BYTES	4096u	/* what one erase of the flash makes ones, bytes */
#define PAGEPRESS_FLASH_PAGE_BYTES	256u	/* most bytes of one program command, aligned */
#define PAGEPRESS_FLASH_RECORDS_OFFSET	0x0u	/* two sectors of boot records in the flash, byte offset */
#define PAGEPRESS_FLASH_FLOOR_OFFSET	0x2000u	/* two sectors of boot records of which the newest holds the version floor, byte offset; written by the boot ROM alone, before it locks them */
#define PAGEPRESS_FLASH_MAP_BYTES	262144u	/* what all of this takes of the flash, bytes; no flash is smaller */
#define PAGEPRESS_FLASH_SLOT_A_OFFSET	0x10000u	/* slot A in the flash, byte offset */
#define PAGEPRESS_FLASH_SLOT_B_OFFSET	0x20000u	/* slot B in the flash, byte offset */
#define PAGEPRESS_IMAGE_MAX_BYTES	57344u	/* most bytes of an image with its header: the RAM without the boot ROM's part */
#define PAGEPRESS_IMAGE_MAGIC_VALUE	0x57464750u	/* first word of an image: the letters PGFW */
#define PAGEPRESS_IMAGE_TARGET_VALUE	0x10002u	/* target of images for this core and memory map */
#define PAGEPRESS_SIGNATURE_BYTES	64u	/* EdDSA signature over Curve25519 with BLAKE2b, over the whole image behind the signature, bytes */

/* Slots */
#define PAGEPRESS_SLOT_A	0x0u	/* slot A */
#define PAGEPRESS_SLOT_B	0x1u	/* slot B */
#define PAGEPRESS_SLOT_NONE	0xffu	/* no slot */

/* Stages */
#define PAGEPRESS_STAGE_RESET	0x0u	/* in reset, or the boot ROM has not begun */
#define PAGEPRESS_STAGE_BOOTING	0x1u	/* the boot ROM checks and loads an image */
#define PAGEPRESS_STAGE_RUNNING	0x2u	/* an image runs */
#define PAGEPRESS_STAGE_FAILED	0x3u	/* no slot holds an image that may run; BOOT_REPORT says why */

/* Boot kinds */
#define PAGEPRESS_BOOT_NORMAL	0x0u	/* the slot that was asked for, confirmed before */
#define PAGEPRESS_BOOT_TRIAL	0x1u	/* a new image for the first time: it must confirm itself before the next reset */
#define PAGEPRESS_BOOT_FALLBACK	0x2u	/* the other slot, as the one asked for failed its check or its trial */

/* Reset causes */
#define PAGEPRESS_RESET_CAUSE_POWER	0x0u	/* power-on, or reset of the card */
#define PAGEPRESS_RESET_CAUSE_HOST	0x1u	/* the host held the core and let it go */
#define PAGEPRESS_RESET_CAUSE_WATCHDOG	0x2u	/* the firmware did not feed the watchdog */
#define PAGEPRESS_RESET_CAUSE_FIRMWARE	0x3u	/* the firmware asked for it */

/* Mailbox states */
#define PAGEPRESS_MAILBOX_STATE_IDLE	0x0u	/* no request since the core's first reset */
#define PAGEPRESS_MAILBOX_STATE_REQUESTED	0x1u	/* the firmware has a request; the request buffer does not take writes */
#define PAGEPRESS_MAILBOX_STATE_ANSWERED	0x2u	/* a response is there; length 0 means that the core was reset before it answered */

/* Management statuses */
#define PAGEPRESS_MANAGEMENT_STATUS_OK	0x0u	/* done */
#define PAGEPRESS_MANAGEMENT_STATUS_UNKNOWN_MESSAGE	0x1u	/* this firmware has no message of that kind */
#define PAGEPRESS_MANAGEMENT_STATUS_BAD_LENGTH	0x2u	/* the message is not of the length that its kind has */
#define PAGEPRESS_MANAGEMENT_STATUS_BAD_ARGUMENT	0x3u	/* a value of the message is out of range */
#define PAGEPRESS_MANAGEMENT_STATUS_WRONG_STATE	0x4u	/* not now: no update has begun, or parts of it are missing */
#define PAGEPRESS_MANAGEMENT_STATUS_FLASH_TIMEOUT	0x5u	/* the flash does not answer */
#define PAGEPRESS_MANAGEMENT_STATUS_FLASH_FAILED	0x6u	/* the flash does not hold what was written */
#define PAGEPRESS_MANAGEMENT_STATUS_SELF_TEST_FAILED	0x7u	/* a part failed its test; the response says which */
#define PAGEPRESS_MANAGEMENT_STATUS_IMAGE_EMPTY	0x10u	/* the slot is erased */
#define PAGEPRESS_MANAGEMENT_STATUS_IMAGE_BAD_MAGIC	0x11u	/* no image: its first word is wrong */
#define PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TRUNCATED	0x12u	/* shorter than its header says, or than a header */
#define PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TOO_LARGE	0x13u	/* does not fit the slot or the RAM */
#define PAGEPRESS_MANAGEMENT_STATUS_IMAGE_WRONG_TARGET	0x14u	/* made for another core or memory map */
#define PAGEPRESS_MANAGEMENT_STATUS_IMAGE_BAD_SIGNATURE	0x15u	/* unsigned, signed with another key, or altered */
#define PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TOO_OLD	0x16u	/* its version is below the floor */
#define PAGEPRESS_MANAGEMENT_STATUS_IMAGE_TRIAL_FAILED	0x17u	/* it was reset before it had confirmed itself */
#define PAGEPRESS_MANAGEMENT_STATUS_IMAGE_BAD_HEADER	0x18u	/* its header contradicts itself: version 0, or a floor above the version */

/* Messages */
#define PAGEPRESS_MESSAGE_PING	0x1u	/* answers with the payload it was sent, of up to MAILBOX_BYTES less the header */
#define PAGEPRESS_MESSAGE_IDENTIFY	0x2u	/* answers with Identity */
#define PAGEPRESS_MESSAGE_TELEMETRY	0x3u	/* answers with Telemetry: one consistent snapshot */
#define PAGEPRESS_MESSAGE_SELF_TEST	0x4u	/* tests the parts whose bits stand in argument (self_tests), 0 for all; answers with SelfTestResult */
#define PAGEPRESS_MESSAGE_UPDATE_BEGIN	0x5u	/* argument: bytes of the image to come. Forgets an update that had begun. Goes to the slot that does not run */
#define PAGEPRESS_MESSAGE_UPDATE_DATA	0x6u	/* argument: byte offset of the payload in the image, which must be what came before; pieces are multiples of 4 bytes but the last */
#define PAGEPRESS_MESSAGE_UPDATE_COMMIT	0x7u	/* checks the image that has come; when it may run, the next reset of the core boots it on trial */
#define PAGEPRESS_MESSAGE_ROLLBACK	0x8u	/* checks the slot that does not run; when it may run, the next reset of the core boots it, on trial unless it is the confirmed one */
#define PAGEPRESS_MESSAGE_RESET	0x9u	/* answers, then resets the core: boots what the last UPDATE_COMMIT or ROLLBACK asked for */
#define PAGEPRESS_MESSAGE_SET_LIMITS	0xau	/* argument: bits 15..0 temperature at which throttling begins, bits 31..16 at which it is hardest, in units of 0.01 degrees Celsius */
#define PAGEPRESS_MESSAGE_LANES	0xbu	/* argument: number of the first lane; answers with a Lane for each one from there, as many as fit: one consistent snapshot of each */

/* Self tests */
#define PAGEPRESS_SELF_TEST_RAM	0x1u	/* a RAM pattern test beside the running program */
#define PAGEPRESS_SELF_TEST_TIMER	0x2u	/* milliseconds advance with the core's cycles */
#define PAGEPRESS_SELF_TEST_FLASH	0x4u	/* the flash answers with an identity */
#define PAGEPRESS_SELF_TEST_SENSORS	0x8u	/* temperature and voltages arrive and are plausible */
#define PAGEPRESS_SELF_TEST_IMAGE	0x10u	/* the running image in its slot still passes its check */

/* Log severities */
#define PAGEPRESS_SEVERITY_ERROR	0x3u	/* something failed */
#define PAGEPRESS_SEVERITY_WARNING	0x4u	/* something may fail */
#define PAGEPRESS_SEVERITY_INFO	0x6u	/* something happened */

/* Events */
#define PAGEPRESS_EVENT_CORE_RESET	1u	/* the core was reset; argument: cause (reset_causes). Written by hardware */
#define PAGEPRESS_EVENT_BOOTED	2u	/* an image runs; argument: its version */
#define PAGEPRESS_EVENT_SLOT_REFUSED	3u	/* the boot ROM refused a slot; argument: slot in bits 15..8, status (management_statuses) in bits 7..0 */
#define PAGEPRESS_EVENT_NO_IMAGE	4u	/* no slot holds an image that may run */
#define PAGEPRESS_EVENT_CONFIRMED	5u	/* a new image has confirmed itself; argument: its version */
#define PAGEPRESS_EVENT_UPDATE_BEGUN	6u	/* argument: bytes to come */
#define PAGEPRESS_EVENT_UPDATE_ENDED	7u	/* argument: status (management_statuses) */
#define PAGEPRESS_EVENT_SELF_TEST_ENDED	8u	/* argument: bits that failed (self_tests) */
#define PAGEPRESS_EVENT_THROTTLED	9u	/* argument: new throttle step */
#define PAGEPRESS_EVENT_SENSOR_SILENT	10u	/* argument: channel whose value has not come for a second */
#define PAGEPRESS_EVENT_FLASH_TROUBLE	11u	/* argument: status (management_statuses) */
#define PAGEPRESS_EVENT_MAILBOX_REFUSED	12u	/* a request was refused; argument: kind in bits 15..0, status in bits 31..16 */
#define PAGEPRESS_EVENT_LANE_ISOLATED	13u	/* a lane was isolated; argument: lane in bits 7..0, cause (lane_causes) in bits 15..8 */
#define PAGEPRESS_EVENT_LANE_FAILED	14u	/* a lane did not pass its golden vectors; argument: lane in bits 7..0, the vector in bits 15..8, status of the card in bits 23..16 */
#define PAGEPRESS_EVENT_LANE_RETURNED	15u	/* a lane is in service again; argument: lane in bits 7..0, golden vectors that it passed in bits 15..8 */
#define PAGEPRESS_EVENT_LANE_OUT	16u	/* a lane failed three times in a row and stays out; argument: lane */

/* Lane actions */
#define PAGEPRESS_LANE_ACTION_LOOK	0x0u	/* nothing: only report */
#define PAGEPRESS_LANE_ACTION_ISOLATE	0x1u	/* takes no command of the host's any more. Refused to the last healthy lane of its kind */
#define PAGEPRESS_LANE_ACTION_RESET	0x2u	/* resets the lane alone. Refused unless it is isolated and idle; ends a test */
#define PAGEPRESS_LANE_ACTION_TEST	0x3u	/* runs a page of the buffers. Refused unless the lane has been reset since it was isolated, and while any test runs */
#define PAGEPRESS_LANE_ACTION_RETURN	0x4u	/* takes commands again. Refused while it is tested, and to a faulty lane that is not proven */

/* Lane kinds */
#define PAGEPRESS_LANE_KIND_DECOMPRESS	0x0u	/* decompresses */
#define PAGEPRESS_LANE_KIND_COMPRESS	0x1u	/* compresses */

/* Lane states */
#define PAGEPRESS_LANE_STATE_IN_SERVICE	0x0u	/* takes commands */
#define PAGEPRESS_LANE_STATE_ISOLATED	0x1u	/* takes none, and ends those it has */
#define PAGEPRESS_LANE_STATE_TESTED	0x2u	/* has been reset, and runs golden vectors */
#define PAGEPRESS_LANE_STATE_OUT	0x3u	/* has failed three times in a row and stays out */
#define PAGEPRESS_LANE_STATE_RESTING	0x4u	/* takes none while the card is hot; nothing is wrong with it */

/* Lane causes */
#define PAGEPRESS_LANE_CAUSE_NONE	0x0u	/* no trouble */
#define PAGEPRESS_LANE_CAUSE_FAULT	0x1u	/* its engine hung or broke its contract */
#define PAGEPRESS_LANE_CAUSE_VERIFY	0x2u	/* it found many of its own pages badly compressed */
#define PAGEPRESS_LANE_CAUSE_TEST	0x3u	/* it did not pass a test */

/* Sensors */
#define PAGEPRESS_SENSOR_TEMPERATURE	0x0u	/* die; degrees Celsius are code x 509.3140064 / 65536 - 280.2308787 */
#define PAGEPRESS_SENSOR_VOLTAGE_CORE	0x1u	/* core supply; volts are code x 3 / 65536, as of the next two */
#define PAGEPRESS_SENSOR_VOLTAGE_AUX	0x2u	/* auxiliary supply */
#define PAGEPRESS_SENSOR_VOLTAGE_MEMORY	0x3u	/* memory supply */

/* Registers: MANAGEMENT */
#define PAGEPRESS_MANAGEMENT_BASE	0x0u	/* The host's window */
#define PAGEPRESS_REGISTER_MANAGEMENT_MAGIC	0x0u	/* ro: identifies the window; a card without management reads 0 */
#define PAGEPRESS_REGISTER_MANAGEMENT_VERSION	0x4u	/* ro: version of this interface */
#define PAGEPRESS_MANAGEMENT_VERSION_MINOR_SHIFT	0u	/* minor version */
#define PAGEPRESS_MANAGEMENT_VERSION_MINOR_WIDTH	16u	/* bits of MANAGEMENT_VERSION_MINOR */
#define PAGEPRESS_MANAGEMENT_VERSION_MINOR_MASK	0xffffu	/* MANAGEMENT_VERSION_MINOR in place */
#define PAGEPRESS_MANAGEMENT_VERSION_MAJOR_SHIFT	16u	/* major version */
#define PAGEPRESS_MANAGEMENT_VERSION_MAJOR_WIDTH	16u	/* bits of MANAGEMENT_VERSION_MAJOR */
#define PAGEPRESS_MANAGEMENT_VERSION_MAJOR_MASK	0xffff0000u	/* MANAGEMENT_VERSION_MAJOR in place */
#define PAGEPRESS_REGISTER_CORE_CONTROL	0x8u	/* rw: control of the core */
#define PAGEPRESS_CORE_CONTROL_HOLD_SHIFT	0u	/* 1: the core is in reset; going to 0 boots it */
#define PAGEPRESS_CORE_CONTROL_HOLD_WIDTH	1u	/* bits of CORE_CONTROL_HOLD */
#define PAGEPRESS_CORE_CONTROL_HOLD_MASK	0x1u	/* CORE_CONTROL_HOLD in place */
#define PAGEPRESS_REGISTER_CORE_STATUS	0xcu	/* ro: status of the core */
#define PAGEPRESS_CORE_STATUS_STAGE_SHIFT	0u	/* how far it is (stages); 0 while it is in reset */
#define PAGEPRESS_CORE_STATUS_STAGE_WIDTH	8u	/* bits of CORE_STATUS_STAGE */
#define PAGEPRESS_CORE_STATUS_STAGE_MASK	0xffu	/* CORE_STATUS_STAGE in place */
#define PAGEPRESS_CORE_STATUS_CAUSE_SHIFT	8u	/* cause of the last reset (reset_causes) */
#define PAGEPRESS_CORE_STATUS_CAUSE_WIDTH	8u	/* bits of CORE_STATUS_CAUSE */
#define PAGEPRESS_CORE_STATUS_CAUSE_MASK	0xff00u	/* CORE_STATUS_CAUSE in place */
#define PAGEPRESS_CORE_STATUS_BITES_SHIFT	16u	/* resets by the watchdog since power-on, modulo 65536 */
#define PAGEPRESS_CORE_STATUS_BITES_WIDTH	16u	/* bits of CORE_STATUS_BITES */
#define PAGEPRESS_CORE_STATUS_BITES_MASK	0xffff0000u	/* CORE_STATUS_BITES in place */
#define PAGEPRESS_REGISTER_HEARTBEAT	0x10u	/* ro: counts up at least ten times a second while the firmware runs */
#define PAGEPRESS_REGISTER_BOOT_REPORT	0x14u	/* ro: what the boot ROM did; 0 while the core is in reset */
#define PAGEPRESS_BOOT_REPORT_SLOT_SHIFT	0u	/* slot that runs (slots) */
#define PAGEPRESS_BOOT_REPORT_SLOT_WIDTH	8u	/* bits of BOOT_REPORT_SLOT */
#define PAGEPRESS_BOOT_REPORT_SLOT_MASK	0xffu	/* BOOT_REPORT_SLOT in place */
#define PAGEPRESS_BOOT_REPORT_STATUS_A_SHIFT	8u	/* what was found in slot A (management_statuses); OK if it was not looked at */
#define PAGEPRESS_BOOT_REPORT_STATUS_A_WIDTH	8u	/* bits of BOOT_REPORT_STATUS_A */
#define PAGEPRESS_BOOT_REPORT_STATUS_A_MASK	0xff00u	/* BOOT_REPORT_STATUS_A in place */
#define PAGEPRESS_BOOT_REPORT_STATUS_B_SHIFT	16u	/* the same of slot B */
#define PAGEPRESS_BOOT_REPORT_STATUS_B_WIDTH	8u	/* bits of BOOT_REPORT_STATUS_B */
#define PAGEPRESS_BOOT_REPORT_STATUS_B_MASK	0xff0000u	/* BOOT_REPORT_STATUS_B in place */
#define PAGEPRESS_BOOT_REPORT_KIND_SHIFT	24u	/* how it came to this slot (boot_kinds) */
#define PAGEPRESS_BOOT_REPORT_KIND_WIDTH	8u	/* bits of BOOT_REPORT_KIND */
#define PAGEPRESS_BOOT_REPORT_KIND_MASK	0xff000000u	/* BOOT_REPORT_KIND in place */
#define PAGEPRESS_REGISTER_FIRMWARE_VERSION	0x18u	/* ro: version of the running image; 0 while none runs */
#define PAGEPRESS_REGISTER_MAILBOX_SEND	0x1cu	/* wo: bytes of the request that stands in the request buffer, 1 to MAILBOX_BYTES: hands it over. Ignored while a request is open */
#define PAGEPRESS_REGISTER_MAILBOX_STATUS	0x20u	/* ro: status of the mailbox */
#define PAGEPRESS_MAILBOX_STATUS_STATE_SHIFT	0u	/* whose turn it is (mailbox_states) */
#define PAGEPRESS_MAILBOX_STATUS_STATE_WIDTH	8u	/* bits of MAILBOX_STATUS_STATE */
#define PAGEPRESS_MAILBOX_STATUS_STATE_MASK	0xffu	/* MAILBOX_STATUS_STATE in place */
#define PAGEPRESS_MAILBOX_STATUS_LENGTH_SHIFT	16u	/* bytes of the response */
#define PAGEPRESS_MAILBOX_STATUS_LENGTH_WIDTH	16u	/* bits of MAILBOX_STATUS_LENGTH */
#define PAGEPRESS_MAILBOX_STATUS_LENGTH_MASK	0xffff0000u	/* MAILBOX_STATUS_LENGTH in place */
#define PAGEPRESS_REGISTER_LOG_NEXT	0x24u	/* ro: entries ever written to the event log */
#define PAGEPRESS_REGISTER_UPTIME	0x28u	/* ro: milliseconds since power-on, modulo 2^32 */
#define PAGEPRESS_REGISTER_THROTTLE	0x2cu	/* ro: throttle step of the firmware, 0 (none) to 3; 0 while the core is in reset */
#define PAGEPRESS_REGISTER_TELEMETRY_TAKE	0x30u	/* wo: any write: the telemetry page shows the newest snapshot from now on, until the next write */
#define PAGEPRESS_REGISTER_TELEMETRY_SEQUENCE	0x34u	/* ro: number of the snapshot that the telemetry page shows, from 1; 0: none, the page means nothing. Two reads of the same number: what was read between them is of one snapshot */

/* Registers: CORE_SYSTEM */
#define PAGEPRESS_CORE_SYSTEM_BASE	0x80000000u	/* The core itself */
#define PAGEPRESS_REGISTER_SYSTEM_STAGE	0x0u	/* wo: CORE_STATUS.STAGE */
#define PAGEPRESS_REGISTER_SYSTEM_REPORT	0x4u	/* rw: BOOT_REPORT */
#define PAGEPRESS_REGISTER_SYSTEM_VERSION	0x8u	/* wo: FIRMWARE_VERSION */
#define PAGEPRESS_REGISTER_SYSTEM_HEARTBEAT	0xcu	/* wo: any write counts HEARTBEAT up */
#define PAGEPRESS_REGISTER_SYSTEM_RESET	0x10u	/* wo: any write resets the core */
#define PAGEPRESS_REGISTER_SYSTEM_CLOCK	0x14u	/* ro: clock of the core, kilohertz */
#define PAGEPRESS_REGISTER_SYSTEM_CAUSE	0x18u	/* ro: cause of the last reset (reset_causes) */
#define PAGEPRESS_REGISTER_SYSTEM_THROTTLE	0x1cu	/* rw: throttle step, 0 (none) to 3 */

/* Registers: CORE_TIMER */
#define PAGEPRESS_CORE_TIMER_BASE	0x80001000u	/* Time and watchdog */
#define PAGEPRESS_REGISTER_TIMER_MILLISECONDS	0x0u	/* ro: milliseconds since power-on, modulo 2^32 */
#define PAGEPRESS_REGISTER_WATCHDOG_LIMIT	0x4u	/* rw: milliseconds without food after which the core is reset, 1 to 65535; 0 counts as 1. It cannot be switched off */
#define PAGEPRESS_REGISTER_WATCHDOG_FEED	0x8u	/* wo: any write feeds it */

/* Registers: CORE_MAILBOX */
#define PAGEPRESS_CORE_MAILBOX_BASE	0x80002000u	/* The mailbox; its buffers stand at MAILBOX_REQUEST_OFFSET and MAILBOX_RESPONSE_OFFSET */
#define PAGEPRESS_REGISTER_MAILBOX_REQUEST	0x0u	/* ro: bytes of the open request; 0: none */
#define PAGEPRESS_REGISTER_MAILBOX_ANSWER	0x4u	/* wo: bytes of the response that stands in the response buffer: ends the request */

/* Registers: CORE_LOG */
#define PAGEPRESS_CORE_LOG_BASE	0x80003000u	/* The event log */
#define PAGEPRESS_REGISTER_LOG_EVENT	0x0u	/* rw: of the entry to be written */
#define PAGEPRESS_LOG_EVENT_CODE_SHIFT	0u	/* events */
#define PAGEPRESS_LOG_EVENT_CODE_WIDTH	16u	/* bits of LOG_EVENT_CODE */
#define PAGEPRESS_LOG_EVENT_CODE_MASK	0xffffu	/* LOG_EVENT_CODE in place */
#define PAGEPRESS_LOG_EVENT_SEVERITY_SHIFT	16u	/* log_severities */
#define PAGEPRESS_LOG_EVENT_SEVERITY_WIDTH	8u	/* bits of LOG_EVENT_SEVERITY */
#define PAGEPRESS_LOG_EVENT_SEVERITY_MASK	0xff0000u	/* LOG_EVENT_SEVERITY in place */
#define PAGEPRESS_REGISTER_LOG_ARGUMENT	0x4u	/* wo: argument: writes the entry */

/* Registers: CORE_SENSOR */
#define PAGEPRESS_CORE_SENSOR_BASE	0x80004000u	/* The sensor port */
#define PAGEPRESS_CORE_SENSOR_STRIDE	0x4u	/* bytes from one copy to the next */
#define PAGEPRESS_CORE_SENSOR_COUNT	8u	/* copies */
#define PAGEPRESS_REGISTER_SENSOR	0x0u	/* ro: one channel */
#define PAGEPRESS_SENSOR_CODE_SHIFT	0u	/* last value that came */
#define PAGEPRESS_SENSOR_CODE_WIDTH	16u	/* bits of SENSOR_CODE */
#define PAGEPRESS_SENSOR_CODE_MASK	0xffffu	/* SENSOR_CODE in place */
#define PAGEPRESS_SENSOR_UPDATES_SHIFT	16u	/* values that have come, modulo 65536 */
#define PAGEPRESS_SENSOR_UPDATES_WIDTH	16u	/* bits of SENSOR_UPDATES */
#define PAGEPRESS_SENSOR_UPDATES_MASK	0xffff0000u	/* SENSOR_UPDATES in place */

/* Registers: CORE_FLASH */
#define PAGEPRESS_CORE_FLASH_BASE	0x80005000u	/* The flash port: SPI mode 0, most significant bit first */
#define PAGEPRESS_REGISTER_FLASH_CONTROL	0x0u	/* rw: control */
#define PAGEPRESS_FLASH_CONTROL_SELECT_SHIFT	0u	/* 1: chip select is low */
#define PAGEPRESS_FLASH_CONTROL_SELECT_WIDTH	1u	/* bits of FLASH_CONTROL_SELECT */
#define PAGEPRESS_FLASH_CONTROL_SELECT_MASK	0x1u	/* FLASH_CONTROL_SELECT in place */
#define PAGEPRESS_FLASH_CONTROL_DIVIDER_SHIFT	8u	/* half a period of the SPI clock in cycles of the core, less one */
#define PAGEPRESS_FLASH_CONTROL_DIVIDER_WIDTH	8u	/* bits of FLASH_CONTROL_DIVIDER */
#define PAGEPRESS_FLASH_CONTROL_DIVIDER_MASK	0xff00u	/* FLASH_CONTROL_DIVIDER in place */
#define PAGEPRESS_REGISTER_FLASH_STATUS	0x4u	/* ro: 1: a transfer is under way */
#define PAGEPRESS_REGISTER_FLASH_BYTE	0x8u	/* wo: begins a transfer of bits 7..0; ignored during one */
#define PAGEPRESS_REGISTER_FLASH_WORD	0xcu	/* wo: begins a transfer of four bytes, bits 7..0 first; ignored during one */
#define PAGEPRESS_REGISTER_FLASH_DATA	0x10u	/* ro: what came in during the last transfer: of a byte in bits 31..24, of a word first in bits 7..0 */
#define PAGEPRESS_REGISTER_FLASH_LOCK	0x14u	/* rw: any write locks the sectors of the version floor until the core's next reset; reads 1 then. Locked, the port ignores a transfer that begins a command (the first one after a select) unless it is a byte 05, 06 or 9F, or a word with command 03 and an address, or with 02 or 20 and an address below FLASH_MAP_BYTES and outside of those sectors */

/* Registers: CORE_LANES */
#define PAGEPRESS_CORE_LANES_BASE	0x80006000u	/* The lanes. An action is on one of them, and is answered with a report of that lane as it was a few cycles later; none is answered while the card's clock stands */
#define PAGEPRESS_REGISTER_LANES_PRESENT	0x0u	/* ro: what there is */
#define PAGEPRESS_LANES_PRESENT_LANES_SHIFT	0u	/* a bit for each lane that there is */
#define PAGEPRESS_LANES_PRESENT_LANES_WIDTH	16u	/* bits of LANES_PRESENT_LANES */
#define PAGEPRESS_LANES_PRESENT_LANES_MASK	0xffffu	/* LANES_PRESENT_LANES in place */
#define PAGEPRESS_LANES_PRESENT_COMPRESSORS_SHIFT	16u	/* a bit for each of them that compresses */
#define PAGEPRESS_LANES_PRESENT_COMPRESSORS_WIDTH	16u	/* bits of LANES_PRESENT_COMPRESSORS */
#define PAGEPRESS_LANES_PRESENT_COMPRESSORS_MASK	0xffff0000u	/* LANES_PRESENT_COMPRESSORS in place */
#define PAGEPRESS_REGISTER_LANES_PAGE	0x4u	/* ro: bytes of a page */
#define PAGEPRESS_REGISTER_LANE_ACTION	0x8u	/* wo: begins an action; ignored while one is under way */
#define PAGEPRESS_LANE_ACTION_LANE_SHIFT	0u	/* which */
#define PAGEPRESS_LANE_ACTION_LANE_WIDTH	4u	/* bits of LANE_ACTION_LANE */
#define PAGEPRESS_LANE_ACTION_LANE_MASK	0xfu	/* LANE_ACTION_LANE in place */
#define PAGEPRESS_LANE_ACTION_ACTION_SHIFT	8u	/* lane_actions */
#define PAGEPRESS_LANE_ACTION_ACTION_WIDTH	3u	/* bits of LANE_ACTION_ACTION */
#define PAGEPRESS_LANE_ACTION_ACTION_MASK	0x700u	/* LANE_ACTION_ACTION in place */
#define PAGEPRESS_LANE_ACTION_LENGTH_SHIFT	16u	/* TEST of a decompressor: bytes of the stream. A compressor takes a page; where that is longer than the buffer, the buffer again and again */
#define PAGEPRESS_LANE_ACTION_LENGTH_WIDTH	13u	/* bits of LANE_ACTION_LENGTH */
#define PAGEPRESS_LANE_ACTION_LENGTH_MASK	0x1fff0000u	/* LANE_ACTION_LENGTH in place */
#define PAGEPRESS_REGISTER_LANE_BUSY	0xcu	/* ro: 1: an action is under way; the report below is of the one before */
#define PAGEPRESS_REGISTER_LANE_REPORT	0x10u	/* ro: state of the lane */
#define PAGEPRESS_LANE_REPORT_DONE_SHIFT	0u	/* 1: the action was done, 0: refused */
#define PAGEPRESS_LANE_REPORT_DONE_WIDTH	1u	/* bits of LANE_REPORT_DONE */
#define PAGEPRESS_LANE_REPORT_DONE_MASK	0x1u	/* LANE_REPORT_DONE in place */
#define PAGEPRESS_LANE_REPORT_ISOLATED_SHIFT	1u	/* 1: takes no commands */
#define PAGEPRESS_LANE_REPORT_ISOLATED_WIDTH	1u	/* bits of LANE_REPORT_ISOLATED */
#define PAGEPRESS_LANE_REPORT_ISOLATED_MASK	0x2u	/* LANE_REPORT_ISOLATED in place */
#define PAGEPRESS_LANE_REPORT_FAULTY_SHIFT	2u	/* 1: its engine has given a page up since READY rose or the lane returned; it gets no commands while there is another */
#define PAGEPRESS_LANE_REPORT_FAULTY_WIDTH	1u	/* bits of LANE_REPORT_FAULTY */
#define PAGEPRESS_LANE_REPORT_FAULTY_MASK	0x4u	/* LANE_REPORT_FAULTY in place */
#define PAGEPRESS_LANE_REPORT_IDLE_SHIFT	3u	/* 1: no command of the host's in it, nothing outstanding on the bus */
#define PAGEPRESS_LANE_REPORT_IDLE_WIDTH	1u	/* bits of LANE_REPORT_IDLE */
#define PAGEPRESS_LANE_REPORT_IDLE_MASK	0x8u	/* LANE_REPORT_IDLE in place */
#define PAGEPRESS_LANE_REPORT_FRESH_SHIFT	4u	/* 1: it has been reset since it was isolated */
#define PAGEPRESS_LANE_REPORT_FRESH_WIDTH	1u	/* bits of LANE_REPORT_FRESH */
#define PAGEPRESS_LANE_REPORT_FRESH_MASK	0x10u	/* LANE_REPORT_FRESH in place */
#define PAGEPRESS_LANE_REPORT_PROVEN_SHIFT	5u	/* 1: its last test since its reset ended with SUCCESS */
#define PAGEPRESS_LANE_REPORT_PROVEN_WIDTH	1u	/* bits of LANE_REPORT_PROVEN */
#define PAGEPRESS_LANE_REPORT_PROVEN_MASK	0x20u	/* LANE_REPORT_PROVEN in place */
#define PAGEPRESS_LANE_REPORT_TESTING_SHIFT	6u	/* 1: its test runs */
#define PAGEPRESS_LANE_REPORT_TESTING_WIDTH	1u	/* bits of LANE_REPORT_TESTING */
#define PAGEPRESS_LANE_REPORT_TESTING_MASK	0x40u	/* LANE_REPORT_TESTING in place */
#define PAGEPRESS_LANE_REPORT_STATUS_SHIFT	16u	/* how the last test of any lane ended: a status of the card */
#define PAGEPRESS_LANE_REPORT_STATUS_WIDTH	8u	/* bits of LANE_REPORT_STATUS */
#define PAGEPRESS_LANE_REPORT_STATUS_MASK	0xff0000u	/* LANE_REPORT_STATUS in place */
#define PAGEPRESS_REGISTER_LANE_PAGES	0x14u	/* ro: commands of the host's that it has ended since power-on, modulo 2^32 */
#define PAGEPRESS_REGISTER_LANE_CYCLES	0x18u	/* ro: cycles of the card's clock with any of them in it, since power-on, modulo 2^32 */
#define PAGEPRESS_REGISTER_LANE_TROUBLE	0x1cu	/* ro: what went wrong since power-on */
#define PAGEPRESS_LANE_TROUBLE_VERIFY_FAILURES_SHIFT	0u	/* pages that it found badly compressed, modulo 65536 */
#define PAGEPRESS_LANE_TROUBLE_VERIFY_FAILURES_WIDTH	16u	/* bits of LANE_TROUBLE_VERIFY_FAILURES */
#define PAGEPRESS_LANE_TROUBLE_VERIFY_FAILURES_MASK	0xffffu	/* LANE_TROUBLE_VERIFY_FAILURES in place */
#define PAGEPRESS_LANE_TROUBLE_RESETS_SHIFT	16u	/* resets of the lane alone, modulo 65536 */
#define PAGEPRESS_LANE_TROUBLE_RESETS_WIDTH	16u	/* bits of LANE_TROUBLE_RESETS */
#define PAGEPRESS_LANE_TROUBLE_RESETS_MASK	0xffff0000u	/* LANE_TROUBLE_RESETS in place */
#define PAGEPRESS_REGISTER_LANE_LENGTH	0x20u	/* ro: bytes that the last test gave; the first LANE_BUFFER_BYTES of them are in the buffer */
#define PAGEPRESS_REGISTER_LANE_CRC32C	0x24u	/* ro: CRC32C of its plain page, as the lane says */
#define PAGEPRESS_REGISTER_LANE_DETAIL	0x28u	/* ro: of a compressor: CRC32C of the stream, as the lane says */

/* Registers: CORE_TELEMETRY */
#define PAGEPRESS_CORE_TELEMETRY_BASE	0x80009000u	/* The telemetry page that is being written, at TELEMETRY_OFFSET: whole words, never read. The host sees it once it is published; what stands in it then is of an older snapshot */
#define PAGEPRESS_REGISTER_TELEMETRY_PUBLISH	0x0u	/* rw: any write: what has been written is the newest snapshot; a read gives the number of snapshots published since power-on, modulo 2^32 */

/* Registers: CORE_MONITOR */
#define PAGEPRESS_CORE_MONITOR_BASE	0x8000a000u	/* The monitor of the card's queues and of its link. Each request is answered with a report as of a few hundred cycles later; none is answered while the card's clock stands */
#define PAGEPRESS_REGISTER_MONITOR_QUEUES	0x0u	/* ro: queues that there are */
#define PAGEPRESS_REGISTER_MONITOR_ASK	0x4u	/* wo: number of a queue: asks for a report of it and of the link; ignored while a report is to come */
#define PAGEPRESS_REGISTER_MONITOR_BUSY	0x8u	/* ro: 1: a report is to come; the one below is of the request before */
#define PAGEPRESS_REGISTER_MONITOR_CYCLES_LOW	0xcu	/* ro: cycles of the card's clock since power-on, bits 31..0 */
#define PAGEPRESS_REGISTER_MONITOR_CYCLES_HIGH	0x10u	/* ro: bits 63..32 */
#define PAGEPRESS_REGISTER_MONITOR_DEPTH	0x14u	/* ro: commands that the host has submitted to the queue and whose completion is not begun */
#define PAGEPRESS_MONITOR_DEPTH_NOW_SHIFT	0u	/* at the report */
#define PAGEPRESS_MONITOR_DEPTH_NOW_WIDTH	16u	/* bits of MONITOR_DEPTH_NOW */
#define PAGEPRESS_MONITOR_DEPTH_NOW_MASK	0xffffu	/* MONITOR_DEPTH_NOW in place */
#define PAGEPRESS_MONITOR_DEPTH_PEAK_SHIFT	16u	/* most since the last report of this queue */
#define PAGEPRESS_MONITOR_DEPTH_PEAK_WIDTH	16u	/* bits of MONITOR_DEPTH_PEAK */
#define PAGEPRESS_MONITOR_DEPTH_PEAK_MASK	0xffff0000u	/* MONITOR_DEPTH_PEAK in place */
#define PAGEPRESS_REGISTER_MONITOR_COMMANDS	0x18u	/* ro: commands that have stopped waiting, since power-on, modulo 2^32 */
#define PAGEPRESS_REGISTER_MONITOR_DEPTH_CYCLES_LOW	0x1cu	/* ro: sum of the queue's depth over all cycles since power-on, bits 31..0; sampled every MONITOR_SAMPLE_CYCLES */
#define PAGEPRESS_REGISTER_MONITOR_DEPTH_CYCLES_HIGH	0x20u	/* ro: bits 63..32 */
#define PAGEPRESS_REGISTER_MONITOR_WAITING_CYCLES_LOW	0x24u	/* ro: the same sum of those commands that no engine has taken yet, bits 31..0 */
#define PAGEPRESS_REGISTER_MONITOR_WAITING_CYCLES_HIGH	0x28u	/* ro: bits 63..32 */
#define PAGEPRESS_REGISTER_MONITOR_COMPLETIONS_FAULTED	0x2cu	/* ro: completions of reads of the host's memory that bore an error, since power-on, modulo 2^32, as the next ones */
#define PAGEPRESS_REGISTER_MONITOR_READS_OVERDUE	0x30u	/* ro: reads that did not come back in time */
#define PAGEPRESS_REGISTER_MONITOR_WRITES_FAILED	0x34u	/* ro: bursts of writes that were dropped, or of which the link did not say in time that they had gone */
#define PAGEPRESS_REGISTER_MONITOR_COMPLETIONS_UNEXPECTED	0x38u	/* ro: completions that came for no read, and were dropped */
#define PAGEPRESS_REGISTER_MONITOR_SAMPLE_CYCLES	0x3cu	/* ro: cycles between two samples of a queue */

/* Descriptors */
#define PAGEPRESS_MESSAGE_HEADER_BYTES	8u	/* head of every request and response; the payload follows */
#define PAGEPRESS_MESSAGE_HEADER_KIND_OFFSET	0x0u	/* byte offset of kind */
#define PAGEPRESS_MESSAGE_HEADER_TAG_OFFSET	0x2u	/* byte offset of tag */
#define PAGEPRESS_MESSAGE_HEADER_ARGUMENT_OFFSET	0x4u	/* byte offset of argument */
#define PAGEPRESS_LOG_ENTRY_BYTES	16u	/* one event */
#define PAGEPRESS_LOG_ENTRY_NUMBER_OFFSET	0x0u	/* byte offset of number */
#define PAGEPRESS_LOG_ENTRY_TIME_OFFSET	0x4u	/* byte offset of time */
#define PAGEPRESS_LOG_ENTRY_CODE_OFFSET	0x8u	/* byte offset of code */
#define PAGEPRESS_LOG_ENTRY_SEVERITY_OFFSET	0xau	/* byte offset of severity */
#define PAGEPRESS_LOG_ENTRY_RESERVED_OFFSET	0xbu	/* byte offset of reserved */
#define PAGEPRESS_LOG_ENTRY_ARGUMENT_OFFSET	0xcu	/* byte offset of argument */
#define PAGEPRESS_IMAGE_HEADER_BYTES	96u	/* head of an image; the program follows, and the signature is over all bytes behind the signature */
#define PAGEPRESS_IMAGE_HEADER_SIGNATURE_OFFSET	0x0u	/* byte offset of signature */
#define PAGEPRESS_IMAGE_HEADER_MAGIC_OFFSET	0x40u	/* byte offset of magic */
#define PAGEPRESS_IMAGE_HEADER_TARGET_OFFSET	0x44u	/* byte offset of target */
#define PAGEPRESS_IMAGE_HEADER_LENGTH_OFFSET	0x48u	/* byte offset of length */
#define PAGEPRESS_IMAGE_HEADER_VERSION_OFFSET	0x4cu	/* byte offset of version */
#define PAGEPRESS_IMAGE_HEADER_FLOOR_OFFSET	0x50u	/* byte offset of floor */
#define PAGEPRESS_IMAGE_HEADER_MEMORY_OFFSET	0x54u	/* byte offset of memory */
#define PAGEPRESS_IMAGE_HEADER_RESERVED_OFFSET	0x58u	/* byte offset of reserved */
#define PAGEPRESS_BOOT_RECORD_BYTES	16u	/* what the next reset boots; the intact one with the highest number counts */
#define PAGEPRESS_BOOT_RECORD_NUMBER_OFFSET	0x0u	/* byte offset of number */
#define PAGEPRESS_BOOT_RECORD_FLOOR_OFFSET	0x4u	/* byte offset of floor */
#define PAGEPRESS_BOOT_RECORD_SLOT_OFFSET	0x8u	/* byte offset of slot */
#define PAGEPRESS_BOOT_RECORD_TRIAL_OFFSET	0x9u	/* byte offset of trial */
#define PAGEPRESS_BOOT_RECORD_RESERVED_OFFSET	0xau	/* byte offset of reserved */
#define PAGEPRESS_BOOT_RECORD_CRC32C_OFFSET	0xcu	/* byte offset of crc32c */
#define PAGEPRESS_IDENTITY_BYTES	32u	/* payload of IDENTIFY's response */
#define PAGEPRESS_IDENTITY_VERSION_OFFSET	0x0u	/* byte offset of version */
#define PAGEPRESS_IDENTITY_SLOT_OFFSET	0x4u	/* byte offset of slot */
#define PAGEPRESS_IDENTITY_TRIAL_OFFSET	0x5u	/* byte offset of trial */
#define PAGEPRESS_IDENTITY_NEXT_SLOT_OFFSET	0x6u	/* byte offset of next_slot */
#define PAGEPRESS_IDENTITY_OTHER_STATUS_OFFSET	0x7u	/* byte offset of other_status */
#define PAGEPRESS_IDENTITY_OTHER_VERSION_OFFSET	0x8u	/* byte offset of other_version */
#define PAGEPRESS_IDENTITY_FLOOR_OFFSET	0xcu	/* byte offset of floor */
#define PAGEPRESS_IDENTITY_FLASH_ID_OFFSET	0x10u	/* byte offset of flash_id */
#define PAGEPRESS_IDENTITY_INTERFACE_OFFSET	0x14u	/* byte offset of interface */
#define PAGEPRESS_IDENTITY_RESERVED_OFFSET	0x18u	/* byte offset of reserved */
#define PAGEPRESS_SELF_TEST_RESULT_BYTES	8u	/* payload of SELF_TEST's response */
#define PAGEPRESS_SELF_TEST_RESULT_RAN_OFFSET	0x0u	/* byte offset of ran */
#define PAGEPRESS_SELF_TEST_RESULT_FAILED_OFFSET	0x4u	/* byte offset of failed */
#define PAGEPRESS_TELEMETRY_BYTES	56u	/* payload of TELEMETRY's response; minor versions add at the end */
#define PAGEPRESS_TELEMETRY_UPTIME_OFFSET	0x0u	/* byte offset of uptime */
#define PAGEPRESS_TELEMETRY_RUNNING_OFFSET	0x4u	/* byte offset of running */
#define PAGEPRESS_TELEMETRY_TEMPERATURE_OFFSET	0x8u	/* byte offset of temperature */
#define PAGEPRESS_TELEMETRY_TEMPERATURE_PEAK_OFFSET	0xcu	/* byte offset of temperature_peak */
#define PAGEPRESS_TELEMETRY_VOLTAGE_CORE_OFFSET	0x10u	/* byte offset of voltage_core */
#define PAGEPRESS_TELEMETRY_VOLTAGE_AUX_OFFSET	0x12u	/* byte offset of voltage_aux */
#define PAGEPRESS_TELEMETRY_VOLTAGE_MEMORY_OFFSET	0x14u	/* byte offset of voltage_memory */
#define PAGEPRESS_TELEMETRY_THROTTLE_OFFSET	0x16u	/* byte offset of throttle */
#define PAGEPRESS_TELEMETRY_SENSORS_SILENT_OFFSET	0x17u	/* byte offset of sensors_silent */
#define PAGEPRESS_TELEMETRY_MESSAGES_OFFSET	0x18u	/* byte offset of messages */
#define PAGEPRESS_TELEMETRY_MESSAGES_REFUSED_OFFSET	0x1cu	/* byte offset of messages_refused */
#define PAGEPRESS_TELEMETRY_FLASH_ERRORS_OFFSET	0x20u	/* byte offset of flash_errors */
#define PAGEPRESS_TELEMETRY_THROTTLE_TIME_OFFSET	0x24u	/* byte offset of throttle_time */
#define PAGEPRESS_TELEMETRY_STACK_USED_OFFSET	0x28u	/* byte offset of stack_used */
#define PAGEPRESS_TELEMETRY_STACK_SIZE_OFFSET	0x2au	/* byte offset of stack_size */
#define PAGEPRESS_TELEMETRY_LOOP_LONGEST_OFFSET	0x2cu	/* byte offset of loop_longest */
#define PAGEPRESS_TELEMETRY_SELF_TEST_FAILED_OFFSET	0x30u	/* byte offset of self_test_failed */
#define PAGEPRESS_TELEMETRY_TEMPERATURE_BEGIN_OFFSET	0x34u	/* byte offset of temperature_begin */
#define PAGEPRESS_TELEMETRY_TEMPERATURE_HARDEST_OFFSET	0x36u	/* byte offset of temperature_hardest */
#define PAGEPRESS_LANE_BYTES	32u	/* one lane, in LANES' response; counts are of the time since the image was entered */
#define PAGEPRESS_LANE_NUMBER_OFFSET	0x0u	/* byte offset of number */
#define PAGEPRESS_LANE_KIND_OFFSET	0x1u	/* byte offset of kind */
#define PAGEPRESS_LANE_STATE_OFFSET	0x2u	/* byte offset of state */
#define PAGEPRESS_LANE_CAUSE_OFFSET	0x3u	/* byte offset of cause */
#define PAGEPRESS_LANE_FAILURES_OFFSET	0x4u	/* byte offset of failures */
#define PAGEPRESS_LANE_RESERVED_OFFSET	0x5u	/* byte offset of reserved */
#define PAGEPRESS_LANE_VERIFY_FAILURES_OFFSET	0x8u	/* byte offset of verify_failures */
#define PAGEPRESS_LANE_RESETS_OFFSET	0xcu	/* byte offset of resets */
#define PAGEPRESS_LANE_PAGES_OFFSET	0x10u	/* byte offset of pages */
#define PAGEPRESS_LANE_CYCLES_OFFSET	0x18u	/* byte offset of cycles */
#define PAGEPRESS_TELEMETRY_HEADER_BYTES	40u	/* head of the telemetry page. Behind it stand, each right behind the one before: a Telemetry, a TelemetryLink, a Lane for each lane and a TelemetryQueue for each queue from 0 on. All counts are of the time since the image was entered. A reader steps by the sizes that stand here, as minor versions add at the end of each part */
#define PAGEPRESS_TELEMETRY_HEADER_LENGTH_OFFSET	0x0u	/* byte offset of length */
#define PAGEPRESS_TELEMETRY_HEADER_HEADER_BYTES_OFFSET	0x2u	/* byte offset of header_bytes */
#define PAGEPRESS_TELEMETRY_HEADER_TELEMETRY_BYTES_OFFSET	0x4u	/* byte offset of telemetry_bytes */
#define PAGEPRESS_TELEMETRY_HEADER_LINK_BYTES_OFFSET	0x6u	/* byte offset of link_bytes */
#define PAGEPRESS_TELEMETRY_HEADER_LANE_BYTES_OFFSET	0x8u	/* byte offset of lane_bytes */
#define PAGEPRESS_TELEMETRY_HEADER_QUEUE_BYTES_OFFSET	0xau	/* byte offset of queue_bytes */
#define PAGEPRESS_TELEMETRY_HEADER_LANES_OFFSET	0xcu	/* byte offset of lanes */
#define PAGEPRESS_TELEMETRY_HEADER_QUEUES_OFFSET	0xdu	/* byte offset of queues */
#define PAGEPRESS_TELEMETRY_HEADER_SAMPLE_CYCLES_OFFSET	0xeu	/* byte offset of sample_cycles */
#define PAGEPRESS_TELEMETRY_HEADER_INTERFACE_OFFSET	0x10u	/* byte offset of interface */
#define PAGEPRESS_TELEMETRY_HEADER_BEGAN_OFFSET	0x14u	/* byte offset of began */
#define PAGEPRESS_TELEMETRY_HEADER_PUBLISHED_OFFSET	0x18u	/* byte offset of published */
#define PAGEPRESS_TELEMETRY_HEADER_RESERVED_OFFSET	0x1cu	/* byte offset of reserved */
#define PAGEPRESS_TELEMETRY_HEADER_CYCLES_OFFSET	0x20u	/* byte offset of cycles */
#define PAGEPRESS_TELEMETRY_LINK_BYTES	16u	/* what went wrong between the card and the host's memory */
#define PAGEPRESS_TELEMETRY_LINK_COMPLETIONS_FAULTED_OFFSET	0x0u	/* byte offset of completions_faulted */
#define PAGEPRESS_TELEMETRY_LINK_READS_OVERDUE_OFFSET	0x4u	/* byte offset of reads_overdue */
#define PAGEPRESS_TELEMETRY_LINK_WRITES_FAILED_OFFSET	0x8u	/* byte offset of writes_failed */
#define PAGEPRESS_TELEMETRY_LINK_COMPLETIONS_UNEXPECTED_OFFSET	0xcu	/* byte offset of completions_unexpected */
#define PAGEPRESS_TELEMETRY_QUEUE_BYTES	24u	/* one queue */
#define PAGEPRESS_TELEMETRY_QUEUE_DEPTH_OFFSET	0x0u	/* byte offset of depth */
#define PAGEPRESS_TELEMETRY_QUEUE_DEPTH_PEAK_OFFSET	0x2u	/* byte offset of depth_peak */
#define PAGEPRESS_TELEMETRY_QUEUE_COMMANDS_OFFSET	0x4u	/* byte offset of commands */
#define PAGEPRESS_TELEMETRY_QUEUE_DEPTH_CYCLES_OFFSET	0x8u	/* byte offset of depth_cycles */
#define PAGEPRESS_TELEMETRY_QUEUE_WAITING_CYCLES_OFFSET	0x10u	/* byte offset of waiting_cycles */

/* Slots: X(NAME, number) */
#define PAGEPRESS_SLOT_TABLE(X) \
	X(A, 0x0) \
	X(B, 0x1) \
	X(NONE, 0xff)

/* Stages: X(NAME, number) */
#define PAGEPRESS_STAGE_TABLE(X) \
	X(RESET, 0x0) \
	X(BOOTING, 0x1) \
	X(RUNNING, 0x2) \
	X(FAILED, 0x3)

/* Boot kinds: X(NAME, number) */
#define PAGEPRESS_BOOT_TABLE(X) \
	X(NORMAL, 0x0) \
	X(TRIAL, 0x1) \
	X(FALLBACK, 0x2)

/* Reset causes: X(NAME, number) */
#define PAGEPRESS_RESET_CAUSE_TABLE(X) \
	X(POWER, 0x0) \
	X(HOST, 0x1) \
	X(WATCHDOG, 0x2) \
	X(FIRMWARE, 0x3)

/* Mailbox states: X(NAME, number) */
#define PAGEPRESS_MAILBOX_STATE_TABLE(X) \
	X(IDLE, 0x0) \
	X(REQUESTED, 0x1) \
	X(ANSWERED, 0x2)

/* Management statuses: X(NAME, number) */
#define PAGEPRESS_MANAGEMENT_STATUS_TABLE(X) \
	X(OK, 0x0) \
	X(UNKNOWN_MESSAGE, 0x1) \
	X(BAD_LENGTH, 0x2) \
	X(BAD_ARGUMENT, 0x3) \
	X(WRONG_STATE, 0x4) \
	X(FLASH_TIMEOUT, 0x5) \
	X(FLASH_FAILED, 0x6) \
	X(SELF_TEST_FAILED, 0x7) \
	X(IMAGE_EMPTY, 0x10) \
	X(IMAGE_BAD_MAGIC, 0x11) \
	X(IMAGE_TRUNCATED, 0x12) \
	X(IMAGE_TOO_LARGE, 0x13) \
	X(IMAGE_WRONG_TARGET, 0x14) \
	X(IMAGE_BAD_SIGNATURE, 0x15) \
	X(IMAGE_TOO_OLD, 0x16) \
	X(IMAGE_TRIAL_FAILED, 0x17) \
	X(IMAGE_BAD_HEADER, 0x18)

/* Messages: X(NAME, number) */
#define PAGEPRESS_MESSAGE_TABLE(X) \
	X(PING, 0x1) \
	X(IDENTIFY, 0x2) \
	X(TELEMETRY, 0x3) \
	X(SELF_TEST, 0x4) \
	X(UPDATE_BEGIN, 0x5) \
	X(UPDATE_DATA, 0x6) \
	X(UPDATE_COMMIT, 0x7) \
	X(ROLLBACK, 0x8) \
	X(RESET, 0x9) \
	X(SET_LIMITS, 0xa) \
	X(LANES, 0xb)

/* Self tests: X(NAME, number) */
#define PAGEPRESS_SELF_TEST_TABLE(X) \
	X(RAM, 0x1) \
	X(TIMER, 0x2) \
	X(FLASH, 0x4) \
	X(SENSORS, 0x8) \
	X(IMAGE, 0x10)

/* Log severities: X(NAME, number) */
#define PAGEPRESS_SEVERITY_TABLE(X) \
	X(ERROR, 0x3) \
	X(WARNING, 0x4) \
	X(INFO, 0x6)

/* Events: X(NAME, number) */
#define PAGEPRESS_EVENT_TABLE(X) \
	X(CORE_RESET, 0x1) \
	X(BOOTED, 0x2) \
	X(SLOT_REFUSED, 0x3) \
	X(NO_IMAGE, 0x4) \
	X(CONFIRMED, 0x5) \
	X(UPDATE_BEGUN, 0x6) \
	X(UPDATE_ENDED, 0x7) \
	X(SELF_TEST_ENDED, 0x8) \
	X(THROTTLED, 0x9) \
	X(SENSOR_SILENT, 0xa) \
	X(FLASH_TROUBLE, 0xb) \
	X(MAILBOX_REFUSED, 0xc) \
	X(LANE_ISOLATED, 0xd) \
	X(LANE_FAILED, 0xe) \
	X(LANE_RETURNED, 0xf) \
	X(LANE_OUT, 0x10)

/* Lane actions: X(NAME, number) */
#define PAGEPRESS_LANE_ACTION_TABLE(X) \
	X(LOOK, 0x0) \
	X(ISOLATE, 0x1) \
	X(RESET, 0x2) \
	X(TEST, 0x3) \
	X(RETURN, 0x4)

/* Lane kinds: X(NAME, number) */
#define PAGEPRESS_LANE_KIND_TABLE(X) \
	X(DECOMPRESS, 0x0) \
	X(COMPRESS, 0x1)

/* Lane states: X(NAME, number) */
#define PAGEPRESS_LANE_STATE_TABLE(X) \
	X(IN_SERVICE, 0x0) \
	X(ISOLATED, 0x1) \
	X(TESTED, 0x2) \
	X(OUT, 0x3) \
	X(RESTING, 0x4)

/* Lane causes: X(NAME, number) */
#define PAGEPRESS_LANE_CAUSE_TABLE(X) \
	X(NONE, 0x0) \
	X(FAULT, 0x1) \
	X(VERIFY, 0x2) \
	X(TEST, 0x3)

/* Sensors: X(NAME, number) */
#define PAGEPRESS_SENSOR_TABLE(X) \
	X(TEMPERATURE, 0x0) \
	X(VOLTAGE_CORE, 0x1) \
	X(VOLTAGE_AUX, 0x2) \
	X(VOLTAGE_MEMORY, 0x3)

/* head of every request and response; the payload follows */
struct pagepress_message_header {
	PAGEPRESS_LE16 kind;	/* what it is (messages); the same in the response */
	PAGEPRESS_LE16 tag;	/* returned in the response, not interpreted */
	PAGEPRESS_LE32 argument;	/* of a request: depends on its kind, else 0; of a response: status (management_statuses) */
};

static_assert(sizeof(struct pagepress_message_header) == PAGEPRESS_MESSAGE_HEADER_BYTES, "size of pagepress_message_header");
static_assert(offsetof(struct pagepress_message_header, kind) == PAGEPRESS_MESSAGE_HEADER_KIND_OFFSET, "offset of kind");
static_assert(offsetof(struct pagepress_message_header, tag) == PAGEPRESS_MESSAGE_HEADER_TAG_OFFSET, "offset of tag");
static_assert(offsetof(struct pagepress_message_header, argument) == PAGEPRESS_MESSAGE_HEADER_ARGUMENT_OFFSET, "offset of argument");

/* one event */
struct pagepress_log_entry {
	PAGEPRESS_LE32 number;	/* entries written before this one, modulo 2^32: tells an entry that was overwritten while it was read */
	PAGEPRESS_LE32 time;	/* milliseconds since power-on, modulo 2^32 */
	PAGEPRESS_LE16 code;	/* events */
	PAGEPRESS_U8 severity;	/* log_severities */
	PAGEPRESS_U8 reserved[1];
	PAGEPRESS_LE32 argument;	/* depends on the code */
};

static_assert(sizeof(struct pagepress_log_entry) == PAGEPRESS_LOG_ENTRY_BYTES, "size of pagepress_log_entry");
static_assert(offsetof(struct pagepress_log_entry, number) == PAGEPRESS_LOG_ENTRY_NUMBER_OFFSET, "offset of number");
static_assert(offsetof(struct pagepress_log_entry, time) == PAGEPRESS_LOG_ENTRY_TIME_OFFSET, "offset of time");
static_assert(offsetof(struct pagepress_log_entry, code) == PAGEPRESS_LOG_ENTRY_CODE_OFFSET, "offset of code");
static_assert(offsetof(struct pagepress_log_entry, severity) == PAGEPRESS_LOG_ENTRY_SEVERITY_OFFSET, "offset of severity");
static_assert(offsetof(struct pagepress_log_entry, reserved) == PAGEPRESS_LOG_ENTRY_RESERVED_OFFSET, "offset of reserved");
static_assert(offsetof(struct pagepress_log_entry, argument) == PAGEPRESS_LOG_ENTRY_ARGUMENT_OFFSET, "offset of argument");

/* head of an image; the program follows, and the signature is over all bytes behind the signature */
struct pagepress_image_header {
	PAGEPRESS_U8 signature[64];
	PAGEPRESS_LE32 magic;	/* IMAGE_MAGIC_VALUE */
	PAGEPRESS_LE32 target;	/* IMAGE_TARGET_VALUE */
	PAGEPRESS_LE32 length;	/* bytes of the image with this header; a multiple of 4 */
	PAGEPRESS_LE32 version;	/* of the image, 1 or more; shown as FIRMWARE_VERSION: major, minor, patch in bits 31..24, 23..16, 15..0 */
	PAGEPRESS_LE32 floor;	/* when this image is confirmed, images of lower versions are refused; not above version */
	PAGEPRESS_LE32 memory;	/* RAM that it uses from its first byte on, stack included, bytes */
	PAGEPRESS_U8 reserved[8];
};

static_assert(sizeof(struct pagepress_image_header) == PAGEPRESS_IMAGE_HEADER_BYTES, "size of pagepress_image_header");
static_assert(offsetof(struct pagepress_image_header, signature) == PAGEPRESS_IMAGE_HEADER_SIGNATURE_OFFSET, "offset of signature");
static_assert(offsetof(struct pagepress_image_header, magic) == PAGEPRESS_IMAGE_HEADER_MAGIC_OFFSET, "offset of magic");
static_assert(offsetof(struct pagepress_image_header, target) == PAGEPRESS_IMAGE_HEADER_TARGET_OFFSET, "offset of target");
static_assert(offsetof(struct pagepress_image_header, length) == PAGEPRESS_IMAGE_HEADER_LENGTH_OFFSET, "offset of length");
static_assert(offsetof(struct pagepress_image_header, version) == PAGEPRESS_IMAGE_HEADER_VERSION_OFFSET, "offset of version");
static_assert(offsetof(struct pagepress_image_header, floor) == PAGEPRESS_IMAGE_HEADER_FLOOR_OFFSET, "offset of floor");
static_assert(offsetof(struct pagepress_image_header, memory) == PAGEPRESS_IMAGE_HEADER_MEMORY_OFFSET, "offset of memory");
static_assert(offsetof(struct pagepress_image_header, reserved) == PAGEPRESS_IMAGE_HEADER_RESERVED_OFFSET, "offset of reserved");

/* what the next reset boots; the intact one with the highest number counts */
struct pagepress_boot_record {
	PAGEPRESS_LE32 number;	/* one more than of the record before; never 0xffffffff */
	PAGEPRESS_LE32 floor;	/* versions below it are refused. What stands at FLASH_FLOOR_OFFSET counts, too; the boot ROM raises that to this when it enters an image */
	PAGEPRESS_U8 slot;	/* slot to boot (slots) */
	PAGEPRESS_U8 trial;	/* 1: boot it on trial; 2: its trial has begun; 0: it is confirmed */
	PAGEPRESS_U8 reserved[2];
	PAGEPRESS_LE32 crc32c;	/* CRC32C of the bytes before */
};

static_assert(sizeof(struct pagepress_boot_record) == PAGEPRESS_BOOT_RECORD_BYTES, "size of pagepress_boot_record");
static_assert(offsetof(struct pagepress_boot_record, number) == PAGEPRESS_BOOT_RECORD_NUMBER_OFFSET, "offset of number");
static_assert(offsetof(struct pagepress_boot_record, floor) == PAGEPRESS_BOOT_RECORD_FLOOR_OFFSET, "offset of floor");
static_assert(offsetof(struct pagepress_boot_record, slot) == PAGEPRESS_BOOT_RECORD_SLOT_OFFSET, "offset of slot");
static_assert(offsetof(struct pagepress_boot_record, trial) == PAGEPRESS_BOOT_RECORD_TRIAL_OFFSET, "offset of trial");
static_assert(offsetof(struct pagepress_boot_record, reserved) == PAGEPRESS_BOOT_RECORD_RESERVED_OFFSET, "offset of reserved");
static_assert(offsetof(struct pagepress_boot_record, crc32c) == PAGEPRESS_BOOT_RECORD_CRC32C_OFFSET, "offset of crc32c");

/* payload of IDENTIFY's response */
struct pagepress_identity {
	PAGEPRESS_LE32 version;	/* of the running image */
	PAGEPRESS_U8 slot;	/* it runs from (slots) */
	PAGEPRESS_U8 trial;	/* 1: it has not confirmed itself */
	PAGEPRESS_U8 next_slot;	/* the next reset boots (slots) */
	PAGEPRESS_U8 other_status;	/* of the other slot's header (management_statuses); its signature is not looked at */
	PAGEPRESS_LE32 other_version;	/* of the image in the other slot; 0 if there is none */
	PAGEPRESS_LE32 floor;	/* versions below it are refused */
	PAGEPRESS_LE32 flash_id;	/* JEDEC identity of the flash, bits 23..0; 0 if it does not answer */
	PAGEPRESS_LE32 interface;	/* version of this interface that the image was made for */
	PAGEPRESS_U8 reserved[8];
};

static_assert(sizeof(struct pagepress_identity) == PAGEPRESS_IDENTITY_BYTES, "size of pagepress_identity");
static_assert(offsetof(struct pagepress_identity, version) == PAGEPRESS_IDENTITY_VERSION_OFFSET, "offset of version");
static_assert(offsetof(struct pagepress_identity, slot) == PAGEPRESS_IDENTITY_SLOT_OFFSET, "offset of slot");
static_assert(offsetof(struct pagepress_identity, trial) == PAGEPRESS_IDENTITY_TRIAL_OFFSET, "offset of trial");
static_assert(offsetof(struct pagepress_identity, next_slot) == PAGEPRESS_IDENTITY_NEXT_SLOT_OFFSET, "offset of next_slot");
static_assert(offsetof(struct pagepress_identity, other_status) == PAGEPRESS_IDENTITY_OTHER_STATUS_OFFSET, "offset of other_status");
static_assert(offsetof(struct pagepress_identity, other_version) == PAGEPRESS_IDENTITY_OTHER_VERSION_OFFSET, "offset of other_version");
static_assert(offsetof(struct pagepress_identity, floor) == PAGEPRESS_IDENTITY_FLOOR_OFFSET, "offset of floor");
static_assert(offsetof(struct pagepress_identity, flash_id) == PAGEPRESS_IDENTITY_FLASH_ID_OFFSET, "offset of flash_id");
static_assert(offsetof(struct pagepress_identity, interface) == PAGEPRESS_IDENTITY_INTERFACE_OFFSET, "offset of interface");
static_assert(offsetof(struct pagepress_identity, reserved) == PAGEPRESS_IDENTITY_RESERVED_OFFSET, "offset of reserved");

/* payload of SELF_TEST's response */
struct pagepress_self_test_result {
	PAGEPRESS_LE32 ran;	/* bits of the tests that ran (self_tests) */
	PAGEPRESS_LE32 failed;	/* bits of those that failed */
};

static_assert(sizeof(struct pagepress_self_test_result) == PAGEPRESS_SELF_TEST_RESULT_BYTES, "size of pagepress_self_test_result");
static_assert(offsetof(struct pagepress_self_test_result, ran) == PAGEPRESS_SELF_TEST_RESULT_RAN_OFFSET, "offset of ran");
static_assert(offsetof(struct pagepress_self_test_result, failed) == PAGEPRESS_SELF_TEST_RESULT_FAILED_OFFSET, "offset of failed");

/* payload of TELEMETRY's response; minor versions add at the end */
struct pagepress_telemetry {
	PAGEPRESS_LE32 uptime;	/* milliseconds since power-on, modulo 2^32 */
	PAGEPRESS_LE32 running;	/* milliseconds since this image was entered, modulo 2^32 */
	PAGEPRESS_LE32 temperature;	/* of the die, units of 0.01 degrees Celsius, two's complement */
	PAGEPRESS_LE32 temperature_peak;	/* highest since the image was entered */
	PAGEPRESS_LE16 voltage_core;	/* millivolts; 0: silent */
	PAGEPRESS_LE16 voltage_aux;	/* millivolts; 0: silent */
	PAGEPRESS_LE16 voltage_memory;	/* millivolts; 0: silent */
	PAGEPRESS_U8 throttle;	/* step, 0 (none) to 3 */
	PAGEPRESS_U8 sensors_silent;	/* a bit for each channel that is silent, from the start on or for a second (sensors): what it said last counts no more */
	PAGEPRESS_LE32 messages;	/* requests answered */
	PAGEPRESS_LE32 messages_refused;	/* of these, with another status than OK */
	PAGEPRESS_LE32 flash_errors;	/* commands of the flash that failed or timed out */
	PAGEPRESS_LE32 throttle_time;	/* milliseconds spent throttled */
	PAGEPRESS_LE16 stack_used;	/* most bytes of stack ever used */
	PAGEPRESS_LE16 stack_size;	/* bytes of stack there are */
	PAGEPRESS_LE32 loop_longest;	/* longest turn of the main loop, cycles */
	PAGEPRESS_LE32 self_test_failed;	/* bits that failed in the last self-test (self_tests) */
	PAGEPRESS_LE16 temperature_begin;	/* throttling begins, units of 0.01 degrees Celsius */
	PAGEPRESS_LE16 temperature_hardest;	/* throttling is hardest, units of 0.01 degrees Celsius */
};

static_assert(sizeof(struct pagepress_telemetry) == PAGEPRESS_TELEMETRY_BYTES, "size of pagepress_telemetry");
static_assert(offsetof(struct pagepress_telemetry, uptime) == PAGEPRESS_TELEMETRY_UPTIME_OFFSET, "offset of uptime");
static_assert(offsetof(struct pagepress_telemetry, running) == PAGEPRESS_TELEMETRY_RUNNING_OFFSET, "offset of running");
static_assert(offsetof(struct pagepress_telemetry, temperature) == PAGEPRESS_TELEMETRY_TEMPERATURE_OFFSET, "offset of temperature");
static_assert(offsetof(struct pagepress_telemetry, temperature_peak) == PAGEPRESS_TELEMETRY_TEMPERATURE_PEAK_OFFSET, "offset of temperature_peak");
static_assert(offsetof(struct pagepress_telemetry, voltage_core) == PAGEPRESS_TELEMETRY_VOLTAGE_CORE_OFFSET, "offset of voltage_core");
static_assert(offsetof(struct pagepress_telemetry, voltage_aux) == PAGEPRESS_TELEMETRY_VOLTAGE_AUX_OFFSET, "offset of voltage_aux");
static_assert(offsetof(struct pagepress_telemetry, voltage_memory) == PAGEPRESS_TELEMETRY_VOLTAGE_MEMORY_OFFSET, "offset of voltage_memory");
static_assert(offsetof(struct pagepress_telemetry, throttle) == PAGEPRESS_TELEMETRY_THROTTLE_OFFSET, "offset of throttle");
static_assert(offsetof(struct pagepress_telemetry, sensors_silent) == PAGEPRESS_TELEMETRY_SENSORS_SILENT_OFFSET, "offset of sensors_silent");
static_assert(offsetof(struct pagepress_telemetry, messages) == PAGEPRESS_TELEMETRY_MESSAGES_OFFSET, "offset of messages");
static_assert(offsetof(struct pagepress_telemetry, messages_refused) == PAGEPRESS_TELEMETRY_MESSAGES_REFUSED_OFFSET, "offset of messages_refused");
static_assert(offsetof(struct pagepress_telemetry, flash_errors) == PAGEPRESS_TELEMETRY_FLASH_ERRORS_OFFSET, "offset of flash_errors");
static_assert(offsetof(struct pagepress_telemetry, throttle_time) == PAGEPRESS_TELEMETRY_THROTTLE_TIME_OFFSET, "offset of throttle_time");
static_assert(offsetof(struct pagepress_telemetry, stack_used) == PAGEPRESS_TELEMETRY_STACK_USED_OFFSET, "offset of stack_used");
static_assert(offsetof(struct pagepress_telemetry, stack_size) == PAGEPRESS_TELEMETRY_STACK_SIZE_OFFSET, "offset of stack_size");
static_assert(offsetof(struct pagepress_telemetry, loop_longest) == PAGEPRESS_TELEMETRY_LOOP_LONGEST_OFFSET, "offset of loop_longest");
static_assert(offsetof(struct pagepress_telemetry, self_test_failed) == PAGEPRESS_TELEMETRY_SELF_TEST_FAILED_OFFSET, "offset of self_test_failed");
static_assert(offsetof(struct pagepress_telemetry, temperature_begin) == PAGEPRESS_TELEMETRY_TEMPERATURE_BEGIN_OFFSET, "offset of temperature_begin");
static_assert(offsetof(struct pagepress_telemetry, temperature_hardest) == PAGEPRESS_TELEMETRY_TEMPERATURE_HARDEST_OFFSET, "offset of temperature_hardest");

/* one lane, in LANES' response; counts are of the time since the image was entered */
struct pagepress_lane {
	PAGEPRESS_U8 number;	/* of the lane */
	PAGEPRESS_U8 kind;	/* lane_kinds */
	PAGEPRESS_U8 state;	/* lane_states */
	PAGEPRESS_U8 cause;	/* of its last trouble (lane_causes) */
	PAGEPRESS_U8 failures;	/* in a row; a minute in service forgives them */
	PAGEPRESS_U8 reserved[3];
	PAGEPRESS_LE32 verify_failures;	/* pages that it found badly compressed */
	PAGEPRESS_LE32 resets;	/* resets of the lane alone */
	PAGEPRESS_LE64 pages;	/* commands of the host's that it has ended */
	PAGEPRESS_LE64 cycles;	/* cycles of the card's clock with any of them in it */
};

static_assert(sizeof(struct pagepress_lane) == PAGEPRESS_LANE_BYTES, "size of pagepress_lane");
static_assert(offsetof(struct pagepress_lane, number) == PAGEPRESS_LANE_NUMBER_OFFSET, "offset of number");
static_assert(offsetof(struct pagepress_lane, kind) == PAGEPRESS_LANE_KIND_OFFSET, "offset of kind");
static_assert(offsetof(struct pagepress_lane, state) == PAGEPRESS_LANE_STATE_OFFSET, "offset of state");
static_assert(offsetof(struct pagepress_lane, cause) == PAGEPRESS_LANE_CAUSE_OFFSET, "offset of cause");
static_assert(offsetof(struct pagepress_lane, failures) == PAGEPRESS_LANE_FAILURES_OFFSET, "offset of failures");
static_assert(offsetof(struct pagepress_lane, reserved) == PAGEPRESS_LANE_RESERVED_OFFSET, "offset of reserved");
static_assert(offsetof(struct pagepress_lane, verify_failures) == PAGEPRESS_LANE_VERIFY_FAILURES_OFFSET, "offset of verify_failures");
static_assert(offsetof(struct pagepress_lane, resets) == PAGEPRESS_LANE_RESETS_OFFSET, "offset of resets");
static_assert(offsetof(struct pagepress_lane, pages) == PAGEPRESS_LANE_PAGES_OFFSET, "offset of pages");
static_assert(offsetof(struct pagepress_lane, cycles) == PAGEPRESS_LANE_CYCLES_OFFSET, "offset of cycles");

/* head of the telemetry page. Behind it stand, each right behind the one before: a Telemetry, a TelemetryLink, a Lane for each lane and a TelemetryQueue for each queue from 0 on. All counts are of the time since the image was entered. A reader steps by the sizes that stand here, as minor versions add at the end of each part */
struct pagepress_telemetry_header {
	PAGEPRESS_LE16 length;	/* of the snapshot with this header, bytes */
	PAGEPRESS_LE16 header_bytes;	/* of this header, as the next ones */
	PAGEPRESS_LE16 telemetry_bytes;	/* of the Telemetry */
	PAGEPRESS_LE16 link_bytes;	/* of the TelemetryLink */
	PAGEPRESS_LE16 lane_bytes;	/* of each Lane */
	PAGEPRESS_LE16 queue_bytes;	/* of each TelemetryQueue */
	PAGEPRESS_U8 lanes;	/* how many */
	PAGEPRESS_U8 queues;	/* how many */
	PAGEPRESS_LE16 sample_cycles;	/* cycles of the card's clock between two samples of a queue */
	PAGEPRESS_LE32 interface;	/* version of this interface that the image was made for */
	PAGEPRESS_LE32 began;	/* milliseconds since power-on, modulo 2^32, when the first of its counts was read: not long before Telemetry.uptime, when it was published, unless the card's clock stands */
	PAGEPRESS_LE32 published;	/* snapshots published since the image was entered, with this one */
	PAGEPRESS_U8 reserved[4];
	PAGEPRESS_LE64 cycles;	/* of the card's clock */
};

static_assert(sizeof(struct pagepress_telemetry_header) == PAGEPRESS_TELEMETRY_HEADER_BYTES, "size of pagepress_telemetry_header");
static_assert(offsetof(struct pagepress_telemetry_header, length) == PAGEPRESS_TELEMETRY_HEADER_LENGTH_OFFSET, "offset of length");
static_assert(offsetof(struct pagepress_telemetry_header, header_bytes) == PAGEPRESS_TELEMETRY_HEADER_HEADER_BYTES_OFFSET, "offset of header_bytes");
static_assert(offsetof(struct pagepress_telemetry_header, telemetry_bytes) == PAGEPRESS_TELEMETRY_HEADER_TELEMETRY_BYTES_OFFSET, "offset of telemetry_bytes");
static_assert(offsetof(struct pagepress_telemetry_header, link_bytes) == PAGEPRESS_TELEMETRY_HEADER_LINK_BYTES_OFFSET, "offset of link_bytes");
static_assert(offsetof(struct pagepress_telemetry_header, lane_bytes) == PAGEPRESS_TELEMETRY_HEADER_LANE_BYTES_OFFSET, "offset of lane_bytes");
static_assert(offsetof(struct pagepress_telemetry_header, queue_bytes) == PAGEPRESS_TELEMETRY_HEADER_QUEUE_BYTES_OFFSET, "offset of queue_bytes");
static_assert(offsetof(struct pagepress_telemetry_header, lanes) == PAGEPRESS_TELEMETRY_HEADER_LANES_OFFSET, "offset of lanes");
static_assert(offsetof(struct pagepress_telemetry_header, queues) == PAGEPRESS_TELEMETRY_HEADER_QUEUES_OFFSET, "offset of queues");
static_assert(offsetof(struct pagepress_telemetry_header, sample_cycles) == PAGEPRESS_TELEMETRY_HEADER_SAMPLE_CYCLES_OFFSET, "offset of sample_cycles");
static_assert(offsetof(struct pagepress_telemetry_header, interface) == PAGEPRESS_TELEMETRY_HEADER_INTERFACE_OFFSET, "offset of interface");
static_assert(offsetof(struct pagepress_telemetry_header, began) == PAGEPRESS_TELEMETRY_HEADER_BEGAN_OFFSET, "offset of began");
static_assert(offsetof(struct pagepress_telemetry_header, published) == PAGEPRESS_TELEMETRY_HEADER_PUBLISHED_OFFSET, "offset of published");
static_assert(offsetof(struct pagepress_telemetry_header, reserved) == PAGEPRESS_TELEMETRY_HEADER_RESERVED_OFFSET, "offset of reserved");
static_assert(offsetof(struct pagepress_telemetry_header, cycles) == PAGEPRESS_TELEMETRY_HEADER_CYCLES_OFFSET, "offset of cycles");

/* what went wrong between the card and the host's memory */
struct pagepress_telemetry_link {
	PAGEPRESS_LE32 completions_faulted;	/* completions of reads that bore an error */
	PAGEPRESS_LE32 reads_overdue;	/* reads that did not come back in time */
	PAGEPRESS_LE32 writes_failed;	/* bursts of writes that were dropped, or of which the link did not say in time that they had gone */
	PAGEPRESS_LE32 completions_unexpected;	/* completions that came for no read, and were dropped */
};

static_assert(sizeof(struct pagepress_telemetry_link) == PAGEPRESS_TELEMETRY_LINK_BYTES, "size of pagepress_telemetry_link");
static_assert(offsetof(struct pagepress_telemetry_link, completions_faulted) == PAGEPRESS_TELEMETRY_LINK_COMPLETIONS_FAULTED_OFFSET, "offset of completions_faulted");
static_assert(offsetof(struct pagepress_telemetry_link, reads_overdue) == PAGEPRESS_TELEMETRY_LINK_READS_OVERDUE_OFFSET, "offset of reads_overdue");
static_assert(offsetof(struct pagepress_telemetry_link, writes_failed) == PAGEPRESS_TELEMETRY_LINK_WRITES_FAILED_OFFSET, "offset of writes_failed");
static_assert(offsetof(struct pagepress_telemetry_link, completions_unexpected) == PAGEPRESS_TELEMETRY_LINK_COMPLETIONS_UNEXPECTED_OFFSET, "offset of completions_unexpected");

/* one queue */
struct pagepress_telemetry_queue {
	PAGEPRESS_LE16 depth;	/* commands that the host has submitted and whose completion is not begun */
	PAGEPRESS_LE16 depth_peak;	/* most that a sample found */
	PAGEPRESS_LE32 commands;	/* that have stopped waiting, modulo 2^32: an engine has taken them, or they ended without one */
	PAGEPRESS_LE64 depth_cycles;	/* sum of the depth over all cycles: divided by cycles the mean depth, by commands the mean time from doorbell to completion */
	PAGEPRESS_LE64 waiting_cycles;	/* sum of those that no engine had taken: divided by commands the mean waiting time */
};

static_assert(sizeof(struct pagepress_telemetry_queue) == PAGEPRESS_TELEMETRY_QUEUE_BYTES, "size of pagepress_telemetry_queue");
static_assert(offsetof(struct pagepress_telemetry_queue, depth) == PAGEPRESS_TELEMETRY_QUEUE_DEPTH_OFFSET, "offset of depth");
static_assert(offsetof(struct pagepress_telemetry_queue, depth_peak) == PAGEPRESS_TELEMETRY_QUEUE_DEPTH_PEAK_OFFSET, "offset of depth_peak");
static_assert(offsetof(struct pagepress_telemetry_queue, commands) == PAGEPRESS_TELEMETRY_QUEUE_COMMANDS_OFFSET, "offset of commands");
static_assert(offsetof(struct pagepress_telemetry_queue, depth_cycles) == PAGEPRESS_TELEMETRY_QUEUE_DEPTH_CYCLES_OFFSET, "offset of depth_cycles");
static_assert(offsetof(struct pagepress_telemetry_queue, waiting_cycles) == PAGEPRESS_TELEMETRY_QUEUE_WAITING_CYCLES_OFFSET, "offset of waiting_cycles");

#endif /* PAGEPRESS_MANAGEMENT_H */
