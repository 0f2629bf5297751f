// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the kernels of --then and makes their calls.
//
// A buffer between two kernels may be sized by what was tuned, parts=f32[SPLIT_K,M,N]. So the
// settings are found first, with the arguments whose texts are complete and with the properties
// that the others will have: kiln_tune_hints describes them in the same way.
#include "sequence.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/string.h"
#include "cli/input.h"
#include "cli/launch/key.h"
#include "problem.h"
#include "steps.h"

// Sources -----------------------------------------------------------------------------------------

bool kiln_launch_then_take(kiln_launch_flags_t *flags, char *word)
{
    if (flags->then_count == KILN_LAUNCH_MAX_STEPS || !*word)
        return false;
    kiln_launch_step_t *step = &flags->then[flags->then_count];
    char *colon = strrchr(word, ':');
    *step = (kiln_launch_step_t){0};
    if (colon) { // FILE:KERNEL
        *colon = '\0';
        step->path = word;
        step->kernel = colon + 1;
    } else if (kiln_string_ends_with(word, ".c")) {
        step->path = word;
    } else {
        step->kernel = word;
    }
    if ((step->path && !*step->path) || (step->kernel && !*step->kernel))
        return false;
    flags->then_count++;
    return true;
}

static kiln_status_t read_step(const kiln_launch_step_t *step, kiln_tune_step_t *out, char **text)
{
    kiln_tune_step_initialize(out);
    out->kernel = step->kernel;
    if (!step->path)
        return KILN_OK;
    return kiln_input_read_source(step->path, "", text, &out->source);
}

kiln_status_t kiln_launch_sequence_read(const kiln_launch_flags_t *flags,
                                        kiln_launch_sequence_t *out_sequence)
{
    *out_sequence = (kiln_launch_sequence_t){0};
    for (size_t i = 0; i < flags->then_count; i++) {
        KILN_TRY(read_step(&flags->then[i], &out_sequence->steps[i], &out_sequence->texts[i]));
        out_sequence->count++;
    }
    return KILN_OK;
}

void kiln_launch_sequence_free(kiln_launch_sequence_t *sequence)
{
    for (size_t i = 0; i < KILN_LAUNCH_MAX_STEPS; i++)
        free(sequence->texts[i]);
    *sequence = (kiln_launch_sequence_t){0};
}

void kiln_launch_sequence_set(kiln_launch_sequence_t *sequence, kiln_tune_problem_t *problem)
{
    for (size_t i = 0; i < sequence->count; i++)
        sequence->then[i] = &sequence->steps[i];
    problem->then = sequence->then;
    problem->then_count = sequence->count;
}

// Words that use names which have no value yet ----------------------------------------------------

typedef struct names {
    const kiln_launch_flags_t *flags;
    char **words; // a scalar of an earlier word is a name
    const bool *is_open;
    size_t count;
} names_t;

static bool is_name_char(char c)
{
    return kiln_is_alphanumeric(c) || c == '_' || c == '.';
}

static bool is_same(const char *text, const char *name, size_t length, char end)
{
    return strncmp(text, name, length) == 0 && text[length] == end;
}

static bool is_known(const names_t *names, const char *name, size_t length)
{
    for (size_t i = 0; i < names->flags->setting_count; i++)
        if (is_same(names->flags->settings[i].name, name, length, '\0'))
            return true;
    for (size_t i = 0; i < names->count; i++)
        if (is_same(names->words[i], name, length, '='))
            return !names->is_open[i];
    return false;
}

// Whether an expression uses a name without a value; a function's name is followed by '('.
static bool uses_unknown(const names_t *names, const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t end = i;
        while (end < length && is_name_char(text[end]))
            end++;
        if (end == i) {
            i++;
            continue;
        }
        if (!kiln_is_digit(text[i]) && text[end] != '(' && !is_known(names, text + i, end - i))
            return true;
        i = end;
    }
    return false;
}

