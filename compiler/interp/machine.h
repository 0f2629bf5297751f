// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of an execution: tiles, memory, one frame per function call, and errors with their
// locations.
//
// Note that operations in a region that is executed for many elements get tiles of one element
// (constants, and scalars from outside) as well as tiles of many, so element-wise loops step by
// kiln_itile_step.
#ifndef KILN_INTERP_MACHINE_H
#define KILN_INTERP_MACHINE_H

#include "interp/interp.h"
#include "interp/program.h"

enum {
    KILN_INTERP_UNDEFINED_REASONS = 250,
    KILN_INTERP_CALL_DEPTH = 64,
    KILN_INTERP_SIZE_CLASSES = 24
};

// Elements as bits of their type. `undefined`, if not NULL, gives the reason why each element is
// undefined (0: it is defined).
struct kiln_itile {
    unsigned references;
    size_t count;
    uint64_t *bits;
    uint8_t *undefined;
    kiln_itile_t *next_free; // in the free list of its size
    kiln_itile_t *next;      // in the list of all tiles, to free those that an error leaves
};

typedef struct kiln_races kiln_races_t;

typedef struct kiln_machine {
    const kiln_iprogram_t *program;
    const kiln_interp_launch_t *launch;
    struct {
        const kiln_iop_t *op;
        const char *what;
    } reasons[KILN_INTERP_UNDEFINED_REASONS];
    int reason_count;
    kiln_itile_t *tiles, *free_tiles[KILN_INTERP_SIZE_CLASSES];
    struct kiln_races *races; // NULL if the launch is lenient
    size_t last_buffer;
    uint64_t changes;    // grows with every write to memory
    uint64_t operations; // executed so far
} kiln_machine_t;

typedef struct kiln_instance {
    unsigned id[3];
    uint64_t number; // of the program in the grid, x fastest
    void *scheduler;
    bool has_read;              // has read memory since its last yield
    const kiln_iop_t *waits_at; // the loop of its last yield
    uint64_t state;             // hash of its values at that yield
    bool moved;                 // the hash differed from the one at the yield before
} kiln_instance_t;

struct kiln_iframe {
    kiln_machine_t *machine;
    kiln_instance_t *instance;
    const kiln_ifunction_t *function;
    kiln_itile_t **slots;
    int depth;
    const kiln_iop_t *returned; // the tt.return that was reached
};

// Tiles. NULL if out of memory, for which kiln_out returns an error.
kiln_itile_t *kiln_itile_create(kiln_machine_t *machine,
                                size_t count); // elements are not initialized
kiln_itile_t *kiln_itile_copy(kiln_machine_t *machine, const kiln_itile_t *tile);
kiln_itile_t *kiln_itile_retain(kiln_itile_t *tile);
void kiln_itile_release(kiln_machine_t *machine, kiln_itile_t *tile);
void kiln_itile_free_all(kiln_machine_t *machine);
static inline size_t kiln_itile_step(const kiln_itile_t *tile)
{
    return tile->count != 1;
}
static inline uint8_t kiln_itile_undefined(const kiln_itile_t *tile, size_t i)
{
    return tile->undefined ? tile->undefined[i] : 0;
}
void kiln_itile_set_undefined(kiln_itile_t *tile, size_t i, uint8_t reason);
// Marks the result's elements as undefined wherever the operand's are.
void kiln_itile_inherit_undefined(kiln_itile_t *result, const kiln_itile_t *operand);

// The number of a reason why elements are undefined, 0 if the launch is lenient; `what` is a string
// literal.
uint8_t kiln_machine_undefined_reason(kiln_machine_t *machine, const kiln_iop_t *op,
                                      const char *what);

