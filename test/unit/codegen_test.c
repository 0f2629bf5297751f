// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code generation from hand-written LLVM IR: device libraries, promises, resources, and errors that
// LLVM only reports to its handler.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "artifact/code_object.h"
#include "codegen/codegen.h"
#include "codegen/codegen_internal.h"
#include "codegen/ir/walk.h"
#include "expect_status.h"

static const kiln_register_plan_t PLAN = {.sums_begin_in_vgprs = true};

typedef struct fixture {
    LLVMContextRef context;
    kiln_codegen_t *codegen;
} fixture_t;

static int set_up(void **state)
{
    fixture_t *fixture = calloc(1, sizeof *fixture);
    fixture->context = LLVMContextCreate();
    expect_ok(kiln_codegen_create(fixture->context, "gfx942", NULL, NULL, &fixture->codegen));
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    fixture_t *fixture = *state;
    kiln_codegen_release(fixture->codegen);
    LLVMContextDispose(fixture->context);
    free(fixture);
    return 0;
}

static LLVMModuleRef parse(fixture_t *fixture, const char *text)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
    LLVMModuleRef module = NULL;
    char *message = NULL;
    if (LLVMParseIRInContext(fixture->context, buffer, &module, &message))
        fail_msg("%s", message);
    return module;
}

