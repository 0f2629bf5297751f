// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The first product of a layer of Mixtral 8x7B, as vLLM tunes it on MI300X: M tokens, two of eight
// experts for each, in examples/fused_moe.tile.c. Lists of slots depend on BLOCK_M, so each BLOCK_M
// is a problem of its own. vLLM's kernel also
// groups blocks of rows (GROUP_SIZE_M), which the example does not.
#include "tune_vllm.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "kiln/tune.h"

enum { EXPERTS = 8, TOP_K = 2, HIDDEN = 4096, BUDGET = 32 };

#define TABLES "vllm/model_executor/layers/fused_moe/configs"

static const int columns[] = {1792, 3584, 7168}; // of an expert, on 8, 4 and 2 devices
static const int tokens[] = {1, 16, 64, 256, 1024, 4096};
static const char *const sides[] = {"16", "32", "64", "128"};

// vLLM's names of what the example can vary.
static const char *const names[][2] = {{"BLOCK_SIZE_N", "BLOCK_N"},
                                       {"BLOCK_SIZE_K", "BLOCK_K"},
                                       {"num_warps", "num_warps"},
                                       {"num_stages", "num_stages"},
                                       {"waves_per_eu", "waves_per_eu"},
                                       {"matrix_instr_nonkdim", "matrix_instr_nonkdim"},
                                       {"kpack", "kpack"}};

enum { NAMES = sizeof names / sizeof *names, TEXT = 64, WORDS = 10 };

typedef struct choice {
    double cost; // ns; 0: nothing was found
    char config[256], bound[32];
} choice_t;

// One problem: its texts, and the files of its lists.
typedef struct problem {
    char name[TEXT], grid[TEXT], words[WORDS][TEXT + 32], values[NAMES][16], block_m[16];
    char slots[TEXT], experts[TEXT];
    row_t row;
} problem_t;

static void write_list(const char *path, const int32_t *list, size_t count)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(list, sizeof *list, count, file) != count || fclose(file) != 0) {
        fprintf(stderr, "bench_tune: cannot write %s\n", path);
        exit(1);
    }
}

// SplitMix64.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

// Sends each token to two experts, drawn at random, as vLLM's benchmark does: blocks of a fixed
// size are then filled unevenly. Lists slots by expert, each expert's padded to a multiple of
// `side` with the number of slots. Returns how many blocks there are.
static int write_lists(const problem_t *problem, int slot_count, int side)
{
    int *chosen = bench_allocate((size_t)slot_count, sizeof *chosen);
    int32_t *slots = bench_allocate((size_t)slot_count + EXPERTS * (size_t)side, sizeof *slots),
            *experts = bench_allocate((size_t)slot_count + EXPERTS, sizeof *experts);
    uint64_t state = 0;
    int blocks = 0, count = 0;
    for (int s = 0; s < slot_count; s += TOP_K) {
        chosen[s] = (int)(next_random(&state) % EXPERTS);
        chosen[s + 1] = (chosen[s] + 1 + (int)(next_random(&state) % (EXPERTS - 1))) % EXPERTS;
    }
    for (int e = 0; e < EXPERTS; e++) {
        for (int s = 0; s < slot_count; s++) {
            if (chosen[s] != e)
                continue;
            if (count == blocks * side)
                experts[blocks++] = e;
            slots[count++] = s;
        }
        while (count < blocks * side)
            slots[count++] = slot_count;
    }
    write_list(problem->slots, slots, (size_t)count);
    write_list(problem->experts, experts, (size_t)blocks);
    free(chosen);
    free(slots);
    free(experts);
    return blocks;
}

static void make_problem(problem_t *p, const char *directory, int width, int token_count,
                         const char *side_text)
{
    const int slot_count = token_count * TOP_K, n = 2 * width, side = atoi(side_text);
    *p = (problem_t){.row = {.name = p->name, .file = "fused_moe", .grid = p->grid}};
    snprintf(p->name, sizeof p->name, "vllm random %d %d block %d", width, token_count, side);
    snprintf(p->slots, sizeof p->slots, "%s/slots", directory);
    snprintf(p->experts, sizeof p->experts, "%s/experts", directory);
    snprintf(p->block_m, sizeof p->block_m, "%s", side_text);
    const int blocks = write_lists(p, slot_count, side);
    snprintf(p->grid, sizeof p->grid, "%d*cdiv(N,BLOCK_N)", blocks);
    const struct {
        const char *format;
        long a, b;
    } texts[] = {{"N=%ld", n, 0},
                 {"K=%ld", HIDDEN, 0},
                 {"slot_count=%ld", slot_count, 0},
                 {"in=f16[%ld,%ld]", token_count, HIDDEN},
                 {"weight=f16[8,%ld,%ld]", n, HIDDEN},
                 {"out=f16[%ld,%ld]", slot_count, n},
                 {"gate=f32[%ld]", slot_count, 0},
                 {"used=i32[1]:fill:%ld", (long)blocks * side, 0}};
    size_t count = 0;
    for (; count < sizeof texts / sizeof *texts; count++)
        snprintf(p->words[count], sizeof p->words[count], texts[count].format, texts[count].a,
                 texts[count].b);
    snprintf(p->words[count++], sizeof p->words[0], "slots=i32[%ld]@%s", (long)blocks * side,
             p->slots);
    snprintf(p->words[count++], sizeof p->words[0], "experts=i32[%d]@%s", blocks, p->experts);
    for (size_t i = 0; i < count; i++)
        p->row.words[i] = p->words[i];
    p->row.axes[0].name = "BLOCK_M";
    p->row.axes[0].values[0] = p->block_m;
}

