// SPDX-License-Identifier: Apache-2.0
/*
 * top_cost SECONDS PROGRAM [ARGUMENT...]: runs PROGRAM on a terminal of its own, and prints for how many nanoseconds a second it ran on
 * a CPU, the kernel's work for it included, after it has settled, and how many bytes a second it drew. Exit status 2: an error.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SETTLED	2.5 /* seconds */

static void stop(const char *what)
{
	perror(what);
	exit(2);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec * 1e-9;
}

static unsigned long long run_time(pid_t process)
{
	unsigned long long nanoseconds;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", process);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu", &nanoseconds) != 1)
		stop(path);
	fclose(file);
	return nanoseconds;
}

/* What PROGRAM draws until then, in bytes. */
static size_t draw_until(int terminal, double end)
{
	struct pollfd drawn = { .fd = terminal, .events = POLLIN };
	char text[65536];
	size_t bytes = 0;
	ssize_t length;

	while (now() < end) {
		if (poll(&drawn, 1, 10) <= 0)
			continue;
		length = read(terminal, text, sizeof(text));
		if (length <= 0)
			stop("the program has ended");
		bytes += length;
	}
	return bytes;
}

int main(int count, char **words)
{
	struct winsize size = { .ws_row = 40, .ws_col = 120 };
	unsigned long long before;
	double began, seconds;
	size_t bytes;
	pid_t process;
	int terminal;

	if (count < 3) {
		fprintf(stderr, "usage: top_cost SECONDS PROGRAM [ARGUMENT...]\n");
		return 2;
	}
	process = forkpty(&terminal, NULL, NULL, &size);
	if (process < 0)
		stop("forkpty");
	if (!process) {
		setenv("TERM", "xterm", 1);
		execvp(words[2], words + 2);
		_exit(127);
	}
	draw_until(terminal, now() + SETTLED);
	before = run_time(process);
	began = now();
	bytes = draw_until(terminal, began + atof(words[1]));
	seconds = now() - began;
	printf("%.0f %.0f\n", (run_time(process) - before) / seconds, bytes / seconds);
	kill(process, SIGTERM);
	waitpid(process, NULL, 0);
	return 0;
}
