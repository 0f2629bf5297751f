// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine as a command:
//
//     engine embed DIRECTORY SENTENCE…            similarities of sentences, by a BERT of sentence-transformers
//     engine generate DIRECTORY COUNT TOKEN…      generate with a GPT-2, token by token
//
// DIRECTORY contains config.json, model.safetensors and, for embed, vocab.txt. Options precede the
// command:
//
//     --save=FILE     save the compiled kernels          --load=FILE    load kernels, compile nothing
//     --length=N      capacity for a sentence's, or a text's, tokens
//     --show=graph    print the graph, and stop          --show=fused   the same after fusing
//     --time          print times to stderr              --no-capture   launch kernel by kernel
//
// KILN_DEVICE selects the device (auto, hip, sim).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"

enum { TOKENS = 1 << 14, VECTORS = 1 << 18 }; // limits of the command

typedef struct options {
    engine_options_t engine;
    const char *show;
    int length;
    bool time;
} options_t;

typedef struct session {
    kiln_device_t *device;
    engine_t *engine; // NULL: a graph was printed instead
    graph_t graphs[2];
    int count;
} session_t;

static kiln_status_t usage(const char *what)
{
    return kiln_status_annotate(
        kiln_status_make(KILN_STATUS_USAGE, "%s", what),
        "engine [OPTION…] embed DIRECTORY SENTENCE… | generate DIRECTORY COUNT TOKEN…");
}

// Parses a decimal number in [low, high].
static kiln_status_t parse(const char *text, int low, int high, int *out_number)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (!*text || *end || number < low || number > high)
        return kiln_status_make(KILN_STATUS_USAGE, "expected a number from %d to %d, got '%s'", low,
                                high, text);
    *out_number = (int)number;
    return KILN_OK;
}

// Fuses the session's graphs and creates their engine, or prints the first graph and creates none.
static kiln_status_t start(session_t *session, const char *directory, const options_t *options)
{
    static const kiln_sim_setting_t predict[] = {{"clock", "model"}}; // ignored by a GPU
    bool fuses = !options->show || strcmp(options->show, "graph") != 0;
    int counts[FUSE_RULES] = {0};
    char path[512];
    for (int i = session->count - 1; i >= 0; i--) {
        KILN_TRY(graph_finish(&session->graphs[i]));
        if (fuses)
            graph_fuse(&session->graphs[i], counts);
    }
    if (options->show) {
        graph_print(&session->graphs[0]);
        for (int i = 0; fuses && i < FUSE_RULES; i++)
            printf("%s%d × %s", i ? ", " : "fused: ", counts[i], fuse_rule_names[i]);
        printf("%s%d nodes\n", fuses ? "; " : "", session->graphs[0].count);
        return KILN_OK;
    }
    kiln_device_options_t device;
    kiln_device_options_initialize(&device);
    device.sim_settings = predict;
    device.sim_setting_count = options->time;
    if (getenv("KILN_DEVICE"))
        KILN_TRY(kiln_device_kind_parse(getenv("KILN_DEVICE"), &device.kind));
    KILN_TRY(kiln_device_open(&device, &session->device));
    tensors_t *tensors;
    snprintf(path, sizeof path, "%s/model.safetensors", directory);
    KILN_TRY(tensors_open(path, &tensors));
    kiln_status_t status = engine_create(session->device, tensors, session->graphs, session->count,
                                         &options->engine, &session->engine);
    tensors_close(tensors);
    return status;
}

static void print_milliseconds(const session_t *session, double milliseconds, double more,
                               const char *of)
{
    const engine_report_t report = engine_report(session->engine, 0);
    bool is_predicted = kiln_device_properties(session->device)->kind == KILN_DEVICE_SIM;
    fprintf(stderr, "%d kernels: built in %.1f ms, compiled in %.1f ms, loaded in %.1f ms\n",
            report.kernels, report.build_ms, report.compile_ms, report.load_ms);
    fprintf(
        stderr,
        "parameters in %.1f ms, captured in %.2f ms; values in %zu bytes, %zu without sharing\n",
        report.upload_ms, report.capture_ms, report.memory, report.memory_without_sharing);
    fprintf(stderr, "%d launches, %s %.3f ms", report.launches,
            is_predicted ? "predicted" : "measured", milliseconds);
    fprintf(stderr, *of ? ", then %.3f ms %s\n" : "\n", more, of);
}

// embed -------------------------------------------------------------------------------------------

static kiln_status_t embed(session_t *session, const char *directory, char **texts, int count,
                           const options_t *options)
{
    static int32_t words[TOKENS], places[TOKENS], lengths[TOKENS];
    static float vectors[VECTORS];
    double milliseconds;
    char path[512];
    minilm_t model;
    tokenizer_t *tokenizer;
    KILN_TRY(minilm_read(directory, &model));
    int length = options->length ? options->length : 32, rows = count * length;
    if (length < 2 || length > (int)model.places || count > TOKENS / length ||
        count > VECTORS / (int)model.hidden)
        return usage("too many sentences, or too long ones");
    snprintf(path, sizeof path, "%s/vocab.txt", directory);
    KILN_TRY(tokenizer_open(path, &tokenizer));
    kiln_status_t status = KILN_OK;
    for (int i = 0; !status && i < count; i++)
        status = tokenizer_encode(tokenizer, texts[i], words + i * length, length, &lengths[i]);
    tokenizer_close(tokenizer);
    for (int i = 0; i < rows; i++)
        places[i] = i % length;
    if (!status) {
        minilm_build(&session->graphs[session->count++], &model, count, length);
        status = start(session, directory, options);
    }
    if (status || !session->engine)
        return status;
    KILN_TRY(engine_write(session->engine, 0, "word", words, (size_t)rows * sizeof *words));
    KILN_TRY(engine_write(session->engine, 0, "place", places, (size_t)rows * sizeof *places));
    KILN_TRY(engine_write(session->engine, 0, "lengths", lengths, (size_t)count * sizeof *lengths));
    KILN_TRY(engine_run(session->engine, 0, &milliseconds));
    const int hidden = (int)model.hidden;
    KILN_TRY(
        engine_read(session->engine, 0, 0, 0, vectors, (size_t)(count * hidden) * sizeof *vectors));
    for (int i = 0; i < count * count; i++) {
        double similarity = 0;
        for (int d = 0; d < hidden; d++)
            similarity +=
                (double)vectors[i / count * hidden + d] * (double)vectors[i % count * hidden + d];
        printf("%7.4f%s", similarity, i % count == count - 1 ? "\n" : " ");
    }
    if (options->time)
        print_milliseconds(session, milliseconds, 0, "");
    return KILN_OK;
}

