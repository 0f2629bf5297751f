# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# LLVM and Kiln's libraries that use it, in two variants of which a binary links exactly one:
#
#   kiln-llvm-static, kiln-mlir-static   Debian's static archives, for what is installed: a process may contain other LLVMs, of any version
#   kiln-llvm-shared, kiln-mlir-shared   Debian's shared libraries, for the tests: seventy programs that link quickly and share their pages
#
# Note that "inside" hides no symbols by itself; a library's version script does. CMake's own
# targets (MLIRIR, LLVMCore …) must never be linked, because one of them next to a shared library
# brings a second MLIR into the same binary. So archives are linked by file; the linker, lld, takes
# what it needs from them, in any order.

set(llvm ${LLVM_LIBRARY_DIR})
file(GLOB KILN_LLVM_ARCHIVES ${llvm}/libLLVM*.a)
foreach(target IN LISTS LLVM_TARGETS_TO_BUILD)
  if(NOT target STREQUAL AMDGPU)
    list(FILTER KILN_LLVM_ARCHIVES EXCLUDE REGEX "/libLLVM${target}(AsmParser|CodeGen|Desc|Disassembler|Info|TargetMCA|Utils)\\.a$")
  endif()
endforeach()
file(GLOB KILN_MLIR_ARCHIVES ${llvm}/libMLIR*.a)
list(FILTER KILN_MLIR_ARCHIVES EXCLUDE REGEX "/libMLIRCAPI")
if(NOT KILN_LLVM_ARCHIVES OR NOT KILN_MLIR_ARCHIVES)
  message(FATAL_ERROR "${llvm} has no static archives of LLVM and MLIR; install llvm-22-dev and libmlir-22-dev")
endif()

# Only these parts of the C API are linked, and of clang only the preprocessor. It uses a tenth of
# clang's Basic library, so unused sections are dropped everywhere.
set(KILN_MLIR_PARTS)
foreach(name Transforms SCF ControlFlow Arith Math UB GPU Func LLVM Index Debug Interfaces IR)
  list(APPEND KILN_MLIR_PARTS ${llvm}/libMLIRCAPI${name}.a)
endforeach()
list(APPEND KILN_MLIR_PARTS ${llvm}/liblldELF.a ${llvm}/liblldCommon.a ${llvm}/libclangLex.a ${llvm}/libclangBasic.a z zstd)

add_library(kiln-llvm-shared INTERFACE)
target_link_libraries(kiln-llvm-shared INTERFACE ${llvm}/libLLVM-${LLVM_VERSION_MAJOR}.so)
add_library(kiln-mlir-shared INTERFACE)
target_link_libraries(kiln-mlir-shared INTERFACE ${KILN_MLIR_PARTS} ${llvm}/libMLIR.so kiln-llvm-shared)
target_link_options(kiln-mlir-shared INTERFACE -Wl,--gc-sections)

# The C++ library is linked statically too: the host's may be a different version, and some hosts
# export parts of their own. With sanitizers, whose functions the program provides, nothing can be
# linked inside, so libraries use the shared LLVM.
add_library(kiln-llvm-static INTERFACE)
add_library(kiln-mlir-static INTERFACE)
if(KILN_SANITIZE)
  target_link_libraries(kiln-llvm-static INTERFACE kiln-llvm-shared)
  target_link_libraries(kiln-mlir-static INTERFACE kiln-mlir-shared)
  return()
endif()
add_library(kiln-older-glibc OBJECT ${CMAKE_CURRENT_LIST_DIR}/older_glibc.c)
target_link_libraries(kiln-llvm-static INTERFACE $<TARGET_OBJECTS:kiln-older-glibc> ${KILN_LLVM_ARCHIVES} z zstd)
target_link_options(kiln-llvm-static INTERFACE -Wl,--gc-sections -Wl,-z,defs -Wl,-z,nodynamic-undefined-weak -static-libstdc++ -static-libgcc)
add_library(kiln-left-out OBJECT ${CMAKE_CURRENT_LIST_DIR}/left_out.cpp)
target_include_directories(kiln-left-out SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_compile_options(kiln-left-out PRIVATE -fno-rtti -fno-exceptions)
target_link_libraries(kiln-mlir-static INTERFACE $<TARGET_OBJECTS:kiln-left-out> ${KILN_MLIR_PARTS} ${KILN_MLIR_ARCHIVES} kiln-llvm-static)
