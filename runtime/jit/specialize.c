// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings, specialization and keys.
#include "jit/specialize.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/require.h"
#include "kiln/element.h"

// The type name of a pointer to such elements: "*f16".
static const char *pointer_to(int64_t element)
{
    static const char *const names[] = {
#define KILN_POINTER_NAME(id, name, bits, kind, exponent, mantissa, bias) "*" name,
        KILN_ELEMENT_TYPES(KILN_POINTER_NAME)
#undef KILN_POINTER_NAME
    };
    return element > 0 && element <= KILN_ELEMENT_TYPE_COUNT ? names[element - 1] : NULL;
}

kiln_arg_hint_t kiln_jit_argument_hint(const kiln_jit_argument_t *argument)
{
    kiln_arg_hint_t hint = {.name = argument->name, .type_is_offered = true};
    if (argument->kind == KILN_JIT_REAL) {
        hint.type = "f32";
    } else if (argument->kind == KILN_JIT_POINTER) {
        hint.type = pointer_to(kiln_pointee_of(argument));
        hint.divisibility = argument->address % 16 == 0 ? 16 : 0;
        hint.pointer_range_32 = kiln_is_in_pointer_range(argument);
    } else if (argument->kind == KILN_JIT_INTEGER) {
        hint.type = argument->integer == (int32_t)argument->integer ? "i32" : "i64";
        hint.divisibility = argument->integer % 16 == 0 ? 16 : 0;
    } else if (argument->kind == KILN_JIT_UNSIGNED) {
        hint.type = "i64";
        hint.divisibility = argument->integer % 16 == 0 ? 16 : 0;
    }
    return hint;
}

// The structs that are hashed below. A field added to them must be added to the key; these
// assertions fail until then.
_Static_assert(sizeof(kiln_jit_request_t) == 13 * sizeof(void *),
               "every field of a request is in its key");
_Static_assert(sizeof(kiln_source_t) == 4 * sizeof(void *),
               "every field of a source is in its key");
_Static_assert(sizeof(kiln_setting_t) == 2 * sizeof(void *),
               "every field of a setting is in its key");
_Static_assert(sizeof(kiln_arg_hint_t) == 3 * sizeof(void *),
               "every field of a hint is in its key");

typedef enum keyed {
    OF_CODE,   // everything that the bytes of a cache entry depend on
    OF_PROBLEM // what is the same for all settings, and independent of the names of the source and
               // of the compiler's build
} keyed_t;

static bool is_word_char(char c)
{
    return kiln_is_alphanumeric(c) || c == '_';
}

// The first occurrence of a word in a text; NULL if there is none.
static const char *find_word(const char *text, const char *end, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = text; at + length <= end; at++)
        if (strncmp(at, word, length) == 0 && (at == text || !is_word_char(at[-1])) &&
            (at + length == end || !is_word_char(at[length])))
            return at;
    return NULL;
}

// Whether a Tile C source may have a kernel with a parameter of type `auto`: the word stands
// between `kernel` and the body. Comments there, and the preprocessor, may hide it.
static bool may_take_offered_types(const kiln_source_t *source)
{
    const char *end = source->text + source->length, *at = source->text;
    if (source->stage != KILN_STAGE_TILE)
        return false;
    if (memchr(source->text, '#', source->length))
        return true;
    while ((at = find_word(at, end, "kernel"))) {
        const char *body = memchr(at, '{', (size_t)(end - at));
        const char *after = body ? body : end;
        if (find_word(at, after, "auto") || memchr(at, '/', (size_t)(after - at)))
            return true;
        at += strlen("kernel");
    }
    return false;
}

static int by_name(const void *a, const void *b)
{
    const kiln_arg_hint_t *x = *(const kiln_arg_hint_t *const *)a,
                          *y = *(const kiln_arg_hint_t *const *)b;
    return strcmp(x->name, y->name);
}

