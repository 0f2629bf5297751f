// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes reachable code, keeps it, and finds instructions by address.
//
// Words that are not gfx942 instructions are not errors by themselves: data may follow a call that
// never returns. They become an instruction that fails when a wave reaches it. A valid instruction
// that the simulator does not support is an error at once.
#include "decode/program.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/decode.h"
#include "decode/mc.h"

#define CHUNK 64

typedef struct constant {
    struct constant *next;
    uint64_t value;
    alignas(64) uint32_t row[2 * KILN_GFX942_LANES];
} constant_t;

#define CONSTANT_BUCKETS 64

typedef struct code {
    uint64_t begin, end;
    kiln_sim_inst_t **at; // by (address - begin) / 4; NULL if not decoded
} code_t;

struct kiln_sim_program {
    pthread_mutex_t lock; // protects everything below
    const uint8_t *image;
    const kiln_sim_variant_t *variant;
    code_t *code;
    size_t code_count;
    kiln_sim_inst_t **chunks; // instructions by index, CHUNK in each
    size_t count, chunk_count, chunk_capacity;
    char *texts; // of all instructions: printing one takes as long as decoding it
    size_t text_length, text_capacity;
    constant_t *constants[CONSTANT_BUCKETS];
    size_t bytes; // memory that all this takes
};

static const kiln_sim_row_t bad_word_row;

static void run_bad_word(kiln_sim_wave_t *wave, const kiln_sim_inst_t *inst)
{
    kiln_sim_wave_fault(wave, inst, -1, "invalid gfx942 instruction");
}

static const kiln_sim_row_t bad_word_row = {.name = "(no instruction)",
                                            .run = run_bad_word,
                                            .format = KILN_SIM_SOPP,
                                            .class_ = KILN_SIM_CLASS_SYNC};

kiln_sim_program_t *kiln_sim_program_create(const uint8_t *image, const kiln_sim_range_t *code,
                                            size_t code_count, const kiln_sim_variant_t *variant,
                                            kiln_sim_error_t *error)
{
    kiln_sim_program_t *program = calloc(1, sizeof *program);
    if (!program || !kiln_sim_shared_mc_hold()) {
        free(program);
        program = NULL;
        goto no_memory;
    }
    pthread_mutex_init(&program->lock, NULL);
    program->image = image;
    program->variant = variant;
    program->code = calloc(code_count ? code_count : 1, sizeof *program->code);
    if (!program->code)
        goto no_memory;
    for (size_t i = 0; i < code_count; i++) {
        code_t *range = &program->code[program->code_count++];
        range->begin = (code[i].begin + 3) & ~3ull; // instructions are aligned
        range->end = code[i].end > range->begin ? code[i].end : range->begin;
    }
    return program;

no_memory:
    kiln_sim_program_destroy(program);
    kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                  "out of host memory while preparing to decode a code object");
    return NULL;
}

void kiln_sim_program_destroy(kiln_sim_program_t *program)
{
    if (!program)
        return;
    kiln_sim_program_forget(program);
    free(program->code);
    kiln_sim_shared_mc_release();
    pthread_mutex_destroy(&program->lock);
    free(program);
}

void kiln_sim_program_forget(kiln_sim_program_t *program)
{
    pthread_mutex_lock(&program->lock);
    for (size_t i = 0; i < CONSTANT_BUCKETS; i++) {
        while (program->constants[i]) {
            constant_t *removed = program->constants[i];
            program->constants[i] = removed->next;
            free(removed);
        }
    }
    for (size_t i = 0; i < program->chunk_count; i++)
        free(program->chunks[i]);
    free(program->chunks);
    program->chunks = NULL;
    program->count = program->chunk_count = program->chunk_capacity = 0;
    free(program->texts);
    program->texts = NULL;
    program->text_length = program->text_capacity = 0;
    for (size_t i = 0; i < program->code_count; i++) {
        free(program->code[i].at);
        program->code[i].at = NULL;
    }
    program->bytes = 0;
    pthread_mutex_unlock(&program->lock);
}

size_t kiln_sim_program_bytes(kiln_sim_program_t *program)
{
    pthread_mutex_lock(&program->lock);
    size_t bytes = program->bytes;
    pthread_mutex_unlock(&program->lock);
    return bytes;
}

static const uint32_t *constant_row(void *context, uint64_t value)
{
    kiln_sim_program_t *program = context;
    constant_t **bucket =
        &program->constants[(value ^ value >> 32) * 0x9e3779b1u >> 8 & (CONSTANT_BUCKETS - 1)];
    for (constant_t *it = *bucket; it; it = it->next) {
        if (it->value == value)
            return it->row;
    }
    constant_t *made = aligned_alloc(64, sizeof *made);
    if (!made)
        return NULL;
    made->value = value;
    for (unsigned lane = 0; lane < KILN_GFX942_LANES; lane++) {
        made->row[lane] = (uint32_t)value;
        made->row[KILN_GFX942_LANES + lane] = (uint32_t)(value >> 32);
    }
    made->next = *bucket;
    *bucket = made;
    program->bytes += sizeof *made;
    return made->row;
}

