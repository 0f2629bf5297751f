// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals and exhausted memory, for which the command has only async-signal-safe calls.
#include "cli/crash.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cli/device_flags.h"
#include "cli/reproducer.h"
#include "codegen/llvm_shim.h"

static void write_text(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return; // nobody is left to tell
}

static void on_signal(int number)
{
    signal(number, SIG_DFL);
    write_text("kiln: internal error: the command crashed (");
    write_text(number == SIGSEGV   ? "segmentation fault"
               : number == SIGABRT ? "abort"
                                   : "fatal signal");
    write_text(")\n");
    kiln_reproducer_write();
    _exit(70);
}

static void on_no_memory(void)
{
    write_text("kiln: error: out of memory\n");
    _exit(kiln_exit_code(KILN_STATUS_OUT_OF_RESOURCES));
}

void kiln_crash_watch(void)
{
    kiln_shim_on_no_memory(on_no_memory);
#if !defined(__SANITIZE_ADDRESS__) &&                                                              \
    !defined(__SANITIZE_THREAD__) // the sanitizer's own report is more useful
    // After a stack overflow the handler needs a stack of its own.
    static char stack[64 << 10];
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    static const int numbers[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
#else
    (void)on_signal;
#endif
}
