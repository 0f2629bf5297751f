// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects findings, one for each location and check, with a count. They are reported on stderr, as
// JSON lines, and in the launch's result.
//
// A location is a pair of instructions. The first finding there determines the message; later ones
// are counted. Each workgroup has its own list, which is joined to the launch's list after those of
// all earlier workgroups. The report is therefore the same for any number of host threads and names
// the first workgroup and wave at a location.
//
// When a launch fails, later workgroups may or may not have run, so their findings are dropped.
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/json_string.h"
#include "base/number.h"
#include "check/state.h"
#include "lines/lines.h"

#define MAX_FINDINGS 256 // locations; limits the output of a broken kernel

typedef struct finding {
    unsigned check;
    const kiln_sim_inst_t *inst, *other;
    uint64_t count;
    uint32_t group[3], wave;
    int lane;
    char message[400];
} finding_t;

struct check_findings {
    size_t count, capacity;
    uint64_t dropped;
    bool lost; // some findings are missing because memory was exhausted
    finding_t *all;
};

// Findings of a workgroup that waits for earlier ones.
typedef struct batch {
    uint64_t group;
    struct check_findings findings;
} batch_t;

struct kiln_sim_launch_checks {
    pthread_mutex_t lock;
    struct check_findings findings; // of all workgroups below next_group
    uint64_t next_group;
    struct check_global *global;
    struct check_alias *alias;
    batch_t *batches;
    size_t batch_count, batch_capacity;
};

static const char *const check_names[] = {
#define CHECK(id, name, in_all) name,
#include "check/list.def"
#undef CHECK
};

bool kiln_sim_checks_begin(void *user, const kiln_sim_launch_t *launch, void **state)
{
    (void)user;
    struct kiln_sim_launch_checks *c = *state = calloc(1, sizeof *c);
    if (!c)
        return false;
    pthread_mutex_init(&c->lock, NULL);
    if (launch->options->checks & KILN_SIM_CHECK_GLOBAL_RACE)
        c->global = kiln_sim_check_global_new();
    return true;
}

bool kiln_sim_launch_alias_begin(const kiln_sim_launch_t *launch)
{
    const bool on = launch->options->checks & KILN_SIM_CHECK_ALIAS;
    return !on || kiln_sim_check_alias_new(launch, &kiln_sim_check_launch(launch)->alias);
}

struct check_alias *kiln_sim_launch_alias(const kiln_sim_launch_t *launch)
{
    return kiln_sim_check_launch(launch)->alias;
}

struct check_global *kiln_sim_launch_global(const kiln_sim_launch_t *launch)
{
    return kiln_sim_check_launch(launch)->global;
}

// ---- collecting

// Returns the finding at that location, new (*is_new) or existing; NULL if there are too many.
static finding_t *find_place(struct check_findings *list, unsigned check,
                             const kiln_sim_inst_t *inst, const kiln_sim_inst_t *other,
                             bool *is_new)
{
    *is_new = false;
    for (size_t i = 0; i < list->count; i++) {
        finding_t *f = &list->all[i];
        if (f->check == check && f->inst == inst && f->other == other)
            return f;
    }
    if (list->count >= MAX_FINDINGS ||
        !KILN_ARRAY_RESERVE(&list->all, &list->capacity, list->count + 1)) {
        list->lost |= list->count < MAX_FINDINGS;
        return NULL;
    }
    *is_new = true;
    finding_t *f = &list->all[list->count++];
    *f = (finding_t){.check = check, .inst = inst, .other = other};
    return f;
}

