// SPDX-License-Identifier: Apache-2.0
//
// On which axes of a mesh the dimensions of parameters lie, in the shapes that
// the model's file has. A workload cuts dimensions finer than the file:
//
//     file       [768, 2304]
//     workload   [768, 3, 12, 64]     heads are split: every third of 2304 is
//
// so a split of the workload may be none of the file.

#ifndef SHARDSMITH_LIB_EMIT_PLACEMENT_H
#define SHARDSMITH_LIB_EMIT_PLACEMENT_H

#include "DeviceMesh.h"

namespace shardsmith::emit {

/// Mesh axes per dimension, major to minor.
using DimensionAxes = std::vector<std::vector<std::string>>;

struct PlacedParameter {
  /// Patterns, as in `NamedLayout`.
  std::vector<std::string> names;
  /// Of the file.
  std::vector<int64_t> shape;
  /// While it is used, and as it lies between steps; they differ under ZeRO-3.
  DimensionAxes used, kept;
  /// The optimizer's states of it.
  DimensionAxes states;
  /// Axes of the ranks that share one copy under ZeRO that no dimension takes:
  /// along these all have the same.
  std::vector<std::string> copies;
  /// Of the workload: where it is.
  workload::ParameterUse use;
};

/// What a format's dimensions can be.
struct PlacementRules {
  /// Every part of a dimension has equally many elements.
  bool onlyEven = false;
  /// A dimension lies on one axis of the mesh at most.
  bool oneAxisEach = false;
  /// What the ranks of ZeRO do not divide may stay whole.
  bool leavesWhole = false;
};

/// Each parameter once. What cannot be placed is among the obstacles, what
/// stays whole though ZeRO splits it among the changes, if it is little: a
/// hundredth of the memory of a rank at most, and no more than the plan leaves
/// free.
std::vector<PlacedParameter> placeParameters(const EmitInput &input,
                                             const DeviceMesh &mesh,
                                             const PlacementRules &rules,
                                             Emission &emission);

/// The strategy in which parameters whose split cannot be said, or that two
/// blocks hold in two ways, are held whole.
Strategy withWholeParameters(const EmitInput &input,
                             const PlacementRules &rules);

/// How parameters may lie on tensor ranks so that `withWholeParameters` leaves
/// each as it is.
workload::ParameterSplits sayableSplits(const workload::Workload &workload,
                                        const ParameterShapes &shapes,
                                        const PlacementRules &rules);

/// The parameter of the file of which `name` is one of several layers, as
/// `layers.up` is for `layers.up[3]`; nothing if there is none.
std::optional<std::string> stackOf(const ParameterShapes &shapes,
                                   std::string_view name);

/// The dimension of the file that a dimension of the workload is (a part of),
/// and how many parts stand before it there; nothing if the shapes do not
/// agree.
struct FileDimension {
  unsigned dim = 0;
  int64_t partsBefore = 1;
};
std::optional<std::vector<FileDimension>>
fileDimensions(const std::vector<int64_t> &workload,
               const std::vector<int64_t> &file);

} // namespace shardsmith::emit

#endif // SHARDSMITH_LIB_EMIT_PLACEMENT_H
