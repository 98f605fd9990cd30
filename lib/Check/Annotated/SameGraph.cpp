// SPDX-License-Identifier: Apache-2.0

#include "SameGraph.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"

using namespace mlir;

namespace shardsmith::check {
namespace {

bool isAnnotation(Operation *op, StringRef name) {
  if (isa<sdy::ShardingConstraintOp>(op) && name == "sharding")
    return true;
  return llvm::is_contained({StringRef(sdy::kShardingAttributeName),
                             StringRef(smith::kFactorAxesAttributeName),
                             StringRef(smith::kPartsAttributeName),
                             StringRef(smith::kSplitAttributeName),
                             StringRef(smith::kStageAttributeName),
                             StringRef(smith::kRecomputeAttributeName)},
                            name);
}

SmallVector<NamedAttribute> contentOf(Operation *op, DictionaryAttr all) {
  SmallVector<NamedAttribute> content;
  for (NamedAttribute attribute :
       all ? all.getValue() : ArrayRef<NamedAttribute>())
    if (!isAnnotation(op, attribute.getName().getValue()))
      content.push_back(attribute);
  return content;
}
SmallVector<NamedAttribute> contentOf(Operation *op) {
  return contentOf(op, op->getAttrDictionary());
}

class Matcher {
public:
  explicit Matcher(Peers &peers) : peers(peers) {}

  bool match(ModuleOp model, ModuleOp annotated) {
    auto mine = llvm::to_vector(model.getOps<func::FuncOp>());
    auto theirs = llvm::to_vector(annotated.getOps<func::FuncOp>());
    if (mine.size() != theirs.size())
      return differ(annotated, "has " + Twine(theirs.size()) +
                                   " functions, the model has " +
                                   Twine(mine.size()));
    for (auto [left, right] : llvm::zip_equal(mine, theirs))
      if (!matchFunctions(left, right))
        return false;
    return contentOf(model) == contentOf(annotated) ||
           differ(annotated, "has other attributes than the model's module");
  }

  std::optional<GraphDifference> difference;

private:
  bool differ(Operation *at, const Twine &reason) {
    difference = GraphDifference{at->getLoc(), reason.str()};
    return false;
  }

  bool matchFunctions(func::FuncOp left, func::FuncOp right) {
    if (left.getName() != right.getName() ||
        left.getFunctionType() != right.getFunctionType() ||
        left.isExternal() != right.isExternal())
      return differ(right,
                    "is not the model's function '@" + left.getName() + "'");
    if (left.isExternal())
      return true;
    if (!matchSignatures(left, right))
      return false;
    for (auto [a, b] :
         llvm::zip_equal(left.getArguments(), right.getArguments()))
      peers.values[a] = b;
    mlir::Block &mine = left.getBody().front(),
                &theirs = right.getBody().front();
    auto next = theirs.begin();
    for (Operation &op : mine) {
      if (next == theirs.end())
        return differ(right, "has fewer ops than the model");
      if (!matchOps(&op, &*next++))
        return false;
    }
    return next == theirs.end() ||
           differ(&*next, "is an op that the model does not have");
  }

  /// Roles, names and whatever else arguments and results are given.
  bool matchSignatures(func::FuncOp left, func::FuncOp right) {
    for (unsigned i = 0; i < left.getNumArguments(); ++i)
      if (contentOf(left, left.getArgAttrDict(i)) !=
          contentOf(right, right.getArgAttrDict(i)))
        return differ(right, "argument " + Twine(i) +
                                 " has other attributes than the model's");
    for (unsigned i = 0; i < left.getNumResults(); ++i)
      if (contentOf(left, left.getResultAttrDict(i)) !=
          contentOf(right, right.getResultAttrDict(i)))
        return differ(right, "result " + Twine(i) +
                                 " has other attributes than the model's");
    return left.getSymVisibility() == right.getSymVisibility() ||
           differ(right, "is visible otherwise than the model's function");
  }

  bool matchOps(Operation *left, Operation *right) {
    if (left->getName() != right->getName() ||
        left->getResultTypes() != right->getResultTypes() ||
        left->getNumOperands() != right->getNumOperands() ||
        left->getNumRegions() != right->getNumRegions())
      return differ(right, "is another op than the model's '" +
                               left->getName().getStringRef() + "'");
    for (auto [a, b] :
         llvm::zip_equal(left->getOperands(), right->getOperands()))
      if (peers.values.lookup(a) != b)
        return differ(right, "reads another value than the model's op");
    if (contentOf(left) != contentOf(right))
      return differ(right, "has other attributes than the model's op");
    for (auto [a, b] : llvm::zip_equal(left->getRegions(), right->getRegions()))
      if (!haveSameBodies(a, b))
        return differ(right, "has another body than the model's op");
    peers.ops[left] = right;
    for (auto [a, b] : llvm::zip_equal(left->getResults(), right->getResults()))
      peers.values[a] = b;
    return true;
  }

  /// Bodies may read values from outside, such as constants that were moved
  /// there; these must be each other's peers.
  bool haveSameBodies(Region &left, Region &right) const {
    llvm::DenseMap<mlir::Value, mlir::Value> inside;
    return OperationEquivalence::isRegionEquivalentTo(
        &left, &right,
        [&](mlir::Value a, mlir::Value b) {
          auto found = inside.find(a);
          return mlir::success(found != inside.end()
                                   ? found->second == b
                                   : peers.values.lookup(a) == b);
        },
        [&](mlir::Value a, mlir::Value b) { inside[a] = b; },
        OperationEquivalence::IgnoreLocations);
  }

  Peers &peers;
};

} // namespace

std::optional<GraphDifference> matchGraphs(ModuleOp model, ModuleOp annotated,
                                           Peers &peers) {
  Matcher matcher(peers);
  matcher.match(model, annotated);
  return std::move(matcher.difference);
}

} // namespace shardsmith::check
