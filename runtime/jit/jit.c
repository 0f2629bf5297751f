// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JIT: a table of loaded kernels by key, filled from the disk cache or the compiler, and launches from it.
//
// What is easily got wrong: the lock is never held while compiling or loading. An entry that is being made stays in the
// table as PENDING, and threads that want it wait for its maker.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/versioned.h"
#include "hip/device.h"
#include "jit/cache.h"
#include "jit/manifest.h"
#include "jit/specialize.h"

enum { BUCKET_COUNT = 256 };

typedef enum kernel_state { PENDING, READY } kernel_state_t;

struct kiln_jit_kernel {
    struct kiln_jit_kernel *next; // of the bucket
    kernel_state_t state;
    kiln_hash_t key;
    char key_text[33];
    // Set once, before READY:
    kiln_setting_list_t settings;
    char *manifest_text;
    kiln_manifest_t manifest;
    kiln_module_t *module;
    kiln_function_t *function;
};

struct kiln_jit {
    kiln_device_t *device;
    kiln_jit_options_t options;
    kiln_cache_t cache;
    pthread_mutex_t lock; // of what follows
    pthread_cond_t changed;
    kiln_jit_kernel_t *buckets[BUCKET_COUNT];
    kiln_jit_statistics_t statistics;
};

void kiln_jit_options_initialize_sized(kiln_jit_options_t *options, size_t struct_size)
{
    static const kiln_jit_options_t defaults = {.cache_mode = KILN_CACHE_READWRITE};
    kiln_struct_initialize(options, struct_size, &defaults, sizeof defaults);
}

void kiln_jit_call_initialize_sized(kiln_jit_call_t *call, size_t struct_size)
{
    static const kiln_jit_call_t defaults = {.source.name = "kernel", .grid = {1, 1, 1}};
    kiln_struct_initialize(call, struct_size, &defaults, sizeof defaults);
}

static kiln_status_t take_call(const kiln_jit_call_t *given, kiln_jit_call_t *out_call)
{
    kiln_jit_call_initialize(out_call);
    return kiln_struct_take("kiln_jit_call_t", out_call, sizeof *out_call, given);
}

kiln_status_t kiln_jit_create(kiln_device_t *device, const kiln_jit_options_t *given, kiln_jit_t **out_jit)
{
    *out_jit = NULL;
    kiln_jit_options_t options;
    kiln_jit_options_initialize(&options);
    KILN_TRY(kiln_struct_take("kiln_jit_options_t", &options, sizeof options, given));
    kiln_jit_t *jit = calloc(1, sizeof *jit);
    if (!jit)
        return kiln_status_out_of_memory();
    jit->options = options;
    pthread_mutex_init(&jit->lock, NULL);
    pthread_cond_init(&jit->changed, NULL);
    jit->device = kiln_device_retain(device);
    kiln_status_t status = kiln_cache_open(jit->options.cache_directory, jit->options.cache_mode, &jit->cache);
    if (!status && !jit->options.compile && jit->cache.mode != KILN_CACHE_REQUIRE)
        status = kiln_status_make(KILN_STATUS_USAGE, "a JIT without a compile function needs a cache in mode require");
    if (!status && !jit->options.identify)
        status =
            kiln_status_make(KILN_STATUS_USAGE, "a JIT needs an identify function: keys must tell compilers apart");
    jit->options.cache_directory = NULL; // the cache has a copy
    if (status) {
        kiln_jit_release(jit);
        return status;
    }
    *out_jit = jit;
    return KILN_OK;
}

static void release_kernel(kiln_jit_kernel_t *kernel)
{
    kiln_module_release(kernel->module);
    kiln_manifest_free(&kernel->manifest);
    kiln_settings_free(&kernel->settings);
    free(kernel->manifest_text);
    free(kernel);
}

void kiln_jit_release(kiln_jit_t *jit)
{
    if (!jit)
        return;
    for (size_t i = 0; i < BUCKET_COUNT; i++)
        while (jit->buckets[i]) {
            kiln_jit_kernel_t *next = jit->buckets[i]->next;
            release_kernel(jit->buckets[i]);
            jit->buckets[i] = next;
        }
    pthread_cond_destroy(&jit->changed);
    pthread_mutex_destroy(&jit->lock);
    kiln_cache_close(&jit->cache);
    kiln_device_release(jit->device);
    free(jit);
}

