// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_LIB_IMPORT_ONNX_LOSS_H
#define SHARDSMITH_LIB_IMPORT_ONNX_LOSS_H

#include "Builder.h"

#include <string>

namespace shardsmith::onnx {

/// What `--loss` asks for.
struct LossChoice {
  enum class Kind {
    /// The only scalar output.
    Found,
    /// An output by name or position.
    Output,
    /// The mean cross entropy of an output, the logits.
    CrossEntropy,
    /// None: all outputs, for a look at the graph.
    None
  };
  Kind kind = Kind::Found;
  /// Output by name or position; may be empty for cross entropy.
  std::string output;
  /// Name of the labels.
  std::string labels;
};

LossChoice parseLoss(const std::string &text);

/// Which dimension of logits counts classes: the last one of two or three,
/// the second of images' more.
inline int64_t classDimension(int64_t rank) { return rank > 3 ? 1 : rank - 1; }

/// Mean over all labels of -log softmax(logits) at the label, in f32 or wider.
/// `labels` has the shape of `logits` without the dimension of classes.
Value crossEntropy(Builder &build, Value logits, Value labels);

} // namespace shardsmith::onnx

#endif // SHARDSMITH_LIB_IMPORT_ONNX_LOSS_H
