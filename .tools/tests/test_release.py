# SPDX-License-Identifier: Apache-2.0
"""make release, in a small tree of its own where Maven is a shell script: the same bytes from the same commit, and refusals."""
import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import pytest

import sbom
from verilog_identity import identity

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.append(str(REPOSITORY / "rtl/interface"))

from generator.model import parameters_of  # noqa: E402

TAKEN = (".tools/release", ".tools/sbom.py", ".tools/command_line.py", ".tools/tree_files.py", ".tools/verilog_identity.py", "rtl/pom.xml", "LICENSE", "driver/packaging/debian/changelog", "firmware/soc", "rtl/interface", "rtl/README.md", "rtl/top/lint.vlt", "sim/soc/one_page.sv", "sim/soc/synthesise.tcl", "sim/cocotb/example_soc.v", "sim/soc/litex/pagepress_litex.py",
         ".tools/requirements.txt", ".tools/requirements-soc.txt")
MVN = r"""#!/bin/sh
for word; do folder=${word##* }; done
name=${*#*--name }; name=${name%% *}
case "$*" in *--bus\ 12*) echo 'Generate: streamBytes must be 8, 16, 32 or 64, not 12'; exit 2;; esac
mkdir -p "$folder"
case "$*" in *--queues\ 3*) echo "module $name(output wire forgotten); endmodule" >"$folder/core.v"; exit;; esac
printf 'module %s; endmodule // %s\n' "$name" "${*##*--only core}" | sed "s|$folder||" >"$folder/core.v"
"""
# What that makes of `default`.
DEFAULT = "module pagepress_core; endmodule //  --name pagepress_core \n"
MEASURED = "[blocks.core_default]\nluts = 12345\nflip_flops = 6789\nblock_rams = 4.5\nlevels = 8\nverilog = \"{}\"\n"
# A Debian package and its source, the least that dpkg-deb takes: it loads liblzo2, which its source does not name.
PACKAGING = r"""#!/bin/sh -e
export SOURCE_DATE_EPOCH=1
! flock -n {folder}.lock true || {{ echo 'package: not locked'; exit 1; }}
out={folder}; mkdir -p "$out/package/DEBIAN"
printf 'Package: {name}-part\nSource: {name}\nVersion: 0.1.0\nArchitecture: all\nDepends: kmod, {name}, liblzo2-2 (>= 2.02)\nMaintainer: n <n@e>\nDescription: d%s\n' "$KDIR$CFLAGS$DEB_BUILD_OPTIONS$MAKEFLAGS$XZ_OPT" >"$out/package/DEBIAN/control"
dpkg-deb --root-owner-group -b "$out/package" "$out/{name}-part_0.1.0_all.deb"
sed -e 's/-part//' -e '/^Depends/d' "$out/package/DEBIAN/control" >"$out/control"; mv "$out/control" "$out/package/DEBIAN/control"
dpkg-deb --root-owner-group -b "$out/package" "$out/{name}_0.1.0_all.deb"
cp "$out/{name}-part_0.1.0_all.deb" "$out/{name}-part-dbgsym_0.1.0_all.deb"
mkdir -p "$out/source/debian"
echo 'SPDX-License-Identifier: GPL-2.0-only' >"$out/source/Kbuild"
echo '/* SPDX-License-Identifier: (GPL-2.0-only OR Apache-2.0) */' >"$out/source/either.h"
echo 'SPDX-License-Identifier: MIT OR Apache-2.0' >"$out/source/open"
printf '# comment\nSource: {name}\nBuild-Depends: debhelper-compat (= 13),\n liblzo2-dev, nlohmann-json3-dev\n\nPackage: {name}-part\nDepends: kmod, {name}, ${{shlibs:Depends}}\n' >"$out/source/debian/control"
tar --mtime=@1 -cJf "$out/{name}_0.1.0.tar.xz" -C "$out" source
echo "Format: 3.0" >"$out/{name}_0.1.0.dsc"
"""