static char *assembly(fixture_t *fixture, const char *text)
{
    LLVMModuleRef module = parse(fixture, text);
    expect_ok(kiln_codegen_prepare(fixture->codegen, module));
    expect_ok(kiln_codegen_verify(module));
    expect_ok(kiln_codegen_optimize(fixture->codegen, module, &PLAN));
    LLVMMemoryBufferRef buffer;
    expect_ok(kiln_codegen_emit(fixture->codegen, module, LLVMAssemblyFile, KILN_CODEGEN_PRESERVE,
                                &PLAN, &buffer));
    expect_ok(kiln_codegen_verify(module)); // emission changed only a clone
    char *result = strndup(LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
    LLVMDisposeMemoryBuffer(buffer);
    LLVMDisposeModule(module);
    return result;
}

static kiln_status_t build(fixture_t *fixture, const char *text, char **out_code, size_t *out_size)
{
    LLVMModuleRef module = parse(fixture, text);
    LLVMMemoryBufferRef object = NULL;
    kiln_status_t status = kiln_codegen_prepare(fixture->codegen, module);
    if (!status)
        status = kiln_codegen_optimize(fixture->codegen, module, &PLAN);
    if (!status)
        status = kiln_codegen_emit(fixture->codegen, module, LLVMObjectFile, KILN_CODEGEN_CONSUME,
                                   &PLAN, &object);
    if (!status) {
        const kiln_codegen_object_t part = {(char *)(uintptr_t)LLVMGetBufferStart(object),
                                            LLVMGetBufferSize(object)};
        status = kiln_codegen_link(&part, 1, out_code, out_size);
        LLVMDisposeMemoryBuffer(object);
    }
    LLVMDisposeModule(module);
    return status;
}

static const char MATH[] = "declare float @__ocml_erf_f32(float)\n"
                           "define amdgpu_kernel void @math(ptr addrspace(1) %p) #0 {\n"
                           "  %x = load float, ptr addrspace(1) %p\n"
                           "  %y = call float @__ocml_erf_f32(float %x)\n"
                           "  store float %y, ptr addrspace(1) %p\n"
                           "  ret void\n"
                           "}\n"
                           "attributes #0 = { \"amdgpu-flat-work-group-size\"=\"64,64\" }\n";

static void device_functions_are_linked_one_by_one_and_inlined(void **state)
{
    char *text = assembly(*state, MATH);
    assert_null(strstr(text, "__ocml"));    // neither a call nor a function body
    assert_null(strstr(text, "s_swappc"));  // nothing is called
    assert_non_null(strstr(text, "v_fma")); // the polynomial
    assert_non_null(strstr(text, "math.kd"));
    free(text);
    text = assembly(*state, MATH); // again, with the session's cached state
    assert_non_null(strstr(text, "v_fma"));
    free(text);
}

static void every_common_device_function_links(void **state)
{
    static const char *const names[] = {"exp", "exp2", "log",   "log2", "sin",
                                        "cos", "tan",  "tanh",  "sqrt", "rsqrt",
                                        "erf", "pow",  "atan2", "fmod", "floor"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        for (int bits = 32; bits <= 64; bits += 32) {
            char text[1024];
            const char *type = bits == 32 ? "float" : "double";
            int two =
                !strcmp(names[i], "pow") || !strcmp(names[i], "atan2") || !strcmp(names[i], "fmod");
            snprintf(text, sizeof text,
                     "declare %s @__ocml_%s_f%d(%s%s%s)\ndefine amdgpu_kernel void @k(ptr "
                     "addrspace(1) %%p) {\n  %%x = load "
                     "%s, ptr addrspace(1) %%p\n"
                     "  %%y = call %s @__ocml_%s_f%d(%s %%x%s%s%s)\n  store %s %%y, ptr "
                     "addrspace(1) %%p\n  ret void\n}\n",
                     type, names[i], bits, type, two ? ", " : "", two ? type : "", type, type,
                     names[i], bits, type, two ? ", " : "", two ? type : "", two ? " %x" : "",
                     type);
            char *code;
            size_t size;
            expect_ok(build(*state, text, &code, &size));
            free(code);
        }
    }
}

static void unknown_device_functions_and_wrong_types_are_named(void **state)
{
    char *code;
    size_t size;
    kiln_status_t status = build(*state,
                                 "declare float @__ocml_wood_f32(float)\ndefine amdgpu_kernel void "
                                 "@k(ptr addrspace(1) %p) {\n"
                                 "  %y = call float @__ocml_wood_f32(float 1.0)\n  store float %y, "
                                 "ptr addrspace(1) %p\n  ret void\n}\n",
                                 &code, &size);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_INVALID_INPUT);
    assert_string_equal(kiln_status_message(status),
                        "no function '__ocml_wood_f32' in the device libraries");
    kiln_status_free(status);
    status = build(*state,
                   "declare double @__ocml_erf_f32(double)\ndefine amdgpu_kernel void @k(ptr "
                   "addrspace(1) %p) {\n"
                   "  %y = call double @__ocml_erf_f32(double 1.0)\n  store double %y, ptr "
                   "addrspace(1) %p\n  ret void\n}\n",
                   &code, &size);
    assert_string_equal(
        kiln_status_message(status),
        "device function '__ocml_erf_f32' has type float (float), expected double (double)");
    kiln_status_free(status);
}

static void a_code_object_has_its_resources(void **state)
{
    char *code;
    size_t size;
    expect_ok(build(*state,
                    "@lds = internal addrspace(3) global [512 x float] poison, align 16\n"
                    "define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) #0 {\n"
                    "  %t = call i32 @llvm.amdgcn.workitem.id.x()\n"
                    "  %p = getelementptr float, ptr addrspace(3) @lds, i32 %t\n"
                    "  store volatile float 1.0, ptr addrspace(3) %p\n"
                    "  store i32 %n, ptr addrspace(1) %out\n  ret void\n}\n"
                    "declare i32 @llvm.amdgcn.workitem.id.x()\n"
                    "attributes #0 = { \"amdgpu-flat-work-group-size\"=\"256,256\" }\n",
                    &code, &size));
    kiln_code_object_t object;
    expect_ok(kiln_code_object_read(code, size, &object));
    assert_int_equal(object.kernel_count, 1);
    const kiln_code_kernel_t *kernel = kiln_code_object_find(&object, "k");
    assert_non_null(kernel);
    assert_null(kiln_code_object_find(&object, "other"));
    assert_int_equal(kernel->resources.lds_bytes, 2048);
    assert_int_equal(kernel->resources.scratch_bytes_per_lane, 0);
    assert_int_equal(kernel->resources.occupancy, 8);
    assert_int_equal(kernel->max_workgroup, 256);
    assert_int_equal(kernel->argument_count, 2); // no hidden arguments
    assert_string_equal(kernel->arguments[0].name, "out");
    assert_string_equal(kernel->arguments[0].kind, "global_buffer");
    assert_int_equal(kernel->arguments[1].offset, 8);
    assert_int_equal(kernel->kernarg_bytes, 12);
    assert_non_null(kernel->code);
    assert_true(kernel->code_size >= 4);
    kiln_code_object_free(&object);
    free(code);
}

