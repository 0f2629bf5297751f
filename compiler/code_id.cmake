# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Writes the header with the hash of what generated code depends on: cmake -DROOT=… -DLIST=…
# -DOTHERS=… -DTEXT=… -DOUT=… -P code_id.cmake
#
# Files contribute their path in the tree and their bytes, so two trees with the same sources have
# the same id.

file(STRINGS ${LIST} names)
list(SORT names)
set(all "${TEXT}\n")
foreach(name IN LISTS names)
  file(SHA256 ${ROOT}/${name} hash)
  string(APPEND all "${name} ${hash}\n")
endforeach()
foreach(file IN LISTS OTHERS)
  file(SHA256 ${file} hash)
  get_filename_component(name ${file} NAME)
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 id "${all}")
string(SUBSTRING ${id} 0 32 id)
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define KILN_CODE_ID \"${id}\"\n")