static inline const kiln_itile_t *kiln_in(const kiln_iframe_t *frame, const kiln_iop_t *op,
                                          int operand)
{
    return frame->slots[op->operands[operand]];
}
// The optional operand of group `segment`, or NULL.
static inline const kiln_itile_t *kiln_in_segment(const kiln_iframe_t *frame, const kiln_iop_t *op,
                                                  int segment)
{
    return op->segments[segment] < 0 ? NULL : kiln_in(frame, op, op->segments[segment]);
}
void kiln_set(kiln_iframe_t *frame, int slot, kiln_itile_t *tile); // takes over the reference
static inline kiln_status_t kiln_out(kiln_iframe_t *frame, const kiln_iop_t *op, int result,
                                     kiln_itile_t *tile)
{
    if (!tile)
        return kiln_status_make(KILN_STATUS_OUT_OF_RESOURCES, "out of memory");
    kiln_set(frame, op->results[result], tile);
    return KILN_OK;
}

// Errors. All contain the program's id and the operation's location.
kiln_status_t kiln_fail(const kiln_iframe_t *frame, const kiln_iop_t *op, kiln_status_code_t code,
                        const char *format, ...) __attribute__((format(printf, 4, 5)));
// For a handler that has no code for an operation whose row of handlers.def names it.
kiln_status_t kiln_fail_without_code(const kiln_iframe_t *frame, const kiln_iop_t *op);
// Adds "in element [i, j]" for the element `index` of a tile of `type`.
kiln_status_t kiln_fail_element(const kiln_iframe_t *frame, const kiln_iop_t *op,
                                const kiln_itype_t *type, size_t index, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
// The error that `what` is used although it is undefined for the reason `reason`.
kiln_status_t kiln_fail_undefined(const kiln_iframe_t *frame, const kiln_iop_t *op,
                                  const kiln_itype_t *type, size_t index, uint8_t reason,
                                  const char *what);
// A defined scalar, sign-extended.
kiln_status_t kiln_scalar(const kiln_iframe_t *frame, const kiln_iop_t *op, int operand,
                          const char *what, int64_t *out);

// Executes the region's blocks; arguments of its entry must be set. *out_end is the terminator that
// ended it.
kiln_status_t kiln_run_region(kiln_iframe_t *frame, const kiln_iregion_t *region,
                              const kiln_iop_t **out_end);
// Whether an instance's stack has room for one more nested region and the functions it calls.
bool kiln_instance_has_room(const kiln_instance_t *instance);
// Lets the other instances run before this one continues; an error means that all of them wait.
kiln_status_t kiln_instance_yield(kiln_iframe_t *frame, const kiln_iop_t *op);

// Memory. The result points to `size` bytes at the address; it is NULL if no buffer contains them.
unsigned char *kiln_machine_locate(kiln_machine_t *machine, uint64_t address, size_t size);
static inline uint64_t kiln_bytes_read(const unsigned char *host, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)host[i] << 8 * i;
    return value;
}
static inline void kiln_bytes_write(unsigned char *host, unsigned bytes, uint64_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        host[i] = (unsigned char)(value >> 8 * i);
}
// The host's bytes of one element, or an error that names the element and the nearest buffer.
kiln_status_t kiln_access(kiln_iframe_t *frame, const kiln_iop_t *op, const kiln_itype_t *type,
                          size_t index, uint64_t address, unsigned bytes, const char *verb,
                          unsigned char **out_host);

// exec_atomic.c: `old` op `value` in the format `number`.
uint64_t kiln_atomic_apply(int64_t op, kiln_number_t number, uint64_t old, uint64_t value);

// Handlers, one per row of handlers.def.
#define KILN_INTERP(kind, handler, attribute, otherwise)                                           \
    kiln_status_t handler(kiln_iframe_t *, const kiln_iop_t *);
#define KILN_INTERP_EACH(kind, handler, attribute, otherwise)                                      \
    KILN_INTERP(kind, handler, attribute, otherwise)
#define KILN_INTERP_END(kind)
#include "interp/handlers.def"
#undef KILN_INTERP
#undef KILN_INTERP_EACH
#undef KILN_INTERP_END

#endif
