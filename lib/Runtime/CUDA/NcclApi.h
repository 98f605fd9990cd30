// SPDX-License-Identifier: Apache-2.0
//
// The part of NCCL's C interface that we call. Checked against NCCL 2.28.9;
// 2.18 is the oldest version that has all of it, and the configuration is in
// the form of that version, which later ones read as well.

#ifndef SHARDSMITH_LIB_RUNTIME_CUDA_NCCLAPI_H
#define SHARDSMITH_LIB_RUNTIME_CUDA_NCCLAPI_H

#include "DriverApi.h"

#include <climits>

namespace shardsmith::runtime::cuda {

using NcclComm = struct NcclCommObject *;

enum NcclResult : int {
  ncclOk = 0,
  ncclFromRemote = 6, ///< another rank is gone
  ncclStillRunning = 7,
};

struct NcclId {
  char bytes[128];
};

enum NcclType : int {
  ncclI8 = 0,
  ncclU8 = 1,
  ncclI32 = 2,
  ncclU32 = 3,
  ncclI64 = 4,
  ncclU64 = 5,
  ncclF16 = 6,
  ncclF32 = 7,
  ncclF64 = 8,
  ncclBf16 = 9,
};

enum NcclReduction : int {
  ncclAdd = 0,
  ncclMultiply = 1,
  ncclLargest = 2,
  ncclSmallest = 3,
};

constexpr int oldestNccl = 21800; ///< major · 10,000 + minor · 100 + patch

struct NcclConfig {
  size_t size = sizeof(NcclConfig);
  unsigned magic = 0xcafebeef;
  unsigned version = oldestNccl;
  int blocking = 0;
  int clusterSize = INT_MIN; ///< INT_MIN: as NCCL chooses
  int minBlocks = INT_MIN, maxBlocks = INT_MIN;
  const char *network = nullptr;
  int splitShare = INT_MIN;
};

constexpr int ncclNoColor = -1; ///< of ranks in no communicator of a split

/// Functions of libnccl.so.2.
struct NcclApi {
  NcclResult (*getVersion)(int *);
  NcclResult (*makeId)(NcclId *);
  const char *(*getErrorString)(NcclResult);
  const char *(*getLastError)(NcclComm); ///< of this process; may be empty
  NcclResult (*init)(NcclComm *, int ranks, NcclId, int rank, NcclConfig *);
  NcclResult (*split)(NcclComm, int color, int key, NcclComm *, NcclConfig *);
  NcclResult (*getAsyncError)(NcclComm, NcclResult *);
  NcclResult (*finalize)(NcclComm);
  NcclResult (*destroy)(NcclComm);
  NcclResult (*abort)(NcclComm);
  NcclResult (*groupStart)();
  NcclResult (*groupEnd)();
  NcclResult (*allReduce)(const void *, void *, size_t count, NcclType,
                          NcclReduction, NcclComm, DriverStream);
  NcclResult (*allGather)(const void *, void *, size_t count, NcclType,
                          NcclComm, DriverStream);
  NcclResult (*reduceScatter)(const void *, void *, size_t count, NcclType,
                              NcclReduction, NcclComm, DriverStream);
  NcclResult (*send)(const void *, size_t count, NcclType, int peer, NcclComm,
                     DriverStream);
  NcclResult (*receive)(void *, size_t count, NcclType, int peer, NcclComm,
                        DriverStream);
};

} // namespace shardsmith::runtime::cuda

#endif // SHARDSMITH_LIB_RUNTIME_CUDA_NCCLAPI_H