void kiln_sim_check_found(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst,
                          const kiln_sim_inst_t *other, int lane, unsigned check,
                          const char *format, ...)
{
    struct kiln_sim_group_checks *group = kiln_sim_check_group(wave->group);
    if (!group->findings && !(group->findings = calloc(1, sizeof *group->findings))) {
        kiln_sim_findings_mark_lost(wave->thread->launch->findings);
        return;
    }
    inst = kiln_sim_program_inst(wave->thread->launch->program,
                                 inst->index); // handlers may pass a copy
    group->finding_count++;
    bool is_new;
    finding_t *f = find_place(group->findings, check, inst, other, &is_new);
    if (!f) {
        group->findings->dropped++;
        return;
    }
    if (is_new || wave->index < f->wave) {
        f->wave = wave->index;
        f->lane = lane;
        memcpy(f->group, wave->group->id, sizeof f->group);
        va_list args;
        va_start(args, format);
        kiln_vformat(f->message, sizeof f->message, format, args);
        va_end(args);
    }
    f->count++;
}

static void join(struct check_findings *to, struct check_findings *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const finding_t *f = &from->all[i];
        bool is_new;
        finding_t *known = find_place(to, f->check, f->inst, f->other, &is_new);
        if (!known)
            to->dropped += f->count;
        else if (is_new)
            *known = *f;
        else
            known->count += f->count;
    }
    to->dropped += from->dropped;
    to->lost |= from->lost;
    free(from->all);
    *from = (struct check_findings){0};
}

// Joins the lists of workgroups in order while the next one is present.
static void join_batches(struct kiln_sim_launch_checks *c, uint64_t end)
{
    for (size_t i = 0; i < c->batch_count && c->next_group < end;) {
        if (c->batches[i].group != c->next_group) {
            i++;
            continue;
        }
        join(&c->findings, &c->batches[i].findings);
        c->batches[i] = c->batches[--c->batch_count];
        c->next_group++;
        i = 0;
    }
}

void kiln_sim_check_findings_end(struct kiln_sim_group_checks *group)
{
    struct kiln_sim_launch_checks *c = kiln_sim_check_launch(group->launch);
    struct check_findings none = {0}, *findings = group->findings ? group->findings : &none;
    pthread_mutex_lock(&c->lock);
    // Read under the lock: where the list of a failed workgroup is present, its failure is known.
    const uint64_t failed_group = __atomic_load_n(&group->launch->failed_group, __ATOMIC_ACQUIRE);
    if (group->index == c->next_group && group->index < failed_group) {
        join(&c->findings, findings);
        c->next_group++;
        join_batches(c, failed_group);
    } else {
        if (KILN_ARRAY_RESERVE(&c->batches, &c->batch_capacity, c->batch_count + 1))
            c->batches[c->batch_count++] = (batch_t){group->index, *findings};
        else {
            c->findings.lost |= findings->count || findings->lost;
            free(findings->all);
        }
    }
    pthread_mutex_unlock(&c->lock);
    free(group->findings);
    group->findings = NULL;
}

static int by_group(const void *a, const void *b)
{
    const batch_t *x = a, *y = b;
    return x->group < y->group ? -1 : x->group > y->group;
}

// After the last workgroup: joins the remaining lists of a failed launch up to the workgroup that
// failed.
static void join_the_rest(struct kiln_sim_launch_checks *c, uint64_t failed_group)
{
    if (c->batch_count)
        qsort(c->batches, c->batch_count, sizeof *c->batches, by_group);
    for (size_t i = 0; i < c->batch_count; i++) {
        if (c->batches[i].group <= failed_group)
            join(&c->findings, &c->batches[i].findings);
        free(c->batches[i].findings.all);
    }
    free(c->batches);
}

// ---- reporting

static int by_place(const void *a, const void *b)
{
    const finding_t *x = a, *y = b;
    if (x->inst->address != y->inst->address)
        return x->inst->address < y->inst->address ? -1 : 1;
    if (x->check != y->check)
        return x->check < y->check ? -1 : 1;
    uint64_t p = x->other ? x->other->address : 0, q = y->other ? y->other->address : 0;
    return p < q ? -1 : p > q;
}

static void describe_instruction(const kiln_sim_launch_t *launch, kiln_lines_t *lines,
                                 const kiln_sim_inst_t *inst, char *text, size_t text_size,
                                 char *source, size_t source_size)
{
    text[0] = source[0] = 0;
    if (!inst)
        return;
    kiln_sim_program_print(launch->program, inst, text, text_size);
    kiln_lines_find(lines, inst->address, source, source_size);
}