// The word of the buffer that "NAME=&BUFFER" points into; `count` if there is none.
static size_t find_target(char **words, size_t count, const char *word)
{
    const char *value = strchr(word, '=') + 2;
    size_t i = 0;
    while (i < count && !is_same(words[i], value, strcspn(value, "["), '='))
        i++;
    return i;
}

static bool is_open(const names_t *names, const char *word)
{
    const char *value = strchr(word, '=');
    if (!value || value[1] == '@')
        return false;
    if (value[1] == '&') {
        const size_t target = find_target(names->words, names->count, word);
        if (target < names->count && names->is_open[target])
            return true;
        const char *element = strchr(value, '[');
        return element && uses_unknown(names, element + 1, strcspn(element + 1, "]"));
    }
    const char *open = strchr(++value, '['), *close = open ? strchr(open, ']') : NULL;
    char *end;
    if (close && uses_unknown(names, open + 1, (size_t)(close - open - 1)))
        return true;
    if (close) {
        static const char FILL[] = "]:fill:";
        return kiln_string_starts_with(close, FILL) &&
               uses_unknown(names, close + strlen(FILL), strlen(close + strlen(FILL)));
    }
    kiln_real_parse(value, &end);
    return *end && uses_unknown(names, value, strlen(value));
}

// Returns whether each word is open, from malloc; NULL if out of memory.
static bool *find_open(const kiln_launch_flags_t *flags, char **words, size_t word_count)
{
    bool *open = calloc(word_count + 1, sizeof *open);
    for (size_t i = 0; open && i < word_count; i++) {
        const names_t names = {flags, words, open, i};
        open[i] = is_open(&names, words[i]);
    }
    return open;
}

bool kiln_launch_has_open(const kiln_launch_flags_t *flags, char **words, size_t word_count)
{
    bool *open = find_open(flags, words, word_count),
         has = !open; // out of memory, which what handles open words reports
    for (size_t i = 0; open && i < word_count; i++)
        has |= open[i];
    free(open);
    return has;
}

kiln_status_t kiln_launch_choose_error(kiln_status_t status, kiln_status_t unread)
{
    const bool is_chosen = status && unread && !kiln_status_is_out_of_memory(status);
    kiln_status_free(is_chosen ? status : unread);
    return is_chosen ? unread : status;
}

bool kiln_launch_needs_plan(const kiln_launch_flags_t *flags, char **words, size_t word_count)
{
    return flags->then_count > 0 || kiln_launch_has_open(flags, words, word_count);
}

kiln_status_t kiln_launch_word_hint(char **words, size_t index, const char *name,
                                    kiln_arg_hint_t *out_hint)
{
    const char *word = words[index], *equals = strchr(word, '=');
    const char *value = equals ? equals + 1 : "", *bracket = strchr(value, '[');
    *out_hint = (kiln_arg_hint_t){.name = name};
    if (*value == '@')
        return KILN_OK;
    if (*value == '&') { // an earlier word
        const size_t target = find_target(words, index, word);
        return target < index ? kiln_launch_word_hint(words, target, name, out_hint) : KILN_OK;
    }
    kiln_jit_argument_t argument = kiln_jit_integer(name, 1);
    if (bracket) {
        kiln_element_type_t element;
        char *type = strndup(value, (size_t)(bracket - value));
        if (!type)
            return kiln_status_out_of_memory();
        const bool is_type = kiln_element_type_parse(type, &element);
        free(type);
        if (!is_type)
            return kiln_status_make(KILN_STATUS_USAGE, "unknown element type in '%s'", word);
        argument = kiln_jit_storage(name, UINT64_C(1) << 32, 16);
        argument.integer += 1 + (int64_t)element;
    }
    *out_hint = kiln_jit_argument_hint(&argument);
    return KILN_OK;
}

// Arguments of no kernel --------------------------------------------------------------------------

static bool is_target(char **words, size_t count, size_t index)
{
    for (size_t i = index + 1; i < count; i++) {
        const char *value = strchr(words[i], '=');
        if (value && value[1] == '&' && find_target(words, i, words[i]) == index)
            return true;
    }
    return false;
}

