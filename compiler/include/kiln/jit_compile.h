// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kiln's compiler for a JIT (kiln/jit.h):
//
//     kiln_jit_options_t options;
//     kiln_jit_options_initialize(&options);
//     options.compile = kiln_jit_compile;
//     options.identify = kiln_jit_identify;
//     options.depend = kiln_jit_depend;
//     options.replay_diagnostics = kiln_jit_replay_diagnostics;
//
// Conventions are those of kiln/kiln.h. Each call creates its own session, so any number of threads
// may compile concurrently.
#ifndef KILN_JIT_COMPILE_H
#define KILN_JIT_COMPILE_H

#include "kiln/jit.h"
#include "kiln/kiln.h"

#ifdef __cplusplus
extern "C" {
#endif

// compile_user points to this or is NULL: no diagnostics and default options.
typedef struct kiln_jit_compiler {
    size_t struct_size;
    kiln_diagnostic_handler_t diagnostic; // called by the thread that compiles; NULL: none
    void *diagnostic_user;
    const kiln_compile_options_t
        *base; // options that the request's settings modify; NULL: the defaults
} kiln_jit_compiler_t;

// A kiln_jit_compile_fn. Settings named like compile options (kiln/options.def) set them, all
// others are constexpr parameters of the kernel. Arch, kernel and last stage come from the request.
KILN_API kiln_status_t kiln_jit_compile(const kiln_jit_request_t *request, void *compiler,
                                        void **out_code_object, size_t *out_code_object_size,
                                        char **out_manifest);

// A kiln_jit_depend_fn: the files that a Tile C source includes and their contents. Without it,
// #include of files is an error, because the JIT's keys would not cover them.
KILN_API kiln_status_t kiln_jit_depend(const kiln_jit_request_t *request, void *compiler,
                                       char **out_dependencies);

// A kiln_jit_identify_fn: kiln_build_id(), the options in `base` that affect code, and its warning
// flags.
KILN_API kiln_status_t kiln_jit_identify(void *compiler, char **out_identity);

// A kiln_jit_replay_diagnostics_fn: replays the diagnostics of a cached kernel's compilation to the
// handler.
KILN_API void kiln_jit_replay_diagnostics(const char *diagnostics, void *compiler);

#ifdef __cplusplus
}
#endif
#endif