static void fill_finding(const kiln_sim_launch_t *launch, kiln_lines_t *lines, const finding_t *f,
                         kiln_sim_stored_finding_t *t)
{
    describe_instruction(launch, lines, f->inst, t->texts[0], sizeof t->texts[0], t->sources[0],
                         sizeof t->sources[0]);
    describe_instruction(launch, lines, f->other, t->texts[1], sizeof t->texts[1], t->sources[1],
                         sizeof t->sources[1]);
    snprintf(t->message, sizeof t->message, "%s", f->message);
    t->kernel = strdup(launch->kernel->name);
    t->finding = (kiln_sim_finding_t){.struct_size = sizeof t->finding,
                                      .check = check_names[f->check],
                                      .message = t->message,
                                      .kernel = t->kernel ? t->kernel : "?",
                                      .instruction = t->texts[0],
                                      .source = t->sources[0],
                                      .address = f->inst->address,
                                      .other_instruction = t->texts[1],
                                      .other_source = t->sources[1],
                                      .other_address = f->other ? f->other->address : 0,
                                      .workgroup = {f->group[0], f->group[1], f->group[2]},
                                      .wave = f->wave,
                                      .lane = f->lane,
                                      .count = f->count};
}

// The command line of this process for a rerun, allocated by malloc; NULL if it is unavailable.
static char *read_command(void)
{
    FILE *file = fopen("/proc/self/cmdline", "rb");
    char *text = NULL;
    size_t length = 0, room = 0;
    while (file && !feof(file) && !ferror(file)) {
        if (!KILN_ARRAY_RESERVE(&text, &room, length + 2)) {
            free(text);
            text = NULL;
            break;
        }
        length += fread(text + length, 1, room - 1 - length, file);
    }
    if (file)
        fclose(file);
    if (!text)
        return NULL;
    while (length && text[length - 1] == 0)
        length--;
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] && (unsigned char)text[i] >= ' ' ? text[i] : ' ';
    text[length] = 0;
    return text;
}

static void print_place(FILE *file, const char *label, uint64_t address, const char *text,
                        const char *source)
{
    fprintf(file, "  %s 0x%" PRIx64 " '%s'%s%s%s", label, address, text, *source ? " (" : "",
            source, *source ? ")" : "");
}

static void print_text(FILE *file, const kiln_sim_finding_t *f, const char *command)
{
    fprintf(file, "kiln-sim: %s: %s\n", f->check, f->message);
    if (!*f->kernel) {
        fprintf(file, "  in %s\n  rerun: KILN_SIM_CHECK=%s %s\n", f->instruction, f->check,
                command);
        return;
    }
    print_place(file, "at", f->address, f->instruction, f->source);
    fprintf(file, "\n  in kernel '%s', workgroup (%u, %u, %u), wave %u", f->kernel, f->workgroup[0],
            f->workgroup[1], f->workgroup[2], f->wave);
    if (f->lane >= 0)
        fprintf(file, ", lane %d", f->lane);
    fprintf(file, "; %" PRIu64 " time%s\n", f->count, f->count == 1 ? "" : "s");
    if (*f->other_instruction) {
        print_place(file, "other access: at", f->other_address, f->other_instruction,
                    f->other_source);
        fprintf(file, "\n");
    }
    fprintf(file, "  rerun: KILN_SIM_CHECK=%s KILN_SIM_THREADS=1 %s\n", f->check, command);
}

static void print_json(FILE *file, const kiln_sim_finding_t *f, const char *command)
{
    const struct {
        const char *key, *text;
    } strings[] = {{"check", f->check},
                   {"message", f->message},
                   {"kernel", f->kernel},
                   {"instruction", f->instruction},
                   {"source", f->source},
                   {"other_instruction", f->other_instruction},
                   {"other_source", f->other_source},
                   {"command", command}};
    fprintf(file, "{");
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        fprintf(file, "\"%s\":", strings[i].key);
        kiln_json_write_string(file, strings[i].text);
        fprintf(file, ",");
    }
    fprintf(file,
            "\"address\":%" PRIu64 ",\"other_address\":%" PRIu64
            ",\"workgroup\":[%u,%u,%u],\"wave\":%u,\"lane\":%d,\"count\":%" PRIu64 "}\n",
            f->address, f->other_address, f->workgroup[0], f->workgroup[1], f->workgroup[2],
            f->wave, f->lane, f->count);
}

