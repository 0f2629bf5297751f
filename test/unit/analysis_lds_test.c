// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LDS allocation and barriers on small programs. A missing barrier often goes unnoticed, so each
// program states exactly which operations have one.
#include <stdio.h>

#include "analysis_module.h"

#include "analysis/barriers/membar.h"
#include "analysis/plan/allocation.h"
#include "analysis/plan/scratch.h"

#define HEADER                                                                                     \
    "#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], "   \
    "order = [1, 0]}>\n"                                                                           \
    "#t = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 8], warpsPerCTA = [4, 1], "   \
    "order = [0, 1]}>\n"                                                                           \
    "#l = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [64], warpsPerCTA = [4], order = "   \
    "[0]}>\n"                                                                                      \
    "#s = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [1, 0]}>\n#smem = "   \
    "#ttg.shared_memory\n"                                                                         \
    "module attributes {\"ttg.num-warps\" = 4 : i32} {\n"
#define BUFFER "!ttg.memdesc<32x32xf32, #s, #smem, mutable>"
#define TENSOR "tensor<32x32xf32, #b>"

enum {
    WARPS = 4,
    BUFFER_BYTES = 32 * 32 * 4,
    SCRATCH = BUFFER_BYTES
}; // a conversion passes its whole tensor through LDS

typedef struct analysed {
    test_module_t test;
    kiln_allocation_t *allocation;
    kiln_global_accesses_t *accesses;
    kiln_uniformity_t *uniformity;
    kiln_membar_t *membar;
} analysed_t;

static analysed_t analyse(const char *text)
{
    analysed_t all = {.test = parse_module(text)};
    assert_null(kiln_allocation_create(all.test.module, WARPS, &all.allocation));
    assert_null(kiln_global_accesses_create(all.test.module, WARPS, &all.accesses));
    assert_null(kiln_uniformity_create(all.test.module, WARPS, &all.uniformity));
    assert_null(kiln_membar_create(all.test.module, all.allocation, all.accesses, all.uniformity, 1,
                                   &all.membar));
    return all;
}

static void release(analysed_t *all)
{
    kiln_membar_destroy(all->membar);
    kiln_uniformity_destroy(all->uniformity);
    kiln_global_accesses_destroy(all->accesses);
    kiln_allocation_destroy(all->allocation);
    free_module(&all->test);
}

static uint32_t offset_of(const analysed_t *all, int tag)
{
    uint32_t offset = 0, bytes = 0;
    assert_true(kiln_allocation_offset(all->allocation, tagged(&all->test, tag), &offset, &bytes));
    assert_int_equal(offset % KILN_LDS_ALIGNMENT, 0);
    return offset;
}

static bool barrier_before(const analysed_t *all, int tag)
{
    return kiln_membar_before(all->membar, tagged(&all->test, tag)) != 0;
}

static uint32_t size_of_first_function(const analysed_t *all)
{
    return kiln_allocation_size(all->allocation,
                                mlirBlockGetFirstOperation(mlirModuleGetBody(all->test.module)));
}

static void buffers_that_live_together_are_apart(void **state)
{
    (void)state;
    analysed_t all =
        analyse(HEADER "tt.func @f(%x: " TENSOR ") {\n"
                       "%a = ttg.local_alloc {tag = 1 : i32} : () -> " BUFFER "\n"
                       "%b = ttg.local_alloc %x {tag = 2 : i32} : (" TENSOR ") -> " BUFFER "\n"
                       "ttg.local_store %x, %a : " TENSOR " -> " BUFFER "\n"
                       "%p = ttg.local_load %b {tag = 3 : i32} : " BUFFER " -> " TENSOR "\n"
                       "%q = ttg.local_load %a {tag = 4 : i32} : " BUFFER " -> " TENSOR "\n"
                       "%c = ttg.local_alloc {tag = 5 : i32} : () -> " BUFFER "\n"
                       "ttg.local_store %x, %c {tag = 6 : i32} : " TENSOR " -> " BUFFER "\n"
                       "%r = ttg.local_load %c {tag = 7 : i32} : " BUFFER " -> " TENSOR "\n"
                       "tt.return\n}}\n");
    assert_int_not_equal(offset_of(&all, 1), offset_of(&all, 2));
    assert_int_equal(size_of_first_function(&all),
                     8192);               // the third buffer reuses the place of another
    assert_true(barrier_before(&all, 3)); // one barrier for both stores
    assert_false(barrier_before(&all, 4));
    assert_true(barrier_before(&all, 6)); // writes memory that other waves may still read
    assert_true(barrier_before(&all, 7));
    assert_int_equal(kiln_membar_count(all.membar), 3);
    MlirOperation buffers[4];
    MlirValue loaded = kiln_op_operand(tagged(&all.test, 3), 0);
    assert_int_equal(kiln_allocation_buffers(all.allocation, loaded, buffers, 4), 1);
    assert_true(mlirOperationEqual(buffers[0], tagged(&all.test, 2)));
    release(&all);
}

