// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the HIP library's functions, and gives the program this library's in their place.
//
// Programs load HIP libraries in several ways: linked, by dlopen with RTLD_LOCAL, or as a part of a
// Python package. The first function that is looked up or called decides which library is meant.
#include "prof/prof.h"

#include <dlfcn.h>
#include <link.h>
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

static void *library; // handle of the HIP library; NULL before the first function
static void *real[KILN_PROF_FUNCTIONS];

static void *known_library(void)
{
    return __atomic_load_n(&library, __ATOMIC_ACQUIRE);
}

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

// A library becomes the HIP library, if none is yet. No lock: the loader has one of its own, which
// a thread that calls from a constructor already holds.
static void take_library(void *opened)
{
    void *none = NULL;
    if (opened && !__atomic_compare_exchange_n(&library, &none, opened, false, __ATOMIC_ACQ_REL,
                                               __ATOMIC_ACQUIRE))
        dlclose(opened);
}

// Opens the library that contains a function; NULL if that is no HIP library, but one that replaces
// single functions of it, as this one does.
static void *open_library_of(void *function)
{
    Dl_info info, of_init;
    if (!dladdr(function, &info) || !info.dli_fname)
        return NULL;
    void *opened = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    void *init = opened ? find(opened, "hipInit") : NULL;
    if (init && dladdr(init, &of_init) && of_init.dli_fbase == info.dli_fbase)
        return opened;
    if (opened)
        dlclose(opened);
    return NULL;
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
    void *next = find(RTLD_NEXT, name), *opened = next ? open_library_of(next) : NULL;
    if (!opened) {
        dl_iterate_phdr(find_loaded, &path);
        opened = path ? dlopen(path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    }
    take_library(opened);
}

void *kiln_prof_find(const char *name)
{
    void *known = known_library();
    return known ? find(known, name) : NULL;
}

// Where the HIP library is global, other preloaded libraries that replace a function precede it,
// and call it themselves.
static void *find_next(const char *name)
{
    void *init = kiln_prof_find("hipInit");
    void *next = init && find(RTLD_NEXT, "hipInit") == init ? find(RTLD_NEXT, name) : NULL;
    return next ? next : kiln_prof_find(name);
}

void *kiln_prof_real(kiln_prof_function_t function)
{
    void *found = __atomic_load_n(&real[function], __ATOMIC_ACQUIRE);
    if (found)
        return found;
    if (!known_library())
        take_loaded_library(names[function]);
    found = find_next(names[function]);
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
    if (!known_library())
        take_library(open_library_of(found));
    return kiln_prof_find(name) == found ? own(function) : found;
}

// Other functions, and the next one after the caller's own, are looked up by a jump, so that the C
// library sees the caller, on which RTLD_NEXT and RTLD_DEFAULT depend. Only optimizing compilers
// make it one (CMakeLists.txt).
EXPORT void *dlsym(void *handle, const char *name)
{
    lookup_t *const found = lookup();
    if (!found)
        return NULL;
    const size_t function = strncmp(name, "hip", 3) == 0 ? function_of(name) : KILN_PROF_FUNCTIONS;
    if (handle == RTLD_NEXT || function == KILN_PROF_FUNCTIONS)
        return found(handle, name);
    void *result = found(handle, name);
    // Among the global functions this library's come first, whether there is a HIP library or not.
    if (handle == RTLD_DEFAULT && result == own(function) &&
        !kiln_prof_real((kiln_prof_function_t)function))
        return NULL;
    return kiln_prof_replace(name, result);
}
