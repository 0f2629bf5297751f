// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the device of `kiln prof`, and runs the program (launcher.h).
#include "launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/string.h"
#include "cli/device_flags.h"
#include "cli/verbs.h"
#include "kiln/runtime.h"

// The device --------------------------------------------------------------------------------------

bool kiln_prof_wants_gpu(void)
{
    const char *kind = kiln_environment("KILN_DEVICE");
    return kind && strcmp(kind, "hip") == 0;
}

// The directory of a file; NULL if memory is exhausted or the file does not exist.
static char *directory_of(const char *file)
{
    char *path = realpath(file, NULL), *slash = path ? strrchr(path, '/') : NULL;
    if (slash)
        *slash = '\0';
    return path;
}

// The simulator under the names of HIP libraries.
static kiln_status_t find_simulator(kiln_prof_launcher_t *launcher, const char *library)
{
    char *path = directory_of(library);
    launcher->libraries = path ? kiln_path_join(path, "hip") : NULL;
    free(path);
    if (!launcher->libraries)
        return kiln_status_out_of_memory();
    bool exists;
    KILN_TRY(kiln_file_find(launcher->libraries, &exists));
    return exists ? KILN_OK
                  : kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                     "no directory '%s', which holds the simulator as "
                                     "libamdhip64.so; is Kiln installed completely?",
                                     launcher->libraries);
}

// Beside the libraries of a build, or installed.
static kiln_status_t find_profiler(kiln_prof_launcher_t *launcher)
{
    static const char *const places[] = {"../lib/libkiln-prof.so",
                                         "../" KILN_LIBDIR "/kiln/libkiln-prof.so"};
    char *own = directory_of("/proc/self/exe");
    bool exists = false;
    kiln_status_t status = own ? KILN_OK : kiln_status_out_of_memory();
    for (size_t i = 0; !status && !exists && i < sizeof places / sizeof *places; i++) {
        free(launcher->preloaded);
        launcher->preloaded = kiln_path_join(own, places[i]);
        status = launcher->preloaded ? kiln_file_find(launcher->preloaded, &exists)
                                     : kiln_status_out_of_memory();
    }
    free(own);
    return status || exists ? status
                            : kiln_status_make(KILN_STATUS_UNAVAILABLE,
                                               "no file '%s', which times the work of a program on "
                                               "a GPU; is Kiln installed completely?",
                                               launcher->preloaded);
}

// Opening the device also checks its options. A GPU's HIP library is the one of --hip-library, or
// the one that the program would load anyway.
static kiln_status_t find_device(kiln_prof_launcher_t *launcher)
{
    kiln_device_t *device;
    const bool gpu = kiln_prof_wants_gpu();
    const char *given = kiln_environment("KILN_HIP_LIBRARY");
    if (!gpu)
        kiln_flag_override("KILN_DEVICE", "sim");
    KILN_TRY(kiln_device_from_environment(&device));
    const kiln_device_properties_t *properties = kiln_device_properties(device);
    launcher->device = strdup(properties->name);
    launcher->source = (kiln_prof_source_t){
        .is_measured = gpu,
        .device = launcher->device,
        .is_simulator = gpu && *kiln_device_supported_checks(device) != 0,
    };
    kiln_status_t status = KILN_OK;
    if (!gpu)
        status = find_simulator(launcher, properties->library);
    else
        status = find_profiler(launcher);
    // The directory as given: links in it may have the names of HIP libraries.
    const char *slash = gpu && given ? strrchr(given, '/') : NULL;
    if (slash && !(launcher->libraries = strndup(given, (size_t)(slash - given))))
        status = status ? status : kiln_status_out_of_memory();
    kiln_device_release(device);
    return status || launcher->device ? status : kiln_status_out_of_memory();
}

static kiln_status_t make_log(kiln_prof_launcher_t *launcher)
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
    launcher->has_log = file >= 0;
    launcher->log = path;
    return status;
}

kiln_status_t kiln_prof_launcher_begin(kiln_prof_launcher_t *launcher)
{
    *launcher = (kiln_prof_launcher_t){0};
    KILN_TRY(find_device(launcher));
    return make_log(launcher);
}

void kiln_prof_launcher_end(kiln_prof_launcher_t *launcher)
{
    if (launcher->has_log)
        unlink(launcher->log);
    free(launcher->log);
    free(launcher->libraries);
    free(launcher->preloaded);
    free(launcher->device);
}

// The program's environment -----------------------------------------------------------------------

