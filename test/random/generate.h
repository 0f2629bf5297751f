// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random tt programs that are valid, defined, and exact: integers wrap, and floats are kept to
// multiples of a power of two of bounded size, so that no order of operations and no fused
// multiply-add changes a result.
//
// A program is text with the arguments of its launch. Values in scope are listed with the facts
// known about them; a statement uses some values and adds others.
//
// An operation may be added only if its result is exact in its type (`fits`), and undefined values
// must not reach memory: values loaded under a mask must be stored under it.
#ifndef KILN_RANDOM_GENERATE_H
#define KILN_RANDOM_GENERATE_H

#include "base/string.h"
#include "choices.h"
#include "kiln/element.h"

enum {
    MAX_DIMS = 4,
    MAX_POOL = 1024,
    MAX_BUFFERS = 36,
    SPARE_BUFFERS = 8, // for a statement that checks for room before adding several
    MAX_SCALARS = 4,
    MAX_OTHERS = 2,
    MAX_FUNCTIONS = 4,
    MAX_PARAMETERS = 4
};

typedef kiln_element_type_t type_t;

typedef struct shape {
    int rank; // 0: a scalar
    int dims[MAX_DIMS];
} shape_t;

typedef struct value {
    int id; // %v<id>
    type_t type;
    shape_t shape;
    double max;      // bound of the magnitude; infinite: unknown (integers only)
    int fraction;    // floats are multiples of 2^−fraction
    bool is_special; // may be NaN or infinite
    bool has_sign;   // the sign of zeros and the payload of NaNs may differ
    bool any_zero;   // the sign of zeros is unspecified
    int mask;        // id of the mask under which it is defined; 0: everywhere
    bool is_product; // may be fused into a sum
    bool is_integer; // an integer converted to float: MLIR folds narrowing it, which then rounds
                     // once
} value_t;

typedef struct buffer {
    type_t type;
    size_t count, before; // elements, and how many of them precede the argument's address
    double max;           // contents: integers of magnitude up to this; infinite: any bits
    bool is_special;      // some NaNs and infinities
    bool has_zeros;       // of both signs
    bool is_wild;         // any bits, half of them extremes
    bool is_output;       // filled with a pattern instead
    bool takes_sums;      // target of atomics: starts with small integers
    double tolerance;     // relative, of an output; 0: exact
    bool any_zero;        // zeros of an output may have either sign
    char attributes[64];
} buffer_t;

typedef struct program {
    char *text;
    uint64_t data_seed;
    buffer_t buffers[MAX_BUFFERS];
    int buffer_count;
    int scalars[MAX_SCALARS]; // i32 arguments after the buffers
    int scalar_count;
    bool scalar_divides[MAX_SCALARS]; // declared to be a multiple of 16
    struct {
        type_t type;
        int value;        // the value
        uint64_t bits;    // its representation in memory
    } others[MAX_OTHERS]; // arguments after those, of other types
    int other_count;
    unsigned grid[3];
    int num_warps, num_stages, waves_per_eu, matrix_instr_nonkdim, kpack;
    const char *disabled_pass; // NULL: none
    bool checks;               // run with the simulator's checks
    bool is_volatile;          // loads are volatile, so waves may see different scalars
    bool promises_nothing;     // of arguments
} program_t;

extern bool
    random_chains; // programs begin with a loop of matrix products whose operands are computed
extern bool random_mixes; // programs begin with mixes of integer operations

// The caller owns the text.
void program_generate(choices_t *choices, program_t *out);

// A kernel with these expressions; `pack` determines everything they have in common.
void program_generate_expressions(uint64_t pack, choices_t *expressions, int count, program_t *out);

enum { EXTREMES = 16 };
uint64_t extreme_bits(type_t type, uint32_t which,
                      uint32_t n); // index into EXTREMES; `n` chooses among several of a kind

// Internal to the generator ------------------------------------------------------------------------

typedef struct function {
    value_t parameters[MAX_PARAMETERS], result;
    int parameter_count;
} function_t;

typedef struct generator {
    choices_t *choices;
    program_t *program;
    kiln_string_t body, functions;
    kiln_string_t *out; // destination of lines
    value_t pool[MAX_POOL];
    int pool_count;
    int next_id, depth, lines;
    int largest; // maximum number of elements of a tile
    bool in_function, is_nested;
    bool allow_specials; // loads may contain NaNs and infinities
    function_t callees[MAX_FUNCTIONS];
    int callee_count;
    int block_count; // of the kernel, excluding the entry
} generator_t;

