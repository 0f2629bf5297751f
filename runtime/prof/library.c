// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the HIP library's functions, and gives the program this library's in their place.
//
// Programs load HIP libraries in several ways: linked, by dlopen with RTLD_LOCAL, or as a part of a
// Python package. The first function that is looked up or called decides which library is meant.
#include "prof/prof.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static const char *const names[KILN_PROF_FUNCTIONS] = {
#define KILN_PROF_FUNCTION(result, name, parameters) #name,
#include "prof/functions.def"
#undef KILN_PROF_FUNCTION
};

#define KILN_PROF_FUNCTION(result, name, parameters) extern result name parameters;
#include "prof/functions.def"
#undef KILN_PROF_FUNCTION

static void *own(size_t function)
{
    static void *const all[KILN_PROF_FUNCTIONS] = {
#define KILN_PROF_FUNCTION(result, name, parameters) (void *)name,
#include "prof/functions.def"
#undef KILN_PROF_FUNCTION
    };
    return all[function];
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library; // handle of the HIP library; NULL before the first function
static void *real[KILN_PROF_FUNCTIONS];

// dlsym of the C library.
typedef void *lookup_t(void *handle, const char *name);

static lookup_t *lookup(void)
{
    static lookup_t *found;
    lookup_t *known = __atomic_load_n(&found, __ATOMIC_RELAXED);
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (size_t i = 0; !known && i < sizeof versions / sizeof *versions; i++)
        known = (lookup_t *)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    __atomic_store_n(&found, known, __ATOMIC_RELAXED);
    return known;
}

static void *find(void *handle, const char *name)
{
    lookup_t *found = lookup();
    return found ? found(handle, name) : NULL;
}

// The library that contains a function becomes the HIP library, if none is yet.
static void take_library_of(void *function)
{
    Dl_info info;
    pthread_mutex_lock(&lock);
    if (!library && dladdr(function, &info) && info.dli_fname)
        library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    pthread_mutex_unlock(&lock);
}

static int find_loaded(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    const char *slash = strrchr(info->dlpi_name, '/'), *base = slash ? slash + 1 : info->dlpi_name;
    if (strncmp(base, "libamdhip64.so", 14) != 0)
        return 0;
    *(const char **)out = info->dlpi_name;
    return 1;
}

// For calls of programs that are linked with the library.
static void take_loaded_library(const char *name)
{
    const char *path = NULL;
    void *next = find(RTLD_NEXT, name);
    if (next) {
        take_library_of(next);
        return;
    }
    dl_iterate_phdr(find_loaded, &path);
    pthread_mutex_lock(&lock);
    if (!library && path)
        library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    pthread_mutex_unlock(&lock);
}

void *kiln_prof_find(const char *name)
{
    return library ? find(library, name) : NULL;
}

void *kiln_prof_real(kiln_prof_function_t function)
{
    void *found = __atomic_load_n(&real[function], __ATOMIC_ACQUIRE);
    if (found)
        return found;
    if (!library)
        take_loaded_library(names[function]);
    found = kiln_prof_find(names[function]);
    __atomic_store_n(&real[function], found, __ATOMIC_RELEASE);
    return found;
}

static size_t function_of(const char *name)
{
    size_t i = 0;
    while (i < KILN_PROF_FUNCTIONS && strcmp(names[i], name) != 0)
        i++;
    return i;
}

void *kiln_prof_replace(const char *name, void *found)
{
    const size_t function = function_of(name);
    if (function == KILN_PROF_FUNCTIONS || !found || found == own(function))
        return found;
    if (!library)
        take_library_of(found);
    return kiln_prof_find(name) == found ? own(function) : found;
}

// Functions of other libraries are looked up by a jump, so that the C library sees the caller, on
// which RTLD_NEXT and RTLD_DEFAULT depend.
EXPORT void *dlsym(void *handle, const char *name)
{
    if (strncmp(name, "hip", 3) != 0 || function_of(name) == KILN_PROF_FUNCTIONS)
        return lookup()(handle, name);
    return kiln_prof_replace(name, find(handle, name));
}
