// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln tune list, show, export, import, merge and prune: the contents of a store.
#ifndef KILN_CLI_TUNE_STORE_H
#define KILN_CLI_TUNE_STORE_H

#include <stdbool.h>

#include "kiln/status.h"

// Whether the first word other than flags is one of these verbs.
bool kiln_tune_store_verb_is(int argc, char **argv);
int kiln_tune_store_verb(int argc, char **argv);

// `given` or tune.db in the cache directory, from malloc; NULL if neither is known.
kiln_status_t kiln_tune_store_path(const char *given, char **out_path);

#endif
