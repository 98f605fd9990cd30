// SPDX-License-Identifier: Apache-2.0
//
// The part of cuBLASLt's C interface that we call. Checked against cuBLASLt
// 13.1; the functions and numbers are those of every version since 12.0.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_CUBLASLTAPI_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_CUBLASLTAPI_H

#include "DriverApi.h"

namespace shardsmith::runtime::cuda {

using BlasHandle = struct BlasHandleObject *;
using BlasProduct = struct BlasProductObject *;
using BlasLayout = struct BlasLayoutObject *;
using BlasPreference = struct BlasPreferenceObject *;

using BlasResult = int; ///< 0: success

enum BlasType : int {
  blasF32 = 0,
  blasF64 = 1,
  blasF16 = 2,
  blasBf16 = 14,
  blasF8E4M3 = 28, ///< from cuBLASLt 11.8 on
  blasF8E5M2 = 29,
};

enum BlasCompute : int {
  blasComputeF32 = 68,
  blasComputeF64 = 70,
  blasComputeTf32 = 77,
};

enum BlasTranspose : int { blasAsStored = 0, blasTransposed = 1 };

enum BlasProductAttribute : int {
  blasTransposeA = 3,
  blasTransposeB = 4,
  blasEpilogue = 7,
  blasBiasPointer = 8, ///< one element per row of d
  blasAuxiliaryPointer = 11,
  blasAuxiliaryLeadingDimension = 12, ///< elements
  blasAuxiliaryBatchStride = 13,      ///< elements
  blasScalePointerA = 17, ///< an f32 that a of eight bits is multiplied by
};

/// Of the last one d is the GELU, and what it is of goes to the auxiliary
/// matrix.
enum BlasEpilogue : uint32_t {
  blasPlain = 1,
  blasAddBias = 4,
  blasGelu = 32,
  blasGeluBias = 36,
  blasGeluAuxiliary = 160,
  blasGeluAuxiliaryBias = 164,
};

enum BlasLayoutAttribute : int {
  blasBatchCount = 5,
  blasBatchStride = 6, ///< elements
};

enum BlasPreferenceAttribute : int {
  blasMaxWorkspaceBytes = 1,
  blasMinAlignmentA = 5,
  blasMinAlignmentB = 6,
  blasMinAlignmentC = 7,
  blasMinAlignmentD = 8,
};

struct BlasAlgorithm {
  uint64_t data[8];
};

struct BlasChoice {
  BlasAlgorithm algorithm;
  size_t workspaceBytes;
  BlasResult state;
  float waves;
  int reserved[4];
};

/// Functions of libcublasLt.so.
struct CublasLtApi {
  BlasResult (*create)(BlasHandle *);
  BlasResult (*destroy)(BlasHandle);
  BlasResult (*createProduct)(BlasProduct *, BlasCompute, BlasType scale);
  BlasResult (*destroyProduct)(BlasProduct);
  BlasResult (*setProduct)(BlasProduct, BlasProductAttribute, const void *,
                           size_t bytes);
  BlasResult (*createLayout)(BlasLayout *, BlasType, uint64_t rows,
                             uint64_t columns, int64_t leadingDimension);
  BlasResult (*destroyLayout)(BlasLayout);
  BlasResult (*setLayout)(BlasLayout, BlasLayoutAttribute, const void *,
                          size_t bytes);
  BlasResult (*createPreference)(BlasPreference *);
  BlasResult (*destroyPreference)(BlasPreference);
  BlasResult (*setPreference)(BlasPreference, BlasPreferenceAttribute,
                              const void *, size_t bytes);
  BlasResult (*choose)(BlasHandle, BlasProduct, BlasLayout a, BlasLayout b,
                       BlasLayout c, BlasLayout d, BlasPreference, int wanted,
                       BlasChoice *, int *found);
  BlasResult (*multiply)(BlasHandle, BlasProduct, const void *alpha,
                         const void *a, BlasLayout, const void *b, BlasLayout,
                         const void *beta, const void *c, BlasLayout, void *d,
                         BlasLayout, const BlasAlgorithm *, void *workspace,
                         size_t workspaceBytes, DriverStream);
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_CUBLASLTAPI_H
