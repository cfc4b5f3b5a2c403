// SPDX-License-Identifier: Apache-2.0
#include "board.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "pagepress_management.h"

static bool number(const std::string &text, unsigned limit, unsigned &value)
{
    if (text.empty() || text.size() > 5 || text.find_first_not_of("0123456789") != std::string::npos)
        return false;
    value = std::strtoul(text.c_str(), nullptr, 10);
    return value < limit;
}

void Board::put_image(const std::vector<uint8_t> &image)
{
    std::fill(flash.memory.begin(), flash.memory.end(), 0xFF);
    std::copy_n(image.begin(), std::min<size_t>(image.size(), PAGEPRESS_IMAGE_MAX_BYTES), flash.memory.begin() + PAGEPRESS_FLASH_SLOT_A_OFFSET);
}

std::string Board::command(const std::vector<std::string> &words)
{
    const std::string name = words.empty() ? "" : words[0], what = words.size() > 1 ? words.back() : "";
    unsigned channel = 0, code = OFF;
    if (name == "sensor") {
        if (words.size() != 3 || !number(words[1], CHANNELS, channel) || (what != "off" && !number(what, OFF, code)))
            return "expected: sensor CHANNEL CODE|off, of 8 channels and 65536 codes";
        codes[channel] = code;
        return "";
    }
    if (name == "flash" && words.size() == 2 && (what == "dead" || what == "stuck" || what == "worn" || what == "well")) {
        flash.dead = what == "dead";
        flash.stuck = what == "stuck";
        flash.worn = what == "worn";
        return "";
    }
    static const std::map<std::string, Lane> troubles = {{"well", Lane::WELL}, {"breaks", Lane::BREAKS}, {"broken", Lane::BROKEN}};
    if (name == "lane") {
        unsigned lane = 0;
        auto trouble = troubles.find(what);
        if (words.size() != 3 || !number(words[1], LANES, lane) || trouble == troubles.end())
            return "expected: lane NUMBER breaks|broken|well, of 4 lanes";
        lanes[lane] = trouble->second;
        return "";
    }
    static const std::map<std::string, Firmware> states = {
        {"hung", Firmware::HUNG}, {"dead", Firmware::DEAD}, {"mute", Firmware::MUTE}, {"liar", Firmware::LIAR}, {"well", Firmware::WELL},
        {"hostile-writes", Firmware::HOSTILE_WRITES}, {"hostile-mailbox", Firmware::HOSTILE_MAILBOX}, {"hostile-lanes", Firmware::HOSTILE_LANES},
        {"hostile-log", Firmware::HOSTILE_LOG}, {"hostile-floor", Firmware::HOSTILE_FLOOR}};
    auto state = states.find(what);
    if (name == "firmware" && words.size() == 2 && state != states.end()) {
        firmware = state->second;
        return "";
    }
    return name == "flash" ? "expected: flash dead|stuck|worn|well" : "expected: firmware hung|dead|mute|liar|well|hostile-writes|hostile-mailbox|hostile-lanes|hostile-log|hostile-floor";
}
