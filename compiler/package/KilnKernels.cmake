# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# kiln_add_kernels(TARGET FILE.tile.c ...
#                  [KERNEL NAME] [NAME STEM] [DEFINES NAME=VALUE ...] [ARGS NAME=TYPE[:16] ...] [OPTIONS FLAG ...] [DIRECTORY DIRECTORY])
#
# Compiles each file by the kiln command whenever TARGET is built and the file is newer, to STEM.hsaco, the code object, and STEM.json, its manifest, in
# DIRECTORY. STEM is the file's name without .tile.c, or NAME where there is one file: the same kernel can be compiled several times, with other DEFINES.
# DIRECTORY is TARGET.kernels in the current binary directory where none is given; the target's property KILN_KERNELS_DIRECTORY holds it, and the macro of
# that name in the target's sources. KERNEL, DEFINES, ARGS and OPTIONS are what `kiln compile` takes as --kernel, -D, --arg and any other flags.

function(kiln_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 given "" "KERNEL;NAME;DIRECTORY" "DEFINES;ARGS;OPTIONS")
  set(files ${given_UNPARSED_ARGUMENTS})
  list(LENGTH files count)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "kiln_add_kernels: ${target} is no target")
  elseif(count EQUAL 0)
    message(FATAL_ERROR "kiln_add_kernels(${target}): name at least one .tile.c, .ttir or .ttgir file")
  elseif(given_NAME AND NOT count EQUAL 1)
    message(FATAL_ERROR "kiln_add_kernels(${target}): NAME is for one file, and ${count} are given")
  elseif(given_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "kiln_add_kernels(${target}): ${given_KEYWORDS_MISSING_VALUES} without a value")
  endif()

  # A program has one directory of kernels, which it is told.
  get_target_property(directory ${target} KILN_KERNELS_DIRECTORY)
  if(NOT given_DIRECTORY)
    set(given_DIRECTORY ${target}.kernels)
  endif()
  get_filename_component(given_DIRECTORY ${given_DIRECTORY} ABSOLUTE BASE_DIR ${CMAKE_CURRENT_BINARY_DIR})
  if(NOT directory)
    set(directory ${given_DIRECTORY})
    file(MAKE_DIRECTORY ${directory})
    set_target_properties(${target} PROPERTIES KILN_KERNELS_DIRECTORY ${directory})
    target_compile_definitions(${target} PRIVATE KILN_KERNELS_DIRECTORY="${directory}")
  elseif(NOT directory STREQUAL given_DIRECTORY)
    message(FATAL_ERROR "kiln_add_kernels(${target}): its kernels are in ${directory} already, and cannot be in ${given_DIRECTORY}, too")
  endif()

  set(words ${given_OPTIONS})
  if(given_KERNEL)
    list(APPEND words --kernel=${given_KERNEL})
  endif()
  foreach(define IN LISTS given_DEFINES)
    list(APPEND words -D ${define})
  endforeach()
  foreach(arg IN LISTS given_ARGS)
    list(APPEND words --arg=${arg})
  endforeach()

  foreach(file IN LISTS files)
    get_filename_component(file ${file} ABSOLUTE)
    get_filename_component(stem ${file} NAME)
    string(REGEX REPLACE "\\.(tile\\.c|ttir|ttgir)$" "" stem ${stem})
    if(given_NAME)
      set(stem ${given_NAME})
    endif()
    set(object ${directory}/${stem}.hsaco)
    get_source_file_property(is_there ${object} GENERATED)
    if(is_there)
      message(FATAL_ERROR "kiln_add_kernels(${target}): there are two kernels '${stem}'; give one of them another NAME")
    endif()
    add_custom_command(OUTPUT ${object} ${directory}/${stem}.json COMMAND Kiln::command compile ${file} -o ${object} ${words} DEPENDS ${file} Kiln::command
                       COMMENT "Compiling kernel ${stem} for gfx942" VERBATIM)
    target_sources(${target} PRIVATE ${object})
  endforeach()
endfunction()
