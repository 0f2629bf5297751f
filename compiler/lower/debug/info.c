// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Line tables: MLIR locations become DWARF line information, inlined calls included.
//
// A location is reduced to a chain of places, innermost first: names are skipped, a fused location
// stands for its first usable part, and a call site continues with its caller. Places inlined from
// other functions than the kernel get an artificial subprogram for each of their files.
//
// Note that LLVM requires the outermost location of a chain to be in the subprogram of the function
// that holds the instruction.
#include "info.h"
#include "lower/emit.h"
#include "lower/functions/functions.h"

#include <string.h>

#include <llvm-c/DebugInfo.h>

// The first file position of a location; false if it has none. *caller is the location to continue
// with, or null.
static bool resolve(MlirLocation loc, MlirLocation *place, MlirLocation *caller)
{
    caller->ptr = NULL;
    for (;;) {
        if (mlirLocationIsAFileLineColRange(loc)) {
            *place = loc;
            return true;
        }
        if (mlirLocationIsAName(loc)) {
            loc = mlirLocationNameGetChildLoc(loc);
        } else if (mlirLocationIsACallSite(loc)) {
            MlirLocation outer = mlirLocationCallSiteGetCaller(loc), ignored;
            if (resolve(mlirLocationCallSiteGetCallee(loc), place, &ignored)) {
                // A callee that is itself a call site loses part of its chain: its own caller, if
                // it has one, replaces the outer one.
                *caller = ignored.ptr ? ignored : outer;
                return true;
            }
            loc = outer;
        } else if (mlirLocationIsAFused(loc) && mlirLocationFusedGetNumLocations(loc)) {
            unsigned count = mlirLocationFusedGetNumLocations(loc);
            MlirLocation parts[16];
            if (count > 16)
                return false;
            mlirLocationFusedGetLocations(loc, parts);
            for (unsigned i = 0; i < count; i++)
                if (resolve(parts[i], place, caller))
                    return true;
            return false;
        } else {
            return false;
        }
    }
}

static LLVMMetadataRef make_file(kiln_lower_debug_t *debug, const char *path, size_t length)
{
    size_t slash = length;
    while (slash > 0 && path[slash - 1] != '/')
        slash--;
    return LLVMDIBuilderCreateFile(debug->builder, path + slash, length - slash, path,
                                   slash ? slash - 1 : 0);
}

static LLVMMetadataRef file_of(kiln_lower_debug_t *debug, MlirLocation place)
{
    MlirIdentifier name = mlirLocationFileLineColRangeGetFilename(place);
    LLVMMetadataRef file = kiln_lower_map_get(debug->files, name.ptr);
    if (!file) {
        MlirStringRef path = mlirIdentifierStr(name);
        file = make_file(debug, path.data, path.length);
        kiln_lower_map_set(debug->files, name.ptr, file);
    }
    return file;
}

static LLVMMetadataRef make_subprogram(kiln_lower_debug_t *debug, const char *name, size_t length,
                                       LLVMMetadataRef file, unsigned line)
{
    return LLVMDIBuilderCreateFunction(debug->builder, file, name, length, name, length, file, line,
                                       debug->type, 1, 1, line, LLVMDIFlagZero, 1);
}

kiln_status_t kiln_lower_debug_create(kiln_lowering_t *l)
{
    kiln_lower_debug_t *debug = kiln_lower_arena_alloc(l->arena, sizeof *debug);
    l->debug = debug;
    debug->files = kiln_lower_map_create();
    debug->inlined = kiln_lower_map_create();
    debug->locations = kiln_lower_map_create();
    if (!debug->files || !debug->inlined || !debug->locations)
        return kiln_status_out_of_memory();
    debug->builder = LLVMCreateDIBuilder(l->module);
    const char *path = l->file ? l->file : "kernel";
    debug->main_file = make_file(debug, path, strlen(path));
    debug->unit = LLVMDIBuilderCreateCompileUnit(
        debug->builder, LLVMDWARFSourceLanguageC, debug->main_file, "kiln", 4, 1, "", 0, 0, "", 0,
        l->options->debug_variables ? LLVMDWARFEmissionFull : LLVMDWARFEmissionLineTablesOnly, 0, 0,
        0, "", 0, "", 0);
    debug->type = LLVMDIBuilderCreateSubroutineType(debug->builder, debug->main_file, NULL, 0,
                                                    LLVMDIFlagZero);
    LLVMAddModuleFlag(l->module, LLVMModuleFlagBehaviorWarning, "Debug Info Version", 18,
                      LLVMValueAsMetadata(kiln_emit_i32(l, LLVMDebugMetadataVersion())));
    return KILN_OK;
}

