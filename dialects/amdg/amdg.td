// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The amdg dialect: what Triton's AMD passes put into ttg text.
//
// Kiln's own passes make none of these operations; they are read, checked and printed, and compiler/passes/expand_amd_ops.c
// turns those that access memory into operations of tt and ttg. The thing one gets wrong: an access of a buffer counts
// its offsets in elements, as tt.addptr does, although the instruction counts bytes.
#ifndef KILN_AMDG_TD
#define KILN_AMDG_TD

include "amdg/amdg_enums.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "ttg/ttg.td"

def AMDG_Dialect : Dialect {
  let name = "amdg";
  let cppNamespace = "::kiln::amdg";
  let summary = "operations of Triton's AMD back end";
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::kiln::ttg::TTGDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
  }];
}

// #amdg.SchedHintVariant<attention>
def AMDG_SchedHintAttr : EnumAttr<AMDG_Dialect, AMDG_SchedHint, "SchedHintVariant"> {
  let assemblyFormat = "`<` $value `>`";
}

class AMDG_Op<string mnemonic, list<Trait> traits = []> : Op<AMDG_Dialect, mnemonic, traits>;

// The type of an operand that follows from that of the elements moved.
class AMDG_Pointer<string elements>
    : TypesMatchWith<"the pointer is to the tensor's elements", elements, "ptr",
                     "::kiln::amdg::pointerTo($_self)">;
class AMDG_Offsets<string elements>
    : TypesMatchWith<"offsets are i32 in the tensor's shape and layout", elements, "offsets",
                     "::kiln::amdg::offsetsLike($_self)">;
class AMDG_Mask<string elements>
    : TypesMatchWith<"the mask is i1 in the tensor's shape and layout", elements, "mask",
                     "::kiln::tt::boolsLike($_self)", "!getMask() || std::equal_to<>()">;

defvar AMDG_Cache = DefaultValuedAttr<TT_CacheModifier, "::kiln::tt::CacheModifier::NONE">;
// How many neighbouring elements may be moved together, and the buffer's row stride for the cache: hints, not read.
defvar AMDG_Contiguity = DefaultValuedAttr<I32Attr, "1">;

// The types of what follows are that of the elements moved, or (3.9) the pointer's and then that.
// Accesses of a buffer: a scalar base and a tensor of offsets, which must not be negative.
def AMDG_BufferLoadOp : AMDG_Op<"buffer_load", [
    AttrSizedOperandSegments, AMDG_Pointer<"result">, AMDG_Offsets<"result">, AMDG_Mask<"result">,
    TypesMatchWith<"type of other is the result's", "result", "other", "$_self",
                   "!getOther() || std::equal_to<>()">]> {
  let arguments = (ins Arg<TT_Ptr, "", [MemRead<TTG_GlobalMemory>]>:$ptr, TT_I32Tensor:$offsets, Optional<I32>:$stride,
                       AMDG_Cache:$cache, Optional<TT_I1Tensor>:$mask, Optional<TT_Tensor>:$other,
                       AMDG_Contiguity:$contiguity);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`,` $mask^)? (`,` $other^)? oilist(`cacheModifier` `=` $cache) (`stride` `=` $stride^)?
    attr-dict `:` custom<BufferTypes>(type($ptr), type($result))
  }];
}

def AMDG_BufferStoreOp : AMDG_Op<"buffer_store", [
    AttrSizedOperandSegments, AMDG_Pointer<"value">, AMDG_Offsets<"value">, AMDG_Mask<"value">]> {
  let arguments = (ins TT_Tensor:$value, Arg<TT_Ptr, "", [MemWrite<TTG_GlobalMemory>]>:$ptr, TT_I32Tensor:$offsets,
                       Optional<I32>:$stride, AMDG_Cache:$cache, Optional<TT_I1Tensor>:$mask,
                       AMDG_Contiguity:$contiguity);
  let assemblyFormat = [{
    $value `,` $ptr `[` $offsets `]` (`,` $mask^)? oilist(`cacheModifier` `=` $cache) (`stride` `=` $stride^)?
    attr-dict `:` custom<BufferTypes>(type($ptr), type($value))
  }];
}

def AMDG_BufferAtomicRMWOp : AMDG_Op<"buffer_atomic_rmw", [
    AttrSizedOperandSegments, AMDG_Pointer<"result">, AMDG_Offsets<"result">, AMDG_Mask<"result">,
    TypesMatchWith<"type of value is the result's", "result", "value", "$_self">]> {
  let arguments = (ins TT_RMWOp:$atomic_rmw_op,
                       Arg<TT_Ptr, "", [MemRead<TTG_GlobalMemory>, MemWrite<TTG_GlobalMemory>]>:$ptr,
                       TT_I32Tensor:$offsets, TT_Tensor:$value, Optional<I32>:$stride, TT_MemSemantic:$sem,
                       TT_MemSyncScope:$scope, Optional<TT_I1Tensor>:$mask);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $atomic_rmw_op `,` $sem `,` $scope `,` $value `,` $ptr `[` $offsets `]` (`,` $mask^)? (`stride` `=` $stride^)?
    attr-dict `:` custom<BufferTypes>(type($ptr), type($result))
  }];
  let hasVerifier = 1;
}

