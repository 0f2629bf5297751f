// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checked program: one kernel in which all types are known, conversions and broadcasts are
// explicit, constants are folded and helper calls are expanded.
//
// Each expansion of a helper and each iteration of an unrolled loop has its own nodes and
// variables, so each node is emitted exactly once.
#ifndef KILN_FRONTEND_TREE_H
#define KILN_FRONTEND_TREE_H

#include "frontend/core/constants.h"
#include "frontend/core/tuning.h"
#include "frontend/parse/ast.h"

typedef struct kiln_node kiln_node_t;
typedef struct kiln_action kiln_action_t;

// The origin of a node: its text, and the call that expanded the enclosing helper (NULL in the
// kernel itself).
typedef struct kiln_call_site {
    kiln_span_t span;
    const struct kiln_call_site *outer;
    const char *function; // the helper that is expanded here
} kiln_call_site_t;

typedef struct kiln_variable {
    const char *name; // NULL: made by the checker
    kiln_tile_type_t type;
    kiln_span_t at;
    bool is_const;
    struct kiln_variable **members; // of a struct, which has no value of its own; otherwise NULL
    // Used by the emitter:
    kiln_value_t value; // the variable's current value; null before the first assignment
    bool is_declared;
    unsigned mark;
    // Used by the warnings: how often it is assigned, and its range if that is once.
    unsigned assignments;
    bool has_range, is_setting;
    int64_t low, high;
} kiln_variable_t;

// An integer or float value of a scalar type. Integers are kept sign- or zero-extended according to
// the type.
typedef struct kiln_constant {
    kiln_scalar_t scalar;
    bool is_setting; // another build may have another value, as it depends on a constexpr parameter
                     // or loop counter
    int64_t integer;
    double floating;
    int rest; // of a literal that may take any float type: see kiln_real_parse_with_rest
} kiln_constant_t;

typedef enum kiln_node_kind {
    KILN_NODE_CONSTANT,
    KILN_NODE_VARIABLE,
    KILN_NODE_ASSIGN,    // variable = a; the node's value is the new one
    KILN_NODE_UNARY,     // NEGATE, COMPLEMENT, NOT
    KILN_NODE_BINARY,    // a op b of one type; comparisons give bool; pointer ± integer; pointer −
                         // pointer is built from these
    KILN_NODE_CONVERT,   // a to another element type
    KILN_NODE_BITCAST,   // a's bits as another element type
    KILN_NODE_BROADCAST, // a to a larger shape
    KILN_NODE_EXPAND,    // a with dimensions of 1 inserted at `axes` (ascending, positions in the
                         // result)
    KILN_NODE_SELECT,    // elementwise condition a, values b and c: both are computed
    KILN_NODE_CONDITIONAL, // scalar condition a: only one of b and c is computed; also represents
                           // && and ||
    KILN_NODE_SEQUENCE,    // a, then b; its value is that of b
    KILN_NODE_BUILTIN,
    KILN_NODE_STRUCT, // the struct `variable`, after `a` (if any); its members are read one by one
    KILN_NODE_EXPANSION, // a helper's body, then the value of `variable` (if any)
} kiln_node_kind_t;

// The function that combines two elements in a reduction or scan. The parameters are scalars, left
// ones first; `body` (or NULL) is executed, then the results are computed.
typedef struct kiln_region {
    kiln_variable_t **parameters;
    size_t parameter_count;
    kiln_action_t *body;
    kiln_node_t **results;
    size_t result_count;
} kiln_region_t;

