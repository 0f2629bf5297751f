// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Skips tests that a sanitizer does not support, by name and with the reason. Include after
// cmocka.h.
#ifndef KILN_TEST_SANITIZED_H
#define KILN_TEST_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define KILN_TEST_SANITIZER "AddressSanitizer"
enum { KILN_TEST_FINDS_MEMORY = 1, KILN_TEST_FINDS_RACES = 0 };
#elif defined(__SANITIZE_THREAD__)
#define KILN_TEST_SANITIZER "ThreadSanitizer"
enum { KILN_TEST_FINDS_MEMORY = 0, KILN_TEST_FINDS_RACES = 1 };
#else
#define KILN_TEST_SANITIZER "no sanitizer"
enum { KILN_TEST_FINDS_MEMORY = 0, KILN_TEST_FINDS_RACES = 0 };
#endif

// One of KILN_TEST_FINDS_*, or both.
#define KILN_TEST_SKIP_IF(finds, why)                                                              \
    do {                                                                                           \
        if (finds) {                                                                               \
            print_message("SKIPPED: %s under %s: %s\n", __func__, KILN_TEST_SANITIZER, why);       \
            skip();                                                                                \
        }                                                                                          \
    } while (0)

#define KILN_TEST_FORKS_THREADS "it ends a child that starts threads where its parent had several"

// Seconds that a test waits before it gives up.
#define KILN_TEST_SECONDS(n) ((n) * (KILN_TEST_FINDS_MEMORY || KILN_TEST_FINDS_RACES ? 10 : 1))

#endif
