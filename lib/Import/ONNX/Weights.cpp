// SPDX-License-Identifier: Apache-2.0

#include "Weights.h"

#include "Failure.h"

#include <fmt/ranges.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>

namespace shardsmith::onnx {
namespace {

namespace fs = std::filesystem;

/// ONNX's numbers of element types. Strings, complex numbers and the types of
/// eight bits and fewer that only quantised models have are not here.
const std::map<int64_t, ElementType> &typesByNumber() {
  static const std::map<int64_t, ElementType> types = {
      {1, ElementType::F32},  {2, ElementType::U8},   {3, ElementType::I8},
      {4, ElementType::U16},  {5, ElementType::I16},  {6, ElementType::I32},
      {7, ElementType::I64},  {9, ElementType::Bool}, {10, ElementType::F16},
      {11, ElementType::F64}, {12, ElementType::U32}, {13, ElementType::U64},
      {16, ElementType::BF16}};
  return types;
}

std::string nameOf(const format::Tensor &tensor) {
  return tensor.name().empty() ? "a tensor of an attribute"
                               : "tensor '" + tensor.name() + "'";
}

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

int64_t numberIn(const format::Tensor &tensor, const std::string &key,
                 const std::string &text) {
  int64_t number = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0)
    badInput("{}: '{}' of its external data is '{}', not a number of bytes",
             nameOf(tensor), key, text);
  return number;
}

/// The file that `location` names, which must be in the model's folder when
/// all links are followed.
fs::path placeOf(const format::Tensor &tensor, const std::string &location,
                 const std::string &folder) {
  std::error_code error;
  fs::path root = fs::weakly_canonical(folder.empty() ? "." : folder, error);
  fs::path place = fs::weakly_canonical(root / location, error);
  fs::path inside = place.lexically_relative(root);
  bool isInside = !error && !fs::path(location).is_absolute() &&
                  !inside.empty() && *inside.begin() != ".." &&
                  *inside.begin() != ".";
  if (location.empty() || location.find('\0') != std::string::npos || !isInside)
    badInput("{}: its external data '{}' is outside the model's folder; "
             "weights must lie beside the model",
             nameOf(tensor), location);
  if (!fs::is_regular_file(place, error))
    badInput("{}: there is no file '{}' with its external data", nameOf(tensor),
             place.string());
  return place;
}

void readExternal(const format::Tensor &tensor, const TensorHeader &header,
                  const std::string &folder, Tensor &into) {
  std::string location;
  int64_t offset = 0, length = header.bytes;
  for (const format::StringPair &pair : tensor.external_data()) {
    if (pair.key() == "location")
      location = pair.value();
    else if (pair.key() == "offset")
      offset = numberIn(tensor, "offset", pair.value());
    else if (pair.key() == "length")
      length = numberIn(tensor, "length", pair.value());
  }
  fs::path place = placeOf(tensor, location, folder);
  if (length != header.bytes)
    badInput("{}: its external data has {} bytes, its type and shape need {}",
             nameOf(tensor), length, header.bytes);
  std::error_code error;
  auto size = static_cast<int64_t>(fs::file_size(place, error));
  if (error || offset > size || length > size - offset)
    badInput("{}: its external data ends at byte {} of '{}', which has {} "
             "bytes",
             nameOf(tensor), static_cast<uint64_t>(offset) + length,
             place.string(), error ? 0 : size);
  into = Tensor::uninitialized(header.type, header.shape);
  std::ifstream file(place, std::ios::binary);
  file.seekg(offset);
  file.read(reinterpret_cast<char *>(into.mutableData<std::byte>()), length);
  if (!file)
    badInput("cannot read the external data of {} from '{}'", nameOf(tensor),
             place.string());
}

//===----------------------------------------------------------------------===//
// Elements in the file itself
//===----------------------------------------------------------------------===//

/// Copies numbers that the format stores as `From`, each as the low bits of
/// one element.
template <typename Numbers>
void copyNumbers(const Numbers &numbers, Tensor &into) {
  const ElementType type = into.type();
  if (type == ElementType::F16 || type == ElementType::BF16) {
    auto *bits = into.mutableData<uint16_t>();
    for (auto number : numbers)
      *bits++ = static_cast<uint16_t>(number);
    return;
  }
  dispatchArithmetic(type, [&]<typename Element>(Tag<Element>) {
    if constexpr (!isReducedFloat<Element>) {
      auto *elements = into.mutableData<Element>();
      for (auto number : numbers)
        *elements++ = static_cast<Element>(number);
    }
  });
}

template <typename Callback>
void withNumbers(const format::Tensor &tensor, ElementType type,
                 Callback callback) {
  switch (type) {
  case ElementType::F32:
    return callback(tensor.float_data());
  case ElementType::F64:
    return callback(tensor.double_data());
  case ElementType::I64:
    return callback(tensor.int64_data());
  case ElementType::U32:
  case ElementType::U64:
    return callback(tensor.uint64_data());
  default:
    return callback(tensor.int32_data());
  }
}

/// The file itself holds as many elements as the shape says.
void requireElements(const format::Tensor &tensor, const TensorHeader &header) {
  if (tensor.has_raw_data()) {
    if (static_cast<int64_t>(tensor.raw_data().size()) != header.bytes)
      badInput("{} holds {} bytes, its type and its shape [{}] need {}",
               nameOf(tensor), tensor.raw_data().size(),
               fmt::join(header.shape, ", "), header.bytes);
    return;
  }
  withNumbers(tensor, header.type, [&](const auto &numbers) {
    if (numbers.size() != header.elements)
      badInput("{} holds {} elements, its shape [{}] needs {}", nameOf(tensor),
               numbers.size(), fmt::join(header.shape, ", "), header.elements);
  });
}

} // namespace

