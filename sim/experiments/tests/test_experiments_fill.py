# SPDX-License-Identifier: Apache-2.0
"""The program that fills memory notices a page that is not what it was."""
import shutil
import subprocess

from experiments import ROOM

PROGRAM = """
#define main fill_main
#include "fill.c"
#undef main

// Of sixteen pages filled from FILE: changes a bit, takes it back, puts one page in another's place, goes through a pass twice.
int main(int count, char **words)
{
	uint64_t *page;

	(void)count, (void)fill_main;
	pages = 16;
	memory = aligned_alloc(PAGE, pages * PAGE);
	sums = malloc(pages * sizeof(*sums));
	if (!fill(words[1]))
		return 1;
	printf("%zu ", check(0, pages, 0));
	for (size_t word = 0; word < WORDS; word += 51) {
		page = page_at(memory, word % pages);
		page[word] ^= 1ull << word % 64;
		printf("%zu ", check(0, pages, 1 + word / 51));
		page[word] ^= 1ull << word % 64;
	}
	memcpy(page_at(memory, 3), page_at(memory, 4), PAGE);
	printf("%zu ", check(0, pages, 12));
	printf("%zu", check(5, 11, 12));
	return 0;
}
"""


LAST_LOOK = """
#include <stdio.h>
static int damage(void);
#define getchar damage
#define main fill_main
#include "fill.c"
#undef main

// While it waits: a bit of a page that it has not worked on, and the count of passes of one that it has.
static int damage(void)
{
	page_at(memory, 2)[7] ^= 1;
	page_at(memory, 130)[PASS_WORD]--;
	return '\\n';
}

int main(int count, char **words)
{
	return fill_main(count, words);
}
"""


def compiled(folder, text):
    (folder / "program.c").write_text(text)
    (folder / "pages").write_bytes(bytes(range(256)) * 16 * 5)
    subprocess.run([shutil.which("gcc"), "-std=gnu11", "-Wall", "-Werror", f"-I{ROOM / 'programs'}", "-o", folder / "program", folder / "program.c"], check=True)
    return folder / "program"


def words_of(said):
    """Without times."""
    return [[line[0], line[-1]] if line[0] in ("checked", "wrong") else line[:1] for line in map(str.split, said.splitlines())]


def test_fill_looks_at_all_memory_when_its_work_is_done(tmp_path):
    """Also at what it did not work on; it says so when every page has been compared, not before."""
    parts = ["1", tmp_path / "pages", "--check", "2", "--part", "20", "50", "75"]  # of 256 pages 51 from 128 on, and 51 from 192 on
    done = subprocess.run([compiled(tmp_path, LAST_LOOK), *parts], capture_output=True, text=True)
    assert (done.returncode, words_of(done.stdout)) == (1, [["filled"], *[["checked", "0"]] * 4, ["worked"], ["wrong", "2"]])
    program = compiled(tmp_path, '#include "fill.c"\n')
    with subprocess.Popen([program, *parts], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as waiting:
        said = [waiting.stdout.readline() for line in range(6)]
        assert said[-1].startswith("worked ") and not any(line.startswith("wrong") for line in said)
        rest, _ = waiting.communicate("\n")
    assert (waiting.returncode, rest) == (0, "wrong 0\n")
    done = subprocess.run([program, "1", tmp_path / "pages", "--check", "2"], capture_output=True, text=True)
    assert (done.returncode, words_of(done.stdout)) == (0, [["filled"], *[["checked", "0"]] * 2, ["wrong", "0"]])


def test_fill_notes_a_number_when_a_pass_is_over(tmp_path):
    """That of a file, behind what it says of the pass."""
    (tmp_path / "busy").write_text("12345\n")
    words = [compiled(tmp_path, '#include "fill.c"\n'), "1", tmp_path / "pages", "--note", tmp_path / "busy", "--check", "1", "--part", "20", "50"]
    said = subprocess.run(words, input="\n", capture_output=True, text=True, check=True).stdout
    assert [(line.split()[0], line.split()[-1]) for line in said.splitlines()[:2]] == [("filled", "12345"), ("checked", "12345")]
    assert [len(line.split()) for line in said.splitlines()] == [3, 4, 2, 2]


def test_fill_notices_each_page_that_is_not_as_it_was(tmp_path):
    said = subprocess.run([compiled(tmp_path, PROGRAM), tmp_path / "pages"], capture_output=True, text=True, check=True).stdout
    assert said == " ".join(["0", *["1"] * 11, "1", "11"])
