// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of HIP that the program calls in place of the HIP library's (functions.def).
//
// Launches by hipModuleLaunchKernel and hipLaunchKernel are passed on as hipExtModuleLaunchKernel
// and hipExtLaunchKernel where the library has them: these take the events along, which then have
// the times of the kernel itself. Events that are recorded before and after other work also
// measure what the device does between them.
#include "prof/prof.h"

#define EXPORT __attribute__((visibility("default")))

enum { NOT_SUPPORTED = 801 };
enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE };

#define KILN_PROF_FUNCTION(result, name, parameters)                                               \
    typedef result name##_t parameters;                                                            \
    EXPORT result name parameters;
#include "prof/functions.def"
#undef KILN_PROF_FUNCTION

// The HIP library's function, or a failure of the calling function.
#define REAL(name)                                                                                 \
    name##_t *const real = (name##_t *)kiln_prof_real(KILN_PROF_##name);                           \
    if (!real)                                                                                     \
    return NOT_SUPPORTED

#define PASS(call)                                                                                 \
    (__extension__({                                                                               \
        const bool was_inside = kiln_prof_inside;                                                  \
        kiln_prof_inside = true;                                                                   \
        const int passed_error = (call);                                                           \
        kiln_prof_inside = was_inside;                                                             \
        passed_error;                                                                              \
    }))

// Times the work around a call.
#define TIMED(work, call)                                                                          \
    (__extension__({                                                                               \
        const bool was_inside = kiln_prof_inside;                                                  \
        kiln_prof_inside = true;                                                                   \
        kiln_prof_begin(&(work), KILN_PROF_RECORDS);                                               \
        const int timed_error = (call);                                                            \
        kiln_prof_end(&(work), KILN_PROF_RECORDS, timed_error);                                    \
        kiln_prof_inside = was_inside;                                                             \
        timed_error;                                                                               \
    }))

static void *per_thread(void *stream)
{
    return stream ? stream : (void *)(uintptr_t)KILN_PROF_PER_THREAD;
}

// Entry points ------------------------------------------------------------------------------------

int hipGetProcAddress(const char *symbol, void **out, int version, uint64_t flags, void *status)
{
    REAL(hipGetProcAddress);
    const int error = PASS(real(symbol, out, version, flags, status));
    if (!error && symbol && out)
        *out = kiln_prof_replace(symbol, *out);
    return error;
}

int hipModuleGetFunction(void **out, void *module, const char *name)
{
    REAL(hipModuleGetFunction);
    const int error = PASS(real(out, module, name));
    if (!error && out && name)
        kiln_prof_name_set(*out, name);
    return error;
}

// Launches ----------------------------------------------------------------------------------------

#define KERNEL(kernel_name, grid_x, grid_y, grid_z, block_x, block_y, block_z, on)                 \
    {.kind = "kernel",                                                                             \
     .call = __func__,                                                                             \
     .name = (kernel_name),                                                                        \
     .grid = {(grid_x), (grid_y), (grid_z)},                                                       \
     .block = {(block_x), (block_y), (block_z)},                                                   \
     .stream = (on)}

static bool fits(uint64_t groups, uint64_t items)
{
    return groups && items && groups * items <= UINT32_MAX;
}

int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned lds,
                          void *stream, void **params, void **extra)
{
    REAL(hipModuleLaunchKernel);
    if (kiln_prof_inside)
        return real(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, lds, stream,
                    params, extra);
    kiln_prof_work_t work =
        KERNEL(kiln_prof_name(function), grid_x, grid_y, grid_z, block_x, block_y, block_z, stream);
    hipExtModuleLaunchKernel_t *with_events =
        (hipExtModuleLaunchKernel_t *)kiln_prof_real(KILN_PROF_hipExtModuleLaunchKernel);
    if (!with_events || !fits(grid_x, block_x) || !fits(grid_y, block_y) || !fits(grid_z, block_z))
        return TIMED(work, real(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, lds,
                                stream, params, extra));
    kiln_prof_inside = true;
    kiln_prof_begin(&work, KILN_PROF_LEAVES_EVENTS);
    int error = 0;
    if (work.is_timed)
        error = with_events(function, grid_x * block_x, grid_y * block_y, grid_z * block_z, block_x,
                            block_y, block_z, lds, stream, params, extra, work.start, work.stop, 0);
    if (!work.is_timed || kiln_prof_give_up(&work, error))
        error = real(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, lds, stream,
                     params, extra);
    kiln_prof_end(&work, KILN_PROF_LEAVES_EVENTS, error);
    kiln_prof_inside = false;
    return error;
}

