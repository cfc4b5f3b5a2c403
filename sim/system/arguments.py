# SPDX-License-Identifier: Apache-2.0
"""Command lines of NAME=VALUE words, as make passes them; an empty value means the default."""
import re
from dataclasses import dataclass
from typing import Callable

from system import Trouble

UNITS = {"M": 1, "G": 1024}
LEAST_MEMORY = 96  # megabytes; with less the stock kernel does not come up


@dataclass(frozen=True)
class Option:
    """`default` is written as a user would write it; None when there is none. `parse` turns text
    into the value and raises ValueError with a sentence for the user."""

    name: str
    help: str
    default: str | None = None
    parse: Callable = str


def usage(program, sentence, options):
    """The text of --help."""
    lines = [f"usage: {program} [NAME=VALUE ...]", "", sentence, ""]
    for option in options:
        default = f" (default {option.default})" if option.default else ""
        lines.append(f"  {option.name + '=':12}{option.help}{default}")
    return "\n".join(lines)


def parse(words, options):
    """A dict of all options by name, None for those without value. Trouble for an unknown name or
    a malformed value."""
    known = {option.name: option for option in options}
    texts = {option.name: option.default for option in options}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or name not in known:
            raise Trouble(f"unknown argument '{word}': --help lists what is understood")
        texts[name] = text.strip() or known[name].default
    values = {}
    for name, text in texts.items():
        try:
            values[name] = None if text is None else known[name].parse(text)
        except ValueError as error:
            raise Trouble(f"{name}={text}: {error}") from None
    return values


def memory(text):
    """'256M' or '1G' → megabytes."""
    match = re.fullmatch(r"(\d+)([MG])", text)
    if not match:
        raise ValueError("write the memory as a number and M or G, for example 256M")
    megabytes = int(match[1]) * UNITS[match[2]]
    if megabytes < LEAST_MEMORY:
        raise ValueError(f"the guest needs at least {LEAST_MEMORY}M")
    return megabytes


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise ValueError("write a whole number, at least 1")
    return int(text)


def paths(text):
    """Blank-separated paths → a tuple."""
    return tuple(text.split())


def one_of(*choices):
    def parse_choice(text):
        if text not in choices:
            raise ValueError(f"choose one of {', '.join(choices)}")
        return text

    return parse_choice


def yes_or_no(text):
    if text not in ("0", "1"):
        raise ValueError("write 0 or 1")
    return text == "1"
