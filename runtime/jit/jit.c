// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JIT: a table of loaded kernels by key, filled from the disk cache or the compiler, and
// launches from it.
//
// The lock is never held while compiling or loading. An entry that is being built stays in the
// table as PENDING, and threads that need it wait for its builder.
#include <stdlib.h>
#include <string.h>

#include "base/require.h"
#include "jit/jit_internal.h"

void kiln_jit_options_initialize_sized(kiln_jit_options_t *options, size_t struct_size)
{
    static const kiln_jit_options_t defaults = {.cache_mode = KILN_CACHE_READWRITE,
                                                .cache_limit = KILN_CACHE_DEFAULT_LIMIT};
    kiln_struct_initialize(options, struct_size, &defaults, sizeof defaults);
}

void kiln_jit_call_initialize_sized(kiln_jit_call_t *call, size_t struct_size)
{
    static const kiln_jit_call_t defaults = {.source.name = "kernel", .grid = {1, 1, 1}};
    kiln_struct_initialize(call, struct_size, &defaults, sizeof defaults);
}

kiln_status_t kiln_jit_take_call(const char *function, const kiln_jit_call_t *call,
                                 kiln_jit_call_t *out_call)
{
    kiln_jit_call_initialize(out_call);
    KILN_TRY(
        kiln_struct_take(function, "call", "kiln_jit_call_t", out_call, sizeof *out_call, call));
    if (!out_call->source.name)
        out_call->source.name = "kernel";
    return KILN_OK;
}

static kiln_status_t refuse_null(const char *function, const char *array, size_t index,
                                 const char *field)
{
    return kiln_status_make(KILN_STATUS_USAGE, "%s: call->%s[%zu].%s is NULL", function, array,
                            index, field);
}

kiln_status_t kiln_jit_check_call(const char *function, const kiln_jit_call_t *call)
{
    const char *missing = !call->source.text                         ? "source.text"
                          : call->setting_count && !call->settings   ? "settings"
                          : call->argument_count && !call->arguments ? "arguments"
                                                                     : NULL;
    if (missing)
        return kiln_status_make(KILN_STATUS_USAGE, "%s: call->%s is NULL", function, missing);
    for (size_t i = 0; i < call->setting_count; i++)
        if (!call->settings[i].name || !call->settings[i].value)
            return refuse_null(function, "settings", i, call->settings[i].name ? "value" : "name");
    for (size_t i = 0; i < call->argument_count; i++)
        if (!call->arguments[i].name)
            return refuse_null(function, "arguments", i, "name");
    return KILN_OK;
}

static kiln_status_t start(kiln_jit_t *jit)
{
    KILN_TRY(kiln_cache_open(jit->options.cache_directory, jit->options.cache_mode,
                             jit->options.cache_limit, &jit->cache));
    jit->options.cache_directory = NULL; // the cache has a copy
    if (!jit->options.compile && jit->cache.mode != KILN_CACHE_REQUIRE)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "kiln_jit_create: options->compile is NULL, which is only allowed with "
            "a cache_directory and the cache_mode KILN_CACHE_REQUIRE");
    if (!jit->options.identify)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "kiln_jit_create: options->identify is NULL; cache keys must identify the compiler");
    KILN_TRY(jit->options.identify(jit->options.compile_user, &jit->identity));
    if (!jit->identity)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "kiln_jit_create: options->identify returned NULL");
    if (jit->cache.mode != KILN_CACHE_OFF && strcspn(jit->identity, " \n") == 0)
        return kiln_status_make(
            KILN_STATUS_USAGE,
            "kiln_jit_create: the compiler has no build ID, which the on-disk cache needs to "
            "identify it; link it with -Wl,--build-id, or use KILN_CACHE_OFF");
    return KILN_OK;
}

