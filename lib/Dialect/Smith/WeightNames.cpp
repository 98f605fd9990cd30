// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/WeightNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardsmith::smith {
namespace {

constexpr llvm::StringLiteral prefixKey = "prefix", ignoredKey = "ignored",
                              copiesKey = "copies", olderKey = "older",
                              stackedKey = "stacked";

DictionaryAttr toAttribute(Builder &builder, const WeightNames::Pairs &pairs) {
  SmallVector<NamedAttribute> entries;
  for (const auto &[from, to] : pairs)
    entries.push_back(builder.getNamedAttr(from, builder.getStringAttr(to)));
  return builder.getDictionaryAttr(entries);
}

ArrayAttr toAttribute(Builder &builder, const std::vector<std::string> &names) {
  return builder.getStrArrayAttr(
      SmallVector<StringRef>(names.begin(), names.end()));
}

std::optional<std::vector<std::string>> readNames(Attribute attribute) {
  auto list = dyn_cast_or_null<ArrayAttr>(attribute);
  if (!list || !llvm::all_of(list, llvm::IsaPred<StringAttr>))
    return std::nullopt;
  std::vector<std::string> names;
  for (auto name : list.getAsRange<StringAttr>())
    names.push_back(name.str());
  return names;
}

std::optional<WeightNames::Pairs> readPairs(Attribute attribute) {
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!dictionary)
    return std::nullopt;
  WeightNames::Pairs pairs;
  for (NamedAttribute entry : dictionary) {
    auto to = dyn_cast<StringAttr>(entry.getValue());
    if (!to)
      return std::nullopt;
    pairs.emplace_back(entry.getName().str(), to.str());
  }
  return pairs;
}

} // namespace

DictionaryAttr toAttribute(MLIRContext *context, const WeightNames &names) {
  Builder builder(context);
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(prefixKey, builder.getStringAttr(names.prefix)),
       builder.getNamedAttr(ignoredKey, toAttribute(builder, names.ignored)),
       builder.getNamedAttr(copiesKey, toAttribute(builder, names.copies)),
       builder.getNamedAttr(olderKey, toAttribute(builder, names.older)),
       builder.getNamedAttr(stackedKey, toAttribute(builder, names.stacked))});
}

std::optional<WeightNames> readWeightNames(Attribute attribute) {
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary || dictionary.size() != 5)
    return std::nullopt;
  auto prefix = dictionary.getAs<StringAttr>(prefixKey);
  auto ignored = readNames(dictionary.get(ignoredKey));
  auto copies = readPairs(dictionary.get(copiesKey));
  auto older = readPairs(dictionary.get(olderKey));
  auto stacked = readNames(dictionary.get(stackedKey));
  if (!prefix || !ignored || !copies || !older || !stacked)
    return std::nullopt;
  return WeightNames{prefix.str(), *ignored, *copies, *older, *stacked};
}

} // namespace shardsmith::smith
