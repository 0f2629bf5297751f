// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operations of ttg, between layouts and LDS.
//
// Note that operations parse a descriptor's type with or without its `!ttg.memdesc` and print it
// with; asynchronous copies print it without.
#ifndef KILN_TTG_OPS_TD
#define KILN_TTG_OPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "ttg/ttg.td"

class TTG_Op<string mnemonic, list<Trait> traits = []> : Op<TTG_Dialect, mnemonic, traits>;

def TTG_ConvertLayoutOp : TTG_Op<"convert_layout", [Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let arguments = (ins AnyRankedTensor:$src);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasFolder = 1;
}

// Floats of four bits, e2m1, two in each byte along an axis, the low half first.
def TTG_Fp4ToFpOp : TTG_Op<"fp4_to_fp", [Pure]> {
  let arguments = (ins TT_IntTensor:$src, I32Attr:$axis);
  let results = (outs TT_FloatTensor:$result);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($result)";
  let hasVerifier = 1;
}

def TTG_LocalAllocOp : TTG_Op<"local_alloc", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins Optional<AnyRankedTensor>:$src, OptionalAttr<I32Attr>:$alignment);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "($src^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def TTG_LocalDeallocOp : TTG_Op<"local_dealloc"> {
  let arguments = (ins Arg<TTG_MemDesc, "", [MemFree<TTG_LocalMemory>]>:$src);
  let assemblyFormat = "$src attr-dict `:` custom<MemDescType>(type($src))";
}
def TTG_LocalLoadOp : TTG_Op<"local_load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins TTG_MemDesc:$src, Optional<TTG_AsyncToken>:$token);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$src (`token` $token^)? attr-dict `:` custom<MemDescType>(type($src)) `->` type($result)";
  let hasVerifier = 1;
}
// result[i, …] = src[i, …] with the coordinate along the axis replaced by indices[i, …].
def TTG_LocalGatherOp : TTG_Op<"local_gather", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let arguments = (ins TTG_MemDesc:$src, RankedTensorOf<[AnySignlessInteger]>:$indices, I32Attr:$axis,
                       Optional<TTG_AsyncToken>:$token);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $src `[` $indices `]` (`token` $token^)? attr-dict `:` custom<MemDescType>(type($src)) `,` type($indices) `->` type($result)
  }];
  let hasVerifier = 1;
}
def TTG_LocalStoreOp : TTG_Op<"local_store"> {
  let arguments = (ins AnyRankedTensor:$src, Arg<TTG_MemDesc, "", [MemWrite<TTG_LocalMemory>]>:$dst);
  let assemblyFormat = "$src `,` $dst attr-dict `:` type($src) `->` custom<MemDescType>(type($dst))";
  let hasVerifier = 1;
}

// One buffer of several.
def TTG_MemDescIndexOp : TTG_Op<"memdesc_index", [Pure]> {
  let arguments = (ins TTG_MemDesc:$src, I32:$index);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = [{
    $src `[` $index `]` attr-dict `:` custom<MemDescType>(type($src)) `->` custom<MemDescType>(type($result))
  }];
  let hasVerifier = 1;
}
def TTG_MemDescSubsliceOp : TTG_Op<"memdesc_subslice", [Pure]> {
  let arguments = (ins TTG_MemDesc:$src, DenseI32ArrayAttr:$offsets);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = [{
    $src `` custom<Offsets>($offsets) attr-dict `:` custom<MemDescType>(type($src)) `->` custom<MemDescType>(type($result))
  }];
  let hasVerifier = 1;
}
def TTG_MemDescTransOp : TTG_Op<"memdesc_trans", [Pure]> {
  let arguments = (ins TTG_MemDesc:$src, DenseI32ArrayAttr:$order);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` custom<MemDescType>(type($src)) `->` custom<MemDescType>(type($result))";
  let hasVerifier = 1;
}
def TTG_MemDescReshapeOp : TTG_Op<"memdesc_reshape", [Pure]> {
  let arguments = (ins TTG_MemDesc:$src);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` custom<MemDescType>(type($src)) `->` custom<MemDescType>(type($result))";
  let hasVerifier = 1;
}

// The same bytes with another shape, element and encoding.
def TTG_MemDescReinterpretOp : TTG_Op<"memdesc_reinterpret", [Pure]> {
  let arguments = (ins TTG_MemDesc:$src);
  let results = (outs TTG_MemDesc:$result);
  let assemblyFormat = "$src attr-dict `:` custom<MemDescType>(type($src)) `->` custom<MemDescType>(type($result))";
}

