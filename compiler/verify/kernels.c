// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assembles short kernels and launches them on both devices.
#include "verify/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "codegen/codegen.h"
#include "verify/launch.h"

struct kiln_verify_kernels {
    const kiln_verify_kernel_t *kernels;
    kiln_module_t *gpu, *simulator;
    char failure[256]; // of loading; empty if there is none
    const char *where; // it failed
};

// Text ----------------------------------------------------------------------------------------------

static unsigned log2_of(unsigned power)
{
    return 31 - (unsigned)__builtin_clz(power);
}

// Appends everything before the instructions: addresses, operands, and code common to all kernels.
static void append_begin(kiln_string_t *out, const kiln_verify_kernel_t *kernel)
{
    const unsigned in = log2_of(4 * kernel->inputs), to = log2_of(4 * kernel->results);
    kiln_string_appendf(out,
                        "v_and_b32 v0, 63, v0\n"
                        "v_lshl_add_u32 v1, s2, 6, v0\n"
                        "v_lshlrev_b32 v2, %u, v1\n"
                        "v_lshlrev_b32 v3, %u, v1\n"
                        "s_lshl_b32 s3, s2, %u\n"
                        "s_add_u32 s12, s4, s3\n"
                        "s_addc_u32 s13, s5, 0\n"
                        "s_load_dwordx8 s[40:47], s[12:13], 0x0\n",
                        in, to, in + 6);
    if (kernel->memory)
        kiln_string_appendf(out,
                            "s_mul_i32 s3, s2, %u\n"
                            "s_add_u32 s8, s8, s3\n"
                            "s_addc_u32 s9, s9, 0\n",
                            kernel->memory);
    for (unsigned i = 0; i < kernel->inputs; i += 4)
        kiln_string_appendf(out, "global_load_dwordx4 v[%u:%u], v2, s[4:5] offset:%u\n",
                            KILN_VERIFY_FIRST_INPUT + i, KILN_VERIFY_FIRST_INPUT + i + 3, 4 * i);
    kiln_string_append(out, "s_waitcnt vmcnt(0) lgkmcnt(0)\n");
}

static void append_end(kiln_string_t *out, const kiln_verify_kernel_t *kernel)
{
    for (unsigned i = 0; i < kernel->results; i += 4)
        kiln_string_appendf(out, "global_store_dwordx4 v3, v[%u:%u], s[6:7] offset:%u\n",
                            kernel->first_result + i, kernel->first_result + i + 3, 4 * i);
    kiln_string_append(out, "s_waitcnt vmcnt(0)\n");
}

// Appends text as the contents of a string constant of LLVM's assembly language.
static void append_quoted(kiln_string_t *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\n')
            kiln_string_append(out, "\\0A");
        else if (*text == '$')
            kiln_string_append(out, "$$");
        else
            kiln_string_append_char(out, *text);
}

// LLVM counts registers by the last clobbered one of each bank, and no value is live across the
// text, so only these are listed. Names without a number, such as VCC, would take LLVM long; some
// more SGPRs make room for them.
static void append_function(kiln_string_t *out, const kiln_verify_kernel_t *kernel, size_t index)
{
    kiln_string_t text = {0};
    append_begin(&text, kernel);
    kiln_string_append(&text, kernel->text);
    append_end(&text, kernel);
    kiln_string_appendf(out,
                        "define amdgpu_kernel void @k%zu(ptr addrspace(1) %%in, ptr addrspace(1) "
                        "%%out, ptr addrspace(1) %%memory) #0 {\n"
                        "  %%group = call i32 @llvm.amdgcn.workgroup.id.x()\n"
                        "  %%lane = call i32 @llvm.amdgcn.workitem.id.x()\n"
                        "  call void asm sideeffect \"",
                        index);
    append_quoted(out, text.data ? text.data : "");
    kiln_string_append(out, "\", \"{s[4:5]},{s[6:7]},{s[8:9]},{s2},{v0}");
    if (kernel->uses_lds)
        kiln_string_append(out, ",{v4}");
    kiln_string_appendf(
        out,
        ",~{v79},~{s69},~{a3}\"(ptr addrspace(1) %%in, "
        "ptr addrspace(1) %%out, ptr addrspace(1) %%memory, i32 %%group, i32 %%lane%s)\n"
        "  ret void\n}\n",
        kernel->uses_lds ? ", ptr addrspace(3) @lds" : "");
    out->failed |= text.failed;
    kiln_string_free(&text);
}

