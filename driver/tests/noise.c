// SPDX-License-Identifier: GPL-2.0-only
/*
 * noise SEED BYTES [SIZE COUNT]: prints bytes that no compressor makes smaller, the same ones for the same SEED; or COUNT records of
 * SIZE bytes, each of which begins with BYTES of the next SEED's and is zeros then.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A step of SplitMix64, whose neighbouring states give unrelated values. */
static uint64_t mixed(uint64_t state)
{
	state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9ul;
	state = (state ^ state >> 27) * 0x94d049bb133111ebul;
	return state ^ state >> 31;
}

static void noise(uint64_t seed, uint64_t bytes)
{
	uint64_t state = mixed(seed), left, value;

	for (left = bytes; left; left -= left < sizeof(value) ? left : sizeof(value)) {
		value = mixed(state += 0x9e3779b97f4a7c15ul);
		fwrite(&value, 1, left < sizeof(value) ? left : sizeof(value), stdout);
	}
}

int main(int count, char **words)
{
	uint64_t seed, bytes, size, records, at;

	if (count != 3 && count != 5) {
		fprintf(stderr, "usage: noise SEED BYTES [SIZE COUNT]\n");
		return 2;
	}
	seed = strtoull(words[1], NULL, 0);
	bytes = strtoull(words[2], NULL, 0);
	size = count == 5 ? strtoull(words[3], NULL, 0) : bytes;
	records = count == 5 ? strtoull(words[4], NULL, 0) : 1;
	for (; records; records--, seed++) {
		noise(seed, bytes);
		for (at = bytes; at < size; at++)
			putchar(0);
	}
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
