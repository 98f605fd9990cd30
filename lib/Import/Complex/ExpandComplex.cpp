// SPDX-License-Identifier: Apache-2.0
//
// Every complex value becomes two real ones, in the order of the program:
//
//     %0 = complex %a, %b                     0: (a, b)
//     %1 = multiply %0, %0                    1: (aa - bb, ab + ba)
//     %2 = reshape %1 : complex<f32>          2: (reshape, reshape)
//     %3 = real %2                            3: an ordinary value
//
// Ops that move elements, and sums, act on both parts alike; products of all
// kinds follow (a + ib)(c + id); the rest has a formula each. Other reductions,
// and sorts, take both parts side by side, as those of pairs do, and their
// bodies are expanded like functions. What goes around a loop, by the markers
// of `mark-loops`, goes around it as two values.

#include "../Unsupported.h"
#include "ComplexValue.h"
#include "FourierTransform.h"
#include "Products.h"

#include "shardsmith/Dialect/Chlo/Chlo.h"
#include "shardsmith/Dialect/Sdy/Sdy.h"
#include "shardsmith/Dialect/Smith/DerivativeOps.h"
#include "shardsmith/Dialect/Smith/LoopOps.h"
#include "shardsmith/Dialect/Smith/Smith.h"
#include "shardsmith/Import/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <complex>

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EXPANDCOMPLEX
#include "shardsmith/Import/Passes.h.inc"

namespace complexes {
namespace {

bool isComplex(Type type) {
  return isa<ComplexType>(getElementTypeOrSelf(type));
}

/// The type of a part of a complex tensor; others as they are.
Type partType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto element =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  return element ? tensor.clone(element.getElementType()) : type;
}

/// True if the region adds its two arguments, or returns the second one: what
/// it does to complex numbers it does to each part.
bool actsOnParts(Region &region) {
  Block &block = region.front();
  Operation *terminator = block.getTerminator();
  if (block.getNumArguments() != 2 || terminator->getNumOperands() != 1)
    return false;
  Value result = terminator->getOperand(0);
  auto sum = result.getDefiningOp<stablehlo::AddOp>();
  return result == block.getArgument(1) ||
         (sum && llvm::hasNItems(block, 2) &&
          llvm::equal(sum->getOperands(), block.getArguments()));
}

class Expander {
public:
  explicit Expander(func::FuncOp function)
      : function(function), builder(function.getLoc(), function.getContext()) {}

  LogicalResult run(bool goOn);

private:
  LogicalResult splitArguments();
  /// Adds the parts of a body's complex arguments. Those of a comparator are
  /// in pairs of what is compared, and so are their parts.
  void splitArguments(Block &body, bool areInPairs);
  /// Erases those of the ops of a body that take or make complex numbers.
  static void eraseComplex(ArrayRef<Operation *> ops);
  void expandSideBySide(Operation *op);
  LogicalResult splitResults();
  void expand(Operation *op);
  /// Zeros take the place of what the op makes, so that others are looked at.
  void refuse(Operation *op);

  ComplexValue get(Value value);
  void set(Value value, const ComplexValue &parts) {
    values.insert({value, parts});
  }
  /// What the op's result is, if there is a formula.
  std::optional<ComplexValue> formulaOf(Operation *op);
  /// The real value that the op makes of complex operands, if it makes one.
  std::optional<TensorValue> realOf(Operation *op);
  ComplexValue constantOf(stablehlo::ConstantOp op);
  /// The op on one part of its complex operands.
  Operation *cloneForPart(Operation *op, bool isImaginary);
  ComplexValue expandByParts(Operation *op);
  ComplexValue expandProduct(Operation *op);
  ComplexValue expandCarry(smith::LoopCarryOp op);

  func::FuncOp function;
  ImplicitLocOpBuilder builder;
  llvm::DenseMap<Value, ComplexValue> values;
  ErrorList unsupported;
};

ComplexValue Expander::get(Value value) {
  auto found = values.find(value);
  if (found != values.end())
    return found->second;
  return {TensorValue(builder, value), std::nullopt};
}

ComplexValue Expander::constantOf(stablehlo::ConstantOp op) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  auto type = cast<RankedTensorType>(partType(op.getType()));
  SmallVector<APFloat> real, imaginary;
  auto add = [&](const std::complex<APFloat> &number) {
    real.push_back(number.real());
    imaginary.push_back(number.imag());
  };
  if (elements.isSplat())
    add(elements.getSplatValue<std::complex<APFloat>>());
  else
    llvm::for_each(elements.getValues<std::complex<APFloat>>(), add);
  auto constant = [&](ArrayRef<APFloat> numbers) -> TensorValue {
    return {builder, stablehlo::ConstantOp::create(
                         builder, DenseElementsAttr::get(type, numbers))};
  };
  ComplexValue value{constant(real), std::nullopt};
  if (!llvm::all_of(imaginary,
                    [](const APFloat &part) { return part.isPosZero(); }))
    value.imaginary = constant(imaginary);
  return value;
}

