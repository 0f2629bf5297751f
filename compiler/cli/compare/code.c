// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the differences between two code objects for `kiln inspect --compare`.
#include "code.h"

#include <stdio.h>
#include <string.h>

#include "base/number.h"

static const char *name_of(const json_t *kernel)
{
    return json_string_value(json_object_get(kernel, "name"));
}

// Variants of a bundle have one name, so they must also be for the same calls.
static bool is_same(const json_t *a, const json_t *b)
{
    static const char *const members[] = {"constants", "arguments"};
    const json_t *of_a = json_object_get(a, "variant"), *of_b = json_object_get(b, "variant");
    bool same = strcmp(name_of(a), name_of(b)) == 0;
    for (size_t i = 0; i < sizeof members / sizeof *members && of_a && of_b; i++)
        same &= json_equal(json_object_get(of_a, members[i]), json_object_get(of_b, members[i]));
    return same;
}

static const json_t *match(const json_t *others, size_t own_count, const json_t *kernel)
{
    if (own_count == 1 && json_array_size(others) == 1)
        return json_array_get(others, 0);
    for (size_t i = 0; i < json_array_size(others); i++)
        if (is_same(json_array_get(others, i), kernel))
            return json_array_get(others, i);
    return NULL;
}

// "gemm BLOCK_M=64", or the name alone of a kernel without a manifest.
static void print_name(const json_t *kernel)
{
    const char *name;
    json_t *value;
    printf("%s", name_of(kernel));
    json_object_foreach(json_object_get(json_object_get(kernel, "variant"), "constants"), name,
                        value) printf(" %s=%s", name, json_string_value(value));
}

// Returns whether the two numbers differ.
static bool print_numbers(const char *title, json_int_t before, json_int_t after)
{
    if (before == after)
        return false;
    printf("  %-34s %8lld %8lld", title, before, after);
    if (before)
        kiln_format_file(stdout, " %+8.1f %%", 100.0 * (double)(after - before) / (double)before);
    printf("\n");
    return true;
}

static bool print_counts(const json_t *before, const json_t *after)
{
    bool differs = false;
    const char *name;
    json_t *count;
    json_object_foreach((json_t *)(uintptr_t)before, name, count) differs |= print_numbers(
        name, json_integer_value(count), json_integer_value(json_object_get(after, name)));
    json_object_foreach((json_t *)(uintptr_t)after, name, count)
    {
        if (!json_object_get(before, name))
            differs |= print_numbers(name, 0, json_integer_value(count));
    }
    return differs;
}

static bool print_loops(const json_t *before, const json_t *after)
{
    const size_t one = json_array_size(before), two = json_array_size(after);
    if (one != two)
        return print_numbers("loops", (json_int_t)one, (json_int_t)two);
    bool differs = false;
    for (size_t i = 0; i < one; i++) {
        const json_t *b = json_object_get(json_array_get(before, i), "counts"),
                     *a = json_object_get(json_array_get(after, i), "counts");
        if (json_equal(b, a))
            continue;
        printf("  loop %zu\n", i + 1);
        differs |= print_counts(b, a);
    }
    return differs;
}

static bool has(const json_t *list, const json_t *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (json_equal(json_array_get(list, i), text))
            return true;
    }
    return false;
}

static bool print_findings(const json_t *of, const json_t *other, const char *what)
{
    bool differs = false;
    for (size_t i = 0; i < json_array_size(of); i++) {
        const json_t *finding = json_array_get(of, i);
        if (has(other, finding))
            continue;
        printf("  %s finding: %s\n", what, json_string_value(finding));
        differs = true;
    }
    return differs;
}

static void compare(const json_t *base, const json_t *kernel, const kiln_code_row_t *rows,
                    size_t row_count)
{
    printf("kernel ");
    print_name(kernel);
    if (!is_same(base, kernel)) {
        printf(" against ");
        print_name(base);
    }
    printf("\n");
    printf("  %-34s %8s %8s   change\n", "", "base", "this");
    bool differs = false;
    for (size_t i = 0; i < row_count; i++)
        differs |= print_numbers(
            rows[i].title,
            json_integer_value(json_object_get(json_object_get(base, "resources"), rows[i].member)),
            json_integer_value(
                json_object_get(json_object_get(kernel, "resources"), rows[i].member)));
    const json_t *one = json_object_get(base, "code"), *two = json_object_get(kernel, "code");
    differs |=
        print_numbers("instructions", json_integer_value(json_object_get(one, "instructions")),
                      json_integer_value(json_object_get(two, "instructions")));
    differs |= print_numbers("bytes of code", json_integer_value(json_object_get(one, "bytes")),
                             json_integer_value(json_object_get(two, "bytes")));
    differs |= print_counts(json_object_get(one, "counts"), json_object_get(two, "counts"));
    differs |= print_loops(json_object_get(base, "loops"), json_object_get(kernel, "loops"));
    const json_t *old = json_object_get(base, "findings"),
                 *new = json_object_get(kernel, "findings");
    differs |= print_findings(new, old, "new");
    differs |= print_findings(old, new, "no more");
    if (!differs)
        printf("  nothing differs\n");
}

void kiln_code_compare(const json_t *base, const json_t *kernels, bool some,
                       const kiln_code_row_t *rows, size_t row_count)
{
    const size_t own = json_array_size(kernels);
    for (size_t i = 0; i < own; i++) {
        const json_t *kernel = json_array_get(kernels, i);
        const json_t *other = match(base, own, kernel);
        if (other) {
            compare(other, kernel, rows, row_count);
        } else {
            printf("kernel ");
            print_name(kernel);
            printf(" is new\n");
        }
    }
    for (size_t i = 0; !some && i < json_array_size(base); i++) {
        const json_t *other = json_array_get(base, i);
        if (match(kernels, json_array_size(base), other))
            continue;
        printf("kernel ");
        print_name(other);
        printf(" is gone\n");
    }
}
