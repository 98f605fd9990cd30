# SPDX-License-Identifier: Apache-2.0
# Three functions describe every target of the project.

# Headers that nearly every MLIR file includes, parsed once. Only libraries
# that link MLIR use them; the runtime must not.
if(SHARDSMITH_PRECOMPILED_HEADERS)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp.new "// Precompiled headers.\n")
  configure_file(${CMAKE_BINARY_DIR}/precompiled.cpp.new
                 ${CMAKE_BINARY_DIR}/precompiled.cpp COPYONLY)
  add_library(ShardsmithPrecompiled STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_precompile_headers(ShardsmithPrecompiled PRIVATE
    <mlir/Dialect/Func/IR/FuncOps.h> <mlir/IR/Builders.h>
    <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinOps.h>
    <mlir/IR/BuiltinTypes.h> <mlir/IR/ImplicitLocOpBuilder.h>
    <mlir/IR/Matchers.h> <mlir/IR/OpImplementation.h>
    <mlir/IR/PatternMatch.h> <mlir/Pass/Pass.h> <llvm/ADT/TypeSwitch.h>
    <nlohmann/json.hpp> <string> <vector>)
endif()

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

# shardsmith_library(NAME sources… [LINK libraries…] [NO_MLIR])
function(shardsmith_library name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  if(NOT ARG_NO_MLIR)
    target_link_libraries(${name} PUBLIC MLIR LLVM)
    get_property(generated GLOBAL PROPERTY SHARDSMITH_TABLEGEN_TARGETS)
    add_dependencies(${name} ${generated})
    if(SHARDSMITH_PRECOMPILED_HEADERS)
      target_precompile_headers(${name} REUSE_FROM ShardsmithPrecompiled)
    endif()
  endif()
endfunction()

# shardsmith_executable(NAME sources… [LINK libraries…] [NO_MLIR])
function(shardsmith_executable name)
  cmake_parse_arguments(ARG "NO_MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  if(NOT ARG_NO_MLIR)
    target_link_libraries(${name} PRIVATE MLIR LLVM)
    get_property(generated GLOBAL PROPERTY SHARDSMITH_TABLEGEN_TARGETS)
    add_dependencies(${name} ${generated})
    if(SHARDSMITH_PRECOMPILED_HEADERS)
      # Precompiled headers fit code compiled as they were: for libraries.
      set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
      target_compile_options(${name} PRIVATE -fPIC)
      target_precompile_headers(${name} REUSE_FROM ShardsmithPrecompiled)
    endif()
  endif()
endfunction()