Operation *Expander::cloneForPart(Operation *op, bool isImaginary) {
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (!isComplex(operand.getType()))
      continue;
    ComplexValue parts = get(operand);
    mapping.map(operand, isImaginary ? parts.imaginaryOrZero().value()
                                     : parts.real.value());
  }
  Operation *clone = builder.clone(*op, mapping);
  for (Value result : clone->getResults())
    result.setType(partType(result.getType()));
  for (Region &region : clone->getRegions())
    region.walk([](Block *block) {
      for (BlockArgument argument : block->getArguments())
        argument.setType(partType(argument.getType()));
      for (Operation &inner : *block)
        for (Value result : inner.getResults())
          result.setType(partType(result.getType()));
    });
  return clone;
}

/// The op on the real parts, and on the imaginary parts if there are some.
ComplexValue Expander::expandByParts(Operation *op) {
  bool hasImaginary = llvm::any_of(op->getOperands(), [&](Value operand) {
    return isComplex(operand.getType()) && get(operand).imaginary;
  });
  auto part = [&](bool isImaginary) {
    return TensorValue(builder, cloneForPart(op, isImaginary)->getResult(0));
  };
  ComplexValue parts{part(/*isImaginary=*/false), std::nullopt};
  if (hasImaginary)
    parts.imaginary = part(/*isImaginary=*/true);
  return parts;
}

/// An imaginary part that is zero in the first iteration may be another number
/// in later ones.
ComplexValue Expander::expandCarry(smith::LoopCarryOp op) {
  Operation *real = cloneForPart(op, /*isImaginary=*/false);
  auto imaginary =
      cast<smith::LoopCarryOp>(cloneForPart(op, /*isImaginary=*/true));
  int64_t unused = 0;
  for (auto other : op->getBlock()->getOps<smith::LoopCarryOp>())
    if (other.getLoop() == op.getLoop() && other != imaginary)
      unused = std::max<int64_t>(unused, other.getNumber() + 1);
  imaginary.setNumber(unused);
  return {TensorValue(builder, real->getResult(0)),
          TensorValue(builder, imaginary)};
}

/// Of dots and convolutions: the op itself on parts.
ComplexValue Expander::expandProduct(Operation *op) {
  Type type = partType(op->getResult(0).getType());
  return multiply(get(op->getOperand(0)), get(op->getOperand(1)),
                  [&](TensorValue lhs, TensorValue rhs) -> TensorValue {
                    Operation *product = op->clone();
                    product->setOperands({lhs.value(), rhs.value()});
                    product->getResult(0).setType(type);
                    builder.insert(product);
                    return {builder, product->getResult(0)};
                  });
}

std::optional<TensorValue> Expander::realOf(Operation *op) {
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  if (isa<stablehlo::RealOp>(op))
    return operand(0).real;
  if (isa<stablehlo::ConvertOp>(op))
    return convert(operand(0).real, getElementTypeOrSelf(op->getResult(0)));
  if (isa<stablehlo::ImagOp>(op))
    return operand(0).imaginaryOrZero();
  if (isa<stablehlo::AbsOp>(op))
    return modulus(operand(0));
  if (auto back = dyn_cast<stablehlo::FftOp>(op))
    return fourierTransform(back, operand(0)).real;
  auto comparison = dyn_cast<stablehlo::CompareOp>(op);
  if (!comparison)
    return std::nullopt;
  // Complex numbers have no order: the verifier leaves EQ and NE.
  auto direction = comparison.getComparisonDirection();
  ComplexValue lhs = operand(0), rhs = operand(1);
  TensorValue real = compare(lhs.real, direction, rhs.real);
  if (!lhs.imaginary && !rhs.imaginary)
    return real;
  TensorValue left = lhs.imaginaryOrZero();
  TensorValue imaginary = compare(left, direction, rhs.imaginaryOrZero());
  if (direction == stablehlo::ComparisonDirection::EQ)
    return real & imaginary;
  return TensorValue{builder, stablehlo::OrOp::create(builder, real.value(),
                                                      imaginary.value())};
}

