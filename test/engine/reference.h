// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine's tests compare with: small models with random weights, written as files, and the
// same models computed in double precision straight from their formulas, all tokens at once, with
// no graph, no fusing and no cache.
#ifndef ENGINE_REFERENCE_H
#define ENGINE_REFERENCE_H

#include "model.h"

// Writes config.json and model.safetensors into a directory. Weights are even random numbers that
// f16 holds exactly.
void write_gpt2(const char *directory, const gpt2_t *model);
void write_bert(const char *directory, const minilm_t *model);

// The logits of each token: count × words. The caller frees.
double *gpt2_reference(const tensors_t *tensors, const gpt2_t *model, const int32_t *tokens,
                       int count);
// The unit vector of a text: hidden. The caller frees.
double *bert_reference(const tensors_t *tensors, const minilm_t *model, const int32_t *tokens,
                       int count);

#endif
