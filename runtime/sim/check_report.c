// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings: one for each place and check, with a count; told on stderr, as JSON lines, and to the calling program.
//
// Idea: the first finding at a place keeps its words; a place is the pair of instructions. Host threads share the list
// under a lock; what repeats is counted by one look into a small table.
//
// What a reader gets wrong: with several host threads, which workgroup is named depends on which came first. The list
// is sorted by address, so that everything else is the same every time.
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "check_line.h"
#include "check_state.h"
#include "hip_api.h"

#define MAX_FINDINGS 256 // places; a broken kernel need not fill the disk

typedef struct finding {
    unsigned check;
    const kiln_sim_inst_t *inst, *other;
    uint64_t count;
    uint32_t group[3], wave;
    int lane;
    char message[400];
} finding_t;

struct kiln_sim_launch_checks {
    pthread_mutex_t lock;
    finding_t *findings;
    size_t count, dropped;
};

// One that a program may ask for; all of it belongs to the thread.
typedef struct told {
    kiln_sim_finding_t is;
    char message[400], kernel[256], texts[2][192], sources[2][512];
} told_t;

static const char *const check_names[] = {
#define CHECK(id, name) name,
#include "check_list.def"
#undef CHECK
};

static pthread_key_t told_key;
static pthread_once_t told_once = PTHREAD_ONCE_INIT;

typedef struct told_list {
    size_t count;
    told_t all[];
} told_list_t;

static void make_key(void)
{
    pthread_key_create(&told_key, free);
}

static void forget_told(told_list_t *instead)
{
    pthread_once(&told_once, make_key);
    free(pthread_getspecific(told_key));
    pthread_setspecific(told_key, instead);
}

bool kiln_sim_checks_begin(kiln_sim_launch_t *launch, kiln_sim_error_t *error)
{
    forget_told(NULL);
    if (!launch->options->checks)
        return true;
    launch->checks = calloc(1, sizeof *launch->checks);
    if (launch->checks)
        launch->checks->findings = calloc(MAX_FINDINGS, sizeof *launch->checks->findings);
    if (!launch->checks || !launch->checks->findings) {
        free(launch->checks);
        launch->checks = NULL;
        return kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory for the checks");
    }
    pthread_mutex_init(&launch->checks->lock, NULL);
    return true;
}

void kiln_sim_check_found(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst, const kiln_sim_inst_t *other, int lane,
                          unsigned check, const char *format, ...)
{
    struct kiln_sim_launch_checks *c = wave->thread->launch->checks;
    inst = kiln_sim_program_inst(wave->thread->launch->program, inst->index); // handlers may work on a copy
    pthread_mutex_lock(&c->lock);
    size_t at = 0;
    while (at < c->count &&
           (c->findings[at].check != check || c->findings[at].inst != inst || c->findings[at].other != other))
        at++;
    if (at == MAX_FINDINGS) {
        c->dropped++;
    } else {
        finding_t *f = &c->findings[at];
        if (at == c->count) {
            *f = (finding_t){.check = check, .inst = inst, .other = other, .wave = wave->index, .lane = lane};
            memcpy(f->group, wave->group->id, sizeof f->group);
            va_list args;
            va_start(args, format);
            vsnprintf(f->message, sizeof f->message, format, args);
            va_end(args);
            c->count++;
        }
        f->count++;
    }
    pthread_mutex_unlock(&c->lock);
}

// ---- telling

static int by_place(const void *a, const void *b)
{
    const finding_t *x = a, *y = b;
    if (x->inst->address != y->inst->address)
        return x->inst->address < y->inst->address ? -1 : 1;
    return x->check != y->check ? (x->check < y->check ? -1 : 1) : 0;
}

static void tell_instruction(const kiln_sim_launch_t *launch, kiln_sim_lines_t *lines, const kiln_sim_inst_t *inst,
                             char *text, size_t text_size, char *source, size_t source_size)
{
    text[0] = source[0] = 0;
    if (!inst)
        return;
    kiln_sim_program_print(launch->program, inst, text, text_size);
    kiln_sim_lines_find(lines, inst->address, source, source_size);
}

