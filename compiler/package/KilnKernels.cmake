# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# kiln_add_kernels(TARGET FILE.tile.c ... [KERNEL NAME] [NAME NAME] [DEFINES NAME=VALUE ...] [ARGS NAME=TYPE[:16][:2g] ...] [RANGES NAME=LEAST:MOST ...]
#                  [INCLUDES DIRECTORY ...] [GRID X[,Y[,Z]]] [OPTIONS FLAG ...] [LAUNCHER kiln|hip] [FILES] [DIRECTORY DIRECTORY])
#
# Compiles each file with the kiln command when TARGET is built, if the file or one that it includes has changed, and links the code into TARGET. For add.tile.c, TARGET's sources can
# include "add.h", which declares add_load, add_launch with the kernel's arguments, and add_unload, based on Kiln's runtime or, with LAUNCHER hip, on HIP alone.
# All names begin with the file's name without its suffix, or, for a single file, with NAME; so TARGET can contain one kernel several times with different DEFINES.
# KERNEL, DEFINES, ARGS, RANGES, GRID and OPTIONS are passed to `kiln compile` as --kernel, -D, --arg, --range, --grid and any other flags; INCLUDES are folders, for -I.
#
# With FILES nothing is linked; instead, programs load NAME.hsaco, the code object, and NAME.json, its manifest. TARGET's sources find their directory
# in the macro KILN_KERNELS_DIRECTORY, projects in TARGET's property of that name. DIRECTORY defaults to TARGET.kernels in the current binary directory.

cmake_policy(VERSION 3.20...3.25) # for the functions below: since 3.20 paths in depfiles are converted for the generator

# The directory of the target's kernels: one for all of them.
function(kiln_kernels_directory target wanted out)
  if(NOT wanted)
    set(wanted ${target}.kernels)
  endif()
  get_filename_component(wanted ${wanted} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
  get_target_property(directory ${target} KILN_KERNELS_DIRECTORY)
  if(directory AND NOT directory STREQUAL wanted)
    message(FATAL_ERROR "kiln_add_kernels(${target}): its kernels are in ${directory} already, and cannot be in ${wanted}, too")
  elseif(NOT directory)
    file(MAKE_DIRECTORY ${wanted})
    set_target_properties(${target} PROPERTIES KILN_KERNELS_DIRECTORY ${wanted})
    target_compile_definitions(${target} PRIVATE KILN_KERNELS_DIRECTORY="${wanted}")
    target_include_directories(${target} PRIVATE ${wanted})
  endif()
  set(${out} ${wanted} PARENT_SCOPE)
endfunction()

function(kiln_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 given "FILES" "KERNEL;NAME;DIRECTORY;GRID;LAUNCHER" "DEFINES;ARGS;RANGES;INCLUDES;OPTIONS")
  set(files ${given_UNPARSED_ARGUMENTS})
  list(LENGTH files count)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "kiln_add_kernels: there is no target '${target}'")
  elseif(count EQUAL 0)
    message(FATAL_ERROR "kiln_add_kernels(${target}): name at least one .tile.c, .ttir or .ttgir file")
  elseif(given_NAME AND NOT count EQUAL 1)
    message(FATAL_ERROR "kiln_add_kernels(${target}): NAME is for one file, and ${count} are given")
  elseif(given_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "kiln_add_kernels(${target}): ${given_KEYWORDS_MISSING_VALUES} without a value")
  elseif(given_FILES AND given_LAUNCHER)
    message(FATAL_ERROR "kiln_add_kernels(${target}): LAUNCHER cannot be given with FILES")
  elseif(NOT given_LAUNCHER)
    set(given_LAUNCHER kiln)
  endif()
  kiln_kernels_directory(${target} "${given_DIRECTORY}" directory)

  set(words ${given_OPTIONS})
  foreach(pair "KERNEL --kernel" "GRID --grid" "DEFINES --define" "ARGS --arg" "RANGES --range")
    string(REGEX MATCH "^[A-Z]+" keyword ${pair})
    string(REGEX MATCH "--[a-z]+" flag ${pair})
    foreach(value IN LISTS given_${keyword})
      list(APPEND words ${flag}=${value})
    endforeach()
  endforeach()

  foreach(folder IN LISTS given_INCLUDES)
    get_filename_component(folder ${folder} ABSOLUTE)
    list(APPEND words --include-dir=${folder})
  endforeach()

  foreach(file IN LISTS files)
    get_filename_component(file ${file} ABSOLUTE)
    get_filename_component(name ${file} NAME)
    string(REGEX REPLACE "\\.(tile\\.c|ttir|ttgir)$" "" name ${name})
    if(given_NAME)
      set(name ${given_NAME})
    endif()
    get_target_property(names ${target} KILN_KERNELS)
    if(name IN_LIST names)
      message(FATAL_ERROR "kiln_add_kernels(${target}): there are two kernels '${name}'; give one of them another NAME")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY KILN_KERNELS ${name})
    set(stem ${directory}/${name})
    set(compile COMMAND Kiln::command compile ${file} ${words})
    set(depends DEPENDS ${file} Kiln::command DEPFILE ${stem}.d)
    if(given_FILES)
      add_custom_command(OUTPUT ${stem}.hsaco ${stem}.json ${compile} -o ${stem}.hsaco --depfile=${stem}.d ${depends} COMMENT "Compiling kernel ${name} for gfx942" VERBATIM)
      target_sources(${target} PRIVATE ${stem}.hsaco)
    else()
      string(MAKE_C_IDENTIFIER ${name} symbol)
      add_custom_command(OUTPUT ${stem}.h ${stem}.o ${compile} --symbol=${symbol} --launcher=${given_LAUNCHER} --emit=header -o ${stem}.h --depfile=${stem}.d
                         ${compile} --symbol=${symbol} --emit=object -o ${stem}.o ${depends} COMMENT "Compiling kernel ${name} for gfx942" VERBATIM)
      target_sources(${target} PRIVATE ${stem}.h ${stem}.o)
      target_compile_definitions(${target} PRIVATE ${symbol}_LINKED) # the code is in the object, not in the header
    endif()
  endforeach()
endfunction()
