// SPDX-License-Identifier: Apache-2.0
//
// The sharding strings of GSPMD, as StableHLO programs carry them:
//
//   {replicated}
//   {devices=[2,1,4]<=[8] last_tile_dim_replicate}
//   {devices=[1,4,2]<=[2,4]T(1,0) last_tile_dim_replicate}
//
// Devices 0 … N−1 are laid out in the shape behind `<=`, transposed by `T`,
// and dealt to the tiles in front of it, row-major. A trailing tile dimension
// that is not one of the tensor holds replicas.

#ifndef SHARDSMITH_LIB_IMPORT_GSPMDSHARDING_H
#define SHARDSMITH_LIB_IMPORT_GSPMDSHARDING_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace shardsmith {

/// Digits of the device number: those of place values from `low` up to, not
/// including, `high`. An axis of a mesh is such a range of digits, of size
/// `high / low`; the last axis of a mesh has `low` 1.
struct DeviceDigits {
  int64_t low = 1;
  int64_t high = 1;
};

struct GspmdSharding {
  int64_t deviceCount = 1;
  /// Per tensor dimension what splits it, major to minor. Empty for tensors
  /// of any rank that are replicated.
  llvm::SmallVector<llvm::SmallVector<DeviceDigits, 2>> dimensions;
  bool isReplicated = false;
};

/// Parses a sharding. Returns nothing and fills `error`, which begins with
/// "unsupported" for what is well-formed but cannot be expressed by axes.
std::optional<GspmdSharding> parseGspmdSharding(llvm::StringRef text,
                                                std::string &error);

} // namespace shardsmith

#endif // SHARDSMITH_LIB_IMPORT_GSPMDSHARDING_H
