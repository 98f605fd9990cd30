// SPDX-License-Identifier: Apache-2.0
//
// The threads of one rank.
//
// oneDNN as Debian builds it runs on libgomp. Kernels run on the same
// threads: two pools would fight for the cores whenever one of them spins
// while the other works. The team therefore enters parallel regions through
// libgomp's own entry point, GOMP_parallel, found at run time so that
// programs link without -fopenmp.

#ifndef SHARDSMITH_RUNTIME_THREADTEAM_H
#define SHARDSMITH_RUNTIME_THREADTEAM_H

#include <cstdint>
#include <functional>

namespace shardsmith::runtime {

class ThreadTeam {
public:
  /// What is worth one more thread, where memory is all there is to it.
  static constexpr int64_t leastBytes = 128 << 10;

  /// Makes `threads` the number of libgomp's threads too.
  explicit ThreadTeam(int threads);

  int threads() const { return count; }

  /// From now on the calling thread does by itself what teams are asked for: it
  /// is none of those that kernels run on.
  static void stayOnThisThread();

  using Body = void (*)(void *arguments, int64_t begin, int64_t end);

  /// As smith_parallel_for of ABI.h.
  void parallelFor(Body body, void *arguments, int64_t count,
                   int64_t grain) const;

  void parallelFor(int64_t count, int64_t grain,
                   const std::function<void(int64_t, int64_t)> &body) const;

  /// memcpy on all threads.
  void copy(void *to, const void *from, int64_t bytes) const;

private:
  int count;
};

/// SMITH_THREADS, else OMP_NUM_THREADS, else the cores this process may use
/// divided by the ranks that share them; at least one.
int chooseThreadCount(int localRanks);

/// Whether every rank of this machine has a core beside those of its threads,
/// on which it can exchange data while kernels run. SMITH_OVERLAP=1 and 0 say
/// so and otherwise.
bool hasCoreForExchanges(int localRanks, int threads);

/// Cores that this process may run on.
int availableCores();

} // namespace shardsmith::runtime

#endif // SHARDSMITH_RUNTIME_THREADTEAM_H
