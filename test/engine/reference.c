// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, normalization and dense layers as textbooks write them, one loop a sum.
#include "reference.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Files -------------------------------------------------------------------------------------------

typedef struct file {
    char header[1 << 16];
    float *data;
    size_t length, count; // of the header, and of all elements
    uint64_t random;
} file_t;

static void put(file_t *file, int rows, int columns, double middle, double spread,
                const char *format, ...)
{
    char name[128];
    va_list list;
    va_start(list, format);
    vsnprintf(name, sizeof name, format, list);
    va_end(list);
    size_t size = (size_t)rows * (size_t)columns;
    char extents[32];
    if (rows > 1)
        snprintf(extents, sizeof extents, "%d,%d", rows, columns);
    else
        snprintf(extents, sizeof extents, "%d", columns);
    file->data = realloc(file->data, (file->count + size) * sizeof *file->data);
    for (size_t i = 0; i < size; i++) {
        file->random = file->random * 6364136223846793005u + 1442695040888963407u;
        double even = (double)(file->random >> 40) / (1 << 24) * 2 - 1;
        file->data[file->count + i] = (float)(_Float16)(middle + spread * even);
    }
    file->length += (size_t)snprintf(
        file->header + file->length, sizeof file->header - file->length,
        "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[%s],\"data_offsets\":[%zu,%zu]}",
        file->length > 1 ? "," : "", name, extents, 4 * file->count, 4 * (file->count + size));
    file->count += size;
}

static void finish(file_t *file, const char *directory, const char *config)
{
    char path[512];
    file->header[file->length++] = '}';
    snprintf(path, sizeof path, "%s/config.json", directory);
    FILE *out = fopen(path, "w");
    fputs(config, out);
    fclose(out);
    snprintf(path, sizeof path, "%s/model.safetensors", directory);
    out = fopen(path, "wb");
    uint64_t length = (file->length / 8 + 1) * 8; // padded, so that the data is aligned
    fwrite(&length, 8, 1, out);
    fprintf(out, "%s%*s", file->header, (int)(length - file->length), "");
    fwrite(file->data, 4, file->count, out);
    fclose(out);
    free(file->data);
    free(file);
}

static file_t *start(uint64_t seed)
{
    file_t *file = calloc(1, sizeof *file);
    file->random = seed;
    file->length = 1;
    file->header[0] = '{';
    return file;
}

static void put_pair(file_t *file, int rows, int columns, int outputs, const char *name)
{
    put(file, rows, columns, 0, 2 / sqrt((double)(rows + columns)), "%s.weight", name);
    put(file, 1, outputs, 0, 0.3, "%s.bias", name);
}

static void put_norm(file_t *file, int hidden, const char *name)
{
    put(file, 1, hidden, 1, 0.5, "%s.weight", name);
    put(file, 1, hidden, 0, 0.5, "%s.bias", name);
}

void write_gpt2(const char *directory, const gpt2_t *model)
{
    const int hidden = (int)model->hidden;
    char name[128], config[512];
    file_t *file = start(1);
    put(file, (int)model->words, hidden, 0, 0.5, "wte.weight");
    put(file, (int)model->places, hidden, 0, 0.2, "wpe.weight");
    for (int i = 0; i < (int)model->layers; i++) {
        static const struct {
            const char *name;
            int inner, columns;
        } dense[] = {
            {"attn.c_attn", 1, 3}, {"attn.c_proj", 1, 1}, {"mlp.c_fc", 1, 4}, {"mlp.c_proj", 4, 1}};
        for (int k = 0; k < 4; k++) {
            snprintf(name, sizeof name, "h.%d.%s", i, dense[k].name);
            put_pair(file, dense[k].inner * hidden, dense[k].columns * hidden,
                     dense[k].columns * hidden, name);
        }
        for (int k = 1; k < 3; k++) {
            snprintf(name, sizeof name, "h.%d.ln_%d", i, k);
            put_norm(file, hidden, name);
        }
    }
    put_norm(file, hidden, "ln_f");
    snprintf(config, sizeof config,
             "{\"n_embd\": %d, \"n_layer\": %d, \"n_head\": %d, \"vocab_size\": %d, "
             "\"n_positions\": %d, "
             "\"layer_norm_epsilon\": %g}\n",
             hidden, (int)model->layers, (int)model->heads, (int)model->words, (int)model->places,
             model->epsilon);
    finish(file, directory, config);
}

