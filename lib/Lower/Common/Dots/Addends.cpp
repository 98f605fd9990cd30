// SPDX-License-Identifier: Apache-2.0
//
// An addition that alone reads a product becomes part of it, with reshapes
// between the two:
//
//     %p = smith.gemm %x, %w
//     %b = broadcast_in_dim %bias
//     %q = add %p, %b              ──▶  %y = smith.add_gemm %x, %w
//     %y = add %residual, %q                     sum(%residual) bias(%bias)
//
// A bias that is added in f32 to a narrower product is rounded to the product's
// type if the library computes the GELU that follows: it adds before it rounds.
//
// A product of floats of eight bits is multiplied by a number first, the scale
// of both operands, and then becomes a product of the type that it is rounded
// to:
//
//     %p = smith.gemm %x8, %w8 : f32
//     %y = convert (multiply %p, broadcast %s)  ──▶  smith.add_gemm … scale(%s)

#include "Addends.h"
#include "Gelu.h"

#include "../Fusion/Fusibility.h"
#include "shardsmith/Dialect/Smith/AddGemmOp.h"
#include "shardsmith/Dialect/Smith/ReplacedArgument.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Dialect/StableHLO/StableHLO.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

bool isFloat32(Value tensor) { return typeOf(tensor).getElementType().isF32(); }

Value withoutReshapes(Value tensor) {
  while (auto reshape = tensor.getDefiningOp<stablehlo::ReshapeOp>())
    tensor = reshape.getOperand();
  return tensor;
}

/// The only reader of a value; null if there are several, or none.
Operation *onlyUser(Value value) {
  return value.hasOneUse() ? *value.getUsers().begin() : nullptr;
}

/// What alone reads a tensor in its block, behind reshapes: these are added to
/// the list, and the tensor becomes what is read. Null: there is no such
/// reader.
Operation *readerBehind(Value &tensor, SmallVectorImpl<Operation *> &reshapes) {
  Block *block = tensor.getParentBlock();
  for (Operation *user = onlyUser(tensor); user && user->getBlock() == block;
       user = onlyUser(tensor)) {
    if (!isa<stablehlo::ReshapeOp>(user))
      return user;
    reshapes.push_back(user);
    tensor = user->getResult(0);
  }
  return nullptr;
}

/// The number by which all elements of `tensor` are multiplied; null: none.
Value scalarFactor(stablehlo::MulOp multiply, Value tensor) {
  Value other =
      multiply.getLhs() == tensor ? multiply.getRhs() : multiply.getLhs();
  auto broadcast = other.getDefiningOp<stablehlo::BroadcastInDimOp>();
  bool isOfNumber = broadcast && typeOf(broadcast.getOperand()).getRank() == 0;
  return isOfNumber ? broadcast.getOperand() : Value();
}

/// A product and what is added to it.
struct Sum {
  smith::GemmOp gemm;
  Value addend, bias, scale; ///< null: none
  /// Additions, and reshapes between them, in order. The first ones, with a
  /// scale, multiply by it and round.
  SmallVector<Operation *, 4> steps;
  size_t scalingSteps = 0;

  ArrayRef<Operation *> additions() const {
    return ArrayRef(steps).drop_front(scalingSteps);
  }
  /// Whether the product is converted before something is added.
  bool isWidened() const {
    return llvm::any_of(additions(), llvm::IsaPred<stablehlo::ConvertOp>);
  }
  /// The product's type, before something is added.
  Type element() {
    return getElementTypeOrSelf(scalingSteps
                                    ? steps[scalingSteps - 1]->getResult(0)
                                    : Value(gemm.getResult()));
  }
  Value total() {
    return steps.empty() ? Value(gemm.getResult()) : steps.back()->getResult(0);
  }
};

