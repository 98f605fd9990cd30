// SPDX-License-Identifier: Apache-2.0
// Tuples, barriers and calls.

#include "Rules.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

LogicalResult OptimizationBarrierOp::verify() {
  if (areCompatibleTypes(getOperandTypes(), getResultTypes()))
    return success();
  return emitOpError() << "needs results of the operands' types ("
                       << getOperandTypes() << "), found (" << getResultTypes()
                       << ')';
}

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context, OptionalLocation,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  types.push_back(TupleType::get(context, adaptor.getVal().getTypes()));
  return success();
}

LogicalResult
GetTupleElementOp::inferReturnTypes(MLIRContext *, OptionalLocation location,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  Reporter report(location, getOperationName());
  auto tuple = cast<TupleType>(adaptor.getOperand().getType());
  if (adaptor.getIndex() >= tuple.size())
    return report("has index ", adaptor.getIndex(), ", outside [0, ",
                  tuple.size(), ")");
  types.push_back(tuple.getType(adaptor.getIndex()));
  return success();
}

//===----------------------------------------------------------------------===//
// custom_call
//===----------------------------------------------------------------------===//

namespace {

/// Each layout lists the dimensions of its tensor from minor to major.
LogicalResult checkLayouts(const Reporter &report, StringRef name,
                           ArrayAttr layouts, TypeRange types) {
  if (failed(checkCount(report, name, layouts.size(), types.size(), "value")))
    return failure();
  for (auto [layout, type] :
       llvm::zip(layouts.getAsRange<DenseIntElementsAttr>(), types)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    int64_t rank = tensor ? tensor.getRank() : 0;
    SmallVector<int64_t> dims;
    for (const APInt &dim : layout)
      dims.push_back(dim.getSExtValue());
    if (failed(checkCount(report, name, dims.size(), rank, "dimension")) ||
        failed(checkUnique(report, name, dims, rank)))
      return failure();
  }
  return success();
}

} // namespace

LogicalResult CustomCallOp::verify() {
  Reporter report = reporterOf(*this);
  if (getOperandLayouts().has_value() != getResultLayouts().has_value())
    return report("needs both operand_layouts and result_layouts, or neither");
  if (getOperandLayouts() &&
      failed(checkLayouts(report, "operand_layouts", *getOperandLayouts(),
                          getOperandTypes())))
    return failure();
  // A single tuple result has a layout per element.
  TypeRange results = getResultTypes();
  if (auto tuple = results.size() == 1 ? dyn_cast<TupleType>(results.front())
                                       : TupleType())
    results = tuple.getTypes();
  if (getResultLayouts() && failed(checkLayouts(report, "result_layouts",
                                                *getResultLayouts(), results)))
    return failure();
  bool isTyped = getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
  if (getBackendConfig() && isa<DictionaryAttr>(*getBackendConfig()) != isTyped)
    return report("with api_version ", static_cast<uint32_t>(getApiVersion()),
                  " needs backend_config to be a ",
                  isTyped ? "dictionary" : "string", ", found ",
                  *getBackendConfig());
  if (!getOutputOperandAliases())
    return success();
  for (auto alias :
       getOutputOperandAliases()->getAsRange<OutputOperandAliasAttr>())
    if (alias.getOperandIndex() < 0 ||
        alias.getOperandIndex() >= static_cast<int64_t>(getNumOperands()))
      return report("aliases operand ", alias.getOperandIndex(),
                    ", outside [0, ", getNumOperands(), ")");
  return success();
}
