// RUN: shardsmith-opt %s --simplify-local --canonicalize | FileCheck %s

sdy.mesh @mesh = <["data"=2]>

// CHECK-LABEL: @large_sum
func.func @large_sum(%x: tensor<512x256xf32>) -> tensor<f32> {
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<512xf32>
  // CHECK: stablehlo.reduce({{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<512xf32>, tensor<f32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<512x256xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @small_sum
func.func @small_sum(%x: tensor<4x4xf32>) -> tensor<f32> {
  // CHECK: dimensions = [0, 1]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @all_to_all
func.func @all_to_all(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // CHECK: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<4x2x4xf32>
  // CHECK: %[[T:.*]] = stablehlo.transpose %[[R]], dims = [1, 0, 2]
  // CHECK: %[[E:.*]] = smith.exchange_blocks %[[T]] over ["data"] : tensor<2x4x4xf32>
  // CHECK: stablehlo.reshape {{.*}} -> tensor<8x4xf32>
  %0 = smith.all_to_all %x over ["data"] split_dim = 1 concat_dim = 0 : tensor<4x8xf32> -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: @scatter_into_sum
func.func @scatter_into_sum(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> tensor<9x4xf32> {
  // CHECK: "stablehlo.scatter"(%arg0, %arg1, %arg2)
  // CHECK-NOT: stablehlo.add {{.*}} : tensor<9x4xf32>
  // CHECK: return
  %zeros = stablehlo.constant dense<0.0> : tensor<9x4xf32>
  %0 = "stablehlo.scatter"(%zeros, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %2 = stablehlo.add %0, %x : tensor<9x4xf32>
  return %2 : tensor<9x4xf32>
}

// Gradients of slices that do not overlap: a concatenation, zeros in the gap.
// CHECK-LABEL: @pads
func.func @pads(%a: tensor<2x3xf32>, %b: tensor<2x2xf32>) -> tensor<2x7xf32> {
  // CHECK: %[[GAP:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<2x2xf32>
  // CHECK: stablehlo.concatenate %arg0, %[[GAP]], %arg1, dim = 1
  // CHECK-NOT: stablehlo.add
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %zero, low = [0, 0], high = [0, 4], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x7xf32>
  %1 = stablehlo.pad %b, %zero, low = [0, 5], high = [0, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x7xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x7xf32>
  return %2 : tensor<2x7xf32>
}

// Pads that overlap stay a sum.
// CHECK-LABEL: @overlapping_pads
func.func @overlapping_pads(%a: tensor<2x3xf32>, %b: tensor<2x5xf32>) -> tensor<2x7xf32> {
  // CHECK: stablehlo.add
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %zero, low = [0, 0], high = [0, 4], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x7xf32>
  %1 = stablehlo.pad %b, %zero, low = [0, 2], high = [0, 0], interior = [0, 0] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2x7xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x7xf32>
  return %2 : tensor<2x7xf32>
}

// 64 results or more occupy the threads: one step does.
// CHECK-LABEL: @enough_results
func.func @enough_results(%x: tensor<64x32x64xf32>) -> tensor<64xf32> {
  // CHECK: dimensions = [1, 2]
  // CHECK-NOT: stablehlo.reduce
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1, 2] : (tensor<64x32x64xf32>, tensor<f32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// With 63 the last dimension goes first, whatever the order they are named in.
// CHECK-LABEL: @few_results
func.func @few_results(%x: tensor<63x32x64xf32>) -> tensor<63xf32> {
  // CHECK: dimensions = [2] : (tensor<63x32x64xf32>, tensor<f32>) -> tensor<63x32xf32>
  // CHECK: dimensions = [1] : (tensor<63x32xf32>, tensor<f32>) -> tensor<63xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [2, 1] : (tensor<63x32x64xf32>, tensor<f32>) -> tensor<63xf32>
  return %0 : tensor<63xf32>
}

// A reduction that leaves the last dimension has rows to share out already.
// CHECK-LABEL: @leading_dimensions
func.func @leading_dimensions(%x: tensor<256x64x8xf32>) -> tensor<8xf32> {
  // CHECK: dimensions = [0, 1]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<256x64x8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Both steps have the body and all inputs of a reduction of several.
// CHECK-LABEL: @split_argmax
func.func @split_argmax(%x: tensor<512x256xf32>, %i: tensor<512x256xi32>) -> (tensor<f32>, tensor<i32>) {
  // CHECK: %[[ROWS:.*]]:2 = stablehlo.reduce(%arg0 init: %{{.*}}), (%arg1 init: %{{.*}}) across dimensions = [1]
  // CHECK: stablehlo.compare GE
  // CHECK: stablehlo.reduce(%[[ROWS]]#0 init: %{{.*}}), (%[[ROWS]]#1 init: %{{.*}}) across dimensions = [0]
  // CHECK: stablehlo.compare GE
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %none) across dimensions = [0, 1] : (tensor<512x256xf32>, tensor<512x256xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %c: tensor<f32>) (%b: tensor<i32>, %d: tensor<i32>) {
    %1 = stablehlo.compare GE, %a, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %c : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %b, %d : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return %0#0, %0#1 : tensor<f32>, tensor<i32>
}

// Splitting the first dimension needs no transpose before the exchange.
// CHECK-LABEL: @all_to_all_first_dimension
func.func @all_to_all_first_dimension(%x: tensor<4x8xf32>) -> tensor<2x16xf32> {
  // CHECK: %[[R:.*]] = stablehlo.reshape %arg0 : (tensor<4x8xf32>) -> tensor<2x2x8xf32>
  // CHECK-NEXT: %[[E:.*]] = smith.exchange_blocks %[[R]] over ["data"] : tensor<2x2x8xf32>
  // CHECK: stablehlo.transpose %[[E]], dims = [1, 0, 2]
  // CHECK: stablehlo.reshape {{.*}} -> tensor<2x16xf32>
  %0 = smith.all_to_all %x over ["data"] split_dim = 0 concat_dim = 1 : tensor<4x8xf32> -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}

// Integers have no library product: both operands are spread over batch, m, n
// and k, multiplied, and summed over k.
// CHECK-LABEL: @integer_product
func.func @integer_product(%x: tensor<3x2x4xi32>, %y: tensor<3x4x5xi32>) -> tensor<3x2x5xi32> {
  // CHECK: %[[X:.*]] = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 3] : (tensor<3x2x4xi32>) -> tensor<3x2x5x4xi32>
  // CHECK: %[[Y:.*]] = stablehlo.broadcast_in_dim %arg1, dims = [0, 3, 2] : (tensor<3x4x5xi32>) -> tensor<3x2x5x4xi32>
  // CHECK: %[[P:.*]] = stablehlo.multiply %[[X]], %[[Y]]
  // CHECK: stablehlo.reduce(%[[P]] init: %{{.*}}) applies stablehlo.add across dimensions = [3]
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x2x4xi32>, tensor<3x4x5xi32>) -> tensor<3x2x5xi32>
  return %0 : tensor<3x2x5xi32>
}

// Elements are widened before they are multiplied; without a contracting
// dimension nothing is summed.
// CHECK-LABEL: @integer_outer_product
func.func @integer_outer_product(%x: tensor<2xi8>, %y: tensor<3xi8>) -> tensor<2x3xi32> {
  // CHECK: stablehlo.convert %arg0 : (tensor<2xi8>) -> tensor<2xi32>
  // CHECK: stablehlo.convert %arg1 : (tensor<3xi8>) -> tensor<3xi32>
  // CHECK: %[[P:.*]] = stablehlo.multiply {{.*}} : tensor<2x3xi32>
  // CHECK-NOT: stablehlo.reduce
  // CHECK: return %[[P]]
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [] x [] : (tensor<2xi8>, tensor<3xi8>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: @float_product
func.func @float_product(%x: tensor<2x4xbf16>, %y: tensor<4x5xbf16>) -> tensor<2x5xf32> {
  // CHECK: stablehlo.dot_general
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x4xbf16>, tensor<4x5xbf16>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// The scattered updates are read a second time: the sum stays.
// CHECK-LABEL: @scatter_with_two_readers
func.func @scatter_with_two_readers(%x: tensor<9x4xf32>, %i: tensor<3x1xi32>, %u: tensor<3x4xf32>) -> (tensor<9x4xf32>, tensor<9x4xf32>) {
  // CHECK: %[[S:.*]] = "stablehlo.scatter"
  // CHECK: stablehlo.add {{.*}} : tensor<9x4xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<9x4xf32>
  %0 = "stablehlo.scatter"(%zeros, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<9x4xf32>, tensor<3x1xi32>, tensor<3x4xf32>) -> tensor<9x4xf32>
  %2 = stablehlo.add %x, %0 : tensor<9x4xf32>
  return %2, %0 : tensor<9x4xf32>, tensor<9x4xf32>
}

// Updates that replace, and updates of something other than zeros, do not add.
// CHECK-LABEL: @other_scatters
func.func @other_scatters(%x: tensor<9xf32>, %i: tensor<3x1xi32>, %u: tensor<3xf32>) -> (tensor<9xf32>, tensor<9xf32>) {
  // CHECK: "stablehlo.scatter"(%[[ZEROS:.*]], %arg1, %arg2)
  // CHECK: stablehlo.add {{.*}} : tensor<9xf32>
  // CHECK: "stablehlo.scatter"(%[[ONES:.*]], %arg1, %arg2)
  // CHECK: stablehlo.add {{.*}} : tensor<9xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<9xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<9xf32>
  %0 = "stablehlo.scatter"(%zeros, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<9xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<9xf32>
  %1 = stablehlo.add %0, %x : tensor<9xf32>
  %2 = "stablehlo.scatter"(%ones, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %4 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %4 : tensor<f32>
  }) : (tensor<9xf32>, tensor<3x1xi32>, tensor<3xf32>) -> tensor<9xf32>
  %3 = stablehlo.add %2, %x : tensor<9xf32>
  return %1, %3 : tensor<9xf32>, tensor<9xf32>
}

// Three gradients in any order; zeros before the first and after the last.
// CHECK-LABEL: @three_pads
func.func @three_pads(%a: tensor<2xf32>, %b: tensor<1xf32>, %c: tensor<3xf32>) -> tensor<10xf32> {
  // CHECK-DAG: %[[BEFORE:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<1xf32>
  // CHECK-DAG: %[[AFTER:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<3xf32>
  // CHECK: stablehlo.concatenate %[[BEFORE]], %arg1, %arg0, %arg2, %[[AFTER]], dim = 0
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %a, %zero, low = [2], high = [6], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<10xf32>
  %1 = stablehlo.pad %b, %zero, low = [1], high = [8], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<10xf32>
  %2 = stablehlo.pad %c, %zero, low = [4], high = [3], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<10xf32>
  %3 = stablehlo.add %0, %1 : tensor<10xf32>
  %4 = stablehlo.add %3, %2 : tensor<10xf32>
  return %4 : tensor<10xf32>
}

// No concatenation pads with ones, in between, by cutting, or along two
// dimensions.
// CHECK-LABEL: @pads_that_stay
func.func @pads_that_stay(%a: tensor<2x2xf32>) -> (tensor<4x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<3x3xf32>) {
  // CHECK-COUNT-4: stablehlo.add
  // CHECK-NOT: stablehlo.concatenate
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.pad %a, %one, low = [0, 0], high = [2, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %1 = stablehlo.pad %a, %zero, low = [2, 0], high = [0, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<4x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x2xf32>
  %3 = stablehlo.pad %a, %zero, low = [0, 0], high = [0, 0], interior = [1, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %4 = stablehlo.pad %a, %zero, low = [1, 0], high = [0, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<3x2xf32>
  %5 = stablehlo.add %3, %4 : tensor<3x2xf32>
  %6 = stablehlo.pad %a, %zero, low = [-1, 0], high = [1, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %7 = stablehlo.pad %a, %zero, low = [1, 0], high = [-1, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<2x2xf32>
  %8 = stablehlo.add %6, %7 : tensor<2x2xf32>
  %9 = stablehlo.pad %a, %zero, low = [0, 0], high = [1, 1], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<3x3xf32>
  %10 = stablehlo.pad %a, %zero, low = [1, 1], high = [0, 0], interior = [0, 0] : (tensor<2x2xf32>, tensor<f32>) -> tensor<3x3xf32>
  %11 = stablehlo.add %9, %10 : tensor<3x3xf32>
  return %2, %5, %8, %11 : tensor<4x2xf32>, tensor<3x2xf32>, tensor<2x2xf32>, tensor<3x3xf32>
}

// What updates a parameter without elements is a constant.
// CHECK-LABEL: func.func @empty
// CHECK-NEXT: %[[R:.+]] = stablehlo.constant dense<> : tensor<0x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @empty(%p: tensor<0x3xf32>, %g: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %0 = stablehlo.subtract %p, %g : tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}

// The largest two are the first two of a stable sort with positions.
// CHECK-LABEL: func.func @largest
// CHECK: %[[I:.+]] = stablehlo.iota dim = 1 : tensor<4x8xi32>
// CHECK: %[[S:.+]]:2 = "stablehlo.sort"(%arg0, %[[I]]) <{dimension = 1 : i64, is_stable = true}>
// CHECK: stablehlo.compare GT
// CHECK: stablehlo.slice %[[S]]#0 [0:4, 0:2]
// CHECK: stablehlo.slice %[[S]]#1 [0:4, 0:2]
func.func @largest(%x: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>) {
  %0:2 = chlo.top_k(%x, k = 2) : tensor<4x8xf32> -> (tensor<4x2xf32>, tensor<4x2xi32>)
  return %0#0, %0#1 : tensor<4x2xf32>, tensor<4x2xi32>
}
