// SPDX-License-Identifier: Apache-2.0
//
// A convolution as a product of matrices that are not in memory, one for each
// group:
//
//     result[position][output] = Σ over depth of
//         lhs[position, depth] · rhs[depth][output]
//
// Positions are samples and places of the result, depth is input features and
// places of the window, each numbered such that neighbours are neighbours in
// memory where that can be.

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_CONVOLUTION_PLACES_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_CONVOLUTION_PLACES_H

#include "../Integers.h"

#include "shardsmith/Lower/Common/ConvolutionShape.h"

#include <utility>

namespace shardsmith::cuda {

/// A digit, and one for each spatial dimension behind it, as numbers.
class DigitOrder {
public:
  /// Major to minor as their strides are, but `first` minor of all if it is so
  /// in another tensor, too.
  DigitOrder(llvm::ArrayRef<int64_t> sizes, llvm::ArrayRef<int64_t> strides,
             bool isFirstMinor);

  int64_t count() const { return llvm::product_of(sizes); }
  /// The digit that neighbours differ in.
  size_t minor() const { return order.back(); }
  LaneIndices digits(LaneArithmetic &arithmetic, const LaneIndex &number) const;

private:
  /// From major to minor.
  llvm::SmallVector<size_t> order;
  llvm::SmallVector<int64_t> sizes;
};

class ConvolutionPlaces {
public:
  /// With a sample, and a place in each spatial dimension.
  using Position = LaneIndices;
  /// With an input feature, and a place in each dimension of the window.
  using Depth = LaneIndices;

  ConvolutionPlaces(DeviceKernel &device, const ConvolutionShape &shape);

  ConvolutionShape shape;
  DigitOrder positions, depth;

  Position position(const LaneIndex &number) {
    return positions.digits(arithmetic, number);
  }
  Depth depthAt(const LaneIndex &number) {
    return depth.digits(arithmetic, number);
  }
  /// Where these are in the three tensors. That of lhs may be padding or
  /// between elements: then the condition does not hold; null: always.
  std::pair<LaneIndex, mlir::Value>
  lhs(mlir::Value group, const Position &position, const Depth &depth);
  LaneIndex rhs(mlir::Value group, const LaneIndex &output, const Depth &depth);
  LaneIndex result(mlir::Value group, const Position &position,
                   const LaneIndex &output);

private:
  DeviceKernel &device;
  Integers integers;
  LaneArithmetic arithmetic;
};

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_CONVOLUTION_PLACES_H
