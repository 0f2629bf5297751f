// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Settings, specialisation and keys.
#include "jit/specialize.h"

#include <stdlib.h>
#include <string.h>

#include "kiln/element.h"

kiln_status_t kiln_settings_put(kiln_setting_list_t *list, const char *name, size_t name_length, const char *value,
                                size_t value_length)
{
    char *own_name = strndup(name, name_length), *own_value = strndup(value, value_length);
    if (!own_name || !own_value)
        goto fail;
    size_t at = 0;
    int order = 1;
    while (at < list->count && (order = strcmp(list->items[at].name, own_name)) < 0)
        at++;
    if (at < list->count && order == 0) {
        free((char *)(uintptr_t)list->items[at].value);
        list->items[at].value = own_value;
        free(own_name);
        return KILN_OK;
    }
    kiln_setting_t *items = realloc(list->items, (list->count + 1) * sizeof *items);
    if (!items)
        goto fail;
    list->items = items;
    memmove(&items[at + 1], &items[at], (list->count - at) * sizeof *items);
    items[at] = (kiln_setting_t){.name = own_name, .value = own_value};
    list->count++;
    return KILN_OK;
fail:
    free(own_name);
    free(own_value);
    return kiln_status_out_of_memory();
}

kiln_status_t kiln_settings_put_text(kiln_setting_list_t *list, const char *text)
{
    for (const char *word = text + strspn(text, " \n"); *word; word += strspn(word, " \n")) {
        size_t length = strcspn(word, " \n");
        const char *equals = memchr(word, '=', length);
        if (!equals || equals == word)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "'%.*s' is no NAME=VALUE", (int)length, word);
        KILN_TRY(
            kiln_settings_put(list, word, (size_t)(equals - word), equals + 1, length - (size_t)(equals + 1 - word)));
        word += length;
    }
    return KILN_OK;
}

void kiln_settings_free(kiln_setting_list_t *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free((char *)(uintptr_t)list->items[i].name);
        free((char *)(uintptr_t)list->items[i].value);
    }
    free(list->items);
    *list = (kiln_setting_list_t){0};
}

// "*f16": what a pointer to such elements is called.
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
        hint.type = pointer_to(argument->integer);
        hint.divisibility = argument->address % 16 == 0 ? 16 : 0;
        hint.pointer_range_32 = argument->address_size != 0 && argument->address_size <= INT32_MAX;
    } else if (argument->kind == KILN_JIT_INTEGER) {
        hint.type = argument->integer == (int32_t)argument->integer ? "i32" : "i64";
        hint.divisibility = argument->integer % 16 == 0 ? 16 : 0;
    }
    return hint;
}

// What is hashed below; a field that comes to these structs comes to the key or stops the build here.
_Static_assert(sizeof(kiln_jit_request_t) == 13 * sizeof(void *), "every field of a request is in its key");
_Static_assert(sizeof(kiln_source_t) == 4 * sizeof(void *), "every field of a source is in its key");
_Static_assert(sizeof(kiln_setting_t) == 2 * sizeof(void *), "every field of a setting is in its key");
_Static_assert(sizeof(kiln_arg_hint_t) == 3 * sizeof(void *), "every field of a hint is in its key");

kiln_status_t kiln_request_key(const kiln_jit_request_t *request, const char *identity, kiln_hash_t *out_key)
{
    kiln_hasher_t *hasher = kiln_hasher_create();
    if (!hasher)
        return kiln_status_out_of_memory(); // a key of nothing would find another kernel
    kiln_hasher_string(hasher, "kiln-jit-4");
    kiln_hasher_string(hasher, identity);
    kiln_hasher_integer(hasher, request->source.stage);
    kiln_hasher_string(hasher, request->source.name); // it goes into debug information
    kiln_hasher_field(hasher, request->source.text, request->source.length);
    kiln_hasher_string(hasher, request->kernel);
    kiln_hasher_string(hasher, request->arch);
    kiln_hasher_string(hasher, request->dependencies);
    kiln_hasher_integer(hasher, request->out_told != NULL); // an entry of who did not ask has no warnings
    kiln_hasher_integer(hasher, (int64_t)request->setting_count);
    for (size_t i = 0; i < request->setting_count; i++) {
        kiln_hasher_string(hasher, request->settings[i].name);
        kiln_hasher_string(hasher, request->settings[i].value);
    }
    kiln_hasher_integer(hasher, (int64_t)request->argument_count);
    for (size_t i = 0; i < request->argument_count; i++) {
        kiln_hasher_string(hasher, request->arguments[i].name);
        kiln_hasher_string(hasher, request->arguments[i].type);
        kiln_hasher_integer(hasher, request->arguments[i].divisibility);
        kiln_hasher_integer(hasher, request->arguments[i].pointer_range_32);
        kiln_hasher_integer(hasher, request->arguments[i].type_is_offered);
    }
    *out_key = kiln_hasher_finish(hasher);
    kiln_hasher_release(hasher);
    return KILN_OK;
}
