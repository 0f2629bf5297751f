// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// kiln prof: runs a HIP program on the simulator and reports where its time goes.
//
// The program loads the simulator as its HIP library through LD_LIBRARY_PATH. The simulator logs
// the activity of streams to a file (option `activity`), which is read when the program has ended.
// All simulator flags reach the program as environment variables.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/string.h"
#include "base/suggest.h"
#include "cli/compare/compare.h"
#include "cli/device_flags.h"
#include "cli/pages.h"
#include "cli/prof/log.h"
#include "cli/prof/table.h"
#include "cli/prof/trace.h"
#include "cli/verbs.h"
#include "kiln/runtime.h"

typedef struct prof_flags {
    const char *output, *trace, *kernel, *base;
    kiln_prof_form_t form;
    double tolerance; // percent; negative: none
} prof_flags_t;

typedef struct session {
    prof_flags_t flags;
    char *libraries; // folder of the simulator under the names of HIP libraries
    char *device;    // its name
    char *log;       // path
    bool has_log;
} session_t;

// The simulator -----------------------------------------------------------------------------------

// Finds the simulator by opening it, which also checks its options.
static kiln_status_t find_simulator(session_t *session)
{
    kiln_device_t *device;
    kiln_flag_override("KILN_DEVICE", "sim");
    KILN_TRY(kiln_device_from_environment(&device));
    const kiln_device_properties_t *properties = kiln_device_properties(device);
    char *path = realpath(properties->library, NULL), *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = '\0';
    session->libraries = slash ? kiln_path_join(path, "hip") : NULL;
    session->device = strdup(properties->name);
    free(path);
    kiln_device_release(device);
    if (!session->libraries || !session->device)
        return kiln_status_out_of_memory();
    bool exists;
    KILN_TRY(kiln_file_find(session->libraries, &exists));
    return exists ? KILN_OK
                  : kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                     "no directory '%s', which holds the simulator as "
                                     "libamdhip64.so; is Kiln installed completely?",
                                     session->libraries);
}

// Flags of the simulator become variables of the program, because its libraries read only these.
static bool pass_flags(void)
{
    const kiln_environment_row_t *row;
    for (size_t i = 0; (row = kiln_environment_row(i)); i++) {
        const char *value = row->actor == KILN_ACTOR_SIM ? kiln_environment(row->variable) : NULL;
        if (value && setenv(row->variable, value, 1) != 0)
            return false;
    }
    return true;
}

static bool set_environment(const session_t *session)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    char *path = before && *before ? kiln_string_print("%s:%s", session->libraries, before)
                                   : strdup(session->libraries);
    const bool good = pass_flags() && path && setenv("LD_LIBRARY_PATH", path, 1) == 0 &&
                      setenv("KILN_DEVICE", "sim", 1) == 0 &&
                      setenv("KILN_SIM_ACTIVITY", session->log, 1) == 0;
    free(path);
    return good;
}

// The program -------------------------------------------------------------------------------------

static void become(const session_t *session, char **program, int failed)
{
    const bool own_stdout = session->flags.form == KILN_PROF_TEXT || session->flags.output;
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    errno = 0;
    if (set_environment(session) && (own_stdout || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0))
        execvp(program[0], program);
    const int why = errno ? errno : ENOMEM;
    if (write(failed, &why, sizeof why) != sizeof why)
        _exit(127);
    _exit(127);
}

