// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Driver/EmissionFolder.h"

#include "shardsmith/Driver/BuildFolder.h"

#include <algorithm>

namespace shardsmith {

void writeEmission(const std::string &output, const emit::Target &target,
                   const emit::Emission &emission) {
  BuildFolder folder(output);
  for (std::string_view name : {target.sometimes, target.graph})
    if (!name.empty() &&
        std::ranges::find(emission.files, name, &emit::EmittedFile::name) ==
            emission.files.end())
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
