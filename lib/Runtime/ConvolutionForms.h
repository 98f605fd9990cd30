// SPDX-License-Identifier: Apache-2.0
//
// A library knows three computations on a source S, weights K and a
// destination T, whose positions meet as  s + padding = stride·t + dilation·k:
//
//     forward            T from S and K
//     backward data      S from T and K
//     backward weights   K from S and T
//
// Positions of a convolution of the program meet as
//
//     lhsDilation·x + padding = step·y + rhsDilation·w
//
// x in lhs, w in rhs, y in the result. The tensor whose factor is 1 in every
// dimension can be the source; the others are weights and destination, one of
// them mirrored if it changes sides of the equation:
//
//     form                source   weights            destination
//     forward             lhs      rhs                result
//     backward weights    lhs      result             rhs
//     backward data       result   rhs, mirrored      lhs
//     backward weights    rhs      result, mirrored   lhs

#ifndef SHARDSMITH_LIB_RUNTIME_CONVOLUTIONFORMS_H
#define SHARDSMITH_LIB_RUNTIME_CONVOLUTIONFORMS_H

#include "shardsmith/Runtime/ElementType.h"

#include <vector>

namespace shardsmith::runtime {

/// A loop over a tensor: how often, and how far apart elements are.
struct StridedLoop {
  int64_t size = 1, stride = 0;
};

/// A tensor of a convolution. Of the loops n (samples), c (summed features)
/// and o (result features) it has two: lhs has n and c, rhs o and c, the
/// result n and o.
struct ConvolutionTensor {
  ElementType type = SMITH_F32;
  int64_t offset = 0; ///< of the first element, in elements
  StridedLoop groups, first, second;
  std::vector<StridedLoop> space;

  int64_t elementCount() const;
  int64_t spaceSize() const;
  /// The same with `first` and `second` exchanged.
  ConvolutionTensor swapped() const;
  /// The same read from the end in every spatial dimension.
  ConvolutionTensor mirrored() const;
  void mirror(size_t dimension);
};

/// How positions meet in one spatial dimension.
struct Meeting {
  int64_t step = 1, padding = 0, lhsDilation = 1, rhsDilation = 1;
};

struct Convolution {
  ConvolutionTensor lhs, rhs, result;
  std::vector<Meeting> space;
};

/// The convolution of a descriptor. Reversed windows are mirrored views, and
/// a convolution without space has one spatial dimension of size 1.
Convolution readConvolution(const smith_convolution &convolution);

enum class LibraryForm { Forward, BackwardData, BackwardWeights };

/// A computation as a library has it. In `source` and `destination` `first` is
/// the sample and `second` the channel; in `weights` `first` is the output
/// channel and `second` the input channel.
struct LibraryProblem {
  LibraryForm form = LibraryForm::Forward;
  ConvolutionTensor source, weights, destination;
  std::vector<int64_t> stride, dilation, low, high;
  bool sourceIsRhs = false; ///< of backward weights; else it is lhs

  /// Which of them is computed.
  const ConvolutionTensor &output() const;
};

/// All forms that fit, the one that is likely to be fastest first: the one
/// whose weights are smallest in space.
std::vector<LibraryProblem> findForms(const Convolution &convolution);

/// The shape of lhs with zeros between and around its elements, so that
/// positions meet without dilation and padding.
std::vector<int64_t> paddedSpace(const Convolution &convolution);

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_CONVOLUTIONFORMS_H
