// SPDX-License-Identifier: Apache-2.0
//
// Where the ops and values of a loss graph are in the workload that was read
// off it. A dimension of a value is cut into *parts*, as fine as some op needs
// it; a part is (a piece of) a dimension of a tensor, and each op of the
// workload that sees it has a factor for it:
//
//     %y : tensor<8x64x2304>    parts  8 │ 64 │ 3 12 64
//     its tensor [1, 64, 3, 12, 64]    dims of the tensor  0 │ 1 │ 2 3 4

#ifndef SHARDSMITH_WORKLOAD_GRAPHMAP_H
#define SHARDSMITH_WORKLOAD_GRAPHMAP_H

#include "shardsmith/Workload/Workload.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace shardsmith::workload {

/// Parts of one element are left out.
struct ValuePart {
  unsigned dim = 0;
  int64_t size = 1;
  FactorRole role = FactorRole::Other;
};

/// A value that is a tensor of a block.
struct MappedTensor {
  mlir::Value value;
  TensorIndex tensor = 0;
  /// Per part of the value the tensor's dimension.
  std::vector<unsigned> dims;
};

/// Per part of a value the factor that an op of the workload has for it.
using PartFactors = std::vector<std::optional<FactorIndex>>;

/// An op of the graph that is (a piece of) an op of the workload.
struct MappedOp {
  mlir::Operation *op = nullptr;
  OpIndex index = 0;
  std::vector<PartFactors> operands, results;
};

/// An op that is no work of the model (a view, a constant, a mask): parts with
/// one number are the same. Those with numbers from `splittable` on must be
/// whole.
struct TiedOp {
  mlir::Operation *op = nullptr;
  std::vector<std::vector<unsigned>> operands, results;
  unsigned numbers = 0, splittable = 0;
};

/// Ops that make up a block: a stretch of `@main`, or a called function.
struct GraphBody {
  BlockIndex block = 0;
  std::vector<MappedOp> ops;
  std::vector<MappedTensor> tensors;
};

/// One repetition of a block in the chain, or several of a repeated call.
struct GraphUnit {
  size_t body = 0;
  /// The call in `@main`; null for a stretch.
  mlir::Operation *call = nullptr;
  /// What `@main` has for the block's outputs.
  std::vector<mlir::Value> outputs;
  int64_t count = 1;
};

struct GraphMap {
  std::vector<GraphBody> bodies;
  /// In the order of the chain.
  std::vector<GraphUnit> units;
  /// All other ops, calls and terminators left out; by function in program
  /// order.
  std::vector<TiedOp> others;
  /// Of every value of the graph, major to minor.
  llvm::DenseMap<mlir::Value, std::vector<ValuePart>> parts;

  llvm::ArrayRef<ValuePart> partsOf(mlir::Value value) const {
    if (auto found = parts.find(value); found != parts.end())
      return found->second;
    return {};
  }
};

} // namespace shardsmith::workload

#endif // SHARDSMITH_WORKLOAD_GRAPHMAP_H
