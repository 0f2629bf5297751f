// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the lowering by its results: random layouts, shapes and types for conversions, reductions,
// scans and dots, lowered without any pass, executed on the simulator, and compared with plain
// loops.
//
// Data are small integers, so that floats are exact and the order of additions does not matter. The
// operation of scans and of some reductions is associative but not commutative, so that a wrong
// order shows.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/codegen.h"
#include "kiln/dialects.h"
#include "kiln/runtime.h"
#include "lower/lower.h"
#include "open_device.h"
#include "passes/pass.h"
#include "random_layouts.h"

enum { TEXT_SIZE = 1 << 16, MAX_ELEMENTS = 4096 };

// Text --------------------------------------------------------------------------------------------

typedef struct program {
    char text[TEXT_SIZE];
    size_t length;
    int values;
} program_t;

__attribute__((format(printf, 2, 3))) static void add(program_t *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int written = vsnprintf(p->text + p->length, TEXT_SIZE - p->length, format, args);
    va_end(args);
    assert_true(written >= 0 && p->length + (size_t)written < TEXT_SIZE);
    p->length += (size_t)written;
}

static const char *tensor(char *out, const int *size, int rank, const char *element,
                          const char *encoding)
{
    int at = sprintf(out, "tensor<");
    for (int d = 0; d < rank; d++)
        at += sprintf(out + at, "%dx", size[d]);
    sprintf(out + at, "%s, %s>", element, encoding);
    return out;
}

// Emits row-major element offsets; returns the value's number.
static int emit_offsets(program_t *p, const shape_t *shape, const char *encoding)
{
    int total = -1, stride = 1;
    char a[2048], b[2048], encodings[MAX_TEST_RANK + 1][1024];
    for (int d = shape->rank - 1; d >= 0; d--) {
        int kept = 0, size[MAX_TEST_RANK] = {shape->size[d]}, rank = 1;
        strcpy(encodings[0], encoding);
        for (int x = shape->rank - 1; x >= 0; x--)
            if (x != d) {
                char parent[1024];
                strcpy(parent, encodings[kept]);
                sprintf(encodings[kept + 1], "#ttg.slice<{dim = %d, parent = %.900s}>", x, parent);
                kept++;
            }
        int value = p->values++;
        add(p, "%%v%d = tt.make_range {end = %d : i32, start = 0 : i32} : %s\n", value, size[0],
            tensor(a, size, 1, "i32", encodings[kept]));
        for (int x = 0; x < shape->rank; x++) {
            if (x == d)
                continue;
            tensor(a, size, rank, "i32", encodings[kept]);
            memmove(size + x + 1, size + x, sizeof(int) * (size_t)(rank - x));
            size[x] = 1;
            rank++;
            kept--;
            add(p, "%%v%d = tt.expand_dims %%v%d {axis = %d : i32} : %s -> %s\n", p->values, value,
                x, a, tensor(b, size, rank, "i32", encodings[kept]));
            value = p->values++;
        }
        tensor(a, size, rank, "i32", encoding);
        add(p, "%%v%d = arith.constant dense<%d> : %s\n%%v%d = arith.muli %%v%d, %%v%d : %s\n",
            p->values, stride, a, p->values + 1, value, p->values, a);
        value = p->values + 1;
        p->values += 2;
        tensor(b, shape->size, shape->rank, "i32", encoding);
        if (memcmp(size, shape->size, sizeof(int) * (size_t)rank)) {
            add(p, "%%v%d = tt.broadcast %%v%d : %s -> %s\n", p->values, value, a, b);
            value = p->values++;
        }
        if (total >= 0) {
            add(p, "%%v%d = arith.addi %%v%d, %%v%d : %s\n", p->values, total, value, b);
            value = p->values++;
        }
        total = value;
        stride *= shape->size[d];
    }
    return total;
}

static int emit_pointers(program_t *p, int argument, const shape_t *shape, const char *element,
                         const char *encoding)
{
    char pointer[64], a[2048], b[2048];
    int offsets = emit_offsets(p, shape, encoding);
    sprintf(pointer, "!tt.ptr<%s>", element);
    tensor(a, shape->size, shape->rank, pointer, encoding);
    add(p, "%%v%d = tt.splat %%a%d : %s -> %s\n", p->values, argument, pointer, a);
    add(p, "%%v%d = tt.addptr %%v%d, %%v%d : %s, %s\n", p->values + 1, p->values, offsets, a,
        tensor(b, shape->size, shape->rank, "i32", encoding));
    p->values += 2;
    return p->values - 1;
}

