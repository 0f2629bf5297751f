// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPT-2: Radford et al. 2019, with the tensor names of Hugging Face's GPT2Model. Its weights are
// stored transposed compared with PyTorch's linear layers: inner × columns.
//
// Keys and values are written to the cache before attention reads it, so a token attends to itself
// there.
#include <math.h>
#include <stdio.h>

#include "model.h"

kiln_status_t gpt2_read(const char *directory, gpt2_t *out_model)
{
    char path[512];
    const config_key_t keys[] = {
        {"n_embd", &out_model->hidden},      {"n_layer", &out_model->layers},
        {"n_head", &out_model->heads},       {"vocab_size", &out_model->words},
        {"n_positions", &out_model->places}, {"layer_norm_epsilon", &out_model->epsilon}};
    snprintf(path, sizeof path, "%s/config.json", directory);
    return config_read(path, keys, sizeof keys / sizeof *keys);
}

// x · w + b, restricted to `count` columns from `first` on of the `all` columns of the tensors
// h.LAYER.OF.weight and .bias.
static value_t project(graph_t *g, value_t x, int layer, const char *of, int inner, int all,
                       int first, int count)
{
    value_t weight = graph_parameter(g, inner, all, "h.%d.%s.weight", layer, of);
    value_t bias = graph_parameter(g, 1, all, "h.%d.%s.bias", layer, of);
    if (count < all) {
        weight = graph_columns(g, weight, first, count);
        bias = graph_columns(g, bias, first, count);
    }
    return graph_binary(g, OP_ADD, graph_matmul(g, x, weight, false), bias);
}

static value_t normalise(graph_t *g, value_t x, const gpt2_t *model, const char *of)
{
    int hidden = (int)model->hidden;
    return graph_layer_norm(g, x, graph_parameter(g, 1, hidden, "%s.weight", of),
                            graph_parameter(g, 1, hidden, "%s.bias", of), model->epsilon);
}

static value_t attend(graph_t *g, const gpt2_t *model, value_t x, value_t past, int layer,
                      int capacity)
{
    const int hidden = (int)model->hidden, heads = (int)model->heads;
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "cache.%d", layer);
    value_t q = project(g, x, layer, "attn.c_attn", hidden, 3 * hidden, 0, hidden);
    value_t new = project(g, x, layer, "attn.c_attn", hidden, 3 * hidden, hidden, 2 * hidden);
    value_t cache = graph_append(g, graph_state(g, name, capacity, 2 * hidden), new, past);
    value_t k = graph_split_heads(g, graph_columns(g, cache, 0, hidden), 1, heads);
    value_t v = graph_split_heads(g, graph_columns(g, cache, hidden, hidden), 1, heads);
    value_t scores = graph_matmul(g, graph_split_heads(g, q, 1, heads), k, true);
    scores =
        graph_mask(g, OP_MASK_CAUSAL,
                   graph_number(g, OP_SCALE, scores, 1 / sqrt((double)(hidden / heads))), past);
    return graph_merge_heads(g, graph_matmul(g, graph_unary(g, OP_SOFTMAX, scores), v, false), 1);
}

void gpt2_build(graph_t *g, const gpt2_t *model, int tokens, int capacity)
{
    const int hidden = (int)model->hidden;
    char name[NAME_SIZE];
    value_t word = graph_input(g, "word", KILN_ELEMENT_I32, tokens, 1),
            place = graph_input(g, "place", KILN_ELEMENT_I32, tokens, 1);
    value_t past = graph_input(g, "past", KILN_ELEMENT_I32, 1, 1);
    value_t words = graph_parameter(g, (int)model->words, hidden, "wte.weight");
    value_t places = graph_parameter(g, (int)model->places, hidden, "wpe.weight");
    value_t x =
        graph_binary(g, OP_ADD, graph_gather(g, words, word), graph_gather(g, places, place));
    for (int layer = 0; layer < (int)model->layers; layer++) {
        snprintf(name, sizeof name, "h.%d.ln_1", layer);
        value_t seen = attend(g, model, normalise(g, x, model, name), past, layer, capacity);
        x = graph_binary(g, OP_ADD, x,
                         project(g, seen, layer, "attn.c_proj", hidden, hidden, 0, hidden));
        snprintf(name, sizeof name, "h.%d.ln_2", layer);
        value_t inner = project(g, normalise(g, x, model, name), layer, "mlp.c_fc", hidden,
                                4 * hidden, 0, 4 * hidden);
        inner = graph_unary(g, OP_GELU_TANH, inner);
        x = graph_binary(g, OP_ADD, x,
                         project(g, inner, layer, "mlp.c_proj", 4 * hidden, hidden, 0, hidden));
    }
    value_t logits = graph_matmul(g, normalise(g, x, model, "ln_f"), words,
                                  true); // the embedding is also the output layer
    graph_output(g, logits, KILN_ELEMENT_F32);
}
