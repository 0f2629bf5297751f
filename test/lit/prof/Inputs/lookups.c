// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A HIP program that gets entry points from hipGetProcAddress, and launches a kernel in a child
// process and in two threads. lookups OBJECT
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LAUNCHES = 3000, SUCCESS = 0 };

static int (*get)(const char *, void **, int, uint64_t, void *);
static const char *object;

static int (*entry(const char *name))()
{
    void *found = NULL;
    if (get(name, &found, 60000000, 0, NULL) != SUCCESS || !found) {
        fprintf(stderr, "no %s\n", name);
        _exit(1);
    }
    return (int (*)())found;
}

static void *work(void *count)
{
    void *module, *function, *x;
    int n = 256, bad = 0;
    bad |= entry("hipModuleLoad")(&module, object);
    bad |= entry("hipModuleGetFunction")(&function, module, "vec_add");
    bad |= entry("hipMalloc")(&x, (size_t)4 * n);
    bad |= entry("hipMemset")(x, 0, (size_t)4 * n);
    void *arguments[] = {&x, &x, &x, &n};
    int (*launch)() = entry("hipModuleLaunchKernel");
    for (int i = 0; i < *(int *)count; i++)
        bad |= launch(function, 1, 1, 1, 256, 1, 1, 0, (void *)0, arguments, (void **)0);
    bad |= entry("hipDeviceSynchronize")();
    bad |= entry("hipGetLastError")();
    if (bad) {
        fprintf(stderr, "failed\n");
        _exit(1);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int count = LAUNCHES, few = 5, state;
    pthread_t threads[2];
    void *library = dlopen("libamdhip64.so", RTLD_NOW | RTLD_LOCAL);
    object = argv[argc - 1];
    if (!library || !(get = (int (*)(const char *, void **, int, uint64_t, void *))dlsym(
                          library, "hipGetProcAddress")))
        return 1;
    if (!dlsym(RTLD_NEXT, "malloc"))
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, &count);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    const pid_t child = fork();
    if (child == 0) {
        work(&few);
        exit(0);
    }
    waitpid(child, &state, 0);
    printf("child %d\n", state);
    return 0;
}
