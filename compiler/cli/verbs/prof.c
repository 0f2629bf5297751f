// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln prof: runs a HIP program on the simulator or a GPU and reports where its time goes, from a
// log that is read when the program has ended (cli/prof/launcher.h).
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "cli/compare/compare.h"
#include "cli/device_flags.h"
#include "cli/option_flags.h"
#include "cli/pages.h"
#include "cli/prof/launcher.h"
#include "cli/prof/table.h"
#include "cli/prof/trace.h"
#include "cli/verbs.h"

typedef struct prof_flags {
    const char *output, *trace, *kernel, *base, *report;
    kiln_prof_form_t form;
    long top;         // 0: all
    double tolerance; // percent; negative: none
} prof_flags_t;

typedef struct session {
    prof_flags_t flags;
    kiln_prof_launcher_t launcher;
    kiln_prof_findings_t findings; // of flags.kernel
} session_t;

// The report --------------------------------------------------------------------------------------

static kiln_status_t check_kernel(const kiln_prof_log_t *log, const char *kernel)
{
    kiln_suggestion_t near = kiln_suggestion(kernel);
    for (size_t i = 0; i < log->count; i++) {
        if (strcmp(kiln_prof_text(log->lines[i], "kind"), "kernel") != 0)
            continue;
        const char *name = kiln_prof_text(log->lines[i], "name");
        if (strcmp(name, kernel) == 0)
            return KILN_OK;
        kiln_suggestion_consider(&near, name);
    }
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "the program launched no kernel '%s'%s",
                            kernel, kiln_suggestion_advice(&near).text);
}

static kiln_status_t write_report(const session_t *session, const kiln_prof_log_t *log)
{
    const prof_flags_t *flags = &session->flags;
    if (flags->kernel)
        KILN_TRY(check_kernel(log, flags->kernel));
    FILE *out = flags->output ? fopen(flags->output, "we") : stdout;
    if (!out)
        return kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s", flags->output,
                                strerror(errno));
    kiln_status_t status =
        flags->base
            ? kiln_prof_compare(out, log, &session->launcher.source, flags->base, flags->tolerance)
            : kiln_prof_write(out, log, &session->launcher.source, flags->kernel,
                              &session->findings, (size_t)flags->top, flags->form);
    if (out == stdout)
        return status;
    bool written = !ferror(out);
    written = fclose(out) == 0 && written;
    return status || written ? status
                             : kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s",
                                                flags->output, strerror(errno));
}

// The report of the launches that take longest together.
static kiln_status_t write_html(const session_t *session, const kiln_prof_log_t *log)
{
    kiln_prof_sums_t sums;
    const prof_flags_t *flags = &session->flags;
    const kiln_prof_shape_t *shape = NULL;
    KILN_TRY(kiln_prof_summarize(log, KILN_PROF_BY_SHAPE, flags->kernel, &sums));
    for (size_t i = 0; i < sums.count && !shape; i++)
        shape = kiln_prof_findings_of(&session->findings, sums.all[i].first);
    free(sums.all);
    return shape ? kiln_prof_report_write(shape, session->launcher.device, flags->report)
                 : kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                    "no launch of '%s' was predicted, so it has no report",
                                    flags->kernel);
}

// Why the log is empty.
static kiln_status_t nothing_done(const session_t *session, const char *program, int signal)
{
    if (!session->launcher.source.is_measured)
        return kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                "'%s' did nothing on the simulator: it makes no HIP calls, all its "
                                "launches and copies fail, it ends without waiting for them, or it "
                                "loads another libamdhip64.so than that of LD_LIBRARY_PATH",
                                program);
    if (signal)
        return kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                "'%s' was ended by signal %d before it waited for work on a GPU; "
                                "times are logged when the program waits for its work, and when it "
                                "ends by exit()",
                                program, signal);
    return kiln_status_make(KILN_STATUS_UNAVAILABLE,
                            "'%s' did nothing on a GPU that could be timed: it makes no HIP calls, "
                            "ends by _exit() without having waited for its work, or cannot load "
                            "'%s'",
                            program, session->launcher.preloaded);
}

static kiln_status_t report(const session_t *session, const char *program, int signal)
{
    kiln_prof_log_t log;
    kiln_status_t status = kiln_prof_log_read(session->launcher.log, &log);
    if (!status && log.count == 0)
        status = nothing_done(session, program, signal);
    if (!status)
        status = write_report(session, &log);
    if (!status && session->flags.report)
        status = write_html(session, &log);
    if (!status && session->flags.trace)
        status = kiln_prof_trace_write(session->flags.trace, &log, &session->launcher.source);
    kiln_prof_log_free(&log);
    return status;
}

