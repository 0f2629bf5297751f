// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws choices, and shrinks a list of choices: deletes runs of them, zeroes runs, lowers single
// ones.
#include "choices.h"

#include <stdlib.h>
#include <string.h>

uint64_t random_next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void push(choices_t *c, uint32_t value)
{
    if (c->count == c->capacity) {
        c->capacity = c->capacity ? 2 * c->capacity : 256;
        c->values = realloc(c->values, c->capacity * sizeof *c->values);
        if (!c->values)
            abort();
    }
    c->values[c->count++] = value;
}

uint32_t choices_draw(choices_t *c, uint32_t bound)
{
    uint32_t value = 0;
    if (c->replays) {
        value = c->at < c->count ? c->values[c->at] : 0;
        c->at++;
        return bound ? value % bound : 0;
    }
    if (bound > 1)
        value = (uint32_t)((random_next(&c->state) >> 32) * bound >> 32);
    push(c, value);
    c->at++;
    return value;
}

void choices_copy(choices_t *to, const choices_t *from)
{
    *to = (choices_t){.replays = true};
    for (size_t i = 0; i < from->count; i++)
        push(to, from->values[i]);
}

void choices_free(choices_t *c)
{
    free(c->values);
    *c = (choices_t){0};
}

typedef struct search {
    choices_t *best;
    choices_test_t test;
    void *user;
    int budget;
} search_t;

// Tries a candidate, which becomes the best if its program still fails.
static bool try_candidate(search_t *s, choices_t *candidate)
{
    bool fails = s->budget-- > 0 && s->test(candidate, s->user);
    if (fails) {
        choices_free(s->best);
        *s->best = *candidate;
    } else {
        choices_free(candidate);
    }
    return fails;
}

static bool try_without(search_t *s, size_t first, size_t length)
{
    choices_t candidate;
    choices_copy(&candidate, s->best);
    memmove(candidate.values + first, candidate.values + first + length,
            (candidate.count - first - length) * sizeof *candidate.values);
    candidate.count -= length;
    return try_candidate(s, &candidate);
}

static bool try_zeros(search_t *s, size_t first, size_t length)
{
    bool is_zero = true;
    for (size_t i = first; i < first + length; i++)
        is_zero &= s->best->values[i] == 0;
    if (is_zero)
        return false;
    choices_t candidate;
    choices_copy(&candidate, s->best);
    memset(candidate.values + first, 0, length * sizeof *candidate.values);
    return try_candidate(s, &candidate);
}

static bool try_value(search_t *s, size_t at, uint32_t value)
{
    choices_t candidate;
    choices_copy(&candidate, s->best);
    candidate.values[at] = value;
    return try_candidate(s, &candidate);
}

void choices_shrink(choices_t *choices, choices_test_t test, void *user, int budget)
{
    search_t s = {choices, test, user, budget};
    for (bool better = true; better && s.budget > 0;) {
        better = false;
        for (size_t length = choices->count / 2; length && s.budget > 0; length /= 2)
            for (size_t end = choices->count; end >= length && s.budget > 0;) {
                size_t first = end - length;
                if (first + length <= choices->count && try_without(&s, first, length))
                    better = true;
                else if (first + length <= choices->count)
                    better |= try_zeros(&s, first, length);
                if (first == 0)
                    break;
                end = first < length ? length : first;
                if (end > choices->count)
                    end = choices->count;
            }
        for (size_t i = 0; i < choices->count && s.budget > 0; i++) {
            uint32_t value = choices->values[i];
            if (value > 1 && try_value(&s, i, value / 2))
                better = true;
            else if (value > 1 && try_value(&s, i, value - 1))
                better = true;
        }
    }
}
