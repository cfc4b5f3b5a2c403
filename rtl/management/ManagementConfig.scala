// SPDX-License-Identifier: Apache-2.0
package pagepress.management

/** What a management part is built with.
  *
  * @param clockKilohertz      its own clock; milliseconds are counted by it
  * @param watchdogMilliseconds limit of the watchdog after every reset of the core: longer than the boot ROM takes for a signature
  * @param romFile             the boot ROM's words in hexadecimal, where the tool that reads the Verilog finds them
  */
case class ManagementConfig(clockKilohertz: Int = 100000, watchdogMilliseconds: Int = 1000, romFile: String = "boot_rom.hex") {
  require(clockKilohertz >= 1, s"the management clock is at least 1 kHz, not $clockKilohertz")
  require(watchdogMilliseconds > 0 && watchdogMilliseconds < 65536, s"the watchdog's limit is 1 to 65535 ms, not $watchdogMilliseconds")
}