@pytest.fixture
def tree(tmp_path):
    """A function: tree() runs release there with words of its own; `.root` is the tree, `.commit()` commits what changed."""
    root = tmp_path / "tree"
    for name in TAKEN:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (REPOSITORY / name).is_dir() else shutil.copy)(REPOSITORY / name, root / name)
    (root / "rtl/top/configurations.toml").write_text(
        '[default]\ndescription = "usual"\noptions = []\n'
        '[small]\ndescription = "least"\noptions = ["--bus", 8]\n')
    (root / "constraints").mkdir()
    (root / "constraints/results.toml").write_text(MEASURED.format(identity(DEFAULT, "pagepress_core")))
    (root / "CHANGELOG.md").write_text("# Changelog\n\n## 0.1.0, not yet released\n\n### In short\n\n- most of it, [new](rtl/a.md#b), [elsewhere](https://a.org)\n\n### Changes\n\n- something\n\n## 0.0.9\n\n- old\n")
    (root / ".gitignore").write_text("__pycache__/\nbuild/\n")
    (root / "sim/soc/another-name").symlink_to("one_page.sv")
    for room, name, folder in (("driver", "pagepress", "build/package"), ("host", "pagepress-tools", "build/package-host")):
        script = root / room / "packaging/build"
        script.parent.mkdir(parents=True, exist_ok=True)
        script.write_text(PACKAGING.format(name=name, folder=folder))
        script.chmod(0o755)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/mvn").write_text(MVN)
    (tmp_path / "bin/mvn").chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig")}
    (tmp_path / "gitconfig").touch()

    def commit(what="all"):
        for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", what]):
            subprocess.run(["git", *words], cwd=root, env=environment, check=True)

    def run(*words, **more):
        return subprocess.run([root / ".tools/release", *words], env=environment | more, capture_output=True, text=True, check=False)

    commit()
    run.root, run.commit = root, commit
    return run


def refused(done, message):
    assert done.returncode == 1 and message in done.stderr and len(done.stderr.splitlines()) == 1, done


