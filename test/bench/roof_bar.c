// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "roof_bar.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "kernel_call.h"

static int number(const json_t *json, const char *name)
{
    return (int)json_integer_value(json_object_get(json, name));
}

// Routes ------------------------------------------------------------------------------------------

// The expert of a token's k-th slot: for powers of two each has as many slots as the others, of
// tokens that lie apart.
static int expert_of(int token, int k, int experts)
{
    enum { STRIDE = 5 };
    return (STRIDE * token + (experts / 8 + 1) * k) % experts;
}

// Writes the slots of each expert, one block of them with numbers of no slot at its end.
static bool write_slots(const json_t *route, const char *path)
{
    const int tokens = number(route, "tokens"), topk = number(route, "topk"),
              experts = number(route, "experts"), block = number(route, "block");
    FILE *file = fopen(path, "wb");
    bool good = file != NULL;
    for (int e = 0; e < experts && good; e++) {
        int count = 0;
        for (int32_t slot = 0; slot < tokens * topk; slot++)
            if (expert_of(slot / topk, slot % topk, experts) == e) {
                good &= fwrite(&slot, sizeof slot, 1, file) == 1;
                count++;
            }
        good &= count > 0 && count <= block;
        for (const int32_t none = tokens * topk; count < block && good; count++)
            good &= fwrite(&none, sizeof none, 1, file) == 1;
    }
    return file && fclose(file) == 0 && good;
}

// The table ---------------------------------------------------------------------------------------

static void print_settings(const json_t *settings)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)settings, name, value)
        printf(" %s=%lld", name, (long long)json_integer_value(value));
    printf("\n");
}

static void compare(kiln_session_t *session, const json_t *call, const char *folder)
{
    enum { PERCENT = 100, MICROSECONDS = 1000000 };
    const json_t *sweep = json_object_get(call, "sweep"), *settings = NULL;
    kiln_sim_prediction_t best = {.microseconds = 0};
    for (size_t i = 0; i < json_array_size(sweep); i++) {
        json_t *own = json_array_get(sweep, i);
        const kiln_sim_prediction_t made = kernel_call_predict_settings(session, call, own, folder);
        if (i == 0 || made.microseconds < best.microseconds) {
            best = made;
            settings = own;
        }
    }
    const double bytes = (double)json_integer_value(json_object_get(call, "bytes")),
                 share = PERCENT * bytes * MICROSECONDS / best.microseconds / best.peak_hbm;
    const int goal = number(call, "goal");
    printf("%-40s %9.2f %6.1f %6d%s ", json_string_value(json_object_get(call, "name")),
           best.microseconds, share, goal, share < goal ? " *" : "  ");
    print_settings(settings);
    fflush(stdout);
}

static bool is_wanted(const char *name, char **words, int count)
{
    for (int i = 0; i < count; i++)
        if (strstr(name, words[i]))
            return true;
    return count == 0;
}

bool roof_bar_compare(char **words, int count)
{
    char folder[] = "/tmp/bench_roof.XXXXXX", slots[64], *text;
    size_t length, index;
    json_t *calls, *call;
    kiln_session_t *session;
    bench_check(kiln_file_read(KILN_BENCH_DIR "/kernels/roof.json", &text, &length));
    bench_check(kiln_json_parse("roof.json", text, length, &calls));
    bench_check(kiln_session_create(&session));
    bool good = mkdtemp(folder) != NULL;
    snprintf(slots, sizeof slots, "%s/slots", folder);
    printf("%-40s %9s %6s %6s\n", "", "us", "%", "goal");
    json_array_foreach(calls, index, call)
    {
        if (!good || !is_wanted(json_string_value(json_object_get(call, "name")), words, count))
            continue;
        good = write_slots(json_object_get(call, "route"), slots);
        if (good)
            compare(session, call, folder);
    }
    if (!good)
        fprintf(stderr, "bench: %s: cannot be written, or experts have too many slots\n", slots);
    else
        printf("Each at the best of its settings: percent of HBM's peak for what must be read. "
               "Times are predicted, warm, on an MI300X. Nothing is measured.\n");
    unlink(slots);
    rmdir(folder);
    kiln_session_release(session);
    json_decref(calls);
    free(text);
    return good;
}