static int emit_load(program_t *p, int argument, const shape_t *shape, const char *element,
                     const char *encoding)
{
    char pointer[64], a[2048];
    int pointers = emit_pointers(p, argument, shape, element, encoding);
    sprintf(pointer, "!tt.ptr<%s>", element);
    add(p, "%%v%d = tt.load %%v%d : %s\n", p->values, pointers,
        tensor(a, shape->size, shape->rank, pointer, encoding));
    return p->values++;
}

static void emit_store(program_t *p, int argument, const shape_t *shape, const char *element,
                       const char *encoding, const char *value)
{
    char pointer[64], a[2048];
    int pointers = emit_pointers(p, argument, shape, element, encoding);
    sprintf(pointer, "!tt.ptr<%s>", element);
    add(p, "tt.store %%v%d, %s : %s\n", pointers, value,
        tensor(a, shape->size, shape->rank, pointer, encoding));
}

// Half of the programs declare their buffers as small and therefore use buffer resources.
static void begin(program_t *p, int warps, int arguments, const char *const *elements)
{
    const char *range = random_below(2) ? ", tt.pointer_range = 32 : i32" : "";
    p->length = 0;
    p->values = 0;
    add(p,
        "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = %d : i32, ttg.target = "
        "\"hip:gfx942\", "
        "\"ttg.threads-per-warp\" = 64 : i32} {\n",
        warps);
    add(p, "tt.func public @k(");
    for (int i = 0; i < arguments; i++)
        add(p, "%s%%a%d: !tt.ptr<%s> {tt.divisibility = 16 : i32%s}", i ? ", " : "", i, elements[i],
            range);
    add(p, ") {\n");
}

static void end(program_t *p)
{
    add(p, "tt.return\n}\n}\n");
}

// Execution ---------------------------------------------------------------------------------------

static void must(kiln_status_t status, const program_t *p)
{
    if (!status)
        return;
    char *text = kiln_status_format(status);
    fail_msg("%s\n%s", text, p->text);
}

static void compile(const program_t *p, char **out_code, size_t *out_size)
{
    MlirContext context = mlirContextCreate();
    kiln_context_load_dialects(context);
    MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreate(p->text, p->length));
    if (mlirModuleIsNull(module))
        fail_msg("does not parse:\n%s", p->text);
    kiln_compile_options_t options;
    kiln_compile_options_initialize(&options);
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMModuleRef lowered;
    kiln_codegen_t *codegen;
    LLVMMemoryBufferRef object;
    kiln_pass_context_t passes = {.mlir = context, .options = &options};
    must(kiln_pipeline_run(&passes, module, KILN_PASS_FINAL, NULL, NULL), p);
    kiln_register_plan_t registers = {.sums_begin_in_vgprs = true};
    must(kiln_lower_to_llvm(module, &options, NULL, llvm, &lowered), p);
    must(kiln_codegen_create(llvm, "gfx942", NULL, NULL, &codegen), p);
    must(kiln_codegen_prepare(codegen, lowered), p);
    must(kiln_codegen_verify(lowered), p);
    must(kiln_codegen_optimize(codegen, lowered, &registers), p);
    must(kiln_codegen_emit(codegen, lowered, LLVMObjectFile, KILN_CODEGEN_CONSUME, &registers,
                           &object),
         p);
    const kiln_codegen_object_t part = {(char *)(uintptr_t)LLVMGetBufferStart(object),
                                        LLVMGetBufferSize(object)};
    must(kiln_codegen_link(&part, 1, out_code, out_size), p);
    LLVMDisposeMemoryBuffer(object);
    LLVMDisposeModule(lowered);
    kiln_codegen_release(codegen);
    LLVMContextDispose(llvm);
    mlirModuleDestroy(module);
    mlirContextDestroy(context);
}

typedef struct data {
    void *bytes;
    size_t size;
} data_t;

