// SPDX-License-Identifier: Apache-2.0
//
// Whole tensors to the pieces of virtual devices and back. Only the types that
// describe layouts are shared with the partitioner, whose tests rely on this.
//
// What is left of a piece beyond the elements of its shard is padding, filled
// here with values that show up in results if a consumer forgets to mask them.

#ifndef SHARDSMITH_INTERPRETER_PIECES_H
#define SHARDSMITH_INTERPRETER_PIECES_H

#include "shardsmith/Interpreter/Comparison.h"
#include "shardsmith/Interpreter/Tensor.h"
#include "shardsmith/Sharding/Layout.h"

namespace shardsmith::inline interpreter {

using DeviceGroups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// Devices that differ only in their coordinates along `axes`: each group in
/// the order of its members' positions along them.
DeviceGroups groupsOver(const Mesh &mesh, llvm::ArrayRef<MeshAxis> axes);

/// The piece of each device. A partial sum is held whole by the first device
/// of each group, the others hold zeros; of other partial values every device
/// holds a copy.
llvm::SmallVector<Tensor> splitByLayout(const Tensor &global,
                                        const Layout &layout, const Mesh &mesh);

struct Assembled {
  Tensor tensor;
  /// Where copies of the same element on several devices differ by more than
  /// the tolerance: a sentence naming the devices. Empty if they agree.
  std::string divergence;
};

/// The whole tensor of which `pieces` are the pieces, one per device.
Assembled assemble(llvm::ArrayRef<Tensor> pieces,
                   llvm::ArrayRef<int64_t> globalShape, const Layout &layout,
                   const Mesh &mesh, const Tolerance &copies);

} // namespace shardsmith::inline interpreter

#endif // SHARDSMITH_INTERPRETER_PIECES_H
