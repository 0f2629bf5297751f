# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Debian packages built by CPack, one per component, for /usr: `cpack` in the build directory, or
# `./dev package`.
#
# dpkg-shlibdeps determines their dependencies on system libraries; dependencies on each other are
# listed here.

set(KILN_PACKAGE_CONTACT "The Kiln developers <kiln@localhost>" CACHE STRING "Who maintains the packages: Name <address>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME kiln)
set(CPACK_PACKAGE_CONTACT "${KILN_PACKAGE_CONTACT}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL compiler runtime simulator tuner command development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_documents.cmake)
set(KILN_DEB_VERSION ${PROJECT_VERSION}-1)

# kiln_debian(component name section summary line ...): the description that the package manager
# shows.
function(kiln_debian component name section summary)
  string(TOUPPER ${component} id)
  list(JOIN ARGN "\n" text)
  set(CPACK_DEBIAN_${id}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${id}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()

set(major ${PROJECT_VERSION_MAJOR})
kiln_debian(compiler libkiln${major} libs "compiler of tile programs for AMD gfx942"
            "Compiles Tile C, Triton's TTIR and programs built by its C interface to"
            "machine code of AMD Instinct MI300. This is the library that programs embed.")
kiln_debian(runtime libkiln-rt${major} libs "runtime of tile programs for AMD gfx942"
            "Finds a device through AMD's HIP library or Kiln's simulator, loads code"
            "objects, launches kernels, and compiles on demand behind a cache.")
kiln_debian(simulator libkiln-sim${major} libs "simulator of AMD gfx942"
            "Executes the machine code of AMD Instinct MI300 instruction by instruction,"
            "checks it, and predicts its time. It offers HIP's entry points, in a folder of"
            "its own, /usr/lib/kiln/hip.")
kiln_debian(tuner libkiln-tune${major} libs "tuner of tile programs for AMD gfx942"
            "Tries constants and compile options of a kernel, verifies and ranks what comes"
            "of them, and remembers the best.")
kiln_debian(command kiln devel "compiler, tuner and runner of tile programs for AMD gfx942"
            "The kiln command compiles tile programs for AMD Instinct MI300, runs and tunes"
            "them on a GPU or a simulator, and shows what is in code objects.")
kiln_debian(development libkiln-dev libdevel "headers of Kiln, compiler of tile programs for AMD gfx942"
            "Headers, CMake and pkg-config files of Kiln's compiler, runtime, tuner and"
            "simulator.")

foreach(id RUNTIME COMMAND)
  set(CPACK_DEBIAN_${id}_PACKAGE_RECOMMENDS "libkiln-sim${major} (= ${KILN_DEB_VERSION})")
endforeach()
set(CPACK_DEBIAN_TUNER_PACKAGE_DEPENDS "libkiln${major} (= ${KILN_DEB_VERSION}), libkiln-rt${major} (= ${KILN_DEB_VERSION})")
string(CONCAT CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${CPACK_DEBIAN_TUNER_PACKAGE_DEPENDS}, libkiln-tune${major} (= ${KILN_DEB_VERSION}), "
                                                       "libkiln-sim${major} (= ${KILN_DEB_VERSION})")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS "kiln (= ${KILN_DEB_VERSION})") # for kiln_add_kernels

# Debian updates the loader's cache through a trigger. CPack only writes maintainer scripts for
# that; they are redundant but harmless.
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
foreach(id COMPILER RUNTIME TUNER)
  set(CPACK_DEBIAN_${id}_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_BINARY_DIR}/triggers)
endforeach()

set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
include(CPack)
