# SPDX-License-Identifier: Apache-2.0
"""The documentation's pages: every link leads somewhere, every page has its place in the site. `make docs` builds it."""
import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import chosen_tests
from program_files import loaded
from tree_files import tree_files

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site():
    return loaded(REPOSITORY / ".docs/site")


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


def test_docs_say_where_a_topic_is():
    """And not its command once more."""
    rows = re.findall(r"^\| (.*) \| (.*) \|$", (REPOSITORY / "README.md").read_text().partition("| topic | where |")[2], re.M)[1:]
    assert len(rows) > 20 and not [topic for topic, where in rows if where in topic]


def what_runs_by_day():
    """(names that `make test T=` takes whole, texts that hold a name) of the tests that do not wait for the night: suites, cocotb tests; files with functions."""
    whole, texts = set(chosen_tests.scala_suites()), []
    for path in chosen_tests.test_files():
        nodes = ast.parse(path.read_text()).body
        nights = {node.name for node in nodes if isinstance(node, ast.FunctionDef) and any(".night(" in ast.unparse(mark) for mark in node.decorator_list)}
        of_pytest, of_cocotb = chosen_tests.functions(path)
        by_day = [f"{path.relative_to(REPOSITORY)} {test}" for test in of_pytest - nights]
        texts += by_day
        whole |= of_cocotb if by_day else set()
    return whole, texts


def test_docs_name_commands_that_there_are():
    """Each target stands in the Makefile, and `make test T=` runs something. What changed once may name what is gone."""
    targets = set(re.findall(r"^([a-z][a-z-]*)[a-z -]*:", (REPOSITORY / "Makefile").read_text(), re.M)) | {"install"}  # of LTP
    whole, texts = what_runs_by_day()
    for page in tree_files(REPOSITORY):
        if page.endswith(".md") and page != "CHANGELOG.md":
            text = (REPOSITORY / page).read_text()
            assert set(re.findall(r"`make ([a-z][a-z-]*)", text)) <= targets, page
            named = set(re.findall(r"`make test T=(\w+)", text)) - {"name"} - whole
            assert not [name for name in named if not any(name in one for one in texts)], page


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
    made = site.Site()
    assert listed == {place for place in made.pages() if not place.endswith("files.md")} | {f"{site.placed(name)}.md" for name in made.converted}


def test_docs_links_are_carried_along(tree):
    pages, made = tree({"README.md": "[a](rtl/a.md#part) ![b](.docs/b.svg) [c](rtl) [d](sim) [e](https://x.y) [f](Makefile) [g](#here)\n```\n[h](no)\n```\n",
                        "rtl/a.md": "[up](../README.md) [there](../.github/t.md)", "rtl/README.md": "", ".docs/b.svg": "", "sim/x.py": "", "Makefile": "",
                        ".github/t.md": "[back](../rtl/a.md)"})
    assert pages["README.md"] == ("[a](rtl/a.md#part) ![b](docs/b.svg) [c](rtl/README.md) [d](sim/files.md) [e](https://x.y) [f](Makefile) [g](#here)\n"
                                  "```\n[h](no)\n```\n")
    assert pages["rtl/a.md"] == "[up](../README.md) [there](../project/t.md)\n" and pages["project/t.md"] == "[back](../rtl/a.md)\n"
    assert pages["sim/files.md"] == "# sim\n\n- [x.py](x.py)\n"
    assert made.copied == {".docs/b.svg", "Makefile", "sim/x.py"} and not made.broken


def test_docs_pictures_lead_to_their_files(tree):
    """A line that is a picture becomes a link that narrow windows scroll, as wide as its words need; within a line nothing changes."""
    pages, made = tree({"a/a.md": "![A \"b\"](../.docs/b.svg)\nsee ![c](c.svg)\n![d](d.svg)\n", ".docs/b.svg": '<svg width="300pt" height="9pt">', "a/c.svg": "", "a/d.svg": '<svg width="100">'})
    assert pages["a/a.md"] == (
        '<div class="picture"><a href="../docs/b.svg"><img alt="A &quot;b&quot;" src="../docs/b.svg" style="min-width: 280px"></a></div>\nsee ![c](c.svg)\n'
        '<div class="picture"><a href="d.svg"><img alt="d" src="d.svg" style="min-width: 70px"></a></div>\n')
    assert made.copied == {".docs/b.svg", "a/c.svg", "a/d.svg"}