static char *module_text(const kiln_verify_kernel_t *kernels, size_t count)
{
    kiln_string_t out = {0};
    kiln_string_append(&out, "declare i32 @llvm.amdgcn.workgroup.id.x()\n"
                             "declare i32 @llvm.amdgcn.workitem.id.x()\n"
                             "@lds = internal addrspace(3) global [4096 x i8] poison, align 16\n"
                             "attributes #0 = { nounwind \"amdgpu-flat-work-group-size\"=\"64,64\" "
                             "\"target-features\"=\"+dot7-insts\" }\n");
    for (size_t i = 0; i < count; i++)
        append_function(&out, &kernels[i], i);
    return kiln_string_take(&out);
}

// Code ----------------------------------------------------------------------------------------------

static kiln_status_t parse(LLVMContextRef context, const char *text, LLVMModuleRef *out_module)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "kernels");
    char *message = NULL;
    if (!LLVMParseIRInContext(context, buffer, out_module, &message)) // takes the buffer
        return KILN_OK;
    kiln_status_t status =
        kiln_status_make(KILN_STATUS_INTERNAL, "LLVM rejects the kernels: %s", message);
    LLVMDisposeMessage(message);
    return status;
}

static kiln_status_t emit(kiln_codegen_t *codegen, LLVMModuleRef module, char **out_bytes,
                          size_t *out_size)
{
    const kiln_register_plan_t plan = {0};
    LLVMMemoryBufferRef buffer;
    KILN_TRY(kiln_codegen_prepare(codegen, module));
    KILN_TRY(
        kiln_codegen_emit(codegen, module, LLVMObjectFile, KILN_CODEGEN_CONSUME, &plan, &buffer));
    const size_t size = LLVMGetBufferSize(buffer);
    kiln_codegen_object_t object = {malloc(size), size};
    if (object.data)
        memcpy(object.data, LLVMGetBufferStart(buffer), size);
    LLVMDisposeMemoryBuffer(buffer);
    kiln_status_t status = object.data ? kiln_codegen_link(&object, 1, out_bytes, out_size)
                                       : kiln_status_out_of_memory();
    free(object.data);
    return status;
}

static kiln_status_t assemble(const char *text, char **out_bytes, size_t *out_size)
{
    LLVMContextRef context = LLVMContextCreate();
    kiln_codegen_t *codegen;
    LLVMModuleRef module = NULL;
    kiln_status_t status = kiln_codegen_create(context, "gfx942", NULL, NULL, &codegen);
    if (!status)
        status = parse(context, text, &module);
    if (!status)
        status = emit(codegen, module, out_bytes, out_size);
    if (module)
        LLVMDisposeModule(module);
    kiln_codegen_release(codegen);
    LLVMContextDispose(context);
    return status;
}

static kiln_status_t load(kiln_verify_context_t *context, size_t count,
                          kiln_verify_kernels_t *kernels)
{
    size_t size;
    char *text = module_text(kernels->kernels, count), *bytes = NULL;
    kernels->where = "assembler";
    kiln_status_t status = text ? assemble(text, &bytes, &size) : kiln_status_out_of_memory();
    if (!status) {
        kernels->where = "simulator";
        status = kiln_module_load(context->simulator, bytes, size, &kernels->simulator);
    }
    if (!status) {
        kernels->where = "GPU";
        status = kiln_module_load(context->gpu, bytes, size, &kernels->gpu);
    }
    free(text);
    free(bytes);
    return status;
}

kiln_verify_kernels_t *kiln_verify_kernels_create(kiln_verify_context_t *context,
                                                  const kiln_verify_kernel_t *kernels, size_t count)
{
    kiln_verify_kernels_t *made = calloc(1, sizeof *made);
    if (!made)
        return NULL;
    made->kernels = kernels;
    kiln_status_t status = load(context, count, made);
    if (status)
        snprintf(made->failure, sizeof made->failure, "%s", kiln_status_message(status));
    kiln_status_free(status);
    return made;
}

// Data ----------------------------------------------------------------------------------------------

enum { ALL_LANES = KILN_GFX942_LANES * KILN_VERIFY_GROUPS };