def test_release_is_reproducible(tree, tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    assert tree("--output", one).returncode == 0
    for path in (tree.root / "firmware/soc").iterdir():
        os.utime(path, (1, 1))
    shutil.rmtree(tree.root / "build")
    (tree.root / "build/package").mkdir(parents=True)
    (tree.root / "build/package/inputs").touch()
    before = os.umask(0o077)
    try:
        done = tree("--output", two, KDIR="/other", CFLAGS="-O1", DEB_BUILD_OPTIONS="noopt", MAKEFLAGS="CXXFLAGS=-O1", XZ_OPT="-0")
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    made = {path.name: path.read_bytes() for path in one.iterdir() if path.is_file()}
    assert made == {path.name: path.read_bytes() for path in two.iterdir() if path.is_file()}
    assert len(made) == 14 + len([".commit"]), sorted(made)
    assert not (tree.root / "build/package/inputs").exists(), "packages that somebody else built are taken"
    assert subprocess.run(["sha256sum", "--strict", "-c", "SHA256SUMS"], cwd=one, capture_output=True, check=False).returncode == 0
    # Once more into the same folder, in which an older version lies.
    (one / "pagepress-0.0.9.tar.xz").touch()
    assert tree("--output", one, "soc").returncode == 0
    assert (one / "SHA256SUMS").read_bytes() == made["SHA256SUMS"]
    assert made["NOTES.md"].decode() == "# Pagepress 0.1.0\n\n- most of it, new (`rtl/a.md` of the source archive), [elsewhere](https://a.org)\n\nAll changes: `CHANGELOG.md` of the source archive.\n"


def test_release_holds_what_it_says(tree, tmp_path):
    output = tmp_path / "made"
    assert tree("--output", output).returncode == 0
    time = int(subprocess.run(["git", "show", "-s", "--format=%ct"], cwd=tree.root, capture_output=True, text=True, check=True).stdout)
    names = {}
    for path in output.glob("*-0.*.tar.xz"):
        with tarfile.open(path) as tar:
            names[path.name.split("-0")[0]] = {name.partition("/")[2] for name in tar.getnames()}
            assert {(entry.uid, entry.uname, entry.mtime) for entry in tar} == {(0, "", time)}
            modes = {entry.name.partition("/")[2]: entry.mode for entry in tar}
            assert modes["LICENSE" if "LICENSE" in modes else "default/LICENSE"] == 0o644 and modes.get(".tools/release", 0o755) == 0o755
    assert {path.name for path in output.glob("*_*")} == {f"{name}_0.1.0{end}" for name in ("pagepress", "pagepress-tools") for end in (".dsc", ".tar.xz")} | {
        f"{name}_0.1.0_all.deb" for name in ("pagepress", "pagepress-part", "pagepress-tools", "pagepress-tools-part")}
    committed = subprocess.run(["git", "ls-files"], cwd=tree.root, capture_output=True, text=True, check=True).stdout.split()
    assert names["pagepress"] == set(committed)
    with tarfile.open(next(output.glob("pagepress-0.*.tar.xz"))) as tar:
        assert [(Path(entry.name).name, entry.linkname) for entry in tar if entry.issym()] == [("another-name", "one_page.sv")]
    assert names["pagepress-soc"] == {"pagepress_soc.c", "pagepress_soc.h", "pagepress_interface.h", "interface.md", "README.md", "LICENSE",
                                      "example/page.c", "example/page.ld", "example/start.S"}
    beside = {"core.v", "lint.vlt", "one_page.sv", "synthesise.tcl", "LICENSE", "pagepress_core.core", "pagepress_core.ipxact.xml", "pagepress_interface.h",
              "pagepress_interface.vh", "pagepress.rdl", "pagepress.svd"}
    assert names["pagepress-verilog"] == {"README.md", "interface.md", "ports.md", "example_soc.v", "pagepress_litex.py"} | {f"{core}/{name}" for core in ("default", "small") for name in beside}
    with tarfile.open(next(output.glob("pagepress-verilog-*"))) as tar:
        table = tar.extractfile(next(entry for entry in tar if entry.name.endswith("/README.md") and entry.name.count("/") == 1)).read().decode()
    assert "[example_soc.v](example_soc.v) takes `soc/core.v`" in table and "[pagepress_litex.py](pagepress_litex.py) is a LiteX module" in table
    assert "| default | usual | `no option` | 12,345 | 6,789 | 4.5 | 8 |" in table and "`--bus 8` | - | - | - | - |" in table


@pytest.mark.parametrize("measured", [MEASURED.format("0" * 64), MEASURED.rpartition("verilog")[0]], ids=["of other Verilog", "of an unknown one"])
def test_release_marks_figures_of_an_earlier_core(tree, tmp_path, measured):
    (tree.root / "constraints/results.toml").write_text(measured)
    tree.commit()
    assert tree("--output", tmp_path / "made", "verilog").returncode == 0
    with tarfile.open(next((tmp_path / "made").glob("pagepress-verilog-*"))) as tar:
        table = tar.extractfile("pagepress-verilog-0.1.0/README.md").read().decode()
    assert "| default | usual | `no option` | 12,345* | 6,789* | 4.5* | 8* |" in table and "`*` stands where an earlier state" in table


def test_release_lists_only_what_its_commit_made(tree, tmp_path):
    """A part made by another commit, of the same version, goes; what is not a release's stays."""
    output = tmp_path / "made"
    assert tree("--output", output, "source", "verilog").returncode == 0
    (output / "verilog/default/obj_dir").mkdir()
    (output / "verilog/default/left.vh").touch()
    (output / "pagepress-build-0.1.0.tar.xz").mkdir()
    (output / "mine-0.1.0.txt").touch()
    assert tree("--output", output, "soc").returncode == 0
    assert len(list(output.glob("pagepress-*0.1.0.tar.xz"))) == 4
    (tree.root / "more").touch()
    tree.commit()
    for parts, names in ((["soc"], {"pagepress-soc-0.1.0.tar.xz"}), (["verilog"], {"pagepress-soc-0.1.0.tar.xz", "pagepress-verilog-0.1.0.tar.xz"})):
        done = tree("--output", output, *parts)
        assert done.returncode == 0, done.stderr
        listed = {line.split()[1] for line in (output / "SHA256SUMS").read_text().splitlines()}
        assert listed == names | {"NOTES.md", "pagepress-0.1.0.spdx.json"}
        packages = json.loads((output / "pagepress-0.1.0.spdx.json").read_text())["packages"]
        assert {package["packageFileName"] for package in packages if "packageFileName" in package} == names
    with tarfile.open(output / "pagepress-verilog-0.1.0.tar.xz") as tar:
        assert not [name for name in tar.getnames() if name.endswith(("left.vh", "obj_dir"))]
    assert (output / "mine-0.1.0.txt").exists()


def test_release_archives_stand_alone(tree, tmp_path):
    """Pages of the archives of driver and Verilog: each link leads to a file of the archive, so does each path of a command, and the compiler's commands run."""
    assert tree("--output", tmp_path / "made", "verilog", "soc").returncode == 0
    ran = set()
    for path in (tmp_path / "made").glob("pagepress-[vs]*.tar.xz"):
        subprocess.run(["tar", "-xJf", path, "-C", tmp_path], check=True)
        folder = tmp_path / path.name.removesuffix(".tar.xz")
        for page in folder.glob("*.md"):
            text = page.read_text()
            gone = [link for link in re.findall(r"\]\(([^)#]*)", text) if not (folder / link).exists()]
            assert not gone and "`make " not in text, (page, gone)
            assert not re.findall(r"\]\(#", text), page
        for line in "".join(re.findall(r"^```sh\n(.*?)^```", (folder / "README.md").read_text(), re.M | re.S)).replace("\\\n", "").splitlines():
            words = shlex.split(line)
            ran.add(words[0])
            if words[0] == "fusesoc":
                packages = [path.read_text() for path in (folder / words[words.index("--cores-root") + 1]).glob("*/pagepress_core.core")]
                package, = (text for text in packages if f"name: {words[-1]}:" in text)
                assert re.search(rf"^  {words[words.index('--target') + 1]}:", package, re.M)
            elif shutil.which(words[0]):
                done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
                assert done.returncode == 0 and not done.stderr, done.stderr
    assert ran == {"gcc", "riscv64-unknown-elf-gcc", "fusesoc"}


def test_release_names_each_core(tree, tmp_path):
    """A name of its own for each folder, the release's version, the same for FuseSoC and in IP-XACT; the interface's version where it says so."""
    assert tree("--output", tmp_path, "verilog").returncode == 0
    name, found = "{http://www.accellera.org/XMLSchema/IPXACT/1685-2014}", {}
    with tarfile.open(next(tmp_path.glob("pagepress-verilog-*"))) as tar:
        for entry in tar:
            if entry.name.endswith("/pagepress_core.core"):
                text = tar.extractfile(entry).read().decode()
                component = ElementTree.parse(tar.extractfile(entry.name.replace(".core", ".ipxact.xml"))).getroot()
                found[entry.name.split("/")[1]] = re.search("^name: (.*)", text, re.M)[1]
                assert ":".join(component.findtext(name + part) for part in ("vendor", "library", "name", "version")) == found[entry.name.split("/")[1]]
                assert re.search(r"^description: .*; interface 1\.\d+$", text, re.M) and "; interface 1." in component.findtext(f"{name}description")
                # The Verilog module has that name, too, so that a design may take several of them.
                module = ":".join(component.findtext(name + part) for part in ("vendor", "name")).replace(":", "_")
                verilog = tar.extractfile(entry.name.replace("pagepress_core.core", "core.v")).read().decode()
                assert verilog.startswith(f"module {module};") and component.findtext(f".//{name}moduleName") == module
                assert re.search(f"^    toplevel: {module}$", text, re.M) and f"{{datatype: str, default: {module}, paramtype: vlogdefine}}" in text
    assert found == {"default": "pagepress:pagepress:core:0.1.0", "small": "pagepress:pagepress:core_small:0.1.0"}


def test_release_lists_what_is_in_it(tree, tmp_path):
    """The SPDX document: each archive with its checksum and licences, and the generator's packages with their pinned versions."""
    output = tmp_path / "made"
    assert tree("--output", output).returncode == 0
    listed = json.loads(next(output.glob("*.spdx.json")).read_text())
    packages = {package["SPDXID"]: package for package in listed["packages"]}
    archives = {package["packageFileName"]: package for package in packages.values() if "packageFileName" in package}
    assert sorted(archives) == sorted(path.name for path in output.iterdir() if path.name.endswith((".tar.xz", ".deb")))
    for name, package in archives.items():
        assert package["checksums"][0]["checksumValue"] == hashlib.sha256((output / name).read_bytes()).hexdigest()
        assert package["licenseDeclared"] == "(GPL-2.0-only OR Apache-2.0) AND (MIT OR Apache-2.0) AND GPL-2.0-only" if "_" in name else "Apache-2.0" in package["licenseDeclared"]
    # A choice stays one: the interface's headers are under either licence, not under both.
    assert archives["pagepress-soc-0.1.0.tar.xz"]["licenseDeclared"] == "(GPL-2.0-only OR Apache-2.0) AND Apache-2.0"
    made_with = {package["name"]: package.get("versionInfo") for package in packages.values() if "packageFileName" not in package}
    spinal = re.search(r"<spinal.version>(.*?)<", (REPOSITORY / "rtl/pom.xml").read_text())[1]
    assert [version for name, version in made_with.items() if "spinalhdl-core" in name] == [spinal]
    assert not any("scalatest" in name for name in made_with)
    assert sorted(relation["relatedSpdxElement"] for relation in listed["relationships"] if relation["relationshipType"] == "GENERATED_FROM") == [
        "SPDXRef-pagepress--0.1.0.tar.xz"] * 2 + ["SPDXRef-pagepress-tools--0.1.0.tar.xz"] * 2
    linked = {(packages[one]["name"], kind, packages[other]["name"]) for one, kind, other in (
        (relation["spdxElementId"], relation["relationshipType"], relation["relatedSpdxElement"]) for relation in listed["relationships"]) if one in packages}
    part, tools = "pagepress-tools-part", "pagepress-tools"
    assert {(part, "DYNAMIC_LINK", "liblzo2-2"), (part, "DEPENDS_ON", "kmod"), (part, "DEPENDS_ON", tools), ("liblzo2-dev", "BUILD_DEPENDENCY_OF", part),
            ("debhelper", "BUILD_DEPENDENCY_OF", part), (tools, "STATIC_LINK", "nlohmann-json3-dev"), (tools, "STATIC_LINK", "libcli11-dev")} <= linked
    assert len([package for package in packages.values() if package["name"] == "liblzo2-2"]) == 1
    assert {package["licenseDeclared"] for package in packages.values() if package["name"] in ("liblzo2-2", "liblzo2-dev")} == {"GPL-2.0-or-later"}
    # What the standard's readers need: known ends of every relation, legal identifiers, times and licences.
    for relation in listed["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= {"SPDXRef-DOCUMENT", *packages}
    assert all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", name) for name in packages)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", listed["creationInfo"]["created"])


@pytest.mark.parametrize("package, folder", [("pagepress-tools", "control"), ("pagepress-tools", "generator"), ("pagepress-xrt", "xrt"), ("libpagepress1", "libpagepress")])
def test_release_knows_what_is_compiled_in(package, folder):
    """Header libraries leave no trace in a package: the table of them is held against what its programs include, and against Build-Depends."""
    libraries = {"CLI": "libcli11-dev", "nlohmann": "nlohmann-json3-dev"}
    loaded = {"linux", "sys", "pagepress", "lzo", "nettle", "xrt", "experimental"}  # the system's, our own, and of libraries that are loaded
    included = {name for path in (REPOSITORY / "host" / folder).glob("*.[ch]pp") for name in re.findall(r"#include <(\w+)/", path.read_text())} - loaded
    assert {libraries[name] for name in included} <= set(sbom.COMPILED_IN.get(package, ()))
    built = sbom.stanzas((REPOSITORY / "host/packaging/debian/control").read_text())[0]["Build-Depends"]
    assert set(sbom.COMPILED_IN.get(package, ())) <= set(sbom.names(built))


def test_release_refuses(tree, tmp_path):
    refused(tree("--output", tmp_path / "a folder", "soc"), "path has blanks")
    refused(tree("--output", tmp_path / "none", "everything"), "no part everything (there are source, verilog, soc, packages)")
    changes = tree.root / "CHANGELOG.md"
    changes.write_text(changes.read_text() + "\n- more\n")
    refused(tree("--output", tmp_path / "none"), "not committed")
    assert not (tmp_path / "none").exists()
    configurations = tree.root / "rtl/top/configurations.toml"
    configurations.write_text(configurations.read_text().replace('"--bus", 8', '"--bus", 12'))
    tree.commit()
    (tmp_path / "none").mkdir()
    (tmp_path / "none/SHA256SUMS").touch()
    refused(tree("--output", tmp_path / "none", "verilog"), "small: Generate: streamBytes must be 8, 16, 32 or 64, not 12")
    assert not (tmp_path / "none/SHA256SUMS").exists(), "sums of another commit's files stay"
    configurations.write_text(configurations.read_text().replace('"--bus", 12', '"--queues", 3'))
    tree.commit()
    refused(tree("--output", tmp_path / "none", "verilog"), "small: %Warning-UNDRIVEN")
    (tree.root / "driver/packaging/debian/changelog").write_text("pagepress (UNRELEASED)\n")
    tree.commit()
    refused(tree("--output", tmp_path / "none", "soc"), "does not begin with 'pagepress (VERSION)'")
    shutil.copy(REPOSITORY / "driver/packaging/debian/changelog", tree.root / "driver/packaging/debian/changelog")
    changes.write_text(changes.read_text().replace("### In short", "### At length"))
    tree.commit()
    refused(tree("--output", tmp_path / "none", "soc"), "CHANGELOG.md: the chapter '## 0.1.0' does not begin with '### In short'")
    for heading in ("## Unreleased", "## 0.1.0.1", "## 0.1"):
        changes.write_text(f"# Changelog\n\n{heading}\n\n### In short\n\n- most of it\n")
        tree.commit()
        refused(tree("--output", tmp_path / heading[3:], "soc"), "CHANGELOG.md has no chapter '## 0.1.0'")
        assert not (tmp_path / heading[3:]).exists()


def test_release_examples_name_its_cores():
    """The module that example_soc.v takes in, and the folders that README.md names for either."""
    cores = tomllib.loads((REPOSITORY / "rtl/top/configurations.toml").read_text())
    readme = (REPOSITORY / ".tools/release").read_text()
    named = set(re.findall(r"`(\w+)/core\.v`", readme))
    assert named == {"soc", "small", "tiny"} <= set(cores)
    assert re.search(r"^  pagepress_core_soc pagepress \($", (REPOSITORY / "sim/cocotb/example_soc.v").read_text(), re.M)
    for core in named - {"soc"}:
        assert parameters_of(REPOSITORY / "rtl/interface", cores[core]["options"]) == {"BUS_BYTES": 8, "QUEUE_PAIRS": 1, "ADDRESS_WIDTH": 32, "ONE_INTERRUPT": 1}


def test_release_notes_are_short():
    """A screen says what the release is; all changes stand below it in CHANGELOG.md, whose newest chapter is the version's."""
    chapter = re.split(r"^(?=## )", (REPOSITORY / "CHANGELOG.md").read_text(), flags=re.M)[1]
    version = re.match(r"\w+ \(([\d.]+)\)", (REPOSITORY / "driver/packaging/debian/changelog").read_text())[1]
    assert chapter.startswith((f"## {version}\n", f"## {version}, "))
    short = re.fullmatch(r"## [^\n]+\n\n### In short\n\n((?:- [^\n]+\n)+)\n### Changes\n\n(.*)", chapter, re.S)
    assert short and len(short[1].splitlines()) <= 12 and len(short[1]) < 3000
    assert all(len(line) <= 240 for line in short[1].splitlines())
