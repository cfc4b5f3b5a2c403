# SPDX-License-Identifier: Apache-2.0
"""The tree keeps its layout, and the check that says so notices every kind of breach."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from layout import violations
from tree_files import tree_files

REPOSITORY = Path(__file__).resolve().parents[2]
APACHE = "SPDX-License-Identifier: Apache-2.0\n"
GPL = "SPDX-License-Identifier: GPL-2.0-only\n"
BOTH = "SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0)\n"

# A small tree without a breach; each case below adds or replaces one file.
SOUND = {
    "LICENSE": "text of a licence",
    "README.md": "<!-- " + APACHE.strip() + " -->\n",
    "rtl/interface/generated/pagepress_interface.h": "/* " + BOTH.strip() + " */\n",
    "rtl/interface/generated/pagepress_interface.py": "# " + APACHE,
    "rtl/engine/Engine.scala": "// " + APACHE + "package pagepress.engine\nimport pagepress.interface.Status\n",
    "rtl/dma/Reader.scala": "// " + APACHE + "package pagepress.dma\n// unlike pagepress.engine.Engine\n",
    "rtl/top/Core.scala": "// " + APACHE + "package pagepress.top\nimport pagepress.engine._\nimport pagepress.dma._\n",
    "sim/reference/codec.py": "# " + APACHE + "import json\nimport pagepress_interface\n",
    "sim/cocotb/test_engine.py": "# " + APACHE + "from codec import compress\nimport cocotb\n",
    "driver/main.c": "// " + GPL + '#include <linux/module.h>\n#include "pagepress_interface.h"\n#include "uapi/pagepress.h"\n',
    "driver/page/page.h": "/* " + GPL.strip() + " */\n",
    "driver/card/card.h": "/* " + GPL.strip() + " */\n",
    "driver/card/queue.c": "// " + GPL + '#include "card/card.h"\n#include "observe/trace.h"\n#include "pagepress_interface.h"\n',
    "driver/observe/trace.h": "/* " + GPL.strip() + " */\n",
    "driver/store/store.h": "/* " + GPL.strip() + ' */\n#include "page/page.h"\n',
    "driver/backing/backing.h": "/* " + GPL.strip() + ' */\n#include "store/store.h"\n#include "page/page.h"\n',
    "driver/observe/sysfs.c": "// " + GPL + '#include "card/card.h"\n#include "backing/backing.h"\n#include "block/block.h"\n',
    "driver/block/block.h": "/* " + GPL.strip() + ' */\n#include "backing/backing.h"\n',
    "driver/path/path.h": "/* " + GPL.strip() + ' */\n#include "card/card.h"\n#include "page/page.h"\n#include "store/store.h"\n',
    "driver/observe/sysfs.h": "/* " + GPL.strip() + " */\n",
    "driver/internal.h": "/* " + GPL.strip() + " */\n",
    "driver/uapi/pagepress.h": "/* " + GPL.strip() + " WITH Linux-syscall-note */\n",
    "host/main.c": "// " + APACHE + '#include "pagepress_interface.h"\n#include "pagepress.h"\n',
    "host/data.json": "{}",
}

BREACHES = {
    "entry of the root": ("notes.txt", "# " + APACHE, "notes.txt: not an entry of the root"),
    "no licence": ("sim/cocotb/runner.py", "print()\n", "no SPDX-License-Identifier"),
    "licence too far down": ("sim/cocotb/runner.py", "\n" * 9 + "# " + APACHE, "no SPDX-License-Identifier"),
    "GPL outside driver": ("host/main.c", "// " + GPL, "licence is GPL-2.0-only, expected Apache-2.0"),
    "Apache inside driver": ("driver/main.c", "// " + APACHE, "licence is Apache-2.0, expected GPL-2.0-only"),
    "generated header under one": ("rtl/interface/generated/pagepress_interface.h", "/* " + GPL.strip() + " */\n", "expected (GPL-2.0-only OR"),
    "the interface's own C under one": ("rtl/interface/cold_decompress.c", "/* " + APACHE.strip() + " */\n", "expected (GPL-2.0-only OR"),
    "room to room": ("rtl/dma/Reader.scala", "// " + APACHE + "package pagepress.dma\nimport pagepress.engine.Engine\n", "rtl/dma must not import pagepress.engine"),
    "room to room, in an expression": ("rtl/queues/Fetch.scala", "// " + APACHE + "package pagepress.queues\nval reader = new pagepress.dma.Reader\n", "rtl/queues must not import pagepress.dma"),
    "interface imports a room": ("rtl/interface/Extra.scala", "// " + APACHE + "package pagepress.interface\nimport pagepress.top.Core\n", "rtl/interface must not import pagepress.top"),
    "wild import": ("rtl/dma/Reader.scala", "// " + APACHE + "package pagepress.dma\nimport pagepress.{engine, queues}\n", "several rooms at once"),
    "other package": ("rtl/dma/Reader.scala", "// " + APACHE + "package pagepress.engine\n", "package is pagepress.engine, expected pagepress.dma"),
    "nested package": ("rtl/dma/Reader.scala", "// " + APACHE + "package pagepress\npackage dma\n", "expected pagepress.dma"),
    "host includes the driver": ("host/main.c", "// " + APACHE + '#include "../driver/internal.h"\n', "host must not import ../driver/internal.h of driver"),
    "host includes the driver by name": ("host/main.c", "// " + APACHE + '#include "internal.h"\n', "host must not import internal.h of driver"),
    "card knows of pages": ("driver/card/queue.c", "// " + GPL + '#include "page/page.h"\n', "driver/card must not import page/page.h of driver/page"),
    "tracepoints know of pages": ("driver/observe/trace.h", "/* " + GPL.strip() + ' */\n#include "page/page.h"\n', "driver/tracepoints must not import page/page.h"),
    "tracepoints know of cards": ("driver/observe/trace.h", "/* " + GPL.strip() + ' */\n#include "card/card.h"\n', "driver/tracepoints must not import card/card.h"),
    "store knows of the backing device": ("driver/store/store.c", "// " + GPL + '#include "backing/backing.h"\n', "driver/store must not import backing/backing.h"),
    "backing device knows of paths": ("driver/backing/page_io.c", "// " + GPL + '#include "path/path.h"\n', "driver/backing must not import path/path.h"),
    "path knows of bios": ("driver/path/offload.c", "// " + GPL + '#include "block/block.h"\n', "driver/path must not import block/block.h of driver/block"),
    "block passes the path by": ("driver/block/bio.c", "// " + GPL + '#include "card/card.h"\n', "driver/block must not import card/card.h of driver/card"),
    "block knows who looks": ("driver/block/disk.c", "// " + GPL + '#include "observe/sysfs.h"\n', "driver/block must not import observe/sysfs.h"),
    "what all share knows of them": ("driver/page/page.h", "/* " + GPL.strip() + ' */\n#include "store/store.h"\n', "driver/page must not import store/store.h"),
    "driver imports sim": ("driver/tests/test_driver.py", "# " + GPL + "import codec\n", "driver must not import codec of sim/reference"),
    "RTL imports sim": ("rtl/interface/generate.py", "# " + APACHE + "from sim.reference import codec\n", "rtl/interface must not import sim.reference"),
    "reference imports tests": ("sim/reference/codec.py", "# " + APACHE + "def f():\n    import test_engine\n", "sim/reference must not import test_engine of sim/cocotb"),
    "script without suffix": ("host/tool", "#!/usr/bin/python3\n# " + APACHE + "import codec\n", "host must not import codec"),
    "broken Python": ("host/tool.py", "# " + APACHE + "def\n", "does not parse"),
    "registry": ("README.md", "<!-- " + APACHE.strip() + " -->\nget it from py" + "pi.org\n", "README.md:2: names a package registry"),
    "home folder": ("README.md", "<!-- " + APACHE.strip() + " -->\ncd /ho" + "me/someone/work\n", "README.md:2: absolute path"),
    "data of no seed": ("driver/tests/guest/noise.sh", "# " + GPL + "head -c 4096 /dev/uran" + "dom >noise\n", "noise.sh:2: data that no seed decides"),
    "unfinished": ("README.md", "<!-- " + APACHE.strip() + " -->\nTO" + "DO\n", "README.md:2: unfinished work"),
}


def check(root, tree):
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return violations(root, list(tree))


def test_layout_of_this_tree():
    assert violations(REPOSITORY, tree_files(REPOSITORY)) == []


def test_layout_accepts_a_sound_tree(tmp_path):
    assert check(tmp_path, SOUND) == []


@pytest.mark.parametrize("name, text, message", BREACHES.values(), ids=BREACHES.keys())
def test_layout_notices(tmp_path, name, text, message):
    found = check(tmp_path, SOUND | {name: text})
    assert len(found) == 1 and message in found[0], found


def test_layout_notices_the_path_of_its_own_tree(tmp_path):
    tree = SOUND | {"README.md": f"<!-- {APACHE.strip()} -->\n{tmp_path}/README.md\n"}
    assert check(tmp_path, tree) == ["README.md:2: absolute path of one machine"]