void write_bert(const char *directory, const minilm_t *model)
{
    const int hidden = (int)model->hidden, inner = (int)model->inner;
    char name[128], config[512];
    file_t *file = start(2);
    put(file, (int)model->words, hidden, 0, 1, "embeddings.word_embeddings.weight");
    put(file, (int)model->places, hidden, 0, 0.5, "embeddings.position_embeddings.weight");
    put(file, 2, hidden, 0, 0.5, "embeddings.token_type_embeddings.weight");
    put_norm(file, hidden, "embeddings.LayerNorm");
    for (int i = 0; i < (int)model->layers; i++) {
        static const struct {
            const char *name;
            bool is_wide, is_deep;
        } dense[] = {{"attention.self.query", 0, 0}, {"attention.self.key", 0, 0},
                     {"attention.self.value", 0, 0}, {"attention.output.dense", 0, 0},
                     {"intermediate.dense", 1, 0},   {"output.dense", 0, 1}};
        for (int k = 0; k < 6; k++) {
            int columns = dense[k].is_wide ? inner : hidden;
            snprintf(name, sizeof name, "encoder.layer.%d.%s", i, dense[k].name);
            put_pair(file, columns, dense[k].is_deep ? inner : hidden, columns, name);
        }
        for (int k = 0; k < 2; k++) {
            snprintf(name, sizeof name, "encoder.layer.%d.%s.LayerNorm", i,
                     k ? "output" : "attention.output");
            put_norm(file, hidden, name);
        }
    }
    snprintf(config, sizeof config,
             "{\"hidden_size\": %d, \"num_hidden_layers\": %d, \"num_attention_heads\": %d, "
             "\"intermediate_size\": %d, "
             "\"vocab_size\": %d, \"max_position_embeddings\": %d, \"layer_norm_eps\": %g}\n",
             hidden, (int)model->layers, (int)model->heads, inner, (int)model->words,
             (int)model->places, model->epsilon);
    finish(file, directory, config);
}

// Formulas ----------------------------------------------------------------------------------------

static const float *tensor(const tensors_t *tensors, const char *prefix, const char *name)
{
    char full[128];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return tensors_find(tensors, full)->data;
}

static double *room(int rows, int columns)
{
    return calloc((size_t)rows * (size_t)columns, sizeof(double));
}

// x · w + b, or x · wᵀ + b; b may be NULL.
static double *dense(const double *x, const float *w, const float *b, int rows, int inner,
                     int columns, bool transposed)
{
    double *y = room(rows, columns);
    for (int i = 0; i < rows; i++)
        for (int c = 0; c < columns; c++) {
            double sum = b ? (double)b[c] : 0;
            for (int k = 0; k < inner; k++)
                sum +=
                    x[i * inner + k] * (double)(transposed ? w[c * inner + k] : w[k * columns + c]);
            y[i * columns + c] = sum;
        }
    return y;
}

static double *normalise(const double *x, const float *w, const float *b, int rows, int n,
                         double epsilon)
{
    double *y = room(rows, n);
    for (int i = 0; i < rows; i++) {
        double mean = 0, variance = 0;
        for (int c = 0; c < n; c++)
            mean += x[i * n + c] / n;
        for (int c = 0; c < n; c++)
            variance += (x[i * n + c] - mean) * (x[i * n + c] - mean) / n;
        for (int c = 0; c < n; c++)
            y[i * n + c] =
                (x[i * n + c] - mean) / sqrt(variance + epsilon) * (double)w[c] + (double)b[c];
    }
    return y;
}

// q, k and v are columns of matrices whose rows are `stride` apart.
static double *attend(const double *q, const double *k, const double *v, int rows, int stride,
                      int hidden, int heads, bool causal)
{
    double *y = room(rows, hidden), *share = room(1, rows);
    int d = hidden / heads;
    for (int head = 0; head < heads; head++)
        for (int i = 0; i < rows; i++) {
            int seen = causal ? i + 1 : rows;
            double total = 0;
            for (int j = 0; j < seen; j++) {
                double score = 0;
                for (int c = head * d; c < (head + 1) * d; c++)
                    score += q[i * stride + c] * k[j * stride + c];
                total += share[j] = exp(score / sqrt(d));
            }
            for (int j = 0; j < seen; j++)
                for (int c = head * d; c < (head + 1) * d; c++)
                    y[i * hidden + c] += share[j] / total * v[j * stride + c];
        }
    free(share);
    return y;
}

static void add(double *x, double *y, int count)
{
    for (int i = 0; i < count; i++)
        x[i] += y[i];
    free(y);
}

