// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Train/Differentiate.h"

#include "ForwardGraph.h"
#include "Simplify.h"

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Train/Passes.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_DIFFERENTIATE
#include "shardsmith/Train/Passes.h.inc"

namespace {

/// Replaces the results of `@main` by the gradients and the loss.
LogicalResult returnGradients(ForwardGraph &graph) {
  func::FuncOp function = graph.function;
  Value loss = graph.loss();
  SmallVector<Value> parameters(graph.parameters.begin(),
                                graph.parameters.end());
  SmallVector<Value> gradients;
  if (failed(differentiate(loss, parameters, gradients)))
    return failure();

  Operation *terminator = graph.body().getTerminator();
  ImplicitLocOpBuilder builder(loss.getLoc(), terminator);
  SmallVector<Value> results;
  SmallVector<Attribute> attributes;
  for (auto [parameter, gradient] :
       llvm::zip_equal(graph.parameters, gradients)) {
    auto type = cast<RankedTensorType>(parameter.getType());
    results.push_back(gradient ? gradient : filled(builder, type, 0.0).value());
    NamedAttrList names;
    names.set(kRoleAttribute, builder.getStringAttr("output"));
    names.set(kNameAttribute,
              builder.getStringAttr("gradient." + graph.nameOf(parameter)));
    attributes.push_back(names.getDictionary(builder.getContext()));
  }
  results.push_back(loss);
  attributes.push_back(DictionaryAttr::get(
      builder.getContext(), function.getResultAttrs(graph.lossIndex)));
  terminator->setOperands(results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
  function.setAllResultAttrs(attributes);
  return success();
}

struct DifferentiatePass : impl::DifferentiateBase<DifferentiatePass> {
  void runOnOperation() override {
    FailureOr<ForwardGraph> graph = readForwardGraph(getOperation());
    if (failed(graph))
      return signalPassFailure();
    simplify(graph->function);
    if (failed(returnGradients(*graph)))
      return signalPassFailure();
    smith::eraseAllDerivativeOps(getOperation());
    simplify(graph->function);
  }
};

} // namespace
} // namespace shardsmith
