// SPDX-License-Identifier: Apache-2.0
// Proves that the loss is the same if a tensor m is replaced by m + c, for any
// c of m's shape. Every value v that depends on m is followed forward; it must
// respond in one of two ways, with an integer k:
//
//     translated    v + k c          x - m:              k = -1
//     scaled        v exp(k c)       exp(x - m):         k = -1
//
// where each element of v belongs to one element of c. A value with k = 0 does
// not depend on m and is followed no further. If the loss is never reached the
// proof is done; an op without a rule ends the attempt.

#include "ShiftInvariance.h"

#include "Activity.h"

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <optional>

using namespace mlir;
using namespace shardsmith::stablehlo;

namespace shardsmith {
namespace {

enum class Kind { translated, scaled };

/// How a value responds to the shift.
struct Response {
  Kind kind = Kind::translated;
  int64_t coefficient = 0;
  /// For each dimension of m, the value's dimension with the same index; -1
  /// for dimensions of size 1.
  SmallVector<int64_t> position;

  bool operator==(const Response &other) const {
    return kind == other.kind && coefficient == other.coefficient &&
           position == other.position;
  }
};

/// The number that a constant repeats.
std::optional<llvm::APFloat> splatNumber(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastInDimOp>())
    value = broadcast.getOperand();
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<llvm::APFloat>();
}

/// True for constants that respond in the given way with any coefficient:
/// infinities do not notice a translation, zero does not notice a scale.
bool respondsLike(Value value, Kind kind) {
  std::optional<llvm::APFloat> number = splatNumber(value);
  if (!number)
    return false;
  return number->isInfinity() || number->isNaN() ||
         (kind == Kind::scaled && number->isZero());
}

/// Follows one tensor's shift through the ops of a block.
class ShiftTracker {
public:
  explicit ShiftTracker(Value root) {
    Response response{Kind::translated, 1, {}};
    for (auto [dimension, size] : llvm::enumerate(shapeOf(root)))
      response.position.push_back(size == 1 ? -1 : dimension);
    responses[root] = response;
  }

  /// Returns false if an op has no rule.
  bool follow(Operation &op) {
    bool dependsOnShift = llvm::any_of(op.getOperands(), [&](Value operand) {
      return responses.contains(operand);
    });
    bool hasFloatResult = llvm::any_of(op.getResults(), isFloatTensor);
    // Comparisons are locally constant.
    if (!dependsOnShift || !hasFloatResult)
      return true;
    if (op.getNumResults() != 1)
      return false;
    std::optional<Response> response = respond(op);
    if (!response)
      return false;
    if (response->coefficient != 0)
      responses[op.getResult(0)] = *response;
    return true;
  }

  bool reaches(Value value) const { return responses.contains(value); }

private:
  const Response *find(Value value) const {
    auto found = responses.find(value);
    return found == responses.end() ? nullptr : &found->second;
  }

  std::optional<Response> respond(Operation &op) {
    return llvm::TypeSwitch<Operation *, std::optional<Response>>(&op)
        .Case<AbsOp>([&](auto) { return keepIf(op, Kind::scaled); })
        .Case<AddOp>([&](auto) { return addOrSubtract(op, 1); })
        .Case<BroadcastInDimOp>([&](BroadcastInDimOp broadcast) {
          return broadcastInDim(broadcast);
        })
        .Case<ConvertOp>([&](auto) { return *find(op.getOperand(0)); })
        .Case<DivOp>([&](auto) { return multiplyOrDivide(op, -1); })
        .Case<ExpOp>(
            [&](auto) { return change(op, Kind::translated, Kind::scaled); })
        .Case<LogOp>(
            [&](auto) { return change(op, Kind::scaled, Kind::translated); })
        .Case<MaxOp, MinOp>(
            [&](auto) { return choose(op.getOperand(0), op.getOperand(1)); })
        .Case<MulOp>([&](auto) { return multiplyOrDivide(op, 1); })
        .Case<NegOp>([&](auto) { return negate(op); })
        .Case<ReduceOp>([&](ReduceOp reduction) { return reduce(reduction); })
        .Case<ReshapeOp>(
            [&](ReshapeOp reshape) { return this->reshape(reshape); })
        .Case<SelectOp>([&](SelectOp select) {
          return choose(select.getOnTrue(), select.getOnFalse());
        })
        // A constant for derivatives does not respond.
        .Case<smith::StopGradientOp>([](auto) { return Response(); })
        .Case<SubtractOp>([&](auto) { return addOrSubtract(op, -1); })
        .Case<TransposeOp>(
            [&](TransposeOp transpose) { return this->transpose(transpose); })
        .Default([](Operation *) { return std::nullopt; });
  }

  std::optional<Response> keepIf(Operation &op, Kind kind) {
    return change(op, kind, kind);
  }

  std::optional<Response> change(Operation &op, Kind from, Kind to) {
    Response response = *find(op.getOperand(0));
    if (response.kind != from)
      return std::nullopt;
    response.kind = to;
    return response;
  }

  std::optional<Response> negate(Operation &op) {
    Response response = *find(op.getOperand(0));
    if (response.kind == Kind::translated)
      response.coefficient = -response.coefficient;
    return response;
  }