// Opened for each launch or call with findings.
typedef struct output {
    FILE *report;
    char *command;
} output_t;

static void open_output(output_t *out, const kiln_sim_options_t *options)
{
    out->command = read_command();
    out->report = options->report ? fopen(options->report, "a") : NULL;
}

static void put(const output_t *out, const kiln_sim_finding_t *f)
{
    const char *command = out->command ? out->command : "";
    print_text(stderr, f, command);
    if (out->report)
        print_json(out->report, f, command);
}

// False if the report could not be written.
static bool close_output(output_t *out, const kiln_sim_options_t *options)
{
    free(out->command);
    if (!out->report)
        return !options->report;
    const bool failed = ferror(out->report) != 0;
    return fclose(out->report) == 0 && !failed;
}

void kiln_sim_checks_end(void *user, const kiln_sim_launch_t *launch, void *state)
{
    (void)user;
    struct kiln_sim_launch_checks *c = state;
    if (!c)
        return;
    join_the_rest(c, launch->failed_group);
    struct check_findings *found = &c->findings;
    if (found->lost)
        kiln_sim_findings_mark_lost(launch->findings);
    if (found->count) {
        output_t out;
        const kiln_sim_code_object_t *object = launch->kernel->object;
        kiln_lines_t *lines =
            object->file ? kiln_lines_open(object->file, object->file_size) : NULL;
        open_output(&out, launch->options);
        qsort(found->all, found->count, sizeof *found->all, by_place);
        for (size_t i = 0; i < found->count; i++) {
            kiln_sim_stored_finding_t *stored = kiln_sim_findings_add(launch->findings);
            if (!stored) {
                kiln_sim_findings_mark_lost(launch->findings);
                break;
            }
            fill_finding(launch, lines, &found->all[i], stored);
            put(&out, &stored->finding);
        }
        if (found->dropped)
            fprintf(stderr, "kiln-sim: and %" PRIu64 " more findings at other locations\n",
                    found->dropped);
        launch->findings->unwritten = !close_output(&out, launch->options);
        kiln_lines_close(lines);
    }
    kiln_sim_check_global_free(c->global);
    kiln_sim_check_alias_free(c->alias);
    pthread_mutex_destroy(&c->lock);
    free(found->all);
    free(c);
}

void kiln_sim_check_host(const kiln_sim_options_t *options, kiln_sim_findings_t *findings,
                         const char *call, const char *message)
{
    if (!(options->checks & KILN_SIM_CHECK_MEMORY))
        return;
    kiln_sim_stored_finding_t *stored = kiln_sim_findings_add(findings);
    if (!stored) {
        fprintf(stderr, "kiln-sim: memory: %s: %s (out of memory to record it)\n", call, message);
        return;
    }
    snprintf(stored->message, sizeof stored->message, "%s", message);
    snprintf(stored->texts[0], sizeof stored->texts[0], "%s", call);
    stored->finding = (kiln_sim_finding_t){.struct_size = sizeof stored->finding,
                                           .check = check_names[KILN_SIM_CHECK_INDEX_MEMORY],
                                           .message = stored->message,
                                           .kernel = "",
                                           .instruction = stored->texts[0],
                                           .source = stored->sources[0],
                                           .other_instruction = stored->texts[1],
                                           .other_source = stored->sources[1],
                                           .lane = -1,
                                           .count = 1};
    output_t out;
    open_output(&out, options);
    put(&out, &stored->finding);
    if (!close_output(&out, options))
        fprintf(stderr, "kiln-sim: cannot write KILN_SIM_REPORT '%s'\n", options->report);
}