// generate ----------------------------------------------------------------------------------------

// Processes `count` tokens after `past` others and appends the most likely next one.
static kiln_status_t take(engine_t *engine, int graph, int32_t *tokens, int32_t past, int count,
                          int words, double *milliseconds)
{
    static int32_t places[TOKENS];
    static float logits[VECTORS];
    int best = 0;
    size_t size = (size_t)count * sizeof *places;
    for (int i = 0; i < count; i++)
        places[i] = past + i;
    KILN_TRY(engine_write(engine, graph, "word", tokens + past, size));
    KILN_TRY(engine_write(engine, graph, "place", places, size));
    KILN_TRY(engine_write(engine, graph, "past", &past, sizeof past));
    KILN_TRY(engine_run(engine, graph, milliseconds));
    size = (size_t)words * sizeof *logits;
    KILN_TRY(engine_read(engine, graph, 0, (size_t)(count - 1) * size, logits, size));
    for (int i = 1; i < words; i++)
        best = logits[i] > logits[best] ? i : best;
    tokens[past + count] = best;
    return KILN_OK;
}

static kiln_status_t generate(session_t *session, const char *directory, char **words, int count,
                              const options_t *options)
{
    static int32_t tokens[TOKENS];
    double prefill, milliseconds, all = 0;
    int wanted, given = count - 1;
    gpt2_t model;
    KILN_TRY(gpt2_read(directory, &model));
    KILN_TRY(parse(words[0], 1, TOKENS, &wanted));
    int capacity = options->length ? options->length : given + wanted;
    if (given < 1 || given + wanted > capacity || capacity > (int)model.places ||
        capacity >= TOKENS || (int)model.words > VECTORS)
        return usage("expected at least one token, or too many tokens or words");
    for (int i = 0; i < given; i++)
        KILN_TRY(parse(words[1 + i], 0, (int)model.words - 1, &tokens[i]));
    gpt2_build(&session->graphs[session->count++], &model, given, capacity); // prefill
    gpt2_build(&session->graphs[session->count++], &model, 1, capacity);     // decode
    KILN_TRY(start(session, directory, options));
    if (!session->engine)
        return KILN_OK;
    KILN_TRY(take(session->engine, 0, tokens, 0, given, (int)model.words, &prefill));
    for (int i = given; i < given + wanted - 1; i++, all += milliseconds)
        KILN_TRY(take(session->engine, 1, tokens, i, 1, (int)model.words, &milliseconds));
    for (int i = 0; i < wanted; i++)
        printf("%d%s", (int)tokens[given + i], i == wanted - 1 ? "\n" : " ");
    if (options->time)
        print_milliseconds(session, prefill, all / (wanted > 1 ? wanted - 1 : 1), "a token");
    return KILN_OK;
}

// The command -------------------------------------------------------------------------------------

// The text after "--name=", or NULL.
static const char *value_of(const char *word, const char *name)
{
    size_t length = strlen(name);
    return strncmp(word, name, length) == 0 ? word + length : NULL;
}

static kiln_status_t read_option(const char *word, options_t *options)
{
    const char *value;
    if ((value = value_of(word, "--length=")))
        return parse(value, 2, TOKENS, &options->length);
    if ((value = value_of(word, "--save=")))
        options->engine.save = value;
    else if ((value = value_of(word, "--load=")))
        options->engine.load = value;
    else if ((value = value_of(word, "--show=")) &&
             (strcmp(value, "graph") == 0 || strcmp(value, "fused") == 0))
        options->show = value;
    else if (strcmp(word, "--time") == 0)
        options->time = true;
    else if (strcmp(word, "--no-capture") == 0)
        options->engine.no_capture = true;
    else
        return usage(word);
    return KILN_OK;
}

static kiln_status_t run(session_t *session, int argc, char **argv)
{
    options_t options = {0};
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++)
        KILN_TRY(read_option(argv[at], &options));
    if (argc - at < 3)
        return usage("too few words");
    if (strcmp(argv[at], "embed") == 0)
        return embed(session, argv[at + 1], argv + at + 2, argc - at - 2, &options);
    if (strcmp(argv[at], "generate") == 0)
        return generate(session, argv[at + 1], argv + at + 2, argc - at - 2, &options);
    return usage(argv[at]);
}

int main(int argc, char **argv)
{
    session_t session = {0};
    kiln_status_t status = run(&session, argc, argv);
    int code = !status ? 0 : kiln_status_code(status) == KILN_STATUS_USAGE ? 2 : 1;
    char *text = kiln_status_format(status);
    if (status)
        fprintf(stderr, "engine: %s", text ? text : "out of memory\n");
    free(text);
    kiln_status_free(status);
    engine_release(session.engine);
    kiln_device_release(session.device);
    for (int i = 0; i < session.count; i++)
        graph_free(&session.graphs[i]);
    return code;
}
