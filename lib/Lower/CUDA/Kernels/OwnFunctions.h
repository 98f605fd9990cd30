// SPDX-License-Identifier: Apache-2.0
//
// Ops that are a device function as they are, without being fused into a
// kernel. Its arguments are the op's operands and results.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_OWNFUNCTIONS_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_OWNFUNCTIONS_H

#include "DeviceKernel.h"

#include <string>

namespace shardsmith::cuda {

struct OwnFunction {
  bool (*isFor)(mlir::Operation *op);
  /// What names of such functions begin with.
  llvm::StringLiteral kind;
  /// Why this op has no function after all; empty if it has one. Null: all
  /// have.
  std::string (*whyNot)(mlir::Operation *op);
  /// Emits the body. The device's memory holds the op's operands.
  void (*emit)(DeviceKernel &device, mlir::Operation *op);
};

/// Null if the op has no function of its own.
const OwnFunction *findOwnFunction(mlir::Operation *op);

/// Why an op has no function: one of these values is of another type than f32,
/// bf16 and f16.
std::string whyNotFloats(mlir::Operation *op,
                         llvm::ArrayRef<mlir::Value> values);

/// The four ops of the attention family.
std::string whyNotAttention(mlir::Operation *op);
void emitAttention(DeviceKernel &device, mlir::Operation *op);

/// `stablehlo.convolution`.
std::string whyNotConvolution(mlir::Operation *op);
void emitConvolution(DeviceKernel &device, mlir::Operation *op);

/// `smith.grouped_dot` and `smith.grouped_outer`.
std::string whyNotGroupedProduct(mlir::Operation *op);
void emitGroupedProduct(DeviceKernel &device, mlir::Operation *op);

void emitLimitRows(DeviceKernel &device, mlir::Operation *op);
/// Counters of the rank, each an i32, that the op's function adds to; they are
/// its last argument. 0: it has no such argument.
int64_t countersOf(mlir::Operation *op);

void emitPlaceRows(DeviceKernel &device, mlir::Operation *op);
/// `smith.pack_rows` and `smith.unpack_rows`.
void emitMoveRows(DeviceKernel &device, mlir::Operation *op);

/// `stablehlo.sort` of lines that a block sorts, and `smith.sort_runs`.
std::string whyNotSort(mlir::Operation *op);
void emitSort(DeviceKernel &device, mlir::Operation *op);

/// `stablehlo.cholesky` and `stablehlo.triangular_solve`.
std::string whyNotTriangular(mlir::Operation *op);
void emitTriangular(DeviceKernel &device, mlir::Operation *op);

std::string whyNotTopK(mlir::Operation *op);
void emitTopK(DeviceKernel &device, mlir::Operation *op);

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_OWNFUNCTIONS_H
