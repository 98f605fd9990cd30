// SPDX-License-Identifier: Apache-2.0

#include "AttentionPattern.h"

#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/AttentionOps.h"
#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Support/TensorTypes.h"
#include "shardsmith/Train/Attention.h"
#include "shardsmith/Train/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace shardsmith {

#define GEN_PASS_DEF_RECOGNIZEATTENTION
#include "shardsmith/Train/Passes.h.inc"

namespace {

int64_t scoresOf(const AttentionPattern &pattern) {
  int64_t queries = pattern.shape[pattern.query];
  int64_t keys = pattern.shape[pattern.key], scores = 0;
  return llvm::MulOverflow(queries, keys, scores) ? INT64_MAX : scores;
}

/// Values that follow from no parameter: no gradient is asked of them.
class ConstantsOfTraining {
public:
  explicit ConstantsOfTraining(func::FuncOp function) : function(function) {}

  bool contains(Value value) {
    SmallVector<Value> stack{value};
    llvm::DenseSet<Value> seen;
    while (!stack.empty()) {
      Value next = stack.pop_back_val();
      if (!seen.insert(next).second)
        continue;
      if (auto argument = dyn_cast<BlockArgument>(next)) {
        auto role = function.getArgAttrOfType<StringAttr>(
            argument.getArgNumber(), smith::kRoleAttributeName);
        if (role && role.getValue() == "param")
          return false;
        continue;
      }
      Operation *op = next.getDefiningOp();
      if (op->getNumRegions() > 0)
        op->walk([&](Operation *nested) {
          llvm::append_range(stack, nested->getOperands());
        });
      llvm::append_range(stack, op->getOperands());
    }
    return true;
  }

private:
  func::FuncOp function;
};

class Rewriter {
public:
  explicit Rewriter(AttentionPattern pattern)
      : pattern(std::move(pattern)), mix(this->pattern.mix),
        builder(mix.getLoc(), mix) {}

  /// False if what splits the ops cannot be said of the one op, or it has too
  /// few scores. A ring is what a plan counts on, however few they are.
  bool run(int64_t leastScores) {
    if (!findAxes() || (!isRing && scoresOf(pattern) < leastScores))
      return false;
    Operation *previous = mix->getPrevNode();
    build();
    markAll(previous);
    mix->getResult(0).replaceAllUsesWith(result);
    return true;
  }

private:
  /// The axes of the op's factors, from those of the two products. Groups and
  /// queries, over which the gradients of keys and values are sums, must not be
  /// split; nor may what the scores are summed over. Queries may if keys and
  /// values are kept in the same parts: then these go around in a ring.
  bool findAxes() {
    auto scoreAxes = pattern.scores->getAttrOfType<smith::FactorAxesAttr>(
        smith::kFactorAxesAttributeName);
    auto mixAxes = mix->getAttrOfType<smith::FactorAxesAttr>(
        smith::kFactorAxesAttributeName);
    if (!scoreAxes && !mixAxes)
      return true;
    if (!scoreAxes || !mixAxes)
      return false;
    return axesFrom(scoreAxes, mixAxes);
  }
  bool axesFrom(smith::FactorAxesAttr scoreAxes,
                smith::FactorAxesAttr mixAxes) {
    // Factors of a product are its result's dimensions, then what it sums over.
    ArrayRef<ArrayAttr> ofScores = scoreAxes.getFactors(),
                        ofMix = mixAxes.getFactors();
    SmallVector<int64_t> inMix = pattern.probabilityOfResult();
    auto mixFactor = [&](int64_t dim) {
      int64_t probability = dim < 0 ? -1 : pattern.inProbabilities[dim];
      return ofMix[llvm::find(inMix, probability) - inMix.begin()];
    };
    auto isWhole = [](ArrayAttr each) { return each.empty(); };
    bool isPartial =
        !scoreAxes.getPartial().empty() || !mixAxes.getPartial().empty();
    ArrayAttr queryAxes = ofScores[pattern.inScores[pattern.query]];
    isRing = !queryAxes.empty() && queryAxes == mixFactor(pattern.query) &&
             canBeRing(queryAxes);
    SmallVector<int64_t> whole;
    if (!isRing)
      whole.push_back(pattern.query);
    if (pattern.group)
      whole.push_back(*pattern.group);
    if (isPartial || !isWhole(ofScores.back()) || !isWhole(ofMix.back()) ||
        !isWhole(ofScores[pattern.inScores[pattern.key]]) ||
        !isWhole(mixFactor(-1)) || !llvm::all_of(whole, [&](int64_t dim) {
          return isWhole(ofScores[pattern.inScores[dim]]) &&
                 isWhole(mixFactor(dim));
        }))
      return false;
    for (int64_t dim : pattern.batch) {
      factorAxes.push_back(ofScores[pattern.inScores[dim]]);
      if (factorAxes.back() != mixFactor(dim))
        return false;
    }
    factorAxes.push_back(builder.getArrayAttr({})); // the group
    factorAxes.push_back(isRing ? queryAxes : builder.getArrayAttr({}));
    return hasAxes = true;
  }
  /// Whether keys and values are kept in as many parts as the queries.
  bool canBeRing(ArrayAttr axes) const {
    int64_t keyInKeys = pattern.inKey(pattern.key),
            keyInValues = pattern.inValue(pattern.key);
    return pattern.shape[pattern.query] == pattern.shape[pattern.key] &&
           pattern.shape[pattern.key] <= std::numeric_limits<int32_t>::max() &&
           isKeptOver(axes, pattern.keys(), keyInKeys) &&
           isKeptOver(axes, pattern.values(), keyInValues);
  }
  static bool isKeptOver(ArrayAttr axes, Value value, int64_t dim) {
    sdy::TensorShardingAttr sharding = sdy::getSharding(value);
    if (!sharding)
      return false;
    ArrayRef<sdy::AxisRefAttr> kept = sharding.getDimShardings()[dim].getAxes();
    return llvm::equal(
        kept, axes.getAsRange<StringAttr>(), [](auto ref, StringAttr name) {
          return !ref.getSubAxisInfo() && ref.getName() == name.getValue();
        });
  }

