# SPDX-License-Identifier: GPL-2.0-only
"""What the driver believes of a card's management window, its own files, with firmware behind it that does anything."""
import subprocess

from models import built_model


def test_mailbox_page_and_log_have_an_end_and_no_lie(tmp_path):
    """Answers that are late, of another message, too short, too long or torn; telemetry pages whose headers lie; a log that begins anew."""
    done = subprocess.run([built_model("mailbox_model", tmp_path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
