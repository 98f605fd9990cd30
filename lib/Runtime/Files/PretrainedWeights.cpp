// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Files/PretrainedWeights.h"

#include "../Rank/Together.h"
#include "StackedMatrix.h"
#include "WeightNames.h"
#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Support/AtomicFile.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <list>
#include <sstream>

namespace shardsmith::runtime {
namespace {

namespace fs = std::filesystem;

std::string describe(const Argument &argument) {
  return describeTensor(argument.type, argument.globalShape);
}

std::string describe(const SafeTensorsFile::Entry &entry) {
  return describeTensor(entry.type, entry.shape);
}

bool mayBecome(ElementType from, ElementType to) {
  return from == to || (isFloat(from) && isFloat(to));
}

int64_t bytesOf(const SafeTensorsFile::Entry &entry) {
  return elementCount(entry.shape) * byteSize(entry.type);
}

/// Files that a folder must not have beside the new ones: readers would take
/// them for the weights.
void removeOtherLayout(const std::string &folder, bool hasIndex) {
  std::error_code error;
  fs::remove(fs::path(folder) / (hasIndex ? weightsFileName : weightsIndexName),
             error);
}

void writeText(const std::string &path, const std::string &text) {
  std::string problem = writeFileAtomically(path, text);
  if (!problem.empty())
    fail(ExitCode::Environment, "{}", problem);
}

/// What loads a model beside its weights: the configuration and, where this is
/// there, what makes text or images its inputs.
constexpr const char *companions[] = {"generation_config.json",
                                      "tokenizer.json",
                                      "tokenizer_config.json",
                                      "special_tokens_map.json",
                                      "added_tokens.json",
                                      "vocab.json",
                                      "vocab.txt",
                                      "merges.txt",
                                      "tokenizer.model",
                                      "spiece.model",
                                      "chat_template.jinja",
                                      "preprocessor_config.json"};

bool copyFile(const std::string &name, const std::string &from,
              const std::string &to) {
  std::ifstream file(fs::path(from) / name, std::ios::binary);
  if (!file)
    return false;
  std::ostringstream text;
  text << file.rdbuf();
  writeText((fs::path(to) / name).string(), text.str());
  return true;
}

/// A file of weights that lies anywhere has no companions.
void copyConfiguration(const std::string &from, const std::string &to) {
  if (!copyFile(std::string(configFileName), from, to))
    return;
  for (const char *name : companions)
    copyFile(name, from, to);
}

} // namespace

PretrainedWeights::PretrainedWeights(const Manifest &manifest,
                                     const std::string &path)
    : weights(path) {
  WeightNames names(manifest);
  std::string stranger;
  for (const WeightFiles::File &file : weights.files()) {
    File &matched =
        files.emplace_back(File{file.name, file.tensors.metadata(), {}});
    for (WeightFiles::NamedEntry &entry : file.inOrder()) {
      std::optional<TensorMeaning> meaning = names.meaningOf(entry.name);
      if (meaning)
        matched.tensors.push_back({std::move(entry), meaning->argument,
                                   meaning->kind == TensorMeaning::Kind::Copy,
                                   meaning->matrix});
      else if (stranger.empty())
        stranger = fmt::format("\"{}\", {}", entry.name, describe(entry.entry));
    }
  }
  findSources();
  requireParameters(manifest, stranger);
  if (!stranger.empty())
    fail(ExitCode::BadInput,
         "{}: holds a tensor that no parameter of this program is called: {}",
         path, stranger);
  requireEqualCopies();
}

void PretrainedWeights::findSources() {
  for (const File &file : files)
    for (const Match &match : file.tensors) {
      if (!match.argument || match.isCopy)
        continue;
      auto [other, isNew] =
          sources.try_emplace({match.argument, match.matrix}, &match);
      if (!isNew)
        refuseTwice(*other->second, match);
    }
  // Who writes equal tensors once may keep either name.
  for (const File &file : files)
    for (const Match &match : file.tensors)
      if (match.isCopy)
        sources.try_emplace({match.argument, std::nullopt}, &match);
}

const PretrainedWeights::Match *
PretrainedWeights::sourceOf(const Argument &argument,
                            std::optional<int64_t> matrix) const {
  auto source = sources.find({&argument, matrix});
  return source == sources.end() ? nullptr : source->second;
}

void PretrainedWeights::refuseMissing(const std::string &what,
                                      const std::string &stranger) const {
  fail(ExitCode::BadInput, "{}: {}{}", weights.path(), what,
       stranger.empty() ? "" : "; the first unknown one is " + stranger);
}

void PretrainedWeights::refuseTwice(const Match &one,
                                    const Match &other) const {
  fail(ExitCode::BadInput,
       "{}: tensors \"{}\" and \"{}\" both are parameter \"{}\"",
       weights.path(), one.source.name, other.source.name, one.argument->name);
}

void PretrainedWeights::requireParameters(const Manifest &manifest,
                                          const std::string &stranger) const {
  for (const Argument &argument : manifest.arguments) {
    if (partsOf(manifest, argument).front() != &argument)
      continue;
    // Keys of one argument are neighbours, the whole one in front.
    auto first = sources.lower_bound({&argument, std::nullopt});
    bool isThere = first != sources.end() && first->first.first == &argument;
    auto next = isThere ? std::next(first) : sources.end();
    bool isTwice = isThere && !first->first.second && next != sources.end() &&
                   next->first.first == &argument;
    if (isTwice)
      refuseTwice(*first->second, *next->second);
    if (isThere && first->first.second)
      requireMatrices(argument, stranger);
    else if (isThere)
      requireFit(argument, *first->second);
    else if (argument.role == Role::Param)
      refuseMissing(fmt::format("tensor \"{}\" is missing; expected {}",
                                argument.name, describe(argument)),
                    stranger);
  }
}

void PretrainedWeights::requireMatrices(const Argument &stack,
                                        const std::string &stranger) const {
  for (int64_t number = 0; number < stack.globalShape[0]; ++number) {
    const Match *match = sourceOf(stack, number);
    if (!match)
      refuseMissing(
          fmt::format(
              "matrix {} of \"{}\" is missing; expected {}", number, stack.name,
              describeTensor(stack.type, StackedMatrix::fileShape(stack))),
          stranger);
    requireFit(stack, *match);
  }
}

void PretrainedWeights::requireFit(const Argument &argument,
                                   const Match &match) const {
  const auto &[name, entry] = match.source;
  Shape shape =
      match.matrix ? StackedMatrix::fileShape(argument) : argument.globalShape;
  if (entry.shape != shape || !mayBecome(entry.type, argument.type))
    fail(ExitCode::BadInput, "{}: tensor \"{}\": expected {}, found {}",
         weights.path(), name, describeTensor(argument.type, shape),
         describe(entry));
}

/// A copy that differs from its parameter is a parameter of another model.
void PretrainedWeights::requireEqualCopies() const {
  for (const File &file : files)
    for (const Match &match : file.tensors) {
      if (!match.isCopy)
        continue;
      const auto &[name, copy] = match.source;
      const auto &[originalName, original] = sourceOf(*match.argument)->source;
      bool isEqual = copy.type == original.type &&
                     copy.shape == original.shape &&
                     std::memcmp(copy.data, original.data,
                                 static_cast<size_t>(bytesOf(copy))) == 0;
      if (!isEqual)
        fail(ExitCode::BadInput,
             "{}: tensor \"{}\", {}, differs from \"{}\", {}, but in this "
             "program they are one parameter",
             weights.path(), name, describe(copy), originalName,
             describe(original));
    }
}

void PretrainedWeights::load(smith_context &context, uint8_t *arena) const {
  for (const auto &[key, match] : sources) {
    const SafeTensorsFile::Entry &entry = match->source.entry;
    for (const Argument *argument :
         partsOf(context.manifest, *match->argument)) {
      Shard shard = context.shardOf(*argument);
      uint8_t *local = context.placeOf(*argument, arena);
      if (match->matrix && local) {
        StackedMatrix matrix(*argument, shard, *match->matrix);
        std::vector<uint8_t> values = matrix.take(local);
        readConverted(entry, matrix.fileShard(), argument->type, values.data());
        matrix.put(values, local);
      } else {
        readConverted(entry, shard, argument->type, local);
      }
    }
    context.noteProgress();
  }
}

TensorPart
PretrainedWeights::partOf(const Match &match, const Argument &argument,
                          const smith_context &context, const uint8_t *arena,
                          std::list<std::vector<uint8_t>> &matrices) {
  const auto &[name, entry] = match.source;
  const uint8_t *local = context.placeOf(argument, arena);
  Shard shard = context.shardOf(argument);
  if (!match.matrix)
    return {name, argument.type, shard, local, entry.type};
  if (!local) {
    // Every rank lays out the whole file, with what others hold.
    Shard elsewhere = wholeTensor(StackedMatrix::fileShape(argument));
    elsewhere.isFirstCopy = elsewhere.isHeld = false;
    return {name, argument.type, elsewhere, nullptr, entry.type};
  }
  StackedMatrix matrix(argument, shard, *match.matrix);
  return {name, argument.type, matrix.fileShard(),
          matrices.emplace_back(matrix.take(local)).data(), entry.type};
}

void PretrainedWeights::addParts(const Match &match,
                                 const smith_context &context,
                                 const uint8_t *arena,
                                 std::list<std::vector<uint8_t>> &matrices,
                                 std::vector<TensorPart> &parts) {
  const auto &[name, entry] = match.source;
  if (!match.argument) {
    Shard whole = wholeTensor(entry.shape);
    whole.isFirstCopy = context.rank() == 0;
    parts.push_back({name, entry.type, whole, entry.data});
    return;
  }
  for (const Argument *argument : partsOf(context.manifest, *match.argument))
    parts.push_back(partOf(match, *argument, context, arena, matrices));
}

void PretrainedWeights::save(smith_context &context, const std::string &folder,
                             const uint8_t *arena) const {
  for (const File &file : files) {
    std::vector<TensorPart> parts;
    std::list<std::vector<uint8_t>> matrices;
    for (const Match &match : file.tensors)
      addParts(match, context, arena, matrices, parts);
    writeSafeTensors(context, (fs::path(folder) / file.name).string(), parts,
                     file.metadata);
  }
  runTogether(context, [&] {
    if (context.rank() != 0)
      return;
    // Names, shapes and types are the same, and so is the index.
    if (weights.hasIndex())
      writeText((fs::path(folder) / weightsIndexName).string(),
                weights.indexText());
    removeOtherLayout(folder, weights.hasIndex());
    copyConfiguration(weights.folder(), folder);
  });
}

void takeWeightsFolder(const std::string &folder,
                       const std::vector<std::string> &originals) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    fail(ExitCode::Environment, "cannot make folder '{}': {}", folder,
         error.message());
  for (std::string_view file :
       {weightsFileName, weightsIndexName, configFileName}) {
    std::string problem = whyNotWritable((fs::path(folder) / file).string());
    if (!problem.empty())
      fail(ExitCode::Environment, "{}", problem);
  }
  for (const std::string &original : originals) {
    if (original.empty())
      continue;
    fs::path path = fs::absolute(original, error);
    if (!fs::is_directory(path, error))
      path = path.parent_path();
    if (fs::equivalent(path, folder, error))
      fail(ExitCode::Environment,
           "--save-weights {}: the run reads weights from this folder; give "
           "another one",
           folder);
  }
}

void saveWeights(smith_context &context, const std::string &folder,
                 const uint8_t *arena) {
  std::vector<TensorPart> parts;
  for (const Argument &argument : context.manifest.arguments)
    if (argument.role == Role::Param)
      parts.push_back({argument.name, argument.type, context.shardOf(argument),
                       context.placeOf(argument, arena)});
  // The transformers library reads no file that does not say so.
  writeSafeTensors(context, (fs::path(folder) / weightsFileName).string(),
                   parts, {{"format", "pt"}});
  runTogether(context, [&] {
    if (context.rank() == 0)
      removeOtherLayout(folder, /*hasIndex=*/false);
  });
}

} // namespace shardsmith::runtime
