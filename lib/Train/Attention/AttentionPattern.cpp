// SPDX-License-Identifier: Apache-2.0

#include "AttentionPattern.h"

#include "CausalPredicate.h"

#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/StableHLO/Matching.h"
#include "shardsmith/Support/TensorTypes.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace shardsmith {
namespace {

/// What masks write over hidden scores, or less: below every score by more than
/// an exponential can tell from zero.
constexpr double masked = -1e9;
/// From here on scores are also smaller than half a unit in the last place, so
/// that writing the number is the same as adding it, even where it is all that
/// a query sees.
constexpr double absorbing = -1e30;

bool isElementOfAttention(Type type) {
  return type.isF32() || type.isF16() || type.isBF16();
}

/// The number that all elements of a constant have, if it is one.
std::optional<double> splatOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::ConvertOp>(op))
      break;
    value = op->getOperand(0);
  }
  // Models write 1/√d in several ways.
  if (auto root = value.getDefiningOp<stablehlo::SqrtOp>()) {
    std::optional<double> number = splatOf(root->getOperand(0));
    return number ? std::optional(std::sqrt(*number)) : std::nullopt;
  }
  if (auto root = value.getDefiningOp<stablehlo::RsqrtOp>()) {
    std::optional<double> number = splatOf(root->getOperand(0));
    return number ? std::optional(1 / std::sqrt(*number)) : std::nullopt;
  }
  DenseFPElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  bool losesInfo = false;
  APFloat number = elements.getSplatValue<APFloat>();
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

/// Dimensions of the result of a product → of its operands; −1: none.
struct ResultDimensions {
  SmallVector<int64_t> ofOperand[2];

  explicit ResultDimensions(stablehlo::DotGeneralOp dot) {
    stablehlo::DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
    for (auto [lhs, rhs] : llvm::zip(numbers.getLhsBatchingDimensions(),
                                     numbers.getRhsBatchingDimensions()))
      add(lhs, rhs);
    for (unsigned operand : {0u, 1u})
      for (int64_t dim = 0; dim < typeOf(dot->getOperand(operand)).getRank();
           ++dim)
        if (isFree(numbers, operand, dim))
          operand == 0 ? add(dim, -1) : add(-1, dim);
  }

private:
  void add(int64_t lhs, int64_t rhs) {
    ofOperand[0].push_back(lhs);
    ofOperand[1].push_back(rhs);
  }
  static bool isFree(stablehlo::DotDimensionNumbersAttr numbers,
                     unsigned operand, int64_t dim) {
    return !llvm::is_contained(operand == 0
                                   ? numbers.getLhsBatchingDimensions()
                                   : numbers.getRhsBatchingDimensions(),
                               dim) &&
           !llvm::is_contained(operand == 0
                                   ? numbers.getLhsContractingDimensions()
                                   : numbers.getRhsContractingDimensions(),
                               dim);
  }
};

ArrayRef<int64_t> contracting(stablehlo::DotGeneralOp dot, unsigned operand) {
  stablehlo::DotDimensionNumbersAttr numbers = dot.getDotDimensionNumbers();
  return operand == 0 ? numbers.getLhsContractingDimensions()
                      : numbers.getRhsContractingDimensions();
}

class Matcher {
public:
  Matcher(stablehlo::DotGeneralOp mix, unsigned operand) {
    pattern.mix = mix;
    pattern.probabilityOperand = operand;
  }

  std::optional<AttentionPattern> run() {
    if (!matchSoftmax() || !followScores(z, identity(), 1.0, pattern.terms) ||
        !nameDimensions() || !hasElements() || !isClosed())
      return std::nullopt;
    takeCausalMask();
    for (const ScoreTerm &term : pattern.terms)
      if (term.hidden && *term.hidden > absorbing)
        return std::nullopt;
    return std::move(pattern);
  }

private:
  SmallVector<int64_t> identity() const {
    return llvm::to_vector(llvm::seq<int64_t>(0, pattern.shape.size()));
  }