// Runs the program to its end. *out_code is its exit code, or 128 plus the signal that ended it.
static kiln_status_t run(const session_t *session, char **program, int *out_code)
{
    int failed[2], state, why = 0;
    if (pipe2(failed, O_CLOEXEC) != 0)
        return kiln_status_make(KILN_STATUS_IO, "cannot create a pipe: %s", strerror(errno));
    signal(SIGINT, SIG_IGN); // for the program; its work until then is reported
    signal(SIGQUIT, SIG_IGN);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        become(session, program, failed[1]);
    close(failed[1]);
    if (child < 0) {
        close(failed[0]);
        return kiln_status_make(KILN_STATUS_IO, "cannot start a process: %s", strerror(errno));
    }
    const bool started = read(failed[0], &why, sizeof why) != sizeof why;
    close(failed[0]);
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        continue;
    if (!started)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "cannot run '%s': %s; expected a HIP program", program[0],
                                strerror(why));
    *out_code = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    if (WIFSIGNALED(state))
        fprintf(stderr, "kiln: '%s' was ended by signal %d (%s)\n", program[0], WTERMSIG(state),
                strsignal(WTERMSIG(state)));
    return KILN_OK;
}

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
        flags->base ? kiln_prof_compare(out, log, flags->base, flags->tolerance)
                    : kiln_prof_write(out, log, session->device, flags->kernel, flags->form);
    if (out == stdout)
        return status;
    bool written = !ferror(out);
    written = fclose(out) == 0 && written;
    return status || written ? status
                             : kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s",
                                                flags->output, strerror(errno));
}

static kiln_status_t report(const session_t *session, const char *program)
{
    kiln_prof_log_t log;
    kiln_status_t status = kiln_prof_log_read(session->log, &log);
    if (!status && log.count == 0)
        status = kiln_status_make(
            KILN_STATUS_UNAVAILABLE,
            "'%s' did nothing on the simulator: it makes no HIP calls, or loads another "
            "libamdhip64.so than that of LD_LIBRARY_PATH",
            program);
    if (!status)
        status = write_report(session, &log);
    if (!status && session->flags.trace)
        status = kiln_prof_trace_write(session->flags.trace, &log);
    kiln_prof_log_free(&log);
    return status;
}

static kiln_status_t make_log(session_t *session)
{
    // The program may change its directory.
    const char *given = getenv("TMPDIR");
    char *folder = realpath(given && *given ? given : "/tmp", NULL);
    char *path = kiln_path_join(folder ? folder : "/tmp", "kiln-prof-XXXXXX");
    free(folder);
    const int file = path ? mkostemp(path, O_CLOEXEC) : -1;
    kiln_status_t status = !path      ? kiln_status_out_of_memory()
                           : file < 0 ? kiln_status_make(KILN_STATUS_IO, "cannot write '%s': %s",
                                                         path, strerror(errno))
                                      : KILN_OK;
    if (file >= 0)
        close(file);
    session->has_log = file >= 0;
    session->log = path;
    return status;
}

// If the program fails, its exit code is passed on.
static int prof(session_t *session, char **program)
{
    int code = 0;
    kiln_status_t status = find_simulator(session);
    status = status ? status : make_log(session);
    status = status ? status : run(session, program, &code);
    status = status ? status : report(session, program[0]);
    if (session->has_log)
        unlink(session->log);
    free(session->log);
    free(session->libraries);
    free(session->device);
    const int own = kiln_cli_report(status);
    return code ? code : own;
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
        return kiln_flag_take(flag, value);
    }
}

static kiln_status_t refuse_idle(const prof_flags_t *flags)
{
    if (flags->base && (flags->kernel || flags->form != KILN_PROF_TEXT))
        return kiln_status_make(KILN_STATUS_USAGE,
                                "--compare prints text about all kernels, so --kernel, --json and "
                                "--csv have no effect here");
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
    for (int flag; (flag = kiln_words_next(&words, argc, argv)) != -1;) {
        if (flag == KILN_FLAG_HELP)
            return kiln_usage(stdout, "prof");
        if (!take_flag(&session.flags, flag, optarg))
            return kiln_words_refuse(&words, flag);
    }
    if (optind == argc)
        return kiln_usage(stderr, "prof");
    kiln_flag_default("KILN_SIM_CLOCK", "model");
    kiln_flag_default("KILN_SIM_REPEATS", "once");
    if (session.flags.kernel)
        kiln_flag_default("KILN_SIM_STALLS", session.flags.kernel);
    kiln_status_t status = refuse_idle(&session.flags);
    if (!status)
        status = kiln_flag_requires_prediction("kiln prof");
    if (!status && kiln_flag_given("--sim-activity"))
        status = kiln_status_make(KILN_STATUS_USAGE,
                                  "--sim-activity has no effect here: kiln prof reads the log "
                                  "itself; see --json and --trace");
    return status ? kiln_cli_report(status) : prof(&session, argv + optind);
}
