// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// vLLM's tuned tables for mixtures of experts beside what Kiln finds.
#ifndef KILN_BENCH_TUNE_VLLM_H
#define KILN_BENCH_TUNE_VLLM_H

#include "tune_rows.h"

// `checkout` is vLLM's source. Prints for its tables for MI300X and Mixtral 8x7B whose names
// contain `part` what the clock predicts for their rows and for the best of a guided search.
void bench_compare_vllm(kiln_device_t *device, kiln_tune_store_t *store, const char *checkout,
                        const char *part);

#endif