static void tell(const kiln_sim_launch_t *launch, kiln_sim_lines_t *lines, const finding_t *f, told_t *t)
{
    tell_instruction(launch, lines, f->inst, t->texts[0], sizeof t->texts[0], t->sources[0], sizeof t->sources[0]);
    tell_instruction(launch, lines, f->other, t->texts[1], sizeof t->texts[1], t->sources[1], sizeof t->sources[1]);
    snprintf(t->message, sizeof t->message, "%s", f->message);
    snprintf(t->kernel, sizeof t->kernel, "%s", launch->kernel->name);
    t->is = (kiln_sim_finding_t){.struct_size = sizeof t->is,
                                 .check = check_names[f->check],
                                 .message = t->message,
                                 .kernel = t->kernel,
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

// The command line of this process, to run it again; "" where it is not to be had.
static void read_command(char *text, size_t size)
{
    FILE *file = fopen("/proc/self/cmdline", "rb");
    size_t length = file ? fread(text, 1, size - 1, file) : 0;
    if (file)
        fclose(file);
    while (length && text[length - 1] == 0)
        length--;
    for (size_t i = 0; i < length; i++)
        text[i] = text[i] && (unsigned char)text[i] >= ' ' ? text[i] : ' ';
    text[length] = 0;
}

static void print_place(FILE *file, const char *label, uint64_t address, const char *text, const char *source)
{
    fprintf(file, "  %s 0x%" PRIx64 " '%s'%s%s%s", label, address, text, *source ? " (" : "", source,
            *source ? ")" : "");
}

static void print_text(FILE *file, const kiln_sim_finding_t *f, const char *command)
{
    fprintf(file, "kiln-sim: %s: %s\n", f->check, f->message);
    print_place(file, "at", f->address, f->instruction, f->source);
    fprintf(file, "\n  in kernel '%s', workgroup (%u, %u, %u), wave %u", f->kernel, f->workgroup[0], f->workgroup[1],
            f->workgroup[2], f->wave);
    if (f->lane >= 0)
        fprintf(file, ", lane %d", f->lane);
    fprintf(file, "; %" PRIu64 " time%s\n", f->count, f->count == 1 ? "" : "s");
    if (*f->other_instruction) {
        print_place(file, "other access: at", f->other_address, f->other_instruction, f->other_source);
        fprintf(file, "\n");
    }
    fprintf(file, "  again: KILN_SIM_CHECK=%s KILN_SIM_THREADS=1 %s\n", f->check, command);
}

static void print_string(FILE *file, const char *key, const char *text)
{
    fprintf(file, "\"%s\":\"", key);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(file, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, file);
    }
    fprintf(file, "\"");
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
        print_string(file, strings[i].key, strings[i].text);
        fprintf(file, ",");
    }
    fprintf(file,
            "\"address\":%" PRIu64 ",\"other_address\":%" PRIu64
            ",\"workgroup\":[%u,%u,%u],\"wave\":%u,\"lane\":%d,\"count\":%" PRIu64 "}\n",
            f->address, f->other_address, f->workgroup[0], f->workgroup[1], f->workgroup[2], f->wave, f->lane,
            f->count);
}

void kiln_sim_checks_end(kiln_sim_launch_t *launch)
{
    struct kiln_sim_launch_checks *c = launch->checks;
    if (!c)
        return;
    told_list_t *list = c->count ? calloc(1, sizeof *list + c->count * sizeof list->all[0]) : NULL;
    if (list) {
        char command[1024];
        const kiln_sim_code_object_t *object = launch->kernel->object;
        kiln_sim_lines_t *lines = object->file ? kiln_sim_lines_open(object->file, object->file_size) : NULL;
        FILE *report = launch->options->report ? fopen(launch->options->report, "a") : NULL;
        read_command(command, sizeof command);
        qsort(c->findings, c->count, sizeof *c->findings, by_place);
        list->count = c->count;
        for (size_t i = 0; i < c->count; i++) {
            tell(launch, lines, &c->findings[i], &list->all[i]);
            print_text(stderr, &list->all[i].is, command);
            if (report)
                print_json(report, &list->all[i].is, command);
        }
        if (c->dropped)
            fprintf(stderr, "kiln-sim: and %zu findings at further places\n", c->dropped);
        if (report)
            fclose(report);
        else if (launch->options->report)
            fprintf(stderr, "kiln-sim: cannot write KILN_SIM_REPORT '%s'\n", launch->options->report);
        kiln_sim_lines_close(lines);
    }
    forget_told(list);
    pthread_mutex_destroy(&c->lock);
    free(c->findings);
    free(c);
    launch->checks = NULL;
}

// ---- for the calling program

HIP_API const char *kilnSimGetSupportedChecks(void)
{
    static const char *const list = ""
#define CHECK(id, name) "," name
#include "check_list.def"
#undef CHECK
        ;
    return list + 1;
}

HIP_API int kilnSimGetFinding(size_t index, kiln_sim_finding_t *finding)
{
    pthread_once(&told_once, make_key);
    const told_list_t *list = pthread_getspecific(told_key);
    if (!finding || finding->struct_size <= sizeof finding->struct_size || !list || index >= list->count)
        return KILN_SIM_INVALID_VALUE;
    size_t size = finding->struct_size < sizeof *finding ? finding->struct_size : sizeof *finding;
    memcpy(finding, &list->all[index].is, size);
    finding->struct_size = size;
    return 0;
}
