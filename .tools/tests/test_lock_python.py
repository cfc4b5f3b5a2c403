# SPDX-License-Identifier: Apache-2.0
"""Python packages by hash: what lock-python writes below a pin, that every pin of the tree has it, and that installers take no other file."""
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[1]
sys.path.append(str(TOOLS))

from command_line import Trouble  # noqa: E402
from program_files import loaded  # noqa: E402

PINS = re.compile(r"^([\w.-]+==[^\s\\]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})*)$", re.M)
REQUIREMENTS = sorted(TOOLS.glob("requirements*.txt"))
DIGESTS = {number: hashlib.sha256(number.encode()).hexdigest() for number in "0123456789"}


@pytest.fixture(scope="module")
def lock():
    return loaded(TOOLS / "lock-python")


@pytest.mark.parametrize("path", REQUIREMENTS, ids=lambda path: path.name)
def test_pins_have_hashes(path):
    text = path.read_text()
    pins = PINS.findall(text)
    assert pins and all(hashes for _, hashes in pins)
    assert PINS.sub("", re.sub(r"^#.*$", "", text, flags=re.M)).strip() == ""


def test_installers_take_python_packages_by_hash_alone():
    callers = [path.name for path in TOOLS.iterdir() if path.is_file() and re.search(r"-m pip\b(?! --version)", path.read_text(errors="replace"))]
    assert callers == ["python-packages"]
    for path in TOOLS.glob("install-*"):
        if "pip_packages" in path.read_text():
            assert re.search(r'^begin \S+ .*"\$repository/\.tools/python-packages"', path.read_text(), re.M), path.name


@pytest.mark.parametrize("tags,taken", [
    ("py3-none-any", True), ("py2.py3-none-any", True), ("py2-none-any", False), ("cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64", True),
    ("cp311-cp311-manylinux_2_28_aarch64", True), ("cp312-cp312-manylinux_2_28_x86_64", False), ("cp39-abi3-manylinux_2_28_x86_64", True), ("cp312-abi3-manylinux_2_28_x86_64", False),
    ("cp39-cp39-manylinux_2_28_x86_64", False), ("pp311-pypy311_pp73-manylinux_2_28_x86_64", False), ("cp311-cp311-win_amd64", False), ("cp311-cp311-macosx_11_0_arm64", False),
    ("cp311-cp311-musllinux_1_2_x86_64", False), ("cp311-cp311-manylinux_2_17_i686", False), ("py3-none-manylinux_2_28_x86_64", True), ("cp311-cp311t-manylinux_2_28_x86_64", False),
])
def test_wheels_that_count(lock, tags, taken):
    assert lock.can_be_taken(*tags.split("-")) == taken


def test_lock_python_writes_what_the_index_lists(lock):
    """Hashes of before go, comments stay; files of other versions and platforms, and of other names that begin alike, do not count."""
    listed = [("One_Pack-1.0-py3-none-any.whl", "1"), ("one_pack-1.0.tar.gz", "2"), ("one-pack-1.0.1.tar.gz", "3"), ("one_pack-1.0-cp311-cp311-win_amd64.whl", "4"),
              ("one-pack-more-1.0.tar.gz", "5"), ("one_pack-1.0-1-py3-none-any.whl", "6")]
    page = "".join(f'<a href="../files/{name}#sha256={DIGESTS[digest]}" data-requires-python="&gt;=3">{name}</a>' for name, digest in listed)
    asked = []
    text = lock.locked(f"# of two\none.pack==1.0 \\\n    --hash=sha256:{'0' * 64}\n\n# end\n", "r.txt", lambda name: asked.append(name) or page)
    written = "".join(f" \\\n    --hash=sha256:{digest}" for digest in sorted(DIGESTS[number] for number in "126"))
    assert text == f"# of two\none.pack==1.0{written}\n\n# end\n" and asked == ["one.pack"]
    assert lock.locked(text, "r.txt", lambda name: page) == text


@pytest.mark.parametrize("line,page,said", [
    ("a>=1", "", "r.txt:1: 'a>=1' is no pin, name==version"),
    ("a==1", "", "a==1: the index has no file that Python 3.11 on Linux takes"),
    ("a==1", '<a href="a-1.tar.gz">', "a==1: the index gives no SHA-256 of a-1.tar.gz"),
    ("a==1", '<a href="a-1.tar.gz#md5=00">', "a==1: the index gives no SHA-256 of a-1.tar.gz"),
])
def test_lock_python_refuses(lock, line, page, said):
    with pytest.raises(Trouble) as trouble:
        lock.locked(line, "r.txt", lambda name: page)
    assert str(trouble.value) == said


def test_lock_python_without_an_index_gets_one_line():
    """An address that nobody answers."""
    done = subprocess.run([sys.executable, TOOLS / "lock-python", "--check"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0", "PIP_TIMEOUT": "2", "PIP_CONFIG_FILE": "/dev/null"})
    assert done.returncode == 1 and re.fullmatch(r"lock-python: [\w.-]+: the index does not answer \(\w+\)\n", done.stderr), done


def wheel(folder, text):
    """The least that pip takes: a package of one module that holds `text`; the file's hash."""
    folder.mkdir(exist_ok=True)
    path = folder / "some_pack-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("some_pack.py", text)
        made.writestr("some_pack-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: some-pack\nVersion: 1.0\n")
        made.writestr("some_pack-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        made.writestr("some_pack-1.0.dist-info/RECORD", "")
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("served,pinned,said", [
    ("right", True, None),
    ("another", True, "cannot install a pack: the index serves another some-pack==1.0 than the one that is pinned (see build/tools/log)"),
    ("right", False, "cannot install a pack: ERROR: "),
])
def test_installer_takes_the_file_of_the_hash_alone(tmp_path, served, pinned, said):
    tree = tmp_path / "tree"
    (tree / ".tools").mkdir(parents=True)
    for name in ("library.sh", "python-packages"):
        (tree / ".tools" / name).write_bytes((TOOLS / name).read_bytes())
    digest = wheel(tmp_path / "index", "right")
    wheel(tmp_path / "index", served)
    (tree / "requirements.txt").write_text(f"some-pack==1.0{f' --hash=sha256:{digest}' if pinned else ''}\n")
    script = tree / ".tools/install-example"
    script.write_text('#!/bin/bash\n. "$(dirname "$0")/library.sh"\n. "$repository/.tools/python-packages"\nbegin example "$repository/requirements.txt"\n'
                      f'pip_packages "a pack" "$tools/log" {sys.executable} install --target "{tmp_path}/packages" -r "$repository/requirements.txt"\nfinish\n')
    script.chmod(0o755)
    done = subprocess.run([script], capture_output=True, text=True, check=False,
                          env={**os.environ, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path / "index"), "PIP_CONFIG_FILE": "/dev/null"})
    if said is None:
        assert done.returncode == 0 and (tmp_path / "packages/some_pack.py").read_text() == "right", done
    else:
        assert done.returncode == 1 and done.stderr.startswith(f"install-example: {said}") and len(done.stderr.splitlines()) == 1, done
        assert not (tmp_path / "packages/some_pack.py").exists()
