// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to the generator of expressions: a maker writes the lines of one expression, of values
// of all types of numbers, on tiles, on scalars, or on the elements in a region of
// tt.map_elementwise.
//
// Nothing undefined may be computed (divisions by zero, too large shifts, floats out of an
// integer's range), and nothing that the two sides may round differently: products are not used in
// sums, because multiplication and addition may be fused, and bits are taken only of floats with
// known sign and payload.
#ifndef KILN_RANDOM_GENERATE_EXPRESSIONS_H
#define KILN_RANDOM_GENERATE_EXPRESSIONS_H

#include "generate.h"

// Ids of an expression's inputs.
enum {
    FIRST_ARGUMENT = 1,
    PROGRAM_ID = FIRST_ARGUMENT + MAX_SCALARS + MAX_OTHERS,
    RANGE,
    OFFSET,        // of this program's tiles
    SECOND_OFFSET, // of its second ones
    FIRST_TILE,    // two of each type
    FIRST_SCALAR = FIRST_TILE + 64,
    FIRST_ELEMENT = FIRST_SCALAR + 64,
    FIRST_TEMPORARY = FIRST_ELEMENT + 64
};

enum { TYPE_COUNT = 9 };
extern const type_t expression_types[TYPE_COUNT];

typedef enum place { ON_TILES, ON_SCALARS, ON_ELEMENTS } place_t;

typedef struct maker {
    generator_t *g;
    place_t place;
    shape_t tile;
    uint64_t used_tiles, used_scalars, used_elements; // bit 2 · type + which
    int outputs[TYPE_COUNT][2]; // buffers for the results of a type; 0: none yet. In the second,
                                // zeros may have either sign
} maker_t;

shape_t shape_of(const maker_t *m);
int index_of(type_t type); // in expression_types
const char *text_of(const maker_t *m, type_t type);
type_t integer_type(generator_t *g); // a random one
type_t float_type(generator_t *g);

// Writes a line that defines a value: `%v = <format> : <type>` if the operation's type is that of
// its result.
value_t make(maker_t *m, type_t type, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
value_t binary(maker_t *m, const char *name, value_t a, value_t b);
value_t unary(maker_t *m, const char *name, value_t a);
value_t cast(maker_t *m, const char *name, value_t a, type_t type);
value_t select_of(maker_t *m, value_t condition, value_t a, value_t b);
value_t integer_number(maker_t *m, type_t type, int64_t value);
value_t float_number(maker_t *m, type_t type, double value);

// Random expressions of at most that depth.
value_t leaf(maker_t *m, type_t type);
value_t operand(maker_t *m, type_t type, int depth);
value_t operation(maker_t *m, type_t type, int depth);
value_t integer_operation(maker_t *m, type_t type, int depth);
value_t bool_operation(maker_t *m, int depth);
value_t float_operation(maker_t *m, type_t type, int depth);

#endif