kiln_verify_data_t *kiln_verify_data_create(const kiln_verify_kernel_t *kernel)
{
    kiln_verify_data_t *data = calloc(1, sizeof *data);
    if (!data)
        return NULL;
    data->memory_bytes = (size_t)kernel->memory * KILN_VERIFY_GROUPS;
    data->inputs = calloc((size_t)ALL_LANES * kernel->inputs, sizeof *data->inputs);
    data->gpu = calloc((size_t)ALL_LANES * kernel->results, sizeof *data->gpu);
    data->simulator = calloc((size_t)ALL_LANES * kernel->results, sizeof *data->simulator);
    data->gpu_memory = calloc(data->memory_bytes + 1, 1);
    data->simulator_memory = calloc(data->memory_bytes + 1, 1);
    if (data->inputs && data->gpu && data->simulator && data->gpu_memory && data->simulator_memory)
        return data;
    kiln_verify_data_release(data);
    return NULL;
}

void kiln_verify_data_release(kiln_verify_data_t *data)
{
    if (!data)
        return;
    free(data->inputs);
    free(data->gpu);
    free(data->simulator);
    free(data->gpu_memory);
    free(data->simulator_memory);
    free(data);
}

// Launches on one device. `io_memory` holds memory's contents before and after.
static kiln_status_t run_on(kiln_device_t *device, kiln_module_t *module, size_t index,
                            const kiln_verify_kernel_t *kernel, const kiln_verify_data_t *data,
                            uint32_t *out_results, uint8_t *io_memory)
{
    const size_t in_bytes = (size_t)ALL_LANES * kernel->inputs * 4,
                 out_bytes = (size_t)ALL_LANES * kernel->results * 4;
    const unsigned grid[3] = {KILN_VERIFY_GROUPS, 1, 1};
    char symbol[24];
    kiln_buffer_t *buffers[3] = {0};
    uint64_t values[3];
    void *args[3] = {&values[0], &values[1], &values[2]};
    const struct {
        size_t bytes;
        const void *contents;
    } sides[3] = {
        {in_bytes, data->inputs}, {out_bytes, out_results}, {data->memory_bytes, io_memory}};
    snprintf(symbol, sizeof symbol, "k%zu", index);
    kiln_status_t status = KILN_OK;
    for (unsigned i = 0; i < 3 && !status; i++) {
        status = kiln_buffer_create(device, sides[i].bytes, &buffers[i]);
        if (!status)
            status = kiln_buffer_write(buffers[i], 0, sides[i].contents, sides[i].bytes);
        values[i] = status ? 0 : kiln_buffer_address(buffers[i]);
    }
    if (!status)
        status = kiln_verify_launch(device, module, symbol, grid, KILN_GFX942_LANES, args);
    if (!status)
        status = kiln_buffer_read(buffers[1], 0, out_results, out_bytes);
    if (!status)
        status = kiln_buffer_read(buffers[2], 0, io_memory, data->memory_bytes);
    for (unsigned i = 0; i < 3; i++)
        kiln_buffer_release(buffers[i]);
    return status;
}

bool kiln_verify_kernels_run(kiln_verify_context_t *context, kiln_verify_kernels_t *kernels,
                             size_t index, kiln_verify_data_t *io_data,
                             kiln_verify_result_t *result)
{
    if (!kernels || *kernels->failure) {
        kiln_verify_fail(result, kernels ? kernels->where : "host",
                         kernels ? kiln_status_make(KILN_STATUS_INTERNAL, "%s", kernels->failure)
                                 : kiln_status_out_of_memory());
        return false;
    }
    const kiln_verify_kernel_t *kernel = &kernels->kernels[index];
    memcpy(io_data->gpu_memory, io_data->simulator_memory, io_data->memory_bytes);
    kiln_status_t status = run_on(context->simulator, kernels->simulator, index, kernel, io_data,
                                  io_data->simulator, io_data->simulator_memory);
    if (status) {
        kiln_verify_fail(result, "simulator", status);
        return false;
    }
    status = run_on(context->gpu, kernels->gpu, index, kernel, io_data, io_data->gpu,
                    io_data->gpu_memory);
    if (status)
        kiln_verify_fail(result, "GPU", status);
    return !status;
}

kiln_status_t kiln_verify_kernels_find(kiln_verify_kernels_t *kernels, size_t index,
                                       kiln_function_t **out_gpu, kiln_function_t **out_simulator)
{
    char symbol[24];
    if (*kernels->failure)
        return kiln_status_make(KILN_STATUS_INTERNAL, "%s: %s", kernels->where, kernels->failure);
    snprintf(symbol, sizeof symbol, "k%zu", index);
    KILN_TRY(kiln_module_function(kernels->gpu, symbol, out_gpu));
    return kiln_module_function(kernels->simulator, symbol, out_simulator);
}
