// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/InlinedCall.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_INLINECALLS
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// The function that `op` stands for, or null if `op` is no kind of call.
FlatSymbolRefAttr calleeOf(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCalleeAttr();
  if (auto composite = dyn_cast<stablehlo::CompositeOp>(op))
    return composite.getDecompositionAttr();
  return nullptr;
}

/// The exporter's names for functions under `jax.checkpoint`.
constexpr llvm::StringLiteral checkpointPrefix = "smith_checkpoint";

/// Inlines callees before their callers, so that every body is copied
/// complete and no function is visited twice.
///
///   main ─▶ attention ─▶ softmax        order: softmax, attention, main
///     └───▶ softmax
class Inliner {
public:
  Inliner(ModuleOp module, bool notesCalls)
      : symbols(module), notesCalls(notesCalls) {}

  /// Makes `function` free of calls.
  LogicalResult flatten(func::FuncOp function) {
    if (done.contains(function))
      return success();
    path.push_back(function);

    SmallVector<Operation *> calls;
    function.walk([&](Operation *op) {
      if (calleeOf(op))
        calls.push_back(op);
    });
    bool isMain = function.getName() == "main";
    for (auto [number, call] : llvm::enumerate(calls))
      if (failed(inlineCall(call, isMain && notesCalls ? noteOf(call, number)
                                                       : nullptr)))
        return failure();

    path.pop_back();
    done.insert(function);
    return success();
  }

private:
  static DictionaryAttr noteOf(Operation *call, size_t number) {
    smith::InlinedCall note(call->getContext(), calleeOf(call).getValue(),
                            int64_t(number));
    return note.asAttribute();
  }

  /// `note` is put on the ops, if there is one.
  LogicalResult inlineCall(Operation *call, DictionaryAttr note) {
    StringRef name = calleeOf(call).getValue();
    auto callee = symbols.lookup<func::FuncOp>(name);
    if (!callee)
      return call->emitError()
             << "calls '@" << name << "', which this file does not define";
    if (callee.isExternal())
      return call->emitError() << "calls '@" << name << "', which has no body";
    if (llvm::is_contained(path, callee))
      return refuseRecursion(call, callee);
    if (callee.getFunctionType() != FunctionType::get(call->getContext(),
                                                      call->getOperandTypes(),
                                                      call->getResultTypes()))
      return call->emitError()
             << "calls '@" << name << "' of type " << callee.getFunctionType()
             << " with other types";
    if (!callee.getBody().hasOneBlock())
      return callee.emitError()
             << "unsupported: '@" << name << "' has more than one block";
    if (failed(flatten(callee)))
      return failure();
    copyBody(callee.getBody().front(), call, name.starts_with(checkpointPrefix),
             note);
    return success();
  }

  /// Where files name the places of calls, the place of an op names those that
  /// lead to it.
  static void addCaller(Operation *op, Location call) {
    if (call->findInstanceOf<NameLoc>())
      op->walk([&](Operation *each) {
        each->setLoc(CallSiteLoc::get(each->getLoc(), call));
      });
  }

  /// Whether the op, or one inside of it, reads one of the values.
  static bool readsAny(Operation &op, const llvm::DenseSet<Value> &values) {
    return op
        .walk([&](Operation *each) {
          return llvm::any_of(
                     each->getOperands(),
                     [&](Value operand) { return values.contains(operand); })
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Copies the ops of `body` in front of `call` and removes `call`.
  static void copyBody(Block &body, Operation *call, bool isCheckpoint,
                       DictionaryAttr note) {
    IRMapping mapping;
    mapping.map(body.getArguments(), call->getOperands());
    OpBuilder builder(call);
    llvm::DenseSet<Value> varied(body.getArguments().begin(),
                                 body.getArguments().end());
    for (Operation &op : body.without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      addCaller(copy, call->getLoc());
      if (note && readsAny(op, varied)) {
        copy->setAttr(smith::kCallAttributeName, note);
        varied.insert_range(op.getResults());
      }
      if (isCheckpoint)
        copy->setAttr(smith::kRecomputeAttributeName,
                      builder.getStringAttr("full"));
    }
    for (auto [result, returned] : llvm::zip_equal(
             call->getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
    call->erase();
  }

  LogicalResult refuseRecursion(Operation *call, func::FuncOp callee) {
    std::string cycle;
    for (func::FuncOp function :
         llvm::make_range(llvm::find(path, callee), path.end()))
      cycle += "@" + function.getName().str() + " → ";
    return call->emitError() << "unsupported: recursive functions (" << cycle
                             << "@" << callee.getName() << ")";
  }

  SymbolTable symbols;
  bool notesCalls;
  SmallVector<func::FuncOp> path;
  llvm::DenseSet<func::FuncOp> done;
};

/// Splices the body of a named computation into its place: the shardings of
/// its border are constraints on values that already are in the program.
void inlineNamedComputation(sdy::NamedComputationOp op) {
  Block &body = op.getBody().front();
  Operation *terminator = body.getTerminator();
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op.getOperands()))
    argument.replaceAllUsesWith(operand);
  op->replaceAllUsesWith(terminator->getOperands());
  terminator->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
  op->erase();
}

/// Derivatives of the functions that stay.
llvm::StringSet<> namedByPublic(ModuleOp module) {
  llvm::StringSet<> names;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate())
      function.walk([&](smith::WithDerivativeOp op) {
        names.insert(op.getDerivative());
      });
  return names;
}

struct InlineCalls : impl::InlineCallsBase<InlineCalls> {
  using InlineCallsBase::InlineCallsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Inliner inliner(module, noteCalls);
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!function.isExternal() && failed(inliner.flatten(function)))
        return signalPassFailure();
    llvm::StringSet<> derivatives = namedByPublic(module);
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      if (!function.isPrivate())
        continue;
      if (derivatives.contains(function.getName()))
        smith::eraseDerivativeOps(function);
      else
        function.erase();
    }
    module.walk<WalkOrder::PostOrder>(inlineNamedComputation);
  }
};

} // namespace
} // namespace shardsmith