int hipModuleLaunchCooperativeKernel(void *function, unsigned grid_x, unsigned grid_y,
                                     unsigned grid_z, unsigned block_x, unsigned block_y,
                                     unsigned block_z, unsigned lds, void *stream, void **params)
{
    REAL(hipModuleLaunchCooperativeKernel);
    kiln_prof_work_t work =
        KERNEL(kiln_prof_name(function), grid_x, grid_y, grid_z, block_x, block_y, block_z, stream);
    return kiln_prof_inside ? real(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, lds,
                                   stream, params)
                            : TIMED(work, real(function, grid_x, grid_y, grid_z, block_x, block_y,
                                               block_z, lds, stream, params));
}

int hipExtModuleLaunchKernel(void *function, uint32_t items_x, uint32_t items_y, uint32_t items_z,
                             uint32_t block_x, uint32_t block_y, uint32_t block_z, size_t lds,
                             void *stream, void **params, void **extra, void *start, void *stop,
                             uint32_t flags)
{
    REAL(hipExtModuleLaunchKernel);
    kiln_prof_work_t work = KERNEL(kiln_prof_name(function), block_x ? items_x / block_x : 0,
                                   block_y ? items_y / block_y : 0, block_z ? items_z / block_z : 0,
                                   block_x, block_y, block_z, stream);
    return kiln_prof_inside
               ? real(function, items_x, items_y, items_z, block_x, block_y, block_z, lds, stream,
                      params, extra, start, stop, flags)
               : TIMED(work, real(function, items_x, items_y, items_z, block_x, block_y, block_z,
                                  lds, stream, params, extra, start, stop, flags));
}

int hipDrvLaunchKernelEx(const kiln_prof_driver_config_t *config, void *function, void **params,
                         void **extra)
{
    REAL(hipDrvLaunchKernelEx);
    if (!config || kiln_prof_inside)
        return PASS(real(config, function, params, extra));
    kiln_prof_work_t work =
        KERNEL(kiln_prof_name(function), config->grid[0], config->grid[1], config->grid[2],
               config->block[0], config->block[1], config->block[2], config->stream);
    return TIMED(work, real(config, function, params, extra));
}

// By the host's symbol; `stream` is that of the events.
static int launch_host(const char *call, hipLaunchKernel_t *real, const void *host,
                       kiln_prof_dim3_t grid, kiln_prof_dim3_t block, void **args, size_t lds,
                       void *given, void *stream)
{
    if (kiln_prof_inside)
        return real(host, grid, block, args, lds, given);
    kiln_prof_work_t work = KERNEL(kiln_prof_name_of_host(host, stream), grid.x, grid.y, grid.z,
                                   block.x, block.y, block.z, stream);
    work.call = call;
    hipExtLaunchKernel_t *with_events =
        (hipExtLaunchKernel_t *)kiln_prof_real(KILN_PROF_hipExtLaunchKernel);
    if (!with_events || !fits(grid.x, block.x) || !fits(grid.y, block.y) || !fits(grid.z, block.z))
        return TIMED(work, real(host, grid, block, args, lds, given));
    kiln_prof_inside = true;
    kiln_prof_begin(&work, KILN_PROF_LEAVES_EVENTS);
    int error = 0;
    if (work.is_timed)
        error = with_events(host, grid, block, args, lds, stream, work.start, work.stop, 0);
    if (!work.is_timed || kiln_prof_give_up(&work, error))
        error = real(host, grid, block, args, lds, given);
    kiln_prof_end(&work, KILN_PROF_LEAVES_EVENTS, error);
    kiln_prof_inside = false;
    return error;
}

int hipLaunchKernel(const void *host, kiln_prof_dim3_t grid, kiln_prof_dim3_t block, void **args,
                    size_t lds, void *stream)
{
    REAL(hipLaunchKernel);
    return launch_host(__func__, real, host, grid, block, args, lds, stream, stream);
}

