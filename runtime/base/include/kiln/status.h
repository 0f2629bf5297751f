// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors as values with a chain of notes.
//
// A function that can fail returns a kiln_status_t. KILN_OK is NULL, so success costs one pointer
// test. A failure owns a code, a message, optionally a source location, and a chain of notes added
// by callers. The receiver must return it to its caller or free it with kiln_status_free. The
// libraries never print it.
//
// Threads: a status may be used by one thread at a time. Strings returned by getters are valid as
// long as the status.
#ifndef KILN_STATUS_H
#define KILN_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_API __attribute__((visibility("default")))

// Declares the initializer of a struct that begins with struct_size: kiln_x_initialize(&x), or, for
// programs that don't include the header, kiln_x_initialize_sized with the size of their version of
// the struct.
#define KILN_VERSIONED(name)                                                                       \
    KILN_API void name##_initialize_sized(name##_t *out, size_t struct_size);                      \
    static inline void name##_initialize(name##_t *out)                                            \
    {                                                                                              \
        name##_initialize_sized(out, sizeof *out);                                                 \
    }

typedef enum kiln_status_code {
    KILN_STATUS_OK = 0,
    KILN_STATUS_INVALID_INPUT,    // the user's input is wrong: exit code 1
    KILN_STATUS_MISMATCH,         // a comparison failed: exit code 1
    KILN_STATUS_USAGE,            // the call itself is wrong: exit code 2
    KILN_STATUS_NOT_FOUND,        // a file, symbol or entry does not exist
    KILN_STATUS_UNAVAILABLE,      // no such device or library: exit code 3
    KILN_STATUS_OUT_OF_RESOURCES, // memory, LDS or registers
    KILN_STATUS_IO,               // operating system error: exit code 3
    KILN_STATUS_DEVICE,           // a device reported an error while running
    KILN_STATUS_UNSUPPORTED,      // valid, but unsupported; the message names it: exit code 1
    KILN_STATUS_INTERNAL,         // internal error: exit code 70
} kiln_status_code_t;

typedef struct kiln_status *kiln_status_t;
#define KILN_OK ((kiln_status_t)NULL)

// Creates a failure. Never returns KILN_OK; if out of memory it returns a static out-of-memory
// status, which kiln_status_free accepts.
KILN_API kiln_status_t kiln_status_make(kiln_status_code_t code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// KILN_STATUS_OUT_OF_RESOURCES, "out of memory": a static status that needs no memory and takes no
// location or notes.
KILN_API kiln_status_t kiln_status_out_of_memory(void);
KILN_API bool
kiln_status_is_out_of_memory(kiln_status_t status); // whether it is the static one, for host memory

// Sets the failure's location in the user's source; line and column count from 1, 0 means unknown.
// Returns its argument.
KILN_API kiln_status_t kiln_status_at(kiln_status_t status, const char *file, unsigned line,
                                      unsigned column);

// Adds a note ("while loading kernel 'x'") and returns its argument. KILN_OK stays KILN_OK.
KILN_API kiln_status_t kiln_status_annotate(kiln_status_t status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The exhausted resource of KILN_STATUS_OUT_OF_RESOURCES. `required` and `limit` are per workgroup,
// except for registers, which are per lane.
typedef enum kiln_resource {
    KILN_RESOURCE_NONE,            // unspecified, for example host memory
    KILN_RESOURCE_THREADS,         // "threads"
    KILN_RESOURCE_LDS,             // "LDS", bytes
    KILN_RESOURCE_VECTOR_REGISTERS // "vector registers", both kinds together
} kiln_resource_t;

// Sets a failure's exhausted resource; returns its argument. KILN_OK stays KILN_OK.
KILN_API kiln_status_t kiln_status_exceeds(kiln_status_t status, kiln_resource_t resource,
                                           uint64_t required, uint64_t limit);
KILN_API kiln_resource_t kiln_status_resource(kiln_status_t status);
KILN_API const char *kiln_resource_name(kiln_resource_t resource); // "threads", …; "" for none
KILN_API uint64_t kiln_status_required(kiln_status_t status);      // 0 if no resource is set
KILN_API uint64_t kiln_status_limit(kiln_status_t status);

KILN_API kiln_status_code_t kiln_status_code(kiln_status_t status);
KILN_API const char *kiln_status_code_name(kiln_status_code_t code); // "invalid input", …
KILN_API const char *kiln_status_message(kiln_status_t status); // the first message, "" for KILN_OK
KILN_API const char *kiln_status_file(kiln_status_t status);    // NULL if unknown
KILN_API unsigned kiln_status_line(kiln_status_t status);
KILN_API unsigned kiln_status_column(kiln_status_t status);
KILN_API size_t kiln_status_note_count(kiln_status_t status);
KILN_API const char *kiln_status_note(kiln_status_t status, size_t index);

// "file:line:col: message\nnote: …\n" as a string from malloc; NULL if out of memory.
KILN_API char *kiln_status_format(kiln_status_t status);

KILN_API void kiln_status_free(kiln_status_t status); // accepts KILN_OK

// Returns a failure to the caller: KILN_TRY(f(x)); or with a note: KILN_TRY_NOTE(f(x), "while
// reading '%s'", path);
#define KILN_TRY(expr)                                                                             \
    do {                                                                                           \
        kiln_status_t kiln_try_status_ = (expr);                                                   \
        if (kiln_try_status_)                                                                      \
            return kiln_try_status_;                                                               \
    } while (0)
#define KILN_TRY_NOTE(expr, ...)                                                                   \
    do {                                                                                           \
        kiln_status_t kiln_try_status_ = (expr);                                                   \
        if (kiln_try_status_)                                                                      \
            return kiln_status_annotate(kiln_try_status_, __VA_ARGS__);                            \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