std::optional<ComplexValue> Expander::formulaOf(Operation *op) {
  auto operand = [&](unsigned i) { return get(op->getOperand(i)); };
  using Result = std::optional<ComplexValue>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](stablehlo::ConstantOp constant) -> Result {
        return constantOf(constant);
      })
      .Case([&](stablehlo::ComplexOp) -> Result {
        return ComplexValue{operand(0).real, operand(1).real};
      })
      .Case([&](stablehlo::ConvertOp) -> Result {
        Type element = getElementTypeOrSelf(partType(op->getResultTypes()[0]));
        ComplexValue parts = operand(0);
        ComplexValue result{convert(parts.real, element), std::nullopt};
        if (parts.imaginary)
          result.imaginary = convert(*parts.imaginary, element);
        return result;
      })
      .Case([&](stablehlo::AddOp) -> Result { return operand(0) + operand(1); })
      .Case([&](stablehlo::SubtractOp) -> Result {
        return operand(0) - operand(1);
      })
      .Case([&](stablehlo::MulOp) -> Result { return operand(0) * operand(1); })
      .Case([&](chlo::SquareOp) -> Result { return operand(0) * operand(0); })
      .Case([&](stablehlo::DivOp) -> Result { return operand(0) / operand(1); })
      .Case([&](stablehlo::NegOp) -> Result { return -operand(0); })
      .Case([&](stablehlo::ExpOp) -> Result { return exponential(operand(0)); })
      .Case([&](stablehlo::Expm1Op) -> Result {
        return exponentialMinusOne(operand(0));
      })
      .Case([&](stablehlo::LogOp) -> Result { return logarithm(operand(0)); })
      .Case([&](stablehlo::Log1pOp) -> Result {
        return logarithmPlusOne(operand(0));
      })
      .Case([&](stablehlo::SqrtOp) -> Result { return squareRoot(operand(0)); })
      .Case([&](stablehlo::RsqrtOp) -> Result {
        ComplexValue root = squareRoot(operand(0));
        return ComplexValue{root.real.filled(1), std::nullopt} / root;
      })
      .Case([&](chlo::AsinOp) -> Result { return arcSine(operand(0)); })
      .Case([&](chlo::AcosOp) -> Result { return arcCosine(operand(0)); })
      .Case([&](chlo::AtanOp) -> Result { return arcTangent(operand(0)); })
      .Case([&](chlo::AsinhOp) -> Result {
        return inverseHyperbolicSine(operand(0));
      })
      .Case([&](chlo::AcoshOp) -> Result {
        return inverseHyperbolicCosine(operand(0));
      })
      .Case([&](chlo::AtanhOp) -> Result {
        return inverseHyperbolicTangent(operand(0));
      })
      .Case([&](stablehlo::BitcastConvertOp cast) -> Result {
        if (cast.getOperand().getType() != cast.getType())
          return std::nullopt;
        return operand(0);
      })
      .Case([&](stablehlo::SineOp) -> Result { return sine(operand(0)); })
      .Case([&](stablehlo::CosineOp) -> Result { return cosine(operand(0)); })
      .Case<stablehlo::TanOp, chlo::TanOp>(
          [&](auto) -> Result { return tangent(operand(0)); })
      .Case([&](chlo::SinhOp) -> Result { return hyperbolicSine(operand(0)); })
      .Case(
          [&](chlo::CoshOp) -> Result { return hyperbolicCosine(operand(0)); })
      .Case([&](stablehlo::TanhOp) -> Result {
        return hyperbolicTangent(operand(0));
      })
      .Case(
          [&](stablehlo::LogisticOp) -> Result { return logistic(operand(0)); })
      .Case([&](stablehlo::SignOp) -> Result { return sign(operand(0)); })
      .Case([&](stablehlo::PowOp) -> Result {
        return exponential(logarithm(operand(0)) * operand(1));
      })
      .Case([&](chlo::ConjOp) -> Result { return conjugate(operand(0)); })
      .Case([&](stablehlo::FftOp fft) -> Result {
        return fourierTransform(fft, operand(0));
      })
      .Case([&](stablehlo::ReduceOp reduce) -> Result {
        if (!isProduct(reduce))
          return std::nullopt;
        return productOver(reduce, operand(0), operand(1));
      })
      .Case([&](stablehlo::ReduceWindowOp windows) -> Result {
        if (!isRunningProduct(windows))
          return std::nullopt;
        return runningProduct(windows, operand(0));
      })
      .Case<stablehlo::DotGeneralOp, stablehlo::DotOp,
            stablehlo::ConvolutionOp>(
          [&](auto) -> Result { return expandProduct(op); })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