kiln_status_t kiln_jit_create(kiln_device_t *device, const kiln_jit_options_t *options,
                              kiln_jit_t **out_jit)
{
    KILN_REQUIRE_OUT(out_jit);
    KILN_REQUIRE(device);
    kiln_jit_options_t taken;
    kiln_jit_options_initialize(&taken);
    KILN_REQUIRE_STRUCT(kiln_jit_options_t, &taken, options);
    KILN_REQUIRE_THAT(kiln_cache_mode_name(taken.cache_mode),
                      "options->cache_mode is %d, which is not a kiln_cache_mode_t",
                      (int)taken.cache_mode);
    kiln_jit_t *jit = calloc(1, sizeof *jit);
    if (!jit)
        return kiln_status_out_of_memory();
    jit->options = taken;
    pthread_mutex_init(&jit->lock, NULL);
    pthread_cond_init(&jit->changed, NULL);
    jit->device = kiln_device_retain(device);
    kiln_status_t status = start(jit);
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
    kiln_settings_free(&kernel->names);
    free(kernel->manifest_text);
    free(kernel->cells);
    free(kernel);
}

void kiln_jit_release(kiln_jit_t *jit)
{
    if (!jit)
        return;
    for (size_t i = 0; i < KILN_JIT_BUCKET_COUNT; i++)
        while (jit->buckets[i]) {
            kiln_jit_kernel_t *next = jit->buckets[i]->next;
            release_kernel(jit->buckets[i]);
            jit->buckets[i] = next;
        }
    pthread_cond_destroy(&jit->changed);
    pthread_mutex_destroy(&jit->lock);
    kiln_call_table_free(&jit->calls);
    kiln_cache_close(&jit->cache);
    kiln_device_release(jit->device);
    free(jit->identity);
    free(jit);
}

kiln_status_t kiln_jit_get_statistics(kiln_jit_t *jit, kiln_jit_statistics_t *out_statistics)
{
    KILN_REQUIRE_OUT_STRUCT(kiln_jit_statistics_t, out_statistics);
    KILN_REQUIRE(jit);
    pthread_mutex_lock(&jit->lock);
    kiln_jit_statistics_t statistics = jit->statistics;
    pthread_mutex_unlock(&jit->lock);
    statistics.memory_hits += atomic_load_explicit(&jit->known_calls, memory_order_relaxed);
    kiln_struct_copy_out(out_statistics, &statistics, sizeof statistics);
    return KILN_OK;
}

static void count(kiln_jit_t *jit, uint64_t *counter)
{
    pthread_mutex_lock(&jit->lock);
    ++*counter;
    pthread_mutex_unlock(&jit->lock);
}

static kiln_status_t parse_cells(kiln_jit_kernel_t *kernel)
{
    const kiln_manifest_t *manifest = &kernel->manifest;
    kernel->cells = calloc(manifest->parameter_count + 1, sizeof *kernel->cells);
    if (!kernel->cells)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < manifest->parameter_count; i++)
        kernel->cells[i] = kiln_cell_of(&manifest->parameters[i]);
    return KILN_OK;
}

// Settings that are not constants of the kernel are options of the compiler. A setting that is both
// has the same value for both.
static kiln_status_t gather_names(kiln_jit_kernel_t *kernel)
{
    const kiln_manifest_t *manifest = &kernel->manifest;
    KILN_TRY(kiln_settings_put_all(&kernel->names, manifest->constants, manifest->constant_count));
    return kiln_settings_put_all(&kernel->names, kernel->settings.items, kernel->settings.count);
}

// Loads a code object into the kernel. On success the kernel owns the manifest's text; after a
// failure the caller releases the kernel with what it has so far.
static kiln_status_t load(kiln_jit_t *jit, kiln_jit_kernel_t *kernel, const void *code_object,
                          size_t size, char *manifest_text)
{
    KILN_TRY(kiln_manifest_parse(manifest_text, &kernel->manifest));
    KILN_TRY(parse_cells(kernel));
    KILN_TRY(kiln_module_load(jit->device, code_object, size, &kernel->module));
    KILN_TRY(kiln_module_function(kernel->module, kernel->manifest.kernel, &kernel->function));
    kernel->manifest_text = manifest_text;
    return KILN_OK;
}

static void log_failure(kiln_jit_t *jit, kiln_status_t status)
{
    char *text = jit->options.log ? kiln_status_format(status) : NULL;
    if (text)
        jit->options.log(text, jit->options.log_user);
    free(text);
    kiln_status_free(status);
}

