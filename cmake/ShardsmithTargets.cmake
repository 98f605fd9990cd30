# SPDX-License-Identifier: Apache-2.0
# Three functions describe every target of the project.
include_guard()

# shardsmith_tablegen(TARGET definitions.td -gen-x out.inc [-gen-y out2.inc …])
# runs mlir-tblgen into the build tree folder that mirrors the caller's.
function(shardsmith_tablegen target definitions)
  set(LLVM_TARGET_DEFINITIONS ${definitions})
  set(remaining ${ARGN})
  while(remaining)
    list(POP_FRONT remaining generator output)
    # A generator with options is one argument: "-gen-pass-decls -name=Plan".
    separate_arguments(generator)
    mlir_tablegen(${output} ${generator})
  endwhile()
  add_public_tablegen_target(${target})
  set_property(GLOBAL APPEND PROPERTY SHARDSMITH_TABLEGEN_TARGETS ${target})
endfunction()

# LLVM and MLIR: their shared libraries, or for a program with the property
# SHARDSMITH_STANDALONE what it needs of their archives. Such a program is
# larger, and starts without looking up tens of thousands of symbols.
define_property(TARGET PROPERTY SHARDSMITH_STANDALONE
  INITIALIZE_FROM_VARIABLE SHARDSMITH_STANDALONE)
file(GLOB llvm_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a
  ${LLVM_LIBRARY_DIR}/libLLVM*.a)
find_library(ZLIB_FOR_LLVM NAMES libz.so.1)
find_library(ZSTD_FOR_LLVM NAMES libzstd.so.1)
set(standalone $<BOOL:$<TARGET_PROPERTY:SHARDSMITH_STANDALONE>>)
add_library(ShardsmithLlvm INTERFACE)
target_link_libraries(ShardsmithLlvm INTERFACE
  "$<IF:${standalone},-Wl$<COMMA>--start-group;${llvm_archives};-Wl$<COMMA>--end-group;${ZLIB_FOR_LLVM};${ZSTD_FOR_LLVM},MLIR;LLVM>")

# What libraries and programs that use MLIR have in common.
function(shardsmith_use_mlir target visibility)
  target_link_libraries(${target} ${visibility} ShardsmithLlvm)
  get_property(generated GLOBAL PROPERTY SHARDSMITH_TABLEGEN_TARGETS)
  add_dependencies(${target} ${generated})
endfunction()

# shardsmith_library(NAME sources… [LINK libraries…] [NO_MLIR]
#                    [HEADERS set])
# The set of precompiled headers is Mlir, or Standard with NO_MLIR, where none
# is named.
function(shardsmith_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "HEADERS" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  set(headers Standard)
  if(NOT ARG_NO_MLIR)
    shardsmith_use_mlir(${name} PUBLIC)
    set(headers Mlir)
  endif()
  if(ARG_HEADERS)
    set(headers ${ARG_HEADERS})
  endif()
  shardsmith_use_precompiled_headers(${name} ${headers})
endfunction()

# shardsmith_executable(NAME sources… [LINK libraries…] [NO_MLIR]
#                       [HEADERS set])
# Has no precompiled headers where no set is named.
function(shardsmith_executable name)
  cmake_parse_arguments(ARG "NO_MLIR" "HEADERS" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_NO_MLIR)
    shardsmith_use_mlir(${name} PRIVATE)
    target_link_options(${name} PRIVATE $<${standalone}:-Wl,--gc-sections>)
  endif()
  if(ARG_HEADERS)
    shardsmith_use_precompiled_headers(${name} ${ARG_HEADERS})
  endif()
endfunction()
