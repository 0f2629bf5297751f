// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The structure of graphs. hip_sim/graph/graph.c orders and copies nodes,
// hip_sim/graph/graph_node.c creates them, hip_sim/graph/graph_exec.c executes them, and
// hip_sim/graph/graph_memory.c manages what they own in addition to their work.
//
// A node owns its child graph, but programs may still change it.
#ifndef KILN_SIM_HIP_GRAPH_NODE_H
#define KILN_SIM_HIP_GRAPH_NODE_H

#include "hip_sim/graph/graph.h"

enum { KILN_SIM_NODE_ATTRIBUTES = 16 }; // hipLaunchAttributeID, few of which are used

struct kiln_sim_node {
    struct kiln_sim_graph *graph;
    kiln_sim_work_t work;
    struct kiln_sim_node **after; // the nodes that it depends on
    size_t after_count, after_capacity;
    uint64_t original;          // number of its source, which may be freed; or 0
    struct kiln_sim_node *copy; // during a copy of the graph
    size_t open;                // during ordering: number of dependencies not placed yet
    uint64_t number;            // unique, from 1 on
    uint64_t capture;           // the capture that added it; or 0
    bool released; // removed by the program from the dependencies of subsequent captured work
                   // (hipStreamUpdateCaptureDependencies)
    enum { NOTHING_GIVEN, GIVEN_3D, GIVEN_DRIVER } has_given;
    union {
        hip_copy_3d_t copy;
        hip_driver_copy_3d_t driver;
    } given;       // a copy as the program described it
    void **params; // of a kernel: pointers into its block of arguments; created by the first query
    unsigned attributes_set;
    hipLaunchAttributeValue attributes[KILN_SIM_NODE_ATTRIBUTES];
};

typedef struct kiln_sim_graph_object {
    hipUserObject_t object;
    unsigned count;
} kiln_sim_graph_object_t;

// Number of executable graphs that were created from a graph. They may outlive the graph.
typedef struct kiln_sim_instances {
    unsigned count, holders; // holders: the graph and its executable graphs
} kiln_sim_instances_t;
void kiln_sim_instances_drop(kiln_sim_instances_t *instances); // by one holder

struct kiln_sim_graph {
    struct kiln_sim_node **nodes;
    size_t count, capacity;
    const struct kiln_sim_graph *original;
    struct kiln_sim_node *parent; // owner of this child graph
    kiln_sim_graph_object_t *objects;
    size_t object_count, object_capacity;
    kiln_sim_instances_t *instances;
};

struct kiln_sim_graph_exec {
    unsigned long long flags;
    kiln_sim_instances_t *instances; // of the graph that it was created from, which may be freed
    struct kiln_sim_graph *graph;    // a copy; each node's ->original is its source
    struct kiln_sim_node **list;     // its nodes in order
    bool *disabled;
    size_t count;
};

bool kiln_sim_node_is(const struct kiln_sim_node *node);
hipError_t kiln_sim_graph_add(hipGraphNode_t *out, hipGraph_t graph, const hipGraphNode_t *after,
                              size_t after_count, const kiln_sim_work_t *work);
// The nodes in a topological order; an error if there is none or memory is exhausted.
hipError_t kiln_sim_graph_order(const struct kiln_sim_graph *graph, struct kiln_sim_node ***list);
void kiln_sim_node_free(struct kiln_sim_node *node);

// The work that HIP's structs describe. Returns 0 or an error.
hipError_t kiln_sim_kernel_work(const hip_kernel_node_t *p, kiln_sim_work_t *work);
hipError_t kiln_sim_fill_work(const hip_fill_node_t *p, kiln_sim_work_t *work);
hip_fill_node_t
kiln_sim_driver_fill(const hip_fill_node_t *p); // in the layout of the program's HIP version
hipError_t kiln_sim_copy_work(const hip_copy_3d_t *p, kiln_sim_work_t *work);
hipError_t kiln_sim_driver_work(const hip_driver_copy_3d_t *p, kiln_sim_work_t *work);
hipError_t kiln_sim_bytes_work(void *to, const void *from, size_t bytes, int kind,
                               kiln_sim_work_t *work);
hipError_t kiln_sim_symbol_work(void *to, const void *from, const void *symbol, size_t bytes,
                                size_t offset, int kind,
                                kiln_sim_work_t *work); // either `to` or `from` is NULL
hipError_t kiln_sim_host_work(const hip_host_node_t *p, kiln_sim_work_t *work);
hipError_t kiln_sim_values_work(const hipBatchMemOpNodeParams *p, kiln_sim_work_t *work);

// hip_sim/graph/graph_memory.c
bool kiln_sim_graph_hold_objects(struct kiln_sim_graph *to, const struct kiln_sim_graph *from);
void kiln_sim_graph_drop_objects(struct kiln_sim_graph *graph);
// The last work of a launch. Until then it holds its own references to the objects of the graph and
// its children, because the program may destroy the graph. Empty if there are no objects.
hipError_t kiln_sim_graph_objects_work(const struct kiln_sim_graph *graph, kiln_sim_work_t *work);
// References to blocks of memory that nodes allocate: one for each copy of such a work, in a node
// or in a stream.
void kiln_sim_graph_block_hold(void *pointer);
void kiln_sim_graph_block_drop(void *pointer);
// A graph with blocks may have only one executable graph at a time.
bool kiln_sim_graph_has_blocks(const struct kiln_sim_graph *graph);
// Before a launch: memory of an earlier launch that neither it nor the program has freed is an
// error or, with `frees`, is taken over.
hipError_t kiln_sim_graph_memory_check(const struct kiln_sim_graph *graph, bool frees);
// Called for a launch that allocates the memory, in the order of the program's calls: the memory
// counts as owed until kiln_sim_graph_memory_clear_live; and whether it is owed.
void kiln_sim_graph_memory_set_live(const void *pointer);
bool kiln_sim_graph_memory_is_live(const void *pointer);

#endif
