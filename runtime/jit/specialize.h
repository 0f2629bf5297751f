// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a call to what is compiled: tuned and given settings merged, arguments reduced to what the compiler may assume,
// and the key of it all.
//
// What is easily got wrong: the key must cover everything that compiling reads. What the request does not hold, the
// compiler tells as its identity.
#ifndef KILN_JIT_SPECIALIZE_H
#define KILN_JIT_SPECIALIZE_H

#include "base/hash.h"
#include "kiln/jit.h"

// The settings of a call: sorted by name, each once, owning their strings.
typedef struct kiln_setting_list {
    kiln_setting_t *items;
    size_t count;
} kiln_setting_list_t;

// Sets name=value, replacing what the list had for the name.
kiln_status_t kiln_settings_put(kiln_setting_list_t *list, const char *name, size_t name_length, const char *value,
                                size_t value_length);
// Puts each NAME=VALUE of a text separated by blanks.
kiln_status_t kiln_settings_put_text(kiln_setting_list_t *list, const char *text);
void kiln_settings_free(kiln_setting_list_t *list);

kiln_status_t kiln_request_key(const kiln_jit_request_t *request, const char *identity, kiln_hash_t *out_key);

#endif
