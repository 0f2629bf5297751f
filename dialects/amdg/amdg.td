// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The amdg dialect: operations that Triton's AMD passes add to ttg text.
//
// Kiln's own passes create none of them; they are parsed, verified and printed, and
// compiler/passes/expand_amd_ops.c converts those that access memory to tt and ttg. Note that
// buffer accesses count offsets in elements, as tt.addptr does, although the instruction counts
// bytes.
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

// Constraints on an operand's type, given the type of the accessed elements.
class AMDG_Pointer<string elements>
    : TypesMatchWith<"the pointer is to the tensor's elements", elements, "ptr",
                     "::kiln::amdg::pointerTo($_self)">;
class AMDG_Offsets<string elements>
    : TypesMatchWith<"offsets must be i32 with the tensor's shape and layout", elements, "offsets",
                     "::kiln::amdg::offsetsLike($_self)">;
class AMDG_Mask<string elements>
    : TypesMatchWith<"mask must be i1 with the tensor's shape and layout", elements, "mask",
                     "::kiln::tt::boolsLike($_self)", "!getMask() || std::equal_to<>()">;

defvar AMDG_Cache = DefaultValuedAttr<TT_CacheModifier, "::kiln::tt::CacheModifier::NONE">;
// Hints that are not used: how many neighbours may be accessed together, and the buffer's row
// stride for the cache.
defvar AMDG_Contiguity = DefaultValuedAttr<I32Attr, "1">;

// Buffer accesses: a scalar base and a tensor of non-negative offsets. Their text ends with the
// type of the accessed elements, from 3.9 on with the pointer's type before it.
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

// Starts loading elements of a buffer into LDS; complete after a wait for the token.
def AMDG_BufferLoadToLocalOp : AMDG_Op<"buffer_load_to_local", [
    AttrSizedOperandSegments,
    TypesMatchWith<"mask must be i1 with the offsets' shape and layout", "offsets", "mask",
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

// Waits until at most num_inst instructions of asynchronous copies are outstanding.
def AMDG_AsyncWaitOp : AMDG_Op<"async_wait", [
    MemoryEffects<[MemRead<TTG_LocalMemory>, MemWrite<TTG_LocalMemory>]>]> {
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num_inst);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

// Permutes the registers of each thread; the elements stay the same.
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

// Ordering in time. These access no memory of the program; their effects prevent reordering.
class AMDG_Fence<string mnemonic>
    : AMDG_Op<mnemonic, [MemoryEffects<[MemRead<TTG_LocalMemory>, MemWrite<TTG_LocalMemory>,
                                        MemRead<TTG_GlobalMemory>, MemWrite<TTG_GlobalMemory>]>]>;

// An s_barrier executed only by waves whose condition is true: afterwards waves are a barrier
// apart.
def AMDG_CondBarrierOp : AMDG_Fence<"cond_barrier"> {
  let arguments = (ins I1:$pred);
  let assemblyFormat = "$pred attr-dict";
}
// Waits until at most the given number of operations of each kind are outstanding.
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