static void scratch_is_reused_after_barriers(void **state)
{
    (void)state;
    analysed_t all = analyse(
        HEADER
        "tt.func @f(%x: " TENSOR ") {\n"
        "%a = ttg.convert_layout %x {tag = 100 : i32} : " TENSOR " -> tensor<32x32xf32, #t>\n"
        "%b = ttg.convert_layout %x {tag = 101 : i32} : " TENSOR " -> tensor<32x32xf32, #t>\n"
        "gpu.barrier\n"
        "%c = ttg.convert_layout %x {tag = 102 : i32} : " TENSOR " -> tensor<32x32xf32, #t>\n"
        "tt.return\n}}\n");
    assert_int_equal(size_of_first_function(&all), SCRATCH);
    assert_int_equal(offset_of(&all, 100), offset_of(&all, 101));
    assert_false(barrier_before(&all, 100));
    assert_true(barrier_before(&all, 101));
    assert_false(barrier_before(&all, 102)); // the program's own barrier suffices
    release(&all);
}

// One buffer refilled in a loop: a barrier before the read (after this iteration's store) and one
// before the store (after the previous iteration's read).
static void loops_bring_accesses_around(void **state)
{
    (void)state;
    analysed_t all = analyse(
        HEADER "tt.func @f(%x: " TENSOR ", %n: i32) {\n"
               "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
               "%a = ttg.local_alloc {tag = 1 : i32} : () -> " BUFFER "\n"
               "%e = ttg.local_alloc %x {tag = 2 : i32} : (" TENSOR ") -> " BUFFER "\n"
               "%l:2 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x, %m = %a) -> (" TENSOR
               ", " BUFFER ") : i32 {\n"
               "  ttg.local_store %y, %m {tag = 3 : i32} : " TENSOR " -> " BUFFER "\n"
               "  %z = ttg.local_load %m {tag = 4 : i32} : " BUFFER " -> " TENSOR "\n"
               "  %k = ttg.convert_layout %z {tag = 100 : i32} : " TENSOR
               " -> tensor<32x32xf32, #t>\n"
               "  scf.yield %z, %m : " TENSOR ", " BUFFER "\n}\n"
               "%w = ttg.local_load %e {tag = 5 : i32} : " BUFFER " -> " TENSOR "\n"
               "tt.return\n}}\n");
    assert_true(barrier_before(&all, 4));
    // The conversion's own barrier is between the load and the next store, and the conversion
    // itself reads other memory.
    assert_false(barrier_before(&all, 3));
    assert_int_equal(size_of_first_function(&all),
                     2 * BUFFER_BYTES + SCRATCH); // the buffers are live in the whole loop
    assert_true(barrier_before(&all, 5)); // if the loop has no iteration, this is the first barrier
    release(&all);

    all = analyse(HEADER "tt.func @f(%x: " TENSOR ", %n: i32) {\n"
                         "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
                         "%a = ttg.local_alloc : () -> " BUFFER "\n"
                         "scf.for %i = %c0 to %n step %c1 : i32 {\n"
                         "  ttg.local_store %x, %a {tag = 3 : i32} : " TENSOR " -> " BUFFER "\n"
                         "  %z = ttg.local_load %a {tag = 4 : i32} : " BUFFER " -> " TENSOR "\n"
                         "}\ntt.return\n}}\n");
    assert_true(barrier_before(&all, 3));
    assert_true(barrier_before(&all, 4));
    release(&all);
}