// Hashes the hints; those of a problem in the order of their names, and without types that nothing
// takes: programs need not pass arguments in the order of the words of `kiln tune`, nor with types.
static kiln_status_t hash_hints(kiln_hasher_t *hasher, const kiln_jit_request_t *request,
                                keyed_t keyed)
{
    const kiln_arg_hint_t **hints = calloc(request->argument_count + 1, sizeof *hints);
    const bool has_types = keyed == OF_CODE || may_take_offered_types(&request->source);
    if (!hints)
        return kiln_status_out_of_memory();
    for (size_t i = 0; i < request->argument_count; i++)
        hints[i] = &request->arguments[i];
    if (keyed == OF_PROBLEM)
        qsort(hints, request->argument_count, sizeof *hints, by_name);
    for (size_t i = 0; i < request->argument_count; i++) {
        kiln_hasher_string(hasher, hints[i]->name);
        kiln_hasher_string(hasher, has_types || !hints[i]->type_is_offered ? hints[i]->type : NULL);
        kiln_hasher_integer(hasher, hints[i]->divisibility);
        kiln_hasher_integer(hasher, hints[i]->pointer_range_32);
        kiln_hasher_integer(hasher, hints[i]->type_is_offered);
    }
    free(hints);
    return KILN_OK;
}

static kiln_status_t hash_request(const kiln_jit_request_t *request, const char *identity,
                                  keyed_t keyed, kiln_hash_t *out_key)
{
    kiln_hasher_t *hasher = kiln_hasher_create();
    if (!hasher)
        return kiln_status_out_of_memory(); // an empty key would find another kernel
    bool is_code = keyed == OF_CODE;
    kiln_hasher_string(hasher, is_code ? "kiln-jit-5" : "kiln-problem-2");
    kiln_hasher_string(hasher, is_code ? identity : identity + strcspn(identity, "\n"));
    kiln_hasher_integer(hasher, request->source.stage);
    kiln_hasher_string(hasher,
                       is_code ? request->source.name : NULL); // part of the debug information
    kiln_hasher_field(hasher, request->source.text, request->source.length);
    kiln_hasher_string(hasher, is_code ? request->kernel : NULL); // the store has names
    kiln_hasher_string(hasher, request->arch);
    kiln_hasher_string(hasher, request->dependencies);
    kiln_hasher_integer(
        hasher,
        is_code && request->out_diagnostics); // an entry made without this request has no warnings
    kiln_hasher_integer(hasher, is_code ? (int64_t)request->setting_count : 0);
    for (size_t i = 0; is_code && i < request->setting_count; i++) {
        kiln_hasher_string(hasher, request->settings[i].name);
        kiln_hasher_string(hasher, request->settings[i].value);
    }
    kiln_hasher_integer(hasher, (int64_t)request->argument_count);
    kiln_status_t status = hash_hints(hasher, request, keyed);
    *out_key = kiln_hasher_finish(hasher);
    kiln_hasher_release(hasher);
    return status;
}

kiln_status_t kiln_request_key(const kiln_jit_request_t *request, const char *identity,
                               kiln_hash_t *out_key)
{
    return hash_request(request, identity, OF_CODE, out_key);
}

kiln_status_t kiln_jit_problem(const kiln_jit_request_t *request, const char *identity,
                               char out_problem[33])
{
    KILN_REQUIRE(out_problem);
    *out_problem = '\0';
    KILN_REQUIRE(identity);
    kiln_jit_request_t taken = {.struct_size = sizeof taken};
    KILN_REQUIRE_STRUCT(kiln_jit_request_t, &taken, request);
    const kiln_arg_hint_t *arguments = taken.arguments;
    const size_t argument_count = taken.argument_count;
    KILN_REQUIRE_THAT(taken.source.text, "request->source.text is NULL");
    KILN_REQUIRE_ARRAY(arguments, argument_count);
    kiln_hash_t hash;
    KILN_TRY(hash_request(&taken, identity, OF_PROBLEM, &hash));
    kiln_hash_format(hash, out_problem);
    return KILN_OK;
}
