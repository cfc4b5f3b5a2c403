# SPDX-License-Identifier: Apache-2.0
"""The documentation's pages: every link leads somewhere, every page has its place in the site. `make docs` builds it."""
import importlib.machinery
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tree_files import tree_files

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site():
    loader = importlib.machinery.SourceFileLoader("pagepress_site", str(REPOSITORY / ".docs/site"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def tree(tmp_path, site):
    """A tree of these files: page name → text as the site has it, and what is broken."""
    def make(files):
        subprocess.run(["git", "init", "-q", tmp_path], check=True)
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        made = site.Site(tmp_path)
        return made.pages(), made
    return make


def test_docs_links_lead_somewhere():
    done = subprocess.run([REPOSITORY / ".docs/site", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_docs_without_git(tmp_path):
    """What `make release` packs is no checkout: the site is the same, what is built is no part of it, and a release is refused."""
    for name in tree_files(REPOSITORY):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    (tmp_path / "build").mkdir()
    (tmp_path / "build/README.md").write_text("[nowhere](nothing.md)\n")
    here, there = (subprocess.run([root / ".docs/site", "--check"], capture_output=True, text=True, check=False) for root in (REPOSITORY, tmp_path))
    assert there.returncode == 0 and there.stderr == ""
    assert re.match(r"docs: \d+ pages, every link", there.stdout) and there.stdout == here.stdout
    for command in ([tmp_path / ".tools/layout.py"], ["make", "-s", "-C", tmp_path, "help"]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    done = subprocess.run([tmp_path / ".tools/release", "--output", tmp_path / "made"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "release: there is no git here: a release is of a commit\n")


def test_docs_every_page_has_a_place(site):
    listed = set(re.findall(r"^ +- [^:]+: (\S+\.md)$|^  - Start: (\S+)$", (REPOSITORY / ".docs/mkdocs.yml").read_text(), re.M))
    listed = {a or b for a, b in listed}
    assert listed == {place for place in site.Site().pages() if not place.endswith("files.md")}


def test_docs_links_are_carried_along(tree):
    pages, made = tree({"README.md": "[a](rtl/a.md#part) ![b](.docs/b.svg) [c](rtl) [d](sim) [e](https://x.y) [f](Makefile) [g](#here)\n```\n[h](no)\n```\n",
                        "rtl/a.md": "[up](../README.md) [there](../.github/t.md)", "rtl/README.md": "", ".docs/b.svg": "", "sim/x.py": "", "Makefile": "",
                        ".github/t.md": "[back](../rtl/a.md)"})
    assert pages["README.md"] == ("[a](rtl/a.md#part) ![b](docs/b.svg) [c](rtl/README.md) [d](sim/files.md) [e](https://x.y) [f](Makefile) [g](#here)\n"
                                  "```\n[h](no)\n```\n")
    assert pages["rtl/a.md"] == "[up](../README.md) [there](../project/t.md)\n" and pages["project/t.md"] == "[back](../rtl/a.md)\n"
    assert pages["sim/files.md"] == "# sim\n\n- [x.py](x.py)\n"
    assert made.copied == {".docs/b.svg", "Makefile", "sim/x.py"} and not made.broken


def test_docs_broken_link_is_named(tree):
    _, made = tree({"rtl/a.md": "\n[b](b.md)"})
    assert made.broken == ["rtl/a.md:2: b.md leads nowhere"]