  TensorValue arranged(Value value, ArrayRef<int64_t> dimensions) {
    return transpose(TensorValue(builder, value), dimensions);
  }
  SmallVector<int64_t> batchSizes() const {
    return llvm::map_to_vector(pattern.batch,
                               [&](int64_t dim) { return pattern.shape[dim]; });
  }

  /// Dimensions of z in the order of the op; `std::nullopt` is a group of one.
  SmallVector<std::optional<int64_t>> order() const {
    SmallVector<std::optional<int64_t>> dims(pattern.batch.begin(),
                                             pattern.batch.end());
    dims.push_back(pattern.group);
    dims.push_back(pattern.query);
    dims.push_back(pattern.key);
    return dims;
  }

  /// What a term adds, with the dimensions of the scores, those that repeat
  /// having one position.
  TensorValue termOf(const ScoreTerm &term) {
    TensorValue value(builder, term.tensor.value);
    auto type = RankedTensorType::get(value.shape(), builder.getF32Type());
    if (term.hidden) {
      TensorValue zero = filled(builder, type, 0.0);
      TensorValue hidden = filled(builder, type, *term.hidden);
      value = term.keepsWhereTrue ? select(value, zero, hidden)
                                  : select(value, hidden, zero);
    } else {
      value = convert(value, builder.getF32Type());
    }
    SmallVector<int64_t> from, sizes;
    ArrayRef<int64_t> own = term.tensor.dimensions;
    for (std::optional<int64_t> dim : order()) {
      const int64_t *found = dim ? llvm::find(own, *dim) : own.end();
      if (found == own.end()) {
        sizes.push_back(1);
        continue;
      }
      from.push_back(found - own.begin());
      sizes.push_back(value.shape()[from.back()]);
    }
    return reshape(transpose(value, from), sizes);
  }

  /// The sum of all terms; null if there is none.
  Value bias() {
    Value sum;
    for (const ScoreTerm &term : pattern.terms) {
      TensorValue next = termOf(term);
      if (!sum) {
        sum = next;
        continue;
      }
      SmallVector<int64_t> sizes;
      for (auto [a, b] : llvm::zip(shapeOf(sum), next.shape()))
        sizes.push_back(std::max(a, b));
      auto dims = llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
      TensorValue left = broadcastInDim(TensorValue(builder, sum), sizes, dims);
      TensorValue right = broadcastInDim(next, sizes, dims);
      sum = left + right;
    }
    return sum;
  }

  void build() {
    SmallVector<int64_t> queryDims, keyDims, valueDims;
    for (int64_t dim : pattern.batch) {
      queryDims.push_back(pattern.inQuery(dim));
      keyDims.push_back(pattern.inKey(dim));
      valueDims.push_back(pattern.inValue(dim));
    }
    if (pattern.group)
      queryDims.push_back(pattern.inQuery(*pattern.group));
    queryDims.append({pattern.inQuery(pattern.query), pattern.querySum});
    keyDims.append({pattern.inKey(pattern.key), pattern.keySum});
    valueDims.append({pattern.inValue(pattern.key), pattern.valueFree});
    TensorValue query = arranged(pattern.queries(), queryDims);
    TensorValue key = arranged(pattern.keys(), keyDims);
    TensorValue value = arranged(pattern.values(), valueDims);

    SmallVector<int64_t> rows = batchSizes();
    rows.append({pattern.group ? pattern.shape[*pattern.group] : 1,
                 pattern.shape[pattern.query]});
    SmallVector<int64_t> querySizes = rows, outputSizes = rows;
    querySizes.push_back(query.shape().back());
    outputSizes.push_back(value.shape().back());
    query = reshape(query, querySizes);
    Type element =
        cast<RankedTensorType>(mix->getResult(0).getType()).getElementType();
    Value added = bias();
    attention = smith::AttentionOp::create(
        builder,
        TypeRange{RankedTensorType::get(outputSizes, element),
                  RankedTensorType::get(rows, builder.getF32Type())},
        query, key, value, added, pattern.isCausal, isRing,
        /*zigzag=*/IntegerAttr(), APFloat(pattern.scale));
    TensorValue output(builder, attention.getOutput());
    if (!pattern.group) {
      outputSizes.erase(outputSizes.end() - 3);
      output = reshape(output, outputSizes);
    }
    result = transpose(output, resultOrder());
  }