static kiln_status_t compile(kiln_jit_t *jit, const kiln_jit_request_t *request,
                             kiln_jit_kernel_t *kernel)
{
    kiln_cache_item_t item = {0};
    count(jit, &jit->statistics.compiles);
    kiln_status_t status =
        jit->options.compile(request, jit->options.compile_user, &item.code_object,
                             &item.code_object_size, &item.manifest);
    if (status)
        item = (kiln_cache_item_t){0}; // a compiler that fails returns nothing, whatever the struct
                                       // contains
    if (request->out_diagnostics)
        item.diagnostics = *request->out_diagnostics;
    if (!status)
        status = load(jit, kernel, item.code_object, item.code_object_size, item.manifest);
    // If the kernel cannot be cached, it still runs.
    kiln_status_t kept = status ? KILN_OK : kiln_cache_put(&jit->cache, kernel->key, &item);
    if (kept) {
        count(jit, &jit->statistics.write_failures);
        log_failure(jit, kept);
    }
    if (!status)
        item.manifest = NULL; // owned by the kernel
    kiln_cache_item_free(&item);
    return status;
}

static kiln_status_t take_cached(kiln_jit_t *jit, kiln_jit_kernel_t *kernel,
                                 kiln_cache_item_t *item)
{
    kiln_status_t status =
        load(jit, kernel, item->code_object, item->code_object_size, item->manifest);
    if (!status)
        item->manifest = NULL; // owned by the kernel
    if (!status && item->diagnostics && jit->options.replay_diagnostics)
        jit->options.replay_diagnostics(item->diagnostics, jit->options.compile_user);
    kiln_cache_item_free(item);
    return kiln_status_annotate(status, "the code came from cache entry %s", kernel->key_text);
}

static const char *name_of(const kiln_jit_request_t *request)
{
    return request->kernel ? request->kernel : "(the only one)";
}

// The error if there is no code and the mode forbids compiling. `why` describes what is wrong with
// the cache file, if anything.
static kiln_status_t refuse(const kiln_jit_t *jit, const kiln_jit_request_t *request,
                            const kiln_jit_kernel_t *kernel, kiln_status_t why)
{
    if (why)
        return kiln_status_annotate(why,
                                    "cannot use kernel '%s' of '%s' from the cache '%s' (key %s), "
                                    "and the cache mode is require",
                                    name_of(request), request->source.name, jit->cache.directory,
                                    kernel->key_text);
    return kiln_status_make(
        KILN_STATUS_NOT_FOUND,
        "kernel '%s' of '%s' is not in the cache '%s' (key %s), and the cache mode is require",
        name_of(request), request->source.name, jit->cache.directory, kernel->key_text);
}

// Loads the kernel from the disk cache, or compiles it.
static kiln_status_t make(kiln_jit_t *jit, const kiln_jit_request_t *request,
                          kiln_jit_kernel_t *kernel, kiln_jit_origin_t *out_origin)
{
    kiln_cache_item_t item;
    kiln_status_t why;
    kiln_cache_result_t result = kiln_cache_get(&jit->cache, kernel->key, &item, &why);
    if (result == KILN_CACHE_HIT) {
        KILN_TRY(take_cached(jit, kernel, &item));
        count(jit, &jit->statistics.disk_hits);
        *out_origin = KILN_JIT_FROM_DISK;
        return KILN_OK;
    }
    if (kiln_status_code(why) == KILN_STATUS_OUT_OF_RESOURCES)
        return why; // not about the file
    if (result == KILN_CACHE_CORRUPT)
        count(jit, &jit->statistics.corrupt_entries);
    if (result == KILN_CACHE_UNREADABLE)
        count(jit, &jit->statistics.unreadable_entries);
    if (jit->cache.mode == KILN_CACHE_REQUIRE)
        return refuse(jit, request, kernel, why);
    if (why)
        log_failure(jit, kiln_status_annotate(
                             why, "so kernel '%s' of '%s' is recompiled despite being cached",
                             name_of(request), request->source.name));
    *out_origin = KILN_JIT_COMPILED;
    return compile(jit, request, kernel);
}

