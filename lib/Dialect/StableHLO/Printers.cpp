// SPDX-License-Identifier: Apache-2.0
// Printers of the ops whose form is not declarative, and names of results.

#include "AttributeSyntax.h"
#include "OpSyntax.h"

using namespace mlir;
using namespace shardsmith::stablehlo;

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getShapedType() == getType()) {
    printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
    printer << ' ' << getValue();
    return;
  }
  printer << "() <{value = " << getValue() << "}>";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << " : () -> " << getType();
}

void ConstantOp::getAsmResultNames(
    function_ref<void(Value, StringRef)> setName) {
  setName(getOutput(), getType().getElementType().isInteger() ? "c" : "cst");
}

void RngBitGeneratorOp::getAsmResultNames(
    function_ref<void(Value, StringRef)> setName) {
  setName(getOutputState(), "output_state");
  setName(getOutput(), "output");
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

namespace {

/// The op that the body applies, if the body is what `applies OP` parses to.
Operation *findCompactReducer(ReduceOp reduce) {
  if (reduce.getInputs().size() != 1 || !reduce.getBody().hasOneBlock())
    return nullptr;
  Block &block = reduce.getBody().front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation *combine = &block.front();
  if (!combine->hasTrait<OpTrait::IsCommutative>() ||
      combine->getNumOperands() != 2 || combine->getNumResults() != 1 ||
      combine->getNumRegions() != 0 || !combine->getAttrs().empty())
    return nullptr;
  auto terminator = dyn_cast<ReturnOp>(block.back());
  if (!terminator || !terminator->getAttrs().empty() ||
      terminator->getOperands() != combine->getResults() ||
      combine->getOperands() != ValueRange(block.getArguments()))
    return nullptr;
  auto input = cast<RankedTensorType>(reduce.getInputs()[0].getType());
  Type scalar = RankedTensorType::get({}, input.getElementType());
  bool typesFollow = llvm::all_of(block.getArgumentTypes(),
                                  [&](Type type) { return type == scalar; }) &&
                     combine->getResult(0).getType() == scalar;
  return typesFollow ? combine : nullptr;
}

} // namespace

void ReduceOp::print(OpAsmPrinter &printer) {
  size_t count = getInputs().size();
  printer << '(';
  llvm::interleave(
      llvm::zip(getInputs(), getInitValues()), printer,
      [&](auto pair) {
        printer << std::get<0>(pair) << " init: " << std::get<1>(pair);
      },
      "), (");
  printer << ')';
  Operation *compact = findCompactReducer(*this);
  if (compact)
    printer << " applies " << compact->getName().getStringRef();
  printer << " across dimensions = ";
  printDims(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (compact)
    return;

  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  for (size_t index = 0; index < count; ++index) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(index));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(index + count));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

void WhileOp::getAsmBlockArgumentNames(
    Region &region, function_ref<void(Value, StringRef)> setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, "iterArg");
}

void WhileOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip(getCond().getArguments(), getOperands()),
                        printer, [&](auto pair) {
                          printer.printOperand(std::get<0>(pair));
                          printer << " = ";
                          printer.printOperand(std::get<1>(pair));
                        });
  printer << ')';
  if (!getOperands().empty())
    printer << " : " << getOperandTypes();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << " cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  // Both regions name their arguments as the assignment list does.
  printer.shadowRegionArgs(getBody(), getCond().getArguments());
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}
