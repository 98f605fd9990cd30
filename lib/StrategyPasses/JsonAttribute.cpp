// SPDX-License-Identifier: Apache-2.0

#include "JsonAttribute.h"

#include "mlir/IR/Builders.h"

#include <nlohmann/json.hpp>

using namespace mlir;

namespace shardsmith {

using Json = nlohmann::ordered_json;

Attribute toAttribute(MLIRContext *context, const Json &json) {
  Builder builder(context);
  switch (json.type()) {
  case Json::value_t::object: {
    SmallVector<NamedAttribute> members;
    for (const auto &[key, value] : json.items())
      if (!value.is_null())
        members.push_back(
            builder.getNamedAttr(key, toAttribute(context, value)));
    return builder.getDictionaryAttr(members);
  }
  case Json::value_t::array: {
    SmallVector<Attribute> elements;
    for (const Json &value : json)
      elements.push_back(toAttribute(context, value));
    return builder.getArrayAttr(elements);
  }
  case Json::value_t::string:
    return builder.getStringAttr(json.get_ref<const std::string &>());
  case Json::value_t::boolean:
    return builder.getBoolAttr(json.get<bool>());
  case Json::value_t::number_integer:
  case Json::value_t::number_unsigned:
    return builder.getI64IntegerAttr(json.get<int64_t>());
  case Json::value_t::number_float:
    return builder.getF64FloatAttr(json.get<double>());
  default:
    llvm_unreachable("a JSON value without an attribute");
  }
}

std::optional<Json> toJson(Attribute attribute, std::string &error) {
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    Json json = Json::object();
    for (NamedAttribute member : dictionary) {
      std::optional<Json> value = toJson(member.getValue(), error);
      if (!value)
        return std::nullopt;
      json[member.getName().str()] = std::move(*value);
    }
    return json;
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    Json json = Json::array();
    for (Attribute element : array) {
      std::optional<Json> value = toJson(element, error);
      if (!value)
        return std::nullopt;
      json.push_back(std::move(*value));
    }
    return json;
  }
  if (auto string = dyn_cast<StringAttr>(attribute))
    return Json(string.str());
  if (auto boolean = dyn_cast<BoolAttr>(attribute))
    return Json(boolean.getValue());
  auto integer = dyn_cast<IntegerAttr>(attribute);
  if (integer && integer.getType().isSignlessInteger(64))
    return Json(integer.getInt());
  auto number = dyn_cast<FloatAttr>(attribute);
  if (number && number.getType().isF64())
    return Json(number.getValueAsDouble());
  llvm::raw_string_ostream(error)
      << attribute << " is no value of a plan: expected a dictionary, an "
      << "array, a string, a boolean, an i64 or an f64";
  return std::nullopt;
}

} // namespace shardsmith
