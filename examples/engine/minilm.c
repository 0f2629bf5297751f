// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BERT with mean pooling, as in sentence-transformers/all-MiniLM-L6-v2: Devlin et al. 2018, section
// 3, with the tensor names of Hugging Face's BertModel.
//
// The code follows the formulas; the only optimization written out here is that queries, keys and
// values are one product.
#include <math.h>
#include <stdio.h>

#include "model.h"

kiln_status_t minilm_read(const char *directory, minilm_t *out_model)
{
    char path[512];
    const config_key_t keys[] = {
        {"hidden_size", &out_model->hidden},        {"num_hidden_layers", &out_model->layers},
        {"num_attention_heads", &out_model->heads}, {"intermediate_size", &out_model->inner},
        {"vocab_size", &out_model->words},          {"max_position_embeddings", &out_model->places},
        {"layer_norm_eps", &out_model->epsilon}};
    snprintf(path, sizeof path, "%s/config.json", directory);
    return config_read(path, keys, sizeof keys / sizeof *keys);
}

// x · wᵀ + b with the tensors `of`.weight and `of`.bias.
static value_t dense(graph_t *g, value_t x, int layer, const char *of, int columns, int inner)
{
    return graph_dense(g, x,
                       graph_parameter(g, columns, inner, "encoder.layer.%d.%s.weight", layer, of),
                       graph_parameter(g, 1, columns, "encoder.layer.%d.%s.bias", layer, of));
}

static value_t normalise(graph_t *g, value_t x, int columns, double epsilon, int layer,
                         const char *of)
{
    return graph_layer_norm(
        g, x, graph_parameter(g, 1, columns, "encoder.layer.%d.%s.LayerNorm.weight", layer, of),
        graph_parameter(g, 1, columns, "encoder.layer.%d.%s.LayerNorm.bias", layer, of), epsilon);
}

static value_t attend(graph_t *g, const minilm_t *model, value_t x, value_t lengths, int layer,
                      int sequences)
{
    const int hidden = (int)model->hidden, heads = (int)model->heads;
    char of[NAME_SIZE];
    value_t part[3];
    snprintf(of, sizeof of, "encoder.layer.%d.attention.self", layer);
    value_t weight = graph_parameter(g, 3 * hidden, hidden,
                                     "%1$s.query.weight %1$s.key.weight %1$s.value.weight", of);
    value_t bias =
        graph_parameter(g, 1, 3 * hidden, "%1$s.query.bias %1$s.key.bias %1$s.value.bias", of);
    value_t all = graph_dense(g, x, weight, bias);
    for (int i = 0; i < 3; i++)
        part[i] = graph_split_heads(g, graph_columns(g, all, i * hidden, hidden), sequences, heads);
    value_t scores = graph_number(g, OP_SCALE, graph_matmul(g, part[0], part[1], true),
                                  1 / sqrt((double)(hidden / heads)));
    value_t shares = graph_unary(g, OP_SOFTMAX, graph_mask(g, OP_MASK_LENGTH, scores, lengths));
    return graph_merge_heads(g, graph_matmul(g, shares, part[2], false), sequences);
}

void minilm_build(graph_t *g, const minilm_t *model, int sequences, int length)
{
    const int hidden = (int)model->hidden, rows = sequences * length;
    value_t word = graph_input(g, "word", KILN_ELEMENT_I32, rows, 1),
            place = graph_input(g, "place", KILN_ELEMENT_I32, rows, 1);
    value_t lengths = graph_input(g, "lengths", KILN_ELEMENT_I32, sequences, 1);
    value_t words =
        graph_parameter(g, (int)model->words, hidden, "embeddings.word_embeddings.weight");
    value_t places =
        graph_parameter(g, (int)model->places, hidden, "embeddings.position_embeddings.weight");
    // All tokens have the first of the two types: the table is read as one row, of which only the
    // first half is used.
    value_t types = graph_parameter(g, 1, 2 * hidden, "embeddings.token_type_embeddings.weight");
    value_t x =
        graph_binary(g, OP_ADD, graph_gather(g, words, word), graph_gather(g, places, place));
    x = graph_binary(g, OP_ADD, x, graph_columns(g, types, 0, hidden));
    x = graph_layer_norm(g, x, graph_parameter(g, 1, hidden, "embeddings.LayerNorm.weight"),
                         graph_parameter(g, 1, hidden, "embeddings.LayerNorm.bias"),
                         model->epsilon);
    for (int layer = 0; layer < (int)model->layers; layer++) {
        value_t seen = dense(g, attend(g, model, x, lengths, layer, sequences), layer,
                             "attention.output.dense", hidden, hidden);
        x = normalise(g, graph_binary(g, OP_ADD, seen, x), hidden, model->epsilon, layer,
                      "attention.output");
        value_t inner = graph_unary(
            g, OP_GELU, dense(g, x, layer, "intermediate.dense", (int)model->inner, hidden));
        value_t outer = dense(g, inner, layer, "output.dense", hidden, (int)model->inner);
        x = normalise(g, graph_binary(g, OP_ADD, outer, x), hidden, model->epsilon, layer,
                      "output");
    }
    graph_output(g, graph_pool(g, x, lengths), KILN_ELEMENT_F32);
}