void kiln_lower_debug_begin_function(kiln_lowering_t *l)
{
    kiln_lower_debug_t *debug = l->debug;
    MlirLocation place, caller;
    LLVMMetadataRef file = debug->main_file;
    unsigned line = 0;
    if (resolve(mlirOperationGetLocation(l->func), &place, &caller)) {
        file = file_of(debug, place);
        line = (unsigned)mlirLocationFileLineColRangeGetStartLine(place);
    }
    MlirStringRef name = kiln_lower_function_name(l->func);
    debug->subprogram = make_subprogram(debug, name.data, name.length, file, line);
    LLVMSetSubprogram(l->function, debug->subprogram);
    kiln_lower_map_clear(debug->locations);
}

static LLVMMetadataRef debug_location(kiln_lowering_t *l, MlirLocation loc, int depth)
{
    kiln_lower_debug_t *debug = l->debug;
    LLVMMetadataRef known = kiln_lower_map_get(debug->locations, loc.ptr);
    if (known)
        return known;
    MlirLocation place, caller;
    if (depth == 0 || !resolve(loc, &place, &caller))
        return LLVMDIBuilderCreateDebugLocation(l->context, 0, 0, debug->subprogram, NULL);
    unsigned line = (unsigned)mlirLocationFileLineColRangeGetStartLine(place),
             column = (unsigned)mlirLocationFileLineColRangeGetStartColumn(place);
    LLVMMetadataRef scope = debug->subprogram, inlined_at = NULL;
    if (caller.ptr) {
        MlirIdentifier name = mlirLocationFileLineColRangeGetFilename(place);
        inlined_at = debug_location(l, caller, depth - 1);
        scope = kiln_lower_map_get(debug->inlined, name.ptr);
        if (!scope) {
            scope = make_subprogram(debug, "inlined", 7, file_of(debug, place), 0);
            kiln_lower_map_set(debug->inlined, name.ptr, scope);
        }
    } else if (file_of(debug, place) != LLVMDIScopeGetFile(debug->subprogram)) {
        scope = LLVMDIBuilderCreateLexicalBlockFile(debug->builder, debug->subprogram,
                                                    file_of(debug, place), 0);
    }
    LLVMMetadataRef result =
        LLVMDIBuilderCreateDebugLocation(l->context, line, column, scope, inlined_at);
    kiln_lower_map_set(debug->locations, loc.ptr, result);
    return result;
}

LLVMMetadataRef kiln_lower_debug_location(kiln_lowering_t *l, MlirLocation loc)
{
    return debug_location(l, loc, 16);
}

void kiln_lower_debug_at(kiln_lowering_t *l, MlirLocation loc)
{
    LLVMSetCurrentDebugLocation2(l->builder, kiln_lower_debug_location(l, loc));
}

void kiln_lower_debug_finish(kiln_lowering_t *l)
{
    LLVMDIBuilderFinalize(l->debug->builder);
}

void kiln_lower_debug_release(kiln_lowering_t *l)
{
    if (!l->debug)
        return;
    if (l->debug->builder)
        LLVMDisposeDIBuilder(l->debug->builder);
    kiln_lower_map_release(l->debug->files);
    kiln_lower_map_release(l->debug->inlined);
    kiln_lower_map_release(l->debug->locations);
}
