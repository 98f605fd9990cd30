// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_LOWER_CUDA_KERNELS_CONVOLUTION_EMITCONVOLUTION_H
#define SHARDSMITH_LIB_LOWER_CUDA_KERNELS_CONVOLUTION_EMITCONVOLUTION_H

#include "../DeviceKernel.h"

namespace shardsmith::cuda {

/// Whether all of it is of integers.
bool hasIntegers(stablehlo::ConvolutionOp op);
/// Whether anything of it is of f64.
bool hasDoubles(stablehlo::ConvolutionOp op);

/// Blocks with tiles of a product; sums in f32.
void emitTiledConvolution(DeviceKernel &device, stablehlo::ConvolutionOp op);
/// Threads with an element each; sums in f32, f64, or i64.
void emitDirectConvolution(DeviceKernel &device, stablehlo::ConvolutionOp op);

} // namespace shardsmith::cuda

#endif // SHARDSMITH_LIB_LOWER_CUDA_KERNELS_CONVOLUTION_EMITCONVOLUTION_H
