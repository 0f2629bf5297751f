// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reproducers: the command line as a comment, then the input, in a file of the temporary directory.
#include "cli/reproducer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/string.h"

typedef struct text {
    size_t length;
    char bytes[];
} text_t;

// The reproducer's contents: the command line, then what the crashing thread read last. A thread
// that read nothing works on what the main thread read.
static text_t *command, *main_input;
static pthread_t main_thread;
static pthread_key_t own_input; // of each other thread, which frees it when it ends
static char directory[512] = "/tmp";

static text_t *copy(const char *bytes, size_t length)
{
    text_t *text = malloc(sizeof *text + length);
    if (!text)
        return NULL;
    text->length = length;
    memcpy(text->bytes, bytes, length);
    return text;
}

void kiln_reproducer_begin(int argc, char **argv)
{
    kiln_string_t string = {0};
    kiln_string_append(&string, "// kiln");
    for (int i = 0; i < argc; i++)
        kiln_string_appendf(&string, " %s", argv[i]);
    kiln_string_append(&string, "\n");
    main_thread = pthread_self();
    const char *temporary = getenv("TMPDIR");
    if (temporary && *temporary && strlen(temporary) < sizeof directory)
        strcpy(directory, temporary);
    if (!string.failed && !command && pthread_key_create(&own_input, free) == 0)
        command = copy(string.data, string.length);
    kiln_string_free(&string);
}

void kiln_reproducer_set_input(const char *bytes, size_t length)
{
    if (!command)
        return;
    const bool is_main = pthread_equal(pthread_self(), main_thread) != 0;
    text_t *old = is_main ? main_input : pthread_getspecific(own_input),
           *text = copy(bytes, length);
    if (is_main)
        main_input = text;
    else if (pthread_setspecific(own_input, text) != 0)
        old = text; // there is no memory for it, and the key still has the one before
    free(old);
}

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

// glibc reads a thread's value of a key without locks or memory, so a signal handler may, too.
static const text_t *input_of_thread(void)
{
    const text_t *own =
        pthread_equal(pthread_self(), main_thread) ? NULL : pthread_getspecific(own_input);
    return own ? own : main_input;
}

// Only async-signal-safe calls from here on.

static size_t append_number(char *to, unsigned long number)
{
    char digits[24];
    size_t count = 0, length = 0;
    for (; number || !count; number /= 10)
        digits[count++] = (char)('0' + number % 10);
    while (count)
        to[length++] = digits[--count];
    return length;
}

// Creates a file that no other crash, of this process or of an earlier one with its number, has
// written: kiln-reproducer-PID.txt, else kiln-reproducer-PID-2.txt, and so on.
static int create_file(char *path)
{
    enum { FILES = 10000 };
    size_t length = strlen(directory);
    memcpy(path, directory, length);
    memcpy(path + length, "/kiln-reproducer-", 17);
    length += 17;
    length += append_number(path + length, (unsigned long)getpid());
    int file = -1;
    errno = EEXIST;
    for (unsigned number = 1; file < 0 && errno == EEXIST && number <= FILES; number++) {
        size_t end = length;
        if (number > 1) {
            path[end++] = '-';
            end += append_number(path + end, number);
        }
        memcpy(path + end, ".txt", 5);
        file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    }
    return file;
}

void kiln_reproducer_write(void)
{
    if (!command)
        return;
    char path[600];
    const int file = create_file(path);
    if (file < 0) {
        write_text("kiln: cannot write a reproducer\n");
        return;
    }
    const text_t *input = input_of_thread();
    write_all(file, command->bytes, command->length);
    if (input)
        write_all(file, input->bytes, input->length);
    close(file);
    write_text("kiln: please report this with the reproducer ");
    write_text(path);
    write_text("\n");
}