static kiln_jit_kernel_t *find_locked(kiln_jit_t *jit, kiln_hash_t key)
{
    kiln_jit_kernel_t *kernel = jit->buckets[key.low % KILN_JIT_BUCKET_COUNT];
    while (kernel && (kernel->key.low != key.low || kernel->key.high != key.high))
        kernel = kernel->next;
    return kernel;
}

static void remove_locked(kiln_jit_t *jit, kiln_jit_kernel_t *kernel)
{
    kiln_jit_kernel_t **link = &jit->buckets[kernel->key.low % KILN_JIT_BUCKET_COUNT];
    while (*link != kernel)
        link = &(*link)->next;
    *link = kernel->next;
}

// Finds the kernel READY, waiting if another thread builds it, or adds a PENDING one to the table
// for the caller to build.
static kiln_jit_kernel_t *find_or_claim(kiln_jit_t *jit, kiln_hash_t key, bool *out_claimed)
{
    *out_claimed = false;
    pthread_mutex_lock(&jit->lock);
    kiln_jit_kernel_t *kernel;
    while ((kernel = find_locked(jit, key)) && kernel->state == KILN_KERNEL_PENDING)
        pthread_cond_wait(&jit->changed, &jit->lock);
    if (kernel) {
        jit->statistics.memory_hits++;
    } else if ((kernel = calloc(1, sizeof *kernel))) {
        kernel->key = key;
        kiln_hash_format(key, kernel->key_text);
        kernel->next = jit->buckets[key.low % KILN_JIT_BUCKET_COUNT];
        jit->buckets[key.low % KILN_JIT_BUCKET_COUNT] = kernel;
        *out_claimed = true;
    }
    pthread_mutex_unlock(&jit->lock);
    return kernel;
}

// Checks the compiler's identity: code must not be cached under the identity of another compiler.
// Known calls do not repeat this check.
static kiln_status_t key_of(kiln_jit_t *jit, const kiln_jit_request_t *request,
                            kiln_hash_t *out_key)
{
    char *identity = NULL;
    KILN_TRY(jit->options.identify(jit->options.compile_user, &identity));
    bool is_same = identity && strcmp(identity, jit->identity) == 0;
    free(identity);
    if (!is_same)
        return kiln_status_make(KILN_STATUS_USAGE,
                                "the compiler's identity has changed since kiln_jit_create, for "
                                "example its options; create another JIT");
    return kiln_request_key(request, jit->identity, out_key);
}