int hipLaunchKernel_spt(const void *host, kiln_prof_dim3_t grid, kiln_prof_dim3_t block,
                        void **args, size_t lds, void *stream)
{
    REAL(hipLaunchKernel_spt);
    return launch_host(__func__, real, host, grid, block, args, lds, stream, per_thread(stream));
}

int hipLaunchCooperativeKernel(const void *host, kiln_prof_dim3_t grid, kiln_prof_dim3_t block,
                               void **args, unsigned lds, void *stream)
{
    REAL(hipLaunchCooperativeKernel);
    if (kiln_prof_inside)
        return real(host, grid, block, args, lds, stream);
    kiln_prof_work_t work = KERNEL(kiln_prof_name_of_host(host, stream), grid.x, grid.y, grid.z,
                                   block.x, block.y, block.z, stream);
    return TIMED(work, real(host, grid, block, args, lds, stream));
}

int hipExtLaunchKernel(const void *host, kiln_prof_dim3_t grid, kiln_prof_dim3_t block, void **args,
                       size_t lds, void *stream, void *start, void *stop, int flags)
{
    REAL(hipExtLaunchKernel);
    if (kiln_prof_inside)
        return real(host, grid, block, args, lds, stream, start, stop, flags);
    kiln_prof_work_t work = KERNEL(kiln_prof_name_of_host(host, stream), grid.x, grid.y, grid.z,
                                   block.x, block.y, block.z, stream);
    return TIMED(work, real(host, grid, block, args, lds, stream, start, stop, flags));
}

int hipLaunchKernelExC(const kiln_prof_config_t *config, const void *host, void **args)
{
    REAL(hipLaunchKernelExC);
    if (!config || kiln_prof_inside)
        return PASS(real(config, host, args));
    kiln_prof_work_t work =
        KERNEL(kiln_prof_name_of_host(host, config->stream), config->grid.x, config->grid.y,
               config->grid.z, config->block.x, config->block.y, config->block.z, config->stream);
    return TIMED(work, real(config, host, args));
}

// The kernels of a graph have no events of their own.
#define GRAPH(function, on)                                                                        \
    int function(void *exec, void *stream)                                                         \
    {                                                                                              \
        REAL(function);                                                                            \
        kiln_prof_work_t work = {.kind = "graph", .call = __func__, .stream = (on)};               \
        return kiln_prof_inside ? real(exec, stream) : TIMED(work, real(exec, stream));            \
    }
GRAPH(hipGraphLaunch, stream)
GRAPH(hipGraphLaunch_spt, per_thread(stream))

// Copies and fills ----------------------------------------------------------------------------------

// The places that hipMemcpyKind names; "any" for hipMemcpyDefault.
static const char *source(int kind)
{
    return kind == HOST_TO_HOST || kind == HOST_TO_DEVICE       ? "host"
           : kind == DEVICE_TO_HOST || kind == DEVICE_TO_DEVICE ? "device"
                                                                : "any";
}

static const char *destination(int kind)
{
    return kind == HOST_TO_HOST || kind == DEVICE_TO_HOST       ? "host"
           : kind == HOST_TO_DEVICE || kind == DEVICE_TO_DEVICE ? "device"
                                                                : "any";
}

typedef enum copy_end { ENQUEUED, DONE } copy_end_t;

// `end` is the state of the copy when the call returns.
#define COPY(function, parameters, arguments, kind_of, on, end)                                    \
    int function parameters                                                                        \
    {                                                                                              \
        REAL(function);                                                                            \
        kiln_prof_work_t work = {.kind = "copy",                                                   \
                                 .call = __func__,                                                 \
                                 .from = source(kind_of),                                          \
                                 .to = destination(kind_of),                                       \
                                 .bytes = bytes,                                                   \
                                 .stream = (on)};                                                  \
        if (kiln_prof_inside)                                                                      \
            return real arguments;                                                                 \
        const copy_end_t state = (end);                                                            \
        const int error = TIMED(work, real arguments);                                             \
        if (!error && state == DONE)                                                               \
            kiln_prof_log_finished();                                                              \
        return error;                                                                              \
    }
COPY(hipMemcpy, (void *to, const void *from, size_t bytes, int kind), (to, from, bytes, kind), kind,
     NULL, DONE)
COPY(hipMemcpyAsync, (void *to, const void *from, size_t bytes, int kind, void *stream),
     (to, from, bytes, kind, stream), kind, stream, ENQUEUED)