  /// From the second product back to z.
  bool matchSoftmax() {
    Value p = pattern.mix->getOperand(pattern.probabilityOperand);
    auto &inProbabilities = pattern.inProbabilities;
    inProbabilities =
        llvm::to_vector(llvm::seq<int64_t>(0, typeOf(p).getRank()));
    while (Operation *op = p.getDefiningOp()) {
      if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
        SmallVector<int64_t> inner(inProbabilities.size());
        for (auto [dim, from] : llvm::enumerate(transpose.getPermutation()))
          inner[from] = inProbabilities[dim];
        inProbabilities = inner;
      } else if (!isa<stablehlo::ConvertOp>(op)) {
        break;
      }
      inside.insert(op);
      p = op->getOperand(0);
    }
    auto division = p.getDefiningOp<stablehlo::DivOp>();
    auto exponential = division
                           ? division.getLhs().getDefiningOp<stablehlo::ExpOp>()
                           : nullptr;
    if (!exponential)
      return false;
    inside.insert(division);
    inside.insert(exponential);
    pattern.shape = llvm::to_vector(typeOf(p).getShape());
    auto difference =
        exponential.getOperand().getDefiningOp<stablehlo::SubtractOp>();
    if (!difference)
      return false;
    inside.insert(difference);
    z = difference->getOperand(0);
    return isSumOf(exponential, division.getRhs()) &&
           isMaximum(difference->getOperand(1));
  }

  /// Goes back from a value to the reduction that it repeats, through changes
  /// of precision; `position`: its dimension → of z.
  stablehlo::ReduceOp followToReduction(Value value,
                                        SmallVector<int64_t> &position) {
    position = identity();
    while (Operation *op = value.getDefiningOp()) {
      inside.insert(op);
      if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op))
        return reduce.getInputs().size() == 1 &&
                       reduce.getDimensions().size() == 1
                   ? reduce
                   : nullptr;
      if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
        SmallVector<int64_t> inner;
        for (int64_t dim : broadcast.getBroadcastDimensions())
          inner.push_back(position[dim]);
        position = inner;
        value = op->getOperand(0);
      } else if (isa<stablehlo::MaxOp>(op)) {
        bool isLeft = isLowest(op->getOperand(0));
        if (!isLeft && !isLowest(op->getOperand(1)))
          return nullptr;
        value = op->getOperand(isLeft ? 1 : 0);
      } else if (isa<smith::StopGradientOp, stablehlo::ConvertOp>(op)) {
        value = op->getOperand(0);
      } else {
        return nullptr;
      }
    }
    return nullptr;
  }

  /// All dimensions but that of keys, in order.
  bool isRepeatedAlongKeys(ArrayRef<int64_t> position) const {
    SmallVector<int64_t> kept = identity();
    kept.erase(kept.begin() + pattern.key);
    return position == ArrayRef<int64_t>(kept);
  }

  /// The sum of the exponentials, repeated along what it sums over: keys.
  bool isSumOf(stablehlo::ExpOp exponential, Value value) {
    SmallVector<int64_t> position;
    stablehlo::ReduceOp reduce = followToReduction(value, position);
    if (!reduce ||
        stablehlo::matchReduction(reduce.getBody()) != ReductionKind::Sum ||
        !stablehlo::isZero(reduce.getInitValues().front()))
      return false;
    Value summand = reduce.getInputs().front();
    while (auto convert = summand.getDefiningOp<stablehlo::ConvertOp>()) {
      inside.insert(convert);
      summand = convert.getOperand();
    }
    pattern.key = reduce.getDimensions().front();
    return summand == exponential.getResult() && isRepeatedAlongKeys(position);
  }

  /// The maximum of z along keys, repeated along them.
  bool isMaximum(Value value) {
    SmallVector<int64_t> position;
    stablehlo::ReduceOp reduce = followToReduction(value, position);
    return reduce && reduce.getInputs().front() == z &&
           reduce.getDimensions().front() == pattern.key &&
           stablehlo::matchReduction(reduce.getBody()) == ReductionKind::Max &&
           isLowest(reduce.getInitValues().front()) &&
           isRepeatedAlongKeys(position);
  }

  static bool isLowest(Value value) {
    std::optional<double> number = splatOf(value);
    return number && std::isinf(*number) && *number < 0;
  }

  /// Back to the first product. `place`: dimension of z → of the value. Sums
  /// that a later scale multiplies are not followed.
  bool followScores(Value value, SmallVector<int64_t> place, double scale,
                    SmallVector<ScoreTerm> &terms) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
      pattern.scores = dot;
      pattern.inScores = place;
      pattern.scale = scale;
      inside.insert(op);
      return true;
    }
    auto follow = [&](unsigned operand, double factor = 1) {
      if (!followScores(op->getOperand(operand), place, scale * factor, terms))
        return false;
      inside.insert(op);
      return true;
    };
    if (isa<stablehlo::ConvertOp>(op))
      return isElementOfAttention(typeOf(op->getOperand(0)).getElementType()) &&
             follow(0);
    if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
      for (int64_t &dim : place)
        dim = transpose.getPermutation()[dim];
      return follow(0);
    }
    if (isa<stablehlo::MulOp, stablehlo::DivOp>(op)) {
      if (auto factor = splatOf(op->getOperand(1)))
        return std::isfinite(*factor) && *factor != 0 &&
               follow(0, isa<stablehlo::MulOp>(op) ? *factor : 1 / *factor);
      auto factor = splatOf(op->getOperand(0));
      return factor && std::isfinite(*factor) && isa<stablehlo::MulOp>(op) &&
             follow(1, *factor);
    }
    if (scale != 1)
      return false;
    if (isa<stablehlo::SelectOp>(op)) {
      if (typeOf(op->getOperand(0)).getRank() != typeOf(value).getRank())
        return false;
      for (unsigned operand : {1u, 2u})
        if (auto hidden = splatOf(op->getOperand(3 - operand));
            hidden && *hidden <= masked) {
          terms.push_back({repeated(op->getOperand(0), place), hidden,
                           /*keepsWhereTrue=*/operand == 1});
          return follow(operand);
        }
      return false;
    }
    if (isa<stablehlo::AddOp>(op))
      for (unsigned operand : {0u, 1u}) {
        SmallVector<ScoreTerm> before = terms;
        terms.push_back({repeated(op->getOperand(1 - operand), place)});
        if (follow(operand))
          return true;
        terms = before;
      }
    return false;
  }

  /// The tensor that an operand repeats.
  RepeatedTensor repeated(Value value, ArrayRef<int64_t> place) const {
    SmallVector<int64_t> dimensions(place.size());
    for (auto [dim, at] : llvm::enumerate(place))
      dimensions[at] = dim;
    while (auto broadcast =
               value.getDefiningOp<stablehlo::BroadcastInDimOp>()) {
      SmallVector<int64_t> inner;
      for (int64_t dim : broadcast.getBroadcastDimensions())
        inner.push_back(dimensions[dim]);
      dimensions = inner;
      value = broadcast.getOperand();
    }
    return {value, dimensions};
  }

  bool nameDimensions() {
    ResultDimensions first(pattern.scores), second(pattern.mix);
    int64_t rank = pattern.shape.size();
    int64_t keyInScores = pattern.inScores[pattern.key];
    // Keys are a dimension of one operand alone.
    bool isRight = first.ofOperand[0][keyInScores] < 0;
    if (!isRight && first.ofOperand[1][keyInScores] >= 0)
      return false;
    pattern.queryOperand = isRight ? 0 : 1;
    unsigned keyOperand = 1 - pattern.queryOperand;
    auto querySums = contracting(pattern.scores, pattern.queryOperand);
    auto keySums = contracting(pattern.scores, keyOperand);
    auto mixed = contracting(pattern.mix, pattern.probabilityOperand);
    if (querySums.size() != 1 || mixed.size() != 1 ||
        mixed.front() != pattern.inProbabilities[pattern.key])
      return false;
    pattern.querySum = querySums.front();
    pattern.keySum = keySums.front();
    SmallVector<int64_t> own;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (dim == pattern.key)
        continue;
      bool inKeys = pattern.inKey(dim) >= 0,
           inValues = pattern.inValue(dim) >= 0,
           inQueries = pattern.inQuery(dim) >= 0;
      if (!inQueries || inKeys != inValues)
        return false;
      (inKeys ? pattern.batch : own).push_back(dim);
    }
    if (own.empty() || own.size() > 2)
      return false;
    pattern.query = own.back();
    if (own.size() == 2)
      pattern.group = own.front();
    // Of the values one dimension is left.
    unsigned valueOperand = 1 - pattern.probabilityOperand;
    for (auto [dim, inProbabilities] :
         llvm::enumerate(second.ofOperand[pattern.probabilityOperand]))
      if (inProbabilities < 0) {
        if (pattern.valueFree >= 0)
          return false;
        pattern.valueFree = second.ofOperand[valueOperand][dim];
      }
    return pattern.valueFree >= 0 && pattern.inValue(pattern.key) >= 0;
  }

  bool hasElements() {
    for (Value value : {pattern.queries(), pattern.keys(), pattern.values(),
                        Value(pattern.mix->getResult(0))})
      if (!isElementOfAttention(typeOf(value).getElementType()) ||
          typeOf(value).getNumElements() == 0)
        return false;
    // Biases narrower or wider than scores are rounded elsewhere.
    return llvm::all_of(pattern.terms, [](const ScoreTerm &term) {
      Type element = typeOf(term.tensor.value).getElementType();
      return term.hidden ? element.isInteger(1) : isElementOfAttention(element);
    });
  }

  /// Nobody else reads what is in between.
  bool isClosed() {
    return llvm::all_of(inside, [&](Operation *op) {
      return llvm::all_of(op->getUsers(), [&](Operation *user) {
        return user == pattern.mix || inside.contains(user);
      });
    });
  }

  /// A mask that hides exactly the future is no term if hiding it is all that
  /// it does: with −∞, or with any number if there is no other term. (With a
  /// finite number a row may have nothing but hidden keys, and then its
  /// probabilities depend on how many there are.)
  void takeCausalMask() {
    if (pattern.shape[pattern.query] != pattern.shape[pattern.key])
      return swapGroup() ? takeCausalMask() : void();
    for (auto [index, term] : llvm::enumerate(pattern.terms)) {
      if (!term.hidden || !term.keepsWhereTrue ||
          (std::isfinite(*term.hidden) && pattern.terms.size() > 1))
        continue;
      ArrayRef<int64_t> dimensions = term.tensor.dimensions;
      int64_t query =
                  llvm::find(dimensions, pattern.query) - dimensions.begin(),
              key = llvm::find(dimensions, pattern.key) - dimensions.begin();
      if (isCausalPredicate(term.tensor.value, query, key)) {
        pattern.isCausal = true;
        pattern.terms.erase(pattern.terms.begin() + index);
        return;
      }
    }
  }

  /// If there are two dimensions of queries alone, either may be positions.
  bool swapGroup() {
    if (!pattern.group || wasSwapped)
      return false;
    std::swap(*pattern.group, pattern.query);
    return wasSwapped = true;
  }

  AttentionPattern pattern;
  Value z;
  llvm::SetVector<Operation *> inside;
  bool wasSwapped = false;
};