double *gpt2_reference(const tensors_t *tensors, const gpt2_t *model, const int32_t *tokens,
                       int count)
{
    const int hidden = (int)model->hidden, words = (int)model->words;
    double *x = room(count, hidden);
    for (int i = 0; i < count * hidden; i++)
        x[i] = (double)tensor(tensors, "", "wte.weight")[tokens[i / hidden] * hidden + i % hidden] +
               (double)tensor(tensors, "", "wpe.weight")[i];
    for (int layer = 0; layer < (int)model->layers; layer++) {
        char h[32];
        snprintf(h, sizeof h, "h.%d.", layer);
#define T(name) tensor(tensors, h, name)
        double *a = normalise(x, T("ln_1.weight"), T("ln_1.bias"), count, hidden, model->epsilon);
        double *qkv = dense(a, T("attn.c_attn.weight"), T("attn.c_attn.bias"), count, hidden,
                            3 * hidden, false);
        double *seen = attend(qkv, qkv + hidden, qkv + 2 * hidden, count, 3 * hidden, hidden,
                              (int)model->heads, true);
        add(x,
            dense(seen, T("attn.c_proj.weight"), T("attn.c_proj.bias"), count, hidden, hidden,
                  false),
            count * hidden);
        double *m = normalise(x, T("ln_2.weight"), T("ln_2.bias"), count, hidden, model->epsilon);
        double *inner =
            dense(m, T("mlp.c_fc.weight"), T("mlp.c_fc.bias"), count, hidden, 4 * hidden, false);
        for (int i = 0; i < count * 4 * hidden; i++)
            inner[i] = 0.5 * inner[i] *
                       (1 + tanh(sqrt(2 / acos(-1)) * (inner[i] + 0.044715 * pow(inner[i], 3))));
        add(x,
            dense(inner, T("mlp.c_proj.weight"), T("mlp.c_proj.bias"), count, 4 * hidden, hidden,
                  false),
            count * hidden);
        free(a), free(qkv), free(seen), free(m), free(inner);
    }
    double *last = normalise(x, tensor(tensors, "", "ln_f.weight"),
                             tensor(tensors, "", "ln_f.bias"), count, hidden, model->epsilon);
    double *logits =
        dense(last, tensor(tensors, "", "wte.weight"), NULL, count, hidden, words, true);
    free(x), free(last);
    return logits;
}

double *bert_reference(const tensors_t *tensors, const minilm_t *model, const int32_t *tokens,
                       int count)
{
    const int hidden = (int)model->hidden, inner_size = (int)model->inner;
    const char *h = "embeddings.";
    double *sum = room(count, hidden), length = 0;
    for (int i = 0; i < count * hidden; i++)
        sum[i] = (double)T("word_embeddings.weight")[tokens[i / hidden] * hidden + i % hidden] +
                 (double)T("position_embeddings.weight")[i] +
                 (double)T("token_type_embeddings.weight")[i % hidden];
    double *x =
        normalise(sum, T("LayerNorm.weight"), T("LayerNorm.bias"), count, hidden, model->epsilon);
    free(sum);
    for (int layer = 0; layer < (int)model->layers; layer++) {
        char name[32];
        h = name;
        snprintf(name, sizeof name, "encoder.layer.%d.", layer);
        double *q = dense(x, T("attention.self.query.weight"), T("attention.self.query.bias"),
                          count, hidden, hidden, true);
        double *k = dense(x, T("attention.self.key.weight"), T("attention.self.key.bias"), count,
                          hidden, hidden, true);
        double *v = dense(x, T("attention.self.value.weight"), T("attention.self.value.bias"),
                          count, hidden, hidden, true);
        double *seen = attend(q, k, v, count, hidden, hidden, (int)model->heads, false);
        add(x,
            dense(seen, T("attention.output.dense.weight"), T("attention.output.dense.bias"), count,
                  hidden, hidden, true),
            count * hidden);
        double *y = normalise(x, T("attention.output.LayerNorm.weight"),
                              T("attention.output.LayerNorm.bias"), count, hidden, model->epsilon);
        double *inner = dense(y, T("intermediate.dense.weight"), T("intermediate.dense.bias"),
                              count, hidden, inner_size, true);
        for (int i = 0; i < count * inner_size; i++)
            inner[i] = 0.5 * inner[i] * (1 + erf(inner[i] / sqrt(2)));
        add(y,
            dense(inner, T("output.dense.weight"), T("output.dense.bias"), count, inner_size,
                  hidden, true),
            count * hidden);
        free(x);
        x = normalise(y, T("output.LayerNorm.weight"), T("output.LayerNorm.bias"), count, hidden,
                      model->epsilon);
        free(q), free(k), free(v), free(seen), free(y), free(inner);
    }
    double *mean = room(1, hidden);
    for (int i = 0; i < count * hidden; i++)
        mean[i % hidden] += x[i] / count;
    for (int c = 0; c < hidden; c++)
        length += mean[c] * mean[c];
    for (int c = 0; c < hidden; c++)
        mean[c] /= sqrt(length);
    free(x);
    return mean;
}