// NAME and KERNEL.NAME are two names.
static bool is_repeated(char **words, size_t index)
{
    const size_t length = strcspn(words[index], "=");
    for (size_t i = 0; i < index; i++)
        if (strcspn(words[i], "=") == length && strncmp(words[i], words[index], length) == 0)
            return true;
    return false;
}

static kiln_status_t check_word(const kiln_steps_t *steps, char **words, size_t count, size_t index)
{
    if (is_repeated(words, index))
        return kiln_status_make(KILN_STATUS_USAGE, "duplicate argument '%.*s'",
                                (int)strcspn(words[index], "="), words[index]);
    char *name = strndup(words[index], strcspn(words[index], "="));
    if (!name)
        return kiln_status_out_of_memory();
    kiln_status_t status =
        kiln_steps_take_argument(steps, name) || is_target(words, count, index)
            ? KILN_OK
            : kiln_status_make(KILN_STATUS_USAGE, "no kernel of the sequence has an argument '%s'",
                               name);
    free(name);
    return status;
}

kiln_status_t kiln_launch_sequence_check(const kiln_tune_problem_t *problem, char **words,
                                         size_t count)
{
    kiln_tune_problem_t taken;
    kiln_compile_options_t options;
    kiln_steps_t steps = {0};
    if (problem->then_count == 0)
        return KILN_OK;
    kiln_status_t status = kiln_tune_take(__func__, problem, &taken, &options);
    if (!status)
        status = kiln_steps_make(__func__, &taken, &steps);
    for (size_t i = 0; i < count && !status; i++)
        status = check_word(&steps, words, count, i);
    kiln_steps_free(&steps);
    return status;
}

// Plans -------------------------------------------------------------------------------------------

typedef struct draft {
    const kiln_launch_flags_t *flags;
    char **words;
    size_t word_count;
    bool *open;
    char **names; // of the words
    kiln_arg_hint_t *hints;
    kiln_compile_options_t options;
    kiln_tune_problem_t problem;
} draft_t;

static void free_draft(draft_t *draft)
{
    for (size_t i = 0; i < draft->word_count && draft->names; i++)
        free(draft->names[i]);
    free(draft->names);
    free(draft->open);
    free(draft->hints);
}

// Creates the arguments of the words that are not open.
static kiln_status_t make_closed(const draft_t *draft, kiln_arguments_t **out_arguments)
{
    char **closed = calloc(draft->word_count + 1, sizeof *closed);
    size_t count = 0;
    if (!closed)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < draft->word_count; i++)
        if (!draft->open[i])
            closed[count++] = draft->words[i];
    kiln_status_t status =
        kiln_launch_arguments(draft->flags, draft->problem.device, closed, count, out_arguments);
    free(closed);
    return status;
}

// The hints about all arguments, in the order of the words.
static kiln_status_t make_hints(draft_t *draft, const kiln_arguments_t *closed)
{
    size_t value_count, next = 0;
    const kiln_jit_argument_t *values = kiln_arguments_values(closed, &value_count);
    draft->hints = calloc(draft->word_count + 1, sizeof *draft->hints);
    draft->names = calloc(draft->word_count + 1, sizeof *draft->names);
    if (!draft->hints || !draft->names)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < draft->word_count; i++) {
        draft->names[i] = strndup(draft->words[i], strcspn(draft->words[i], "="));
        if (!draft->names[i])
            return kiln_status_out_of_memory();
        if (draft->open[i])
            KILN_TRY(kiln_launch_word_hint(draft->words, i, draft->names[i], &draft->hints[i]));
        else if (next < value_count)
            draft->hints[i] = kiln_jit_argument_hint(&values[next++]);
        draft->hints[i].name = draft->names[i];
    }
    draft->options.args = draft->hints;
    draft->options.arg_count = draft->word_count;
    return KILN_OK;
}

