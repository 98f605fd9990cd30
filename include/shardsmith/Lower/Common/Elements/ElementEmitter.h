// SPDX-License-Identifier: Apache-2.0
//
// Emits the code that computes single elements of tensors. A kernel is a
// graph of tensor ops; asking for an element of a result asks for elements of
// operands in turn, down to loads. No intermediate tensor exists.

#ifndef SHARDSMITH_LOWER_COMMON_ELEMENTS_ELEMENTEMITTER_H
#define SHARDSMITH_LOWER_COMMON_ELEMENTS_ELEMENTEMITTER_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Region.h"
#include "shardsmith/Lower/Common/Elements/LaneIndex.h"
#include "shardsmith/Lower/Common/Elements/Registers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace shardsmith::lower {

/// Tensors whose elements are in memory. A target says how they are loaded.
class ElementMemory {
public:
  virtual ~ElementMemory() = default;

  virtual bool holds(mlir::Value tensor) const { return false; }
  /// The elements at a row-major position of a tensor that it holds: a scalar
  /// if the position is uniform, else a vector of all lanes.
  virtual mlir::Value load(mlir::ImplicitLocOpBuilder &builder,
                           LaneArithmetic &lanes, mlir::Value tensor,
                           const LaneIndex &position) const {
    return {};
  }
};

/// Invariants:
///  - an element asked for at a uniform index is a scalar, otherwise a vector
///    of `laneCount` lanes (scalars in lanes are spread where they meet
///    vectors);
///  - an element is emitted once per scope and index, so shared
///    subexpressions do not multiply code.
class ElementEmitter {
public:
  /// Called before the rule of an op; may know the element already (the
  /// result of a reduction, a row kept in scratch) or return null.
  using Hook = llvm::function_ref<mlir::Value(
      ElementEmitter &, mlir::Value tensor, llvm::ArrayRef<LaneIndex> index)>;

  ElementEmitter(mlir::ImplicitLocOpBuilder &builder, int64_t laneCount,
                 const ElementMemory &memory, Hook hook)
      : builder(builder), arithmetic(builder, laneCount), memory(memory),
        hook(hook) {}

  /// The element of a tensor at an index.
  mlir::Value emit(mlir::Value tensor, llvm::ArrayRef<LaneIndex> index);

  /// The element of an operand of rank 0, or at `index`.
  mlir::Value emitOperand(mlir::Operation *op, unsigned operand,
                          llvm::ArrayRef<LaneIndex> index);

  /// Runs the body of a reduction on elements; one value per result.
  llvm::SmallVector<mlir::Value> emitBody(mlir::Region &body,
                                          mlir::ValueRange arguments);

  /// `condition ? inside() : outside()`, evaluating only what is needed if
  /// the condition is uniform. Each function returns one element.
  mlir::Value emitIf(const LaneCondition &condition, mlir::Type element,
                     llvm::function_ref<mlir::Value()> inside,
                     llvm::function_ref<mlir::Value()> outside, bool lanes);

  mlir::ImplicitLocOpBuilder &builder;
  LaneArithmetic arithmetic;

private:
  friend struct EmitterScope;
  struct Known {
    mlir::Value tensor;
    LaneIndices index;
    mlir::Value element;
  };

  mlir::Value find(mlir::Value tensor, llvm::ArrayRef<LaneIndex> index) const;
  void remember(mlir::Value tensor, llvm::ArrayRef<LaneIndex> index,
                mlir::Value element);
  void forget(size_t size);

  const ElementMemory &memory;
  Hook hook;
  /// Elements emitted so far where they are still visible, and for each
  /// tensor the positions of its elements in `known`.
  llvm::SmallVector<Known> known;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<size_t, 2>> knownOf;
};

/// The hook of those who have nothing to add.
inline mlir::Value noHook(ElementEmitter &, mlir::Value,
                          llvm::ArrayRef<LaneIndex>) {
  return {};
}

/// How one element of an op is computed.
struct ElementRule {
  using Indexing = mlir::Value (*)(ElementEmitter &, mlir::Operation *,
                                   llvm::ArrayRef<LaneIndex>);
  using Pointwise = mlir::Value (*)(mlir::ImplicitLocOpBuilder &,
                                    mlir::Operation *,
                                    llvm::ArrayRef<mlir::Value>);
  /// Exactly one is set: the one that the kind of the op in
  /// shardsmith/Lower/Common/ElementOps.h asks for.
  Indexing indexing = nullptr;
  Pointwise pointwise = nullptr;
};

/// The rule of an op, null if it has none.
const ElementRule *findElementRule(mlir::Operation *op);

/// Op name to rule; filled by the two functions below.
using ElementRules = llvm::StringMap<ElementRule>;
void addPointwiseRules(ElementRules &rules);
void addIndexingRules(ElementRules &rules);

} // namespace shardsmith::lower

#endif // SHARDSMITH_LOWER_COMMON_ELEMENTS_ELEMENTEMITTER_H
