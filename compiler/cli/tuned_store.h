// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the command keeps tuning results: `tune.db` in the cache directory, so that `kiln run` takes what `kiln tune`
// found.
#ifndef KILN_CLI_TUNED_STORE_H
#define KILN_CLI_TUNED_STORE_H

#include "kiln/tune.h"

// The path of the store, from malloc; NULL where there is no cache directory.
char *kiln_run_tuned_path(void);

// Opens the store for reading what was tuned. *out_store is NULL, and no failure, where nothing was ever tuned or the
// cache is off.
kiln_status_t kiln_run_open_tuned(kiln_tune_store_t **out_store);

#endif
