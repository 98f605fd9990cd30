// SPDX-License-Identifier: Apache-2.0
//
//   rank 0       create NAME.partial, reserve space, write header
//   all ranks    write the boxes they are the first to hold
//   rank 0       flush, rename to NAME, flush the folder
//
// After each line the ranks agree whether it has worked for all of them.
//
// Devices and pipes take bytes in order from one process. For them the partial
// file is in the folder for temporary files, and rank 0 copies it at the end.

#include "../FileDescriptor.h"
#include "../Rank/Together.h"
#include "shardsmith/Runtime/Files/SafeTensors.h"
#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Support/AtomicFile.h"
#include "shardsmith/Support/OutputTarget.h"
#include "shardsmith/Support/TemporaryPath.h"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <thread>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace shardsmith::runtime {
namespace {

struct FileLayout {
  std::string start; // length of the header, header
  std::vector<int64_t> offsets;
  int64_t totalBytes = 0;
};

/// Parts of one name are boxes of one tensor.
FileLayout layOut(const std::vector<TensorPart> &tensors,
                  const Metadata &metadata) {
  nlohmann::ordered_json header;
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  FileLayout layout;
  std::map<std::string_view, int64_t> begins;
  int64_t end = 0;
  for (const TensorPart &tensor : tensors) {
    auto [begin, isNew] = begins.try_emplace(tensor.name, end);
    layout.offsets.push_back(begin->second);
    if (!isNew)
      continue;
    end += elementCount(tensor.shard.globalShape) * byteSize(tensor.fileType());
    header[tensor.name] = {{"dtype", safeTensorsName(tensor.fileType())},
                           {"shape", tensor.shard.globalShape},
                           {"data_offsets", {begin->second, end}}};
  }
  using Json = nlohmann::ordered_json;
  std::string text =
      header.empty()
          ? "{}"
          : header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' '); // tensors start aligned
  uint64_t length = text.size();
  layout.start.assign(reinterpret_cast<const char *>(&length), sizeof length);
  layout.start += text;
  for (int64_t &offset : layout.offsets)
    offset += static_cast<int64_t>(layout.start.size());
  layout.totalBytes = static_cast<int64_t>(layout.start.size()) + end;
  return layout;
}

[[noreturn]] void refuseWrite(const std::string &path, int errorNumber) {
  fail(ExitCode::Environment, "cannot write {}: {}", path,
       describeError(errorNumber));
}

void writeFully(int file, const std::string &path, const void *data,
                int64_t bytes, int64_t offset) {
  auto *bytesLeft = static_cast<const char *>(data);
  while (bytes > 0) {
    ssize_t written =
        pwrite(file, bytesLeft, static_cast<size_t>(bytes), offset);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      refuseWrite(path, written == 0 ? ENOSPC : errno);
    bytesLeft += written;
    offset += written;
    bytes -= written;
  }
}

/// Opens a partial file, which nobody else has a reason to have made.
FileDescriptor openPartial(const std::string &path, int flags) {
  FileDescriptor file(
      open(path.c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0666));
  struct stat status{};
  if (!file.isOpen() || fstat(file.get(), &status) != 0)
    refuseWrite(path, errno);
  if (!S_ISREG(status.st_mode))
    fail(ExitCode::Environment, "cannot write {}: it is no plain file", path);
  return file;
}

FileDescriptor create(const std::string &path, const FileLayout &layout) {
  FileDescriptor file = openPartial(path, O_CREAT | O_TRUNC);
  // Finds a full disk before any rank has written; not all file systems can.
  if (fallocate(file.get(), 0, 0, layout.totalBytes) != 0 &&
      errno != EOPNOTSUPP)
    refuseWrite(path, errno);
  writeFully(file.get(), path, layout.start.data(),
             static_cast<int64_t>(layout.start.size()), 0);
  return file;
}

void writeParts(int file, const std::string &path,
                const std::vector<TensorPart> &tensors,
                const FileLayout &layout,
                const std::function<void()> &noteProgress) {
  constexpr int64_t longest = 16 << 20;
  std::vector<uint8_t> converted;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorPart &tensor = tensors[i];
    if (!tensor.shard.isFirstCopy)
      continue;
    int64_t size = byteSize(tensor.fileType());
    for (const Run &run : contiguousRuns(tensor.shard, longest)) {
      const auto *data =
          static_cast<const uint8_t *>(tensor.local) + run.local * size;
      if (tensor.fileType() != tensor.type) {
        converted.resize(static_cast<size_t>(run.length * size));
        convertElements(tensor.type, tensor.local, run.local, tensor.fileType(),
                        converted.data(), 0, run.length);
        data = converted.data();
      }
      writeFully(file, path, data, run.length * size,
                 layout.offsets[i] + run.global * size);
      noteProgress();
    }
  }
}

