// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of a model's files, and the two models.
//
// Errors name the file and the problem. The caller owns the result of *_open and frees it with
// *_close, which accepts NULL. Strings and data from it are valid until then.
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include <stdint.h>

#include "graph.h"

// safetensors.c -----------------------------------------------------------------------------------

typedef struct tensor {
    const char *name;
    kiln_element_type_t element;
    int rank;
    int64_t shape[4];
    const void *data; // in the mapped file
    size_t size;      // bytes
} tensor_t;

typedef struct tensors tensors_t;
kiln_status_t tensors_open(const char *path, tensors_t **out_tensors); // *.safetensors
void tensors_close(tensors_t *tensors);
const char *tensors_path(const tensors_t *tensors);
const tensor_t *tensors_find(const tensors_t *tensors, const char *name); // NULL if absent

// The numbers of a config.json: each key is required and must be positive.
typedef struct config_key {
    const char *name;
    double *number;
} config_key_t;
kiln_status_t config_read(const char *path, const config_key_t *keys, size_t count);

// tokenizer.c -------------------------------------------------------------------------------------

typedef struct tokenizer tokenizer_t;
kiln_status_t tokenizer_open(const char *path,
                             tokenizer_t **out_tokenizer); // vocab.txt, one piece per line
void tokenizer_close(tokenizer_t *tokenizer);
// WordPiece of the lower-case text between [CLS] and [SEP]; pieces beyond `capacity` are cut off
// before [SEP]. A character whose lower case is unknown is an error that names it.
kiln_status_t tokenizer_encode(tokenizer_t *tokenizer, const char *text, int32_t *out_ids,
                               int capacity, int *out_count);

// minilm.c: BERT that converts a sentence to a vector ----------------------------------------------

typedef struct minilm {
    double hidden, layers, heads, inner, words, places, epsilon;
} minilm_t;
kiln_status_t minilm_read(const char *directory, minilm_t *out_model); // config.json
// Inputs "word" and "place" (sequences · length) and "lengths" (sequences), i32; output 0: a unit
// vector per sequence, f32.
void minilm_build(graph_t *graph, const minilm_t *model, int sequences, int length);

// gpt2.c: a decoder with a cache of keys and values -----------------------------------------------

typedef struct gpt2 {
    double hidden, layers, heads, words, places, epsilon;
} gpt2_t;
kiln_status_t gpt2_read(const char *directory, gpt2_t *out_model); // config.json
// Processes `tokens` more tokens after `past` others, whose keys and values are in the states;
// together they must fit `capacity`. Inputs "word" and "place" (tokens) and "past" (1), i32; output
// 0: the logits of each token's successor, f32.
void gpt2_build(graph_t *graph, const gpt2_t *model, int tokens, int capacity);

#endif