def test_docs_other_files_become_pages(tree, built):
    """Manual pages with their sections and links to each other, sysfs by folder and file, a header as it is; links lead to these pages."""
    built("docs-tools")
    sysfs = ("# SPDX\n\nWhat:\t\t/sys/a<id>/one\nWhat:\t\t/sys/a<id>/two\nDate:\t\tnow\nDescription:\n\t\tBoth\n\t\tof < three.\n\n\t\tMore.\n\n"
             "What:\t\t/sys/b/one\nDescription:\n\t\tAnother.\n\nWhat:\t\t/sys/a<id>/four\nDescription:\n\t\tLast.\n")
    pages, made = tree({"README.md": "[m](host/m.8)\n", "host/m.8": '.TH M 8 "" "P"\n.SH NAME\nm \\- do\n.SH SEE ALSO\n.BR c.conf (5),\n.BR other (1)\n',
                        "host/x/c.conf.5": '.TH C.CONF 5 "" "P"\n.SH NAME\nc\n', "driver/docs/sysfs-a": sysfs, "firmware/soc/pagepress_soc.h": "int a;\n"})
    assert pages["README.md"] == "[m](host/m.8.md)\n" and not made.copied and not made.broken
    shown = made.converted_pages()
    assert shown["firmware/soc/pagepress_soc.h.md"] == "# pagepress_soc.h\n\n```text\nint a;\n```\n"
    manual = shown["host/m.8.md"]
    assert re.findall("^#.*", manual, re.M) == ["# m(8)", "## Name", "## See also"]
    assert '<a href="x/c.conf.5.html"><b>c.conf</b>(5)</a>' in manual and "<b>other</b>(1)" in manual and "m - do" in manual
    assert re.findall("^#.*", shown["driver/docs/sysfs-a.md"], re.M) == ["# sysfs-a", "## /sys/a&lt;id&gt;", "### one, two", "### four", "## /sys/b", "### one"]
    assert "<p>Both of &lt; three.</p>\n<p>More.</p>" in shown["driver/docs/sysfs-a.md"]


def test_docs_lists_are_lists(tree):
    """What GitHub takes for a list, MkDocs shall take for one: behind a line of text, within another, and past a paragraph of an item."""
    pages, _ = tree({"a.md": "text:\n- a\n  more\n  - b\n\n## T\n1. c\n\n   d\n   d\n2. e\n3. f\n```\ntext\n- no\n```\n"})
    assert pages["a.md"] == "text:\n\n- a\n    more\n    - b\n\n## T\n\n1. c\n\n    d\n    d\n\n2. e\n3. f\n```\ntext\n- no\n```\n"


def test_docs_search_needs_no_server(tmp_path, site):
    """From disk no browser lets a page fetch a file: what is searched is a script, and so is what loads it."""
    (tmp_path / "search_index.json").write_text('{"docs": [{"location": "a.html"}, {"location": "b/files.html"}, {"location": "b/files.html#b"}]}')
    for name in ("worker.js", "lunr.js", "main.js"):
        (tmp_path / name).write_text("XMLHttpRequest")
    site.searchable_from_disk(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["index.js", "lunr.js", "main.js"]
    assert (tmp_path / "index.js").read_text() == 'const searched = {"docs": [{"location": "a.html"}]};\n'
    main = (tmp_path / "main.js").read_text()
    assert set(re.findall(r'script\("(.+?)"\)', main)) == {"lunr.js", "index.js"} and not re.search(r"XMLHttpRequest|fetch\(|Worker\(", main)


def test_docs_built_site_leads_nowhere_else(tmp_path, site):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.html").write_text('<a href="../c%20d.html#e"> <img src="no.svg?1"> <a href="https://x.y/z"> <a href="#f">')
    (tmp_path / "c d.html").write_text('<a href="a/b.html"> <a href=".x/files.html">')
    assert list(site.leading_nowhere(tmp_path)) == ["a/b.html: no.svg", "c d.html: .x/files.html"]


def test_docs_broken_link_is_named(tree):
    _, made = tree({"rtl/a.md": "\n[b](b.md)"})
    assert made.broken == ["rtl/a.md:2: b.md leads nowhere"]


def test_docs_end_with_what_is_broken(tree, site, monkeypatch, tmp_path, capsys):
    """A link of a page that leads nowhere, and one of the built site: a line each, and status 1."""
    _, made = tree({"a.md": "[b](b.md)"})
    made.broken.clear()
    monkeypatch.setattr(site, "Site", lambda: made)
    assert site.main(["--check"]) == 1 and capsys.readouterr().err == "docs: a.md:1: b.md leads nowhere\n"
    (tmp_path / "a.md").write_text("fine")
    made.broken.clear()
    monkeypatch.setattr(site, "SOURCE", tmp_path / "source")
    monkeypatch.setattr(site, "SITE", tmp_path / "built")
    monkeypatch.setattr(site, "searchable_from_disk", lambda folder: None)
    monkeypatch.setattr(site.subprocess, "run", lambda *words, **more: subprocess.CompletedProcess(words, 0, ""))
    (tmp_path / "built").mkdir()
    (tmp_path / "built/a.html").write_text('<a href="gone.html">')
    assert site.main([]) == 1 and capsys.readouterr().err == "docs: a.html: gone.html leads nowhere\n"