struct kiln_node {
    kiln_node_kind_t kind;
    kiln_operator_t op;
    bool is_flexible; // a literal without suffix: its float type follows the other operand
    kiln_tile_type_t type;
    kiln_span_t span, at;
    const kiln_call_site_t *site;
    kiln_node_t *a, *b, *c;
    kiln_variable_t *variable;
    kiln_constant_t constant;
    const struct kiln_builtin *builtin;
    const struct kiln_library *library;
    kiln_node_t *arguments[4];
    kiln_node_t **inputs;      // of variadic functions
    kiln_variable_t **outputs; // of functions with several results: the target of each, including
                               // the first
    size_t input_count, output_count;
    kiln_region_t *region;
    const char *text, *more_text; // of print, assert and inline_asm
    int settings[4];              // the builtin's options, in the order of its check
    int axes[KILN_TILE_RANK_LIMIT];
    int axis_count;
    int64_t start, end; // range
    bool is_setting;    // range: so are its bounds, see kiln_constant_t
    kiln_action_t *body;
};

typedef enum kiln_action_kind {
    KILN_ACTION_EVALUATE,
    KILN_ACTION_DECLARE, // declares a variable, initialized with `value` if there is one
    KILN_ACTION_BLOCK,
    KILN_ACTION_IF,
    KILN_ACTION_LOOP,
    KILN_ACTION_EXIT, // break, continue or return (from the innermost expansion); the result has
                      // already been assigned
} kiln_action_kind_t;

// Ways to leave an action other than at its end.
typedef enum kiln_exit {
    KILN_EXIT_BREAK = 1,
    KILN_EXIT_CONTINUE = 2,
    KILN_EXIT_RETURN = 4,
} kiln_exit_t;

struct kiln_action {
    kiln_action_kind_t kind;
    unsigned exits;    // kiln_exit_t bits: how this action may be left
    bool always_exits; // its end is not reached: it always leaves by an exit
    bool tests_last;   // LOOP: do … while
    kiln_span_t span;
    const kiln_call_site_t *site;
    kiln_variable_t *variable;
    kiln_node_t *value; // EVALUATE, DECLARE; IF, LOOP: the condition (scalar bool; NULL: always)
    kiln_node_t *step;  // LOOP: after each iteration, also after continue; NULL: nothing
    kiln_variable_t *counter; // LOOP: declared by this loop's header, so it is not visible after
                              // the loop; otherwise NULL
    kiln_action_t *body, *otherwise;
    kiln_action_t **list;
    size_t count, capacity;
    kiln_exit_t exit;
    int num_stages, unroll; // LOOP: attributes; 0: none
};

typedef struct kiln_parameter {
    kiln_variable_t *variable;
    unsigned divisibility;
    bool pointer_range_32;
} kiln_parameter_t;

// A constexpr global or parameter of the kernel, with its value.
typedef struct kiln_program_constant {
    const char *name;
    kiln_constant_t constant;
    kiln_scalar_t type; // of a `constexpr type`: the type; otherwise KILN_SCALAR_NONE
} kiln_program_constant_t;

typedef struct kiln_program {
    const char *name;
    kiln_span_t at;
    kiln_parameter_t *parameters;
    size_t parameter_count;
    kiln_program_constant_t *constants;
    size_t constant_count;
    kiln_action_t *body;
    const char *grid;             // of [[grid(…)]]; NULL: none
    struct kiln_checker *checker; // the checker that created it
} kiln_program_t;

// Builtins ----------------------------------------------------------------------------------------

typedef enum kiln_builtin_id {
#define KILN_BUILTIN(id, name, min, max, check, emit, detail, usage, options, purity)              \
    KILN_BUILTIN_##id,
#include "frontend/core/builtins.def"
#undef KILN_BUILTIN
    KILN_BUILTIN_COUNT
} kiln_builtin_id_t;

// Functions of the device library (library.def).
typedef struct kiln_library {
    const char *name, *symbol; // in C, and in ocml between prefix and type
    enum {
        KILN_LIBRARY_FLOATS,
        KILN_LIBRARY_AND_INT,
        KILN_LIBRARY_TO_INT,
        KILN_LIBRARY_TO_BOOL
    } signature;
    size_t count; // number of floats
} kiln_library_t;

const kiln_library_t *kiln_library_find(const char *name); // NULL if not found
const kiln_library_t *kiln_library_row(size_t index);      // NULL past the end

