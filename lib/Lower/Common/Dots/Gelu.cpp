// SPDX-License-Identifier: Apache-2.0
//
// Every value between input and result is brought into the form
//
//     a(x) + b(x) · tanh(c(x))          a, b and c polynomials
//
// by the rules of arithmetic, so the order and grouping of ops does not matter,
// and nothing else is taken for the unit. What follows from a value without
// such a form has none.

#include "Gelu.h"

#include "shardsmith/Dialect/StableHLO/StableHLO.h"
#include "shardsmith/Lower/Common/ElementOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <array>
#include <cmath>
#include <numbers>

using namespace mlir;

namespace shardsmith::lower {
namespace {

/// Coefficients of 1, x, x², …; of a degree that the unit does not have there
/// is none.
struct Polynomial {
  static constexpr size_t terms = 4;
  std::array<double, terms> coefficients = {};

  static Polynomial constant(double value) { return {{value}}; }
  bool isZero() const {
    return llvm::all_of(coefficients, [](double c) { return c == 0; });
  }
  /// The value of a polynomial that has one for all x.
  std::optional<double> constantValue() const {
    if (llvm::any_of(ArrayRef(coefficients).drop_front(),
                     [](double c) { return c != 0; }))
      return std::nullopt;
    return coefficients.front();
  }
};

Polynomial plus(const Polynomial &a, const Polynomial &b, double timesB) {
  Polynomial sum;
  for (size_t i = 0; i < Polynomial::terms; ++i)
    sum.coefficients[i] = a.coefficients[i] + timesB * b.coefficients[i];
  return sum;
}

std::optional<Polynomial> times(const Polynomial &a, const Polynomial &b) {
  Polynomial product;
  for (size_t i = 0; i < Polynomial::terms; ++i)
    for (size_t j = 0; j < Polynomial::terms; ++j) {
      double term = a.coefficients[i] * b.coefficients[j];
      if (term == 0)
        continue;
      if (i + j >= Polynomial::terms)
        return std::nullopt;
      product.coefficients[i + j] += term;
    }
  return product;
}

bool areClose(const Polynomial &a, const Polynomial &b) {
  // Twice the rounding of a bf16.
  constexpr double tolerance = 1.0 / 128;
  for (size_t i = 0; i < Polynomial::terms; ++i)
    if (std::abs(a.coefficients[i] - b.coefficients[i]) >
        tolerance * std::abs(b.coefficients[i]))
      return false;
  return true;
}

/// a + b · tanh(c); b is zero where there is no tanh.
struct Form {
  Polynomial a, b, c;
};

std::optional<Form> sum(const Form &left, const Form &right,
                        double timesRight) {
  if (!left.b.isZero() && !right.b.isZero())
    return std::nullopt;
  return Form{plus(left.a, right.a, timesRight),
              plus(left.b, right.b, timesRight),
              left.b.isZero() ? right.c : left.c};
}

std::optional<Form> product(const Form &left, const Form &right) {
  if (!left.b.isZero() && !right.b.isZero())
    return std::nullopt;
  const Form &bent = left.b.isZero() ? right : left;
  const Form &straight = left.b.isZero() ? left : right;
  std::optional<Polynomial> a = times(bent.a, straight.a),
                            b = times(bent.b, straight.a);
  if (!a || !b)
    return std::nullopt;
  return Form{*a, *b, bent.c};
}

class FormFinder {
public:
  explicit FormFinder(Value input) : input(input) {}

  std::optional<Form> find(Value value) {
    if (value == input)
      return Form{{{0, 1}}, {}, {}};
    if (auto known = forms.find(value); known != forms.end())
      return known->second;
    std::optional<Form> form;
    // What the unit has nothing to do with may be the end of a long chain.
    ++depth;
    if (Operation *op = value.getDefiningOp(); op && depth <= deepest)
      form = compute(op);
    --depth;
    forms[value] = form;
    return form;
  }

private:
  std::optional<Form> compute(Operation *op);
  std::optional<Form> power(stablehlo::PowOp op);

  /// The longest way of writing the unit has about 12 ops in a row.
  static constexpr int deepest = 32;

