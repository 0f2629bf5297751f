// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A HIP program that knows nothing of Kiln: it loads libamdhip64.so as IREE does, and launches a
// kernel of a code object on two streams and in a graph. With LINKED, it is linked with the
// library; with TIMER, a signal interrupts its system calls each millisecond. client OBJECT [EXIT
// CODE]
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum { COUNT = 100000, BLOCK = 256, TO_DEVICE = 1, TO_HOST = 2 };

static void *library;

#ifdef LINKED
extern int hipInit(unsigned flags);
#define OPEN() (hipInit(0) == 0 ? dlopen(NULL, RTLD_NOW) : NULL)
#else
#define OPEN() dlopen("libamdhip64.so", RTLD_NOW)
#endif

static int (*entry(const char *name))()
{
    int (*found)() = (int (*)())dlsym(library, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    return found;
}

#define CALL(name, ...)                                                                            \
    do {                                                                                           \
        int error = entry(#name)(__VA_ARGS__);                                                     \
        if (error) {                                                                               \
            fprintf(stderr, #name ": %d\n", error);                                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void launch(void *function, void *stream, void *x, void *y, int count)
{
    void *arguments[] = {&x, &x, &y, &count};
    CALL(hipModuleLaunchKernel, function, (count + BLOCK - 1) / BLOCK, 1, 1, 256, 1, 1, 0, stream,
         arguments, (void **)0);
}

#ifdef TIMER
static void ignore(int number)
{
    (void)number;
}

static void start_timer(void)
{
    const struct itimerval each = {{0, 1000}, {0, 1000}};
    const struct sigaction action = {.sa_handler = ignore}; // without SA_RESTART
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &each, NULL);
}
#else
#define start_timer() (void)0
#endif

int main(int argc, char **argv)
{
    static float host[COUNT];
    void *module, *function, *streams[2], *graph, *exec, *x, *y[2];
    if (argc < 2 || !(library = OPEN())) {
        fprintf(stderr, "%s\n", argc < 2 ? "no object" : dlerror());
        return 1;
    }
    start_timer();
    CALL(hipModuleLoad, &module, argv[1]);
    CALL(hipModuleGetFunction, &function, module, "vec_add");
    CALL(hipMalloc, &x, sizeof host);
    for (int i = 0; i < COUNT; i++)
        host[i] = (float)i;
    CALL(hipMemcpy, x, host, sizeof host, TO_DEVICE);
    for (int s = 0; s < 2; s++) {
        CALL(hipStreamCreate, &streams[s]);
        CALL(hipMalloc, &y[s], sizeof host);
        for (int i = 0; i < 5; i++)
            launch(function, streams[s], x, y[s], COUNT);
    }
    CALL(hipStreamBeginCapture, streams[0], 0);
    launch(function, streams[0], x, y[0], 1000);
    launch(function, streams[0], x, y[1], 1000);
    CALL(hipStreamEndCapture, streams[0], &graph);
    CALL(hipGraphInstantiate, &exec, graph, (void *)0, (void *)0, (size_t)0);
    for (int i = 0; i < 3; i++)
        CALL(hipGraphLaunch, exec, streams[0]);
    CALL(hipDeviceSynchronize);
    CALL(hipMemcpy, host, y[1], sizeof host, TO_HOST);
    printf("%g %g\n", host[0], host[COUNT - 1]);
    return argc > 2 ? atoi(argv[2]) : 0;
}
