// SPDX-License-Identifier: Apache-2.0
//
// One matrix of a parameter that is a stack of matrices [count, inputs,
// outputs], of which files have each by itself and transposed: the weights of
// experts.
//
//     program  …experts.up.weight     [8, 16, 24]
//     files    …experts.3.up.weight   [24, 16]

#ifndef SHARDSMITH_LIB_RUNTIME_FILES_STACKEDMATRIX_H
#define SHARDSMITH_LIB_RUNTIME_FILES_STACKEDMATRIX_H

#include "shardsmith/Runtime/Manifest.h"

#include <cstdint>
#include <vector>

namespace shardsmith::runtime {

class StackedMatrix {
public:
  /// Matrix `number` of the part of `stack` that one rank holds, which is
  /// `shard`.
  StackedMatrix(const Tensor &stack, const Shard &shard, int64_t number);

  /// What files hold: the stack's shape without its first size, transposed.
  static Shape fileShape(const Tensor &stack);

  /// The rank's box of the file's tensor; empty if the rank does not hold the
  /// matrix. Its local tensor is the box.
  const Shard &fileShard() const { return box; }

  /// The local tensor of `fileShard`, from the rank's part of the stack.
  std::vector<uint8_t> take(const uint8_t *stack) const;
  /// Back again.
  void put(const std::vector<uint8_t> &values, uint8_t *stack) const;

private:
  /// Calls `visit(place in the box, place in the stack)`, in bytes, for every
  /// element.
  template <typename Visitor> void forEach(Visitor visit) const;

  Shard box;
  int64_t elementBytes;
  /// Of the matrix's box in the rank's stack, in elements.
  int64_t offset, rowLength;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_LIB_RUNTIME_FILES_STACKEDMATRIX_H
