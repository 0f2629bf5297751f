// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the items in child processes, so that a crash does not end the run.
//
// A child runs items in order and writes results into shared memory. If it dies or an item takes
// too long, the parent records that as the item's result and starts another child at the next item.
// A child also ends by itself after a failure on the GPU. To be safe on a machine that others use,
// the run stops after a few such failures in one family, so a device that keeps failing is left
// alone.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "verify/verify.h"

enum {
    CHILD_DONE = 0,
    CHILD_NO_DEVICE = 3,
    CHILD_GPU_FAILED = 4,
    MAX_FAILURES = 8,  // of children, in one family
    ITEM_SECONDS = 60, // that an item may take
    POLL_NANOSECONDS = 2000000,
};

const char *const kiln_verify_family_names[KILN_VERIFY_FAMILIES] = {
#define KILN_VERIFY_FAMILY(id, name, what) name,
#include "verify/families.def"
#undef KILN_VERIFY_FAMILY
};

const char *const kiln_verify_family_texts[KILN_VERIFY_FAMILIES] = {
#define KILN_VERIFY_FAMILY(id, name, what) what,
#include "verify/families.def"
#undef KILN_VERIFY_FAMILY
};

const char *const kiln_verify_verdict_names[KILN_VERIFY_VERDICTS] = {
    "pending", "identical", "close", "differs", "failed", "skipped"};

static const struct {
    kiln_status_t (*list)(kiln_verify_run_t *io_run);
    void (*run)(kiln_verify_context_t *context, size_t index, kiln_verify_result_t *result);
} families[KILN_VERIFY_FAMILIES] = {
#define KILN_VERIFY_FAMILY(id, name, what) {kiln_verify_list_##id, kiln_verify_run_##id},
#include "verify/families.def"
#undef KILN_VERIFY_FAMILY
};

// The state shared by parent and child; the results follow.
typedef struct shared {
    volatile size_t current; // the item that runs
    volatile double started; // when it did, in ms
    volatile bool gpu_failed;
    kiln_status_code_t code; // why no device could be opened
    char message[1024];
    kiln_verify_machine_t machine;
    kiln_verify_result_t results[];
} shared_t;

static shared_t *child_shared; // of this process, in a child

// Items ------------------------------------------------------------------------------------------

kiln_status_t kiln_verify_add(kiln_verify_run_t *io_run, kiln_verify_family_t family,
                              const char *name, size_t index)
{
    char *copy = strdup(name);
    if (!copy ||
        !KILN_ARRAY_RESERVE(&io_run->items, &io_run->item_capacity, io_run->item_count + 1)) {
        free(copy);
        return kiln_status_out_of_memory();
    }
    io_run->items[io_run->item_count++] = (kiln_verify_item_t){family, copy, index};
    return KILN_OK;
}

void kiln_verify_fail(kiln_verify_result_t *result, const char *where, kiln_status_t status)
{
    result->verdict = KILN_VERIFY_FAILED;
    snprintf(result->text, sizeof result->text, "%s: %s", where, kiln_status_message(status));
    if (child_shared && strcmp(where, "GPU") == 0)
        child_shared->gpu_failed = true;
    kiln_status_free(status);
}

// The child --------------------------------------------------------------------------------------

kiln_status_t kiln_verify_open_simulator(const kiln_verify_machine_t *machine,
                                         const kiln_sim_setting_t *settings, size_t count,
                                         kiln_device_t **out_device)
{
    enum { MAX = 8 };
    kiln_sim_setting_t all[MAX + 1];
    kiln_device_options_t options;
    kiln_device_options_initialize(&options);
    options.kind = KILN_DEVICE_SIM;
    for (size_t i = 0; i < count && i < MAX; i++)
        all[options.sim_setting_count++] = settings[i];
    all[options.sim_setting_count++] = (kiln_sim_setting_t){"device", machine->simulated_as};
    options.sim_settings = all;
    return kiln_device_open(&options, out_device);
}

