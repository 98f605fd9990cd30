// SPDX-License-Identifier: Apache-2.0
//
// Convolutions for generated code, through oneDNN in whichever of its forms
// fits, and through plain loops elsewhere. docs/runtime.md has the rules.

#ifndef SHARDSMITH_RUNTIME_CONVOLUTION_H
#define SHARDSMITH_RUNTIME_CONVOLUTION_H

#include "shardsmith/Runtime/ABI.h"
#include "shardsmith/Runtime/ThreadTeam.h"

#include <memory>
#include <string>

namespace shardsmith::runtime {

/// Runs convolutions and keeps what it prepared for each of them, by `id`.
class ConvolutionLibrary {
public:
  explicit ConvolutionLibrary(const ThreadTeam &team);
  ~ConvolutionLibrary();

  void run(const smith_convolution &convolution, const void *lhs,
           const void *rhs, void *result);

  /// How the convolution with this id was computed last: `forward`,
  /// `backward data`, `backward weights`, `loops` or `zeros`, for tests.
  std::string describe(int32_t id) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_CONVOLUTION_H
