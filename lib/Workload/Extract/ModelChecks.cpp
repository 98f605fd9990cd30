// SPDX-License-Identifier: Apache-2.0
//
// The part of ModelGraph that refuses modules that are no loss graph.

#include "ModelGraph.h"

#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::workload {
namespace {

llvm::Error wrong(Location location, const Twine &message,
                  ExitCode exitCode = ExitCode::BadInput) {
  return llvm::make_error<ExtractError>(location, message.str(), exitCode);
}

StringRef resultRole(func::FuncOp function, unsigned index) {
  auto role = function.getResultAttrOfType<StringAttr>(
      index, smith::kRoleAttributeName);
  return role ? role.getValue() : StringRef();
}

} // namespace

StringRef argumentRole(BlockArgument argument) {
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto role = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    smith::kRoleAttributeName);
  return role ? role.getValue() : StringRef();
}

llvm::Error ModelGraph::findFunctions() {
  main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return wrong(main ? main.getLoc() : module.getLoc(),
                 "expected a function @main with a body of one block");
  if (llvm::Error error = checkBody(main))
    return error;
  for (Operation &op : main.getBody().front())
    if (isa<func::CallOp>(op))
      if (llvm::Error error = checkCall(&op))
        return error;
  return llvm::Error::success();
}

llvm::Error ModelGraph::readSignature() {
  SmallVector<unsigned> losses;
  for (unsigned index = 0; index < main.getNumResults(); ++index) {
    StringRef role = resultRole(main, index);
    if (role == "param")
      return wrong(main.getLoc(),
                   "unsupported: a train step (result " + Twine(index) +
                       " is a new parameter), for which no strategy is "
                       "searched; export the forward function, whose result "
                       "is the loss",
                   ExitCode::Unsupported);
    if (role == "loss")
      losses.push_back(index);
  }
  if (losses.size() != 1)
    return wrong(main.getLoc(),
                 "@main has " + Twine(losses.size()) +
                     " results with smith.role = \"loss\": expected one");
  loss = main.getBody().front().getTerminator()->getOperand(losses.front());

  bool hasBatch = false;
  for (BlockArgument argument : main.getArguments()) {
    StringRef role = argumentRole(argument);
    if (role.empty())
      return wrong(argument.getLoc(),
                   "argument " + Twine(argument.getArgNumber()) +
                       " of @main has no smith.role: expected \"param\", "
                       "\"batch\" or \"constant\"");
    if (role != "batch")
      continue;
    auto type = cast<RankedTensorType>(argument.getType());
    auto dim = main.getArgAttrOfType<IntegerAttr>(
        argument.getArgNumber(), smith::kBatchDimAttributeName);
    int64_t batchDim = dim ? dim.getInt() : 0;
    if (type.getRank() == 0)
      continue;
    hasBatch = true;
    // The argument is the same for all samples.
    if (batchDim == -1)
      continue;
    if (batchDim < 0 || batchDim >= type.getRank())
      return wrong(argument.getLoc(), "batch dimension " + Twine(batchDim) +
                                          " of a tensor of rank " +
                                          Twine(type.getRank()));
    int64_t size = type.getDimSize(batchDim);
    if (batchSize != 0 && size != batchSize)
      return wrong(argument.getLoc(), Twine(size) +
                                          " samples, but another batch "
                                          "argument holds " +
                                          Twine(batchSize));
    batchSize = size;
  }
  // A step without samples is one sample.
  if (hasBatch && batchSize == 0)
    batchSize = 1;
  if (batchSize == 0)
    return wrong(main.getLoc(), "@main has no batch argument: mark one with "
                                "smith.role = \"batch\"");
  return llvm::Error::success();
}

llvm::Error ModelGraph::checkBody(func::FuncOp function) {
  auto checkTypes = [](Location location, TypeRange types) -> llvm::Error {
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && tensor.hasStaticShape() &&
          !llvm::is_contained(tensor.getShape(), 0))
        continue;
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return wrong(location,
                   "unsupported: a value of type " + text +
                       "; expected a tensor of static shape with elements",
                   ExitCode::Unsupported);
    }
    return llvm::Error::success();
  };
  mlir::Block &body = function.getBody().front();
  if (llvm::Error error =
          checkTypes(function.getLoc(), body.getArgumentTypes()))
    return error;
  for (Operation &op : body) {
    if (isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp>(op))
      return wrong(op.getLoc(),
                   "unsupported: '" + op.getName().getStringRef() +
                       "', whose work depends on values; loops with a known "
                       "number of iterations are unrolled by the import "
                       "pipeline",
                   ExitCode::Unsupported);
    if (llvm::Error error = checkTypes(op.getLoc(), op.getResultTypes()))
      return error;
  }
  return llvm::Error::success();
}

/// Blocks own their parameters, so no function hands one on.
llvm::Error ModelGraph::checkReturns() {
  for (auto &[function, call] : callees) {
    Operation *terminator = function.getBody().front().getTerminator();
    for (auto [index, returned] : llvm::enumerate(terminator->getOperands()))
      if (originOf(returned) == Origin::Parameter)
        return wrong(terminator->getLoc(),
                     "unsupported: result " + Twine(index) +
                         " is a parameter as it is; let @main use it directly",
                     ExitCode::Unsupported);
  }
  return llvm::Error::success();
}

/// A function is one body for all of its calls, so an argument that is a
/// parameter or an activation in one call is that in all of them.
llvm::Error ModelGraph::checkOperands() {
  for (Operation &op : main.getBody().front()) {
    func::FuncOp callee = calleeOf(&op);
    if (!callee)
      continue;
    for (auto [operand, argument] :
         llvm::zip_equal(op.getOperands(), callee.getArguments())) {
      Origin inside = originOf(argument);
      bool isOwn = inside == Origin::Parameter || inside == Origin::Activation;
      if (!isOwn || originOf(operand) == inside)
        continue;
      StringRef what =
          inside == Origin::Parameter ? "a parameter" : "an activation";
      return wrong(op.getLoc(),
                   "unsupported: argument " + Twine(argument.getArgNumber()) +
                       " of '@" + callee.getName() + "' is " + what +
                       " in another call but not in this one; inline it",
                   ExitCode::Unsupported);
    }
  }
  return llvm::Error::success();
}

llvm::Error ModelGraph::checkCall(Operation *op) {
  auto call = cast<func::CallOp>(op);
  auto callee = module.lookupSymbol<func::FuncOp>(call.getCallee());
  if (!callee || callee.isExternal() || !callee.getBody().hasOneBlock())
    return wrong(op->getLoc(), "the called function '@" + call.getCallee() +
                                   "' has no body of one block");
  calls[op] = callee;
  if (!callees.insert({callee, op}).second)
    return llvm::Error::success();
  if (llvm::Error error = checkBody(callee))
    return error;
  for (Operation &nested : callee.getBody().front()) {
    if (smith::getMarkedLoop(&nested))
      return wrong(nested.getLoc(),
                   "unsupported: a loop outside of @main; inline the call",
                   ExitCode::Unsupported);
    if (isa<func::CallOp>(nested))
      return wrong(nested.getLoc(),
                   "unsupported: a call outside of @main; inline it",
                   ExitCode::Unsupported);
  }
  return llvm::Error::success();
}

} // namespace shardsmith::workload