void kiln_jit_get_statistics(kiln_jit_t *jit, kiln_jit_statistics_t *out_statistics)
{
    pthread_mutex_lock(&jit->lock);
    kiln_struct_give(out_statistics, &jit->statistics, sizeof jit->statistics);
    pthread_mutex_unlock(&jit->lock);
}

static void count(kiln_jit_t *jit, uint64_t *counter)
{
    pthread_mutex_lock(&jit->lock);
    ++*counter;
    pthread_mutex_unlock(&jit->lock);
}

// Loads a code object into the kernel. On success the kernel owns the manifest's text.
static kiln_status_t load(kiln_jit_t *jit, kiln_jit_kernel_t *kernel, const void *code_object, size_t size,
                          char *manifest_text)
{
    KILN_TRY(kiln_manifest_parse(manifest_text, &kernel->manifest));
    kiln_status_t status = kiln_module_load(jit->device, code_object, size, &kernel->module);
    if (!status)
        status = kiln_module_function(kernel->module, kernel->manifest.kernel, &kernel->function);
    if (!status) {
        kernel->manifest_text = manifest_text;
        return KILN_OK;
    }
    kiln_module_release(kernel->module);
    kernel->module = NULL;
    kiln_manifest_free(&kernel->manifest);
    return status;
}

static void log_failure(kiln_jit_t *jit, kiln_status_t status)
{
    char *text = jit->options.log ? kiln_status_format(status) : NULL;
    if (text)
        jit->options.log(text, jit->options.log_user);
    free(text);
    kiln_status_free(status);
}

static kiln_status_t compile(kiln_jit_t *jit, const kiln_jit_request_t *request, kiln_jit_kernel_t *kernel)
{
    void *code_object = NULL;
    size_t size = 0;
    char *manifest_text = NULL;
    count(jit, &jit->statistics.compiles);
    KILN_TRY(jit->options.compile(request, jit->options.compile_user, &code_object, &size, &manifest_text));
    kiln_status_t status = load(jit, kernel, code_object, size, manifest_text);
    if (status) {
        free(manifest_text);
    } else {
        // A kernel that cannot be kept still runs.
        kiln_status_t kept = kiln_cache_put(&jit->cache, kernel->key, code_object, size, manifest_text);
        if (kept) {
            count(jit, &jit->statistics.write_failures);
            log_failure(jit, kept);
        }
    }
    free(code_object);
    return status;
}

// From the disk, else from the compiler.
static kiln_status_t make(kiln_jit_t *jit, const kiln_jit_request_t *request, kiln_jit_kernel_t *kernel,
                          kiln_jit_origin_t *out_origin)
{
    void *code_object;
    size_t size;
    char *manifest_text;
    kiln_cache_result_t result = kiln_cache_get(&jit->cache, kernel->key, &code_object, &size, &manifest_text);
    if (result == KILN_CACHE_HIT) {
        kiln_status_t status = load(jit, kernel, code_object, size, manifest_text);
        free(code_object);
        if (status) {
            free(manifest_text);
            return kiln_status_annotate(status, "the code came from cache entry %s", kernel->key_text);
        }
        count(jit, &jit->statistics.disk_hits);
        *out_origin = KILN_JIT_FROM_DISK;
        return KILN_OK;
    }
    if (result == KILN_CACHE_CORRUPT)
        count(jit, &jit->statistics.corrupt_entries);
    if (jit->cache.mode == KILN_CACHE_REQUIRE)
        return kiln_status_make(
            KILN_STATUS_NOT_FOUND,
            "kernel '%s' of '%s' is not in the cache '%s' (key %s%s), and the cache mode is require",
            request->kernel ? request->kernel : "(the only one)", request->source.name, jit->cache.directory,
            kernel->key_text, result == KILN_CACHE_CORRUPT ? ", whose file is damaged" : "");
    *out_origin = KILN_JIT_COMPILED;
    return compile(jit, request, kernel);
}

