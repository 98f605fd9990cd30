// SPDX-License-Identifier: Apache-2.0
//
// The sharding strings of `mhlo.sharding`, which know device numbers but no
// axis names:
//
//   {devices=[2,1,4]<=[8] last_tile_dim_replicate}
//
// splits dimension 0 over two groups of four neighbouring devices. Seen from
// the device numbers that is an axis of size 2 and stride 4; a mesh is a chain
// of such axes in which each stride is the next one's size times its stride.

#ifndef SHARDSMITH_SHARDING_GSPMDSHARDING_H
#define SHARDSMITH_SHARDING_GSPMDSHARDING_H

#include "shardsmith/Sharding/Layout.h"

#include <variant>
#include <vector>

namespace shardsmith {

/// Devices differ along it by their digit `device / stride % size`.
struct DeviceAxis {
  int64_t stride;
  int64_t size;
  bool operator==(const DeviceAxis &) const = default;
};

struct GspmdSharding {
  enum class Kind {
    /// `{replicated}`, or tiles over devices.
    Tiled,
    /// `{maximal device=3}`: one device has it all.
    Maximal,
    /// `{manual}`: the program is written per device.
    Manual,
  };
  Kind kind = Kind::Tiled;
  /// Of a maximal sharding.
  int64_t device = 0;
  /// 1 where the string does not say.
  int64_t deviceCount = 1;
  /// Per dimension of the tensor, major to minor; empty for `{replicated}` and
  /// `{unreduced}`, which fit any rank.
  std::vector<std::vector<DeviceAxis>> dims;
  /// Axes over which values are partial sums.
  std::vector<DeviceAxis> unreduced;
  /// `{unreduced}`: over all devices.
  bool isUnreducedEverywhere = false;
  /// Axes over which the program is written per device.
  std::vector<DeviceAxis> manual;
};

/// A value, or a sentence that says what is wrong with the text.
template <typename T> using OrError = std::variant<T, std::string>;

/// Reads one sharding, or a tuple `{{…}, {…}}` of them.
OrError<std::vector<GspmdSharding>> parseGspmdSharding(llvm::StringRef text);

/// The coarsest mesh, with axes named axis_0, axis_1, …, whose axes make up
/// those of all shardings, for the largest of their device counts.
OrError<Mesh> getCommonMesh(llvm::ArrayRef<GspmdSharding> shardings);

/// The layout a tiled sharding gives a tensor of this rank on a mesh that
/// `getCommonMesh` made from it and others.
OrError<Layout> toLayout(const GspmdSharding &sharding, const Mesh &mesh,
                         unsigned rank);

} // namespace shardsmith

#endif // SHARDSMITH_SHARDING_GSPMDSHARDING_H
