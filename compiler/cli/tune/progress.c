// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shows the progress of a search.
//
// The state is of one search after the other, in one thread: those of --from, or of the calls of
// `kiln run --tuned=search`.
#include "progress.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

enum { ESTIMATES_MS = 1000, STATE_MS = 10000, CONFIG_LENGTH = 256 };

static struct {
    size_t done, rejected, wrong, tried; // `tried`: not from the store
    double begin_ms, shown_ms, best;
    char config[CONFIG_LENGTH]; // the best; empty: none yet
    bool is_on_terminal;        // the state is in the terminal's last line
} state;

// Starts anew with the first candidate of a search.
static void begin(size_t done)
{
    const double now_ms = kiln_now_ms();
    if (state.begin_ms > 0 && done > state.done)
        return;
    kiln_tune_end_progress();
    memset(&state, 0, sizeof state);
    state.begin_ms = state.shown_ms = now_ms;
}

static void count(const kiln_tune_sample_t *sample, size_t done)
{
    state.done = done;
    state.rejected += sample->verdict == KILN_TUNE_REJECTED;
    state.wrong += sample->verdict == KILN_TUNE_WRONG;
    if (sample->is_recalled)
        state.begin_ms = kiln_now_ms(); // the time of the others counts
    else
        state.tried++;
    if (sample->verdict != KILN_TUNE_OK || (*state.config && sample->cost >= state.best))
        return;
    state.best = sample->cost;
    snprintf(state.config, sizeof state.config, "%s", sample->candidate->config);
}

// "kiln: 12 of 54 tried, 1 rejected, 0 wrong, about 20 s left; best 1234: BLOCK=64", at most
// `width` characters of it.
static void print_state(size_t total, size_t width)
{
    char left[48] = "", best[CONFIG_LENGTH + 64] = "", text[CONFIG_LENGTH + 256];
    const double ms = (kiln_now_ms() - state.begin_ms) / (double)(state.tried ? state.tried : 1);
    if (state.tried && state.done < total)
        snprintf(left, sizeof left, ", about %.0f s left", ms * (double)(total - state.done) / 1e3);
    if (*state.config)
        snprintf(best, sizeof best, "; best %.0f: %s", state.best, state.config);
    snprintf(text, sizeof text, "kiln: %zu of %zu tried, %zu rejected, %zu wrong%s%s", state.done,
             total, state.rejected, state.wrong, left, best);
    fprintf(stderr, "%.*s", (int)(width < sizeof text ? width : sizeof text), text);
}

// Characters that fit in a line of the terminal.
static size_t terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79;
}

static void show_state(size_t done, size_t total)
{
    const double now_ms = kiln_now_ms();
    if (isatty(STDERR_FILENO)) {
        print_state(total, terminal_width());
        fflush(stderr);
        state.is_on_terminal = true;
        if (done == total)
            kiln_tune_end_progress();
    } else if (now_ms - state.shown_ms >= STATE_MS) {
        state.shown_ms = now_ms;
        print_state(total, SIZE_MAX);
        fputc('\n', stderr);
    }
}

void kiln_tune_end_progress(void)
{
    if (state.is_on_terminal)
        fputs("\r\033[K", stderr); // the start of the line, and clear it
    state.is_on_terminal = false;
}

void kiln_tune_show_progress(const kiln_tune_sample_t *sample, size_t done, size_t total,
                             void *user)
{
    (void)user;
    begin(done);
    count(sample, done);
    kiln_tune_end_progress();
    fprintf(stderr, "[%zu/%zu] %s: %s%s%s", done, total, sample->candidate->config,
            kiln_tune_verdict_name(sample->verdict), *sample->reason ? ": " : "", sample->reason);
    if (sample->verdict == KILN_TUNE_OK)
        fprintf(stderr, ", %.0f", sample->cost);
    if (sample->same_as)
        fprintf(stderr, ", the same code as %s", sample->same_as->config);
    else if (sample->is_recalled)
        fprintf(stderr, ", from the store");
    fputc('\n', stderr);
    show_state(done, total);
}

void kiln_tune_show_estimates(size_t done, size_t total, void *user)
{
    static double last_ms;
    const double now_ms = kiln_now_ms();
    (void)user;
    if (done == total || (last_ms > 0 && now_ms - last_ms < ESTIMATES_MS))
        return;
    last_ms = now_ms;
    fprintf(stderr, "kiln: %zu of %zu combinations of constants estimated by the model\n", done,
            total);
}
