// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches on the fake library (test/unit/fake_hip), which fails to record events, but for one
// launch, and prints how many events there are then.
#include <dlfcn.h>
#include <stdio.h>

enum { MANY = 100 };

static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                     void *, void **, void **);
static void *function;

static int launch_times(int count)
{
    int bad = 0;
    for (int i = 0; i < count; i++)
        bad |= launch(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL);
    return bad;
}

int main(void)
{
    void *library = dlopen("fake_gfx942_old.so", RTLD_NOW);
    if (!library)
        return 1;
    const char **fails = dlsym(library, "fakeHipFails");
    int (*get)(void **, void *, const char *) =
        (int (*)(void **, void *, const char *))dlsym(library, "hipModuleGetFunction");
    *(void **)&launch = dlsym(library, "hipModuleLaunchKernel");
    int bad = get(&function, NULL, "idle0");
    *fails = "hipEventRecord";
    bad |= launch_times(MANY);
    *fails = NULL;
    bad |= launch_times(1);
    *fails = "hipEventRecord";
    bad |= launch_times(MANY);
    printf("events: %d\n", *(int *)dlsym(library, "fakeHipEvents"));
    return bad;
}
