# SPDX-License-Identifier: Apache-2.0
# Sets of headers that are parsed once for many files. They only save time:
# every file includes what it uses, and builds without
# (-DSHARDSMITH_PRECOMPILED_HEADERS=OFF, which the preset gcc has).
#
# A target names its set with HEADERS. The compiler takes a set only with the
# options it was made with, so a target with options of its own, such as the
# unit tests, has a set of its own; and no set brings in headers of a library
# that the target may not link.
include_guard()

# All headers that are made, which is what clang-tidy needs of a build.
get_property(generated GLOBAL PROPERTY SHARDSMITH_TABLEGEN_TARGETS)
add_custom_target(headers DEPENDS ${generated})

# shardsmith_precompiled_headers(SET headers… [OPTIONS options…]
#                                [DEFINITIONS definitions…])
function(shardsmith_precompiled_headers set)
  cmake_parse_arguments(ARG "" "" "OPTIONS;DEFINITIONS" ${ARGN})
  if(NOT SHARDSMITH_PRECOMPILED_HEADERS)
    return()
  endif()
  set(target ShardsmithHeaders${set})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/headers/${set}.cpp
       CONTENT "// Precompiled headers.\n" @ONLY)
  add_library(${target} STATIC ${CMAKE_BINARY_DIR}/headers/${set}.cpp)
  target_compile_options(${target} PRIVATE ${ARG_OPTIONS})
  target_compile_definitions(${target} PRIVATE ${ARG_DEFINITIONS})
  get_property(generated GLOBAL PROPERTY SHARDSMITH_TABLEGEN_TARGETS)
  add_dependencies(${target} ${generated})
  target_precompile_headers(${target} PRIVATE ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(headers ${target})
endfunction()

# shardsmith_use_precompiled_headers(TARGET SET)
function(shardsmith_use_precompiled_headers target set)
  if(NOT SHARDSMITH_PRECOMPILED_HEADERS)
    return()
  endif()
  # Sets are compiled as libraries are, so programs must be, too.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL EXECUTABLE)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM ShardsmithHeaders${set})
endfunction()

set(standard_headers
  <algorithm> <filesystem> <fstream> <functional> <map> <memory> <numeric>
  <optional> <ranges> <set> <span> <sstream> <string> <variant> <vector>
  <fmt/format.h> <fmt/ranges.h> <nlohmann/json.hpp>)
set(mlir_headers
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/IR/Builders.h>
  <mlir/IR/BuiltinAttributes.h> <mlir/IR/BuiltinOps.h>
  <mlir/IR/BuiltinTypes.h> <mlir/IR/ImplicitLocOpBuilder.h>
  <mlir/IR/Matchers.h> <mlir/IR/OpImplementation.h> <mlir/IR/PatternMatch.h>
  <mlir/Pass/Pass.h> <llvm/ADT/TypeSwitch.h>)
set(dialect_headers
  <shardsmith/Dialect/Smith/Smith.h>
  <shardsmith/Dialect/StableHLO/StableHLO.h>)

# Libraries without MLIR; those with MLIR; those that also use the project's
# dialects; the code generator, which uses many of MLIR's.
shardsmith_precompiled_headers(Standard ${standard_headers})
shardsmith_precompiled_headers(Mlir ${standard_headers} ${mlir_headers})
shardsmith_precompiled_headers(Dialects
  ${standard_headers} ${mlir_headers} ${dialect_headers})
shardsmith_precompiled_headers(CodeGenerator
  ${standard_headers} ${mlir_headers} ${dialect_headers}
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Vector/IR/VectorOps.h>)
shardsmith_precompiled_headers(Programs
  ${standard_headers} ${mlir_headers} ${dialect_headers} <CLI/CLI.hpp>)

# Unit tests are compiled once and run once: in optimised builds, where the code
# under test is what counts, optimising the tests too would take longer than
# they run.
set(SHARDSMITH_TEST_OPTIONS $<$<CONFIG:Release>:-O0>)
if(SHARDSMITH_BUILD_TESTS)
  # Compiles a program as tests are, whether it has tests of GoogleTest or not.
  function(shardsmith_compile_as_test name)
    target_compile_options(${name} PRIVATE ${SHARDSMITH_TEST_OPTIONS})
    target_compile_definitions(${name} PRIVATE GTEST_HAS_PTHREAD=1)
  endfunction()
  set(test_headers <gmock/gmock.h> <gtest/gtest.h>)
  set(test_options OPTIONS ${SHARDSMITH_TEST_OPTIONS}
    DEFINITIONS GTEST_HAS_PTHREAD=1)
  shardsmith_precompiled_headers(Tests
    ${standard_headers} ${test_headers} ${test_options})
  shardsmith_precompiled_headers(MlirTests
    ${standard_headers} ${mlir_headers} ${test_headers} ${test_options})
endif()
