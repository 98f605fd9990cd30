// SPDX-License-Identifier: Apache-2.0
//
// A dimension of k narrow elements is one wide element: the first is its lowest
// bits.

#include "shardsmith/Dialect/StableHLO/TensorValue.h"
#include "shardsmith/Import/Passes.h"

using namespace mlir;

namespace shardsmith {
#define GEN_PASS_DEF_EXPANDBITCASTS
#include "shardsmith/Import/Passes.h.inc"

namespace {

/// Builds the ops of one cast.
class BitcastBuilder {
public:
  explicit BitcastBuilder(stablehlo::BitcastConvertOp op)
      : op(op), builder(op.getLoc(), op),
        from(cast<RankedTensorType>(op.getOperand().getType())),
        to(cast<RankedTensorType>(op.getResult().getType())) {}

  void expand() {
    int64_t fromBits = from.getElementTypeBitWidth();
    int64_t toBits = to.getElementTypeBitWidth();
    TensorValue bits = cast({builder, op.getOperand()}, word(fromBits));
    TensorValue made = fromBits < toBits ? joined(bits, fromBits, toBits)
                                         : parted(bits, fromBits, toBits);
    op.getResult().replaceAllUsesWith(cast(made, to.getElementType()));
    op.erase();
  }

private:
  Type word(int64_t bits) {
    return IntegerType::get(op.getContext(), unsigned(bits),
                            IntegerType::Unsigned);
  }

  /// Between types of one width.
  TensorValue cast(TensorValue value, Type element) {
    if (value.elementType() == element)
      return value;
    return {builder, stablehlo::BitcastConvertOp::create(
                         builder, value.type().clone(element), value)};
  }

  /// Element `number` along the last dimension.
  TensorValue elementOf(TensorValue value, int64_t number) {
    SmallVector<int64_t> starts(value.rank(), 0), limits(value.shape()),
        strides(value.rank(), 1), shape(value.shape());
    starts.back() = number;
    limits.back() = number + 1;
    shape.back() = 1;
    TensorValue element(
        builder, stablehlo::SliceOp::create(builder, value.type().clone(shape),
                                            value, starts, limits, strides));
    return reshape(element, value.shape().drop_back());
  }

  TensorValue joined(TensorValue bits, int64_t narrow, int64_t wide) {
    std::optional<TensorValue> all;
    for (int64_t number = 0; number < wide / narrow; ++number) {
      TensorValue own = convert(elementOf(bits, number), word(wide));
      TensorValue by = own.filled(double(number * narrow));
      TensorValue moved(builder,
                        stablehlo::ShiftLeftOp::create(builder, own, by));
      all = all ? TensorValue(builder,
                              stablehlo::OrOp::create(builder, *all, moved))
                : moved;
    }
    return *all;
  }

  TensorValue parted(TensorValue bits, int64_t wide, int64_t narrow) {
    SmallVector<int64_t> shape(bits.shape());
    shape.push_back(1);
    SmallVector<Value> parts;
    for (int64_t number = 0; number < wide / narrow; ++number) {
      TensorValue by = bits.filled(double(number * narrow));
      TensorValue moved(
          builder, stablehlo::ShiftRightLogicalOp::create(builder, bits, by));
      parts.push_back(reshape(convert(moved, word(narrow)), shape));
    }
    return {builder,
            stablehlo::ConcatenateOp::create(builder, to.clone(word(narrow)),
                                             parts, int64_t(shape.size()) - 1)};
  }

  stablehlo::BitcastConvertOp op;
  ImplicitLocOpBuilder builder;
  RankedTensorType from, to;
};

/// Bits of complex numbers and of types narrower than a byte have no place in
/// tensors here.
bool isOfWords(Value value) {
  Type element = getElementTypeOrSelf(value);
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() >= 8;
}

struct ExpandBitcasts : impl::ExpandBitcastsBase<ExpandBitcasts> {
  void runOnOperation() override {
    getOperation().walk([](stablehlo::BitcastConvertOp op) {
      Value operand = op.getOperand();
      if (isOfWords(operand) && isOfWords(op) &&
          getElementTypeOrSelf(operand).getIntOrFloatBitWidth() !=
              getElementTypeOrSelf(op).getIntOrFloatBitWidth())
        BitcastBuilder(op).expand();
    });
  }
};

} // namespace
} // namespace shardsmith