static void execute(const program_t *p, int warps, data_t *arguments, int count)
{
    char *code;
    size_t size;
    compile(p, &code, &size);
    kiln_module_t *module;
    kiln_function_t *function;
    kiln_buffer_t *buffers[4];
    uint64_t addresses[4];
    void *pointers[4];
    must(kiln_module_load(device, code, size, &module), p);
    must(kiln_module_function(module, "k", &function), p);
    for (int i = 0; i < count; i++) {
        must(kiln_buffer_create(device, arguments[i].size, &buffers[i]), p);
        must(kiln_buffer_write(buffers[i], 0, arguments[i].bytes, arguments[i].size), p);
        addresses[i] = kiln_buffer_address(buffers[i]);
        pointers[i] = &addresses[i];
    }
    kiln_launch_t launch;
    kiln_launch_initialize(&launch);
    launch.block[0] = (unsigned)(64 * warps);
    launch.args = pointers;
    must(kiln_function_launch(function, &launch), p);
    must(kiln_device_synchronize(device), p);
    for (int i = 0; i < count; i++) {
        must(kiln_buffer_read(buffers[i], 0, arguments[i].bytes, arguments[i].size), p);
        kiln_buffer_release(buffers[i]);
    }
    kiln_module_release(module);
    free(code);
}

static void expect(const program_t *p, const int32_t *got, const int32_t *wanted, int count)
{
    for (int i = 0; i < count; i++)
        if (got[i] != wanted[i])
            fail_msg("element %d is %d, should be %d:\n%s", i, got[i], wanted[i], p->text);
}

static int random_warps(void)
{
    return 1 << random_below(4);
}

// Conversions -------------------------------------------------------------------------------------

static void conversions_move_every_element(void **state)
{
    static program_t p;
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}};
    (void)state;
    for (int round = 0; round < 24; round++) {
        char from[512], to[512], a[2048], b[2048], value[16];
        int warps = random_warps(), type = (int)random_below(4);
        shape_t shape = random_shape(11);
        size_t size = types[type].bytes * (size_t)shape.count;
        random_blocked(from, shape.rank, warps);
        random_blocked(to, shape.rank, warps);
        begin(&p, warps, 2, (const char *const[]){types[type].name, types[type].name});
        int loaded = emit_load(&p, 0, &shape, types[type].name, from);
        tensor(a, shape.size, shape.rank, types[type].name, from);
        add(&p, "%%v%d = ttg.convert_layout %%v%d : %s -> %s\n", p.values, loaded, a,
            tensor(b, shape.size, shape.rank, types[type].name, to));
        sprintf(value, "%%v%d", p.values++);
        emit_store(&p, 1, &shape, types[type].name, to, value);
        end(&p);
        uint8_t *source = malloc(size), *result = calloc(1, size);
        for (size_t i = 0; i < size; i++)
            source[i] = (uint8_t)random_below(256);
        execute(&p, warps, (data_t[]){{source, size}, {result, size}}, 2);
        if (memcmp(source, result, size))
            fail_msg("elements differ:\n%s", p.text);
        free(source);
        free(result);
    }
}

// Reductions and scans ----------------------------------------------------------------------------

static int stride_of(const shape_t *shape, int axis)
{
    int stride = 1;
    for (int d = axis + 1; d < shape->rank; d++)
        stride *= shape->size[d];
    return stride;
}

