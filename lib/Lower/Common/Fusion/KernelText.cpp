// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/KernelText.h"

#include "mlir/IR/AsmState.h"

using namespace mlir;

namespace shardsmith::lower {

std::string textOf(Operation *op,
                   llvm::function_ref<void(llvm::raw_ostream &)> details) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(op->getOperandTypes(), stream);
  stream << " -> ";
  llvm::interleaveComma(op->getResultTypes(), stream);
  details(stream);
  if (op->getNumRegions() == 0)
    return text;
  AsmState state(op, OpPrintingFlags().useLocalScope());
  for (Operation &inner : op->getRegion(0).front()) {
    stream << '\n';
    inner.print(stream, state);
  }
  return text;
}

std::string textOf(smith::KernelOp kernel) {
  return textOf(kernel, [&](llvm::raw_ostream &stream) {
    stream << " domain ";
    llvm::interleaveComma(kernel.getDomain(), stream);
    stream << " reduced ";
    llvm::interleaveComma(kernel.getReduced(), stream);
    for (Type type : kernel.getBody().getArgumentTypes())
      stream << ' ' << type;
  });
}

/// Moves the op to the end of the body, behind what it reads.
static void place(Operation *op, llvm::DenseSet<Operation *> &placed) {
  if (!placed.insert(op).second)
    return;
  Block *body = op->getBlock();
  op->walk<WalkOrder::PreOrder>([&](Operation *reader) {
    for (Value operand : reader->getOperands())
      if (Operation *read = operand.getDefiningOp();
          read && read->getBlock() == body)
        place(read, placed);
  });
  op->moveBefore(body->getTerminator());
}

void sortBody(smith::KernelOp kernel) {
  Block &body = kernel.getBody().front();
  auto ops = llvm::map_to_vector(body.without_terminator(),
                                 [](Operation &op) { return &op; });
  llvm::DenseSet<Operation *> placed;
  for (Value result : body.getTerminator()->getOperands())
    if (Operation *op = result.getDefiningOp())
      place(op, placed);
  // What nobody reads comes last.
  for (Operation *op : ops)
    place(op, placed);
}

} // namespace shardsmith::lower
