// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What models are read from, and the two models.
//
// Errors name the file and what is wrong in it. What *_open hands out is the caller's, to be released by *_close, which takes
// NULL. Strings and data that come from it live as long as it does.
#ifndef ENGINE_MODEL_H
#define ENGINE_MODEL_H

#include <stdint.h>

#include "graph.h"

// safetensors.c --------------------------------------------------------------------------------------------------------

typedef struct tensor {
    const char *name;
    kiln_element_type_t element;
    int rank;
    int64_t shape[4];
    const void *data; // in the file, which is mapped
    size_t size;      // bytes
} tensor_t;

typedef struct tensors tensors_t;
kiln_status_t tensors_open(const char *path, tensors_t **out_tensors); // *.safetensors
void tensors_close(tensors_t *tensors);
const char *tensors_path(const tensors_t *tensors);
const tensor_t *tensors_find(const tensors_t *tensors, const char *name); // NULL: there is none

// The numbers of a config.json: each key is wanted and positive.
typedef struct config_key {
    const char *name;
    double *number;
} config_key_t;
kiln_status_t config_read(const char *path, const config_key_t *keys, size_t count);

// tokenizer.c ----------------------------------------------------------------------------------------------------------

typedef struct tokenizer tokenizer_t;
kiln_status_t tokenizer_open(const char *path, tokenizer_t **out_tokenizer); // vocab.txt, a piece a line
void tokenizer_close(tokenizer_t *tokenizer);
// WordPiece of the lower-case text between [CLS] and [SEP]; more than `capacity` pieces are cut off before [SEP]. A character
// that it does not know how to lower is an error that names it.
kiln_status_t tokenizer_encode(tokenizer_t *tokenizer, const char *text, int32_t *out_ids, int capacity,
                               int *out_count);

// minilm.c: BERT that makes a vector of a sentence ------------------------------------------------------------------------

typedef struct minilm {
    double hidden, layers, heads, inner, words, places, epsilon;
} minilm_t;
kiln_status_t minilm_read(const char *directory, minilm_t *out_model); // config.json
// Inputs "word" and "place" (sequences · length) and "lengths" (sequences), i32; output 0: a unit vector a sequence, f32.
void minilm_build(graph_t *graph, const minilm_t *model, int sequences, int length);

// gpt2.c: a decoder with a cache of keys and values ----------------------------------------------------------------------

typedef struct gpt2 {
    double hidden, layers, heads, words, places, epsilon;
} gpt2_t;
kiln_status_t gpt2_read(const char *directory, gpt2_t *out_model); // config.json
// Takes `tokens` more tokens behind `past` others, whose keys and values are in the states; together they may be `capacity`.
// Inputs "word" and "place" (tokens) and "past" (1), i32; output 0: the logits of each token's next one, f32.
void gpt2_build(graph_t *graph, const gpt2_t *model, int tokens, int capacity);

#endif
