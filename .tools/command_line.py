# SPDX-License-Identifier: Apache-2.0
"""Programs between their command line and their exit status: NAME=VALUE words as make passes them, an empty value meaning the default, --help, and
one line for whatever ends a program early."""
import os
import sys
from dataclasses import dataclass
from typing import Callable

HELP = {"--help", "-h"}
INTERRUPTED = 130  # what a shell gives for Ctrl-C ...
UNREAD = 141  # ... and when nobody reads any more what a program prints


class Trouble(Exception):
    """What stopped a run, as one line that says what is wrong and what to do."""

    status = 1


class Misuse(Trouble):
    """Words that a program does not take."""

    status = 2


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


def only(words, known):
    """`words`, each of which is known; Misuse names the first that is not."""
    for word in words:
        if word not in known:
            raise Misuse(f"unknown argument '{word}': --help lists what is understood")
    return words


def positive(text):
    if not text.isdecimal() or int(text) < 1:
        raise ValueError("write a whole number, at least 1")
    return int(text)


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


def unread():
    """Nobody reads what is printed any more. Returns the status to end with."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be flushed
    return UNREAD


def main(program, run, arguments, about=""):
    """Runs `run(arguments)` and exits with its status; a Trouble becomes one line, and so does Ctrl-C. --help prints `about`, if given, and runs nothing."""
    try:
        if about and HELP & set(arguments):
            print(about.strip())
            status = 0
        else:
            status = run(arguments)
        sys.stdout.flush()
    except Trouble as trouble:
        print(f"{program}: {trouble}", file=sys.stderr)
        status = trouble.status
    except KeyboardInterrupt:
        print(f"{program}: interrupted", file=sys.stderr)
        status = INTERRUPTED
    except BrokenPipeError:
        status = unread()
    sys.exit(status)
