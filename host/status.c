// SPDX-License-Identifier: Apache-2.0
#include "status.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "attributes.h"

static enum exit_code fail(enum exit_code code, const char *path, const char *problem)
{
	fprintf(stderr, "pagepressctl: %s: %s\n", path, problem);
	return code;
}

static bool parse_number(const char *text, unsigned long long *number)
{
	char *end;

	if (!isdigit((unsigned char)text[0])) // strtoull takes signs and blanks
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0';
}

// Words go into JSON as they are, so only plain ones pass.
static bool parse_word(const char *text, char *word, size_t size)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++)
		if (!islower((unsigned char)text[i]) && text[i] != '-' && text[i] != '_')
			return false;
	if (length == 0 || length >= size)
		return false;
	memcpy(word, text, length + 1);
	return true;
}

static enum exit_code read_attribute(const char *path, struct attribute *attribute)
{
	char text[64] = "";
	FILE *file = fopen(path, "r");
	bool got, good;

	if (!file && errno == ENOENT)
		return fail(EXIT_ABSENT, path, "missing: the loaded driver is of another version than this program");
	if (!file)
		return fail(EXIT_ABSENT, path, strerror(errno));
	got = fgets(text, sizeof(text), file);
	good = !ferror(file);
	fclose(file);
	if (!good)
		return fail(EXIT_ABSENT, path, "cannot be read");
	if (!got)
		return fail(EXIT_MALFORMED, path, "empty");
	text[strcspn(text, "\n")] = '\0';

	if (attribute->kind == ATTRIBUTE_NUMBER)
		good = parse_number(text, &attribute->number);
	else
		good = parse_word(text, attribute->word, sizeof(attribute->word));
	if (!good)
		return fail(EXIT_MALFORMED, path,
			    attribute->kind == ATTRIBUTE_NUMBER ? "not a whole number" : "not a word");
	return EXIT_FINE;
}

enum exit_code status_read(const char *sysfs, const char *device)
{
	char path[PATH_MAX];
	struct stat status;
	size_t disk_length;
	int length;

	if (device[0] == '\0' || device[0] == '.' || strchr(device, '/'))
		return fail(EXIT_ABSENT, device, "not the name of a disk: write for example pagepress0");
	length = snprintf(path, sizeof(path), "%s/block/%s", sysfs, device);
	// Room for the longest file below the disk's folder.
	if (length < 0 || (size_t)length + 64 > sizeof(path))
		return fail(EXIT_ABSENT, sysfs, "path too long");
	disk_length = (size_t)length;
	if (stat(path, &status) != 0)
		return fail(EXIT_ABSENT, path, errno == ENOENT ? "no such disk: is the module pagepress loaded?" :
								 strerror(errno));

	for (size_t i = 0; i < attribute_group_count; i++) {
		struct attribute_group *group = &attribute_groups[i];

		for (size_t j = 0; j < group->count; j++) {
			struct attribute *attribute = &group->attributes[j];
			enum exit_code code;

			snprintf(path + disk_length, sizeof(path) - disk_length, "/%s%s", group->folder,
				 attribute->file);
			code = read_attribute(path, attribute);
			if (code != EXIT_FINE)
				return code;
		}
	}
	return EXIT_FINE;
}

void status_print_text(const char *device)
{
	printf("%s\n", device);
	for (size_t i = 0; i < attribute_group_count; i++) {
		const struct attribute_group *group = &attribute_groups[i];

		printf("\n%s\n", group->title);
		for (size_t j = 0; j < group->count; j++) {
			const struct attribute *attribute = &group->attributes[j];

			if (attribute->kind == ATTRIBUTE_NUMBER)
				printf("  %-24s %16llu\n", attribute->file, attribute->number);
			else
				printf("  %-24s %16s\n", attribute->file, attribute->word);
		}
	}
}

void status_print_json(const char *device)
{
	printf("{\"device\": \"%s\"", device);
	for (size_t i = 0; i < attribute_group_count; i++) {
		const struct attribute_group *group = &attribute_groups[i];

		printf(", \"%s\": {", group->name);
		for (size_t j = 0; j < group->count; j++) {
			const struct attribute *attribute = &group->attributes[j];

			printf("%s\"%s\": ", j ? ", " : "", attribute->file);
			if (attribute->kind == ATTRIBUTE_NUMBER)
				printf("%llu", attribute->number);
			else
				printf("\"%s\"", attribute->word);
		}
		printf("}");
	}
	printf("}\n");
}
