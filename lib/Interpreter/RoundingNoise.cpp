// SPDX-License-Identifier: Apache-2.0
//
// Elements are moved in steps from one value of their type to the next, on
// their bits: a float's magnitude, read as an integer, counts the values from
// zero on. That needs no case for exponents or types.

#include "shardsmith/Interpreter/RoundingNoise.h"

#include "Kernels/Elementwise.h"
#include "shardsmith/Interfaces/CostInterface.h"
#include "shardsmith/Interpreter/EvaluatorRegistry.h"
#include "shardsmith/Interpreter/TensorAttributes.h"
#include "shardsmith/Interpreter/TensorMemory.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;
using namespace mlir;

namespace shardsmith::inline interpreter {
namespace {

/// Of approximated functions, in units of the type they are computed in.
constexpr double functionUnits = 4;

template <typename T> struct Format;
template <> struct Format<Float8E5M2> {
  using Bits = uint8_t;
  static constexpr int fraction = 2;
};
template <> struct Format<Float8E4M3FN> {
  using Bits = uint8_t;
  static constexpr int fraction = 3;
};
template <> struct Format<BFloat16> {
  using Bits = uint16_t;
  static constexpr int fraction = 7;
};
template <> struct Format<Half> {
  using Bits = uint16_t;
  static constexpr int fraction = 10;
};
template <> struct Format<float> {
  using Bits = uint32_t;
  static constexpr int fraction = 23;
};
template <> struct Format<double> {
  using Bits = uint64_t;
  static constexpr int fraction = 52;
};

/// MurmurHash3's finalizers (Austin Appleby, 2008; public domain).
uint32_t mix(uint32_t bits) {
  bits = (bits ^ (bits >> 16)) * 0x85ebca6b;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35;
  return bits ^ (bits >> 16);
}
uint64_t mix(uint64_t bits) {
  bits = (bits ^ (bits >> 33)) * 0xff51afd7ed558ccd;
  bits = (bits ^ (bits >> 33)) * 0xc4ceb9fe1a85ec53;
  return bits ^ (bits >> 33);
}

/// What positions of floats are computed in: numbers as wide as the elements,
/// so that a processor takes several elements at once, but 32 bits at least.
/// Of random bits each element takes a word, and uses its halves.
template <typename T> struct Arithmetic {
  using Integer = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  using Word = std::make_unsigned_t<Integer>;
  using Real = std::conditional_t<sizeof(T) == 8, double, float>;

  static constexpr int halfBits = 4 * sizeof(Word);
  static constexpr Real halfRange = static_cast<Real>(Word(1) << halfBits);

  /// From 0 to below 1.
  static Real uniform(Word half) {
    return static_cast<Real>(static_cast<Integer>(half)) / halfRange;
  }
  /// A call of std::floor would take longer than all else that an element
  /// takes.
  static Integer roundedDown(Real steps) {
    const auto towardsZero = static_cast<Integer>(steps);
    return towardsZero - (static_cast<Real>(towardsZero) > steps ? 1 : 0);
  }
};

/// A float as a place in the row of its type's values. No function has a
/// branch, and none is called that is not inlined.
template <typename T> class Place {
public:
  using Integer = Arithmetic<T>::Integer;
  using Real = Arithmetic<T>::Real;

  explicit Place(T element)
      : bits(std::bit_cast<Bits>(element)),
        magnitude(static_cast<Integer>(bits & ~sign)) {}

  bool isZero() const { return magnitude == 0; }
  /// From 1 to below 2. Below the least normal value the distance to the next
  /// one stays, so that it is 1 there.
  Real significand() const {
    const Real above =
        static_cast<Real>(magnitude & (hidden - 1)) / static_cast<Real>(hidden);
    return 1 + (magnitude < hidden ? 0 : above);
  }
  /// The value so many steps away from zero, or towards it and beyond; the
  /// largest finite one at most. Infinities and NaNs lie beyond that, and stay,
  /// as magnitudes below `least` do.
  T moved(Integer steps, Integer least, Integer largest) const {
    const Integer place = magnitude + steps;
    const Bits newSign = (bits ^ (place < 0 ? sign : Bits(0))) & sign;
    const Integer newMagnitude = std::min(std::abs(place), largest);
    const Bits newBits = static_cast<Bits>(newMagnitude) | newSign;
    const bool stays = magnitude < least || magnitude > largest;
    return std::bit_cast<T>(stays ? bits : newBits);
  }
  /// The magnitude of the largest finite value.
  static Integer largest() {
    const T infinity(std::numeric_limits<double>::infinity());
    return static_cast<Integer>(std::bit_cast<Bits>(infinity)) - 1;
  }

private:
  using Bits = Format<T>::Bits;
  static constexpr Bits sign = Bits(1) << (8 * sizeof(T) - 1);
  static constexpr Integer hidden = Integer(1) << Format<T>::fraction;

  Bits bits;
  Integer magnitude;
};

/// Moves each element by up to `most` steps of its significand, at random: to
/// the upper or the lower of the two values that it lies between then.
template <typename T>
void shake(MutableArrayRef<T> elements, double most, bool keepsZeros,
           uint64_t seed) {
  using A = Arithmetic<T>;
  using Word = A::Word;
  const auto reach = static_cast<A::Real>(most);
  const typename A::Integer least = keepsZeros, largest = Place<T>::largest();
  const auto first = static_cast<Word>(seed),
             mask = static_cast<Word>(mix(seed));
  // Positions far apart, for neighbours' words to differ in all bits.
  constexpr auto stride = static_cast<Word>(0x9e3779b97f4a7c15);
  for (size_t i = 0; i < elements.size(); ++i) {
    const Place<T> place(elements[i]);
    const Word word = mix(first + static_cast<Word>(i) * stride) ^ mask;
    const Word lowerHalf = word & ((Word(1) << A::halfBits) - 1);
    const typename A::Real where = 2 * A::uniform(word >> A::halfBits) - 1;
    elements[i] =
        place.moved(A::roundedDown(reach * place.significand() * where +
                                   A::uniform(lowerHalf)),
                    least, largest);
  }
}

/// Sums and functions of narrower types are computed in f32.
double computedUnit(ElementType type) {
  return type == ElementType::F64 ? unitRoundoff(type)
                                  : unitRoundoff(ElementType::F32);
}

SmallVector<RankedTensorType> tensorTypes(TypeRange types) {
  return to_vector(
      map_range(types, [](Type type) { return cast<RankedTensorType>(type); }));
}

/// How many terms each element of the result is the sum of.
int64_t countTerms(Operation *op) {
  SmallVector<RankedTensorType> operands = tensorTypes(op->getOperandTypes());
  SmallVector<RankedTensorType> results = tensorTypes(op->getResultTypes());
  if (auto costs = dyn_cast<CostInterface>(op))
    if (OpWork work = costs.getWork(operands, results); work.product)
      return std::max<int64_t>(work.product->depth, 1);
  int64_t most = 1, least = std::numeric_limits<int64_t>::max();
  for (RankedTensorType type : operands)
    most = std::max(most, type.getNumElements());
  for (RankedTensorType type : results)
    least = std::min(least, std::max<int64_t>(type.getNumElements(), 1));
  return std::max<int64_t>(most / least, 1);
}

/// Whether the bodies of a reduction add or multiply, rather than choose.
bool combinesByRounding(Operation *op) {
  if (op->getNumRegions() == 0)
    return true;
  bool rounds = false;
  for (Region &region : op->getRegions())
    region.walk([&](Operation *inner) {
      const Evaluators *found = EvaluatorRegistry::standard().lookup(inner);
      rounds |= found && found->rounding != Rounding::None;
    });
  return rounds;
}

/// The float with the most error among an op's results.
double coarsestUnit(Operation *op) {
  double unit = 0;
  for (Type type : op->getResultTypes())
    if (std::optional<StaticType> known = staticTypeOf(type))
      unit = std::max(unit, unitRoundoff(known->element));
  return unit;
}

/// Whether all values of a tensor's type are values of one with such rounding.
/// Integers are taken to be small enough.
bool isExact(const Tensor &tensor, double unit) {
  return !isFloat(tensor.type()) || unitRoundoff(tensor.type()) >= unit;
}

} // namespace

double unitRoundoff(ElementType type) {
  if (!isFloat(type))
    return 0;
  return dispatchStored(type, []<typename T>(Tag<T>) -> double {
    if constexpr (isFloatElement<T>)
      return std::ldexp(1.0, -Format<T>::fraction - 1);
    else
      return 0;
  });
}

/// splitmix64 (Steele, Lea and Flood, 2014).
uint64_t RoundingNoise::draw() {
  uint64_t bits = state += 0x9e3779b97f4a7c15;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

Tensor RoundingNoise::shaken(const Tensor &tensor, double relative,
                             llvm::function_ref<bool(int64_t)> isZero) {
  // What stands for all elements is computed once by others as well.
  const int64_t stored = tensor.isSplat() ? 1 : tensor.size();
  return dispatchStored(tensor.type(), [&]<typename T>(Tag<T>) -> Tensor {
    if constexpr (!isFloatElement<T>) {
      return tensor;
    } else {
      const T *in = tensor.data<T>();
      TensorVector<T> out(in, in + stored);
      // In steps, of a value just below twice a power of two.
      assert(relative < 0.5 && "steps do not fit the bits");
      shake<T>(out, relative * std::ldexp(1.0, Format<T>::fraction), !isZero,
               draw());
      if (isZero)
        for (int64_t i = 0; i < stored; ++i)
          if (Place<T>(in[i]).isZero() && isZero(i))
            out[i] = in[i];
      return tensor.isSplat()
                 ? Tensor::splat(tensor.type(), tensor.shape(), out.data())
                 : Tensor::of<T>(tensor.type(), tensor.shape(), out);
    }
  });
}

void RoundingNoise::shakeOperands(Operation *op, Rounding rounding,
                                  Tensors &operands) {
  if (rounding != Rounding::Sum || !combinesByRounding(op))
    return;
  const double unit = coarsestUnit(op);
  if (unit == 0)
    return;
  const ElementType type = staticTypeOf(op->getResult(0).getType())->element;
  const int64_t terms = countTerms(op);
  mostTerms = std::max(mostTerms, terms);
  // Parts are rounded to the result's type, the sum of each part step by step
  // to the type that it is computed in.
  const double relative =
      unit + computedUnit(type) * std::sqrt(static_cast<double>(terms));
  for (Tensor &operand : operands) {
    if (!isFloat(operand.type()))
      continue;
    // Products of narrow elements whose sums are wide are exact.
    if (op->getNumRegions() == 0 && unitRoundoff(operand.type()) > relative)
      operand = convert(operand, type);
    operand = shaken(operand, relative);
  }
}

void RoundingNoise::shakeResults(Operation *op, Rounding rounding,
                                 ArrayRef<Tensor> operands, Tensors &results) {
  if (rounding == Rounding::None ||
      (rounding == Rounding::Sum && !combinesByRounding(op)))
    return;
  for (Tensor &result : results) {
    const double unit = unitRoundoff(result.type());
    if (unit == 0 ||
        (rounding == Rounding::Conversion && isExact(operands[0], unit)))
      continue;
    double relative = unit;
    if (rounding == Rounding::Function)
      relative += functionUnits * computedUnit(result.type());
    // The exponents of f16 are so few that values of training underflow. A
    // zero that was made of zeros is none of these.
    const bool mayUnderflow =
        result.type() == ElementType::F16 && rounding != Rounding::Sum;
    const auto isZero = [&](int64_t position) {
      return any_of(operands, [&](const Tensor &operand) {
        return operand.size() == result.size() &&
               operand.asDouble(position) == 0;
      });
    };
    result = mayUnderflow ? shaken(result, relative, isZero)
                          : shaken(result, relative);
    shakenTypes.insert(result.type());
  }
}

} // namespace shardsmith::inline interpreter
