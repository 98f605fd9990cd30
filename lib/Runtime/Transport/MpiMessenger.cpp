// SPDX-License-Identifier: Apache-2.0

#include "MpiMessenger.h"

#include "MPI/Plugin.h"
#include "shardsmith/Runtime/Failure.h"

#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include <dlfcn.h>

namespace shardsmith::runtime {
namespace {

constexpr const char *libraryName = "libshardsmith_mpi.so";

/// Where the plugin may be, most specific first.
std::vector<std::string> candidatePaths() {
  std::vector<std::string> paths;
  if (const char *path = std::getenv("SMITH_MPI_PLUGIN"))
    paths.push_back(path);
  std::error_code error;
  std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error)
    paths.push_back((program.parent_path() / libraryName).string());
  paths.push_back(libraryName); // LD_LIBRARY_PATH and the system's folders
  paths.push_back(std::string(SHARDSMITH_LIBRARY_DIR) + "/" + libraryName);
  return paths;
}

const smith_mpi &loadPlugin() {
  std::string reasons;
  for (const std::string &path : candidatePaths()) {
    // Global, because OpenMPI's own plugins expect its symbols there.
    void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
      reasons += fmt::format("\n  {}", dlerror());
      continue;
    }
    auto *entry = reinterpret_cast<decltype(&smith_mpi_plugin)>(
        dlsym(library, "smith_mpi_plugin"));
    if (entry && entry()->version == SMITH_MPI_VERSION)
      return *entry();
    reasons += fmt::format("\n  {}: of another version", path);
  }
  fail(ExitCode::Environment,
       "the MPI transport needs {}, which is built where MPI is installed "
       "(package libopenmpi-dev); set SMITH_MPI_PLUGIN to its path. Tried:{}",
       libraryName, reasons);
}

class MpiMessenger final : public Messenger {
public:
  MpiMessenger(const LaunchEnvironment &environment,
               std::chrono::milliseconds deadline)
      : mpi(loadPlugin()), deadline(deadline) {
    int rank = 0, ranks = 0;
    check(mpi.start(&rank, &ranks));
    if (rank != environment.rank || ranks != environment.ranks)
      fail(ExitCode::Environment,
           "MPI says rank {} of {}, the launcher says rank {} of {}; start the "
           "program with mpirun or srun of the same MPI",
           rank, ranks, environment.rank, environment.ranks);
  }

  std::string name() const override { return "MPI"; }

  void exchange(std::span<const OutgoingMessage> outgoing,
                std::span<const IncomingMessage> incoming) override {
    std::vector<Pending> pending;
    for (const IncomingMessage &message : incoming) {
      Pending &entry = pending.emplace_back(Pending{message.rank, nullptr});
      check(mpi.receive(message.rank, message.data, message.bytes,
                        &entry.request));
    }
    for (const OutgoingMessage &message : outgoing) {
      Pending &entry = pending.emplace_back(Pending{message.rank, nullptr});
      check(
          mpi.send(message.rank, message.data, message.bytes, &entry.request));
    }
    waitFor(pending);
  }

  void finish() override { check(mpi.finish()); }

private:
  struct Pending {
    int rank;
    void *request;
  };

  void waitFor(std::vector<Pending> &pending) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point since = Clock::now();
    for (int round = 0; !pending.empty(); ++round) {
      size_t before = pending.size();
      std::erase_if(pending, [&](const Pending &entry) {
        int done = 0;
        check(mpi.test(entry.request, &done));
        return done != 0;
      });
      if (pending.size() < before) {
        since = Clock::now();
        round = 0;
      } else if (round > 100) {
        std::this_thread::yield();
        if (Clock::now() - since > deadline)
          fail(ExitCode::Environment, "waited {} s for rank {}",
               deadline.count() / 1000.0, pending.front().rank);
      }
    }
  }

  void check(int error) const {
    if (error == 0)
      return;
    char text[512];
    mpi.describe(error, text);
    fail(ExitCode::Environment, "MPI: {}", text);
  }

  const smith_mpi &mpi;
  std::chrono::milliseconds deadline;
};

} // namespace

std::unique_ptr<Messenger>
makeMpiMessenger(const LaunchEnvironment &environment,
                 std::chrono::milliseconds deadline) {
  return std::make_unique<MpiMessenger>(environment, deadline);
}

} // namespace shardsmith::runtime
