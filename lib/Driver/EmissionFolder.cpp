// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/EmissionFolder.h"

#include "shardsmith/Driver/BuildFolder.h"

#include <algorithm>

namespace shardsmith {

namespace {

bool has(const emit::Emission &emission, std::string_view name) {
  auto isIt = [&](const auto &file) { return file.name == name; };
  return std::ranges::any_of(emission.files, isIt) ||
         std::ranges::any_of(emission.streamed, isIt);
}

} // namespace

void writeEmission(const std::string &output, const emit::Target &target,
                   const emit::Emission &emission) {
  BuildFolder folder(output);
  for (std::string_view name : {target.sometimes, target.graph})
    if (!name.empty() && !has(emission, name))
      folder.remove(std::string(name).c_str());
  for (const emit::EmittedFile &file : emission.files) {
    if (file.isExecutable)
      folder.writeExecutable(file.name.c_str(), file.text);
    else
      folder.write(file.name.c_str(), file.text);
  }
  for (const emit::StreamedFile &file : emission.streamed)
    folder.writePieces(file.name.c_str(), file.write);
  folder.publish();
}

} // namespace shardsmith