/// Puts one product in place of all of it, as soon as what it adds is there.
void replace(Sum &sum) {
  smith::GemmOp gemm = sum.gemm;
  OpBuilder builder(gemm);
  for (Value operand : {sum.addend, sum.bias, sum.scale}) {
    Operation *op = operand ? operand.getDefiningOp() : nullptr;
    if (op && !op->isBeforeInBlock(&*builder.getInsertionPoint()))
      builder.setInsertionPointAfter(op);
  }
  auto shaped = [&](Value tensor, RankedTensorType type) -> Value {
    if (!tensor)
      return tensor;
    tensor = withoutReshapes(tensor);
    if (tensor.getType() == type)
      return tensor;
    return stablehlo::ReshapeOp::create(builder, gemm.getLoc(), type, tensor);
  };
  Value total = sum.total();
  Type element = sum.element();
  RankedTensorType type = typeOf(total).clone(element);
  Value addend = shaped(sum.addend, type);
  int64_t columns = gemm.getSizes()[1];
  Value bias = shaped(
      sum.bias,
      RankedTensorType::get({columns}, getElementTypeOrSelf(total.getType())));
  if (bias && sum.isWidened())
    bias = stablehlo::ConvertOp::create(
        builder, gemm.getLoc(), RankedTensorType::get({columns}, element),
        bias);
  auto product = smith::AddGemmOp::create(
      builder, gemm.getLoc(), type, gemm.getLhs(), gemm.getRhs(), addend, bias,
      sum.scale, gemm.getBatch(), gemm.getSizes(), gemm.getLhsOffset(),
      gemm.getLhsStrides(), gemm.getRhsOffset(), gemm.getRhsStrides(),
      gemm.getResultStrides());
  Value result = product.getResult();
  if (sum.isWidened())
    result = stablehlo::ConvertOp::create(builder, gemm.getLoc(),
                                          total.getType(), result);
  total.replaceAllUsesWith(result);
  for (Operation *step : llvm::reverse(sum.steps)) {
    SmallVector<Value> operands(step->getOperands());
    step->erase();
    for (Value operand : operands)
      if (auto broadcast = operand.getDefiningOp<stablehlo::BroadcastInDimOp>();
          broadcast && broadcast.use_empty())
        broadcast.erase();
  }
  gemm.erase();
}

class AddendFinder {
public:
  AddendFinder(func::FuncOp function, const TargetTraits &target)
      : function(function), target(target) {}

  Sum find(smith::GemmOp gemm) {
    Sum sum;
    sum.gemm = gemm;
    takeScale(sum);
    extendAll(sum);
    if (sum.bias || sum.addend)
      return sum;
    // A bias that has to be stored first is worth it if a tensor follows: that
    // saves the product a way through memory.
    Sum longer = sum;
    mayStoreBias = true;
    extendAll(longer);
    mayStoreBias = false;
    return longer.addend ? longer : sum;
  }

private:
  void extendAll(Sum &sum) {
    while (extend(sum))
      continue;
  }

  /// What a product of floats of eight bits is multiplied by, and the type that
  /// it is rounded to next, if the library does both.
  void takeScale(Sum &sum) {
    smith::GemmOp gemm = sum.gemm;
    Type left = getElementTypeOrSelf(gemm.getLhs());
    if (target.gemmAdds != GemmAddends::Any || !isFloat8(left) ||
        !isFloat32(gemm.getResult()))
      return;
    SmallVector<Operation *, 4> steps;
    Value total = gemm.getResult();
    auto multiply =
        dyn_cast_or_null<stablehlo::MulOp>(readerBehind(total, steps));
    Value scale = multiply ? scalarFactor(multiply, total) : Value();
    if (!scale)
      return;
    steps.push_back(multiply);
    sum.scale = scale;
    sum.steps = steps;

    total = multiply.getResult();
    auto convert =
        dyn_cast_or_null<stablehlo::ConvertOp>(readerBehind(total, steps));
    if (convert && target.hasGemm(left, getElementTypeOrSelf(gemm.getRhs()),
                                  getElementTypeOrSelf(convert.getResult()))) {
      steps.push_back(convert);
      sum.steps = steps;
    }
    sum.scalingSteps = sum.steps.size();
  }

  /// Adds what the next addition adds, if the library does.
  bool extend(Sum &sum) {
    if (sum.isWidened())
      return false; // what follows is added behind the conversion
    SmallVector<Operation *> steps;
    Value total = sum.total();
    while (Operation *user = onlyUser(total)) {
      if (user->getBlock() != sum.gemm->getBlock())
        return false;
      steps.push_back(user);
      if (auto add = dyn_cast<stablehlo::AddOp>(user)) {
        Value other = add.getLhs() == total ? add.getRhs() : add.getLhs();
        bool isWidened =
            llvm::any_of(steps, llvm::IsaPred<stablehlo::ConvertOp>);
        if (isWidened ? !takeBiasOfGelu(sum, add, other)
                      : !take(sum, add, other))
          return false;
        llvm::append_range(sum.steps, steps);
        return true;
      }
      if (!isa<stablehlo::ReshapeOp>(user) && !mayWiden(sum, user))
        return false;
      total = user->getResult(0);
    }
    return false;
  }

  /// Whether the op takes a product, to which nothing has been added, to f32.
  bool mayWiden(const Sum &sum, Operation *op) {
    return isa<stablehlo::ConvertOp>(op) && sum.additions().empty() &&
           target.gemmAdds == GemmAddends::Any && isFloat32(op->getResult(0)) &&
           target.hasGelu(typeOf(op->getOperand(0)).getElementType());
  }