static void reductions_combine_each_line(void **state)
{
    static program_t p;
    static int32_t source[MAX_ELEMENTS], result[2][MAX_ELEMENTS], wanted[2][MAX_ELEMENTS];
    (void)state;
    for (int round = 0; round < 20; round++) {
        char encoding[512], slice[700], a[2048], b[2048], value[16];
        int warps = random_warps();
        shape_t shape = random_shape(11), left = {.count = 1};
        int axis = (int)random_below((uint32_t)shape.rank), stride = stride_of(&shape, axis),
            lines = shape.count / shape.size[axis];
        for (int d = 0; d < shape.rank; d++)
            if (d != axis)
                left.size[left.rank++] = shape.size[d];
        random_blocked(encoding, shape.rank, warps);
        sprintf(slice, "#ttg.slice<{dim = %d, parent = %s}>", axis, encoding);
        begin(&p, warps, 3, (const char *const[]){"i32", "i32", "i32"});
        int loaded = emit_load(&p, 0, &shape, "i32", encoding),
            offsets = emit_offsets(&p, &shape, encoding), reduced = p.values++;
        tensor(a, shape.size, shape.rank, "i32", encoding);
        if (left.rank)
            tensor(b, left.size, left.rank, "i32", slice);
        else
            strcpy(b, "i32");
        // The sum, and the index of the largest element, of two operands at once.
        add(&p,
            "%%v%d:3 = \"tt.reduce\"(%%v%d, %%v%d, %%v%d) <{axis = %d : i32}> ({\n^bb0(%%s0: i32, "
            "%%m0: i32, %%i0: "
            "i32, %%s1: i32, %%m1: i32, %%i1: i32):\n"
            "%%s = arith.addi %%s0, %%s1 : i32\n%%g = arith.cmpi sgt, %%m0, %%m1 : i32\n%%e = "
            "arith.cmpi eq, %%m0, "
            "%%m1 : i32\n"
            "%%l = arith.cmpi slt, %%i0, %%i1 : i32\n%%t = arith.andi %%e, %%l : i1\n%%c = "
            "arith.ori %%g, %%t : i1\n"
            "%%m = arith.select %%c, %%m0, %%m1 : i32\n%%i = arith.select %%c, %%i0, %%i1 : "
            "i32\ntt.reduce.return %%s, "
            "%%m, %%i : i32, i32, i32\n"
            "}) : (%s, %s, %s) -> (%s, %s, %s)\n",
            reduced, loaded, loaded, offsets, axis, a, a, a, b, b, b);
        for (int i = 0; i < 2; i++) {
            sprintf(value, "%%v%d#%d", reduced, 2 * i);
            if (left.rank)
                emit_store(&p, 1 + i, &left, "i32", slice, value);
            else
                add(&p, "tt.store %%a%d, %s : !tt.ptr<i32>\n", 1 + i, value);
        }
        end(&p);
        for (int i = 0; i < shape.count; i++)
            source[i] = (int32_t)random_below(5);
        for (int line = 0; line < lines; line++) {
            int first = line / stride * stride * shape.size[axis] + line % stride, best = first,
                sum = 0;
            for (int k = 0; k < shape.size[axis]; k++) {
                sum += source[first + k * stride];
                best = source[first + k * stride] > source[best] ? first + k * stride : best;
            }
            wanted[0][line] = sum;
            wanted[1][line] = best;
        }
        size_t bytes = sizeof(int32_t) * (size_t)lines;
        execute(&p, warps,
                (data_t[]){{source, sizeof(int32_t) * (size_t)shape.count},
                           {result[0], bytes},
                           {result[1], bytes}},
                3);
        expect(&p, result[0], wanted[0], lines);
        expect(&p, result[1], wanted[1], lines);
    }
}