// The simulator's device for a GPU's name; MI300X if the name is unknown.
static const char *device_of(const char *name)
{
    static const char *const known[][2] = {
        {"MI300A", "mi300a"}, {"MI308X", "mi308x"}, {"MI325X", "mi325x"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(name, known[i][0]))
            return known[i][1];
    return "mi300x";
}

static void describe(const kiln_device_t *device, kiln_verify_machine_t *out)
{
    const kiln_device_properties_t *p = kiln_device_properties(device);
    snprintf(out->name, sizeof out->name, "%s", p->name);
    snprintf(out->library, sizeof out->library, "%s", p->library);
    snprintf(out->target, sizeof out->target, "%s", p->target_id);
    snprintf(out->key, sizeof out->key, "%s", kiln_device_key(device));
    snprintf(out->simulated_as, sizeof out->simulated_as, "%s", device_of(p->name));
    out->driver_version = p->driver_version;
    out->runtime_version = p->runtime_version;
    out->compute_units = p->compute_units;
    out->clock_khz = p->clock_khz;
    out->is_simulated = *kiln_device_supported_checks(device) != 0;
}

static kiln_status_t open_devices(kiln_verify_context_t *context, shared_t *shared)
{
    static const kiln_sim_setting_t settings[] = {{"clock", "off"}, {"check", "off"}};
    KILN_TRY(context->run->options->open_gpu(&context->gpu));
    describe(context->gpu, &shared->machine);
    return kiln_verify_open_simulator(&shared->machine, settings,
                                      sizeof settings / sizeof *settings, &context->simulator);
}

// Lets the process die of a fault, as the parent expects: without the command's report of a crash,
// and without a core file, which has the size of the GPU's mappings.
static void restore_fault_handlers(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    prctl(PR_SET_PDEATHSIG, SIGKILL); // and it ends with its parent
}

// Runs the items from `first` on. Ends the process by _exit, so that the parent's buffers are not
// flushed and its exit handlers do not run.
static void run_child(const kiln_verify_run_t *run, shared_t *shared, size_t first, double deadline)
{
    kiln_verify_context_t context = {.run = run};
    child_shared = shared;
    restore_fault_handlers();
    kiln_status_t status = open_devices(&context, shared);
    if (status) {
        shared->code = kiln_status_code(status);
        char *text = kiln_status_format(status);
        snprintf(shared->message, sizeof shared->message, "%s", text ? text : "out of memory");
        free(text);
        _exit(CHILD_NO_DEVICE);
    }
    ((kiln_verify_run_t *)run)->machine = shared->machine;
    for (size_t i = first; i < run->item_count && kiln_now_ms() < deadline; i++) {
        shared->started = kiln_now_ms();
        shared->current = i;
        families[run->items[i].family].run(&context, run->items[i].index, &shared->results[i]);
        if (shared->gpu_failed) {
            shared->current = i;
            _exit(CHILD_GPU_FAILED);
        }
    }
    shared->current = run->item_count;
    _exit(CHILD_DONE);
}

// The parent -------------------------------------------------------------------------------------

typedef enum child_end { ENDED, TOO_SLOW } child_end_t;

// Waits for the child; kills it if an item takes too long.
static child_end_t wait_for(pid_t child, const shared_t *shared, int *out_status)
{
    const struct timespec pause = {.tv_nsec = POLL_NANOSECONDS};
    const double max_ms = 1e3 * (double)ITEM_SECONDS;
    while (waitpid(child, out_status, WNOHANG) == 0) {
        if (kiln_now_ms() - shared->started > max_ms) {
            kill(child, SIGKILL);
            waitpid(child, out_status, 0);
            return TOO_SLOW;
        }
        nanosleep(&pause, NULL);
    }
    return ENDED;
}

static void note_death(kiln_verify_result_t *result, child_end_t end, int status)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_GPU_FAILED)
        return; // the child has written its result
    result->verdict = KILN_VERIFY_FAILED;
    if (end == TOO_SLOW)
        snprintf(result->text, sizeof result->text, "GPU: no result within %d s", ITEM_SECONDS);
    else if (WIFSIGNALED(status))
        snprintf(result->text, sizeof result->text, "GPU: the process died of signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(result->text, sizeof result->text, "GPU: the process ended with exit code %d",
                 WEXITSTATUS(status));
}

