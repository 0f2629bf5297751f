// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile options as flags: --num-warps=N for num_warps, for all of kiln/options.def with a text
// form.
//
// Note that a boolean flag may be given without a value, which means 1.
#ifndef KILN_CLI_OPTION_FLAGS_H
#define KILN_CLI_OPTION_FLAGS_H

#include "kiln/kiln.h"

// getopt_long's value for the first of these flags; the others follow, below the shared ones of
// device_flags.h.
enum { KILN_FLAG_FIRST_OPTION = 0xc00 };

// The flag of kiln_compile_option(index) without its dashes, static; NULL past the last.
const char *kiln_option_flag_name(size_t index);

// The option of a flag, and the value if the flag has none; NULL if the flag is not an option's.
const kiln_option_t *kiln_option_of_flag(int flag, const char **io_value);

// Rejects given flags, including -I, that have no effect between an input and an output of these
// stages.
kiln_status_t kiln_option_flags_check(kiln_stage_t from, kiln_stage_t to);
// The same of kiln_compile_option(index) alone.
kiln_status_t kiln_option_flag_check(size_t index, kiln_stage_t from, kiln_stage_t to);
bool kiln_option_flag_is_given(size_t index);
// Rejects all options of code, because nothing is compiled.
kiln_status_t kiln_option_flags_refuse(const char *why);

// Warnings: the letters of -W…, -R… and -w. The words must live as long as the command runs.
#define KILN_WARNING_LETTERS "W:R:w"
// Returns false if it is not a warning flag, or if there are too many.
bool kiln_warning_flag_take(int flag, const char *value);

// The flags taken so far are a verb's defaults, not given by the user.
void kiln_warning_flags_are_default(void);

// Forgets flags of remarks: a kernel that must come from the cache cannot be diagnosed anew, and
// flags are part of its key.
void kiln_remark_flags_drop(void);

// Directories for #include, -I.
bool kiln_include_dir_take(const char *directory); // false: there are too many

// Files of bitcode, --link-bitcode.
bool kiln_bitcode_take(const char *path); // false: there are too many

// Files that replace a stage, --override, of the kind that their name says.
kiln_status_t kiln_override_take(const char *path);
// Fails if a file replaces a stage after tt, which no option changes.
kiln_status_t kiln_override_expect_tt(void);

// One of the flags given among these; NULL if none. The second leaves out those of findings, which
// code objects have, too.
const char *kiln_source_flags_given(void);
const char *kiln_compilation_flags_given(void);

// Sets all of these in options. The files are read at the first call and stay in memory until the
// command exits.
kiln_status_t kiln_source_flags_set(kiln_compile_options_t *options);

#endif