  /// Combines the coefficients of two operands of one kind. An operand that
  /// does not respond has coefficient 0.
  std::optional<Response> combine(Operation &op, Kind kind, int64_t sign) {
    const Response *lhs = find(op.getOperand(0));
    const Response *rhs = find(op.getOperand(1));
    if ((lhs && lhs->kind != kind) || (rhs && rhs->kind != kind))
      return std::nullopt;
    if (lhs && rhs && lhs->position != rhs->position)
      return std::nullopt;
    Response response = lhs ? *lhs : *rhs;
    response.coefficient =
        (lhs ? lhs->coefficient : 0) + sign * (rhs ? rhs->coefficient : 0);
    return response;
  }

  /// v + w: translations add up; equal scales are a common factor.
  std::optional<Response> addOrSubtract(Operation &op, int64_t sign) {
    if (auto response = combine(op, Kind::translated, sign))
      return response;
    const Response *lhs = find(op.getOperand(0));
    const Response *rhs = find(op.getOperand(1));
    if (lhs && rhs && *lhs == *rhs && lhs->kind == Kind::scaled)
      return *lhs;
    return std::nullopt;
  }

  std::optional<Response> multiplyOrDivide(Operation &op, int64_t sign) {
    return combine(op, Kind::scaled, sign);
  }

  /// The result is one of two values: they must respond alike.
  std::optional<Response> choose(Value first, Value second) {
    const Response *lhs = find(first);
    const Response *rhs = find(second);
    if (lhs && rhs)
      return *lhs == *rhs ? std::optional(*lhs) : std::nullopt;
    const Response *present = lhs ? lhs : rhs;
    Value other = lhs ? second : first;
    if (!respondsLike(other, present->kind))
      return std::nullopt;
    return *present;
  }

  std::optional<Response> broadcastInDim(BroadcastInDimOp op) {
    Response response = *find(op.getOperand());
    for (int64_t &position : response.position)
      if (position >= 0)
        position = op.getBroadcastDimensions()[position];
    return response;
  }

  std::optional<Response> transpose(TransposeOp op) {
    Response response = *find(op.getOperand());
    for (int64_t &position : response.position)
      if (position >= 0)
        position = llvm::find(op.getPermutation(), position) -
                   op.getPermutation().begin();
    return response;
  }

  /// Dimensions of size 1 may come and go.
  std::optional<Response> reshape(ReshapeOp op) {
    auto longDimensions = [](ArrayRef<int64_t> shape) {
      SmallVector<int64_t> dimensions;
      for (auto [dimension, size] : llvm::enumerate(shape))
        if (size != 1)
          dimensions.push_back(dimension);
      return dimensions;
    };
    ArrayRef<int64_t> fromShape = shapeOf(op.getOperand());
    ArrayRef<int64_t> toShape = shapeOf(op.getResult());
    SmallVector<int64_t> from = longDimensions(fromShape);
    SmallVector<int64_t> to = longDimensions(toShape);
    bool onlyUnitsChange =
        from.size() == to.size() &&
        llvm::all_of(llvm::zip_equal(from, to), [&](auto pair) {
          auto [before, after] = pair;
          return fromShape[before] == toShape[after];
        });
    if (!onlyUnitsChange)
      return std::nullopt;
    Response response = *find(op.getOperand());
    for (int64_t &position : response.position)
      if (position >= 0)
        position = to[llvm::find(from, position) - from.begin()];
    return response;
  }

  /// Sums keep a scale and extrema a translation that is constant along the
  /// reduced dimensions.
  std::optional<Response> reduce(ReduceOp op) {
    const Response *operand = find(op.getInputs().front());
    Block &body = op.getBody().front();
    if (!operand || !llvm::hasSingleElement(body.without_terminator()))
      return std::nullopt;
    Operation &combiner = body.front();
    bool isSum = isa<AddOp>(combiner) && operand->kind == Kind::scaled;
    bool isExtremum =
        isa<MaxOp, MinOp>(combiner) && operand->kind == Kind::translated;
    if (!isSum && !isExtremum)
      return std::nullopt;
    if (!respondsLike(op.getInitValues().front(), operand->kind))
      return std::nullopt;

    Response response = *operand;
    for (int64_t &position : response.position) {
      if (position < 0)
        continue;
      if (llvm::is_contained(op.getDimensions(), position))
        return std::nullopt;
      position -= llvm::count_if(op.getDimensions(), [&](int64_t reduced) {
        return reduced < position;
      });
    }
    return response;
  }

  DenseMap<Value, Response> responses;
};

/// The tensor that `value` repeats along new dimensions, or null.
Value broadcastSource(Value value) {
  Value source;
  while (isa_and_nonnull<BroadcastInDimOp, ReshapeOp>(value.getDefiningOp()))
    source = value = value.getDefiningOp()->getOperand(0);
  return source;
}

bool isInvariantUnderShift(Block &block, Value root, Value loss) {
  ShiftTracker tracker(root);
  for (auto op = std::next(root.getDefiningOp()->getIterator());
       op != block.getTerminator()->getIterator(); ++op)
    if (!tracker.follow(*op))
      return false;
  return !tracker.reaches(loss);
}

} // namespace

DenseSet<Value> findValuesWithZeroGradient(Block &block, Value loss) {
  DenseSet<Value> found, tried;
  for (auto op : block.getOps<SubtractOp>()) {
    Value root = broadcastSource(op.getRhs());
    bool isCandidate = root && root.getDefiningOp() && isFloatTensor(root) &&
                       tried.insert(root).second;
    if (isCandidate && isInvariantUnderShift(block, root, loss))
      found.insert(root);
  }
  return found;
}

} // namespace shardsmith