// The axes of a search, or with `row` its one configuration.
static void set_axes(problem_t *p, const json_t *row)
{
    static const char *const all[NAMES][ROW_VALUES] = {{"16", "32", "64", "128", "256"},
                                                       {"32", "64", "128", "256"},
                                                       {"1", "2", "4", "8"},
                                                       {"1", "2"},
                                                       {"0", "2"},
                                                       {"16", "32"},
                                                       {"1", "2"}};
    for (int i = 0; i < NAMES; i++) {
        p->row.axes[i + 1].name = names[i][1];
        if (!row) {
            memcpy(p->row.axes[i + 1].values, all[i], sizeof all[i]);
            continue;
        }
        int64_t value;
        bench_must(kiln_json_integer(row, names[i][0], &value));
        snprintf(p->values[i], sizeof p->values[i], "%ld", (long)value);
        p->row.axes[i + 1].values[0] = p->values[i];
    }
}

static void search(const row_t *row, const kiln_tune_problem_t *given, void *user)
{
    (void)row;
    choice_t *best = user;
    kiln_tune_problem_t problem = *given;
    kiln_tune_result_t *result;
    problem.strategy = KILN_TUNE_GUIDED;
    problem.budget = BUDGET;
    problem.recall = KILN_TUNE_RECALL_ALL;
    kiln_status_t status = kiln_tune(&problem, &result);
    if (kiln_status_code(status) == KILN_STATUS_NOT_FOUND) { // nothing of it compiles
        kiln_status_free(status);
        return;
    }
    bench_must(status);
    const kiln_tune_sample_t *sample = kiln_tune_result_sample(result, 0);
    if (sample->verdict == KILN_TUNE_OK && (best->cost <= 0 || sample->cost < best->cost)) {
        best->cost = sample->cost;
        snprintf(best->config, sizeof best->config, "%s", sample->candidate->config);
        snprintf(best->bound, sizeof best->bound, "%s", sample->bound);
    }
    kiln_tune_result_release(result);
}

static void print_choice(const char *who, const choice_t *choice)
{
    printf("  %-4s %9.0f ns %-8s %s\n", who, choice->cost, choice->bound, choice->config);
}

static void compare(kiln_device_t *device, kiln_tune_store_t *store, const char *directory,
                    int width, int token_count, const json_t *row)
{
    problem_t p;
    choice_t theirs = {0}, ours = {0};
    int64_t side;
    char text[16];
    bench_must(kiln_json_integer(row, "BLOCK_SIZE_M", &side));
    snprintf(text, sizeof text, "%ld", (long)side);
    make_problem(&p, directory, width, token_count, text);
    set_axes(&p, row);
    bench_with_row(device, store, &p.row, search, &theirs);
    const int expert_rows = (token_count * TOP_K + EXPERTS - 1) / EXPERTS;
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        if (i > 0 && atoi(sides[i - 1]) >= 2 * expert_rows)
            break; // a smaller block has all rows of almost every expert
        make_problem(&p, directory, width, token_count, sides[i]);
        set_axes(&p, NULL);
        bench_with_row(device, store, &p.row, search, &ours);
    }
    printf("N=%d, %d tokens: ours takes %.3f of vLLM's\n", width, token_count,
           theirs.cost > 0 ? ours.cost / theirs.cost : 0);
    print_choice("vLLM", &theirs);
    print_choice("ours", &ours);
    fflush(stdout);
}

void bench_compare_vllm(kiln_device_t *device, kiln_tune_store_t *store, const char *checkout,
                        const char *part)
{
    char directory[] = "/tmp/kiln-bench-tune-XXXXXX", path[4096], name[TEXT], key[16];
    if (!mkdtemp(directory))
        exit(1);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        json_t *table;
        snprintf(name, sizeof name, "E=8,N=%d", columns[i]);
        if (!strstr(name, part))
            continue;
        snprintf(path, sizeof path, "%s/" TABLES "/%s,device_name=AMD_Instinct_MI300X.json",
                 checkout, name);
        bench_must(kiln_json_read(path, &table));
        for (size_t t = 0; t < sizeof tokens / sizeof *tokens; t++) {
            snprintf(key, sizeof key, "%d", tokens[t]);
            const json_t *row = json_object_get(table, key);
            if (row)
                compare(device, store, directory, columns[i], tokens[t], row);
        }
        json_decref(table);
    }
    snprintf(path, sizeof path, "%s/slots", directory);
    unlink(path);
    snprintf(path, sizeof path, "%s/experts", directory);
    unlink(path);
    rmdir(directory);
}