static void branches_are_joined(void **state)
{
    (void)state;
    analysed_t all =
        analyse(HEADER "tt.func @f(%x: " TENSOR ", %c: i1) {\n"
                       "%a = ttg.local_alloc %x : (" TENSOR ") -> " BUFFER "\n"
                       "scf.if %c {\n  gpu.barrier\n}\n"
                       "%z = ttg.local_load %a {tag = 4 : i32} : " BUFFER " -> " TENSOR "\n"
                       "cf.cond_br %c, ^one, ^two\n"
                       "^one:\n"
                       "%y = ttg.local_load %a {tag = 5 : i32} : " BUFFER " -> " TENSOR "\n"
                       "cf.br ^two\n"
                       "^two:\n"
                       "ttg.local_store %x, %a {tag = 6 : i32} : " TENSOR " -> " BUFFER "\n"
                       "cf.cond_br %c, ^one, ^three\n"
                       "^three:\n"
                       "tt.return\n}}\n");
    assert_true(barrier_before(&all, 4));
    assert_true(barrier_before(&all, 5)); // the store reaches it through the back edge
    assert_true(barrier_before(&all, 6));
    release(&all);
}

// Slices with different constant indices do not overlap.
static void slices_are_distinguished(void **state)
{
    (void)state;
#define BUFFERS "!ttg.memdesc<2x32x32xf32, #s, #smem, mutable>"
    analysed_t all =
        analyse(HEADER "tt.func @f(%x: " TENSOR ", %i: i32) {\n"
                       "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n"
                       "%a = ttg.local_alloc {tag = 1 : i32} : () -> " BUFFERS "\n"
                       "%s0 = ttg.memdesc_index %a[%c0] : " BUFFERS " -> " BUFFER "\n"
                       "%s1 = ttg.memdesc_index %a[%c1] : " BUFFERS " -> " BUFFER "\n"
                       "%si = ttg.memdesc_index %a[%i] : " BUFFERS " -> " BUFFER "\n"
                       "ttg.local_store %x, %s0 : " TENSOR " -> " BUFFER "\n"
                       "%p = ttg.local_load %s1 {tag = 3 : i32} : " BUFFER " -> " TENSOR "\n"
                       "%q = ttg.local_load %si {tag = 4 : i32} : " BUFFER " -> " TENSOR "\n"
                       "tt.return\n}}\n");
    assert_int_equal(size_of_first_function(&all), 8192);
    assert_false(barrier_before(&all, 3));
    assert_true(barrier_before(&all, 4));
    release(&all);
}

// A ring buffer of two slots: one barrier per iteration, between reading a slot and refilling it.
// The barrier for the stores before the loop is placed before the loop, too.
static void rings_need_one_barrier(void **state)
{
    (void)state;
    static const char text[] = HEADER
        "tt.func @f(%x: " TENSOR ", %n: i32) {\n"
        "%c0 = arith.constant 0 : i32\n%c1 = arith.constant 1 : i32\n%c2 = arith.constant 2 : i32\n"
        "%a = ttg.local_alloc {tag = 1 : i32} : () -> " BUFFERS "\n"
        "%s0 = ttg.memdesc_index %a[%c0] : " BUFFERS " -> " BUFFER "\n"
        "ttg.local_store %x, %s0 : " TENSOR " -> " BUFFER "\n"
        "%r = scf.for %i = %c0 to %n step %c1 iter_args(%k = %c0) -> (i32) : i32 {\n"
        "  %s = ttg.memdesc_index %a[%k] : " BUFFERS " -> " BUFFER "\n"
        "  %p = ttg.local_load %s {tag = 3 : i32} : " BUFFER " -> " TENSOR "\n"
        "  ttg.local_store %p, %s {tag = 4 : i32} : " TENSOR " -> " BUFFER "\n"
        "  %k1 = arith.addi %k, %c1 : i32\n"
        "  %in = arith.cmpi slt, %k1, %c{SLOTS} : i32\n"
        "  %next = arith.select %in, %k1, %c0 : i32\n"
        "  scf.yield %next : i32\n} {tag = 5 : i32}\n"
        "%q = ttg.memdesc_index %a[%r] : " BUFFERS " -> " BUFFER "\n"
        "%w = ttg.local_load %q {tag = 6 : i32} : " BUFFER " -> " TENSOR "\n"
        "tt.return\n}}\n";
    for (int slots = 1; slots <= 2; slots++) { // with 1, the loop stays in one slot: not a ring
        char filled[sizeof text];
        const char *mark = strstr(text, "{SLOTS}");
        int length =
            snprintf(filled, sizeof filled, "%.*s%d%s", (int)(mark - text), text, slots, mark + 7);
        assert_true(length > 0 && length < (int)sizeof filled);
        analysed_t all = analyse(filled);
        bool ring = slots == 2;
        assert_true(barrier_before(&all, 4));
        assert_int_equal(barrier_before(&all, 3), !ring);
        assert_int_equal(barrier_before(&all, 5), ring);
        assert_true(barrier_before(&all, 6));
        release(&all);
    }
}

