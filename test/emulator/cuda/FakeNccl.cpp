// SPDX-License-Identifier: Apache-2.0
//
// NCCL's functions. Ranks meet through files of one folder, whose path is the
// unique id:
//
//   COMM.join.POSITION          a rank has joined
//   COMM.split.N.POSITION       its color and key in the Nth split
//   COMM.collective.N.POSITION  kind, count, type, reduction, and its input
//   COMM.message.FROM.TO.N      a message, until it is received
//
// Ranks of a communicator must come to the same collectives. A send ends when
// it was received.

#include "FakeMachine.h"

#include "shardsmith/Runtime/Reduce.h"

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/types.h>
#include <unistd.h>

using namespace shardsmith;
using namespace shardsmith::emulator;
namespace fs = std::filesystem;

namespace {

enum : int {
  success = 0,
  systemError = 2,
  invalidArgument = 4,
  invalidUsage = 5,
  remoteError = 6,
  inProgress = 7,
};

struct Id {
  char bytes[128];
};

/// The beginning of ncclConfig_t.
struct Config {
  size_t size;
  unsigned magic, version;
  int blocking;
};

FakeMachine &machine() { return FakeMachine::get(); }

struct Comm {
  fs::path path; ///< folder and first part of files' names
  int ranks = 0, position = 0;
  int64_t splits = 0, collectives = 0;
  std::map<int, int64_t> sent, received;
  /// What the communicator waits for; null: nothing.
  std::function<bool()> isReady;
  int error = success;
  FakeStream *stream = nullptr; ///< that it is used in

