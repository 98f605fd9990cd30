// SPDX-License-Identifier: Apache-2.0
//
// The annotations of a graph, asked for by the ops and values of the model.

#ifndef SHARDSMITH_LIB_CHECK_ANNOTATED_FILEGRAPH_H
#define SHARDSMITH_LIB_CHECK_ANNOTATED_FILEGRAPH_H

#include "ExpectedAxes.h"
#include "SameGraph.h"
#include "shardsmith/Sharding/ShardingAttributes.h"
#include "shardsmith/Support/LocationText.h"

namespace shardsmith::check {

class FileGraph {
public:
  /// All must outlive this.
  FileGraph(const Peers &peers, const NamedMesh &named,
            const workload::GraphMap &map)
      : peers(peers), named(named), map(map) {}

  std::string placeOf(mlir::Operation *op) const {
    return locationText(peers.ops.lookup(op)->getLoc());
  }
  std::string placeOf(mlir::Value value) const {
    return locationText(peers.values.lookup(value).getLoc());
  }
  mlir::Operation *find(mlir::Operation *op) const {
    return peers.ops.lookup(op);
  }

  bool hasSharding(mlir::Value value) const;
  Layout layoutOf(mlir::Value value) const;
  /// Per part; nothing where `smith.parts` cut a dimension at other places.
  std::optional<std::vector<AxisList>> partsOf(mlir::Value value) const;
  /// The value is annotated with these axes, as a sharding as far as slices
  /// of dimensions say it, else by `smith.parts`.
  bool isAnnotatedWith(mlir::Value value, const PartAxes &expected) const;

  /// `[8{"data"}, 64, 3, 12{"tensor"}, 64]`
  std::string describe(mlir::Value value, llvm::ArrayRef<AxisList> axes) const;
  std::string describe(mlir::Value value) const;

private:
  llvm::SmallVector<smith::PartsAttr> insidesOf(mlir::Value value) const;

  const Peers &peers;
  const NamedMesh &named;
  const workload::GraphMap &map;
};

} // namespace shardsmith::check

#endif // SHARDSMITH_LIB_CHECK_ANNOTATED_FILEGRAPH_H
