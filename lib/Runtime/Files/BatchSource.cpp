// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Files/BatchSource.h"

#include "../FileDescriptor.h"
#include "Npy.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Initialize.h"

#include <algorithm>
#include <cerrno>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>

namespace shardsmith::runtime {
namespace {

/// Stores file elements as the argument's type, refusing what it cannot
/// hold: a silent wrap of a token would train on garbage.
class CheckedCopy {
public:
  CheckedCopy(const Argument &argument, ElementType from,
              const std::string &path)
      : argument(argument), from(from), path(path) {
    bool floats = isFloat(from) && isFloat(argument.type);
    bool integers = !isFloat(from) && !isFloat(argument.type);
    if (!floats && !integers)
      fail(ExitCode::BadInput, "{}: holds {}, but argument \"{}\" takes {}",
           path, name(from), argument.name, name(argument.type));
  }

  void operator()(const void *source, int64_t sourceIndex, void *target,
                  int64_t targetIndex, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) {
      double value = loadAsDouble(from, source, sourceIndex + i);
      checkLimit(value, sourceIndex + i);
      storeFromDouble(argument.type, target, targetIndex + i, value);
      if (!isFloat(from) &&
          loadAsDouble(argument.type, target, targetIndex + i) != value)
        fail(ExitCode::BadInput,
             "{}: element {} is {}, which {} of argument \"{}\" cannot hold",
             path, sourceIndex + i, value, name(argument.type), argument.name);
    }
  }

private:
  void checkLimit(double value, int64_t index) const {
    if (!argument.limit || isFloat(from))
      return;
    if (value < 0 || value >= static_cast<double>(*argument.limit))
      fail(ExitCode::BadInput,
           "{}: element {} is {}; argument \"{}\" takes values from 0 to {}",
           path, index, value, argument.name, *argument.limit - 1);
  }

  const Argument &argument;
  ElementType from;
  std::string path;
};

class SyntheticSource final : public ArgumentSource {
public:
  SyntheticSource(const Argument &argument, uint64_t seed,
                  const ThreadTeam &team)
      : argument(argument), seed(seed), team(team) {}

  void fill(int64_t step, const Shard &shard, void *local) const override {
    synthesize(argument, shard, seed, step, local, team);
  }

private:
  const Argument &argument;
  uint64_t seed;
  const ThreadTeam &team;
};

/// An array with one of three shapes, reused from the start at its end:
///   the argument's own              the same batch in every step
///   one more dimension in front     one batch per index
///   more samples in the batch dim   consecutive batches of samples
class ArraySource final : public ArgumentSource {
public:
  ArraySource(const Argument &argument, const std::string &path)
      : array(readNpy(path)), copy(argument, array.type, path),
        batch(argument.globalShape) {
    if (array.shape == batch)
      return;
    Shape inner = array.shape;
    if (!inner.empty())
      inner.erase(inner.begin());
    if (inner == batch && array.shape[0] > 0) {
      batches = array.shape[0];
      return;
    }
    int64_t dim = argument.batchDim;
    if (dim >= 0 && array.shape.size() == batch.size() &&
        dim < static_cast<int64_t>(batch.size())) {
      Shape expected = batch;
      expected[dim] = array.shape[dim];
      if (array.shape == expected && array.shape[dim] >= batch[dim] &&
          batch[dim] > 0) {
        batches = array.shape[dim] / batch[dim];
        sampleDim = dim;
        return;
      }
    }
    fail(ExitCode::BadInput,
         "{}: shape [{}] does not fit argument \"{}\" of shape [{}]; expected "
         "the same, one more leading dimension, or more samples in dimension "
         "{}",
         path, fmt::join(array.shape, ", "), argument.name,
         fmt::join(batch, ", "), dim);
  }

  void fill(int64_t step, const Shard &shard, void *local) const override {
    int64_t index = step % batches;
    Shard source = shard;
    int64_t base = 0;
    if (sampleDim) {
      source.globalShape = array.shape;
      source.start[*sampleDim] += index * batch[*sampleDim];
    } else {
      base = index * elementCount(batch);
    }
    for (const Run &run : contiguousRuns(source))
      copy(array.data, base + run.global, local, run.local, run.length);
  }

private:
  NpyFile array;
  CheckedCopy copy;
  Shape batch;
  int64_t batches = 1;
  std::optional<int64_t> sampleDim;
};

/// A file of tokens, shared by the arguments that read it.
struct TokenFile {
  explicit TokenFile(const std::string &path, ElementType type)
      : path(path), type(type) {
    FileDescriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status{};
    if (!descriptor.isOpen() || fstat(descriptor.get(), &status) != 0)
      fail(ExitCode::BadInput, "cannot open {}: {}", path,
           describeError(errno));
    count = status.st_size / byteSize(type);
    file = Mapping::ofFile(descriptor.get(), status.st_size,
                           /*writable=*/false);
  }