int64_t operandDimension(stablehlo::DotGeneralOp dot, unsigned operand,
                         int64_t resultDimension) {
  return ResultDimensions(dot).ofOperand[operand][resultDimension];
}

} // namespace

std::optional<AttentionPattern>
AttentionPattern::match(stablehlo::DotGeneralOp mix, unsigned operand) {
  return Matcher(mix, operand).run();
}

int64_t AttentionPattern::inQuery(int64_t dim) const {
  return operandDimension(scores, queryOperand, inScores[dim]);
}

int64_t AttentionPattern::inKey(int64_t dim) const {
  return operandDimension(scores, 1 - queryOperand, inScores[dim]);
}

SmallVector<int64_t> AttentionPattern::probabilityOfResult() const {
  return ResultDimensions(mix).ofOperand[probabilityOperand];
}

int64_t AttentionPattern::inValue(int64_t dim) const {
  unsigned valueOperand = 1 - probabilityOperand;
  stablehlo::DotGeneralOp product = mix;
  if (dim == key)
    return contracting(product, valueOperand).front();
  ResultDimensions dimensions(product);
  for (auto [index, inProbability] :
       llvm::enumerate(dimensions.ofOperand[probabilityOperand]))
    if (inProbability == inProbabilities[dim])
      return dimensions.ofOperand[valueOperand][index];
  return -1;
}

} // namespace shardsmith