  /// Dimension of the second product's result → dimension of the output.
  SmallVector<int64_t> resultOrder() {
    SmallVector<int64_t> places(pattern.batch);
    if (pattern.group)
      places.push_back(*pattern.group);
    places.push_back(pattern.query);
    SmallVector<int64_t> dims;
    for (int64_t probability : pattern.probabilityOfResult()) {
      int64_t at = places.size(); // of the values alone
      for (auto [place, dim] : llvm::enumerate(places))
        if (probability >= 0 && pattern.inProbabilities[dim] == probability)
          at = place;
      dims.push_back(at);
    }
    return dims;
  }

  /// Marks of the second product hold for all that was made. Attention keeps
  /// nothing inside, so there is nothing to compute again selectively.
  void markAll(Operation *previous) {
    MLIRContext *context = builder.getContext();
    Operation *first =
        previous ? previous->getNextNode() : &mix->getBlock()->front();
    if (Attribute stage = mix->getAttr(smith::kStageAttributeName))
      for (Operation *op = first; op != mix; op = op->getNextNode())
        if (op->getNumOperands() > 0)
          op->setAttr(smith::kStageAttributeName, stage);
    if (Attribute unit = mix->getAttr(smith::kUnitAttributeName))
      attention->setAttr(smith::kUnitAttributeName, unit);
    if (auto choice =
            mix->getAttrOfType<StringAttr>(smith::kRecomputeAttributeName))
      attention->setAttr(smith::kRecomputeAttributeName,
                         choice.getValue() == "selective"
                             ? StringAttr::get(context, "none")
                             : choice);
    if (hasAxes) {
      factorAxes.resize(attention.getFactorRule().factors.size(),
                        builder.getArrayAttr({}));
      attention->setAttr(smith::kFactorAxesAttributeName,
                         smith::FactorAxesAttr::get(context, factorAxes,
                                                    builder.getArrayAttr({}),
                                                    /*linear_set=*/0));
    }
    // The op's own results have the layouts that its factors' axes give.
    sdy::TensorShardingAttr sharding = sdy::getSharding(mix->getResult(0));
    if (sharding && result.getDefiningOp() != attention)
      sdy::setSharding(result, sharding);
  }

  AttentionPattern pattern;
  stablehlo::DotGeneralOp mix;
  ImplicitLocOpBuilder builder;
  /// Of the leading dimensions, the group and the queries; no other is split.
  SmallVector<ArrayAttr> factorAxes;
  bool hasAxes = false, isRing = false;
  smith::AttentionOp attention;
  Value result;
};

/// Erases ops without users, from the last to the first.
void eraseUnused(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

} // namespace

void recognizeAttention(ModuleOp module, int64_t leastScores) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main || main.isExternal() || !main.getBody().hasOneBlock() ||
      leastScores == noAttentionIsOneOp)
    return;
  Block &body = main.getBody().front();
  ConstantsOfTraining constants(main);
  bool isChanged = false;
  for (auto mix : llvm::to_vector(body.getOps<stablehlo::DotGeneralOp>()))
    for (unsigned operand : {0u, 1u}) {
      std::optional<AttentionPattern> pattern =
          AttentionPattern::match(mix, operand);
      if (!pattern)
        continue;
      bool isWanted = llvm::all_of(pattern->terms, [&](const ScoreTerm &term) {
        return constants.contains(term.tensor.value);
      });
      isChanged |= isWanted && Rewriter(std::move(*pattern)).run(leastScores);
      break;
    }
  if (isChanged)
    eraseUnused(body);
}

namespace {

struct RecognizeAttentionPass
    : impl::RecognizeAttentionBase<RecognizeAttentionPass> {
  using RecognizeAttentionBase::RecognizeAttentionBase;

  void runOnOperation() override {
    if (leastScores < 0) {
      getOperation().emitError("option least-scores is ")
          << std::to_string(leastScores)
          << ": expected a number that is not negative";
      return signalPassFailure();
    }
    recognizeAttention(getOperation(), leastScores);
  }
};

} // namespace
} // namespace shardsmith
