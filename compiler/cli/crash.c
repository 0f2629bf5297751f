// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reproducers: the command line as a comment, then the input, in a file of the temporary directory.
#include "crash.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string.h"
#include "codegen/llvm_shim.h"
#include "device_flags.h"

static char *remembered; // the reproducer's contents
static size_t remembered_length, command_length;
static char directory[512] = "/tmp";

static void write_all(int file, const char *data, size_t length)
{
    while (length) {
        ssize_t written = write(file, data, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return;
        data += written;
        length -= (size_t)written;
    }
}

static void write_text(const char *text)
{
    write_all(STDERR_FILENO, text, strlen(text));
}

// Only async-signal-safe calls from here on.
void kiln_crash_report(void)
{
    if (!remembered)
        return;
    char path[600], digits[24];
    size_t count = 0;
    for (unsigned long pid = (unsigned long)getpid(); pid || !count; pid /= 10)
        digits[count++] = (char)('0' + pid % 10);
    size_t length = strlen(directory);
    memcpy(path, directory, length);
    memcpy(path + length, "/kiln-reproducer-", 17);
    length += 17;
    while (count)
        path[length++] = digits[--count];
    memcpy(path + length, ".txt", 5);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    if (file < 0) {
        write_text("kiln: cannot write a reproducer\n");
        return;
    }
    write_all(file, remembered, remembered_length);
    close(file);
    write_text("kiln: please report this with the reproducer ");
    write_text(path);
    write_text("\n");
}

static void on_signal(int number)
{
    signal(number, SIG_DFL);
    write_text("kiln: internal error: the command crashed (");
    write_text(number == SIGSEGV   ? "segmentation fault"
               : number == SIGABRT ? "abort"
                                   : "fatal signal");
    write_text(")\n");
    kiln_crash_report();
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
    const char *temporary = getenv("TMPDIR");
    if (temporary && *temporary && strlen(temporary) < sizeof directory)
        strcpy(directory, temporary);
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

void kiln_crash_remember(int argc, char **argv)
{
    kiln_string_t string = {0};
    kiln_string_append(&string, "// kiln");
    for (int i = 0; i < argc; i++)
        kiln_string_appendf(&string, " %s", argv[i]);
    kiln_string_append(&string, "\n");
    free(remembered);
    remembered_length = command_length = string.length;
    remembered = kiln_string_take(&string);
}

void kiln_crash_remember_input(const char *text, size_t length)
{
    kiln_string_t string = {0};
    kiln_string_append_bytes(&string, remembered, remembered ? command_length : 0);
    kiln_string_append_bytes(&string, text, length);
    char *old = remembered;
    const size_t all = string.length;
    remembered_length = 0; // a signal may arrive in between
    remembered = kiln_string_take(&string);
    remembered_length = remembered ? all : 0;
    free(old);
}