/// Ops whose result has elements of operands, sums of some, or positions.
bool movesElements(Operation *op) {
  if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp>(
          op))
    return actsOnParts(op->getRegion(0));
  return isa<stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp,
             stablehlo::ConcatenateOp, stablehlo::DynamicSliceOp,
             stablehlo::DynamicUpdateSliceOp, stablehlo::GatherOp,
             stablehlo::IotaOp, stablehlo::PadOp, stablehlo::ReshapeOp,
             stablehlo::ReverseOp, stablehlo::SelectOp, stablehlo::SliceOp,
             stablehlo::TransposeOp, sdy::ShardingConstraintOp,
             smith::LoopEnterOp, smith::LoopNextOp, smith::LoopSliceOp,
             smith::LoopStackOp, smith::StopGradientOp>(op);
}

/// A test's comparison of two values, which is one of both parts.
bool isCheck(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  return call && call->getNumResults() == 0 &&
         call.getCallTargetName().starts_with("check.");
}

void Expander::splitArguments(Block &body, bool areInPairs) {
  unsigned width = areInPairs ? 2 : 1;
  for (unsigned i = 0; i < body.getNumArguments(); i += width) {
    Type type = body.getArgument(i).getType();
    if (!isComplex(type))
      continue;
    // The values that are compared, their real and their imaginary parts.
    auto parts = [&](unsigned which) { return i + which * width; };
    Location loc = body.getArgument(i).getLoc();
    for (unsigned added = parts(1); added < parts(3); ++added)
      body.insertArgument(added, partType(type), loc);
    for (unsigned value = 0; value < width; ++value)
      set(body.getArgument(i + value),
          {TensorValue(builder, body.getArgument(parts(1) + value)),
           TensorValue(builder, body.getArgument(parts(2) + value))});
    i += 2 * width;
  }
}

void Expander::eraseComplex(ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops))
    if (op->use_empty() && (llvm::any_of(op->getOperandTypes(), isComplex) ||
                            llvm::any_of(op->getResultTypes(), isComplex)))
      op->erase();
}

/// reduce(z) of complex numbers is reduce(a, b) of real ones, and so is a sort.
void Expander::expandSideBySide(Operation *op) {
  auto parts = [&](ValueRange values) {
    SmallVector<Value> all;
    for (Value value : values) {
      if (!isComplex(value.getType())) {
        all.push_back(value);
        continue;
      }
      ComplexValue pair = get(value);
      all.push_back(pair.real);
      all.push_back(pair.imaginaryOrZero());
    }
    return all;
  };
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(parts(op->getOperands()));
  state.addAttributes(op->getAttrs());
  for (Type type : op->getResultTypes())
    state.types.append(isComplex(type) ? 2 : 1, partType(type));
  state.addRegion();
  Operation *wide = builder.create(state);
  wide->getRegion(0).takeBody(op->getRegion(0));
  unsigned next = 0;
  for (Value result : op->getResults()) {
    Value first = wide->getResult(next++);
    if (!isComplex(result.getType()))
      result.replaceAllUsesWith(first);
    else
      set(result, {TensorValue(builder, first),
                   TensorValue(builder, wide->getResult(next++))});
  }

  Block &body = wide->getRegion(0).front();
  splitArguments(body, /*areInPairs=*/isa<stablehlo::SortOp>(wide));
  SmallVector<Operation *> ops;
  for (Operation &inner : body.without_terminator())
    ops.push_back(&inner);
  OpBuilder::InsertionGuard guard(builder);
  for (Operation *inner : ops)
    expand(inner);
  builder.setInsertionPoint(body.getTerminator());
  body.getTerminator()->setOperands(parts(body.getTerminator()->getOperands()));
  eraseComplex(ops);
  body.eraseArguments(
      [](BlockArgument argument) { return isComplex(argument.getType()); });
}

void Expander::refuse(Operation *op) {
  unsupported.add(op->getLoc(),
                  "unsupported: '" + op->getName().getStringRef().str() +
                      "' on complex numbers; compute with real and imaginary "
                      "parts there");
  for (Value result : op->getResults()) {
    auto part = dyn_cast<RankedTensorType>(partType(result.getType()));
    if (isComplex(result.getType()))
      set(result, {filled(builder, part, 0.0), std::nullopt});
    else if (part)
      result.replaceAllUsesWith(filled(builder, part, 0.0));
  }
}