typedef struct kiln_builtin {
    kiln_builtin_id_t id;
    const char *name, *usage;
    size_t min, max; // arguments
    int detail;
    uint64_t options; // bit mask of the accepted options
    bool is_pure;     // see builtins.def
} kiln_builtin_t;

typedef enum kiln_builtin_option {
#define KILN_BUILTIN_OPTION(id, name, kind) KILN_BUILTIN_OPTION_##id,
#include "frontend/core/options.def"
    KILN_BUILTIN_OPTION_COUNT
} kiln_builtin_option_t;

typedef enum kiln_builtin_option_kind {
    KILN_BUILTIN_OPTION_IS_FLAG,
    KILN_BUILTIN_OPTION_IS_NUMBER,
    KILN_BUILTIN_OPTION_IS_VALUE,
    KILN_BUILTIN_OPTION_IS_WORD,
    KILN_BUILTIN_OPTION_IS_RESULT,
} kiln_builtin_option_kind_t;

typedef struct kiln_builtin_option_row {
    const char *name;
    kiln_builtin_option_kind_t kind;
} kiln_builtin_option_row_t;

typedef struct kiln_builtin_option_word {
    kiln_builtin_option_t option;
    const char *word;
    int value;
} kiln_builtin_option_word_t;

const kiln_builtin_option_row_t *kiln_builtin_option_row(kiln_builtin_option_t option);
// The words of one option.
const kiln_builtin_option_word_t *kiln_builtin_option_words(kiln_builtin_option_t option,
                                                            size_t *out_count);

const kiln_builtin_t *kiln_builtin_find(const char *name); // NULL if not found
const kiln_builtin_t *kiln_builtin_row(kiln_builtin_id_t id);

// The checker -------------------------------------------------------------------------------------

// Checks the kernel that the options select. Returns NULL after errors, which went to the reporter.
kiln_program_t *kiln_check(kiln_reporter_t *reporter, kiln_names_t *names, const kiln_unit_t *unit,
                           const kiln_compile_options_t *options);

// Checks only the tuning declarations of that kernel, so that no constant needs a value. Returns
// the kernel; NULL after errors. *out_globals are the names of the global constants, in the arena,
// with NULL past the last.
const kiln_function_syntax_t *kiln_check_declarations(kiln_reporter_t *reporter,
                                                      kiln_names_t *names, const kiln_unit_t *unit,
                                                      const kiln_compile_options_t *options,
                                                      const char *const **out_globals);

// The tuning declarations as text (check_tune.c); must be freed also after a failure.
kiln_status_t kiln_declared_tuning_make(const kiln_reporter_t *reporter,
                                        const kiln_function_syntax_t *kernel,
                                        const char *const *globals, kiln_declared_tuning_t *out);

// The program's constants as text (constants.c); must be freed also after a failure.
kiln_status_t kiln_named_constants_make(const kiln_program_t *program, kiln_named_constants_t *out);
// Reports warnings about a program that was accepted and emitted without an error.
void kiln_check_warnings(kiln_program_t *program);

// Folding (fold.c)
kiln_constant_t kiln_constant_int(kiln_scalar_t scalar, int64_t value); // wrapped to the type
kiln_constant_t kiln_constant_float(kiln_scalar_t scalar, double value);
// A number read by kiln_real_parse_with_rest, rounded once.
kiln_constant_t kiln_constant_literal(kiln_scalar_t scalar, double value, int rest);
bool kiln_fold_unary(kiln_operator_t op, kiln_constant_t a, kiln_constant_t *out);
bool kiln_fold_binary(kiln_operator_t op, kiln_constant_t a, kiln_constant_t b,
                      kiln_constant_t *out); // operands of one type
bool kiln_fold_convert(kiln_constant_t a, kiln_scalar_t to, kiln_constant_t *out);
bool kiln_constant_is_true(kiln_constant_t a);

#endif