static kiln_sim_inst_t *new_inst(kiln_sim_program_t *program)
{
    size_t chunk = program->count / CHUNK;
    if (chunk == program->chunk_count) {
        if (!KILN_ARRAY_RESERVE(&program->chunks, &program->chunk_capacity, chunk + 1))
            return NULL;
        program->chunks[chunk] =
            calloc(CHUNK, sizeof **program->chunks + sizeof(kiln_sim_footprint_t));
        if (!program->chunks[chunk])
            return NULL;
        program->bytes += CHUNK * (sizeof **program->chunks + sizeof(kiln_sim_footprint_t));
        program->chunk_count++;
    }
    kiln_sim_inst_t *inst = &program->chunks[chunk][program->count % CHUNK];
    *inst = (kiln_sim_inst_t){
        .index = (uint32_t)program->count++}; // the slot may have been used and released
    return inst;
}

// An instruction whose text there is no memory for is decoded again to print it.
static void keep_text(kiln_sim_program_t *program, kiln_sim_inst_t *inst, const char *text)
{
    const size_t size = strlen(text) + 1, before = program->text_capacity;
    if (program->text_length + size >= UINT32_MAX ||
        !KILN_ARRAY_RESERVE(&program->texts, &program->text_capacity, program->text_length + size))
        return;
    program->bytes += program->text_capacity - before;
    memcpy(program->texts + program->text_length, text, size);
    inst->text = (uint32_t)program->text_length + 1;
    program->text_length += size;
}

// Footprints follow the instructions of their chunk.
static kiln_sim_footprint_t *footprint_of(const kiln_sim_program_t *program, size_t index)
{
    return (kiln_sim_footprint_t *)(void *)(program->chunks[index / CHUNK] + CHUNK) + index % CHUNK;
}

static const code_t *find_code(const kiln_sim_program_t *program, uint64_t address)
{
    for (size_t i = 0; i < program->code_count; i++) {
        if (address >= program->code[i].begin && address < program->code[i].end)
            return &program->code[i];
    }
    return NULL;
}

static uint64_t bytes_left(const kiln_sim_program_t *program, uint64_t address)
{
    const code_t *code = find_code(program, address);
    return code ? code->end - address : 0;
}

// The slot of the instruction at an address inside the code.
static kiln_sim_inst_t **slot(const kiln_sim_program_t *program, uint64_t address)
{
    const code_t *code = find_code(program, address);
    return &code->at[(address - code->begin) / 4];
}

// Allocates slots for the range of code that holds the address.
static bool have_slots(kiln_sim_program_t *program, uint64_t address)
{
    code_t *code = &program->code[find_code(program, address) - program->code];
    if (code->at)
        return true;
    const size_t count = (size_t)((code->end - code->begin) / 4 + 1);
    code->at = calloc(count, sizeof *code->at);
    program->bytes += code->at ? count * sizeof *code->at : 0;
    return code->at != NULL;
}

static kiln_sim_inst_t *decode_one(kiln_sim_program_t *program, uint64_t address,
                                   kiln_sim_error_t *error)
{
    char text[256];
    uint64_t left = bytes_left(program, address);
    kiln_sim_inst_t *inst = have_slots(program, address) ? new_inst(program) : NULL;
    if (!inst) {
        kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY, "out of host memory while decoding");
        return NULL;
    }
    inst->address = address;
    size_t window = left > 16 ? 16 : (size_t)left;
    unsigned size = window >= 4 ? kiln_sim_shared_mc_decode(program->image + address, window,
                                                            address, text, sizeof text)
                                : 0;
    kiln_sim_error_t detail = {0};
    if (size) {
        uint32_t words[4] = {0};
        memcpy(words, program->image + address, size);
        inst->size = size;
        inst->row = kiln_sim_row_find(program->variant, text);
        if (!inst->row)
            kiln_sim_fail(error, KILN_SIM_NOT_SUPPORTED,
                          "the simulator does not support the instruction '%s' at 0x%" PRIx64, text,
                          address);
        else if (!kiln_sim_decode_fields(inst, words, constant_row, program, &detail) &&
                 detail.code == KILN_SIM_OUT_OF_MEMORY)
            kiln_sim_fail(error, detail.code, "%s", detail.text);
        if (!inst->row || detail.code == KILN_SIM_OUT_OF_MEMORY) {
            program->count--; // the slot is reused
            memset(inst, 0, sizeof *inst);
            return NULL;
        }
        inst->run =
            inst->modified && inst->row->run_modified ? inst->row->run_modified : inst->row->run;
        keep_text(program, inst, text);
    }
    if (!size || detail.code) {
        *inst = (kiln_sim_inst_t){
            .index = inst->index, .address = address, .size = 4, .row = &bad_word_row};
        inst->run = run_bad_word;
        inst->format = bad_word_row.format;
    }
    kiln_sim_footprint_t *footprint = footprint_of(program, inst->index);
    kiln_sim_footprint_fill(footprint, inst);
    inst->footprint = footprint;
    *slot(program, address) = inst;
    return inst;
}

