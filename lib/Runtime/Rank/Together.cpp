// SPDX-License-Identifier: Apache-2.0

#include "Together.h"

#include <optional>

namespace shardsmith::runtime {
namespace {

/// Orders failures: the largest code first, then the lowest rank.
struct Verdict {
  static constexpr int64_t manyRanks = int64_t(1) << 32;

  static int64_t of(const std::optional<Failure> &failure, int rank) {
    if (!failure)
      return 0;
    return static_cast<int64_t>(failure->code()) * manyRanks +
           (manyRanks - 1 - rank);
  }
  static ExitCode codeOf(int64_t verdict) {
    return static_cast<ExitCode>(verdict / manyRanks);
  }
};

} // namespace

void runTogether(smith_context &context, const std::function<void()> &phase,
                 const std::function<void()> &cleanUp) {
  std::optional<Failure> failure;
  try {
    phase();
  } catch (const Failure &error) {
    failure = error;
  } catch (const std::bad_alloc &) {
    failure = Failure(ExitCode::Environment, "out of memory");
  }
  int64_t own = Verdict::of(failure, context.rank());
  int64_t worst = context.maximum(own);
  if (worst == 0)
    return;
  cleanUp();
  context.barrier();
  if (own == worst)
    throw *failure;
  throw Failure(Verdict::codeOf(worst), "");
}

} // namespace shardsmith::runtime
