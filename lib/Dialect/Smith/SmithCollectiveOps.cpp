// SPDX-License-Identifier: Apache-2.0

#include "VerifyAxes.h"

#include "mlir/IR/Builders.h"
#include "shardsmith/Support/Quantity.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using namespace mlir;

namespace shardsmith::smith {

FailureOr<int64_t> verifyAxes(Operation *op, ArrayAttr axes) {
  sdy::MeshAttr mesh = getMesh(op);
  if (!mesh)
    return op->emitOpError("needs exactly one sdy.mesh in its module");
  llvm::StringSet<> seen;
  for (auto axis : axes.getAsRange<StringAttr>()) {
    if (!mesh.getAxisSize(axis.getValue()))
      return op->emitOpError("uses axis ")
             << axis << ", which the mesh does not have";
    if (!seen.insert(axis.getValue()).second)
      return op->emitOpError("uses axis ") << axis << " twice";
  }
  return getGroupSize(mesh, axes);
}

namespace {

/// `[[0, 1], [1, 0]]`
ParseResult parsePairs(OpAsmParser &parser, DenseI64ArrayAttr &pairs) {
  SmallVector<int64_t> numbers;
  auto parsePair = [&]() -> ParseResult {
    return failure(
        parser.parseLSquare() || parser.parseInteger(numbers.emplace_back()) ||
        parser.parseComma() || parser.parseInteger(numbers.emplace_back()) ||
        parser.parseRSquare());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
    return failure();
  pairs = parser.getBuilder().getDenseI64ArrayAttr(numbers);
  return success();
}

void printPairs(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr pairs) {
  ArrayRef<int64_t> numbers = pairs.asArrayRef();
  printer << '[';
  for (size_t i = 0; i + 1 < numbers.size(); i += 2)
    printer << (i ? ", [" : "[") << numbers[i] << ", " << numbers[i + 1] << ']';
  printer << ']';
}

/// True if two devices have equal coordinates along all axes but these.
bool differAlongOnly(sdy::MeshAttr mesh, ArrayAttr axes, int64_t a, int64_t b) {
  for (sdy::MeshAxisAttr axis : llvm::reverse(mesh.getAxes())) {
    auto name = StringAttr::get(mesh.getContext(), axis.getName());
    if (a % axis.getSize() != b % axis.getSize() &&
        !llvm::is_contained(axes.getValue(), Attribute(name)))
      return false;
    a /= axis.getSize();
    b /= axis.getSize();
  }
  return true;
}

/// One dimension of a collective: how its size changes.
struct Resize {
  int64_t dim;
  int64_t multiply;
  int64_t divide;
};

/// Checks that `result` is `operand` with the given dimensions resized.
LogicalResult verifyResized(Operation *op, Type operand, Type result,
                            ArrayRef<Resize> resizes) {
  auto operandType = cast<RankedTensorType>(operand);
  SmallVector<int64_t> shape(operandType.getShape());
  for (Resize resize : resizes) {
    if (resize.dim >= operandType.getRank())
      return op->emitOpError("uses dimension ")
             << resize.dim << " of a tensor of rank " << operandType.getRank();
    int64_t &size = shape[resize.dim];
    if (size % resize.divide != 0)
      return op->emitOpError("splits dimension ")
             << resize.dim << " of size " << size << " into " << resize.divide
             << " parts, which does not divide";
    std::optional<int64_t> grown =
        checkedMultiply(size / resize.divide, resize.multiply);
    if (!grown)
      return op->emitOpError("makes dimension ") << resize.dim << " too large";
    size = *grown;
  }
  Type expected = operandType.clone(shape);
  if (expected != result)
    return op->emitOpError("expects result type ")
           << expected << " but has " << result;
  return success();
}

} // namespace

LogicalResult AllReduceOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyAxes(*this, getAxes());
}

LogicalResult ShardIndexOp::verifySymbolUses(SymbolTableCollection &) {
  return verifyAxes(*this, getAxes());
}

LogicalResult AllGatherOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<int64_t> size = verifyAxes(*this, getAxes());
  if (failed(size))
    return failure();
  return verifyResized(*this, getInput().getType(), getType(),
                       Resize{static_cast<int64_t>(getDim()), *size, 1});
}

LogicalResult ReduceScatterOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<int64_t> size = verifyAxes(*this, getAxes());
  if (failed(size))
    return failure();
  return verifyResized(*this, getInput().getType(), getType(),
                       Resize{static_cast<int64_t>(getDim()), 1, *size});
}

LogicalResult AllToAllOp::verifySymbolUses(SymbolTableCollection &) {
  FailureOr<int64_t> size = verifyAxes(*this, getAxes());
  if (failed(size))
    return failure();
  if (getSplitDim() == getConcatDim())
    return emitOpError("splits and joins the same dimension");
  return verifyResized(
      *this, getInput().getType(), getType(),
      {Resize{static_cast<int64_t>(getSplitDim()), 1, *size},
       Resize{static_cast<int64_t>(getConcatDim()), *size, 1}});
}

LogicalResult CollectivePermuteOp::verifySymbolUses(SymbolTableCollection &) {
  ArrayAttr axes = getAxes() ? *getAxes() : ArrayAttr::get(getContext(), {});
  if (failed(verifyAxes(*this, axes)))
    return failure();
  if (getPairs().size() % 2 != 0)
    return emitOpError("expects pairs of a source and a target");
  int64_t devices = getMesh(*this).getDeviceCount();
  std::set<int64_t> sources, targets;
  for (int64_t pair = 0; pair < getPairCount(); ++pair) {
    for (int64_t device : {getSource(pair), getTarget(pair)})
      if (device < 0 || device >= devices)
        return emitOpError("uses device ")
               << device << " of a mesh of " << devices << " devices";
    if (!sources.insert(getSource(pair)).second)
      return emitOpError("has device ")
             << getSource(pair) << " as a source twice";
    if (!targets.insert(getTarget(pair)).second)
      return emitOpError("has device ")
             << getTarget(pair) << " as a target twice";
    if (getAxes() && !differAlongOnly(getMesh(*this), axes, getSource(pair),
                                      getTarget(pair)))
      return emitOpError("has the pair [")
             << getSource(pair) << ", " << getTarget(pair)
             << "], whose ends differ along other axes than " << axes;
  }
  return success();
}

} // namespace shardsmith::smith

#define GET_OP_CLASSES
#include "shardsmith/Dialect/Smith/SmithOps.cpp.inc"