// Where control can go from inst without a computed target: whether to the next instruction, and to
// which branch target.
static bool falls_through(const kiln_sim_inst_t *inst)
{
    return !(inst->row->flags & KILN_SIM_ROW_ENDS) && inst->row != &bad_word_row;
}

typedef struct worklist {
    uint64_t *items;
    size_t count, capacity;
} worklist_t;

static bool push(worklist_t *list, uint64_t address)
{
    if (!KILN_ARRAY_RESERVE(&list->items, &list->capacity, list->count + 1))
        return false;
    list->items[list->count++] = address;
    return true;
}

static bool is_code(const kiln_sim_program_t *program, uint64_t address)
{
    return address % 4 == 0 && bytes_left(program, address) >= 4;
}

static kiln_sim_inst_t *lookup(const kiln_sim_program_t *program, uint64_t address)
{
    return is_code(program, address) && find_code(program, address)->at ? *slot(program, address)
                                                                        : NULL;
}

static uint64_t target_of(const kiln_sim_inst_t *inst)
{
    return inst->address + inst->size + (uint64_t)((int64_t)inst->imm * 4);
}

// Decodes everything that is reachable from entry and not yet decoded, then links the new
// instructions.
static bool walk(kiln_sim_program_t *program, uint64_t entry, kiln_sim_error_t *error)
{
    worklist_t list = {0};
    size_t first = program->count;
    bool good = push(&list, entry);
    while (good && list.count) {
        uint64_t address = list.items[--list.count];
        while (is_code(program, address) && !lookup(program, address)) {
            kiln_sim_inst_t *inst = decode_one(program, address, error);
            if (!inst) {
                good = false;
                break;
            }
            if (inst->row->flags & KILN_SIM_ROW_BRANCHES) {
                if (!push(&list, target_of(inst))) {
                    good = kiln_sim_fail(error, KILN_SIM_OUT_OF_MEMORY,
                                         "out of host memory while decoding");
                    break;
                }
            }
            if (!falls_through(inst))
                break;
            address += inst->size;
        }
    }
    free(list.items);
    if (!good) {
        // Removes partly linked instructions, so that a retry decodes them again and fails in the
        // same way.
        for (size_t i = first; i < program->count; i++) {
            kiln_sim_inst_t *inst = &program->chunks[i / CHUNK][i % CHUNK];
            *slot(program, inst->address) = NULL;
        }
        return false;
    }
    for (size_t i = first; i < program->count; i++) {
        kiln_sim_inst_t *inst = &program->chunks[i / CHUNK][i % CHUNK];
        inst->next = lookup(program, inst->address + inst->size);
        if (inst->row->flags & KILN_SIM_ROW_BRANCHES)
            inst->target = lookup(program, target_of(inst));
    }
    return true;
}

const kiln_sim_inst_t *kiln_sim_program_at(kiln_sim_program_t *program, uint64_t address,
                                           kiln_sim_error_t *error)
{
    pthread_mutex_lock(&program->lock);
    const kiln_sim_inst_t *inst = lookup(program, address);
    if (!inst) {
        if (!is_code(program, address))
            kiln_sim_fail(error, KILN_SIM_LAUNCH_FAILURE,
                          "address 0x%" PRIx64 " is outside the code", address);
        else if (walk(program, address, error))
            inst = lookup(program, address);
    }
    pthread_mutex_unlock(&program->lock);
    return inst;
}

size_t kiln_sim_program_count(const kiln_sim_program_t *program)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&program->lock;
    pthread_mutex_lock(lock);
    size_t count = program->count;
    pthread_mutex_unlock(lock);
    return count;
}

const kiln_sim_inst_t *kiln_sim_program_inst(const kiln_sim_program_t *program, size_t index)
{
    return &program->chunks[index / CHUNK][index % CHUNK];
}

void kiln_sim_program_rows(const kiln_sim_program_t *program, size_t first, size_t count,
                           const kiln_sim_row_t **rows)
{
    pthread_mutex_t *lock = (pthread_mutex_t *)(uintptr_t)&program->lock;
    pthread_mutex_lock(lock);
    for (size_t i = 0; i < count; i++)
        rows[i] = kiln_sim_program_inst(program, first + i)->row;
    pthread_mutex_unlock(lock);
}

void kiln_sim_program_print(kiln_sim_program_t *program, const kiln_sim_inst_t *inst, char *text,
                            size_t size)
{
    pthread_mutex_lock(&program->lock);
    uint64_t left = bytes_left(program, inst->address);
    size_t window = left > 16 ? 16 : (size_t)left;
    text[0] = '\0';
    if (inst->text) {
        snprintf(text, size, "%s", program->texts + inst->text - 1);
        pthread_mutex_unlock(&program->lock);
        return;
    }
    // For instructions that the assembler would reject, the text contains the reason.
    if (!kiln_sim_shared_mc_decode(program->image + inst->address, window, inst->address, text,
                                   size) &&
        !text[0])
        snprintf(text, size, "%s", inst->row->name);
    pthread_mutex_unlock(&program->lock);
}
