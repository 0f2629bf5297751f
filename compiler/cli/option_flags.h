// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compile options as flags: --num-warps=N for num_warps, for all of kiln/options.def that can be written as text.
//
// What is easily got wrong: a flag of 0 or 1 may stand without a value and means 1 then.
#ifndef KILN_CLI_OPTION_FLAGS_H
#define KILN_CLI_OPTION_FLAGS_H

#include "kiln/kiln.h"

// What getopt_long returns for these flags, and one more for each further option: below the shared ones of device_flags.h.
enum { KILN_FLAG_FIRST_OPTION = 0xc00 };

// The flag of kiln_compile_option(index) without its dashes, static; NULL behind the last.
const char *kiln_option_flag_name(size_t index);

// The option of a flag, and the value where it has none of its own; NULL where the flag is no option's.
const kiln_option_t *kiln_option_of_flag(int flag, const char **io_value);

// Refuses flags that were taken, -I among them, and do nothing between an input and an output of these stages.
kiln_status_t kiln_option_flags_check(kiln_stage_t from, kiln_stage_t to);
// Refuses all options of code, because nothing is compiled.
kiln_status_t kiln_option_flags_refuse(const char *why);

// Warnings: -W…, -R… and -w, whose letters are these. The words live as long as the command runs.
#define KILN_WARNING_LETTERS "W:R:w"
bool kiln_warning_flag_take(int flag, const char *value); // false: it is none of them, or there are too many

// Folders for #include, -I.
bool kiln_include_dir_take(const char *directory); // false: there are too many

// Files of bitcode, --link-bitcode.
bool kiln_bitcode_take(const char *path); // false: there are too many

// One that was taken of these; NULL where none was.
const char *kiln_source_flags_given(void);

// Gives what was taken of all to options. The files are read at the first call, and live as long as the command runs.
kiln_status_t kiln_source_flags_set(kiln_compile_options_t *options);

#endif