static kiln_status_t look_up(const draft_t *draft, kiln_tune_use_t use, kiln_tune_match_t *match)
{
    match->struct_size = sizeof *match;
    if (!draft->problem.store)
        return KILN_OK;
    kiln_status_t status = kiln_tune_find_problem(&draft->problem, use, match);
    if (kiln_status_code(status) != KILN_STATUS_NOT_FOUND)
        return status;
    kiln_status_free(status);
    return KILN_OK;
}

// Adds the kernels' constants, with their defaults. A program that cannot be compiled has none;
// *out_unread says why, where the launch would not.
static kiln_status_t add_defaults(const draft_t *draft, kiln_setting_list_t *settings,
                                  kiln_status_t *out_unread)
{
    const kiln_tune_candidate_t tuned = {.settings = settings->items,
                                         .setting_count = settings->count};
    kiln_setting_list_t constants;
    kiln_status_t status = kiln_tune_constants(&draft->problem, &tuned, &constants);
    if (kiln_status_is_out_of_memory(status))
        return status;
    *out_unread = status;
    status = KILN_OK;
    for (size_t i = 0; i < constants.count && !status; i++) {
        const kiln_setting_t *c = &constants.items[i];
        status = kiln_settings_put(settings, c->name, strlen(c->name), c->value, strlen(c->value));
    }
    kiln_settings_free(&constants);
    return status;
}

// Creates all arguments with the tuned settings, and the defaults of other constants.
static kiln_status_t complete_arguments(const draft_t *draft, kiln_launch_plan_t *plan)
{
    kiln_launch_flags_t *flags = &plan->flags;
    bool has_open = false;
    *flags = *draft->flags;
    for (size_t i = 0; i < draft->word_count; i++)
        has_open |= draft->open[i];
    if (!has_open)
        return KILN_OK;
    if (plan->match.config)
        KILN_TRY(kiln_settings_put_text(&plan->tuned, plan->match.config));
    kiln_status_t unread = KILN_OK, status = add_defaults(draft, &plan->tuned, &unread);
    for (size_t i = 0; i < plan->tuned.count && !status; i++)
        status = kiln_launch_add_setting(flags, &plan->tuned.items[i]);
    kiln_arguments_release(plan->arguments);
    plan->arguments = NULL;
    if (!status) {
        status = kiln_launch_arguments(flags, draft->problem.device, draft->words,
                                       draft->word_count, &plan->arguments);
        if (!plan->match.config)
            status = kiln_status_annotate(status, "no tuned setting has a value for it");
    }
    return kiln_launch_choose_error(status, unread);
}

static bool has_argument(const char *name, const void *signature)
{
    const char *other;
    for (size_t i = 0; (other = kiln_tuning_argument(signature, i)); i++)
        if (strcmp(other, name) == 0)
            return true;
    return false;
}

// The arguments of one kernel: all of them unless there are several kernels.
static kiln_status_t choose_arguments(const draft_t *draft, kiln_launch_plan_t *plan, size_t index)
{
    kiln_jit_call_t *call = &plan->calls[index];
    size_t count;
    const kiln_jit_argument_t *values = kiln_arguments_values(plan->arguments, &count);
    kiln_tuning_t *signature = NULL;
    kiln_compile_options_t options = draft->options;
    options.kernel = call->kernel;
    if (plan->count > 1)
        KILN_TRY(kiln_tuning_read(&call->source, &options, NULL, NULL, &signature));
    kiln_jit_argument_t *own = plan->own[index] = calloc(count + 1, sizeof *own);
    if (own && signature)
        kiln_step_choose_arguments(kiln_tuning_kernel(signature), has_argument, signature, values,
                                   count, own, &call->argument_count);
    kiln_tuning_release(signature);
    call->arguments = own;
    if (!own)
        return kiln_status_out_of_memory();
    if (plan->count == 1 && count) {
        memcpy(own, values, count * sizeof *own);
        call->argument_count = count;
    }
    return KILN_OK;
}

