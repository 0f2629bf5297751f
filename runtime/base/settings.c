// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of settings, kept sorted by insertion because they are short.
#include "base/settings.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/string.h"

kiln_status_t kiln_settings_put(kiln_setting_list_t *list, const char *name, size_t name_length,
                                const char *value, size_t value_length)
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
    if (!KILN_ARRAY_RESERVE(&list->items, &list->capacity, list->count + 1))
        goto fail;
    memmove(&list->items[at + 1], &list->items[at], (list->count - at) * sizeof *list->items);
    list->items[at] = (kiln_setting_t){.name = own_name, .value = own_value};
    list->count++;
    return KILN_OK;
fail:
    free(own_name);
    free(own_value);
    return kiln_status_out_of_memory();
}

kiln_status_t kiln_settings_put_all(kiln_setting_list_t *list, const kiln_setting_t *settings,
                                    size_t count)
{
    for (size_t i = 0; i < count; i++)
        KILN_TRY(kiln_settings_put(list, settings[i].name, strlen(settings[i].name),
                                   settings[i].value, strlen(settings[i].value)));
    return KILN_OK;
}

kiln_status_t kiln_settings_put_text(kiln_setting_list_t *list, const char *text)
{
    for (const char *word = text + strspn(text, " \n"); *word; word += strspn(word, " \n")) {
        size_t length = strcspn(word, " \n");
        const char *equals = memchr(word, '=', length);
        if (!equals || equals == word)
            return kiln_status_make(KILN_STATUS_INVALID_INPUT, "expected NAME=VALUE, got '%.*s'",
                                    (int)length, word);
        KILN_TRY(kiln_settings_put(list, word, (size_t)(equals - word), equals + 1,
                                   length - (size_t)(equals + 1 - word)));
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

char *kiln_settings_text(const kiln_setting_t *settings, size_t count)
{
    kiln_string_t text = {0};
    kiln_string_append(&text, "");
    for (size_t i = 0; i < count; i++)
        kiln_string_appendf(&text, "%s=%s\n", settings[i].name, settings[i].value);
    return kiln_string_take(&text);
}