COPY(hipMemcpyAsync_spt, (void *to, const void *from, size_t bytes, int kind, void *stream),
     (to, from, bytes, kind, stream), kind, per_thread(stream), ENQUEUED)
COPY(hipMemcpyWithStream, (void *to, const void *from, size_t bytes, int kind, void *stream),
     (to, from, bytes, kind, stream), kind, stream, DONE)
COPY(hipMemcpyHtoD, (void *to, const void *from, size_t bytes), (to, from, bytes), HOST_TO_DEVICE,
     NULL, DONE)
COPY(hipMemcpyDtoH, (void *to, void *from, size_t bytes), (to, from, bytes), DEVICE_TO_HOST, NULL,
     DONE)
COPY(hipMemcpyDtoD, (void *to, void *from, size_t bytes), (to, from, bytes), DEVICE_TO_DEVICE, NULL,
     ENQUEUED)
COPY(hipMemcpyHtoDAsync, (void *to, const void *from, size_t bytes, void *stream),
     (to, from, bytes, stream), HOST_TO_DEVICE, stream, ENQUEUED)
COPY(hipMemcpyDtoHAsync, (void *to, void *from, size_t bytes, void *stream),
     (to, from, bytes, stream), DEVICE_TO_HOST, stream, ENQUEUED)
COPY(hipMemcpyDtoDAsync, (void *to, void *from, size_t bytes, void *stream),
     (to, from, bytes, stream), DEVICE_TO_DEVICE, stream, ENQUEUED)

#define FILL(function, parameters, arguments, size, on)                                            \
    int function parameters                                                                        \
    {                                                                                              \
        REAL(function);                                                                            \
        kiln_prof_work_t work = {                                                                  \
            .kind = "fill", .call = __func__, .to = "device", .bytes = (size), .stream = (on)};    \
        return kiln_prof_inside ? real arguments : TIMED(work, real arguments);                    \
    }
FILL(hipMemset, (void *to, int value, size_t bytes), (to, value, bytes), bytes, NULL)
FILL(hipMemsetAsync, (void *to, int value, size_t bytes, void *stream), (to, value, bytes, stream),
     bytes, stream)
FILL(hipMemsetAsync_spt, (void *to, int value, size_t bytes, void *stream),
     (to, value, bytes, stream), bytes, per_thread(stream))
FILL(hipMemsetD8, (void *to, unsigned char value, size_t count), (to, value, count), count, NULL)
FILL(hipMemsetD16, (void *to, unsigned short value, size_t count), (to, value, count), 2 * count,
     NULL)
FILL(hipMemsetD32, (void *to, int value, size_t count), (to, value, count), 4 * count, NULL)
FILL(hipMemsetD8Async, (void *to, unsigned char value, size_t count, void *stream),
     (to, value, count, stream), count, stream)
FILL(hipMemsetD16Async, (void *to, unsigned short value, size_t count, void *stream),
     (to, value, count, stream), 2 * count, stream)
FILL(hipMemsetD32Async, (void *to, int value, size_t count, void *stream),
     (to, value, count, stream), 4 * count, stream)

// Waits -------------------------------------------------------------------------------------------

#define WAIT(function, parameters, arguments, what)                                                \
    int function parameters                                                                        \
    {                                                                                              \
        REAL(function);                                                                            \
        if (kiln_prof_inside)                                                                      \
            return real arguments;                                                                 \
        const double begin = kiln_prof_now();                                                      \
        const int error = PASS(real arguments);                                                    \
        kiln_prof_waited(__func__, what, begin);                                                   \
        if (!error)                                                                                \
            kiln_prof_log_finished();                                                              \
        return error;                                                                              \
    }
WAIT(hipStreamSynchronize, (void *stream), (stream), "a stream or event")
WAIT(hipStreamSynchronize_spt, (void *stream), (stream), "a stream or event")
WAIT(hipEventSynchronize, (void *event), (event), "a stream or event")
WAIT(hipDeviceSynchronize, (void), (), "the device")
WAIT(hipCtxSynchronize, (void), (), "the device")

// The device's events end with it.
int hipDeviceReset(void)
{
    REAL(hipDeviceReset);
    if (!kiln_prof_inside)
        kiln_prof_forget();
    return PASS(real());
}
