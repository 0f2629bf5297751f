// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// HIP entry points: what graphs own in addition to their work: memory that their nodes allocate,
// and objects of the program.
//
// A block of memory has its address from the creation of the node, and its pages as long as any
// graph has such a node; a launch only determines whether the block is in use. Blocks therefore
// never share memory, although HIP would allow that.
//
// Memory that a launched graph allocated and did not free belongs to the program, which may free it
// with hipFree.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "hip_sim/entry.h"
#include "hip_sim/graph/graph_node.h"

typedef struct block {
    struct block *next;
    void *pointer;
    kiln_sim_device_t *device;
    size_t size;
    unsigned held; // number of works that allocate it
    bool in_use;   // according to the work that streams have executed
    bool live; // according to the order of the program's calls: launched, and not freed by a later
               // call
} block_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static block_t *blocks;
static struct {
    uint64_t used, max_used, max_reserved; // reserved memory is the memory in use
} counts[KILN_SIM_MAX_DEVICES];

static hipError_t invalid(void)
{
    return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, NULL);
}

static block_t *find(const void *pointer)
{
    block_t *at = blocks;
    while (at && at->pointer != pointer)
        at = at->next;
    return at;
}

static void set_in_use(block_t *block, bool in_use)
{
    if (block->in_use == in_use)
        return;
    const int device = block->device->ordinal;
    block->in_use = in_use;
    counts[device].used += in_use ? block->size : 0;
    counts[device].used -= in_use ? 0 : block->size;
    if (counts[device].used > counts[device].max_used)
        counts[device].max_used = counts[device].used;
    if (counts[device].used > counts[device].max_reserved)
        counts[device].max_reserved = counts[device].used;
}

// Frees the block if it is no longer needed. Requires the lock.
static void end_if_unneeded(block_t *block)
{
    if (block->held || block->in_use)
        return;
    for (block_t **at = &blocks; *at; at = &(*at)->next) {
        if (*at == block) {
            *at = block->next;
            break;
        }
    }
    kiln_sim_memory_free(block->device->memory, block->pointer, NULL);
    free(block);
}

void kiln_sim_graph_block_hold(void *pointer)
{
    pthread_mutex_lock(&lock);
    block_t *block = find(pointer);
    if (block)
        block->held++;
    pthread_mutex_unlock(&lock);
}

void kiln_sim_graph_block_drop(void *pointer)
{
    pthread_mutex_lock(&lock);
    block_t *block = find(pointer);
    if (block) {
        block->held--;
        end_if_unneeded(block);
    }
    pthread_mutex_unlock(&lock);
}

hipError_t kiln_sim_graph_memory_take(void *pointer)
{
    pthread_mutex_lock(&lock);
    block_t *block = find(pointer);
    if (block)
        set_in_use(block, true);
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t kiln_sim_graph_memory_give(void *pointer)
{
    return kiln_sim_pool_free(
        pointer); // not hipFree, which would wait for the stream that executes this
}

bool kiln_sim_graph_memory_free(void *pointer, hipError_t *error)
{
    pthread_mutex_lock(&lock);
    block_t *block = find(pointer);
    const bool in_use = block && block->in_use;
    if (in_use) {
        set_in_use(block, false);
        end_if_unneeded(block);
    }
    pthread_mutex_unlock(&lock);
    if (block && !in_use)
        *error = kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graph's memory is not in use");
    return block;
}

static void set_live(const void *pointer, bool live)
{
    pthread_mutex_lock(&lock);
    block_t *block = find(pointer);
    if (block)
        block->live = live;
    pthread_mutex_unlock(&lock);
}

void kiln_sim_graph_memory_set_live(const void *pointer)
{
    set_live(pointer, true);
}

void kiln_sim_graph_memory_clear_live(const void *pointer)
{
    set_live(pointer, false);
}

bool kiln_sim_graph_memory_is_live(const void *pointer)
{
    pthread_mutex_lock(&lock);
    const block_t *block = find(pointer);
    const bool live = block && block->live;
    pthread_mutex_unlock(&lock);
    return live;
}

// The block that the node allocates; NULL for other nodes. Requires the lock.
static const block_t *block_of(const struct kiln_sim_node *node)
{
    return node->work.kind == KILN_SIM_WORK_ALLOCATE ? find(node->work.allocate.pointer) : NULL;
}

hipError_t kiln_sim_graph_memory_check(const struct kiln_sim_graph *graph, bool frees)
{
    bool good = true;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; good && blocks && i < graph->count; i++) {
        const block_t *block = block_of(graph->nodes[i]);
        good = !block || !block->live || frees;
    }
    pthread_mutex_unlock(&lock);
    return good ? 0
                : kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE,
                                    "memory of the graph's last launch has not been freed");
}

