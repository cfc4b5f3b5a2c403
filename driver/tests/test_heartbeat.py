# SPDX-License-Identifier: GPL-2.0-only
"""The driver's looks at a card's firmware, its own file, while recovery resets the card in the middle of one."""
import subprocess

from models import built_model


def test_heartbeat_leaves_no_core_held(tmp_path):
    """A reset at each access of two minutes with dead firmware, and in each restart between HOLD and its end; a core that somebody else holds."""
    done = subprocess.run([built_model("heartbeat_model", tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
