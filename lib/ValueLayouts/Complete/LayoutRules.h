// SPDX-License-Identifier: Apache-2.0
//
// What the user has fixed: layouts written in the file (pins) and axes given
// on the command line. A pin wins over an axis rule.

#ifndef SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_LAYOUTRULES_H
#define SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_LAYOUTRULES_H

#include "StepGraph.h"
#include "Strategies.h"
#include "shardsmith/Sharding/FactorAxes.h"
#include "shardsmith/Sharding/ShardingAttributes.h"
#include "shardsmith/ValueLayouts/Plan.h"

#include <optional>

namespace shardsmith::plan {

/// A layout written in the file. Open dimensions may be split further.
struct Pin {
  Layout layout;
  llvm::SmallVector<bool> isOpen;
  /// Axes that must not split the value.
  AxisList unused;
  /// Per dimension axes that are to split it once they are placed, too; empty
  /// if there are none.
  llvm::SmallVector<AxisList> later;

  bool accepts(const Layout &candidate) const;
};

/// The mesh that pins refer to, and the pins by what they apply to.
struct Pins {
  std::optional<NamedMesh> mesh;
  std::vector<std::optional<Pin>> arguments;
  /// For each value of the step graph its pin; only results of pinned ops have
  /// one.
  std::vector<std::optional<Pin>> values;
  /// For each result of the function its pin.
  std::vector<std::optional<Pin>> results;
  /// For each node the axes of its factors, if a strategy has decided them
  /// (`annotateForTraining`).
  std::vector<std::optional<FactorAxes>> axes;
  /// For each result of such an op the layout in which it is handed out.
  std::vector<std::optional<Layout>> handedOut;

  bool empty() const { return !mesh; }
  /// What the pins say of the axes before `end`.
  Pins before(MeshAxis end) const;
};

/// The layout without the axes from `end` on.
Layout before(Layout layout, MeshAxis end);
FactorAxes before(FactorAxes axes, MeshAxis end);

/// Collects the pins; emits a diagnostic where they contradict each other or
/// the mesh.
llvm::FailureOr<Pins> findPins(const StepGraph &graph);

/// Layouts an argument may have on a mesh whose axes have these roles.
class AxisRules {
public:
  AxisRules(const Mesh &mesh, std::vector<AxisRole> roles)
      : mesh(mesh), roles(std::move(roles)) {}

  /// The rules of the axes before `end`.
  AxisRules before(MeshAxis end) const {
    std::vector<AxisRole> first(roles.begin(), roles.begin() + end);
    return AxisRules(mesh, std::move(first));
  }

  /// The given layouts that follow the rules, in the same order. A parameter
  /// that no layout splits over a fully sharded axis is exempt from it.
  std::vector<Layout> filter(const StepArgument &argument,
                             llvm::ArrayRef<int64_t> shape,
                             std::vector<Layout> layouts) const;

  /// The given ways to accumulate a value that leave the sum split over axes of
  /// the optimizer's states: all of them, if none does.
  std::vector<Strategy> splitSums(std::vector<Strategy> strategies) const;

  /// The given ways to accumulate a value that leave the sum partial over all
  /// axes that samples are split over, so that data ranks need not exchange
  /// with every micro-batch: all of them, if none does, or if parameters are
  /// split over such an axis, which has to be gathered anyway.
  std::vector<Strategy> lateSums(std::vector<Strategy> strategies) const;

private:
  bool accepts(const StepArgument &argument, llvm::ArrayRef<int64_t> shape,
               const Layout &layout) const;

  const Mesh &mesh;
  std::vector<AxisRole> roles;
};

/// The axes that batch arguments are split over must divide them; returns
/// the first that does not as an error that names the nearest sizes that do.
llvm::Error checkBatchDivides(const StepGraph &graph, const Pins &pins,
                              llvm::ArrayRef<FixedAxis> axes);

} // namespace shardsmith::plan

#endif // SHARDSMITH_LIB_VALUELAYOUTS_COMPLETE_LAYOUTRULES_H
