// SPDX-License-Identifier: Apache-2.0
// measure FILE COMMAND...: runs the command and writes one line to FILE: status real_ms user_ms system_ms major_faults minor_faults.
// The status is the command's own, or 128 and the number of the signal that ended it. The command may be killed when memory runs out,
// measure itself is as safe as what started it.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long milliseconds(struct timeval time)
{
	return time.tv_sec * 1000 + time.tv_usec / 1000;
}

static void be_killable(void)
{
	int file = open("/proc/self/oom_score_adj", O_WRONLY);

	if (file < 0 || write(file, "0", 1) != 1)
		_exit(126);
	close(file);
}

int main(int count, char **words)
{
	struct timespec before, after;
	struct rusage usage;
	int status;
	pid_t child;
	FILE *out;

	if (count < 3) {
		fprintf(stderr, "usage: measure FILE COMMAND...\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &before);
	child = fork();
	if (child < 0) {
		perror("measure: fork");
		return 1;
	}
	if (child == 0) {
		be_killable();
		execvp(words[2], words + 2);
		perror(words[2]);
		_exit(127);
	}
	if (wait4(child, &status, 0, &usage) != child) {
		perror("measure: wait4");
		return 1;
	}
	clock_gettime(CLOCK_MONOTONIC, &after);
	out = fopen(words[1], "w");
	if (!out) {
		perror(words[1]);
		return 1;
	}
	fprintf(out, "%d %ld %ld %ld %ld %ld\n", WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
		(after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000,
		milliseconds(usage.ru_utime), milliseconds(usage.ru_stime), usage.ru_majflt, usage.ru_minflt);
	return fclose(out) ? 1 : 0;
}
