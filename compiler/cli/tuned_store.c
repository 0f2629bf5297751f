// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command's tuning store.
#include "tuned_store.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "device_flags.h"

char *kiln_run_tuned_path(void)
{
    char *directory = kiln_cache_directory();
    char *path = directory ? kiln_path_join(directory, "tune.db") : NULL;
    free(directory);
    return path;
}

kiln_status_t kiln_run_open_tuned(kiln_tune_store_t **out_store)
{
    *out_store = NULL;
    const char *mode = kiln_environment("KILN_CACHE_MODE");
    char *path = mode && strcmp(mode, "off") == 0 ? NULL : kiln_run_tuned_path();
    kiln_status_t status = KILN_OK;
    if (path && kiln_file_exists(path))
        status = kiln_tune_store_open(path, out_store);
    free(path);
    return status;
}
