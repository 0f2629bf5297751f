# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# cmake -DPROGRAM=FILE -DEXPECTED=FILE -P compare.cmake: runs an example and compares its output
# with a file, which the example's page of the documentation shows. Printed errors may differ: the
# program itself checks them against its tolerance. KILN_UPDATE=1 writes the file.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE result ECHO_OUTPUT_VARIABLE)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "${PROGRAM}: ${result}")
endif()
if(DEFINED ENV{KILN_UPDATE})
  file(WRITE ${EXPECTED} "${printed}")
endif()
if(NOT EXISTS ${EXPECTED})
  message(FATAL_ERROR "${EXPECTED} does not exist; KILN_UPDATE=1 writes it")
endif()
file(READ ${EXPECTED} expected)
foreach(text printed expected)
  string(REGEX REPLACE "error [0-9.]+e[-+][0-9]+" "error" ${text} "${${text}}")
endforeach()
if(NOT printed STREQUAL expected)
  message(FATAL_ERROR "expected the output in ${EXPECTED}; KILN_UPDATE=1 writes the new one")
endif()
