// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tt dialect: its enums, its types, and the classes that its operations (tt_ops.td) share.
//
// The textual forms are Triton's, from 3.3 to 3.9; the printed form is that of 3.6. Note that every
// enum is an i32 attribute whose keyword appears only in an operation's custom form, so both
// `cacheModifier = cg` and `{cache = 3 : i32}` are parsed.
#ifndef KILN_TT_TD
#define KILN_TT_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TT_Dialect : Dialect {
  let name = "tt";
  let cppNamespace = "::kiln::tt";
  let summary = "blocked tile programs, before layouts";
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    // #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_first> (3.9): read as a dictionary of the two
    // enums' numbers, from which normalizeForms() creates `cache` and `evict`. The dialect has no attribute of its own.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
  }];
}

// Enums ---------------------------------------------------------------------------------------------------------------

class TT_Enum<string name, list<I32EnumAttrCase> cases> : I32EnumAttr<name, "", cases> {
  let cppNamespace = "::kiln::tt";
}

def TT_CacheModifier : TT_Enum<"CacheModifier", [
  I32EnumAttrCase<"NONE", 1, "none">, I32EnumAttrCase<"CA", 2, "ca">, I32EnumAttrCase<"CG", 3, "cg">,
  I32EnumAttrCase<"WB", 4, "wb">, I32EnumAttrCase<"CS", 5, "cs">, I32EnumAttrCase<"WT", 6, "wt">,
  I32EnumAttrCase<"CV", 7, "cv">]>;
def TT_EvictionPolicy : TT_Enum<"EvictionPolicy", [
  I32EnumAttrCase<"NORMAL", 1, "evict_normal">, I32EnumAttrCase<"EVICT_FIRST", 2, "evict_first">,
  I32EnumAttrCase<"EVICT_LAST", 3, "evict_last">]>;
def TT_PaddingOption : TT_Enum<"PaddingOption", [
  I32EnumAttrCase<"ZERO", 1, "zero">, I32EnumAttrCase<"NAN_", 2, "nan">]>;
def TT_MemSemantic : TT_Enum<"MemSemantic", [
  I32EnumAttrCase<"RELAXED", 1, "relaxed">, I32EnumAttrCase<"ACQUIRE", 2, "acquire">,
  I32EnumAttrCase<"RELEASE", 3, "release">, I32EnumAttrCase<"ACQ_REL", 4, "acq_rel">]>;
def TT_MemSyncScope : TT_Enum<"MemSyncScope", [
  I32EnumAttrCase<"GPU", 1, "gpu">, I32EnumAttrCase<"CTA", 2, "cta">, I32EnumAttrCase<"SYSTEM", 3, "sys">]>;
def TT_RMWOp : TT_Enum<"RMWOp", [
  I32EnumAttrCase<"AND", 1, "and">, I32EnumAttrCase<"OR", 2, "or">, I32EnumAttrCase<"XOR", 3, "xor">,
  I32EnumAttrCase<"ADD", 4, "add">, I32EnumAttrCase<"FADD", 5, "fadd">, I32EnumAttrCase<"MAX", 6, "max">,
  I32EnumAttrCase<"MIN", 7, "min">, I32EnumAttrCase<"UMAX", 8, "umax">, I32EnumAttrCase<"UMIN", 9, "umin">,
  I32EnumAttrCase<"XCHG", 10, "exch">,
  // Not in Triton: the lowered forms of tt.descriptor_reduce.
  I32EnumAttrCase<"UINC", 11, "uinc">, I32EnumAttrCase<"UDEC", 12, "udec">]>;
def TT_DescriptorReduceKind : TT_Enum<"DescriptorReduceKind", [
  I32EnumAttrCase<"ADD", 1, "add">, I32EnumAttrCase<"MIN", 2, "min">, I32EnumAttrCase<"MAX", 3, "max">,
  I32EnumAttrCase<"INC", 4, "inc">, I32EnumAttrCase<"DEC", 5, "dec">, I32EnumAttrCase<"AND", 6, "and">,
  I32EnumAttrCase<"OR", 7, "or">, I32EnumAttrCase<"XOR", 8, "xor">]>;
def TT_ProgramDim : TT_Enum<"ProgramDim", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">, I32EnumAttrCase<"Z", 2, "z">]>;
def TT_RoundingMode : TT_Enum<"RoundingMode", [
  I32EnumAttrCase<"RTZ", 0, "rtz">, I32EnumAttrCase<"RTNE", 1, "rtne">]>;
def TT_PropagateNan : TT_Enum<"PropagateNan", [
  I32EnumAttrCase<"NONE", 0, "none">, I32EnumAttrCase<"ALL", 0xFFFF, "all">]>;
def TT_InputPrecision : TT_Enum<"InputPrecision", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">, I32EnumAttrCase<"IEEE", 2, "ieee">,
  I32EnumAttrCase<"BF16x3", 3, "bf16x3">, I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;
def TT_ScaleDotElemType : TT_Enum<"ScaleDotElemType", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">, I32EnumAttrCase<"E2M3", 2, "e2m3">,
  I32EnumAttrCase<"E3M2", 3, "e3m2">, I32EnumAttrCase<"E2M1", 4, "e2m1">, I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">]>;

// Types ---------------------------------------------------------------------------------------------------------------

class TT_TypeDef<string name, string keyword> : TypeDef<TT_Dialect, name> {
  let mnemonic = keyword;
}

def TT_Ptr : TT_TypeDef<"Pointer", "ptr"> {
  let summary = "a pointer to a scalar, or (up to Triton 3.7) to a block";
  let parameters = (ins "::mlir::Type":$pointee, DefaultValuedParameter<"int32_t", "1">:$addressSpace);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TT_TensorDesc : TT_TypeDef<"TensorDesc", "tensordesc"> {
  let summary = "a descriptor of a tensor in memory that is accessed by blocks";
  let parameters = (ins "::mlir::RankedTensorType":$blockType);
  let hasCustomAssemblyFormat = 1;
}

def TT_Float : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64], "float">;
def TT_Int : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "integer">;
def TT_Scalar : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr], "scalar">;

class TT_TensorOf<list<Type> elements> : RankedTensorOf<elements>;
def TT_FloatTensor : TT_TensorOf<[TT_Float]>;
def TT_IntTensor : TT_TensorOf<[TT_Int]>;
def TT_I1Tensor : TT_TensorOf<[I1]>;
def TT_I32Tensor : TT_TensorOf<[I32]>;
def TT_PtrTensor : TT_TensorOf<[TT_Ptr]>;
def TT_Tensor : TT_TensorOf<[TT_Float, TT_Int, TT_Ptr]>;

def TT_FloatLike : AnyTypeOf<[TT_Float, TT_FloatTensor]>;
def TT_IntLike : AnyTypeOf<[TT_Int, TT_IntTensor]>;
def TT_BoolLike : AnyTypeOf<[I1, TT_I1Tensor]>;
def TT_PtrLike : AnyTypeOf<[TT_Ptr, TT_PtrTensor]>;
def TT_Type : AnyTypeOf<[TT_Float, TT_Int, TT_Ptr, TT_Tensor, TT_TensorDesc]>;

#endif
