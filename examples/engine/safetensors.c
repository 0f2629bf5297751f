// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Safetensors: eight bytes with the size of a JSON header, the header, then the tensors' bytes. The
// file is mapped and nothing is copied; jansson parses the JSON.
//
// The header is not trusted: sizes, offsets and extents are checked against the file.
#include <ctype.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model.h"

struct tensors {
    char *path;
    uint8_t *map;
    size_t size;
    json_t *header;
    tensor_t *list;
    size_t count;
};

static kiln_status_t bad(const tensors_t *tensors, const char *name, const char *what)
{
    return kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s: tensor '%s': %s", tensors->path, name,
                            what);
}

static kiln_status_t read_tensor(tensors_t *tensors, const char *name, const json_t *entry,
                                 size_t start)
{
    tensor_t *tensor = &tensors->list[tensors->count];
    const json_t *shape = json_object_get(entry, "shape"),
                 *offsets = json_object_get(entry, "data_offsets");
    const char *type = json_string_value(json_object_get(entry, "dtype"));
    if (!type || !json_is_array(shape) || json_array_size(offsets) != 2)
        return bad(tensors, name, "dtype, shape or data_offsets is missing");
    char element[16] = ""; // Kiln's names are the same in lower case
    for (size_t i = 0; type[i] && i < sizeof element - 1; i++)
        element[i] = (char)tolower((unsigned char)type[i]);
    *tensor = (tensor_t){.name = name, .rank = (int)json_array_size(shape)};
    if (!kiln_element_type_parse(element, &tensor->element) || json_array_size(shape) > 4)
        return kiln_status_make(KILN_STATUS_UNSUPPORTED,
                                "%s: tensor '%s': %s of %zu dimensions is not read", tensors->path,
                                name, type, json_array_size(shape));
    size_t room = tensors->size - start, bytes = kiln_element_size(tensor->element);
    for (int i = 0; i < tensor->rank; i++) {
        json_int_t extent = json_integer_value(json_array_get(shape, (size_t)i));
        if (extent < 1 || (size_t)extent > room / bytes)
            return bad(tensors, name, "its shape is larger than the file");
        tensor->shape[i] = extent;
        bytes *= (size_t)extent;
    }
    json_int_t from = json_integer_value(json_array_get(offsets, 0)),
               to = json_integer_value(json_array_get(offsets, 1));
    if (from < 0 || to < from || (size_t)to > room || (size_t)(to - from) != bytes)
        return bad(tensors, name, "data_offsets do not fit its shape and the file");
    tensor->data = tensors->map + start + from;
    tensor->size = bytes;
    tensors->count++;
    return KILN_OK;
}

static kiln_status_t read_header(tensors_t *tensors)
{
    uint64_t length = 0;
    json_error_t error;
    if (tensors->size >= 8)
        memcpy(&length, tensors->map, 8);
    if (tensors->size < 8 || length > tensors->size - 8)
        return kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                "%s: no safetensors file: its header is longer than the file",
                                tensors->path);
    tensors->header =
        json_loadb((const char *)tensors->map + 8, length, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(tensors->header))
        return kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s: no safetensors file: %s",
                                tensors->path,
                                tensors->header ? "its header is not an object" : error.text);
    tensors->list = calloc(json_object_size(tensors->header) + 1, sizeof *tensors->list);
    if (!tensors->list)
        return kiln_status_out_of_memory();
    const char *name;
    json_t *entry;
    json_object_foreach(tensors->header, name, entry) if (strcmp(name, "__metadata__") != 0)
        KILN_TRY(read_tensor(tensors, name, entry, 8 + length));
    return KILN_OK;
}

static kiln_status_t map_file(tensors_t *tensors)
{
    struct stat info;
    int file = open(tensors->path, O_RDONLY);
    if (file < 0 || fstat(file, &info) || info.st_size < 1) {
        if (file >= 0)
            close(file);
        return kiln_status_make(KILN_STATUS_NOT_FOUND, "%s: cannot be read, or is empty",
                                tensors->path);
    }
    tensors->size = (size_t)info.st_size;
    tensors->map = mmap(NULL, tensors->size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (tensors->map == MAP_FAILED) {
        tensors->map = NULL;
        return kiln_status_make(KILN_STATUS_IO, "%s: cannot be mapped", tensors->path);
    }
    return read_header(tensors);
}

kiln_status_t tensors_open(const char *path, tensors_t **out_tensors)
{
    tensors_t *tensors = calloc(1, sizeof *tensors);
    *out_tensors = NULL;
    kiln_status_t status = kiln_status_out_of_memory();
    if (tensors && (tensors->path = strdup(path)))
        status = map_file(tensors);
    if (status)
        tensors_close(tensors);
    else
        *out_tensors = tensors;
    return status;
}

void tensors_close(tensors_t *tensors)
{
    if (!tensors)
        return;
    if (tensors->map)
        munmap(tensors->map, tensors->size);
    json_decref(tensors->header);
    free(tensors->list);
    free(tensors->path);
    free(tensors);
}

const char *tensors_path(const tensors_t *tensors)
{
    return tensors->path;
}

const tensor_t *tensors_find(const tensors_t *tensors, const char *name)
{
    for (size_t i = 0; i < tensors->count; i++)
        if (strcmp(tensors->list[i].name, name) == 0)
            return &tensors->list[i];
    return NULL;
}

kiln_status_t config_read(const char *path, const config_key_t *keys, size_t count)
{
    json_error_t error;
    json_t *config = json_load_file(path, 0, &error);
    if (!config)
        return kiln_status_at(kiln_status_make(KILN_STATUS_INVALID_INPUT, "%s", error.text), path,
                              error.line > 0 ? (unsigned)error.line : 0, 0);
    kiln_status_t status = KILN_OK;
    for (size_t i = 0; !status && i < count; i++) {
        *keys[i].number = json_number_value(json_object_get(config, keys[i].name));
        if (!(*keys[i].number > 0 && *keys[i].number < 1e7))
            status = kiln_status_make(KILN_STATUS_INVALID_INPUT,
                                      "%s: '%s' must be a positive number", path, keys[i].name);
    }
    json_decref(config);
    return status;
}
