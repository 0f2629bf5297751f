// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Announces a switch of stacks to ASan or TSan; does nothing in builds without them.
//
// Note that AddressSanitizer needs the bounds of the stack that is entered and returns those of the
// one that was left. ThreadSanitizer keeps a list of callers for each stack; without announcements
// it would mix the functions of several stacks and overflow in the end. A function that begins on
// one stack and ends on another would unbalance both lists, so a stack's first function and the one
// that switches are not instrumented.
#ifndef KILN_INTERP_STACKS_H
#define KILN_INTERP_STACKS_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#elif defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

typedef struct kiln_stack {
    const void *bottom;
    size_t size;
    void *known; // the sanitizer's data about it
} kiln_stack_t;

#ifdef __SANITIZE_THREAD__
#define KILN_STACK_NOT_WATCHED __attribute__((disable_sanitizer_instrumentation))
#else
#define KILN_STACK_NOT_WATCHED
#endif

// The current stack; its bounds are filled in when another stack is first entered from it.
static inline kiln_stack_t kiln_stack_current(void)
{
    kiln_stack_t stack = {0};
#ifdef __SANITIZE_THREAD__
    stack.known = __tsan_get_current_fiber();
#endif
    return stack;
}

static inline void kiln_stack_create(kiln_stack_t *stack, const void *bottom, size_t size)
{
    *stack = (kiln_stack_t){.bottom = bottom, .size = size};
#ifdef __SANITIZE_THREAD__
    stack->known = __tsan_create_fiber(0);
#endif
}

static inline void kiln_stack_destroy(kiln_stack_t *stack)
{
    (void)stack;
#ifdef __SANITIZE_THREAD__
    __tsan_destroy_fiber(stack->known);
#endif
}

// Call just before the switch. from: NULL if nothing returns to it.
KILN_STACK_NOT_WATCHED static inline void kiln_stack_leave(kiln_stack_t *from,
                                                           const kiln_stack_t *to)
{
    (void)from, (void)to;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(from ? &from->known : NULL, to->bottom, to->size);
#elif defined(__SANITIZE_THREAD__)
    __tsan_switch_to_fiber(to->known, 0);
#endif
}

// Call just after it. self: NULL on the first entry; from: receives the bounds of the stack that
// was left, or NULL.
static inline void kiln_stack_arrive(const kiln_stack_t *self, kiln_stack_t *from)
{
    (void)self, (void)from;
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(self ? self->known : NULL, from ? &from->bottom : NULL,
                                    from ? &from->size : NULL);
#endif
}

#endif