/// Flushing may take longer than the others wait for a silent rank.
void flush(int file, const std::string &path,
           const std::function<void()> &noteProgress) {
  std::atomic<bool> isDone = false;
  std::thread keeper([&] {
    while (!isDone) {
      noteProgress();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  });
  int error = fsync(file) == 0 ? 0 : errno;
  isDone = true;
  keeper.join();
  if (error != 0)
    refuseWrite(path, error);
}

/// Where the file is written before it is complete, and how it is then
/// published.
class Destination {
public:
  /// `writer`: the process that publishes.
  Destination(const std::string &path, int64_t writer)
      : path(path), target(findOutputTarget(path)) {
    partial = path + ".partial";
    if (target.isStream)
      partial = (std::filesystem::temp_directory_path() /
                 fmt::format("shardsmith-{}.partial", writer))
                    .string();
  }

  const std::string &partialPath() const { return partial; }

  /// Throws a Failure if nothing may be written to the path.
  void prepare() const {
    if (!target.problem.empty())
      fail(ExitCode::Environment, "{}", target.problem);
    std::error_code ignored; // a folder that is missing shows in the write
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (!folder.empty())
      std::filesystem::create_directories(folder, ignored);
  }

  void publish(int file, const std::function<void()> &noteProgress) const {
    if (target.isStream)
      return copy(file, noteProgress);
    flush(file, partial, noteProgress);
    if (rename(partial.c_str(), path.c_str()) != 0)
      refuseWrite(path, errno);
    std::string folder = std::filesystem::path(path).parent_path().string();
    FileDescriptor directory(open(folder.empty() ? "." : folder.c_str(),
                                  O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (directory.isOpen())
      fsync(directory.get());
  }

private:
  void copy(int file, const std::function<void()> &noteProgress) const {
    std::string problem;
    FileDescriptor stream(openOutput(path, problem));
    if (!stream.isOpen())
      fail(ExitCode::Environment, "{}", problem);
    std::vector<char> piece(1 << 20);
    for (off_t at = 0;;) {
      ssize_t count = pread(file, piece.data(), piece.size(), at);
      if (count < 0)
        refuseWrite(path, errno);
      if (count == 0)
        return;
      if (!writeAll(stream.get(), {piece.data(), static_cast<size_t>(count)}))
        refuseWrite(path, errno);
      at += count;
      noteProgress();
    }
  }

  std::string path, partial;
  OutputTarget target;
};

} // namespace

void writeSafeTensors(const std::string &path,
                      const std::vector<TensorPart> &tensors,
                      const Metadata &metadata) {
  FileLayout layout = layOut(tensors, metadata);
  Destination destination(path, getpid());
  destination.prepare();
  TemporaryPath partial(destination.partialPath());
  FileDescriptor file = create(partial.path(), layout);
  writeParts(file.get(), partial.path(), tensors, layout, [] {});
  destination.publish(file.get(), [] {});
}

void writeSafeTensors(smith_context &context, const std::string &path,
                      const std::vector<TensorPart> &tensors,
                      const Metadata &metadata) {
  FileLayout layout = layOut(tensors, metadata);
  bool isWriter = context.rank() == 0;
  Destination destination(path, context.maximum(isWriter ? getpid() : 0));
  const std::string &partial = destination.partialPath();
  // Goes with the scope, with a signal, and when ranks agree that it must.
  std::optional<TemporaryPath> removal;
  auto noteProgress = [&] { context.noteProgress(); };
  FileDescriptor file;
  auto runPhase = [&](const std::function<void()> &phase) {
    runTogether(context, phase, [&] { removal.reset(); });
  };
  runPhase([&] {
    if (!isWriter)
      return;
    destination.prepare();
    removal.emplace(partial);
    file = create(partial, layout);
  });
  runPhase([&] {
    if (!isWriter)
      file = openPartial(partial, 0);
    writeParts(file.get(), partial, tensors, layout, noteProgress);
  });
  runPhase([&] {
    if (isWriter)
      destination.publish(file.get(), noteProgress);
  });
}

} // namespace shardsmith::runtime