static kiln_jit_kernel_t *find_locked(kiln_jit_t *jit, kiln_hash_t key)
{
    kiln_jit_kernel_t *kernel = jit->buckets[key.low % BUCKET_COUNT];
    while (kernel && (kernel->key.low != key.low || kernel->key.high != key.high))
        kernel = kernel->next;
    return kernel;
}

static void remove_locked(kiln_jit_t *jit, kiln_jit_kernel_t *kernel)
{
    kiln_jit_kernel_t **link = &jit->buckets[kernel->key.low % BUCKET_COUNT];
    while (*link != kernel)
        link = &(*link)->next;
    *link = kernel->next;
}

// Finds the kernel READY, waiting if another thread makes it, or puts a PENDING one into the table for the caller to
// make.
static kiln_jit_kernel_t *find_or_claim(kiln_jit_t *jit, kiln_hash_t key, bool *out_claimed)
{
    *out_claimed = false;
    pthread_mutex_lock(&jit->lock);
    kiln_jit_kernel_t *kernel;
    while ((kernel = find_locked(jit, key)) && kernel->state == PENDING)
        pthread_cond_wait(&jit->changed, &jit->lock);
    if (kernel) {
        jit->statistics.memory_hits++;
    } else if ((kernel = calloc(1, sizeof *kernel))) {
        kernel->key = key;
        kiln_hash_format(key, kernel->key_text);
        kernel->next = jit->buckets[key.low % BUCKET_COUNT];
        jit->buckets[key.low % BUCKET_COUNT] = kernel;
        *out_claimed = true;
    }
    pthread_mutex_unlock(&jit->lock);
    return kernel;
}

static kiln_status_t key_of(kiln_jit_t *jit, const kiln_jit_request_t *request, kiln_hash_t *out_key)
{
    char *identity = NULL;
    KILN_TRY(jit->options.identify(jit->options.compile_user, &identity));
    kiln_status_t status = kiln_request_key(request, identity, out_key);
    free(identity);
    return status;
}

// Takes the kernel's settings from the request only once it is made: the table keeps them.
static kiln_status_t prepare_request(kiln_jit_t *jit, const kiln_jit_request_t *request, kiln_setting_list_t *settings,
                                     kiln_jit_kernel_t **out_kernel, kiln_jit_origin_t *out_origin)
{
    bool claimed;
    kiln_hash_t key;
    KILN_TRY(key_of(jit, request, &key));
    kiln_jit_kernel_t *kernel = find_or_claim(jit, key, &claimed);
    if (!kernel)
        return kiln_status_out_of_memory();
    *out_origin = KILN_JIT_FROM_MEMORY;
    kiln_status_t status = claimed ? make(jit, request, kernel, out_origin) : KILN_OK;
    if (claimed) {
        pthread_mutex_lock(&jit->lock);
        if (status) {
            remove_locked(jit, kernel);
        } else {
            kernel->settings = *settings;
            *settings = (kiln_setting_list_t){0};
            kernel->state = READY;
        }
        pthread_cond_broadcast(&jit->changed);
        pthread_mutex_unlock(&jit->lock);
        if (status) {
            release_kernel(kernel);
            return status;
        }
    }
    *out_kernel = kernel;
    return KILN_OK;
}

// Tuned settings first, then the call's own over them.
static kiln_status_t collect_settings(kiln_jit_t *jit, const kiln_jit_call_t *call, kiln_setting_list_t *out_settings)
{
    if (jit->options.tune && call->tuning_arguments) {
        char source_hash[33], *config = NULL;
        kiln_hash_format(kiln_hash_bytes(call->source.text, call->source.length), source_hash);
        kiln_status_t status = jit->options.tune(call->kernel, source_hash, kiln_device_key(jit->device),
                                                 call->tuning_arguments, jit->options.tune_user, &config);
        if (!status && config)
            status = kiln_settings_put_text(out_settings, config);
        free(config);
        if (kiln_status_code(status) == KILN_STATUS_NOT_FOUND)
            kiln_status_free(status);
        else if (status)
            return kiln_status_annotate(status, "while looking up tuned settings");
    }
    for (size_t i = 0; i < call->setting_count; i++) {
        const kiln_setting_t *setting = &call->settings[i];
        KILN_TRY(kiln_settings_put(out_settings, setting->name, strlen(setting->name), setting->value,
                                   strlen(setting->value)));
    }
    return KILN_OK;
}

