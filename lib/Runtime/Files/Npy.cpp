// SPDX-License-Identifier: Apache-2.0
//
//   \x93NUMPY  major minor  header length (2 or 4 bytes)
//   {'descr': '<f4', 'fortran_order': False, 'shape': (8, 64), }   \n
//   data

#include "Npy.h"

#include "../FileDescriptor.h"
#include "shardsmith/Runtime/Failure.h"
#include "shardsmith/Support/Quantity.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>

namespace shardsmith::runtime {
namespace {

[[noreturn]] void refuse(const std::string &path, std::string_view reason) {
  fail(ExitCode::BadInput, "{}: {}", path, reason);
}

/// The text after `'key':`, without leading spaces.
std::string_view valueOf(std::string_view header, std::string_view key,
                         const std::string &path) {
  size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos)
    refuse(path, fmt::format("the header has no '{}'", key));
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

std::optional<ElementType> typeOf(std::string_view descr) {
  struct Name {
    std::string_view text;
    ElementType type;
  };
  constexpr Name names[] = {
      {"<f4", SMITH_F32}, {"<f8", SMITH_F64}, {"<f2", SMITH_F16},
      {"|i1", SMITH_I8},  {"<i2", SMITH_I16}, {"<i4", SMITH_I32},
      {"<i8", SMITH_I64}, {"|u1", SMITH_U8},  {"<u2", SMITH_U16},
      {"<u4", SMITH_U32}, {"<u8", SMITH_U64}, {"|b1", SMITH_BOOL}};
  for (const Name &name : names)
    if (descr == name.text)
      return name.type;
  return std::nullopt;
}

Shape parseShape(std::string_view text, const std::string &path) {
  size_t close = text.find(')');
  if (text.empty() || text[0] != '(' || close == std::string_view::npos)
    refuse(path, "the header's shape is no tuple");
  text = text.substr(1, close - 1);
  Shape shape;
  while (true) {
    size_t digit = text.find_first_not_of(" ,");
    if (digit == std::string_view::npos)
      return shape;
    text.remove_prefix(digit);
    int64_t size = 0;
    auto [stop, error] =
        std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || size < 0)
      refuse(path, "the header's shape holds something other than sizes");
    shape.push_back(size);
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
  }
}

} // namespace

NpyFile readNpy(const std::string &path) {
  FileDescriptor descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (!descriptor.isOpen() || fstat(descriptor.get(), &status) != 0)
    refuse(path, "cannot open: " + describeError(errno));
  int64_t size = status.st_size;
  constexpr std::string_view magic("\x93NUMPY");
  if (size < 12)
    refuse(path, "too short for a .npy file");
  NpyFile array;
  array.file = Mapping::ofFile(descriptor.get(), size, /*writable=*/false);
  auto *bytes = array.file.data();
  if (std::memcmp(bytes, magic.data(), magic.size()) != 0)
    refuse(path, "no .npy file");

  bool isFirstVersion = bytes[6] == 1;
  uint32_t headerBytes = 0;
  int64_t prefix = isFirstVersion ? 10 : 12;
  std::memcpy(&headerBytes, bytes + 8, isFirstVersion ? 2 : 4);
  if (bytes[6] < 1 || bytes[6] > 3 || headerBytes > size - prefix)
    refuse(path, "the header is damaged or of an unknown version");
  std::string_view header(reinterpret_cast<const char *>(bytes) + prefix,
                          headerBytes);

  std::string_view descr = valueOf(header, "descr", path);
  descr = descr.substr(0, descr.find('\'', 1));
  std::optional<ElementType> type =
      descr.empty() ? std::nullopt : typeOf(descr.substr(1));
  if (!type)
    refuse(path, fmt::format("element type {}' is not supported", descr));
  array.type = *type;
  if (!valueOf(header, "fortran_order", path).starts_with("False"))
    refuse(path, "the array is column-major; save numpy.ascontiguousarray of "
                 "it");
  array.shape = parseShape(valueOf(header, "shape", path), path);

  Bytes expected(byteSize(array.type));
  for (int64_t dim : array.shape)
    expected = dim == 0 ? Bytes(0) : expected * dim;
  int64_t found = size - prefix - headerBytes;
  if (expected.count() > found)
    refuse(path, fmt::format("the array takes {} bytes, but only {} are "
                             "there; the file is truncated",
                             expected.count(), found));
  array.data = bytes + prefix + headerBytes;
  return array;
}

} // namespace shardsmith::runtime
