# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What Debian requires in every package in addition to its files: the licence, the changelog, and
# the reasons for overriding one of lintian's checks. CPack runs this before it packs.

set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
# Debian ships the licence's text; only the exceptions after it are copied.
file(READ ${CPACK_RESOURCE_FILE_LICENSE} licence)
string(REGEX MATCH "\nAs an exception.*" exceptions "${licence}")
if(NOT exceptions)
  message(FATAL_ERROR "${CPACK_RESOURCE_FILE_LICENSE} has no LLVM exceptions")
endif()
string(STRIP "${exceptions}" exceptions)
string(REGEX REPLACE "\n\n" "\n.\n" exceptions "${exceptions}")
string(REGEX REPLACE "\n" "\n " exceptions "${exceptions}")
string(TIMESTAMP year "%Y" UTC)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} id)
  set(name ${CPACK_DEBIAN_${id}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  file(WRITE ${root}/doc/${name}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Kiln

Files: *
Copyright: ${year} the developers of Kiln
License: Apache-2.0-with-LLVM-exception
 On Debian systems, the text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0. To it belong these exceptions:
 .
 ${exceptions}
Comment:
 Compiler, command and simulator carry parts of LLVM, the first two MLIR, lld and
 clang too, whose licence is this one, and of the C++ library, by the exception
 that GCC's licence makes for it. Compiler and command carry functions of AMD's
 device libraries (ocml, ockl), whose licence is that of Debian's package
 rocm-device-libs.
")
  file(WRITE ${root}/doc/${name}/changelog.Debian "${name} (${version}) unstable; urgency=medium\n\n  * Version ${CPACK_PACKAGE_VERSION}.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND gzip -9nf ${root}/doc/${name}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  if(component STREQUAL "tuner")
    file(WRITE ${root}/lintian/overrides/${name} "# the tree can be moved\n${name}: custom-library-search-path\n")
  endif()
  file(CHMOD_RECURSE ${root} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
