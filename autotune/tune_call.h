// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tunes the problem of a JIT's call, with buffers of its own.
#ifndef KILN_AUTOTUNE_TUNE_CALL_H
#define KILN_AUTOTUNE_TUNE_CALL_H

#include "kiln/tuner.h"

// Searches the axes that the call's source declares, or else those derived from the program, and
// stores samples and result. *out_config is the best configuration, from malloc, and *out_tried the
// number of candidates that were tried or known. DEVICE if a launch did not end: the device is
// lost, and what was allocated on it is not released.
kiln_status_t kiln_tune_call(const kiln_tuner_options_t *options, kiln_device_t *device,
                             kiln_tune_store_t *store, const kiln_jit_tune_request_t *request,
                             char **out_config, size_t *out_tried);

// The stores that a tuner reads; NULL: none.
kiln_tune_store_t *kiln_tuner_store(const kiln_tuner_t *tuner);
kiln_tune_use_t kiln_tuner_use(const kiln_tuner_t *tuner);

// Returns a model's choice among the axes that the source declares, without compiling or launching,
// and without buffers of its own.
kiln_status_t kiln_tune_call_by_model(const kiln_tuner_options_t *options, kiln_device_t *device,
                                      const kiln_jit_tune_request_t *request, char **out_config);

#endif
