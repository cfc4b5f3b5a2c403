# SPDX-License-Identifier: Apache-2.0
"""What the guest's disks hold, made once of the unpacked packages, in build/experiments/data:
root.img   the programs, and in /data pictures, documents, pages of the web, a film's sound, real memory-like pages, recorded ones of processes and versions of Linux's headers
swap.img   an empty disk to swap on (one for each run, made by the run)"""
import functools
import hashlib
import os
import re
import shutil
import subprocess
from pathlib import Path

import sample_pages
from system import Trouble, run

from . import GUEST_PROGRAMS, RESULTS, ROOM, TOOLS, program, versions

FOLDER = RESULTS / "data"
ROOT_IMAGE = FOLDER / "root.img"
PAGE = 4096
# What Debian's alternatives and loader configuration would point at, spelled out.
LIBRARIES = ("lib/x86_64-linux-gnu", *(f"usr/lib/x86_64-linux-gnu{below}" for below in ("", "/blas", "/lapack", "/pulseaudio")))
LINKER = "lib64/ld-linux-x86-64.so.2"
DOCUMENTS = 16  # copies of none: so many different documents
DOCUMENT_BYTES, DOCUMENT_PAGES = (300_000, 1_400_000), 50
PICTURE = (2334, 1800)  # pixels: 12 MiB in memory
SCAN_RESOLUTION = 212  # dots an inch, of a US letter page: 12 MiB in memory
MEMORY_PAGES = 6144
DESKTOP = ("djpeg", "node", "pandas", "redis", "sqlite", "stack")  # of the recorded pages, those of processes' own memory
WEB_PAGES = 15
FILM_FRAMES = 200  # of 320 × 240 pixels
TEXT_BYTES = 30 << 20  # the most that is sorted at once
CIRCUIT_STAGES = 100
CIRCUIT_STEPS = {"ladder": 40_000, "short-ladder": 12_000}  # 32 MB and 10 MB of results


def on_host(program, *words):
    """Runs a program of the unpacked tree here; what it said."""
    root = TOOLS / "system"
    libraries = ":".join(str(root / place) for place in LIBRARIES)
    command = [root / LINKER, "--library-path", libraries, root / "usr/bin" / program, *words]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        raise Trouble(f"{program} failed: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")
    return done.stdout


@functools.cache  # of files of megabytes, asked for with each cell; and what the disk was made of as the run began is what its guests read
def stamp():
    """Changes with whatever root.img is made of."""
    packed = GUEST_PROGRAMS / "bin/sort", versions.CONTROL
    recorded = Path(sample_pages.__file__), sample_pages.CORPUS / "pages.json", sample_pages.CORPUS / "pages.xz"
    digest = hashlib.sha256()
    for path in (Path(__file__), Path(versions.__file__), TOOLS / "packages.json", *packed, *recorded):
        digest.update(hashlib.sha256(path.read_bytes() if path.exists() else b"none").digest())
    digest.update(repr(versions.installed()).encode())  # without headers what was measured can be shown all the same
    return digest.hexdigest()


def root_image(say):
    """The path of root.img, made when it is not there or was made of something else."""
    kept, wanted = FOLDER / "stamp", stamp()
    with run.alone("experiments-data"):
        if kept.exists() and kept.read_text() == wanted and ROOT_IMAGE.exists():
            return ROOT_IMAGE
        say("making the disk of programs and data (half a minute)")
        tree = FOLDER / "tree"
        shutil.rmtree(FOLDER, ignore_errors=True)
        shutil.copytree(TOOLS / "system", tree, symlinks=True, copy_function=linked)
        for name in ("proc", "sys", "dev", "tmp", "work", "data"):
            (tree / name).mkdir(exist_ok=True)
        pictures(tree / "data")
        documents(tree / "data")
        web(tree / "data")
        sound_and_film(tree / "data")
        lines(tree / "data/lines.txt")
        for name, steps in CIRCUIT_STEPS.items():
            circuit(tree / "data" / f"{name}.cir", steps)
        versions.make(tree / "data/versions")
        shutil.copy(GUEST_PROGRAMS / "bin/sort", tree / "usr/bin/sort")
        memory(tree / "data/memory.pages", tree)
        (tree / "data/desktop.pages").write_bytes(b"".join(sample_pages.corpus()[kind] for kind in DESKTOP))
        image(tree, ROOT_IMAGE)
        shutil.rmtree(tree)
        kept.write_text(wanted)
    return ROOT_IMAGE


