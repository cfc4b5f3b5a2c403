// SPDX-License-Identifier: Apache-2.0
// Counts in files (of sysfs) that must be reached before the program may end.
#ifndef GOALS_H
#define GOALS_H

#include <stdbool.h>

// Adds a goal, written "FILE:COUNT". Ends the program when it is malformed or the file unreadable.
void goals_add(const char *text);

// Whether every goal is reached; true without any. Once true it stays true and costs nothing.
bool goals_reached(void);

// From here on every goal counts as reached.
void goals_abandon(void);

#endif
