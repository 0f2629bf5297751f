# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Generates the version script of libkiln-sim.so from the rows of hip_api.def: cmake -DTABLE=…
# -DOUT=… -P exports.cmake
#
# Each entry point has the symbol version that AMD's library has for the same name, because programs
# linked against AMD's library require it.

file(STRINGS ${TABLE} rows REGEX "^HIP_(DONE|UNSUPPORTED)\\(")
set(versions)
foreach(row IN LISTS rows)
  if(NOT row MATCHES "^HIP_[A-Z]+\\(([0-9]+\\.[0-9]+), [^,]*, ([A-Za-z0-9_]+), \\(")
    message(FATAL_ERROR "${TABLE}: this row is not understood: ${row}")
  endif()
  list(APPEND versions ${CMAKE_MATCH_1})
  list(APPEND names_${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
endforeach()
list(REMOVE_DUPLICATES versions)
list(SORT versions COMPARE NATURAL)
list(APPEND names_4.2 _Z24hipExtModuleLaunchKernel* _Z24hipHccModuleLaunchKernel*)

set(script "kiln_sim {\n  global:\n    kilnSim*; kiln_sim_machine_*; kiln_sim_object_*; kiln_sim_result_*; kiln_sim_checks;\n  local:\n    *;\n};\n")
set(before)
foreach(version IN LISTS versions)
  list(JOIN names_${version} ";\n    " names)
  string(APPEND script "\nhip_${version} {\n  global:\n    ${names};\n}${before};\n")
  set(before " hip_${version}")
endforeach()
file(WRITE ${OUT} "${script}")