// Moves the settings from the request to the kernel only when the kernel is built, because the
// table keeps them.
static kiln_status_t prepare_request(kiln_jit_t *jit, const kiln_jit_request_t *request,
                                     kiln_setting_list_t *settings, kiln_jit_kernel_t **out_kernel,
                                     kiln_jit_origin_t *out_origin)
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
        if (!status) { // not visible to other threads until it is ready
            kernel->settings = *settings;
            *settings = (kiln_setting_list_t){0};
            status = gather_names(kernel);
        }
        pthread_mutex_lock(&jit->lock);
        if (status) {
            remove_locked(jit, kernel);
        } else {
            kernel->state = KILN_KERNEL_READY;
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

static kiln_status_t depend(kiln_jit_t *jit, const kiln_jit_request_t *request,
                            char **out_dependencies)
{
    *out_dependencies = NULL;
    return jit->options.depend
               ? jit->options.depend(request, jit->options.compile_user, out_dependencies)
               : KILN_OK;
}

// Adds the tuned settings for the request, which has the call's own settings.
static kiln_status_t look_up(kiln_jit_t *jit, const kiln_jit_call_t *call,
                             kiln_jit_request_t request, kiln_setting_list_t *settings)
{
    char problem[33], *dependencies, *config = NULL;
    KILN_TRY(depend(jit, &request, &dependencies));
    request.dependencies = dependencies;
    kiln_status_t status = kiln_jit_problem(&request, jit->identity, problem);
    const kiln_jit_tune_request_t wanted = {.struct_size = sizeof wanted,
                                            .kernel = call->kernel,
                                            .problem = problem,
                                            .device = kiln_device_key(jit->device),
                                            .arguments = call->tuning_arguments,
                                            .settings = request.settings,
                                            .setting_count = request.setting_count,
                                            .call = call};
    if (!status)
        status = jit->options.tune(&wanted, jit->options.tune_user, &config);
    if (!status && config)
        status = kiln_settings_put_text(settings, config);
    free(config);
    free(dependencies);
    if (kiln_status_code(status) != KILN_STATUS_NOT_FOUND)
        return kiln_status_annotate(status, "while looking up tuned settings");
    kiln_status_free(status);
    return KILN_OK;
}

// Tuned settings first; the call's own settings override them.
static kiln_status_t collect_settings(kiln_jit_t *jit, const kiln_jit_call_t *call,
                                      kiln_jit_request_t request, kiln_setting_list_t *out_settings)
{
    kiln_setting_list_t own = {0};
    kiln_status_t status = KILN_OK;
    if (jit->options.tune && call->tuning_arguments) {
        status = kiln_settings_put_all(&own, call->settings, call->setting_count);
        request.settings = own.items;
        request.setting_count = own.count;
        if (!status)
            status = look_up(jit, call, request, out_settings);
    }
    kiln_settings_free(&own);
    return status ? status
                  : kiln_settings_put_all(out_settings, call->settings, call->setting_count);
}

static kiln_status_t find_or_make(kiln_jit_t *jit, const kiln_jit_call_t *call,
                                  kiln_jit_kernel_t **out_kernel, kiln_jit_origin_t *out_origin)
{
    kiln_setting_list_t settings = {0};
    kiln_arg_hint_t *arguments = calloc(call->argument_count + 1, sizeof *arguments);
    if (!arguments)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < call->argument_count; i++)
        arguments[i] = kiln_jit_argument_hint(&call->arguments[i]);
    kiln_jit_request_t request = {.struct_size = sizeof request,
                                  .source = call->source,
                                  .kernel = call->kernel,
                                  .arch = kiln_device_properties(jit->device)->arch,
                                  .arguments = arguments,
                                  .argument_count = call->argument_count};
    kiln_status_t status = collect_settings(jit, call, request, &settings);
    if (!status) {
        char *dependencies = NULL, *diagnostics = NULL;
        request.settings = settings.items;
        request.setting_count = settings.count;
        if (jit->options.replay_diagnostics)
            request.out_diagnostics = &diagnostics;
        status = depend(jit, &request, &dependencies);
        request.dependencies = dependencies;
        if (!status)
            status = prepare_request(jit, &request, &settings, out_kernel, out_origin);
        free(dependencies);
    }
    kiln_settings_free(&settings);
    free(arguments);
    return status;
}

kiln_status_t kiln_jit_find(kiln_jit_t *jit, const char *function, const kiln_jit_call_t *call,
                            const kiln_call_key_t *key, kiln_jit_kernel_t **out_kernel,
                            const kiln_known_call_t **out_known, kiln_jit_origin_t *out_origin)
{
    *out_known = key ? kiln_call_table_find(&jit->calls, key, &call->source) : NULL;
    *out_origin = KILN_JIT_FROM_MEMORY;
    if (*out_known) {
        atomic_fetch_add_explicit(&jit->known_calls, 1, memory_order_relaxed);
        *out_kernel = (*out_known)->kernel;
        return KILN_OK;
    }
    KILN_TRY(kiln_jit_check_call(function, call));
    KILN_TRY(find_or_make(jit, call, out_kernel, out_origin));
    const kiln_manifest_t *manifest = &(*out_kernel)->manifest;
    if (key)
        kiln_call_table_add(&jit->calls, key, call, *out_kernel, manifest->parameters,
                            manifest->parameter_count);
    return KILN_OK;
}

void kiln_jit_refresh(kiln_jit_t *jit)
{
    if (jit)
        atomic_fetch_add_explicit(&jit->generation, 1, memory_order_relaxed);
}