  fs::path file(const std::string &rest) const {
    return path.string() + "." + rest;
  }
  int state() {
    if (error != success)
      return error;
    if (isReady && !isReady())
      return inProgress;
    isReady = nullptr;
    return success;
  }
};

/// Appears as a whole.
void writeFile(const fs::path &path, const std::string &bytes) {
  fs::path partial =
      path.string() + fmt::format(".partial.{}", static_cast<int>(getpid()));
  std::ofstream(partial, std::ios::binary) << bytes;
  fs::rename(partial, path);
}

std::string readFile(const fs::path &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string bytesOf(const void *data, uint64_t bytes) {
  return std::string(static_cast<const char *>(data), bytes);
}

/// Faults count the exchanges of the process.
bool meetsFault(const char *kind) {
  static const std::string fault = environmentOr("FAKE_NCCL_FAULT", "");
  static int64_t exchanges = 0;
  if (std::string(kind) == "stop")
    ++exchanges;
  return fault == fmt::format("{}:{}:{}", kind, fakeRank(), exchanges - 1);
}

/// One collective, message, or group of messages in a stream.
struct Part {
  std::string header, input;
  std::function<bool()> goOn;
  bool hasEnded = false;
};

struct Group {
  bool isOpen = false;
  Comm *comm = nullptr;
  FakeStream *stream = nullptr;
  std::vector<Part> parts;
  std::vector<Touch> touches;
};
Group group;

int put(Comm *comm, FakeStream *stream, const std::string &name,
        std::vector<Part> parts, const std::vector<Touch> &touches) {
  machine().count("exchanges");
  if (comm->stream && comm->stream != stream)
    machine().accuse("a communicator is used in two streams");
  comm->stream = stream;
  bool stops = meetsFault("stop");
  if (meetsFault("die"))
    raise(SIGKILL);
  bool reports = meetsFault("error");
  auto shared = std::make_shared<std::vector<Part>>(std::move(parts));
  machine().add(stream,
                {name,
                 [=] {
                   if (reports)
                     comm->error = remoteError;
                   if (stops || reports)
                     return false;
                   bool haveEnded = true;
                   for (Part &part : *shared) {
                     part.hasEnded = part.hasEnded || part.goOn();
                     haveEnded &= part.hasEnded;
                   }
                   return haveEnded;
                 },
                 comm},
                touches);
  return inProgress;
}

int64_t bytesOfType(int type) {
  constexpr int64_t bytes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return bytes[type];
}

smith_dtype elementOf(int type) {
  constexpr smith_dtype elements[] = {
      SMITH_I8,  SMITH_U8,  SMITH_I32, SMITH_U32, SMITH_I64,
      SMITH_U64, SMITH_F16, SMITH_F32, SMITH_F64, SMITH_BF16};
  return elements[type];
}

smith_reduction reductionOf(int reduction) {
  constexpr smith_reduction reductions[] = {SMITH_SUM, SMITH_PRODUCT, SMITH_MAX,
                                            SMITH_MIN};
  return reductions[reduction];
}

/// A collective: `finish` gets the inputs of all ranks.
int collective(
    Comm *comm, FakeStream *stream, const std::string &header, const void *in,
    uint64_t inBytes, void *out, uint64_t outBytes,
    const std::function<void(const std::vector<std::string> &)> &finish) {
  if (group.isOpen) {
    machine().accuse("a collective in a group of messages");
    return invalidUsage;
  }
  int64_t number = comm->collectives++;
  auto fileOf = [comm](int64_t of, int position) {
    return comm->file(fmt::format("collective.{}.{}", of, position));
  };
  Part part;
  part.goOn = [=, isPosted = false]() mutable {
    if (!isPosted)
      writeFile(fileOf(number, comm->position),
                header + "\n" + bytesOf(in, inBytes));
    isPosted = true;
    for (int position = 0; position < comm->ranks; ++position)
      if (!fs::exists(fileOf(number, position)))
        return false;
    // All have come to this one, so all have ended the one before.
    fs::remove(fileOf(number - 1, comm->position));
    std::vector<std::string> inputs;
    for (int position = 0; position < comm->ranks; ++position) {
      std::string text = readFile(fileOf(number, position));
      size_t end = text.find('\n');
      if (text.substr(0, end) != header) {
        machine().accuse(fmt::format("collectives differ: '{}' here, '{}' at "
                                     "position {}",
                                     header, text.substr(0, end), position));
        comm->error = invalidUsage;
        return false;
      }
      inputs.push_back(text.substr(end + 1));
    }
    finish(inputs);
    return true;
  };
  auto inPlace = reinterpret_cast<uint64_t>(in);
  auto outPlace = reinterpret_cast<uint64_t>(out);
  return put(comm, stream, header, {std::move(part)},
             {{inPlace, inPlace + inBytes, false},
              {outPlace, outPlace + outBytes, true}});
}

/// A reduction of elements [first, first + count) of all inputs.
std::function<void(const std::vector<std::string> &)>
reduceInto(void *out, int type, int reduction, int64_t first, int64_t count) {
  return [=](const std::vector<std::string> &inputs) {
    std::vector<const void *> sources;
    for (const std::string &input : inputs)
      sources.push_back(input.data() + first * bytesOfType(type));
    runtime::reduceElements(elementOf(type), reductionOf(reduction), sources,
                            out, count);
  };
}

int message(Comm *comm, FakeStream *stream, Part part, Touch touch) {
  if (!group.isOpen)
    return put(comm, stream, "message", {std::move(part)}, {touch});
  if (group.comm && (group.comm != comm || group.stream != stream))
    machine().accuse("a group of several communicators or streams");
  group.comm = comm;
  group.stream = stream;
  group.parts.push_back(std::move(part));
  group.touches.push_back(touch);
  return success;
}

} // namespace

extern "C" {

int ncclGetVersion(int *version) {
  std::stringstream all(environmentOr("FAKE_NCCL_VERSION", "22809"));
  std::string text;
  for (int rank = 0; rank <= fakeRank(); ++rank)
    if (std::string next; std::getline(all, next, ','))
      text = next;
  *version = std::stoi(text);
  return success;
}
int ncclGetUniqueId(Id *id) {
  std::string pattern =
      (fs::temp_directory_path() / "fake-nccl-XXXXXX").string();
  if (!mkdtemp(pattern.data()))
    return systemError;
  std::strncpy(id->bytes, pattern.c_str(), sizeof id->bytes - 1);
  return success;
}
const char *ncclGetErrorString(int result) {
  return result == remoteError    ? "remote process exited or there was a "
                                    "network error"
         : result == invalidUsage ? "invalid usage"
                                  : "some error";
}
const char *ncclGetLastError(Comm *) { return ""; }

int ncclCommInitRankConfig(Comm **made, int ranks, Id id, int rank,
                           Config *config) {
  constexpr unsigned magic = 0xcafebeef, version = 21800;
  if (config->magic != magic || config->version < version ||
      config->blocking != 0 || rank < 0 || rank >= ranks)
    return invalidArgument;
  auto *comm = new Comm();
  comm->path = fs::path(id.bytes) / "world";
  comm->ranks = ranks;
  comm->position = rank;
  comm->isReady = [comm] {
    for (int other = 0; other < comm->ranks; ++other)
      if (!fs::exists(comm->file(fmt::format("join.{}", other))))
        return false;
    return true;
  };
  // Of one rank, or of all, as where ranks share a GPU.
  std::string refused = environmentOr("FAKE_NCCL_REFUSES", "none");
  if (refused == "all" || refused == std::to_string(rank))
    comm->error = invalidUsage;
  writeFile(comm->file(fmt::format("join.{}", rank)), "");
  machine().count("comms");
  *made = comm;
  return inProgress;
}

int ncclCommSplit(Comm *parent, int color, int key, Comm **made, Config *) {
  if (parent->state() != success)
    return invalidUsage;
  int64_t number = parent->splits++;
  auto fileOf = [=](int position) {
    return parent->file(fmt::format("split.{}.{}", number, position));
  };
  writeFile(fileOf(parent->position), fmt::format("{} {}", color, key));
  constexpr int noColor = -1;
  Comm *child = color == noColor ? nullptr : new Comm();
  *made = child;
  if (child)
    machine().count("comms");
  parent->isReady = [=] {
    std::vector<std::pair<int, int>> members; // key, position in the parent
    for (int position = 0; position < parent->ranks; ++position) {
      if (!fs::exists(fileOf(position)))
        return false;
      std::istringstream text(readFile(fileOf(position)));
      int theirs = 0, order = 0;
      text >> theirs >> order;
      if (theirs == color)
        members.emplace_back(order, position);
    }
    if (!child)
      return true;
    std::ranges::sort(members);
    child->path = parent->file(fmt::format("s{}c{}", number, color));
    child->ranks = static_cast<int>(members.size());
    for (int i = 0; i < child->ranks; ++i)
      if (members[static_cast<size_t>(i)].second == parent->position)
        child->position = i;
    return true;
  };
  if (child)
    child->isReady = [parent] { return parent->state() == success; };
  return inProgress;
}

int ncclCommGetAsyncError(Comm *comm, int *state) {
  *state = comm->state();
  return success;
}
int ncclCommFinalize(Comm *) { return inProgress; }
int ncclCommDestroy(Comm *comm) {
  machine().count("comms", -1);
  // The last rank takes the folder away.
  fs::path folder = comm->path.parent_path();
  if (comm->path.filename() == "world") {
    fs::remove(comm->file(fmt::format("join.{}", comm->position)));
    bool isLast = true;
    for (int other = 0; other < comm->ranks; ++other)
      isLast &= !fs::exists(comm->file(fmt::format("join.{}", other)));
    std::error_code ignored;
    if (isLast)
      fs::remove_all(folder, ignored);
  }
  delete comm;
  return success;
}
int ncclCommAbort(Comm *comm) {
  machine().removeWorkOf(comm);
  machine().count("aborts");
  machine().count("comms", -1);
  machine().writeLog();
  delete comm;
  return success;
}

int ncclGroupStart() {
  if (machine().isCapturing()) {
    machine().put(nullptr, [] { ncclGroupStart(); });
    return success;
  }
  group = Group();
  group.isOpen = true;
  return success;
}
int ncclGroupEnd() {
  if (machine().isCapturing()) {
    machine().put(nullptr, [] { ncclGroupEnd(); });
    return success;
  }
  Group ended = std::move(group);
  group = Group();
  if (!ended.comm)
    return success;
  return put(ended.comm, ended.stream, "messages", std::move(ended.parts),
             ended.touches);
}

int ncclAllReduce(const void *in, void *out, size_t count, int type,
                  int reduction, Comm *comm, FakeStream *stream) {
  if (machine().isCapturing()) {
    machine().put(stream, [=] {
      ncclAllReduce(in, out, count, type, reduction, comm, stream);
    });
    return success;
  }
  uint64_t bytes = count * static_cast<uint64_t>(bytesOfType(type));
  return collective(
      comm, stream,
      fmt::format("all_reduce of {} {} by {}", count, type, reduction), in,
      bytes, out, bytes,
      reduceInto(out, type, reduction, 0, static_cast<int64_t>(count)));
}
int ncclAllGather(const void *in, void *out, size_t count, int type, Comm *comm,
                  FakeStream *stream) {
  if (machine().isCapturing()) {
    machine().put(stream,
                  [=] { ncclAllGather(in, out, count, type, comm, stream); });
    return success;
  }
  uint64_t bytes = count * static_cast<uint64_t>(bytesOfType(type));
  return collective(comm, stream,
                    fmt::format("all_gather of {} {}", count, type), in, bytes,
                    out, bytes * static_cast<uint64_t>(comm->ranks),
                    [=](const std::vector<std::string> &inputs) {
                      auto *to = static_cast<char *>(out);
                      for (const std::string &input : inputs)
                        to = std::ranges::copy(input, to).out;
                    });
}
int ncclReduceScatter(const void *in, void *out, size_t count, int type,
                      int reduction, Comm *comm, FakeStream *stream) {
  if (machine().isCapturing()) {
    machine().put(stream, [=] {
      ncclReduceScatter(in, out, count, type, reduction, comm, stream);
    });
    return success;
  }
  uint64_t bytes = count * static_cast<uint64_t>(bytesOfType(type));
  auto own = static_cast<int64_t>(count);
  return collective(
      comm, stream,
      fmt::format("reduce_scatter of {} {} by {}", count, type, reduction), in,
      bytes * static_cast<uint64_t>(comm->ranks), out, bytes,
      reduceInto(out, type, reduction, comm->position * own, own));
}
int ncclSend(const void *from, size_t count, int type, int peer, Comm *comm,
             FakeStream *stream) {
  if (machine().isCapturing()) {
    machine().put(stream,
                  [=] { ncclSend(from, count, type, peer, comm, stream); });
    return success;
  }
  uint64_t bytes = count * static_cast<uint64_t>(bytesOfType(type));
  fs::path file = comm->file(fmt::format("message.{}.{}.{}", comm->position,
                                         peer, comm->sent[peer]++));
  Part part;
  part.goOn = [=, isPosted = false]() mutable {
    if (!isPosted)
      writeFile(file, bytesOf(from, bytes));
    isPosted = true;
    return !fs::exists(file);
  };
  auto begin = reinterpret_cast<uint64_t>(from);
  return message(comm, stream, std::move(part), {begin, begin + bytes, false});
}
int ncclRecv(void *to, size_t count, int type, int peer, Comm *comm,
             FakeStream *stream) {
  if (machine().isCapturing()) {
    machine().put(stream,
                  [=] { ncclRecv(to, count, type, peer, comm, stream); });
    return success;
  }
  uint64_t bytes = count * static_cast<uint64_t>(bytesOfType(type));
  fs::path file = comm->file(fmt::format(
      "message.{}.{}.{}", peer, comm->position, comm->received[peer]++));
  Part part;
  part.goOn = [=] {
    if (!fs::exists(file))
      return false;
    std::string text = readFile(file);
    if (text.size() != bytes) {
      machine().accuse(fmt::format("a message of {} bytes is received as {}",
                                   text.size(), bytes));
      comm->error = invalidUsage;
      return false;
    }
    std::memcpy(to, text.data(), bytes);
    fs::remove(file);
    return true;
  };
  auto begin = reinterpret_cast<uint64_t>(to);
  return message(comm, stream, std::move(part), {begin, begin + bytes, true});
}

} // extern "C"