static void callees_are_placed_after_live_buffers(void **state)
{
    (void)state;
    analysed_t all =
        analyse(HEADER "tt.func @f(%x: " TENSOR ") {\n"
                       "%a = ttg.local_alloc %x {tag = 1 : i32} : (" TENSOR ") -> " BUFFER "\n"
                       "tt.call @g(%x) {tag = 2 : i32} : (" TENSOR ") -> ()\n"
                       "%p = ttg.local_load %a {tag = 3 : i32} : " BUFFER " -> " TENSOR "\n"
                       "tt.return\n}\n"
                       "tt.func private @g(%x: " TENSOR ") {\n"
                       "%a = ttg.local_alloc %x : (" TENSOR ") -> " BUFFER "\n"
                       "%p = ttg.local_load %a {tag = 4 : i32} : " BUFFER " -> " TENSOR "\n"
                       "tt.return\n}}\n");
    assert_int_equal(size_of_first_function(&all), 8192);
    assert_int_not_equal(offset_of(&all, 1), offset_of(&all, 2));
    assert_true(barrier_before(&all, 3));
    assert_true(barrier_before(&all, 4));
    release(&all);
}

// An operation's scratch size follows from its types: 0 if a wave holds all elements, otherwise one
// value per wave for each element.
static void scratch_follows_from_types(void **state)
{
    (void)state;
    static const char text[] = HEADER
        "tt.func @f(%x: " TENSOR ", %y: tensor<32x32xf32, #t>, %n: tensor<1024xi32, #l>, %p: "
        "!tt.ptr<i32>, %v: i32, %c: i1) {\n"
        "%rows = \"tt.reduce\"(%x) <{axis = 1 : i32}> ({\n^bb0(%a: f32, %b: f32):\n%s = arith.addf "
        "%a, %b : f32\n"
        "tt.reduce.return %s : f32\n}) {tag = 1 : i32} : (" TENSOR
        ") -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #b}>>\n"
        "%columns = \"tt.reduce\"(%x) <{axis = 0 : i32}> ({\n^bb0(%a: f32, %b: f32):\n%s = "
        "arith.addf %a, %b : f32\n"
        "tt.reduce.return %s : f32\n}) {tag = 2 : i32} : (" TENSOR
        ") -> tensor<32xf32, #ttg.slice<{dim = 0, parent = #b}>>\n"
        "%bins = tt.histogram %n {tag = 3 : i32} : tensor<1024xi32, #l> -> tensor<256xi32, #l>\n"
        "%found = tt.gather %n[%n] {axis = 0 : i32, tag = 4 : i32} : (tensor<1024xi32, #l>, "
        "tensor<1024xi32, #l>) -> "
        "tensor<1024xi32, #l>\n"
        "%old = tt.atomic_rmw add, relaxed, gpu, %p, %v, %c {tag = 5 : i32} : (!tt.ptr<i32>, i32, "
        "i1) -> i32\n"
        "%again = tt.atomic_rmw add, relaxed, gpu, %p, %old, %c {tag = 6 : i32} : (!tt.ptr<i32>, "
        "i32, i1) -> i32\n"
        "%k = ttg.convert_layout %y {tag = 7 : i32} : tensor<32x32xf32, #t> -> " TENSOR "\n"
        "tt.return\n}}\n";
    static const uint32_t wanted[] = {0, 0, WARPS * 32 * 4, 256 * 4, 1024 * 4, 4, 0, SCRATCH};
    test_module_t test = parse_module(text);
    for (int tag = 1; tag < (int)(sizeof wanted / sizeof *wanted); tag++) {
        uint32_t bytes = UINT32_MAX;
        assert_null(kiln_scratch_bytes(tagged(&test, tag), WARPS, &bytes));
        assert_int_equal(bytes, wanted[tag]);
    }
    free_module(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scratch_follows_from_types),
        cmocka_unit_test(buffers_that_live_together_are_apart),
        cmocka_unit_test(scratch_is_reused_after_barriers),
        cmocka_unit_test(loops_bring_accesses_around),
        cmocka_unit_test(branches_are_joined),
        cmocka_unit_test(slices_are_distinguished),
        cmocka_unit_test(rings_need_one_barrier),
        cmocka_unit_test(callees_are_placed_after_live_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
