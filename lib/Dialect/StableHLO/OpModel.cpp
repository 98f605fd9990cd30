// SPDX-License-Identifier: Apache-2.0

#include "OpModel.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardsmith::stablehlo {

namespace {

/// Attributes that hold one number per dimension.
bool isDimensionList(StringRef name) {
  static const llvm::StringSet<> names = {"base_dilations",
                                          "broadcast_dimensions",
                                          "broadcast_sizes",
                                          "dimensions",
                                          "edge_padding_high",
                                          "edge_padding_low",
                                          "fft_length",
                                          "interior_padding",
                                          "known_expanding_dimensions",
                                          "known_nonexpanding_dimensions",
                                          "lhs_dilation",
                                          "limit_indices",
                                          "permutation",
                                          "rhs_dilation",
                                          "slice_sizes",
                                          "start_indices",
                                          "strides",
                                          "window_dilations",
                                          "window_dimensions",
                                          "window_reversal",
                                          "window_strides"};
  return names.contains(name);
}

/// The attribute as an array, if it is a vector of dense elements.
Attribute toArray(StringRef name, Attribute attribute) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  if (!elements || elements.getType().getRank() != 1 || !isDimensionList(name))
    return attribute;
  MLIRContext *context = attribute.getContext();
  Type element = elements.getElementType();
  if (element.isInteger(64))
    return DenseI64ArrayAttr::get(
        context, llvm::to_vector(elements.getValues<int64_t>()));
  if (element.isInteger(1))
    return DenseBoolArrayAttr::get(context,
                                   llvm::to_vector(elements.getValues<bool>()));
  return attribute;
}

} // namespace

// Interfaces are looked up here only, so the model's own map may move.
OpModel::OpModel(std::unique_ptr<OperationName::Impl> model)
    : Impl(model->getName().getValue(), model->getDialect(), model->getTypeID(),
           std::move(model->getInterfaceMap())),
      model(std::move(model)) {}

void OpModel::setInherentAttr(Operation *op, StringAttr name, Attribute value) {
  model->setInherentAttr(op, name, toArray(name, value));
}

LogicalResult
OpModel::verifyInherentAttrs(OperationName name, NamedAttrList &attributes,
                             function_ref<InFlightDiagnostic()> emitError) {
  for (NamedAttribute attribute : llvm::to_vector(attributes.getAttrs()))
    attributes.set(attribute.getName(), toArray(attribute.getName().getValue(),
                                                attribute.getValue()));
  return model->verifyInherentAttrs(name, attributes, emitError);
}

LogicalResult
OpModel::setPropertiesFromAttr(OperationName name, OpaqueProperties properties,
                               Attribute attribute,
                               function_ref<InFlightDiagnostic()> emitError) {
  if (auto dictionary = dyn_cast_or_null<DictionaryAttr>(attribute)) {
    NamedAttrList converted(dictionary);
    for (NamedAttribute entry : dictionary)
      converted.set(entry.getName(),
                    toArray(entry.getName().getValue(), entry.getValue()));
    attribute = converted.getDictionary(attribute.getContext());
  }
  return model->setPropertiesFromAttr(name, properties, attribute, emitError);
}

} // namespace shardsmith::stablehlo