def linked(source, target):
    """A second name of the file, which nobody writes to; a copy where that cannot be had."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def pictures(folder):
    """A page as a scanner sees it, and a wall of photographs, the latter as a baseline and as a progressive JPEG file."""
    from PIL import Image, ImageOps

    Image.MAX_IMAGE_PIXELS = None
    scanned = folder / "scan.ppm"
    on_host("mutool", "draw", "-q", "-r", SCAN_RESOLUTION, "-c", "rgb", "-o", scanned, document_paths()[0], "2")
    Image.open(scanned).save(folder / "scan.jpg", quality=90)
    scanned.unlink()
    photographs = sorted((TOOLS / "data/usr/share/backgrounds/mate/nature").glob("*.jpg"))[:9]
    wall, third = Image.new("RGB", PICTURE), (PICTURE[0] // 3, PICTURE[1] // 3)
    for number, path in enumerate(photographs):
        wall.paste(ImageOps.fit(Image.open(path).convert("RGB"), third), (number % 3 * third[0], number // 3 * third[1]))
    wall.save(folder / "baseline.jpg", quality=92)
    wall.save(folder / "progressive.jpg", quality=92, progressive=True)
    sum_of_picture(folder, "baseline")


def sum_of_picture(folder, name):
    """NAME.sum: MD5 of what the guest's own program makes of NAME.jpg here, where nothing is swapped."""
    made = folder / f"{name}.bmp"
    on_host("djpeg", "-bmp", "-outfile", made, folder / f"{name}.jpg")
    (folder / f"{name}.sum").write_text(hashlib.md5(made.read_bytes()).hexdigest() + "\n")
    made.unlink()


def page_count(path):
    return int(re.search(r"^Pages: (\d+)", on_host("mutool", "info", path), re.MULTILINE)[1])


@functools.cache
def document_paths():
    """Documents of similar size and of enough pages, the smallest first."""
    found = [
        path for path in sorted((TOOLS / "data/usr/share/doc/texlive-doc").rglob("*.pdf"))
        if DOCUMENT_BYTES[0] <= path.stat().st_size <= DOCUMENT_BYTES[1] and page_count(path) >= DOCUMENT_PAGES
    ]  # fmt: skip
    if len(found) < DOCUMENTS:
        raise Trouble(f"the package texlive-latex-base-doc holds only {len(found)} documents of the size wanted")
    by_size = sorted(found, key=lambda path: (path.stat().st_size, path.name))
    return by_size[-DOCUMENTS:]


def documents(folder):
    for number, path in enumerate(document_paths(), 1):
        shutil.copy(path, folder / f"{number}.pdf")


def web(folder):
    """Pages of GIMP's help, with the pictures that they show: those with most."""
    source = TOOLS / "data/usr/share/gimp/2.0/help/en"
    shown = {path: re.findall(r'<img[^>]* src="([^"]+)"', path.read_text(errors="replace")) for path in sorted(source.glob("*.html"))}
    for number, path in enumerate(sorted(shown, key=lambda path: (-len(shown[path]), path.name))[:WEB_PAGES], 1):
        site = folder / "sites"
        for picture in {one for one in shown[path] if (source / one).is_file()}:
            (site / picture).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source / picture, site / picture)
        (site / f"{number}.html").write_bytes(path.read_bytes())


def sound_and_film(folder):
    """A photograph that a camera pans over, as a film with sound, for a player."""
    photograph = TOOLS / "data/usr/share/backgrounds/mate/nature/Dune.jpg"
    pan = "crop=320:240:x='n*4':y='n*2',format=yuv420p"
    on_host("ffmpeg", "-v", "error", "-y", "-loop", "1", "-i", photograph, "-vf", pan, "-frames:v", FILM_FRAMES, "-c:v", "mpeg4", "-q:v", "4", folder / "film.avi")
    shutil.copy(TOOLS / "data/usr/share/sounds/freedesktop/stereo/service-login.oga", folder / "music.oga")


def lines(path):
    """Text for sort, TEXT_BYTES of it: the lines of GIMP's help over and over, each with a number of its own behind it."""
    text = b"".join(source.read_bytes() for source in sorted((TOOLS / "data/usr/share/gimp/2.0/help/en").glob("*.html"))).splitlines()
    with open(path, "wb") as out:
        for number in range(1 << 31):
            out.write(text[number % len(text)] + b" %d\n" % number)
            if out.tell() >= TEXT_BYTES:
                break