// Flags become variables of the program, because its libraries read only these.
static bool pass_flags(kiln_actor_t actor)
{
    const kiln_environment_row_t *row;
    for (size_t i = 0; (row = kiln_environment_row(i)); i++) {
        const char *value = row->actor == actor ? kiln_environment(row->variable) : NULL;
        if (value && setenv(row->variable, value, 1) != 0)
            return false;
    }
    return true;
}

// Puts a path before those that a variable has.
static bool prepend(const char *variable, const char *path)
{
    const char *before = getenv(variable);
    if (!path)
        return true;
    char *all = before && *before ? kiln_string_print("%s:%s", path, before) : strdup(path);
    const bool good = all && setenv(variable, all, 1) == 0;
    free(all);
    return good;
}

static bool set_environment(const kiln_prof_launcher_t *launcher,
                            const kiln_prof_findings_t *findings)
{
    const bool gpu = launcher->source.is_measured;
    return (!findings || setenv("KILN_SIM_REPLAYS", findings->path, 1) == 0) &&
           pass_flags(gpu ? KILN_ACTOR_HIP : KILN_ACTOR_SIM) &&
           prepend("LD_LIBRARY_PATH", launcher->libraries) &&
           prepend("LD_PRELOAD", launcher->preloaded) &&
           setenv("KILN_DEVICE", gpu ? "hip" : "sim", 1) == 0 &&
           setenv(gpu ? "KILN_PROF_LOG" : "KILN_SIM_ACTIVITY", launcher->log, 1) == 0;
}

// The program -------------------------------------------------------------------------------------

static void become(const kiln_prof_launcher_t *launcher, char **program, kiln_prof_stdout_t to,
                   const kiln_prof_findings_t *findings, int failed)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGQUIT, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    errno = 0;
    if (set_environment(launcher, findings) &&
        (to == KILN_PROF_OWN_STDOUT || dup2(STDERR_FILENO, STDOUT_FILENO) >= 0))
        execvp(program[0], program);
    const int why = errno ? errno : ENOMEM;
    if (write(failed, &why, sizeof why) != sizeof why)
        _exit(127);
    _exit(127);
}

// Waits for the program's end. Without findings of a launch the others still count.
static void wait_for(pid_t child, kiln_prof_findings_t *findings, int *out_state)
{
    enum { POLL_MS = 20 };
    struct pollfd listener = {.fd = findings ? findings->listener : -1, .events = POLLIN};
    for (;;) {
        const pid_t ended = waitpid(child, out_state, findings ? WNOHANG : 0);
        if (ended == child || (ended < 0 && errno != EINTR))
            return;
        if (findings && poll(&listener, 1, POLL_MS) > 0)
            kiln_cli_report(kiln_prof_findings_accept(findings));
    }
}

kiln_status_t kiln_prof_launcher_run(const kiln_prof_launcher_t *launcher, char **program,
                                     kiln_prof_stdout_t to, kiln_prof_findings_t *findings,
                                     kiln_prof_end_t *out_end)
{
    int failed[2], state, why = 0;
    if (pipe2(failed, O_CLOEXEC) != 0)
        return kiln_status_make(KILN_STATUS_IO, "cannot create a pipe: %s", strerror(errno));
    signal(SIGINT, SIG_IGN); // for the program; its work until then is reported
    signal(SIGQUIT, SIG_IGN);
    void (*const on_pipe)(int) = signal(SIGPIPE, SIG_IGN); // if the program ends during a search
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        become(launcher, program, to, findings, failed[1]);
    close(failed[1]);
    if (child < 0) {
        signal(SIGPIPE, on_pipe);
        close(failed[0]);
        return kiln_status_make(KILN_STATUS_IO, "cannot start a process: %s", strerror(errno));
    }
    const bool started = read(failed[0], &why, sizeof why) != sizeof why;
    close(failed[0]);
    wait_for(child, findings, &state);
    signal(SIGPIPE, on_pipe);
    if (!started)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "cannot run '%s': %s; expected a HIP program", program[0],
                                strerror(why));
    if (WIFEXITED(state)) {
        *out_end = (kiln_prof_end_t){.code = WEXITSTATUS(state)};
        return KILN_OK;
    }
    *out_end = (kiln_prof_end_t){.code = 128 + WTERMSIG(state), .signal = WTERMSIG(state)};
    fprintf(stderr, "kiln: '%s' was ended by signal %d (%s)\n", program[0], out_end->signal,
            strsignal(out_end->signal));
    return KILN_OK;
}
