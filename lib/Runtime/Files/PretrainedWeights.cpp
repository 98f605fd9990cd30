// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Files/PretrainedWeights.h"

#include "../Rank/Together.h"
#include "WeightNames.h"
#include "shardsmith/Runtime/Rank/Context.h"
#include "shardsmith/Support/AtomicFile.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace shardsmith::runtime {
namespace {

namespace fs = std::filesystem;

std::string describe(ElementType type, const Shape &shape) {
  return fmt::format("{} [{}]", name(type), fmt::join(shape, ", "));
}

std::string describe(const Argument &argument) {
  return describe(argument.type, argument.globalShape);
}

std::string describe(const SafeTensorsFile::Entry &entry) {
  return describe(entry.type, entry.shape);
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
                                   meaning->kind == TensorMeaning::Kind::Copy});
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
      auto [other, isNew] = sources.try_emplace(match.argument, &match);
      if (!isNew)
        fail(ExitCode::BadInput,
             "{}: tensors \"{}\" and \"{}\" both are parameter \"{}\"",
             weights.path(), other->second->source.name, match.source.name,
             match.argument->name);
    }
  // Who writes equal tensors once may keep either name.
  for (const File &file : files)
    for (const Match &match : file.tensors)
      if (match.isCopy)
        sources.try_emplace(match.argument, &match);
}

void PretrainedWeights::requireParameters(const Manifest &manifest,
                                          const std::string &stranger) const {
  for (const Argument &argument : manifest.arguments) {
    auto source = sources.find(&argument);
    if (source == sources.end()) {
      if (argument.role == Role::Param)
        fail(ExitCode::BadInput, "{}: tensor \"{}\" is missing; expected {}{}",
             weights.path(), argument.name, describe(argument),
             stranger.empty() ? "" : "; the first unknown one is " + stranger);
      continue;
    }
    const auto &[name, entry] = source->second->source;
    if (entry.shape != argument.globalShape ||
        !mayBecome(entry.type, argument.type))
      fail(ExitCode::BadInput, "{}: tensor \"{}\": expected {}, found {}",
           weights.path(), name, describe(argument), describe(entry));
  }
}

/// A copy that differs from its parameter is a parameter of another model.
void PretrainedWeights::requireEqualCopies() const {
  for (const File &file : files)
    for (const Match &match : file.tensors) {
      if (!match.isCopy)
        continue;
      const auto &[name, copy] = match.source;
      const auto &[originalName, original] = sources.at(match.argument)->source;
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
  for (const auto &[argument, match] : sources) {
    readConverted(match->source.entry,
                  shardOf(context.manifest, *argument, context.rank()),
                  argument->type, arena + argument->offset);
    context.noteProgress();
  }
}

void PretrainedWeights::save(smith_context &context, const std::string &folder,
                             const uint8_t *arena) const {
  for (const File &file : files) {
    std::vector<TensorPart> parts;
    for (const auto &[source, argument, isCopy] : file.tensors) {
      TensorPart part;
      part.name = source.name;
      part.storedAs = source.entry.type;
      if (argument) {
        part.type = argument->type;
        part.shard = shardOf(context.manifest, *argument, context.rank());
        part.local = arena + argument->offset;
      } else {
        part.type = source.entry.type;
        part.shard = wholeTensor(source.entry.shape);
        part.shard.isFirstCopy = context.rank() == 0;
        part.local = source.entry.data;
      }
      parts.push_back(std::move(part));
    }
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
      parts.push_back({argument.name, argument.type,
                       shardOf(context.manifest, argument, context.rank()),
                       arena + argument.offset});
  // The transformers library reads no file that does not say so.
  writeSafeTensors(context, (fs::path(folder) / weightsFileName).string(),
                   parts, {{"format", "pt"}});
  runTogether(context, [&] {
    if (context.rank() == 0)
      removeOtherLayout(folder, /*hasIndex=*/false);
  });
}

} // namespace shardsmith::runtime