uint32_t draw(generator_t *g, uint32_t bound);
bool chance(generator_t *g, uint32_t one_in); // false is the simple choice
void line(generator_t *g, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *type_text(type_t type, shape_t shape);    // "tensor<4x8xf32>"; a few texts are valid at
                                                      // once
const char *pointer_text(type_t type, shape_t shape); // the same for pointers
int count_of(shape_t shape);
bool same_shape(shape_t a, shape_t b);
shape_t some_shape(generator_t *g, int rank_limit);
type_t some_integer(generator_t *g);
type_t some_float(generator_t *g); // f32, f16, bf16, f64
bool is_float(type_t type);
int bits_of(type_t type);
bool is_small_float(type_t type); // of 8 bits
bool fits(type_t type, double max, int fraction);

int integer(generator_t *g, const char *type, int value); // id of a scalar constant
value_t new_value(generator_t *g, type_t type,
                  shape_t shape); // a new id, not yet in a scope; integers unknown, floats 0
void add_value(generator_t *g, value_t value);

// A statement's requirements on a value.
typedef struct request {
    bool any_type, any_shape;
    type_t type;
    shape_t shape;
    double max;    // upper bound; 0: none
    int fraction;  // upper bound, for floats, if max is set
    bool specials; // are allowed
    bool masked;   // is allowed
} request_t;
bool pick(generator_t *g, const request_t *request, value_t *out); // from the scope
value_t need(generator_t *g, const request_t *request); // creates the value if the scope has
                                                        // none
value_t constant(generator_t *g, type_t type, shape_t shape, double value);
value_t convert_shape(generator_t *g, value_t value, shape_t shape); // scalar to tensor

void statements(generator_t *g, int most);
void program_write(generator_t *g);          // the text of the body and the functions
void store_unused(generator_t *g, int most); // of the scope's values, the latest first

// Memory
value_t load_new(generator_t *g, type_t type, shape_t shape, double max, bool masked);
void store_value(generator_t *g, value_t value, double tolerance);
int add_buffer(generator_t *g, type_t type, size_t count);
value_t linear_index(generator_t *g, shape_t shape, const int *strides); // i32
int pointers_at(generator_t *g, int buffer, value_t index);   // id of a tensor of pointers
value_t of_program(generator_t *g, value_t index, int count); // index + program · count
value_t some_index(generator_t *g, shape_t shape, int *out_span);
int limit_mask(generator_t *g, value_t index, int limit); // id of index < limit
int below(generator_t *g, value_t value, int bound);      // id of value & (bound - 1), as i32
bool has_room(const generator_t *g);                      // for another statement's buffers
unsigned programs(const generator_t *g);                  // in the launch

// Statements. They return false if the scope has no suitable values.
bool make_load(generator_t *g);
bool make_store(generator_t *g);
bool make_masked_copy(generator_t *g);
bool make_atomic(generator_t *g);
bool make_block_access(generator_t *g);
bool make_integer(generator_t *g);
bool make_index(generator_t *g);
bool make_float(generator_t *g);
bool make_compare(generator_t *g);
bool make_select(generator_t *g);
bool make_conversion(generator_t *g);
bool make_approximate(generator_t *g);
bool make_shape(generator_t *g);
bool make_reduce(generator_t *g);
bool make_scan(generator_t *g);
bool make_gather(generator_t *g);
bool make_histogram(generator_t *g);
bool make_map(generator_t *g);
bool make_dot(generator_t *g);
bool make_gemm(generator_t *g);
bool make_stream(generator_t *g);
bool make_chain(generator_t *g);
bool make_chain_loop(generator_t *g);
bool make_scaled_dot(generator_t *g);
bool make_cas(generator_t *g);
bool make_exchange(generator_t *g);
bool make_pointers(generator_t *g);
bool make_aliases(generator_t *g);
bool make_for(generator_t *g);
bool make_while(generator_t *g);
bool make_if(generator_t *g);
bool make_switch(generator_t *g);
bool make_scalars(generator_t *g);
bool make_extern(generator_t *g);
bool make_call(generator_t *g);
bool make_rows(generator_t *g);
bool make_bytes(generator_t *g);
bool make_sums(generator_t *g);
bool make_mixes(generator_t *g);
bool make_cat(generator_t *g);
bool make_assert(generator_t *g);
bool make_print(generator_t *g);
bool make_return(generator_t *g);

#endif
