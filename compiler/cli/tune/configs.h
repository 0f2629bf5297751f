// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln tune --configs: configurations that other tuners have found, as candidates.
//
//     {"configs_timings": [[{"kwargs": {"BLOCK_M": 64}, "num_warps": 4}, [1.5, 1.4, 1.6]], …]}
//                                                     Triton's autotune cache, KERNEL.autotune.json
//     {"16": {"BLOCK_SIZE_M": 16, "num_warps": 4}, …}         vLLM's fused MoE, by M
//     {"M_LEQ_64": {"BLOCK_SIZE_M": 64, …}, "any": {…}}       AITER's Triton kernels, by M
#ifndef KILN_CLI_TUNE_CONFIGS_H
#define KILN_CLI_TUNE_CONFIGS_H

#include "kiln/tune_space.h"

// Adds the names of the file's configurations as axes, and allows only these configurations. A name
// must be a compile option or a word of the source; BLOCK_SIZE_M also stands for BLOCK_M, and
// GROUP_SIZE_M for GROUP_M. Other names are reported on stderr (unless `is_quiet`) and left out.
kiln_status_t kiln_tune_configs_add(const char *path, const kiln_source_t *source, bool is_quiet,
                                    kiln_tune_space_t *space);

#endif
