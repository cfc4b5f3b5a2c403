// SPDX-License-Identifier: GPL-2.0-only
/*
 * slow_device [-w] DEVICE FILE MODE [BITS_PER_SECOND [ROUND_TRIP_MS]]: /dev/nbdN, read-only unless -w is given, with what FILE holds,
 * behind a link of that rate and delay. A line is printed once it is there; then it serves until it is killed. FILE is looked up for each request, so that
 * another can take its place. MODE is a file as well, whose first letter says how requests are answered: s(ound), w(rong: a bit of
 * each is flipped) or f(ail). A process that was stopped (SIGSTOP) answers nothing until it goes on.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/nbd.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_REQUESTS	1024	/* far more than the kernel sends */
#define MOST_BYTES	(1 << 20)

/* A request, and when the last byte of its answer has crossed the link. */
struct asked {
	struct nbd_request request;
	unsigned char *data;	/* that is to be written */
	uint64_t due;		/* nanoseconds */
};

static const char *file_name, *mode_name;
static uint64_t bits_per_second, round_trip;	/* the latter nanoseconds */

static void stop(const char *what)
{
	fprintf(stderr, "slow_device: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

static char mode(void)
{
	char letter = 's';
	int file = open(mode_name, O_RDONLY);

	if (file < 0 || read(file, &letter, 1) < 0)
		stop(mode_name);
	close(file);
	return letter;
}

static void move(int socket, void *data, size_t bytes, int out)
{
	ssize_t done;

	for (; bytes; bytes -= done, data = (char *)data + done) {
		done = out ? write(socket, data, bytes) : read(socket, data, bytes);
		if (!done)
			exit(0);	/* the kernel has let the device go */
		if (done < 0)
			stop("socket");
	}
}

static int is_write(const struct nbd_request *request)
{
	return ntohl(request->type) == NBD_CMD_WRITE;
}

/* written: what a write brings */
static void answer(int socket, const struct nbd_request *request, const unsigned char *written)
{
	static unsigned char data[MOST_BYTES];
	struct nbd_reply reply = { .magic = htonl(NBD_REPLY_MAGIC) };
	uint32_t bytes = ntohl(request->len);
	char how = mode();
	int file;

	memcpy(reply.handle, request->handle, sizeof(reply.handle));
	if (bytes > MOST_BYTES || (ntohl(request->type) != NBD_CMD_READ && !is_write(request)) || how == 'f') {
		reply.error = htonl(EIO);
		move(socket, &reply, sizeof(reply), 1);
		return;
	}
	if (is_write(request)) {
		file = open(file_name, O_WRONLY);
		if (file < 0 || pwrite(file, written, bytes, be64toh(request->from)) != bytes)
			stop(file_name);
		close(file);
		move(socket, &reply, sizeof(reply), 1);
		return;
	}
	memset(data, 0, bytes);
	file = open(file_name, O_RDONLY);
	if (file < 0 || pread(file, data, bytes, be64toh(request->from)) < 0)
		stop(file_name);
	close(file);
	if (how == 'w')
		data[bytes / 3] ^= 4;
	move(socket, &reply, sizeof(reply), 1);
	move(socket, data, bytes, 1);
}

static void serve(int socket)
{
	static struct asked asked[MOST_REQUESTS];
	uint64_t link_free = 0;
	unsigned int first = 0, count = 0;

	for (;;) {
		struct pollfd ready = { .fd = socket, .events = count < MOST_REQUESTS ? POLLIN : 0 };
		uint64_t time = now(), due = asked[first].due;
		struct timespec left = {
			.tv_sec = due > time ? (due - time) / 1000000000 : 0,
			.tv_nsec = due > time ? (due - time) % 1000000000 : 0,
		};

		if (ppoll(&ready, 1, count ? &left : NULL, NULL) < 0 && errno != EINTR)
			stop("ppoll");
		if (ready.revents) {
			struct asked *last = &asked[(first + count++) % MOST_REQUESTS];

			move(socket, &last->request, sizeof(last->request), 0);
			if (ntohl(last->request.type) == NBD_CMD_DISC)
				exit(0);
			if (is_write(&last->request)) {
				last->data = malloc(ntohl(last->request.len));
				if (!last->data)
					stop("memory");
				move(socket, last->data, ntohl(last->request.len), 0);
			}
			time = now() + round_trip;
			if (link_free < time)
				link_free = time;
			if (bits_per_second)
				link_free += ntohl(last->request.len) * 8000000000ull / bits_per_second;
			last->due = link_free;
		} else if (count && asked[first].due <= now()) {
			answer(socket, &asked[first].request, asked[first].data);
			free(asked[first].data);
			asked[first].data = NULL;
			first = (first + 1) % MOST_REQUESTS;
			count--;
		}
	}
}

int main(int count, char **words)
{
	struct stat status;
	int sockets[2], device, writable = count > 1 && !strcmp(words[1], "-w");

	words += writable;
	count -= writable;
	if (count < 4 || count > 6) {
		fprintf(stderr, "usage: slow_device [-w] DEVICE FILE MODE [BITS_PER_SECOND [ROUND_TRIP_MS]]\n");
		return 2;
	}
	file_name = words[2];
	mode_name = words[3];
	bits_per_second = count > 4 ? strtoull(words[4], NULL, 0) : 0;
	round_trip = (count > 5 ? strtoull(words[5], NULL, 0) : 0) * 1000000;
	if (stat(file_name, &status))
		stop(file_name);
	device = open(words[1], O_RDWR);
	if (device < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		stop(words[1]);
	if (ioctl(device, NBD_SET_BLKSIZE, 512ul) || ioctl(device, NBD_SET_SIZE_BLOCKS, (unsigned long)status.st_size / 512) ||
	    ioctl(device, NBD_CLEAR_SOCK) || ioctl(device, NBD_SET_SOCK, sockets[0]) ||
	    ioctl(device, NBD_SET_FLAGS, (unsigned long)(NBD_FLAG_HAS_FLAGS | (writable ? 0 : NBD_FLAG_READ_ONLY))))
		stop(words[1]);
	if (!fork()) {
		close(sockets[1]);
		ioctl(device, NBD_DO_IT);
		exit(0);
	}
	close(sockets[0]);
	puts("there");
	fflush(stdout);
	serve(sockets[1]);
}
