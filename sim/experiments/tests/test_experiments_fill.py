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


def test_fill_notices_each_page_that_is_not_as_it_was(tmp_path):
    (tmp_path / "changes.c").write_text(PROGRAM)
    (tmp_path / "pages").write_bytes(bytes(range(256)) * 16 * 5)
    subprocess.run([shutil.which("gcc"), "-std=gnu11", "-Wall", "-Werror", f"-I{ROOM / 'programs'}", "-o", tmp_path / "changes", tmp_path / "changes.c"], check=True)
    said = subprocess.run([tmp_path / "changes", tmp_path / "pages"], capture_output=True, text=True, check=True).stdout
    assert said == " ".join(["0", *["1"] * 11, "1", "11"])
