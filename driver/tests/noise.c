// SPDX-License-Identifier: GPL-2.0-only
/* noise SEED BYTES: prints bytes that no compressor makes smaller, the same ones for the same SEED. */
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

int main(int count, char **words)
{
	uint64_t state, left, value;

	if (count != 3) {
		fprintf(stderr, "usage: noise SEED BYTES\n");
		return 2;
	}
	state = mixed(strtoull(words[1], NULL, 0));
	for (left = strtoull(words[2], NULL, 0); left; left -= left < sizeof(value) ? left : sizeof(value)) {
		value = mixed(state += 0x9e3779b97f4a7c15ul);
		fwrite(&value, 1, left < sizeof(value) ? left : sizeof(value), stdout);
	}
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
