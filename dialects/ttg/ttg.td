// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ttg dialect: layout encodings and memory descriptors. Operations are in ttg_ops.td.
//
// Every encoding's text is a dictionary in angle brackets with a hand-written parser and printer
// (ttg_encodings.cpp), because the keys differ between versions of Triton. Note that an encoding
// does not contain the tensor's shape; the same attribute means different registers for different
// shapes.
#ifndef KILN_TTG_TD
#define KILN_TTG_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tt/tt.td"

def TTG_Dialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::kiln::ttg";
  let summary = "tile programs with layouts";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::kiln::tt::TTDialect", "::mlir::arith::ArithDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    void registerAttributes();
  }];
}

// Encodings -----------------------------------------------------------------------------------------------------------

class TTG_Encoding<string name, string keyword>
    : AttrDef<TTG_Dialect, name, [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = keyword;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let attrName = "ttg." # keyword;
}
def TTG_Ints : ArrayRefParameter<"int32_t">;

def TTG_Blocked : TTG_Encoding<"Blocked", "blocked"> {
  let parameters = (ins TTG_Ints:$sizePerThread, TTG_Ints:$threadsPerWarp, TTG_Ints:$warpsPerCTA, TTG_Ints:$order);
}
def TTG_Slice : TTG_Encoding<"Slice", "slice"> {
  let parameters = (ins "unsigned":$dim, "::mlir::Attribute":$parent);
}
def TTG_DotOperand : TTG_Encoding<"DotOperand", "dot_op"> {
  let parameters = (ins "unsigned":$opIdx, "::mlir::Attribute":$parent, "unsigned":$kWidth);
}
def TTG_Mfma : TTG_Encoding<"Mfma", "amd_mfma"> {
  let parameters = (ins "unsigned":$version, TTG_Ints:$warpsPerCTA, TTG_Ints:$instrShape, "bool":$isTransposed,
                        TTG_Ints:$tilesPerWarp, "unsigned":$elementBitWidth);
}
// `bases` holds one vector of `rank` coordinates for each bit: register, then lane, warp and block.
def TTG_Linear : TTG_Encoding<"Linear", "linear"> {
  let parameters = (ins "unsigned":$rank, TTG_Ints:$bits, TTG_Ints:$bases);
}
// `offset` bits, then `block` bits.
def TTG_SharedLinear : TTG_Encoding<"SharedLinear", "shared_linear"> {
  let parameters = (ins "unsigned":$rank, TTG_Ints:$bits, TTG_Ints:$bases, "unsigned":$alignment);
}
class TTG_Swizzled<string name, string keyword> : TTG_Encoding<name, keyword> {
  let parameters = (ins "unsigned":$vec, "unsigned":$perPhase, "unsigned":$maxPhase, TTG_Ints:$order);
}
def TTG_SwizzledShared : TTG_Swizzled<"SwizzledShared", "swizzled_shared">;
def TTG_RotatingShared : TTG_Swizzled<"RotatingShared", "amd_rotating_shared">;
// Either order and shape, or the bases of a linear layout of offset and block bits (order and shape empty).
def TTG_PaddedShared : TTG_Encoding<"PaddedShared", "padded_shared"> {
  let parameters = (ins TTG_Ints:$intervals, TTG_Ints:$paddings, TTG_Ints:$order, TTG_Ints:$shape,
                        "unsigned":$rank, TTG_Ints:$bits, TTG_Ints:$bases);
}
def TTG_SharedMemory : AttrDef<TTG_Dialect, "SharedMemory"> {
  let mnemonic = "shared_memory";
  let summary = "LDS as the memory space of a descriptor";
}

// Types ----------------------------------------------------------------------------------------------------------------

def TTG_MemDesc : TypeDef<TTG_Dialect, "MemDesc"> {
  let mnemonic = "memdesc";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$elementType, "::mlir::Attribute":$encoding,
                        "::mlir::Attribute":$memorySpace, "bool":$mutableMemory,
                        ArrayRefParameter<"int64_t">:$allocShape);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

// The result of an asynchronous copy, an operand of operations that wait for it; has no data.
def TTG_AsyncToken : TypeDef<TTG_Dialect, "AsyncToken"> {
  let mnemonic = "async.token";
}

// Resources -------------------------------------------------------------------------------------------------------------

def TTG_LocalMemory : Resource<"::kiln::ttg::LocalMemory">;
def TTG_GlobalMemory : Resource<"::kiln::tt::GlobalMemory">;

#endif
