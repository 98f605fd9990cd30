// SPDX-License-Identifier: Apache-2.0
//
// A new body is built beside the old one, op by op, and takes its place.

#include "shardsmith/Partition/Passes.h"

#include "LocalCollectives.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Interfaces/FactorRuleInterface.h"
#include "shardsmith/Interfaces/LocalizeInterface.h"
#include "shardsmith/Localization/StableHLO.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_GLOBALTOLOCAL
#include "shardsmith/Partition/Passes.h.inc"

namespace {

int64_t getRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getRank() : 0;
}

class FunctionLocalizer {
public:
  FunctionLocalizer(func::FuncOp function, const NamedMesh &mesh,
                    Block *localBody)
      : function(function), mesh(mesh), localBody(localBody),
        indices(localBody, mesh.mesh),
        builder(function.getLoc(), function.getContext()) {
    builder.setInsertionPointToEnd(localBody);
  }

  LogicalResult run() {
    SmallVector<Type> argumentTypes, resultTypes;
    for (BlockArgument argument : function.getArguments()) {
      FailureOr<Type> type =
          localize(argument.getType(), sdy::getSharding(argument));
      if (failed(type))
        return failure();
      argumentTypes.push_back(*type);
      locals.map(argument, localBody->addArgument(*type, argument.getLoc()));
    }
    for (auto [index, result] : llvm::enumerate(function.getResultTypes())) {
      FailureOr<Type> type =
          localize(result, sdy::getResultSharding(function, index));
      if (failed(type))
        return failure();
      resultTypes.push_back(*type);
    }
    for (Operation &op : function.front()) {
      builder.setLoc(op.getLoc());
      if (failed(visit(&op)))
        return failure();
    }
    keepGlobalShapes();
    function.setType(
        FunctionType::get(function.getContext(), argumentTypes, resultTypes));
    return success();
  }

private:
  FailureOr<Type> localize(Type type, sdy::TensorShardingAttr sharding) {
    FailureOr<Layout> layout =
        toLayout(sharding, getRank(type), mesh, function);
    if (failed(layout))
      return failure();
    return getLocalType(mesh.mesh, type, *layout);
  }

  /// Types say the local shape from now on.
  void keepGlobalShapes() {
    auto shapeOf = [&](Type type) -> Attribute {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return tensor ? builder.getDenseI64ArrayAttr(tensor.getShape())
                    : Attribute();
    };
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (Attribute shape = shapeOf(type);
          shape && function.getArgAttr(index, sdy::kShardingAttributeName))
        function.setArgAttr(index, smith::kGlobalShapeAttributeName, shape);
    for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
      if (Attribute shape = shapeOf(type);
          shape && function.getResultAttr(index, sdy::kShardingAttributeName))
        function.setResultAttr(index, smith::kGlobalShapeAttributeName, shape);
  }

  SmallVector<Value> getLocals(ValueRange values) const {
    return llvm::map_to_vector(
        values, [&](Value value) { return locals.lookup(value); });
  }

  void setLocals(Operation *op, ValueRange values) {
    for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
      locals.map(result, value);
  }

  LogicalResult visit(Operation *op) {
    if (isa<sdy::ReshardOp, sdy::ShardingConstraintOp>(op))
      return op->emitOpError("is left; run reshards-to-collectives before "
                             "global-to-local");
    if (isGlobalCollective(op)) {
      Value local = localizeCollective(builder, op, mesh, indices,
                                       locals.lookup(op->getOperand(0)));
      if (!local)
        return failure();
      setLocals(op, local);
      return success();
    }
    if (isa<func::ReturnOp>(op)) {
      builder.clone(*op, locals);
      return success();
    }
    FailureOr<LocalizeContext> context = getContext(op);
    if (failed(context) || failed(verifyOperands(op, *context)))
      return failure();
    return build(op, *context);
  }

  FailureOr<LocalizeContext> getContext(Operation *op) {
    auto attribute = op->getAttrOfType<smith::FactorAxesAttr>(
        smith::kFactorAxesAttributeName);
    auto interface = dyn_cast<FactorRuleInterface>(op);
    if (attribute && interface) {
      FactorRule rule = interface.getFactorRule();
      FailureOr<FactorAxes> axes = toFactorAxes(attribute, mesh.mesh, op);
      if (failed(axes))
        return failure();
      if (std::string error = verifyFactorAxes(mesh.mesh, rule, *axes);
          !error.empty())
        return op->emitOpError("cannot be split as '")
               << smith::kFactorAxesAttributeName << "' says: " << error;
      return LocalizeContext(op, mesh.mesh, indices, locals, std::move(rule),
                             std::move(*axes));
    }
    // Constants and iotas have the layout they are annotated with.
    SmallVector<Layout> results;
    for (Value result : op->getResults()) {
      FailureOr<Layout> layout = toLayout(sdy::getSharding(result),
                                          getRank(result.getType()), mesh, op);
      if (failed(layout))
        return failure();
      if (op->getNumOperands() != 0 && !layout->isReplicated())
        return op->emitOpError("is split but has no '")
               << smith::kFactorAxesAttributeName
               << "'; run insert-reshards before";
      results.push_back(*layout);
    }
    return LocalizeContext(op, mesh.mesh, indices, locals, results);
  }

  /// Operands must have the layouts that the op's factors ask for.
  LogicalResult verifyOperands(Operation *op, const LocalizeContext &context) {
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      FailureOr<Layout> actual =
          toLayout(sdy::getSharding(value), getRank(value.getType()), mesh, op);
      if (failed(actual))
        return failure();
      const Layout &expected =
          context.getOperandLayout(operand.getOperandNumber());
      if (*actual != expected)
        return op->emitOpError("needs operand ")
               << operand.getOperandNumber() << " as "
               << expected.str(mesh.mesh) << " but it is "
               << actual->str(mesh.mesh) << "; run insert-reshards before";
    }
    return success();
  }

  LogicalResult build(Operation *op, const LocalizeContext &context) {
    SmallVector<Value> operands = getLocals(op->getOperands());
    SmallVector<Value> results;
    if (auto interface = dyn_cast<LocalizeInterface>(op)) {
      if (failed(interface.localize(builder, context, operands, results)))
        return failure();
    } else {
      for (auto [index, operand] : llvm::enumerate(operands))
        operand =
            stablehlo::maskReducedPadding(builder, context, index, operand);
      llvm::append_range(results,
                         context.rebuild(builder, operands)->getResults());
    }
    setLocals(op, results);
    return success();
  }

  func::FuncOp function;
  const NamedMesh &mesh;
  Block *localBody;
  ShardIndices indices;
  ImplicitLocOpBuilder builder;
  IRMapping locals;
};

LogicalResult localizeFunction(func::FuncOp function, const NamedMesh &mesh) {
  auto *localBody = new Block;
  function.getBody().push_back(localBody);
  LogicalResult result = FunctionLocalizer(function, mesh, localBody).run();
  // On failure the pass manager drops the module; the function must still have
  // one block to be printed in a reproducer.
  Block &obsolete = failed(result) ? *localBody : function.front();
  obsolete.dropAllReferences();
  obsolete.erase();
  return result;
}

struct GlobalToLocalPass : public impl::GlobalToLocalBase<GlobalToLocalPass> {
  void runOnOperation() override {
    FailureOr<NamedMesh> mesh = getProgramMesh(getOperation());
    if (failed(mesh))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(localizeFunction(function, *mesh)))
        return signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
