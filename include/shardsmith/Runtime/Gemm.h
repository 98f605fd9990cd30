// SPDX-License-Identifier: Apache-2.0
//
// Matrix products for generated code, through oneDNN where it is fast and
// through packing or plain loops elsewhere. docs/runtime.md has the rules.

#ifndef SHARDSMITH_RUNTIME_GEMM_H
#define SHARDSMITH_RUNTIME_GEMM_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ThreadTeam.h"

#include <memory>

namespace shardsmith::runtime {

/// Runs products and keeps what it prepared for each of them, by `id`.
class GemmLibrary {
public:
  explicit GemmLibrary(const ThreadTeam &team);
  ~GemmLibrary();

  void run(const smith_gemm &gemm, const void *a, const void *b, void *c);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_GEMM_H