ElementType elementTypeOf(int64_t number, const std::string &what) {
  auto found = typesByNumber().find(number);
  if (found == typesByNumber().end())
    unsupported("element type {} of {}: floats of 16, 32 and 64 bits, bf16, "
                "integers and booleans are read",
                number, what);
  return found->second;
}

TensorHeader headerOf(const format::Tensor &tensor) {
  TensorHeader header{elementTypeOf(tensor.data_type(), nameOf(tensor)), {}};
  for (int64_t size : tensor.dims()) {
    if (size < 0)
      badInput("{} has a dimension of size {}", nameOf(tensor), size);
    header.shape.push_back(size);
  }
  std::optional<int64_t> count = checkedElementCount(header.shape);
  if (!count || *count > std::numeric_limits<int64_t>::max() / 8)
    badInput("{} has a shape of [{}], more elements than can be counted",
             nameOf(tensor), fmt::join(header.shape, ", "));
  header.elements = *count;
  header.bytes = *count * storageBytes(header.type);
  if (tensor.data_location() != 1)
    requireElements(tensor, header);
  return header;
}

Tensor readTensor(const format::Tensor &tensor, const std::string &folder) {
  TensorHeader header = headerOf(tensor);
  Tensor result;
  if (tensor.data_location() == 1) {
    readExternal(tensor, header, folder, result);
  } else if (tensor.has_raw_data()) {
    result = Tensor::uninitialized(header.type, header.shape);
    if (header.bytes > 0)
      std::memcpy(result.mutableData<std::byte>(), tensor.raw_data().data(),
                  header.bytes);
  } else {
    withNumbers(tensor, header.type, [&](const auto &numbers) {
      result = Tensor::uninitialized(header.type, header.shape);
      copyNumbers(numbers, result);
    });
  }
  // A byte of a boolean may be anything in the file, but not in C++.
  if (header.type == ElementType::Bool)
    for (int64_t i = 0; i < header.elements; ++i) {
      auto *byte = result.mutableData<uint8_t>() + i;
      *byte = *byte != 0;
    }
  return result;
}

} // namespace shardsmith::onnx