// Composition of maps x → a·x + b: (a, b) after (c, d) is (a·c, b·c + d). An expensive region,
// which splits d by divisions and recombines it, is lowered differently between lanes.
static void keep_the_order(bool scans, int rounds)
{
    static program_t p;
    static int32_t source[MAX_ELEMENTS], result[MAX_ELEMENTS], wanted[MAX_ELEMENTS];
    static const char *const ends[] = {"%z = arith.addi %y, %d : i32\n",
                                       "%one = arith.constant 1 : i32\n%e = arith.ori %d, %one : "
                                       "i32\n%q = arith.divui %d, %e : i32\n"
                                       "%r = arith.remui %d, %e : i32\n%t = arith.muli %q, %e : "
                                       "i32\n%u = arith.addi %t, %r : i32\n"
                                       "%z = arith.addi %y, %u : i32\n"};
    for (int round = 0; round < rounds; round++) {
        char encoding[600], slice[700], a[2048], b[2048], value[16], reverses[64] = "";
        int warps = random_warps(), reverse = scans && random_below(2);
        shape_t shape = random_shape(scans ? 10 : 11), left = {.count = 1};
        int axis = (int)random_below((uint32_t)shape.rank), stride = stride_of(&shape, axis),
            length = shape.size[axis];
        if (scans || random_below(3) == 0)
            random_blocked(encoding, shape.rank, warps);
        else
            random_linear(encoding, &shape, warps);
        for (int d = 0; d < shape.rank && !scans; d++)
            if (d != axis)
                left.size[left.rank++] = shape.size[d];
        sprintf(slice, "#ttg.slice<{dim = %d, parent = %s}>", axis, encoding);
        begin(&p, warps, 2, (const char *const[]){"i32", "i32"});
        int loaded = emit_load(&p, 0, &shape, "i32", encoding), scanned = p.values++;
        tensor(a, shape.size, shape.rank, "i32", encoding);
        tensor(b, left.size, left.rank, "i32", slice);
        if (scans)
            sprintf(reverses, ", reverse = %s", reverse ? "true" : "false");
        const char *kind = scans ? "scan" : "reduce", *to = scans ? a : left.rank ? b : "i32";
        add(&p,
            "%%v%d:2 = \"tt.%s\"(%%v%d, %%v%d) <{axis = %d : i32%s}> ({\n^bb0(%%a: "
            "i32, %%b: i32, %%c: "
            "i32, %%d: i32):\n"
            "%%x = arith.muli %%a, %%c : i32\n%%y = arith.muli %%b, %%c : i32\n%stt.%s.return "
            "%%x, %%z : i32, i32\n"
            "}) : (%s, %s) -> (%s, %s)\n",
            scanned, kind, loaded, loaded, axis, reverses, ends[round % 2], kind, a, a, to, to);
        sprintf(value, "%%v%d#1", scanned);
        if (scans || left.rank)
            emit_store(&p, 1, scans ? &shape : &left, "i32", scans ? encoding : slice, value);
        else
            add(&p, "tt.store %%a1, %s : !tt.ptr<i32>\n", value);
        end(&p);
        for (int i = 0; i < shape.count; i++)
            source[i] = (int32_t)(scans ? random_below(4) : random_below(1 << 16) | 1);
        for (int line = 0; line < shape.count / length; line++) {
            int first = line / stride * stride * length + line % stride;
            uint32_t sum = 0;
            for (int k = 0; k < length; k++) {
                int at = first + (reverse ? length - 1 - k : k) * stride;
                sum = k ? sum * (uint32_t)source[at] + (uint32_t)source[at] : (uint32_t)source[at];
                wanted[scans ? at : line] = (int32_t)sum;
            }
        }
        size_t bytes = sizeof(int32_t) * (size_t)shape.count;
        execute(&p, warps, (data_t[]){{source, bytes}, {result, bytes}}, 2);
        expect(&p, result, wanted, scans ? shape.count : shape.count / length);
    }
}

static void scans_keep_the_order(void **state)
{
    (void)state;
    keep_the_order(true, 40);
}

static void reductions_keep_the_order(void **state)
{
    (void)state;
    keep_the_order(false, 60);
}

// Dots --------------------------------------------------------------------------------------------

