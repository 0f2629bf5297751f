// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What graphs are made of: hip/graph.c orders and copies nodes, hip/graph_node.c makes them, hip/graph_exec.c runs them, hip/graph_memory.c has
// what they own beside their work.
//
// What a reader gets wrong: a graph that is a node's child belongs to the node, and programs may go on changing it.
#ifndef KILN_SIM_HIP_GRAPH_NODE_H
#define KILN_SIM_HIP_GRAPH_NODE_H

#include "hip/graph.h"

enum { KILN_SIM_NODE_ATTRIBUTES = 16 }; // hipLaunchAttributeID, of which few mean anything

struct kiln_sim_node {
    struct kiln_sim_graph *graph;
    kiln_sim_work_t work;
    struct kiln_sim_node **after; // the nodes that it depends on
    size_t after_count;
    const struct kiln_sim_node *original; // that it was copied from; a name only, it may be gone
    struct kiln_sim_node *copy;           // while the graph is being copied
    size_t open;                          // while it is being ordered: dependencies not placed yet
    uint64_t number;
    bool released; // the program took it out of what a capture goes on behind (hipStreamUpdateCaptureDependencies)
    enum { NOTHING_GIVEN, GIVEN_3D, GIVEN_DRIVER } has_given;
    union {
        hip_copy_3d_t copy;
        hip_driver_copy_3d_t driver;
    } given;       // a copy as the program described it
    void **params; // of a kernel, as pointers into its block of arguments; made when asked for
    unsigned attributes_set;
    hipLaunchAttributeValue attributes[KILN_SIM_NODE_ATTRIBUTES];
};

typedef struct kiln_sim_graph_object {
    hipUserObject_t object;
    unsigned count;
} kiln_sim_graph_object_t;

// How many executable graphs were made of a graph. It outlives the graph where they do.
typedef struct kiln_sim_instances {
    unsigned count, holders; // holders: the graph and its executable graphs
} kiln_sim_instances_t;
void kiln_sim_instances_drop(kiln_sim_instances_t *instances); // by one holder

struct kiln_sim_graph {
    struct kiln_sim_node **nodes;
    size_t count;
    const struct kiln_sim_graph *original;
    struct kiln_sim_node *parent; // whose child it is
    kiln_sim_graph_object_t *objects;
    size_t object_count;
    kiln_sim_instances_t *instances;
};

struct kiln_sim_graph_exec {
    unsigned long long flags;
    kiln_sim_instances_t *instances; // of the graph that it was made of, which may be gone
    struct kiln_sim_graph *graph;    // a copy; each node's ->original is what it was made from
    struct kiln_sim_node **list;     // its nodes in order
    bool *disabled;
    size_t count;
};

bool kiln_sim_graph_is(const struct kiln_sim_graph *graph); // a graph that lives
bool kiln_sim_node_is(const struct kiln_sim_node *node);
hipError_t kiln_sim_graph_add(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *after, size_t after_count,
                              const kiln_sim_work_t *work);
struct kiln_sim_node **kiln_sim_graph_order(const struct kiln_sim_graph *graph); // NULL: a ring, or no memory
void kiln_sim_node_free(struct kiln_sim_node *node);

// The work that HIP's structs describe; 0 or an error.
hipError_t kiln_sim_kernel_work(const hip_kernel_node_t *p, kiln_sim_work_t *work);
hipError_t kiln_sim_fill_work(const hip_fill_node_t *p, kiln_sim_work_t *work);
hip_fill_node_t kiln_sim_driver_fill(const hip_fill_node_t *p); // of the layout that the program has
hipError_t kiln_sim_copy_work(const hip_copy_3d_t *p, kiln_sim_work_t *work);
hipError_t kiln_sim_driver_work(const hip_driver_copy_3d_t *p, kiln_sim_work_t *work);
hipError_t kiln_sim_bytes_work(void *to, const void *from, size_t bytes, int kind, kiln_sim_work_t *work);
hipError_t kiln_sim_symbol_work(void *to, const void *from, const void *symbol, size_t bytes, size_t offset, int kind,
                                kiln_sim_work_t *work); // one of to and from is NULL
hipError_t kiln_sim_host_work(const hip_host_node_t *p, kiln_sim_work_t *work);
hipError_t kiln_sim_values_work(const hipBatchMemOpNodeParams *p, kiln_sim_work_t *work);

// hip/graph_memory.c
bool kiln_sim_graph_hold_objects(struct kiln_sim_graph *to, const struct kiln_sim_graph *from);
void kiln_sim_graph_drop_objects(struct kiln_sim_graph *graph);
// Blocks of memory that nodes made: held by each copy of such a work, of a node or on its way in a stream.
void kiln_sim_graph_block_hold(void *pointer);
void kiln_sim_graph_block_drop(void *pointer);
// A graph with blocks may be in one executable graph at a time.
bool kiln_sim_graph_has_blocks(const struct kiln_sim_graph *graph);
// Before a launch: what an earlier one made, and neither that one nor the program since has freed, is an error, or is taken over.
hipError_t kiln_sim_graph_memory_begin(const struct kiln_sim_graph *graph, bool frees);

#endif
