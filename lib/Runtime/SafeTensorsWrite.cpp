// SPDX-License-Identifier: Apache-2.0
//
//   rank 0       create NAME.partial, reserve space, write header
//   all ranks    write the boxes they are the first to hold
//   rank 0       flush, rename to NAME, flush the folder
//
// After each line the ranks agree whether it has worked for all of them.

#include "FileDescriptor.h"
#include "shardsmith/Runtime/Context.h"
#include "shardsmith/Runtime/SafeTensors.h"

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <thread>

#include <fcntl.h>
#include <nlohmann/json.hpp>

namespace shardsmith::runtime {
namespace {

struct FileLayout {
  std::string start; // length of the header, header
  std::vector<int64_t> offsets;
  int64_t totalBytes = 0;
};

FileLayout layOut(const std::vector<TensorPart> &tensors,
                  const Metadata &metadata) {
  nlohmann::ordered_json header;
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  FileLayout layout;
  int64_t end = 0;
  for (const TensorPart &tensor : tensors) {
    int64_t begin = end;
    layout.offsets.push_back(begin);
    end += elementCount(tensor.shard.globalShape) * byteSize(tensor.type);
    header[tensor.name] = {{"dtype", safeTensorsName(tensor.type)},
                           {"shape", tensor.shard.globalShape},
                           {"data_offsets", {begin, end}}};
  }
  std::string text = header.empty() ? "{}" : header.dump();
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

FileDescriptor create(const std::string &path, const FileLayout &layout) {
  FileDescriptor file(
      open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666));
  if (!file.isOpen())
    refuseWrite(path, errno);
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
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorPart &tensor = tensors[i];
    if (!tensor.shard.isFirstCopy)
      continue;
    int64_t size = byteSize(tensor.type);
    for (const Run &run : contiguousRuns(tensor.shard, longest)) {
      writeFully(file, path,
                 static_cast<const uint8_t *>(tensor.local) + run.local * size,
                 run.length * size, layout.offsets[i] + run.global * size);
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

void publish(int file, const std::string &temporary, const std::string &path,
             const std::function<void()> &noteProgress) {
  flush(file, temporary, noteProgress);
  if (rename(temporary.c_str(), path.c_str()) != 0)
    refuseWrite(path, errno);
  std::string folder = std::filesystem::path(path).parent_path().string();
  FileDescriptor directory(open(folder.empty() ? "." : folder.c_str(),
                                O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.isOpen())
    fsync(directory.get());
}

/// Runs a phase on this rank and throws if it has failed on any.
void runTogether(smith_context &context, const std::string &temporary,
                 const std::function<void()> &phase) {
  std::optional<Failure> failure;
  try {
    phase();
  } catch (const Failure &error) {
    failure = error;
  }
  int64_t worst =
      context.maximum(failure ? static_cast<int64_t>(failure->code()) : 0);
  if (worst == 0)
    return;
  if (context.rank() == 0)
    unlink(temporary.c_str());
  context.barrier(); // nothing is left when the first rank reports
  if (failure)
    throw *failure;
  fail(static_cast<ExitCode>(worst), "another rank could not write {}",
       temporary);
}

} // namespace

void writeSafeTensors(const std::string &path,
                      const std::vector<TensorPart> &tensors,
                      const Metadata &metadata) {
  FileLayout layout = layOut(tensors, metadata);
  std::string temporary = path + ".partial";
  try {
    FileDescriptor file = create(temporary, layout);
    writeParts(file.get(), temporary, tensors, layout, [] {});
    publish(file.get(), temporary, path, [] {});
  } catch (const Failure &) {
    unlink(temporary.c_str());
    throw;
  }
}

void writeSafeTensors(smith_context &context, const std::string &path,
                      const std::vector<TensorPart> &tensors,
                      const Metadata &metadata) {
  FileLayout layout = layOut(tensors, metadata);
  std::string temporary = path + ".partial";
  auto noteProgress = [&] { context.noteProgress(); };
  FileDescriptor file;
  runTogether(context, temporary, [&] {
    if (context.rank() == 0)
      file = create(temporary, layout);
  });
  runTogether(context, temporary, [&] {
    if (context.rank() != 0)
      file = FileDescriptor(open(temporary.c_str(), O_WRONLY | O_CLOEXEC));
    if (!file.isOpen())
      refuseWrite(temporary, errno);
    writeParts(file.get(), temporary, tensors, layout, noteProgress);
  });
  runTogether(context, temporary, [&] {
    if (context.rank() == 0)
      publish(file.get(), temporary, path, noteProgress);
  });
}

} // namespace shardsmith::runtime