kiln_status_t kiln_jit_prepare(kiln_jit_t *jit, const kiln_jit_call_t *given, kiln_jit_kernel_t **out_kernel,
                               kiln_jit_origin_t *out_origin)
{
    *out_kernel = NULL;
    kiln_jit_origin_t origin = KILN_JIT_FROM_MEMORY;
    kiln_jit_call_t call;
    KILN_TRY(take_call(given, &call));
    kiln_setting_list_t settings = {0};
    kiln_arg_hint_t *arguments = calloc(call.argument_count + 1, sizeof *arguments);
    kiln_status_t status = arguments ? collect_settings(jit, &call, &settings) : kiln_status_out_of_memory();
    if (!status) {
        for (size_t i = 0; i < call.argument_count; i++)
            arguments[i] = kiln_jit_argument_hint(&call.arguments[i]);
        kiln_jit_request_t request = {.struct_size = sizeof request,
                                      .source = call.source,
                                      .kernel = call.kernel,
                                      .arch = kiln_device_properties(jit->device)->arch,
                                      .settings = settings.items,
                                      .setting_count = settings.count,
                                      .arguments = arguments,
                                      .argument_count = call.argument_count};
        status = prepare_request(jit, &request, &settings, out_kernel, &origin);
    }
    if (out_origin)
        *out_origin = origin;
    kiln_settings_free(&settings);
    free(arguments);
    return status;
}

kiln_status_t kiln_jit_launch(kiln_jit_t *jit, const kiln_jit_call_t *call)
{
    kiln_jit_kernel_t *kernel;
    KILN_TRY(kiln_jit_prepare(jit, call, &kernel, NULL));
    return kiln_jit_launch_kernel(kernel, call);
}

kiln_status_t kiln_jit_launch_kernel(const kiln_jit_kernel_t *kernel, const kiln_jit_call_t *given)
{
    kiln_jit_call_t call;
    KILN_TRY(take_call(given, &call));
    if (call.grid_of)
        KILN_TRY(call.grid_of(kernel->settings.items, kernel->settings.count, call.grid, call.grid_user));
    const kiln_manifest_t *manifest = &kernel->manifest;
    size_t argument_count = manifest->parameter_count;
    uint64_t *cells = calloc(argument_count + 1, sizeof *cells);
    void **args = calloc(argument_count + 1, sizeof *args);
    kiln_status_t status = cells && args ? kiln_jit_bind(manifest->kernel, manifest->parameters, argument_count,
                                                         call.arguments, call.argument_count, cells)
                                         : kiln_status_out_of_memory();
    if (!status) {
        for (size_t i = 0; i < argument_count; i++)
            args[i] = &cells[i];
        kiln_launch_t launch;
        kiln_launch_initialize(&launch);
        memcpy(launch.grid, call.grid, sizeof launch.grid);
        launch.block[0] = kernel->manifest.block_size;
        launch.stream = call.stream;
        launch.args = args;
        status = kiln_function_launch(kernel->function, &launch);
    }
    free(cells);
    free(args);
    return status;
}

const char *kiln_jit_kernel_name(const kiln_jit_kernel_t *kernel)
{
    return kernel->manifest.kernel;
}

const char *kiln_jit_kernel_key(const kiln_jit_kernel_t *kernel)
{
    return kernel->key_text;
}

const char *kiln_jit_kernel_manifest(const kiln_jit_kernel_t *kernel)
{
    return kernel->manifest_text;
}

unsigned kiln_jit_kernel_block_size(const kiln_jit_kernel_t *kernel)
{
    return kernel->manifest.block_size;
}

size_t kiln_jit_kernel_setting_count(const kiln_jit_kernel_t *kernel)
{
    return kernel->settings.count;
}

const kiln_setting_t *kiln_jit_kernel_settings(const kiln_jit_kernel_t *kernel)
{
    return kernel->settings.items;
}