bool kiln_sim_graph_has_blocks(const struct kiln_sim_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->work.kind == KILN_SIM_WORK_ALLOCATE ||
            graph->nodes[i]->work.kind == KILN_SIM_WORK_FREE)
            return true;
    }
    return false;
}

// ---- entry points: memory

// The caller owns one reference.
static hipError_t make_block(kiln_sim_device_t *device, size_t size, void **pointer)
{
    kiln_sim_error_t error = {0};
    block_t *made = calloc(1, sizeof *made);
    *pointer =
        made ? kiln_sim_memory_allocate(device->memory, size, KILN_SIM_MEMORY_DEVICE, 0, &error)
             : NULL;
    if (!*pointer) {
        free(made);
        return error.code ? kiln_sim_hip_error(&error)
                          : kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    *made = (block_t){.pointer = *pointer, .device = device, .size = size, .held = 1};
    pthread_mutex_lock(&lock);
    made->next = blocks;
    blocks = made;
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *node, hipGraph_t graph,
                                   const hipGraphNode_t *after, size_t count,
                                   hipMemAllocNodeParams *p)
{
    if (!node || !kiln_sim_graph_is(graph) || (count && !after) || !p || !p->size ||
        p->pool.type != 1 || p->pool.location.type != 1)
        return invalid();
    kiln_sim_device_t *device = kiln_sim_device_at(p->pool.location.id);
    kiln_sim_work_t work = {.kind = KILN_SIM_WORK_ALLOCATE, .allocate = *p};
    void *pointer = NULL;
    hipError_t error = device ? make_block(device, p->size, &pointer) : invalid();
    if (error)
        return error;
    work.allocate.pointer = pointer;
    error = kiln_sim_graph_add(node, graph, after, count, &work);
    if (!error)
        p->pointer = pointer;
    kiln_sim_graph_block_drop(pointer); // the node holds a reference now
    return error;
}

hipError_t kiln_sim_capture_allocate(void **pointer, size_t size, int ordinal, hipStream_t stream)
{
    void *made = NULL;
    hipError_t error = size ? make_block(kiln_sim_device_at(ordinal), size, &made) : invalid();
    if (error)
        return error;
    const kiln_sim_work_t work = {
        .kind = KILN_SIM_WORK_ALLOCATE,
        .allocate = {.pool = {.type = 1, .location = {1, ordinal}}, .size = size, .pointer = made}};
    error = kiln_sim_submit(stream, &work);
    *pointer = error ? NULL : made;
    kiln_sim_graph_block_drop(made);
    return error;
}

static hipError_t add_free(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *after,
                           size_t count, void *pointer)
{
    const kiln_sim_work_t work = {.kind = KILN_SIM_WORK_FREE, .freed = pointer};
    if (!node || !kiln_sim_graph_is(graph) || !pointer)
        return invalid();
    pthread_mutex_lock(&lock);
    const bool known = find(pointer);
    pthread_mutex_unlock(&lock);
    if (!known)
        return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the memory was not allocated by a graph");
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i]->work.kind == KILN_SIM_WORK_FREE &&
            graph->nodes[i]->work.freed == pointer)
            return kiln_sim_hip_fail(KILN_SIM_INVALID_VALUE, "the graph already frees this memory");
    }
    return kiln_sim_graph_add(node, graph, after, count, &work);
}

hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *node, hipGraph_t graph,
                                  const hipGraphNode_t *after, size_t count, void *pointer)
{
    return add_free(node, graph, after, count, pointer);
}

hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t *node, hipGraph_t graph,
                                     const hipGraphNode_t *after, size_t count,
                                     hipDeviceptr_t pointer)
{
    return add_free(node, graph, after, count, pointer);
}

hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *p)
{
    if (!p || !kiln_sim_node_is(node) || node->work.kind != KILN_SIM_WORK_ALLOCATE)
        return invalid();
    *p = node->work.allocate;
    return 0;
}

hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *pointer)
{
    if (!pointer || !kiln_sim_node_is(node) || node->work.kind != KILN_SIM_WORK_FREE)
        return invalid();
    *(void **)pointer = node->work.freed;
    return 0;
}

// hipGraphMemAttributeType
enum { USED_CURRENT, USED_HIGH, RESERVED_CURRENT, RESERVED_HIGH };

hipError_t hipDeviceGetGraphMemAttribute(int ordinal, hipGraphMemAttributeType attribute,
                                         void *value)
{
    if (!kiln_sim_device_at(ordinal))
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    if (!value || attribute < USED_CURRENT || attribute > RESERVED_HIGH)
        return invalid();
    pthread_mutex_lock(&lock);
    const uint64_t values[] = {counts[ordinal].used, counts[ordinal].max_used, counts[ordinal].used,
                               counts[ordinal].max_reserved};
    pthread_mutex_unlock(&lock);
    memcpy(value, &values[attribute], sizeof values[attribute]);
    return 0;
}

// Only the high-water marks can be reset.
hipError_t hipDeviceSetGraphMemAttribute(int ordinal, hipGraphMemAttributeType attribute,
                                         void *value)
{
    if (!kiln_sim_device_at(ordinal))
        return kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
    uint64_t to;
    if (!value || (attribute != USED_HIGH && attribute != RESERVED_HIGH))
        return invalid();
    memcpy(&to, value, sizeof to);
    if (to)
        return invalid();
    pthread_mutex_lock(&lock);
    if (attribute == USED_HIGH)
        counts[ordinal].max_used = counts[ordinal].used;
    else
        counts[ordinal].max_reserved = counts[ordinal].used;
    pthread_mutex_unlock(&lock);
    return 0;
}

hipError_t hipDeviceGraphMemTrim(int ordinal)
{
    return kiln_sim_device_at(ordinal) ? 0 : kiln_sim_hip_fail(HIP_INVALID_DEVICE, NULL);
}

// ---- entry points: objects of the program

struct kiln_sim_user_object {
    struct kiln_sim_user_object *next; // list of all objects
    void *data;
    hipHostFn_t destroy;
    unsigned count;
};

static hipUserObject_t objects;

static bool is_object(hipUserObject_t object)
{
    pthread_mutex_lock(&lock);
    hipUserObject_t at = objects;
    while (at && at != object)
        at = at->next;
    pthread_mutex_unlock(&lock);
    return at;
}

hipError_t hipUserObjectCreate(hipUserObject_t *object, void *data, hipHostFn_t destroy,
                               unsigned count, unsigned flags)
{
    if (!object || !destroy || !count || count > INT32_MAX ||
        flags != 1) // hipUserObjectNoDestructorSync
        return invalid();
    hipUserObject_t made = malloc(sizeof *made);
    if (!made)
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    pthread_mutex_lock(&lock);
    *made = (struct kiln_sim_user_object){objects, data, destroy, count};
    *object = objects = made;
    pthread_mutex_unlock(&lock);
    return 0;
}

static void release(hipUserObject_t object, unsigned count)
{
    pthread_mutex_lock(&lock);
    object->count = object->count > count ? object->count - count : 0;
    const bool last = !object->count;
    hipUserObject_t *at = &objects;
    while (last && *at && *at != object)
        at = &(*at)->next;
    if (last && *at)
        *at = object->next;
    pthread_mutex_unlock(&lock);
    if (!last)
        return;
    object->destroy(object->data);
    free(object);
}

hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned count)
{
    if (!object || !count || count > INT32_MAX)
        return invalid();
    if (is_object(object)) // HIP ignores a destroyed object
        release(object, count);
    return 0;
}

hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned count)
{
    if (!object || !count || count > INT32_MAX)
        return invalid();
    if (!is_object(object))
        return 0;
    pthread_mutex_lock(&lock);
    object->count += count;
    pthread_mutex_unlock(&lock);
    return 0;
}

