// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Smith/WeightNames.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace shardsmith::smith {
namespace {

constexpr llvm::StringLiteral prefixKey = "prefix", ignoredKey = "ignored",
                              copiesKey = "copies", olderKey = "older";

DictionaryAttr toAttribute(Builder &builder, const WeightNames::Pairs &pairs) {
  SmallVector<NamedAttribute> entries;
  for (const auto &[from, to] : pairs)
    entries.push_back(builder.getNamedAttr(from, builder.getStringAttr(to)));
  return builder.getDictionaryAttr(entries);
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
  SmallVector<StringRef> ignored(names.ignored.begin(), names.ignored.end());
  return builder.getDictionaryAttr(
      {builder.getNamedAttr(prefixKey, builder.getStringAttr(names.prefix)),
       builder.getNamedAttr(ignoredKey, builder.getStrArrayAttr(ignored)),
       builder.getNamedAttr(copiesKey, toAttribute(builder, names.copies)),
       builder.getNamedAttr(olderKey, toAttribute(builder, names.older))});
}

std::optional<WeightNames> readWeightNames(Attribute attribute) {
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  if (!dictionary || dictionary.size() != 4)
    return std::nullopt;
  auto prefix = dictionary.getAs<StringAttr>(prefixKey);
  auto ignored = dictionary.getAs<ArrayAttr>(ignoredKey);
  auto copies = readPairs(dictionary.get(copiesKey));
  auto older = readPairs(dictionary.get(olderKey));
  if (!prefix || !ignored || !copies || !older ||
      !llvm::all_of(ignored, llvm::IsaPred<StringAttr>))
    return std::nullopt;
  WeightNames names{.prefix = prefix.str(), .copies = *copies, .older = *older};
  for (auto name : ignored.getAsRange<StringAttr>())
    names.ignored.push_back(name.str());
  return names;
}

} // namespace shardsmith::smith
