// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Growing arrays: how they grow, which sizes are refused, and what remains when memory is
// exhausted. The linker's --wrap redirects realloc to this file, and malloc, which the compiler
// calls instead where it knows that an array is NULL.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "base/array.h"

void *__real_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *memory, size_t size);

// volatile, since the compiler assumes that realloc uses no variables of this file.
static volatile unsigned moves;
static volatile size_t moved; // requested bytes
static volatile bool fails;

void *__wrap_malloc(size_t size)
{
    moves++;
    moved += size;
    return fails ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    moves++;
    moved += size;
    return fails ? NULL : __real_realloc(memory, size);
}

typedef struct item {
    uint64_t number;
    char text[17];
} item_t;

typedef struct items {
    item_t *all;
    size_t count, capacity;
} items_t;

static int set_up(void **state)
{
    (void)state;
    moves = 0;
    moved = 0;
    fails = false;
    return 0;
}

static bool append(items_t *items, uint64_t number)
{
    if (!KILN_ARRAY_RESERVE(&items->all, &items->capacity, items->count + 1))
        return false;
    items->all[items->count++] = (item_t){.number = number};
    return true;
}

static void test_growth(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    items_t items = {0};
    for (uint64_t i = 0; i < COUNT; i++) {
        assert_true(append(&items, i));
        assert_true(items.capacity >= items.count);
    }
    for (uint64_t i = 0; i < COUNT; i++)
        assert_int_equal(items.all[i].number, i);
    assert_int_equal(items.capacity, 8192);
    assert_int_equal(moves, 10); // 16, 32, … 8192
    assert_int_equal(moved, (16384 - 16) * sizeof *items.all);
    free(items.all);
}

static void test_many_at_once(void **state)
{
    (void)state;
    uint8_t *bytes = NULL;
    size_t capacity = 0;
    assert_true(KILN_ARRAY_RESERVE(&bytes, &capacity, 0));
    assert_null(bytes);
    assert_int_equal(moves, 0);
    assert_true(KILN_ARRAY_RESERVE(&bytes, &capacity, 1000));
    assert_int_equal(capacity, 1024);
    bytes[999] = 7;
    assert_true(KILN_ARRAY_RESERVE(&bytes, &capacity, 1024));
    assert_true(KILN_ARRAY_RESERVE(&bytes, &capacity, 3)); // never shrinks
    assert_int_equal(capacity, 1024);
    assert_int_equal(moves, 1);
    assert_true(KILN_ARRAY_RESERVE(&bytes, &capacity, 1025));
    assert_int_equal(capacity, 2048);
    assert_int_equal(bytes[999], 7);
    free(bytes);
}

// A capacity that another allocation chose is kept, and doubles.
static void test_other_capacity(void **state)
{
    (void)state;
    size_t capacity = 5;
    const char **names = calloc(capacity, sizeof *names);
    assert_non_null(names);
    assert_true(KILN_ARRAY_RESERVE(&names, &capacity, 5));
    assert_int_equal(moves, 0);
    assert_true(KILN_ARRAY_RESERVE(&names, &capacity, 6));
    assert_int_equal(capacity, 10);
    assert_null(names[4]);
    free((void *)names);
}

static void expect_refused(items_t *items, size_t needed)
{
    item_t *const all = items->all;
    const size_t capacity = items->capacity;
    assert_false(KILN_ARRAY_RESERVE(&items->all, &items->capacity, needed));
    assert_ptr_equal(items->all, all);
    assert_int_equal(items->capacity, capacity);
}

static void test_overflow(void **state)
{
    (void)state;
    enum { SIZE = sizeof(item_t) };
    const size_t refused[] = {SIZE_MAX,
                              SIZE_MAX - 1,
                              SIZE_MAX / 2 + 1, // the largest power of two
                              SIZE_MAX / SIZE + 1,
                              SIZE_MAX / SIZE,
                              PTRDIFF_MAX / SIZE + 1};
    items_t items = {0};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_refused(&items, refused[i]);
    assert_true(append(&items, 42));
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        expect_refused(&items, refused[i]);
    assert_int_equal(moves, 1); // refused without an allocation
    assert_int_equal(items.all[0].number, 42);
    free(items.all);

    uint8_t *bytes = NULL;
    size_t capacity = 0;
    fails = true; // an allocation of this size is tried, and malloc may refuse it
    assert_false(KILN_ARRAY_RESERVE(&bytes, &capacity, SIZE_MAX / 4 + 1));
    assert_int_equal(moves, 2);
    // Doubled, the size would exceed PTRDIFF_MAX.
    assert_false(KILN_ARRAY_RESERVE(&bytes, &capacity, SIZE_MAX / 4 + 2));
    assert_int_equal(moves, 2);
    assert_null(bytes);
    assert_int_equal(capacity, 0);
}

static void test_exhausted_memory(void **state)
{
    (void)state;
    items_t items = {0};
    fails = true;
    expect_refused(&items, 1);
    assert_null(items.all);
    fails = false;
    for (uint64_t i = 0; i < 16; i++)
        assert_true(append(&items, i));
    fails = true;
    expect_refused(&items, 17);
    for (uint64_t i = 0; i < 16; i++)
        assert_int_equal(items.all[i].number, i);
    fails = false;
    assert_true(append(&items, 16));
    assert_int_equal(items.all[16].number, 16);
    free(items.all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_growth, set_up),
        cmocka_unit_test_setup(test_many_at_once, set_up),
        cmocka_unit_test_setup(test_other_capacity, set_up),
        cmocka_unit_test_setup(test_overflow, set_up),
        cmocka_unit_test_setup(test_exhausted_memory, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