static bool reserve_object(struct kiln_sim_graph *graph)
{
    return KILN_ARRAY_RESERVE(&graph->objects, &graph->object_capacity, graph->object_count + 1);
}

// Requires room for one more.
static void add_object(struct kiln_sim_graph *graph, hipUserObject_t object, unsigned count)
{
    for (size_t i = 0; i < graph->object_count; i++) {
        if (graph->objects[i].object == object) {
            graph->objects[i].count += count;
            return;
        }
    }
    graph->objects[graph->object_count++] = (kiln_sim_graph_object_t){object, count};
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count,
                                    unsigned flags)
{
    if (!kiln_sim_graph_is(graph) || !object || !count || count > INT32_MAX || flags > 1)
        return invalid();
    if (!is_object(object))
        return 0;
    if (!reserve_object(graph))
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    if (flags == 0) // otherwise the program's references are transferred (hipGraphUserObjectMove)
        hipUserObjectRetain(object, count);
    add_object(graph, object, count);
    return 0;
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned count)
{
    if (!kiln_sim_graph_is(graph) || !object || !count || count > INT32_MAX)
        return invalid();
    for (size_t i = 0; i < graph->object_count; i++) {
        kiln_sim_graph_object_t *mine = &graph->objects[i];
        if (mine->object != object || !mine->count)
            continue;
        const unsigned removed = count < mine->count ? count : mine->count;
        mine->count -= removed;
        if (!mine->count)
            *mine = graph->objects[--graph->object_count];
        if (is_object(object))
            release(object, removed);
        return 0;
    }
    return 0; // HIP ignores it
}

bool kiln_sim_graph_hold_objects(struct kiln_sim_graph *to, const struct kiln_sim_graph *from)
{
    for (size_t i = 0; i < from->object_count; i++) {
        if (!reserve_object(to))
            return false;
        hipUserObjectRetain(from->objects[i].object, 1);
        add_object(to, from->objects[i].object, 1);
    }
    return true;
}

static bool hold_all(struct kiln_sim_graph *to, const struct kiln_sim_graph *from)
{
    bool good = kiln_sim_graph_hold_objects(to, from);
    for (size_t i = 0; good && i < from->count; i++)
        good = from->nodes[i]->work.kind != KILN_SIM_WORK_GRAPH ||
               hold_all(to, from->nodes[i]->work.graph);
    return good;
}

static bool has_objects(const struct kiln_sim_graph *graph)
{
    bool found = graph->object_count;
    for (size_t i = 0; !found && i < graph->count; i++)
        found = graph->nodes[i]->work.kind == KILN_SIM_WORK_GRAPH &&
                has_objects(graph->nodes[i]->work.graph);
    return found;
}

// The holder is a graph that contains only objects.
static void drop_holder(void *holder)
{
    kiln_sim_graph_drop_objects(holder);
    free(holder);
}

static hipError_t release_holder(void *holder, size_t number)
{
    (void)number;
    drop_holder(holder);
    return 0;
}

hipError_t kiln_sim_graph_objects_work(const struct kiln_sim_graph *graph, kiln_sim_work_t *work)
{
    *work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_EMPTY};
    if (!has_objects(graph))
        return 0;
    struct kiln_sim_graph *holder = calloc(1, sizeof *holder);
    if (!holder || !hold_all(holder, graph)) {
        if (holder)
            drop_holder(holder);
        return kiln_sim_hip_fail(KILN_SIM_OUT_OF_MEMORY, NULL);
    }
    *work = (kiln_sim_work_t){.kind = KILN_SIM_WORK_CALL,
                              .call = {release_holder, holder, 0, drop_holder}};
    return 0;
}

void kiln_sim_graph_drop_objects(struct kiln_sim_graph *graph)
{
    for (size_t i = 0; i < graph->object_count; i++)
        if (is_object(graph->objects[i].object))
            release(graph->objects[i].object, graph->objects[i].count);
    free(graph->objects);
    graph->objects = NULL;
    graph->object_count = 0;
    graph->object_capacity = 0;
}
