// SPDX-License-Identifier: Apache-2.0
//
// Discrete Fourier transforms as products with matrices of cosines and sines,
// which are differentiated, split over devices and lowered as all products are.

#ifndef SHARDSMITH_LIB_IMPORT_COMPLEX_FOURIERTRANSFORM_H
#define SHARDSMITH_LIB_IMPORT_COMPLEX_FOURIERTRANSFORM_H

#include "ComplexValue.h"

namespace shardsmith::complexes {

/// The transform that `op` takes of `operand`: `FFT` and `IFFT` of complex
/// numbers, `RFFT` of real ones (the first half of the frequencies), `IRFFT`
/// back to real ones.
ComplexValue fourierTransform(stablehlo::FftOp op, const ComplexValue &operand);

} // namespace shardsmith::complexes

#endif // SHARDSMITH_LIB_IMPORT_COMPLEX_FOURIERTRANSFORM_H
