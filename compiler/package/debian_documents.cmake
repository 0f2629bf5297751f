# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# What Debian wants in every package beside its files: the licence, the history, and why a check of lintian's does not hold. CPack runs this before it packs.

set(version ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})
file(READ ${CPACK_RESOURCE_FILE_LICENSE} licence)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} id)
  set(name ${CPACK_DEBIAN_${id}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr/share)
  file(WRITE ${root}/doc/${name}/copyright "Kiln is licensed under the Apache License 2.0 with LLVM exceptions. AMD's device libraries (ocml, ockl), of which\n"
                                           "compiler and command carry functions, are licensed under the terms of /usr/share/doc/rocm-device-libs/copyright.\n"
                                           "Copyright: the authors of Kiln.\n\n${licence}")
  file(WRITE ${root}/doc/${name}/changelog.Debian "${name} (${version}) unstable; urgency=medium\n\n  * Version ${CPACK_PACKAGE_VERSION}.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  execute_process(COMMAND gzip -9nf ${root}/doc/${name}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
  if(NOT component MATCHES "runtime|development")
    file(WRITE ${root}/lintian/overrides/${name} "# libMLIR.so is only there\n${name}: custom-library-search-path\n")
  endif()
  file(CHMOD_RECURSE ${root} FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