def circuit(path, steps):
    """A ladder of resistors and capacitors: ngspice keeps every node's voltage at every step, as long as no file is asked for, and goes through
    those of each in the end."""
    with open(path, "w") as out:
        out.write("a ladder\nv1 n0 0 pulse(0 1 0 1u 1u 50u 100u)\n")
        for stage in range(CIRCUIT_STAGES):
            out.write(f"r{stage} n{stage} n{stage + 1} 100\nc{stage} n{stage + 1} 0 1n\n")
        averages = "".join(f"meas tran average{stage} avg v(n{stage})\n" for stage in range(1, CIRCUIT_STAGES + 1))
        out.write(f".tran 0.1u {steps / 10}u\n.control\nrun\n{averages}quit 0\n.endc\n.end\n")


def memory(path, tree):
    """Pages of programs, libraries and texts as they lie in memory."""
    sources = sorted(
        (one for one in (tree / "usr").rglob("*") if one.is_file() and not one.is_symlink() and one.stat().st_size >= PAGE),
        key=lambda one: hashlib.sha256(str(one.relative_to(tree)).encode()).digest(),
    )
    with open(path, "wb") as out:
        for source in sources:
            with open(source, "rb") as stream:
                data = stream.read(32 * PAGE)
            out.write(data[: len(data) // PAGE * PAGE])
            if out.tell() >= MEMORY_PAGES * PAGE:
                break
        out.truncate(MEMORY_PAGES * PAGE)


def image(tree, path):
    """An ext4 file system of what lies in `tree`, with a tenth to spare."""
    used = int(subprocess.run(["du", "-sm", "--apparent-size", tree], capture_output=True, text=True, check=True).stdout.split()[0])
    files = sum(len(names) for _, _, names in os.walk(tree))
    command = ["mke2fs", "-q", "-t", "ext4", "-O", "^has_journal", "-m", "0", "-N", str(files * 2 + 1000), "-d", tree, path, f"{used * 5 // 4 + 64}M"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=os.environ | {"PATH": "/usr/sbin:/sbin:" + os.environ["PATH"]})
    if done.returncode:
        raise Trouble(f"mke2fs failed: {done.stderr.strip()}")


def disk_with_arm(kernel):
    """The module of guest/disk_with_arm, built for this kernel where it is older than its source or than the kernel: its path."""
    source, tree = ROOM / "guest/disk_with_arm", RESULTS / "programs" / kernel.name
    built = tree / "disk_with_arm.ko"
    if built.exists() and all(built.stat().st_mtime > path.stat().st_mtime for path in (*source.iterdir(), kernel.folder / "release")):
        return built
    fresh = tree.with_name(tree.name + ".new")  # whole or not at all, should this be killed
    for folder in (tree, fresh):
        shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, fresh)
    command = ["make", "-s", "-C", str(kernel.folder / "build"), f"M={fresh}", "CONFIG_DEBUG_INFO_BTF_MODULES=", "modules"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode or not (fresh / built.name).exists():
        raise Trouble(f"disk_with_arm cannot be built for {kernel.name}: {(done.stderr.strip().splitlines() or ['make said nothing'])[0]}")
    subprocess.run(["strip", "--strip-debug", fresh / built.name], check=True)
    fresh.rename(tree)
    return built


def programs(names):
    """Static programs of programs/ and driver/tests/, built where they are older than their source, than what builds them here or than the packages that they
    are linked with: their paths."""
    fftw = TOOLS / "data/usr"
    libraries = {"fft": [f"-I{fftw}/include", str(fftw / "lib/x86_64-linux-gnu/libfftw3.a"), "-lm"]}
    folder = RESULTS / "programs"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        source, built = program(f"{name}.c"), folder / name
        if built.exists() and all(built.stat().st_mtime > path.stat().st_mtime for path in (source, Path(__file__), TOOLS / "packages.json") if path.exists()):
            continue
        fresh = folder / f"{name}.new"
        command = ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-static", "-o", str(fresh), str(source), *libraries.get(name, [])]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Trouble(f"gcc cannot build {source.name}: {(done.stderr.strip().splitlines() or ['it said nothing'])[0]}")
        fresh.replace(built)  # whole or not at all, should gcc be killed
    return [folder / name for name in names]
