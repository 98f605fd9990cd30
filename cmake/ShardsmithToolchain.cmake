# SPDX-License-Identifier: Apache-2.0
# Compiler settings and the packages that every target may use.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

# MLIR's version file accepts only the minor version it was built as.
find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

find_package(fmt 9 REQUIRED CONFIG)
find_package(nlohmann_json 3.11 REQUIRED CONFIG)
find_package(CLI11 2.1 REQUIRED CONFIG)
# Debian's dnnl-config.cmake asks for OpenCL headers that CPU use never needs.
find_library(DNNL_LIBRARY dnnl REQUIRED)
find_path(DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.hpp REQUIRED)
add_library(dnnl SHARED IMPORTED)
set_target_properties(dnnl PROPERTIES IMPORTED_LOCATION ${DNNL_LIBRARY}
                      INTERFACE_INCLUDE_DIRECTORIES ${DNNL_INCLUDE_DIR})
# Model files in ONNX's format; the lite library has no reflection.
find_program(PROTOC_PROGRAM protoc REQUIRED)
find_library(PROTOBUF_LITE_LIBRARY protobuf-lite REQUIRED)
find_package(Threads REQUIRED)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers need the two relaxations; see ccache's manual. What a
  # file includes the compiler lists anyway: with that list ccache need not run
  # the preprocessor as well, which takes as long as half of a compilation.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE_PROGRAM})
endif()

if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  find_program(LLD_PROGRAM NAMES ld.lld-22 ld.lld HINTS /usr/lib/llvm-22/bin)
  if(LLD_PROGRAM)
    add_link_options(--ld-path=${LLD_PROGRAM})
  endif()
  # Without a time in them, precompiled headers that were made again are the
  # same to ccache. They do name the folder of the build.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

# Debian's LLVM has RTTI; hidden visibility would split its TypeIDs.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -fno-strict-aliasing)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # The last three are false alarms of gcc 12.
  add_compile_options(-Wno-comment
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-redundant-move>"
    -Wno-array-bounds -Wno-dangling-pointer -Wno-maybe-uninitialized)
endif()
if(SHARDSMITH_WERROR)
  add_compile_options(-Werror)
endif()

set(SHARDSMITH_SANITIZE "" CACHE STRING "address;undefined or thread")
if(SHARDSMITH_SANITIZE)
  list(JOIN SHARDSMITH_SANITIZE "," _sanitizers)
  add_compile_options(-fsanitize=${_sanitizers} -fno-omit-frame-pointer -g1)
  add_link_options(-fsanitize=${_sanitizers})
endif()

option(SHARDSMITH_FUZZ "Drive test/fuzz with libFuzzer (clang only)" OFF)
if(SHARDSMITH_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined)
endif()

# LLVM and MLIR are system headers: their warnings are not ours.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})
add_definitions(${LLVM_DEFINITIONS_LIST})
