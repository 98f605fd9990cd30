// SPDX-License-Identifier: Apache-2.0
//
// The decisions of a block as variables, and which tables its costs are:
//
//   split of op o                  one variable, of the op's number
//   layout of input or output t    one variable, never eliminated; the same
//                                  one for both where the block repeats
//   readings of tensor t           one variable if it has several readers: the
//                                  set of layouts in which it is available.
//                                  Readers must find theirs in it. An exact
//                                  set also says who is the first to read each.
//
//   table of an op                 over its split
//   table of a tensor              over any of: its producer's split, its
//                                  reader's split or the set of readings, its
//                                  layout at the border
//   table of one of many readers   over its split and the set of readings
//
// Where a tensor is kept inside the block is decided within the tensor's table,
// since nothing else depends on it.

#ifndef SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKVARIABLES_H
#define SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKVARIABLES_H

#include "TableScopes.h"

#include "shardsmith/Cost/Units/UnitCosts.h"

#include <optional>
#include <utility>
#include <vector>

namespace shardsmith::blocks {

/// Which sets of readings a tensor may be available in. With one that nobody
/// needs all of it costs no less of anything, so it is harmless where less of
/// everything is better; where more of something may be, sets must be exact.
enum class ReadingSets { AtLeastThoseRead, ThoseRead };

class BlockVariables {
public:
  /// Adds the variables to `scopes`, which has none. With `repeatable` outputs
  /// have the layouts of the inputs. Refers to `block` and `shapes`.
  BlockVariables(const workload::Block &block, const BlockShapes &shapes,
                 bool repeatable, ReadingSets sets, TableScopes &scopes);

  const std::vector<OpSplit> &splits(workload::OpIndex op) const {
    return opSplits[op];
  }
  /// The layouts a tensor may have inside the block or at its border.
  const std::vector<TensorLayout> &layouts(workload::TensorIndex tensor) const {
    return tensors[tensor].layouts;
  }
  /// Those of inputs and outputs, each once.
  const std::vector<Variable> &borders() const { return borderVariables; }
  /// Whether a block that repeats may have these layouts at its borders.
  bool isPossible(const Values &borderValues) const;

  /// Whether the tensor is one whose layout is chosen, an activation or a
  /// parameter, and so has a table.
  bool hasLayout(workload::TensorIndex tensor) const;
  std::vector<Variable> scopeOf(workload::TensorIndex tensor) const;

  /// What values of its table's variables decide about a tensor.
  struct Use {
    /// The layout that it is made in; empty for inputs and parameters, which no
    /// op makes.
    std::optional<TensorLayout> from;
    /// The layout that it is kept in; empty if that is not decided.
    std::optional<TensorLayout> kept;
    ReadingSet readings;
  };
  Use useOf(workload::TensorIndex tensor, const Values &values) const;

  /// A reader that has to find its layout among those a tensor is available
  /// in.
  struct Reader {
    workload::OpIndex op;
    unsigned operand;
    /// The place of this reader among those of the tensor.
    unsigned place;
    Variable set;
    std::vector<Variable> scope() const { return {Variable(op), set}; }
  };
  /// The readers that choose among readings; empty if the tensor has fewer than
  /// two readers.
  std::vector<Reader> readersOf(workload::TensorIndex tensor) const;
  bool finds(workload::TensorIndex tensor, const Reader &reader,
             const Values &values) const;

private:
  /// A set of readings to choose.
  struct Readings {
    ReadingSet set;
    /// If the set is exact, who is the first to read each, in order.
    struct First {
      Reading reading;
      unsigned reader;
    };
    std::vector<First> firsts;

    /// Whether this reader may read the tensor in that way.
    bool allows(Reading reading, unsigned reader) const;
  };

  struct TensorVariables {
    std::optional<workload::OpIndex> producer;
    unsigned result = 0;
    std::vector<std::pair<workload::OpIndex, unsigned>> readers;
    std::vector<TensorLayout> layouts;
    /// At the border.
    std::optional<Variable> layout;
    /// To choose from, where there are several readers.
    std::vector<Readings> sets;
    std::optional<Variable> set;
  };

  void addOps(TableScopes &scopes);
  void addSets(ReadingSets kind, TableScopes &scopes);
  void addSetsOf(TensorVariables &tensor, ReadingSets kind) const;
  void addBorders(TableScopes &scopes);
  void addBorder(workload::TensorIndex tensor, TableScopes &scopes);
  Reading readingOf(workload::OpIndex op, unsigned operand,
                    const Values &values) const;

  const workload::Block &block;
  const BlockShapes &shapes;
  bool repeatable;
  std::vector<std::vector<OpSplit>> opSplits;
  std::vector<TensorVariables> tensors;
  std::vector<Variable> borderVariables;
};

} // namespace shardsmith::blocks

#endif // SHARDSMITH_LIB_PLAN_BLOCKS_BLOCKVARIABLES_H