static kiln_status_t make_call(const draft_t *draft, kiln_launch_plan_t *plan, size_t index)
{
    const kiln_tune_problem_t *problem = &draft->problem;
    kiln_jit_call_t *call = &plan->calls[index];
    char *given;
    kiln_jit_call_initialize(call);
    call->source = problem->source;
    call->kernel = problem->options->kernel;
    if (index) {
        const kiln_tune_step_t *step = problem->then[index - 1];
        call->source = step->source.text ? step->source : problem->source;
        call->kernel = step->kernel;
    }
    KILN_TRY(kiln_tune_step_settings(problem, index, "", &given));
    kiln_status_t status = kiln_settings_put_text(&plan->settings[index], given);
    free(given);
    KILN_TRY(status);
    if (plan->match.config)
        KILN_TRY(
            kiln_tune_step_settings(problem, index, plan->match.config, &plan->configs[index]));
    KILN_TRY(choose_arguments(draft, plan, index));
    call->settings = plan->settings[index].items;
    call->setting_count = plan->settings[index].count;
    call->tuning_arguments = plan->key;
    return KILN_OK;
}

static kiln_status_t make(draft_t *draft, kiln_tune_use_t use, kiln_launch_plan_t *plan)
{
    KILN_TRY(kiln_launch_sequence_read(draft->flags, &plan->sequence));
    kiln_launch_sequence_set(&plan->sequence, &draft->problem);
    KILN_TRY(kiln_launch_sequence_check(&draft->problem, draft->words, draft->word_count));
    plan->count = 1 + plan->sequence.count;
    if (!(draft->open = find_open(draft->flags, draft->words, draft->word_count)))
        return kiln_status_out_of_memory();
    KILN_TRY(make_closed(draft, &plan->arguments));
    KILN_TRY(make_hints(draft, plan->arguments));
    KILN_TRY(kiln_launch_key(draft->flags, &draft->problem, plan->arguments, &plan->key));
    draft->problem.arguments = plan->key;
    KILN_TRY(look_up(draft, use, &plan->match));
    KILN_TRY(complete_arguments(draft, plan));
    for (size_t i = 0; i < plan->count; i++)
        KILN_TRY(make_call(draft, plan, i));
    return KILN_OK;
}

kiln_status_t kiln_launch_plan_make(const kiln_launch_flags_t *flags,
                                    const kiln_tune_problem_t *problem, kiln_tune_use_t use,
                                    char **words, size_t word_count, kiln_launch_plan_t *out_plan)
{
    *out_plan = (kiln_launch_plan_t){0};
    draft_t draft = {.flags = flags,
                     .words = words,
                     .word_count = word_count,
                     .options = *problem->options,
                     .problem = *problem};
    draft.problem.options = &draft.options;
    kiln_status_t status = make(&draft, use, out_plan);
    free_draft(&draft);
    return status;
}

void kiln_launch_plan_free(kiln_launch_plan_t *plan)
{
    for (size_t i = 0; i < 1 + KILN_LAUNCH_MAX_STEPS; i++) {
        kiln_settings_free(&plan->settings[i]);
        free(plan->own[i]);
        free(plan->configs[i]);
    }
    kiln_settings_free(&plan->tuned);
    kiln_launch_sequence_free(&plan->sequence);
    kiln_arguments_release(plan->arguments);
    free(plan->match.config);
    free(plan->match.arguments);
    free(plan->key);
    *plan = (kiln_launch_plan_t){0};
}

static bool is_same_kernel(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

kiln_status_t kiln_launch_plan_config(const kiln_launch_plan_t *plan,
                                      const kiln_jit_tune_request_t *request, char **out_config)
{
    for (size_t i = 0; i < plan->count && plan->match.config; i++)
        if (request->call->source.text == plan->calls[i].source.text &&
            is_same_kernel(request->kernel, plan->calls[i].kernel)) {
            *out_config = strdup(plan->configs[i]);
            return *out_config ? KILN_OK : kiln_status_out_of_memory();
        }
    return kiln_status_make(KILN_STATUS_NOT_FOUND, "nothing was tuned");
}