static void skip(kiln_verify_result_t *result, const char *why)
{
    result->verdict = KILN_VERIFY_SKIPPED;
    snprintf(result->text, sizeof result->text, "%s", why);
}

static kiln_status_t run_items(const kiln_verify_run_t *run, shared_t *shared, double deadline)
{
    unsigned failures[KILN_VERIFY_FAMILIES] = {0};
    for (size_t next = 0; next < run->item_count;) {
        shared->started = kiln_now_ms();
        shared->current = next;
        shared->gpu_failed = false;
        fflush(NULL);
        const pid_t child = fork();
        if (child < 0)
            return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "cannot start a process: %s",
                                    strerror(errno));
        if (child == 0)
            run_child(run, shared, next, deadline);
        int status;
        const child_end_t end = wait_for(child, shared, &status);
        if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_NO_DEVICE)
            return kiln_status_make(shared->code, "%s", shared->message);
        if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_DONE && end == ENDED)
            break;
        const size_t at = shared->current;
        const kiln_verify_family_t family = run->items[at].family;
        note_death(&shared->results[at], end, status);
        next = at + 1;
        if (++failures[family] < MAX_FAILURES)
            continue;
        for (; next < run->item_count && run->items[next].family == family; next++)
            skip(&shared->results[next], "the GPU failed too often in this family");
    }
    for (size_t i = 0; i < run->item_count; i++)
        if (shared->results[i].verdict == KILN_VERIFY_PENDING)
            skip(&shared->results[i], "no time was left");
    return KILN_OK;
}

// Lists the items of the chosen families whose names match.
static kiln_status_t list_items(const kiln_verify_options_t *options, kiln_verify_run_t *io_run)
{
    size_t kept = 0;
    for (int f = 0; f < KILN_VERIFY_FAMILIES; f++)
        if (options->families[f])
            KILN_TRY(families[f].list(io_run));
    for (size_t i = 0; i < io_run->item_count; i++) {
        if (!options->match || strstr(io_run->items[i].name, options->match))
            io_run->items[kept++] = io_run->items[i];
        else
            free(io_run->items[i].name);
    }
    io_run->item_count = kept;
    return kept || !options->match
               ? KILN_OK
               : kiln_status_make(KILN_STATUS_USAGE, "no comparison has '%s' in its name",
                                  options->match);
}

kiln_status_t kiln_verify(const kiln_verify_options_t *options, kiln_verify_run_t *out_run)
{
    const double start = kiln_now_ms();
    *out_run = (kiln_verify_run_t){.options = options};
    KILN_TRY(list_items(options, out_run));
    const size_t bytes =
        sizeof(shared_t) + (out_run->item_count + 1) * sizeof(kiln_verify_result_t);
    shared_t *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return kiln_status_out_of_memory();
    kiln_status_t status = run_items(out_run, shared, start + 1e3 * options->seconds);
    out_run->results = calloc(out_run->item_count + 1, sizeof *out_run->results);
    if (!status && !out_run->results)
        status = kiln_status_out_of_memory();
    if (!status)
        memcpy(out_run->results, shared->results, out_run->item_count * sizeof *out_run->results);
    out_run->machine = shared->machine;
    munmap(shared, bytes);
    out_run->seconds = (kiln_now_ms() - start) * 1e-3;
    return status;
}

void kiln_verify_release(kiln_verify_run_t *run)
{
    for (size_t i = 0; i < run->item_count; i++)
        free(run->items[i].name);
    free(run->items);
    free(run->results);
    *run = (kiln_verify_run_t){0};
}
