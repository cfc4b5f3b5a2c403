# SPDX-License-Identifier: GPL-2.0-only
"""The tables of docs/ in which somebody has thought about each lock and each wait: a lock, reserve, work or loop that no table names fails."""
import re
from pathlib import Path

DRIVER = Path(__file__).resolve().parents[1]
ROOMS = ("acomp", "backing", "block", "card", "management", "observe", "origin", "page", "path", "policy", "store")
# Files in which an answer of a card, or a number of its, may decide when something ends.
NEAR_CARDS = ("acomp/*.c", "card/*.c", "management/*.c", "path/*.c", "observe/card_sysfs.c", "observe/debugfs.c", "observe/management_sysfs.c", "observe/queue_sysfs.c")
LOCK = r"\b(?:mutex_init|spin_lock_init|init_rwsem)\(&([^;]*)\);|DEFINE_(?:MUTEX|SPINLOCK)\((\w+)\)"
RESERVE = r"([\w>-]+) = mempool_create"
FUNCTION = re.compile(r"^(?=[a-z])[^;{}=#]*?\b(\w+)\([^;{}]*\)\n\{\n(.*?)^\}", re.M | re.S)
# A `while` that counts down what it was given is none.
WAIT = re.compile(r"\b(?:wait_event\w*|\w*poll_timeout\w*|wait_for_\w+|while(?! \(\w+--\))) ?\(")
# A `for` whose end no card decides: below a constant, or a number of queues or requests, which was checked or made here when the card came.
COUNTED = re.compile(r"for \([^;]*; (?:[\w>.-]+ && )?\w+ < (?:\d+|[A-Z][A-Z_]+\b|ARRAY_SIZE\(|sizeof\(|[\w>-]+->(?:queue_count|request_count|line_count)\b)[^;]*;")


def sources(patterns):
    return {path: path.read_text() for pattern in patterns for path in sorted(DRIVER.glob(pattern))}


def document(name):
    return (DRIVER / "docs" / name).read_text()


def names(expression, path):
    """What a row may call a lock or reserve by: its own word, or, as many are just a `lock`, whose it is or the file that makes it."""
    words = re.sub(r"\[[^]]*\]", "", expression).replace("->", ".").split(".")
    return [words[-1]] if words[-1] != "lock" else ["->".join(words[-2:]), str(path.relative_to(DRIVER))]


def test_every_lock_and_reserve_stands_in_the_table():
    """In a row's first column, in quotes; what the row says is for people to judge."""
    rows = (line.split("|")[1] for line in document("locks-and-reserves.md").splitlines() if line.startswith("| "))
    quoted = {word for row in rows for word in re.findall(r"`([^`]+)`", row)}
    made = [(path, first or second) for path, text in sources(f"{room}/*.c" for room in ROOMS).items()
            for first, second in [*re.findall(LOCK, text), *((name, "") for name in re.findall(RESERVE, text))]]
    assert len(made) > 20  # else the patterns find nothing any more
    missing = [f"{path.relative_to(DRIVER)}: {lock}" for path, lock in made if not quoted.intersection(names(lock, path))]
    assert not missing, f"locks-and-reserves.md says nothing of {missing}"


def loops(text):
    """Names of the functions in which something may end late, by what ends it."""
    for name, body in FUNCTION.findall(text):
        body = re.sub(r"/\*.*?\*/", "", body, flags=re.S)
        if WAIT.search(body) or any(not COUNTED.match(match[0]) for match in re.finditer(r"for \([^;]*;[^;]*;", body)):
            yield name


def test_every_loop_near_a_card_stands_in_the_table():
    named = set(re.findall(r"`(\w+)\(\)`", document("what-waits-for-a-card.md")))
    found = {(name, path.relative_to(DRIVER)) for path, text in sources(NEAR_CARDS).items() for name in loops(text)}
    assert len(found) > 20  # else the pattern finds nothing any more
    missing = sorted(f"{path}: {name}()" for name, path in found if name not in named)
    assert not missing, f"what-waits-for-a-card.md does not say when these end: {missing}"


COMPLAINT = re.compile(r"\b(?:dev|pr)_(?:err|warn)\w*\s*\(((?:[^;\"]|\"(?:[^\"\\]|\\.)*\")*)\)\s*;")


def plain(text):
    return " ".join(re.findall(r"[a-z_0-9]+", text.lower().replace("'", "")))


def runs(words):
    """Three words after one another, or all of two."""
    return [" ".join(words[at:at + 3]) for at in range(max(1, len(words) - 2))] if len(words) > 1 else []


def complaints():
    """(file, pieces) of each warning or error that the driver logs: what stands between the values."""
    for path, text in sources([*(f"{room}/*.c" for room in ROOMS), "main.c"]).items():
        for call in COMPLAINT.findall(text):
            said = "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', call)).replace("\\n", " ")
            yield path.relative_to(DRIVER), [plain(piece) for piece in re.split(r"%[-0-9.#*]*[a-zA-Z]+", said)]


def test_every_warning_has_its_row():
    """Some words of each, in quotes."""
    described = plain(" ".join(re.findall(r"`([^`\n]+)`", document("when-something-is-wrong.md"))))
    found = list(complaints())
    assert len(found) > 40  # else the pattern finds nothing any more
    missing = [f"{path}: {' … '.join(pieces)}" for path, pieces in found
               if (some := [run for piece in pieces for run in runs(piece.split())]) and not any(run in described for run in some)]
    assert not missing, f"when-something-is-wrong.md says nothing of {missing}"


def test_tables_name_what_exists():
    everything = "".join(sources(f"{room}/*.c" for room in ROOMS).values()) + (DRIVER / "main.c").read_text()
    for name in ("locks-and-reserves.md", "what-waits-for-a-card.md"):
        gone = [call for call in re.findall(r"`(\w+)\(\)`", document(name)) if not re.search(rf"\b{call}\(", everything)]
        assert not gone, f"{name} names functions that are not there: {gone}"


def test_a_loop_is_recognised():
    for body, found in (("for (index = 0; index < MOST; index++)\n\t\t;", 0), ("for (; seen != next; seen++)\n\t\t;", 1), ("while (read(card))\n\t\t;", 1),
                        ("for (number = 0; number < card->queue_count; number++)\n\t\t;", 0), ("wait_event(changed, !owed);", 1),
                        ("for (at = 0; at < entry.length; at++)\n\t\t;", 1)):
        assert len(list(loops(f"static void look(struct card *card)\n{{\n\t{body}\n}}\n"))) == found, body