  Value input;
  int depth = 0;
  DenseMap<Value, std::optional<Form>> forms;
};

std::optional<Form> FormFinder::power(stablehlo::PowOp op) {
  std::optional<Form> base = find(op.getLhs()), exponent = find(op.getRhs());
  if (!base || !exponent || !exponent->b.isZero())
    return std::nullopt;
  std::optional<double> times = exponent->a.constantValue();
  if (!times || (*times != 2 && *times != 3))
    return std::nullopt;
  std::optional<Form> result = base;
  for (int i = 1; i < static_cast<int>(*times) && result; ++i)
    result = product(*result, *base);
  return result;
}

std::optional<Form> FormFinder::compute(Operation *op) {
  using Result = std::optional<Form>;
  auto both = [&](auto combine) -> Result {
    Result left = find(op->getOperand(0)), right = find(op->getOperand(1));
    return left && right ? combine(*left, *right) : std::nullopt;
  };
  auto bend = [&](double inside, double a, double b) -> Result {
    Result argument = find(op->getOperand(0));
    if (!argument || !argument->b.isZero())
      return std::nullopt;
    return Form{Polynomial::constant(a), Polynomial::constant(b),
                plus({}, argument->a, inside)};
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](stablehlo::ConstantOp constant) -> Result {
        auto values = dyn_cast<DenseFPElementsAttr>(constant.getValue());
        if (!values || !values.isSplat())
          return std::nullopt;
        double value = values.getSplatValue<APFloat>().convertToDouble();
        return Form{Polynomial::constant(value), {}, {}};
      })
      .Case([&](stablehlo::BroadcastInDimOp broadcast) -> Result {
        // Of x itself an element would be at another place.
        Result form = find(broadcast.getOperand());
        return form && form->b.isZero() && form->a.constantValue()
                   ? form
                   : std::nullopt;
      })
      .Case<stablehlo::ConvertOp, stablehlo::ReshapeOp>([&](auto) -> Result {
        return isa<FloatType>(getElementTypeOrSelf(op->getOperand(0))) &&
                       isa<FloatType>(getElementTypeOrSelf(op->getResult(0)))
                   ? find(op->getOperand(0))
                   : std::nullopt;
      })
      .Case([&](stablehlo::NegOp) -> Result {
        Result form = find(op->getOperand(0));
        return form ? sum(Form(), *form, -1) : std::nullopt;
      })
      .Case([&](stablehlo::AddOp) {
        return both([](auto &l, auto &r) { return sum(l, r, 1); });
      })
      .Case([&](stablehlo::SubtractOp) {
        return both([](auto &l, auto &r) { return sum(l, r, -1); });
      })
      .Case([&](stablehlo::MulOp) {
        return both([](auto &l, auto &r) { return product(l, r); });
      })
      .Case([&](stablehlo::DivOp) {
        return both([](auto &l, auto &r) -> Result {
          std::optional<double> by = r.a.constantValue();
          if (!r.b.isZero() || !by || *by == 0)
            return std::nullopt;
          return product(l, Form{Polynomial::constant(1 / *by), {}, {}});
        });
      })
      .Case([&](stablehlo::PowOp pow) { return power(pow); })
      .Case([&](stablehlo::TanhOp) { return bend(1, 0, 1); })
      // 1 / (1 + exp(−y)) = ½ + ½ tanh(y / 2)
      .Case([&](stablehlo::LogisticOp) { return bend(0.5, 0.5, 0.5); })
      .Default([](Operation *) { return std::nullopt; });
}

bool isUnit(const Form &form) {
  double scale = std::sqrt(2 * std::numbers::inv_pi);
  Polynomial half{{0, 0.5}};
  return areClose(form.a, half) && areClose(form.b, half) &&
         areClose(form.c, {{0, scale, 0, 0.044715 * scale}});
}

} // namespace

bool isGelu(Value result, Value input) {
  std::optional<Form> form = FormFinder(input).find(result);
  return form && isUnit(*form);
}

Value findGelu(Value input) {
  constexpr size_t enough = 64;
  FormFinder finder(input);
  llvm::SmallVector<Value> reached{input};
  llvm::DenseSet<Value> known{input};
  for (size_t i = 0; i < reached.size() && i < enough; ++i)
    for (Operation *user : reached[i].getUsers()) {
      if (user->getBlock() != input.getParentBlock() || !findElementOp(user) ||
          !known.insert(user->getResult(0)).second)
        continue;
      Value value = user->getResult(0);
      std::optional<Form> form = finder.find(value);
      if (form && isUnit(*form))
        return value;
      if (form)
        reached.push_back(value);
    }
  return {};
}

} // namespace shardsmith::lower
