// SPDX-License-Identifier: Apache-2.0

#include "MpiMessenger.h"

#include "MPI/Plugin.h"
#include "MpiOutbox.h"
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
      : mpi(loadPlugin()), deadline(deadline),
        outbox(mpi, [this](int error) { check(error); }) {
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
      check(mpi.receive(message.rank, SMITH_MPI_COLLECTIVES, message.data,
                        message.bytes, &entry.request));
    }
    for (const OutgoingMessage &message : outgoing) {
      Pending &entry = pending.emplace_back(Pending{message.rank, nullptr});
      check(mpi.send(message.rank, SMITH_MPI_COLLECTIVES, message.data,
                     message.bytes, &entry.request));
    }
    waitFor(pending);
  }

  void send(const OutgoingMessage &message, int64_t room) override {
    waitUntil(message.rank, [&] {
      int64_t before = outbox.bytesTo(message.rank);
      return before == 0 || before + message.bytes <= room;
    });
    outbox.post(message);
  }

  int64_t receive(const IncomingMessage &message) override {
    int64_t size = 0;
    receivePart({message.rank, &size, sizeof size});
    if (size == message.bytes && size > 0)
      receivePart(message);
    return size;
  }

  void progress() override { outbox.progress(); }

  void finish() override {
    if (!outbox.isEmpty())
      waitUntil(outbox.firstRank(), [&] { return outbox.isEmpty(); });
    check(mpi.finish());
  }

private:
  struct Pending {
    int rank;
    void *request;
  };

  /// Rounds of a wait without success.
  class Patience {
  public:
    explicit Patience(std::chrono::milliseconds deadline)
        : deadline(deadline) {}

    void reset() {
      since = Clock::now();
      rounds = 0;
    }
    /// Offers the core to others, and throws after the deadline.
    void goOn(int rank) {
      if (++rounds <= 100)
        return;
      std::this_thread::yield();
      if (Clock::now() - since > deadline)
        fail(ExitCode::Environment, "waited {} s for rank {}",
             deadline.count() / 1000.0, rank);
    }

  private:
    using Clock = std::chrono::steady_clock;
    std::chrono::milliseconds deadline;
    Clock::time_point since = Clock::now();
    int rounds = 0;
  };

  void waitFor(std::vector<Pending> &pending) {
    Patience patience(deadline);
    while (!pending.empty()) {
      size_t before = pending.size();
      std::erase_if(pending, [&](const Pending &entry) {
        int done = 0;
        check(mpi.test(entry.request, &done));
        return done != 0;
      });
      outbox.progress();
      if (pending.size() < before)
        patience.reset();
      else
        patience.goOn(pending.front().rank);
    }
  }

  /// Waits until enough of what `rank` should receive has left.
  template <typename Condition> void waitUntil(int rank, Condition isEnough) {
    Patience patience(deadline);
    while (!isEnough()) {
      if (outbox.progress())
        patience.reset();
      else
        patience.goOn(rank);
    }
  }

  void receivePart(const IncomingMessage &part) {
    std::vector<Pending> pending{{part.rank, nullptr}};
    check(mpi.receive(part.rank, SMITH_MPI_MESSAGES, part.data, part.bytes,
                      &pending.front().request));
    waitFor(pending);
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
  MpiOutbox outbox;
};

} // namespace

std::unique_ptr<Messenger>
makeMpiMessenger(const LaunchEnvironment &environment,
                 std::chrono::milliseconds deadline) {
  return std::make_unique<MpiMessenger>(environment, deadline);
}

} // namespace shardsmith::runtime