// If the program fails, its exit code is passed on.
static int prof(session_t *session, char **program)
{
    kiln_prof_end_t end = {0};
    const bool own = session->flags.form == KILN_PROF_TEXT || session->flags.output;
    kiln_status_t status = kiln_prof_launcher_begin(&session->launcher);
    const bool finds = session->flags.kernel && !session->launcher.source.is_measured;
    session->findings.kernel = session->flags.kernel;
    if (!status && finds)
        status = kiln_findings_enabled(&session->findings.warnings);
    if (!status && finds)
        status = kiln_prof_findings_listen(&session->findings, session->launcher.log);
    if (!status)
        status = kiln_prof_launcher_run(&session->launcher, program,
                                        own ? KILN_PROF_OWN_STDOUT : KILN_PROF_TO_STDERR,
                                        finds ? &session->findings : NULL, &end);
    status = status ? status : report(session, program[0], end.signal);
    kiln_prof_findings_free(&session->findings);
    kiln_prof_launcher_end(&session->launcher);
    const int failure = kiln_cli_report(status);
    return end.code ? end.code : failure;
}

static bool take_flag(prof_flags_t *flags, int flag, const char *value)
{
    const bool has_form = flags->form != KILN_PROF_TEXT;
    switch (flag) {
    case KILN_FLAG_prof_OUTPUT:
        flags->output = value;
        return true;
    case KILN_FLAG_prof_TRACE:
        flags->trace = value;
        return true;
    case KILN_FLAG_prof_KERNEL:
        flags->kernel = value;
        return true;
    case KILN_FLAG_prof_REPORT:
        flags->report = value;
        return true;
    case KILN_FLAG_prof_TOP:
        return kiln_flag_count(value, &flags->top);
    case KILN_FLAG_prof_COMPARE:
        flags->base = value;
        return true;
    case KILN_FLAG_prof_TOLERANCE:
        return kiln_compare_tolerance(value, &flags->tolerance);
    case KILN_FLAG_prof_JSON:
        flags->form = KILN_PROF_JSON;
        return !has_form;
    case KILN_FLAG_prof_CSV:
        flags->form = KILN_PROF_CSV;
        return !has_form;
    default:
        return kiln_warning_flag_take(flag, value) || kiln_flag_take(flag, value);
    }
}

static kiln_status_t refuse_idle(const prof_flags_t *flags)
{
    if (flags->base && (flags->kernel || flags->form != KILN_PROF_TEXT))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--compare prints text about all kernels, so --kernel, --json and "
                                "--csv have no effect here");
    if (kiln_flag_given("--device") && kiln_uses_interp())
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--device=interp has no effect here: programs run on the simulator "
                                "or a GPU");
    if (flags->top && (!flags->kernel || flags->form != KILN_PROF_TEXT || kiln_prof_wants_gpu()))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--top has no effect here: it limits the text of --kernel on the "
                                "simulator");
    if (flags->report && (!flags->kernel || kiln_prof_wants_gpu()))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--report has no effect here: it requires --kernel, and the "
                                "simulator");
    if (!flags->base && flags->tolerance >= 0)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--tolerance has no effect here: it requires --compare");
    return KILN_OK;
}

int kiln_verb_prof(int argc, char **argv)
{
    kiln_words_t words;
    session_t session = {.flags.tolerance = -1};
    kiln_words_begin(&words, "prof");
    kiln_findings_default();
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "prof");
        if (!take_flag(&session.flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (optind == argc)
        return kiln_usage(stderr, "prof");
    const bool gpu = kiln_prof_wants_gpu();
    if (!gpu) {
        kiln_flag_default("KILN_SIM_CLOCK", "model");
        kiln_flag_default("KILN_SIM_REPEATS", "once");
        if (session.flags.kernel)
            kiln_flag_default("KILN_SIM_STALLS", session.flags.kernel);
    }
    kiln_status_t status = refuse_idle(&session.flags);
    if (!status && !gpu)
        status = kiln_flag_requires_prediction("kiln prof");
    if (!status && kiln_flag_given("--sim-activity"))
        status = kiln_status_make(KILN_STATUS_USAGE,
                                  "--sim-activity has no effect here: kiln prof reads the log "
                                  "itself; see --json and --trace");
    return status ? kiln_cli_report(status) : prof(&session, argv + optind);
}