// Asynchronous copies. A copy may write its buffer at any time until a wait for its token; waits
// are for groups.
def TTG_AsyncCopyGlobalToLocalOp : TTG_Op<"async_copy_global_to_local", [
    AttrSizedOperandSegments,
    TypesMatchWith<"the mask is i1 in the pointers' shape and layout", "src", "mask",
                   "::kiln::tt::boolsLike($_self)", "!getMask() || std::equal_to<>()">,
    TypesMatchWith<"type of other is that of what the pointers point to", "src", "other",
                   "::kiln::tt::pointeeOf($_self)", "!getOther() || std::equal_to<>()">]> {
  let arguments = (ins Arg<TT_PtrTensor, "", [MemRead<TTG_GlobalMemory>]>:$src,
                       Arg<TTG_MemDesc, "", [MemWrite<TTG_LocalMemory>]>:$result, Optional<TT_I1Tensor>:$mask,
                       Optional<TT_Tensor>:$other,
                       DefaultValuedAttr<TT_CacheModifier, "::kiln::tt::CacheModifier::NONE">:$cache,
                       DefaultValuedAttr<TT_EvictionPolicy, "::kiln::tt::EvictionPolicy::NORMAL">:$evict,
                       DefaultValuedAttr<BoolAttr, "false">:$isVolatile, DefaultValuedAttr<I32Attr, "1">:$contiguity);
  let results = (outs TTG_AsyncToken:$token);
  let assemblyFormat = [{
    $src `,` $result (`mask` $mask^)? (`other` $other^)?
    oilist(`cacheModifier` `=` $cache | `evictionPolicy` `=` $evict)
    attr-dict `:` type($src) `->` type($result)
  }];
  let hasVerifier = 1;
}
def TTG_AsyncCommitGroupOp : TTG_Op<"async_commit_group", [
    MemoryEffects<[MemRead<TTG_LocalMemory>, MemWrite<TTG_LocalMemory>]>]> {
  let arguments = (ins Variadic<TTG_AsyncToken>:$inputTokens);
  let results = (outs TTG_AsyncToken:$asyncToken);
  let assemblyFormat = "(`tokens` $inputTokens^)? attr-dict";
}
def TTG_AsyncWaitOp : TTG_Op<"async_wait", [
    MemoryEffects<[MemRead<TTG_LocalMemory>, MemWrite<TTG_LocalMemory>]>]> {
  let arguments = (ins Variadic<TTG_AsyncToken>:$asyncToken, I32Attr:$num);
  let results = (outs TTG_AsyncToken:$retToken);
  let assemblyFormat = "($asyncToken^)? attr-dict";
}

// Private memory of a program, which the launch would have to provide.
def TTG_GlobalScratchAllocOp : TTG_Op<"global_scratch_alloc", [MemoryEffects<[MemAlloc<TTG_GlobalMemory>]>]> {
  let arguments = (ins I32Attr:$nbytes, I32Attr:$alignment);
  let results = (outs TT_Ptr:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

// The number of the wave in its workgroup.
def TTG_WarpIdOp : TTG_Op<"warp_id", [Pure]> {
  let arguments = (ins UnitAttr:$omitUniformHint);
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

// ttg.barrier local, up to Triton 3.6.
def TTG_LocalBarrierOp : TTG_Op<"local_barrier", [
    MemoryEffects<[MemRead<TTG_LocalMemory>, MemWrite<TTG_LocalMemory>]>]> {
  let assemblyFormat = "attr-dict";
}

// Waits for all waves and orders the accesses of the named address spaces (a bit mask: 0 none, 1 local, 2 global_read,
// 4 global_write, 8 tensor_read, 16 tensor_write, 31 all).
def TTG_BarrierOp : TTG_Op<"barrier", [
    MemoryEffects<[MemRead<TTG_LocalMemory>, MemWrite<TTG_LocalMemory>, MemRead<TTG_GlobalMemory>,
                   MemWrite<TTG_GlobalMemory>]>]> {
  let arguments = (ins I32Attr:$addrSpace);
  let assemblyFormat = "custom<AddressSpaces>($addrSpace) attr-dict";
  let hasVerifier = 1;
}

#endif
