// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/ThreadTeam.h"

#include "shardsmith/Runtime/Failure.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <dlfcn.h>
#include <sched.h>

// libgomp is not built for ThreadSanitizer, which does not see that its
// threads wait for each other at both ends of a parallel region.
#if defined(__SANITIZE_THREAD__)
#define SMITH_WATCHES_THREADS
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SMITH_WATCHES_THREADS
#endif
#endif
#ifdef SMITH_WATCHES_THREADS
extern "C" void __tsan_acquire(void *);
extern "C" void __tsan_release(void *);
#endif

namespace shardsmith::runtime {
namespace {

/// What was done before is seen by whoever calls `beginAfter` on the place.
void endBefore([[maybe_unused]] void *place) {
#ifdef SMITH_WATCHES_THREADS
  __tsan_release(place);
#endif
}
void beginAfter([[maybe_unused]] void *place) {
#ifdef SMITH_WATCHES_THREADS
  __tsan_acquire(place);
#endif
}

/// The part of libgomp that the team needs.
struct Gomp {
  void (*parallel)(void (*)(void *), void *, unsigned, unsigned) = nullptr;
  int (*threadNumber)() = nullptr;
  int (*teamSize)() = nullptr;
  void (*setThreads)(int) = nullptr;

  template <typename Function>
  static void find(void *library, const char *symbol, Function *&function) {
    function = reinterpret_cast<Function *>(dlsym(library, symbol));
    if (!function)
      fail(ExitCode::Environment, "libgomp has no function {}", symbol);
  }

  Gomp() {
    // Loaded already as a dependency of oneDNN, in which case this only
    // finds it.
    void *library = dlopen("libgomp.so.1", RTLD_NOW);
    if (!library)
      fail(ExitCode::Environment,
           "cannot load libgomp.so.1 (package libgomp1): {}", dlerror());
    find(library, "GOMP_parallel", parallel);
    find(library, "omp_get_thread_num", threadNumber);
    find(library, "omp_get_num_threads", teamSize);
    find(library, "omp_set_num_threads", setThreads);
  }
};

const Gomp &gomp() {
  static const Gomp functions;
  return functions;
}

thread_local bool staysHere = false;

struct Region {
  ThreadTeam::Body body;
  void *arguments;
  int64_t count;
  int64_t grain;
};

/// What one thread of a parallel region does. libgomp may give us fewer
/// threads than asked for, so the split is made here.
void runShare(void *opaque) {
  beginAfter(opaque);
  const Region &region = *static_cast<Region *>(opaque);
  int64_t threads = gomp().teamSize();
  int64_t length =
      std::max(region.grain, (region.count + threads - 1) / threads);
  int64_t begin = gomp().threadNumber() * length;
  int64_t end = std::min(region.count, begin + length);
  if (begin < end)
    region.body(region.arguments, begin, end);
  endBefore(opaque);
}

/// A positive number in an environment variable, or zero.
int positiveVariable(const char *name) {
  const char *text = std::getenv(name);
  if (!text)
    return 0;
  int value = 0;
  auto [end, error] = std::from_chars(text, text + std::strlen(text), value);
  bool whole = *end == '\0' || *end == ','; // OMP_NUM_THREADS may be a list
  return error == std::errc() && whole && value > 0 ? value : 0;
}

} // namespace

ThreadTeam::ThreadTeam(int threads) : count(std::max(1, threads)) {
  gomp().setThreads(count);
}

void ThreadTeam::stayOnThisThread() { staysHere = true; }

void ThreadTeam::parallelFor(Body body, void *arguments, int64_t total,
                             int64_t grain) const {
  if (total <= 0)
    return;
  grain = std::max<int64_t>(grain, 1);
  int64_t useful = std::min<int64_t>(count, (total + grain - 1) / grain);
  if (useful <= 1 || staysHere)
    return body(arguments, 0, total);
  Region region{body, arguments, total, grain};
  endBefore(&region);
  gomp().parallel(runShare, &region, static_cast<unsigned>(useful), 0);
  beginAfter(&region);
}

void ThreadTeam::parallelFor(
    int64_t total, int64_t grain,
    const std::function<void(int64_t, int64_t)> &body) const {
  using Function = std::function<void(int64_t, int64_t)>;
  auto call = [](void *function, int64_t begin, int64_t end) {
    (*static_cast<const Function *>(function))(begin, end);
  };
  parallelFor(call, const_cast<Function *>(&body), total, grain);
}

void ThreadTeam::copy(void *to, const void *from, int64_t bytes) const {
  if (to == from || bytes <= 0)
    return;
  constexpr int64_t grain = 256 << 10;
  if (count == 1 || bytes <= grain || staysHere) {
    std::memcpy(to, from, static_cast<size_t>(bytes));
    return;
  }
  parallelFor(bytes, grain, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char *>(to) + begin,
                static_cast<const char *>(from) + begin,
                static_cast<size_t>(end - begin));
  });
}

int availableCores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) != 0)
    return 1;
  return std::max(1, CPU_COUNT(&cores));
}

bool hasCoreForExchanges(int localRanks, int threads) {
  if (const char *text = std::getenv("SMITH_OVERLAP")) {
    std::string_view value(text);
    if (value == "0" || value == "1")
      return value == "1";
    fail(ExitCode::Usage,
         "SMITH_OVERLAP is '{}'; expected 1, to exchange data while kernels "
         "run, or 0",
         value);
  }
  return availableCores() >= std::max(1, localRanks) * (threads + 1);
}

int chooseThreadCount(int localRanks) {
  for (const char *name : {"SMITH_THREADS", "OMP_NUM_THREADS"})
    if (int threads = positiveVariable(name))
      return threads;
  return std::max(1, availableCores() / std::max(1, localRanks));
}

} // namespace shardsmith::runtime