static void too_much_lds_is_an_error_with_numbers(void **state)
{
    char *code;
    size_t size;
    kiln_status_t status =
        build(*state,
              "@lds = internal addrspace(3) global [20000 x float] poison, align 16\n"
              "define amdgpu_kernel void @k(i32 %i) {\n"
              "  %p = getelementptr float, ptr addrspace(3) @lds, i32 %i\n"
              "  store volatile float 1.0, ptr addrspace(3) %p\n  ret void\n}\n",
              &code, &size);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_OUT_OF_RESOURCES);
    assert_non_null(strstr(kiln_status_message(status), "80000"));
    assert_non_null(strstr(kiln_status_message(status), "65536"));
    assert_non_null(strstr(kiln_status_message(status), "num_stages"));
    kiln_status_free(status);
}

// Products of one block in each order: L is a lower half, W a wide product. After LLVM's last CSE
// there may be several of each.
static void equal_products_of_a_block_are_joined(void **state)
{
    static const char *const orders[] = {"LW",  "WL",  "LWL", "LLW",  "WLL",
                                         "WLW", "LWW", "WWL", "LWLW", "LLWWL"};
    for (size_t o = 0; o < sizeof orders / sizeof *orders; o++) {
        char text[2048] = "define void @f(i32 %a, i32 %b, ptr %p, ptr %q) {\n"
                          "  %x = zext i32 %a to i64\n  %y = zext i32 %b to i64\n";
        size_t end = strlen(text);
        for (int i = 0; orders[o][i]; i++)
            end += (size_t)snprintf(text + end, sizeof text - end,
                                    orders[o][i] == 'L' ? "  %%v%d = mul i32 %%a, %%b\n"
                                                          "  store volatile i32 %%v%d, ptr %%p\n"
                                                        : "  %%v%d = mul i64 %%y, %%x\n"
                                                          "  store volatile i64 %%v%d, ptr %%q\n",
                                    i, i);
        snprintf(text + end, sizeof text - end, "  ret void\n}\n");
        LLVMModuleRef module = parse(*state, text);
        kiln_codegen_join_products(module);
        expect_ok(kiln_codegen_verify(module));
        for (LLVMValueRef i = kiln_first_instruction(module); i; i = kiln_next_instruction(i))
            if (LLVMGetInstructionOpcode(i) == LLVMMul && LLVMGetIntTypeWidth(LLVMTypeOf(i)) == 32)
                fail_msg("%s: a lower half is computed by an instruction of its own", orders[o]);
        LLVMDisposeModule(module);
    }
}

static void other_architectures_are_refused(void **state)
{
    (void)state;
    LLVMContextRef context = LLVMContextCreate();
    kiln_codegen_t *codegen;
    kiln_status_t status = kiln_codegen_create(context, "gfx90a", NULL, NULL, &codegen);
    assert_int_equal(kiln_status_code(status), KILN_STATUS_UNSUPPORTED);
    assert_null(codegen);
    kiln_status_free(status);
    LLVMContextDispose(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(device_functions_are_linked_one_by_one_and_inlined, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(every_common_device_function_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_device_functions_and_wrong_types_are_named, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_code_object_has_its_resources, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_much_lds_is_an_error_with_numbers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(equal_products_of_a_block_are_joined, set_up, tear_down),
        cmocka_unit_test(other_architectures_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
