// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Runtime/Files/SafeTensors.h"

#include "../FileDescriptor.h"
#include "../JsonReader.h"
#include "shardsmith/Support/Quantity.h"

#include <bit>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>

namespace shardsmith::runtime {
namespace {

static_assert(std::endian::native == std::endian::little,
              "files hold little-endian numbers");

/// Checks an entry of the header and finds its data in `buffer`.
SafeTensorsFile::Entry readEntry(const JsonValue &value, const uint8_t *buffer,
                                 int64_t bufferBytes) {
  JsonValue dtype = value.at("dtype");
  std::optional<ElementType> type = elementTypeFromSafeTensors(dtype.string());
  if (!type)
    dtype.refuse(fmt::format("unknown element type \"{}\"", dtype.string()));
  SafeTensorsFile::Entry entry{*type, value.at("shape").sizes(), nullptr};

  std::vector<int64_t> offsets = value.at("data_offsets").sizes();
  if (offsets.size() != 2 || offsets[0] > offsets[1] ||
      offsets[1] > bufferBytes)
    value.at("data_offsets")
        .refuse(fmt::format("expected [begin, end] within the {} bytes of the "
                            "data",
                            bufferBytes));
  Bytes bytes(byteSize(*type));
  for (int64_t size : entry.shape)
    bytes = size == 0 ? Bytes(0) : bytes * size;
  if (bytes.count() != offsets[1] - offsets[0])
    value.at("data_offsets")
        .refuse(fmt::format("{} takes {} bytes, found {}",
                            describeTensor(*type, entry.shape), bytes.count(),
                            offsets[1] - offsets[0]));
  entry.data = buffer + offsets[0];
  return entry;
}

} // namespace

std::string describeTensor(ElementType type, const Shape &shape) {
  return fmt::format("{} [{}]", name(type), fmt::join(shape, ", "));
}

SafeTensorsFile::SafeTensorsFile(const std::string &path) : filePath(path) {
  FileDescriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!descriptor.isOpen() || fstat(descriptor.get(), &status) != 0)
    fail(ExitCode::BadInput, "cannot open {}: {}", path, describeError(errno));
  int64_t size = status.st_size;
  uint64_t headerBytes = 0;
  constexpr int64_t prefix = sizeof headerBytes;
  if (size < prefix)
    fail(ExitCode::BadInput,
         "{}: {} bytes are too short for a safetensors "
         "file",
         path, size);
  file = Mapping::ofFile(descriptor.get(), size, /*writable=*/false);
  std::memcpy(&headerBytes, file.data(), prefix);
  if (headerBytes > static_cast<uint64_t>(size - prefix))
    fail(ExitCode::BadInput,
         "{}: the header should have {} bytes, but the file ends after {}; it "
         "is truncated or no safetensors file",
         path, headerBytes, size - prefix);

  auto *text = reinterpret_cast<const char *>(file.data() + prefix);
  nlohmann::json header;
  try {
    header = nlohmann::json::parse(text, text + headerBytes);
  } catch (const nlohmann::json::exception &error) {
    fail(ExitCode::BadInput, "{}: header: {}", path, error.what());
  }
  int64_t dataStart = prefix + static_cast<int64_t>(headerBytes);
  JsonValue root(header, path);
  root.find(""); // refuses anything but an object
  for (const auto &[key, item] : header.items()) {
    JsonValue value = root.at(key);
    if (key == "__metadata__") {
      value.find("");
      for (const auto &[metadataKey, text] : item.items())
        metadataValues[metadataKey] = value.at(metadataKey).string();
    } else {
      entries[key] =
          readEntry(value, file.data() + dataStart, size - dataStart);
    }
  }
}

const SafeTensorsFile::Entry *
SafeTensorsFile::find(const std::string &name) const {
  auto entry = entries.find(name);
  return entry == entries.end() ? nullptr : &entry->second;
}

std::string SafeTensorsFile::whatDiffers(const Tensor &tensor) const {
  std::string expected = describeTensor(tensor.type, tensor.globalShape);
  const Entry *entry = find(tensor.name);
  if (!entry)
    return fmt::format("tensor \"{}\" is missing; expected {}", tensor.name,
                       expected);
  if (entry->type != tensor.type || entry->shape != tensor.globalShape)
    return fmt::format("tensor \"{}\": expected {}, found {}", tensor.name,
                       expected, describeTensor(entry->type, entry->shape));
  return "";
}

void SafeTensorsFile::read(const Tensor &tensor, const Shard &shard,
                           void *local) const {
  std::string difference = whatDiffers(tensor);
  if (!difference.empty())
    fail(ExitCode::BadInput, "{}: {}", filePath, difference);
  readConverted(*find(tensor.name), shard, tensor.type, local);
}

void readConverted(const SafeTensorsFile::Entry &entry, const Shard &shard,
                   ElementType type, void *local) {
  for (const Run &run : contiguousRuns(shard))
    convertElements(entry.type, entry.data, run.global, type, local, run.local,
                    run.length);
}

} // namespace shardsmith::runtime