def AMDG_BufferAtomicCASOp : AMDG_Op<"buffer_atomic_cas", [
    AMDG_Pointer<"result">, AMDG_Offsets<"result">,
    TypesMatchWith<"type of cmp is the result's", "result", "cmp", "$_self">,
    TypesMatchWith<"type of val is the result's", "result", "val", "$_self">]> {
  let arguments = (ins Arg<TT_Ptr, "", [MemRead<TTG_GlobalMemory>, MemWrite<TTG_GlobalMemory>]>:$ptr,
                       TT_I32Tensor:$offsets, TT_Tensor:$cmp, TT_Tensor:$val, Optional<I32>:$stride,
                       TT_MemSemantic:$sem, TT_MemSyncScope:$scope);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $sem `,` $scope `,` $cmp `,` $val `,` $ptr `[` $offsets `]` (`stride` `=` $stride^)? attr-dict
    `:` custom<BufferTypes>(type($ptr), type($result))
  }];
}

// Begins to load elements of a buffer into LDS; done where a wait for the token stands.
def AMDG_BufferLoadToLocalOp : AMDG_Op<"buffer_load_to_local", [
    AttrSizedOperandSegments,
    TypesMatchWith<"the mask is i1 in the offsets' shape and layout", "offsets", "mask",
                   "::kiln::tt::boolsLike($_self)", "!getMask() || std::equal_to<>()">]> {
  let arguments = (ins Arg<TTG_MemDesc, "", [MemWrite<TTG_LocalMemory>]>:$dest,
                       Arg<TT_Ptr, "", [MemRead<TTG_GlobalMemory>]>:$ptr, TT_I32Tensor:$offsets,
                       Optional<TT_I1Tensor>:$mask, Optional<TT_Tensor>:$other, Optional<I32>:$stride,
                       AMDG_Cache:$cache, AMDG_Contiguity:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $ptr `[` $offsets `]` (`mask` `=` $mask^)? (`other` `=` $other^)? (`stride` `=` $stride^)?
    oilist(`cacheModifier` `=` $cache) `into` $dest attr-dict
    `:` type($ptr) `[` type($offsets) `]` type($other) `->` type($dest)
  }];
  let hasVerifier = 1;
}

// Waits until at most num_inst instructions of asynchronous copies are under way.
def AMDG_AsyncWaitOp : AMDG_Op<"async_wait", [
    MemoryEffects<[MemRead<TTG_LocalMemory>, MemWrite<TTG_LocalMemory>]>]> {
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num_inst);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

// The same elements, with registers of a thread in another order.
def AMDG_InThreadTransposeOp : AMDG_Op<"in_thread_transpose", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let arguments = (ins TT_Tensor:$src);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
}

// A part of a tensor's registers, and its inverse.
def AMDG_ExtractSliceOp : AMDG_Op<"extract_slice", [Pure, SameOperandsAndResultElementType]> {
  let arguments = (ins AnyRankedTensor:$source, DenseI64ArrayAttr:$static_offsets);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source $static_offsets attr-dict `:` type($source) `to` type($result)";
  let hasVerifier = 1;
}
def AMDG_ConcatOp : AMDG_Op<"concat", [Pure]> {
  let arguments = (ins Variadic<AnyRankedTensor>:$sources);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$sources attr-dict `:` type($sources) `->` type($result)";
  let hasVerifier = 1;
}

// Widens elements of a microscaling format (e4m3, e5m2, or pairs of e2m1 in i8) and multiplies them by their scales.
def AMDG_UpcastMXFPOp : AMDG_Op<"upcast_mxfp", [Pure]> {
  let arguments = (ins TT_Tensor:$src, TT_Tensor:$scale, TT_ScaleDotElemType:$fp_type, BoolAttr:$fastMath);
  let results = (outs TT_Tensor:$result);
  let assemblyFormat = [{
    $src `,` $scale `fp_type` `=` $fp_type attr-dict `:` type($src) `,` type($scale) `->` type($result)
  }];
}

// The same (from 3.8) with a scale for each element, of the result's axis along which two e2m1 share a byte.
def AMDG_ScaledUpcastFp8Op : AMDG_Op<"scaled_upcast_fp8", [Pure, SameOperandsAndResultShape]> {
  let arguments = (ins TT_FloatTensor:$src, TT_FloatTensor:$scale);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src `scale` $scale attr-dict `:` type($src) `,` type($scale) `->` type($result)";
}
def AMDG_ScaledUpcastFp4Op : AMDG_Op<"scaled_upcast_fp4", [Pure]> {
  let arguments = (ins TT_TensorOf<[I8]>:$src, TT_FloatTensor:$scale, I32Attr:$axis);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src `scale` $scale attr-dict `:` type($src) `,` type($scale) `->` type($result)";
  let hasVerifier = 1;
}

// Ordering in time. These neither read nor write what a program can see; they are effects so that nothing moves them.
class AMDG_Fence<string mnemonic>
    : AMDG_Op<mnemonic, [MemoryEffects<[MemRead<TTG_LocalMemory>, MemWrite<TTG_LocalMemory>,
                                        MemRead<TTG_GlobalMemory>, MemWrite<TTG_GlobalMemory>]>]>;

// s_barrier, executed by the waves where the condition holds: from there on, waves are a barrier apart.
def AMDG_CondBarrierOp : AMDG_Fence<"cond_barrier"> {
  let arguments = (ins I1:$pred);
  let assemblyFormat = "$pred attr-dict";
}
// Waits until at most so many operations of each kind are under way.
def AMDG_MemoryCounterWaitOp : AMDG_Fence<"memory_counter_wait"> {
  let arguments = (ins OptionalAttr<I32Attr>:$load, OptionalAttr<I32Attr>:$store, OptionalAttr<I32Attr>:$ds);
  let assemblyFormat = [{
    oilist(`load` `(` $load `)` | `store` `(` $store `)` | `ds` `(` $ds `)`) attr-dict
  }];
}
def AMDG_InstructionSchedHintOp : AMDG_Fence<"instruction_sched_hint"> {
  let arguments = (ins AMDG_SchedHintAttr:$variant);
  let assemblyFormat = "attr-dict";
}

#endif
