// SPDX-License-Identifier: Apache-2.0
//
// Indexes of published weights, beside two files of tensors.

#include "FuzzInput.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Runtime/Files/WeightFiles.h"
#include "shardsmith/Support/AtomicFile.h"

#include <filesystem>

using namespace shardsmith;

namespace {

/// Goes with its files when the process ends.
class Folder {
public:
  Folder() : path(make()) {
    for (const char *name : {"a", "b"}) {
      float value = 1;
      runtime::TensorPart part{name, SMITH_F32, runtime::wholeTensor({}),
                               &value};
      runtime::writeSafeTensors(*this / (name + std::string(".safetensors")),
                                {part}, {});
    }
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  std::string operator/(const std::string &file) const {
    return path + "/" + file;
  }
  const std::string &name() const { return path; }

private:
  static std::string make() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "shardsmith-fuzz-XXXXXX")
            .string();
    fuzz::require(mkdtemp(pattern.data()), "there is a temporary folder");
    return pattern;
  }

  std::string path;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) try {
  static const Folder folder;
  std::string index = folder / std::string(runtime::weightsIndexName);
  fuzz::require(writeFileAtomically(index, fuzz::asText(data, size)).empty(),
                "the index can be written");
  runtime::WeightFiles weights(folder.name());
  fuzz::require(weights.hasIndex() && !weights.files().empty() &&
                    weights.files().size() <= 2,
                "an index that is read lists some of the files there are");
  return 0;
} catch (const runtime::Failure &) {
  return 0;
}
