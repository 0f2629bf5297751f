// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of settings NAME=VALUE: of a call, of a tuning problem, of a stored result. Values are
// compared as text, so two spellings of one number are two values.
#ifndef KILN_BASE_SETTINGS_H
#define KILN_BASE_SETTINGS_H

#include "kiln/program.h"
#include "kiln/status.h"

// Sorted by name, without duplicates; owns its strings. A zeroed list is empty.
typedef struct kiln_setting_list {
    kiln_setting_t *items;
    size_t count, capacity;
} kiln_setting_list_t;

// Sets name=value, replacing an earlier value of the name.
kiln_status_t kiln_settings_put(kiln_setting_list_t *list, const char *name, size_t name_length,
                                const char *value, size_t value_length);
kiln_status_t kiln_settings_put_all(kiln_setting_list_t *list, const kiln_setting_t *settings,
                                    size_t count);
// Sets each NAME=VALUE of a text separated by blanks.
kiln_status_t kiln_settings_put_text(kiln_setting_list_t *list, const char *text);
void kiln_settings_free(kiln_setting_list_t *list);

// "NAME=VALUE" lines in order, from malloc; "" for an empty list. NULL if out of memory.
char *kiln_settings_text(const kiln_setting_t *settings, size_t count);

#endif