static void dots_multiply(void **state)
{
    static program_t p;
    static int8_t a[128 * 128], b[128 * 128];
    static int32_t c[128 * 128], wanted[128 * 128];
    (void)state;
    for (int round = 0; round < 16; round++) {
        // Loaded as i8, computed as i8, f16, bf16 or f32 on matrix instructions, or by
        // multiply-adds, stored as i32.
        static const struct {
            const char *type, *accumulator;
            int k_base;
        } kinds[] = {{"i8", "i32", 8},
                     {"f16", "f32", 4},
                     {"bf16", "f32", 4},
                     {"f32", "f32", 1},
                     {"f16", "f32", 0}};
        int kind = (int)random_below(5), warps = random_warps(), side = random_below(2) ? 16 : 32,
            warps_m = 1 << random_below(4);
        while (warps % warps_m)
            warps_m /= 2;
        int k_base = kinds[kind].k_base, k_width = (k_base ? k_base : 1) << random_below(2);
        shape_t m_k = {.rank = 2}, k_n = {.rank = 2}, m_n = {.rank = 2};
        int m = (k_base ? side : 4) << random_below(2), n = (k_base ? side : 8) << random_below(2),
            k = k_base ? k_width * 64 / side << random_below(2) : 4;
        m_k.size[0] = m_n.size[0] = m;
        m_k.size[1] = k_n.size[0] = k;
        k_n.size[1] = m_n.size[1] = n;
        m_k.count = m * k;
        k_n.count = k * n;
        m_n.count = m * n;
        char blocked[512], parent[512], operands[2][700], t[4][2048], value[16];
        random_blocked(blocked, 2, warps);
        if (k_base)
            sprintf(parent,
                    "#ttg.amd_mfma<{version = 3, warpsPerCTA = [%d, %d], instrShape = [%d, %d, "
                    "%d], isTransposed = %s}>",
                    warps_m, warps / warps_m, side, side, k_base * 64 / side,
                    random_below(2) ? "true" : "false");
        else
            random_blocked(parent, 2, warps);
        for (int i = 0; i < 2; i++)
            if (k_base)
                sprintf(operands[i], "#ttg.dot_op<{opIdx = %d, parent = %s, kWidth = %d}>", i,
                        parent, k_width);
            else
                sprintf(operands[i], "#ttg.dot_op<{opIdx = %d, parent = %s}>", i, parent);
        begin(&p, warps, 3, (const char *const[]){"i8", "i8", "i32"});
        int inputs[2];
        for (int i = 0; i < 2; i++) {
            const shape_t *shape = i ? &k_n : &m_k;
            int loaded = emit_load(&p, i, shape, "i8", blocked);
            tensor(t[0], shape->size, 2, "i8", blocked);
            tensor(t[1], shape->size, 2, kinds[kind].type, blocked);
            if (kind) {
                add(&p, "%%v%d = arith.sitofp %%v%d : %s to %s\n", p.values, loaded, t[0], t[1]);
                loaded = p.values++;
            }
            tensor(t[2], shape->size, 2, kinds[kind].type, operands[i]);
            if (random_below(2)) { // through a swizzled buffer in LDS
                char buffer[512];
                sprintf(buffer,
                        "!ttg.memdesc<%dx%dx%s, #ttg.swizzled_shared<{vec = 1, perPhase = 1, "
                        "maxPhase = %d, order = "
                        "[%s]}>, #ttg.shared_memory>",
                        shape->size[0], shape->size[1], kinds[kind].type, random_below(2) ? 4 : 1,
                        random_below(2) ? "1, 0" : "0, 1");
                add(&p,
                    "%%v%d = ttg.local_alloc %%v%d : (%s) -> %s\n%%v%d = ttg.local_load %%v%d : %s "
                    "-> %s\n",
                    p.values, loaded, t[1], buffer, p.values + 1, p.values, buffer, t[2]);
                p.values++;
            } else {
                add(&p, "%%v%d = ttg.convert_layout %%v%d : %s -> %s\n", p.values, loaded, t[1],
                    t[2]);
            }
            inputs[i] = p.values++;
        }
        tensor(t[0], m_k.size, 2, kinds[kind].type, operands[0]);
        tensor(t[1], k_n.size, 2, kinds[kind].type, operands[1]);
        tensor(t[2], m_n.size, 2, kinds[kind].accumulator, parent);
        add(&p,
            "%%zero = arith.constant dense<%s> : %s\n%%d = tt.dot %%v%d, %%v%d, %%zero : %s * %s "
            "-> %s\n",
            kind ? "0.0" : "0", t[2], inputs[0], inputs[1], t[0], t[1], t[2]);
        strcpy(value, "%d");
        if (kind) {
            add(&p, "%%e = arith.fptosi %%d : %s to %s\n", t[2],
                tensor(t[3], m_n.size, 2, "i32", parent));
            strcpy(value, "%e");
        }
        emit_store(&p, 2, &m_n, "i32", parent, value);
        end(&p);
        for (int i = 0; i < m * k; i++)
            a[i] = (int8_t)((int)random_below(9) - 4);
        for (int i = 0; i < k * n; i++)
            b[i] = (int8_t)((int)random_below(9) - 4);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                wanted[i * n + j] = 0;
                for (int x = 0; x < k; x++)
                    wanted[i * n + j] += a[i * k + x] * b[x * n + j];
            }
        execute(&p, warps,
                (data_t[]){{a, (size_t)(m * k)},
                           {b, (size_t)(k * n)},
                           {c, sizeof(int32_t) * (size_t)(m * n)}},
                3);
        expect(&p, c, wanted, m * n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_move_every_element),
        cmocka_unit_test(reductions_combine_each_line),
        cmocka_unit_test(scans_keep_the_order),
        cmocka_unit_test(reductions_keep_the_order),
        cmocka_unit_test(dots_multiply),
    };
    return cmocka_run_group_tests(tests, open_device, close_device);
}
