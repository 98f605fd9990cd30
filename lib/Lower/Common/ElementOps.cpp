// SPDX-License-Identifier: Apache-2.0

#include "shardsmith/Lower/Common/ElementOps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace shardsmith::lower {
namespace {

using enum ElementKind;
using enum ElementCost;

/// One line per op; a target has an emitter for each that it can compute.
const llvm::StringMap<ElementOp> &allElementOps() {
  static const llvm::StringMap<ElementOp> ops = {
      {"stablehlo.broadcast_in_dim", {Indexing, Free}},
      {"stablehlo.concatenate", {Indexing, Cheap}},
      {"stablehlo.constant", {Indexing, Free}},
      {"stablehlo.dynamic_slice", {Indexing, Free}},
      {"stablehlo.dynamic_update_slice", {Indexing, Cheap}},
      {"stablehlo.gather", {Indexing, Cheap}},
      {"stablehlo.iota", {Indexing, Free}},
      {"stablehlo.pad", {Indexing, Cheap}},
      {"stablehlo.reshape", {Indexing, Free}},
      {"stablehlo.reverse", {Indexing, Free}},
      {"stablehlo.slice", {Indexing, Free}},
      {"stablehlo.transpose", {Indexing, Free}},
      {"chlo.acos", {Pointwise, Expensive}},
      {"chlo.acosh", {Pointwise, Expensive}},
      {"chlo.asin", {Pointwise, Expensive}},
      {"chlo.asinh", {Pointwise, Expensive}},
      {"chlo.atan", {Pointwise, Expensive}},
      {"chlo.atanh", {Pointwise, Expensive}},
      {"chlo.cosh", {Pointwise, Expensive}},
      {"chlo.digamma", {Pointwise, Expensive}},
      {"chlo.erf", {Pointwise, Expensive}},
      {"chlo.erf_inv", {Pointwise, Expensive}},
      {"chlo.erfc", {Pointwise, Expensive}},
      {"chlo.is_inf", {Pointwise, Cheap}},
      {"chlo.is_neg_inf", {Pointwise, Cheap}},
      {"chlo.is_pos_inf", {Pointwise, Cheap}},
      {"chlo.lgamma", {Pointwise, Expensive}},
      {"chlo.polygamma", {Pointwise, Expensive}},
      {"chlo.sinh", {Pointwise, Expensive}},
      {"chlo.square", {Pointwise, Cheap}},
      {"chlo.tan", {Pointwise, Expensive}},
      {"chlo.zeta", {Pointwise, Expensive}},
      {"stablehlo.abs", {Pointwise, Cheap}},
      {"stablehlo.add", {Pointwise, Cheap}},
      {"stablehlo.and", {Pointwise, Cheap}},
      {"stablehlo.atan2", {Pointwise, Expensive}},
      {"stablehlo.bitcast_convert", {Pointwise, Cheap}},
      {"stablehlo.cbrt", {Pointwise, Expensive}},
      {"stablehlo.ceil", {Pointwise, Cheap}},
      {"stablehlo.clamp", {Pointwise, Cheap}},
      {"stablehlo.compare", {Pointwise, Cheap}},
      {"stablehlo.convert", {Pointwise, Cheap}},
      {"stablehlo.cosine", {Pointwise, Expensive}},
      {"stablehlo.count_leading_zeros", {Pointwise, Cheap}},
      {"stablehlo.divide", {Pointwise, Cheap}},
      {"stablehlo.exponential", {Pointwise, Expensive}},
      {"stablehlo.exponential_minus_one", {Pointwise, Expensive}},
      {"stablehlo.floor", {Pointwise, Cheap}},
      {"stablehlo.is_finite", {Pointwise, Cheap}},
      {"stablehlo.log", {Pointwise, Expensive}},
      {"stablehlo.log_plus_one", {Pointwise, Expensive}},
      {"stablehlo.logistic", {Pointwise, Expensive}},
      {"stablehlo.maximum", {Pointwise, Cheap}},
      {"stablehlo.minimum", {Pointwise, Cheap}},
      {"stablehlo.multiply", {Pointwise, Cheap}},
      {"stablehlo.negate", {Pointwise, Cheap}},
      {"stablehlo.not", {Pointwise, Cheap}},
      {"stablehlo.or", {Pointwise, Cheap}},
      {"stablehlo.popcnt", {Pointwise, Cheap}},
      {"stablehlo.power", {Pointwise, Expensive}},
      {"stablehlo.remainder", {Pointwise, Expensive}},
      {"stablehlo.round_nearest_afz", {Pointwise, Cheap}},
      {"stablehlo.round_nearest_even", {Pointwise, Cheap}},
      {"stablehlo.rsqrt", {Pointwise, Cheap}},
      {"stablehlo.select", {Pointwise, Cheap}},
      {"stablehlo.shift_left", {Pointwise, Cheap}},
      {"stablehlo.shift_right_arithmetic", {Pointwise, Cheap}},
      {"stablehlo.shift_right_logical", {Pointwise, Cheap}},
      {"stablehlo.sign", {Pointwise, Cheap}},
      {"stablehlo.sine", {Pointwise, Expensive}},
      {"stablehlo.sqrt", {Pointwise, Cheap}},
      {"stablehlo.subtract", {Pointwise, Cheap}},
      {"stablehlo.tan", {Pointwise, Expensive}},
      {"stablehlo.tanh", {Pointwise, Expensive}},
      {"stablehlo.xor", {Pointwise, Cheap}},
  };
  return ops;
}

} // namespace

const ElementOp *findElementOp(Operation *op) {
  auto found = allElementOps().find(op->getName().getStringRef());
  return found == allElementOps().end() ? nullptr : &found->second;
}

SmallVector<StringRef> elementOpNames() {
  SmallVector<StringRef> names(allElementOps().keys());
  llvm::sort(names);
  return names;
}

} // namespace shardsmith::lower
