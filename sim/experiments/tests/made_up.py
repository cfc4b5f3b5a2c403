# SPDX-License-Identifier: Apache-2.0
"""A small scenario that runs nowhere, rows as its guests would report them, and a guest's outcome."""
TOML = """
title = "made up"
source = "nowhere"
engines = ["model", "zram", "none"]
quick_engines = ["model"]
runs = 2
[guest]
memory = "96M"
script = "fillmem.sh"
seconds = 10
[[points]]
name = "small"
x = 1
settings = { fill_mb = 1 }
[[points]]
name = "large × 2"
x = 2
quick = false
settings = { fill_mb = 2 }
engines = ["model", "none"]
[[points]]
name = "to come"
not_built = "something"
[metrics]
alive = { class = "count", label = "alive" }
taken_ms = { class = "time", label = "time" }
[[original]]
point = "small"
alive = 6
[[charts]]
name = "living"
kind = "bars"
title = "Who lives"
metrics = ["alive"]
[[checks]]
name = "all live"
measured = { metric = "alive", engine = "pagepress", take = "min" }
relation = ">="
wanted = 8
[[checks]]
name = "a quarter more than without"
measured = { metric = "alive", point = "large × 2", engine = "model" }
over = { metric = "alive", point = "large × 2", engine = "none" }
relation = ">="
wanted = 1.25
[[checks]]
name = "as many as zram"
measured = { metric = "alive", point = "small", engine = "pagepress" }
relation = ">="
wanted = { metric = "alive", point = "small", engine = "zram", times = 0.5 }
"""
ROWS = [
    {"engine": "model", "point": "small", "run": 1, "alive": 8},
    {"engine": "model", "point": "large × 2", "run": 1, "alive": 9, "taken_ms": 100},
    {"engine": "model", "point": "large × 2", "run": 2, "alive": 11, "taken_ms": 300},
    {"engine": "none", "point": "large × 2", "run": 1, "alive": 8},
]


def outcome(*outputs, complaints=(), table=(), **metrics):
    """outputs: (name, sum) of what programs made."""
    return {
        "metrics": metrics, "samples": [{"step": "1", "free": 5}], "outputs": list(outputs), "table": list(table), "seconds": 3.0, "boot_seconds": 1.0, "processor_seconds": 2.0,
        "complaints": list(complaints),
    }  # fmt: skip


def keep(store, cell, settings, outcome):
    """Writes what a guest measured that ran between two looks at what it ran."""
    store.write(cell, store.key(cell, settings), outcome)
