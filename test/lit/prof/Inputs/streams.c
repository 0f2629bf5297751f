// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs whose streams a profiler must leave alone. streams OBJECT CASE
//
//   waits    launches on a stream that waits for a word, which the host writes only then
//   never    the same, but the host writes the word at exit, after the profiler's handler
//   killed   launches, waits, and ends by a signal; killed-early: without having waited
//   devices  launches on a stream of another device than the current one
//   forks    forks while another thread launches; the child launches, too
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MANY = 5000, FORKS = 200 };

static void *library, *function, *x;
static volatile int is_over;

#define CALL(name, ...)                                                                            \
    do {                                                                                           \
        int (*entry)() = (int (*)())dlsym(library, #name);                                         \
        int error = entry ? entry(__VA_ARGS__) : -1;                                               \
        if (error) {                                                                               \
            fprintf(stderr, #name ": %d\n", error);                                                \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static void launch(void *stream, int count)
{
    int n = 256;
    void *arguments[] = {&x, &x, &x, &n};
    for (int i = 0; i < count; i++)
        CALL(hipModuleLaunchKernel, function, 1, 1, 1, 256, 1, 1, 0, stream, arguments, (void **)0);
}

static void load(const char *object)
{
    void *module;
    CALL(hipModuleLoad, &module, object);
    CALL(hipModuleGetFunction, &function, module, "vec_add");
    CALL(hipMalloc, &x, (size_t)1024);
}

static uint32_t *word;
static int writes_late;

static void write_word(void)
{
    if (word)
        *(volatile uint32_t *)word = 1;
}

static void wait_for_host(void)
{
    void *stream;
    CALL(hipHostMalloc, &word, (size_t)64, 0u);
    *word = 0;
    CALL(hipStreamCreate, &stream);
    launch((void *)0, 1);
    CALL(hipDeviceSynchronize);
    CALL(hipStreamWaitValue32, stream, word, 1u, 1u, 0xffffffffu);
    launch(stream, MANY);
    if (writes_late)
        exit(0);
    write_word();
    CALL(hipStreamSynchronize, stream);
}

static void *launch_on(void *unused)
{
    (void)unused;
    while (!is_over)
        launch((void *)0, 1);
    return NULL;
}

// The child makes no HIP calls, which would not be allowed, but runs the handlers of exit.
static void fork_often(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, launch_on, NULL);
    for (int i = 0; i < FORKS; i++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            dlsym(library, "hipModuleLaunchKernel");
            exit(0);
        }
        int state;
        waitpid(child, &state, 0);
        if (state)
            printf("child %d\n", state);
    }
    is_over = 1;
    pthread_join(thread, NULL);
    CALL(hipDeviceSynchronize);
}

int main(int argc, char **argv)
{
    void *stream;
    const char *what = argc > 2 ? argv[2] : "";
    writes_late = strcmp(what, "never") == 0;
    if (writes_late)
        atexit(write_word); // handlers run in reverse order
    if (!(library = dlopen("libamdhip64.so", RTLD_NOW)))
        return 1;
    if (strcmp(what, "devices") == 0) {
        CALL(hipSetDevice, 1);
        CALL(hipStreamCreate, &stream);
    }
    load(argv[1]);
    if (strcmp(what, "waits") == 0 || strcmp(what, "never") == 0)
        wait_for_host();
    if (strncmp(what, "killed", 6) == 0) {
        launch((void *)0, 3);
        if (!strchr(what, '-'))
            CALL(hipDeviceSynchronize);
        raise(SIGKILL);
    }
    if (strcmp(what, "devices") == 0) {
        void *y;
        CALL(hipSetDevice, 0);
        CALL(hipMalloc, &y, (size_t)1024);
        CALL(hipMemset, y, 0, (size_t)1024);
        launch(stream, 1);
        CALL(hipSetDevice, 1);
        launch(stream, 2);
        CALL(hipDeviceSynchronize);
    }
    if (strcmp(what, "forks") == 0)
        fork_often();
    puts("done");
    return 0;
}
