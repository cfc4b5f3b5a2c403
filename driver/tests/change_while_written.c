// SPDX-License-Identifier: GPL-2.0-only
/*
 * change_while_written DEVICE SEED ROUNDS: writes the same pages by direct requests, ROUNDS times, while another thread
 * changes them: half of them noise, half of them zeros but for one word that comes and goes. What is on DEVICE then is
 * anybody's guess; the requests must succeed all the same. Exit status 0: they did; 2: usage or an error.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PAGE	4096
#define WORDS	(PAGE / 8)
#define PAGES	16

static volatile uint64_t pages[PAGES][WORDS] __attribute__((aligned(PAGE)));
static volatile int done;

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void *change(void *seed)
{
	uint64_t state = *(uint64_t *)seed;
	unsigned int page;

	while (!done) {
		for (page = 0; page < PAGES; page += 2) {
			pages[page][next(&state) % WORDS] = next(&state);
			pages[page + 1][0] = !pages[page + 1][0];
		}
	}
	return NULL;
}

int main(int words, char **word)
{
	unsigned int page, index;
	pthread_t changer;
	uint64_t seed;
	int file, rounds;

	if (words != 4) {
		fprintf(stderr, "usage: change_while_written DEVICE SEED ROUNDS\n");
		return 2;
	}
	seed = strtoull(word[2], NULL, 0) * 0x9e3779b97f4a7c15ull | 1;
	for (page = 0; page < PAGES; page += 2)
		for (index = 0; index < WORDS; index++)
			pages[page][index] = next(&seed);
	file = open(word[1], O_WRONLY | O_DIRECT);
	if (file < 0 || pthread_create(&changer, NULL, change, &seed)) {
		perror(word[1]);
		return 2;
	}
	for (rounds = atoi(word[3]); rounds > 0; rounds--) {
		if (pwrite(file, (void *)pages, sizeof(pages), 0) != sizeof(pages)) {
			perror(word[1]);
			return 2;
		}
	}
	done = 1;
	pthread_join(changer, NULL);
	return 0;
}