  bool take(Sum &sum, stablehlo::AddOp add, Value other) {
    switch (target.gemmAdds) {
    case GemmAddends::Sums:
      return takeSumSoFar(sum, add, other);
    case GemmAddends::Any:
      return takeBias(sum, add, other) || takeAddend(sum, other);
    }
    llvm_unreachable("all that libraries add");
  }

  /// A term of a sum over micro-batches is written onto the sum so far: an
  /// argument that the new sum replaces, and that nothing else reads. Sums are
  /// kept in float32; products of other types are rounded before they are
  /// added.
  bool takeSumSoFar(Sum &sum, stablehlo::AddOp add, Value other) {
    smith::GemmOp gemm = sum.gemm;
    if (!isFloat32(gemm.getLhs()) || !isFloat32(gemm.getRhs()) ||
        !isFloat32(gemm.getResult()))
      return false;
    auto soFar = dyn_cast<BlockArgument>(other);
    auto end = dyn_cast_or_null<func::ReturnOp>(onlyUser(add.getResult()));
    if (!soFar || !end || !soFar.hasOneUse() ||
        soFar.getOwner() != &function.getBody().front())
      return false;
    unsigned result = add.getResult().use_begin()->getOperandNumber();
    if (smith::replacedArgument(function, result) != soFar.getArgNumber())
      return false;
    sum.addend = soFar;
    return true;
  }

  /// What comes before the product and is in memory whoever reads it. Of two
  /// products that are added the later one takes the earlier one.
  bool takeAddend(Sum &sum, Value other) {
    Operation *op = other.getDefiningOp();
    if (sum.addend || !isKept(other) || (op && !op->isBeforeInBlock(sum.gemm)))
      return false;
    sum.addend = other;
    return true;
  }

  /// A vector along the columns of a result whose rows have no gaps. One that
  /// a kernel would make is taken if it may be stored for that, no kernel adds
  /// it on its way, or the GELU that follows becomes the library's.
  bool takeBias(Sum &sum, stablehlo::AddOp add, Value other) {
    smith::GemmOp gemm = sum.gemm;
    auto broadcast = other.getDefiningOp<stablehlo::BroadcastInDimOp>();
    int64_t columns = gemm.getSizes()[1];
    ArrayRef<int64_t> shape = typeOf(add.getResult()).getShape();
    if (sum.bias || !broadcast || columns == 1 || shape.empty() ||
        shape.back() != columns || gemm.getResultStrides().back() != 1 ||
        typeOf(other).getElementType().isF64())
      return false;
    // Of floats of eight bits the library adds biases of 16 bits alone.
    if (isFloat8(getElementTypeOrSelf(gemm.getLhs())) && sum.element().isF32())
      return false;
    Value vector = broadcast.getOperand();
    if (typeOf(vector).getNumElements() != columns ||
        !llvm::any_of(llvm::zip_equal(typeOf(vector).getShape(),
                                      broadcast.getBroadcastDimensions()),
                      [&](auto dimension) {
                        auto [size, to] = dimension;
                        return size == columns &&
                               to == static_cast<int64_t>(shape.size()) - 1;
                      }))
      return false;
    if (!isKept(vector) && !mayStoreBias && isComputedWith(add.getResult()) &&
        !isFollowedByGelu(sum, add))
      return false;
    sum.bias = vector;
    return true;
  }

  /// Whether the library may compute what follows, if it adds the bias.
  bool isFollowedByGelu(Sum &sum, stablehlo::AddOp add) {
    return target.hasGelu(sum.element()) && findGelu(add.getResult());
  }

  bool takeBiasOfGelu(Sum &sum, stablehlo::AddOp add, Value other) {
    return isFollowedByGelu(sum, add) && takeBias(sum, add, other);
  }

  /// Whether the value is in memory, whoever reads it.
  bool isKept(Value value) {
    value = withoutReshapes(value);
    Operation *op = value.getDefiningOp();
    if (!op || !isFusable(op, target))
      return true;
    const ElementOp *known = findElementOp(op);
    return !value.hasOneUse() &&
           (!known || known->kind != ElementKind::Indexing) &&
           !isa<stablehlo::ConstantOp>(op);
  }

  /// Whether a kernel reads the value in any shape.
  bool isComputedWith(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return isa<stablehlo::ReshapeOp>(user)
                 ? isComputedWith(user->getResult(0))
                 : isFusable(user, target);
    });
  }

  func::FuncOp function;
  const TargetTraits &target;
  bool mayStoreBias = false;
};

} // namespace

void addOntoProducts(func::FuncOp function, const TargetTraits &target) {
  AddendFinder finder(function, target);
  SmallVector<smith::GemmOp> products;
  function.walk([&](smith::GemmOp gemm) { products.push_back(gemm); });
  for (smith::GemmOp gemm : products)
    if (Sum sum = finder.find(gemm); !sum.steps.empty())
      replace(sum);
}

} // namespace shardsmith::lower
