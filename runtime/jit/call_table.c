// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of calls, and the table of known calls. Fields of a key must not run together, so strings
// keep their NUL and counts precede lists.
#include "jit/call_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "jit/specialize.h"

// Writes a key; `at` becomes NULL if something does not fit.
typedef struct writer {
    unsigned char *at, *end;
} writer_t;

static inline void put_bytes(writer_t *writer, const void *bytes, size_t size)
{
    if (!writer->at || (size_t)(writer->end - writer->at) < size) {
        writer->at = NULL;
        return;
    }
    memcpy(writer->at, bytes, size);
    writer->at += size;
}

static inline void put_byte(writer_t *writer, unsigned char byte)
{
    put_bytes(writer, &byte, 1);
}

// Names are short: copying in a loop is faster than calling strlen first.
static inline void put_string(writer_t *writer, const char *text)
{
    unsigned char *at = writer->at;
    if (!at || !text) {
        writer->at = NULL;
        return;
    }
    for (; at < writer->end; at++, text++)
        if (!(*at = (unsigned char)*text)) {
            writer->at = at + 1;
            return;
        }
    writer->at = NULL;
}

// NULL differs from "".
static inline void put_optional(writer_t *writer, const char *text)
{
    put_byte(writer, text != NULL);
    if (text)
        put_string(writer, text);
}

// Hashes samples of the text, so that programs of the same length and signature rarely collide; the
// rest is compared.
static inline void put_samples(writer_t *writer, const char *text, size_t length)
{
    enum { SAMPLES = 8, SIZE = 8 };
    for (size_t i = 0; length >= SAMPLES * SIZE && i < SAMPLES; i++)
        put_bytes(writer, text + (length - SIZE) / (SAMPLES - 1) * i, SIZE);
}

// The properties that kiln_jit_argument_hint reads from the argument, and nothing else, in a byte.
_Static_assert(KILN_ELEMENT_TYPE_COUNT < 32, "an element and none have five bits");
static inline unsigned char properties_of(const kiln_jit_argument_t *argument)
{
    kiln_arg_hint_t hint = kiln_jit_argument_hint(argument);
    unsigned divides = hint.divisibility != 0;
    if (argument->kind == KILN_JIT_POINTER) // the element, or 0, takes five bits
        return (unsigned char)(0x80u | (unsigned)hint.pointer_range_32 << 6 | divides << 5 |
                               (hint.type ? (unsigned)kiln_pointee_of(argument) : 0));
    return (unsigned char)((unsigned)argument->kind << 4 | divides << 1 |
                           (argument->kind == KILN_JIT_INTEGER && hint.type[1] == '6'));
}

bool kiln_call_key_make(const kiln_jit_call_t *call, unsigned generation, kiln_call_key_t *out_key)
{
    if (!call->source.text || call->argument_count > KILN_CALL_ARGUMENT_LIMIT ||
        (call->argument_count && !call->arguments) || (call->setting_count && !call->settings))
        return false;
    writer_t writer = {out_key->bytes, out_key->bytes + KILN_CALL_KEY_SIZE};
    const uint64_t numbers[] = {generation, (uint64_t)call->source.stage, call->source.length,
                                call->setting_count, call->argument_count};
    put_bytes(&writer, numbers, sizeof numbers);
    put_samples(&writer, call->source.text, call->source.length);
    put_optional(&writer, call->source.name);
    put_optional(&writer, call->kernel);
    put_optional(&writer, call->tuning_arguments);
    for (size_t i = 0; i < call->setting_count; i++) {
        put_string(&writer, call->settings[i].name);
        put_string(&writer, call->settings[i].value);
    }
    for (size_t i = 0; i < call->argument_count; i++) {
        put_string(&writer, call->arguments[i].name);
        put_byte(&writer, properties_of(&call->arguments[i]));
    }
    if (!writer.at)
        return false;
    out_key->size = (size_t)(writer.at - out_key->bytes);
    out_key->hash = kiln_hash_quick(out_key->bytes, out_key->size);
    return true;
}

const kiln_known_call_t *kiln_call_table_find(const kiln_call_table_t *table,
                                              const kiln_call_key_t *key,
                                              const kiln_source_t *source)
{
    const kiln_known_call_t *call = atomic_load_explicit(
        &table->buckets[key->hash % KILN_CALL_BUCKET_COUNT], memory_order_acquire);
    for (; call; call = call->next)
        if (call->hash == key->hash && call->key_size == key->size &&
            call->text_length == source->length &&
            memcmp(call->bytes, key->bytes, key->size) == 0 &&
            memcmp(call->bytes + key->size, source->text, source->length) == 0)
            return call;
    return NULL;
}

static bool find_order(const kiln_jit_call_t *call, const kiln_parameter_t *parameters,
                       size_t count, unsigned char *out_order)
{
    if (call->argument_count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < count && strcmp(call->arguments[at].name, parameters[i].name) != 0)
            at++;
        if (at == count)
            return false;
        out_order[i] = (unsigned char)at;
    }
    return true;
}

void kiln_call_table_add(kiln_call_table_t *table, const kiln_call_key_t *key,
                         const kiln_jit_call_t *call, kiln_jit_kernel_t *kernel,
                         const kiln_parameter_t *parameters, size_t parameter_count)
{
    kiln_known_call_t *known = malloc(sizeof *known + key->size + call->source.length);
    if (!known || !find_order(call, parameters, parameter_count, known->order)) {
        free(known);
        return;
    }
    known->hash = key->hash;
    known->key_size = key->size;
    known->text_length = call->source.length;
    known->kernel = kernel;
    memcpy(known->bytes, key->bytes, key->size);
    memcpy(known->bytes + key->size, call->source.text, call->source.length);
    // Two threads may both add the same new call; then the second entry is never reached.
    _Atomic(kiln_known_call_t *) *bucket = &table->buckets[key->hash % KILN_CALL_BUCKET_COUNT];
    known->next = atomic_load_explicit(bucket, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(bucket, &known->next, known, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

void kiln_call_table_free(kiln_call_table_t *table)
{
    for (size_t i = 0; i < KILN_CALL_BUCKET_COUNT; i++) {
        kiln_known_call_t *call = atomic_load_explicit(&table->buckets[i], memory_order_relaxed);
        while (call) {
            kiln_known_call_t *next = call->next;
            free(call);
            call = next;
        }
    }
}