void Expander::expand(Operation *op) {
  bool takes = llvm::any_of(op->getOperandTypes(), isComplex);
  bool gives = llvm::any_of(op->getResultTypes(), isComplex);
  if ((!takes && !gives) || isa<func::ReturnOp>(op))
    return;
  builder.setLoc(op->getLoc());
  builder.setInsertionPoint(op);
  if (isCheck(op)) {
    cloneForPart(op, /*isImaginary=*/false);
    cloneForPart(op, /*isImaginary=*/true);
    return;
  }
  if (!gives) {
    if (std::optional<TensorValue> real = realOf(op)) {
      op->getResult(0).replaceAllUsesWith(real->value());
      return;
    }
  } else if (std::optional<ComplexValue> formula = formulaOf(op)) {
    set(op->getResult(0), *formula);
    return;
  } else if (movesElements(op)) {
    set(op->getResult(0), expandByParts(op));
    return;
  } else if (auto carry = dyn_cast<smith::LoopCarryOp>(op)) {
    set(carry, expandCarry(carry));
    return;
  } else if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp,
                 stablehlo::SortOp>(op)) {
    return expandSideBySide(op);
  }
  refuse(op);
}

/// `x` becomes `x.real` and `x.imaginary`, which have all else in common.
DictionaryAttr attributesOfPart(DictionaryAttr whole, StringRef part,
                                MLIRContext *context) {
  NamedAttrList attributes(whole);
  if (auto name = attributes.get(smith::kNameAttributeName))
    attributes.set(smith::kNameAttributeName,
                   StringAttr::get(context, cast<StringAttr>(name).getValue() +
                                                "." + part));
  return attributes.getDictionary(context);
}

LogicalResult Expander::splitArguments() {
  MLIRContext *context = function.getContext();
  builder.setInsertionPointToStart(&function.front());
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    BlockArgument argument = function.getArgument(i);
    if (!isComplex(argument.getType()))
      continue;
    auto attributes = function.getArgAttrDict(i);
    Type part = partType(argument.getType());
    for (StringRef name : {"imaginary", "real"})
      if (failed(function.insertArgument(
              i + 1, part, attributesOfPart(attributes, name, context),
              argument.getLoc())))
        return failure();
    set(function.getArgument(i),
        {TensorValue(builder, function.getArgument(i + 1)),
         TensorValue(builder, function.getArgument(i + 2))});
    i += 2;
  }
  return success();
}

LogicalResult Expander::splitResults() {
  MLIRContext *context = function.getContext();
  Operation *terminator = function.front().getTerminator();
  builder.setInsertionPoint(terminator);
  SmallVector<Value> results;
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (auto [i, value] : llvm::enumerate(terminator->getOperands())) {
    DictionaryAttr whole = function.getResultAttrDict(i);
    if (!whole)
      whole = DictionaryAttr::get(context);
    if (!isComplex(value.getType())) {
      results.push_back(value);
      attributes.push_back(whole);
      continue;
    }
    ComplexValue parts = get(value);
    results.push_back(parts.real);
    attributes.push_back(attributesOfPart(whole, "real", context));
    results.push_back(parts.imaginaryOrZero());
    attributes.push_back(attributesOfPart(whole, "imaginary", context));
  }
  for (Value result : results)
    types.push_back(result.getType());
  terminator->setOperands(results);
  function.setType(
      FunctionType::get(context, function.getArgumentTypes(), types));
  function.setResAttrsAttr(ArrayAttr::get(context, attributes));
  return success();
}

LogicalResult Expander::run(bool goOn) {
  if (failed(splitArguments()))
    return failure();
  SmallVector<Operation *> ops;
  for (Operation &op : function.front())
    ops.push_back(&op);
  for (Operation *op : ops)
    expand(op);
  if (failed(reportUnsupported(function, unsupported, goOn)) ||
      failed(splitResults()))
    return failure();
  eraseComplex(ops);
  for (unsigned i = function.getNumArguments(); i-- > 0;)
    if (isComplex(function.getArgument(i).getType()) &&
        failed(function.eraseArgument(i)))
      return failure();
  return success();
}

/// True if some value of the function, inside regions too, is complex.
bool usesComplex(func::FuncOp function) {
  if (llvm::any_of(function.getArgumentTypes(), isComplex))
    return true;
  return function
      .walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(), isComplex) ||
                       llvm::any_of(op->getOperandTypes(), isComplex)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace
} // namespace complexes

namespace {

struct ExpandComplex : impl::ExpandComplexBase<ExpandComplex> {
  using ExpandComplexBase::ExpandComplexBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!complexes::usesComplex(function))
      return markAllAnalysesPreserved();
    if (!function.getBody().hasOneBlock() ||
        failed(complexes::Expander(function).run(goOn)))
      return signalPassFailure();
  }
};

} // namespace
} // namespace shardsmith
