// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Files/WeightFiles.h"

#include "../JsonReader.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

namespace shardsmith::runtime {
namespace {

namespace fs = std::filesystem;

std::string textOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file)
    fail(ExitCode::BadInput, "cannot read {}", path);
  return text.str();
}

/// The file in `folder` that has its weights, by the names that are usual.
std::string mainFileIn(const std::string &folder) {
  for (std::string_view name : {weightsFileName, weightsIndexName}) {
    fs::path path = fs::path(folder) / name;
    std::error_code error;
    if (fs::exists(path, error))
      return path.string();
  }
  fail(ExitCode::BadInput,
       "{}: neither {} nor {} is in this folder; no other files of weights are "
       "read",
       folder, weightsFileName, weightsIndexName);
}

/// Tensors by the file that the index says they are in.
using TensorsByFile = std::map<std::string, std::set<std::string>>;

TensorsByFile readWeightMap(const std::string &path, const std::string &text) {
  nlohmann::json document;
  try {
    document = nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception &error) {
    fail(ExitCode::BadInput, "{}: {}", path, error.what());
  }
  JsonValue map = JsonValue(document, path).at("weight_map");
  map.find(""); // refuses anything but an object
  TensorsByFile byFile;
  for (const auto &[name, item] : document["weight_map"].items()) {
    JsonValue value = map.at(name);
    std::string file = value.string();
    if (file.empty() || file.find('/') != std::string::npos)
      value.refuse(fmt::format("expected the name of a file beside the index, "
                               "found \"{}\"",
                               file));
    byFile[file].insert(name);
  }
  if (byFile.empty())
    map.refuse("the index lists no tensor");
  return byFile;
}

} // namespace

std::vector<WeightFiles::NamedEntry> WeightFiles::File::inOrder() const {
  std::vector<NamedEntry> entries;
  for (const auto &[name, entry] : tensors.all())
    entries.push_back({name, entry});
  // Tensors without elements may share their place with the next one.
  std::ranges::sort(entries, {}, [](const NamedEntry &each) {
    return std::tuple(each.entry.data, std::string_view(each.name));
  });
  return entries;
}

WeightFiles::WeightFiles(const std::string &path) : givenPath(path) {
  std::error_code error;
  std::string main = fs::is_directory(path, error) ? mainFileIn(path) : path;
  filesFolder = fs::path(main).parent_path().string();
  if (main.ends_with(".json"))
    readIndexed(main);
  else
    readOne(main);
}

void WeightFiles::readOne(const std::string &path) {
  allFiles.push_back({std::string(weightsFileName), SafeTensorsFile(path)});
}

void WeightFiles::readIndexed(const std::string &path) {
  index = textOf(path);
  std::map<std::string, std::string> fileOf;
  for (const auto &[name, tensors] : readWeightMap(path, index)) {
    std::string shard = (fs::path(filesFolder) / name).string();
    allFiles.push_back({name, SafeTensorsFile(shard)});
    const SafeTensorsFile &file = allFiles.back().tensors;
    for (const std::string &tensor : tensors)
      if (!file.find(tensor))
        fail(ExitCode::BadInput,
             "{}: tensor \"{}\" is missing, which {} says is in this file",
             shard, tensor, path);
    for (const auto &[tensor, entry] : file.all()) {
      auto [other, isNew] = fileOf.try_emplace(tensor, name);
      if (!isNew)
        fail(ExitCode::BadInput, "{}: tensor \"{}\" is in {} as well", shard,
             tensor, other->second);
    }
  }
}

} // namespace shardsmith::runtime
