# SPDX-License-Identifier: Apache-2.0
"""The driver's rooms call each other in one direction only, and the check that says so notices every kind of breach."""
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / ".tools"))
from layout_calls import call_violations, circles

# A small driver without a breach: each source with what it has and what it uses.
SOUND = {
    "driver/main.c": "int start(void), take(void), shown[1]; int init(void) { return start() + take() + shown[0]; }",
    "driver/observe/sysfs.c": "extern int kept; int shown[1]; int show(void) { return kept; }",
    "driver/observe/trace.c": "int traced;",
    "driver/block/disk.c": "int offload(void); int start(void) { return offload(); }",
    "driver/path/offload.c": "int take(void), keep(void), submit(int (*)(void)); static int done(void) { return keep(); }\n"
                             "int offload(void) { return take() + submit(done); }",
    "driver/backing/page_io.c": "int keep(void); int take(void) { return keep(); }",
    "driver/store/store.c": "extern int traced; int kept; int keep(void) { return kept = traced; }",
    "driver/card/queue.c": "extern int traced; int submit(int (*done)(void)) { return traced + done(); }",
}
SOUND_HEADERS = {"driver/store/store.h": "/* submit() is another's */\nint keep(void);\n"
                                         "static inline int hold(void)\n{\n\treturn submit();\n}\n"}

BREACHES = {
    "a card calls its user": (
        {"driver/card/queue.c": "int keep(void); int submit(int (*done)(void)) { return keep(); }"}, {},
        ["driver/card/queue.c: driver/card must not use keep of driver/store/store.c"]),
    "the store uses a variable of the backing device": (
        {"driver/store/store.c": "extern int room; int kept; int keep(void) { return room; }",
         "driver/backing/device.c": "int room;"}, {},
        ["driver/store/store.c: driver/store must not use room of driver/backing/device.c",
         "rooms in a circle: driver/backing, driver/store"]),
    "a room calls up": (
        {"driver/store/store.c": "int start(void), kept; int keep(void) { return start(); }"}, {},
        ["driver/store/store.c: driver/store must not use start of driver/block/disk.c",
         "rooms in a circle: driver/backing, driver/block, driver/path, driver/store",
         "files of several rooms in a circle: driver/backing/page_io.c, driver/block/disk.c, driver/path/offload.c, "
         "driver/store/store.c"]),
    "rooms in a circle, files not": (
        {"driver/backing/device.c": "int other(void); int room(void) { return other(); }",
         "driver/path/other.c": "int other(void) { return 0; }"}, {},
        ["driver/backing/device.c: driver/backing must not use other of driver/path/other.c",
         "rooms in a circle: driver/backing, driver/path"]),
    "somebody calls who looks": (
        {"driver/card/pool.c": "int show(void); int pool(void) { return show(); }"}, {},
        ["driver/card/pool.c: driver/card must not use show of driver/observe/sysfs.c"]),
    "somebody uses main.c": (
        {"driver/main.c": "int start(void), depth; int init(void) { return start(); }",
         "driver/card/pool.c": "extern int depth; int pool(void) { return depth; }"}, {},
        ["driver/card/pool.c: driver/card must not use depth of driver/main.c",
         "rooms in a circle: driver, driver/block, driver/card, driver/path"]),
    "a header declares what is another's": (
        {},
        {"driver/page/shared.h": "#include <linux/types.h>\nstruct take;\nTRACE_EVENT(keep,\nint offload(void);\nextern int\nkept;\n"},
        ["driver/page/shared.h: declares kept of driver/store/store.c",
         "driver/page/shared.h: declares offload of driver/path/offload.c"]),
}


def check(folder, sources, headers):
    objects = {}
    for name, text in sources.items():
        source, objects[name] = folder / name, folder / Path(name).with_suffix(".o")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text)
        subprocess.run(["gcc", "-c", "-O1", "-fno-inline", "-o", objects[name], source], check=True)
    return call_violations(objects, headers)


def test_calls_keep_to_the_layout_of_this_tree(built):
    built("driver")
    done = subprocess.run([REPOSITORY / ".tools/layout_calls.py"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "layout: no room calls another that it may not\n"), done.stdout + done.stderr


def test_layout_accepts_sound_calls(tmp_path):
    assert check(tmp_path, SOUND, SOUND_HEADERS) == []


@pytest.mark.parametrize("sources, headers, messages", BREACHES.values(), ids=BREACHES.keys())
def test_layout_notices_calls(tmp_path, sources, headers, messages):
    assert check(tmp_path, SOUND | sources, SOUND_HEADERS | headers) == messages


def test_circles():
    assert circles([(1, 2), (2, 3), (1, 3)]) == []
    assert circles([(1, 2), (2, 3), (3, 2), (4, 1), (4, 4)]) == [(2, 3), (4,)]
    assert circles([(1, 2), (2, 3), (3, 1), (3, 4), (5, 6), (6, 5)]) == [(1, 2, 3), (5, 6)]