  std::string path;
  ElementType type;
  int64_t count = 0;
  Mapping file;
};

/// Sequence s of the file is its tokens [s·T, (s+1)·T); sequence b of step k
/// is number k·B + b, modulo the number of sequences. Targets are the same,
/// one token later.
class TokenSource final : public ArgumentSource {
public:
  TokenSource(const Argument &argument, std::shared_ptr<TokenFile> tokens,
              int64_t shift)
      : tokens(std::move(tokens)),
        copy(argument, this->tokens->type, this->tokens->path), shift(shift),
        length(argument.globalShape.back()),
        batch(elementCount(argument.globalShape) /
              std::max<int64_t>(length, 1)),
        // One token more than the sequences, so that targets exist.
        sequences((this->tokens->count - 1) / std::max<int64_t>(length, 1)) {
    if (sequences < 1)
      fail(ExitCode::BadInput,
           "{}: {} tokens are too few; argument \"{}\" has sequences of {}, "
           "and one more token is needed",
           this->tokens->path, this->tokens->count, argument.name, length);
  }

  void fill(int64_t step, const Shard &shard, void *local) const override {
    for (const Run &run : contiguousRuns(shard, length)) {
      // A run may begin within a sequence and end within the next.
      for (int64_t done = 0; done < run.length;) {
        int64_t at = run.global + done;
        int64_t sequence = (step * batch + at / length) % sequences;
        int64_t piece = std::min(run.length - done, length - at % length);
        copy(tokens->file.data(), sequence * length + at % length + shift,
             local, run.local + done, piece);
        done += piece;
      }
    }
  }

private:
  std::shared_ptr<TokenFile> tokens;
  CheckedCopy copy;
  int64_t shift, length, batch, sequences;
};

bool isTargetName(const std::string &name) {
  std::string last = name.substr(name.find_last_of(".[/") + 1);
  return last.starts_with("target") || last.starts_with("label");
}

bool isTokenArgument(const Argument &argument) {
  return argument.role == Role::Batch && isInteger(argument.type) &&
         !argument.globalShape.empty();
}

} // namespace

BatchSource::BatchSource(const Manifest &manifest, const DataOptions &options,
                         const ThreadTeam &team) {
  std::shared_ptr<TokenFile> tokens;
  if (!options.tokenFile.empty())
    tokens = std::make_shared<TokenFile>(options.tokenFile, options.tokenType);
  const Argument *tokenArgument = nullptr;
  size_t arraysUsed = 0;

  for (const Argument &argument : manifest.arguments) {
    std::unique_ptr<ArgumentSource> &source = sources.emplace_back();
    if (argument.role != Role::Batch)
      continue;
    auto array = options.arrays.find(argument.name);
    bool isTarget = tokenArgument && isTargetName(argument.name) &&
                    argument.globalShape == tokenArgument->globalShape;
    if (array != options.arrays.end()) {
      source = std::make_unique<ArraySource>(argument, array->second);
      ++arraysUsed;
    } else if (tokens && isTokenArgument(argument) && !tokenArgument) {
      tokenArgument = &argument;
      source = std::make_unique<TokenSource>(argument, tokens, 0);
    } else if (tokens && isTokenArgument(argument) && isTarget) {
      source = std::make_unique<TokenSource>(argument, tokens, 1);
    } else {
      source = std::make_unique<SyntheticSource>(argument, options.seed, team);
    }
  }

  if (tokens && !tokenArgument)
    fail(ExitCode::BadInput,
         "{}: the program has no integer batch argument "
         "that takes tokens",
         options.tokenFile);
  if (arraysUsed == options.arrays.size())
    return;
  std::vector<std::string> names;
  for (const Argument &argument : manifest.arguments)
    if (argument.role == Role::Batch)
      names.push_back(argument.name);
  for (const auto &[name, path] : options.arrays)
    if (std::find(names.begin(), names.end(), name) == names.end())
      fail(ExitCode::BadInput,
           "--data {}={}: no batch argument has this name; there are: {}", name,
           path, fmt::join(names, ", "));
}

void BatchSource::fill(size_t index, int64_t step, const Shard &shard,
                       void *local) const {
  sources[index]->fill(step, shard, local);
}

} // namespace shardsmith::runtime
