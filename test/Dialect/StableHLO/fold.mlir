// RUN: shardsmith-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @integers(
func.func @integers() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i1>, tensor<i32>, tensor<ui8>) {
  // CHECK-DAG: %[[SUM:.*]] = stablehlo.constant dense<-4> : tensor<i32>
  // CHECK-DAG: %[[QUOTIENT:.*]] = stablehlo.constant dense<-3> : tensor<i32>
  // CHECK-DAG: %[[REMAINDER:.*]] = stablehlo.constant dense<-1> : tensor<i32>
  // CHECK-DAG: %[[LARGER:.*]] = stablehlo.constant dense<3> : tensor<i32>
  // CHECK-DAG: %[[LESS:.*]] = stablehlo.constant dense<true> : tensor<i1>
  // CHECK-DAG: %[[SHIFTED:.*]] = stablehlo.constant dense<0> : tensor<i32>
  // CHECK-DAG: %[[WRAPPED:.*]] = stablehlo.constant dense<249> : tensor<ui8>
  // CHECK: return %[[SUM]], %[[QUOTIENT]], %[[REMAINDER]], %[[LARGER]], %[[LESS]], %[[SHIFTED]], %[[WRAPPED]]
  %a = stablehlo.constant dense<-7> : tensor<i32>
  %b = stablehlo.constant dense<3> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %c = stablehlo.constant dense<40> : tensor<i32>
  %0 = stablehlo.add %a, %b : tensor<i32>
  %1 = stablehlo.divide %a, %two : tensor<i32>
  %2 = stablehlo.remainder %a, %two : tensor<i32>
  %3 = stablehlo.maximum %a, %b : tensor<i32>
  %4 = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
  %5 = stablehlo.shift_left %b, %c : tensor<i32>
  %6 = stablehlo.convert %a : (tensor<i32>) -> tensor<ui8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i1>, tensor<i32>, tensor<ui8>
}

// -----

// Unsigned numbers are compared and divided as such.
// CHECK-LABEL: func.func @unsigned(
func.func @unsigned() -> (tensor<i1>, tensor<ui8>) {
  // CHECK-DAG: %[[LESS:.*]] = stablehlo.constant dense<false> : tensor<i1>
  // CHECK-DAG: %[[HALF:.*]] = stablehlo.constant dense<100> : tensor<ui8>
  // CHECK: return %[[LESS]], %[[HALF]]
  %a = stablehlo.constant dense<200> : tensor<ui8>
  %b = stablehlo.constant dense<2> : tensor<ui8>
  %0 = stablehlo.compare LT, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
  %1 = stablehlo.divide %a, %b : tensor<ui8>
  return %0, %1 : tensor<i1>, tensor<ui8>
}

// -----

// Division by zero and conversions out of range keep their meaning at run time.
// CHECK-LABEL: func.func @left_alone(
func.func @left_alone() -> (tensor<i32>, tensor<i8>, tensor<i1>) {
  // CHECK: stablehlo.divide
  // CHECK: stablehlo.convert
  // CHECK: stablehlo.compare
  %a = stablehlo.constant dense<1> : tensor<i32>
  %b = stablehlo.constant dense<0> : tensor<i32>
  %f = stablehlo.constant dense<1.0e9> : tensor<f32>
  %0 = stablehlo.divide %a, %b : tensor<i32>
  %1 = stablehlo.convert %f : (tensor<f32>) -> tensor<i8>
  %2 = stablehlo.compare LT, %f, %f, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
  return %0, %1, %2 : tensor<i32>, tensor<i8>, tensor<i1>
}

// -----

// CHECK-LABEL: func.func @floats(
func.func @floats() -> (tensor<f32>, tensor<bf16>, tensor<i1>, tensor<i1>, tensor<i32>) {
  // CHECK-DAG: %[[QUOTIENT:.*]] = stablehlo.constant dense<0.333333343> : tensor<f32>
  // CHECK-DAG: %[[SHORT:.*]] = stablehlo.constant dense<3.339840e-01> : tensor<bf16>
  // CHECK-DAG: %[[FALSE:.*]] = stablehlo.constant dense<false> : tensor<i1>
  // CHECK-DAG: %[[TRUE:.*]] = stablehlo.constant dense<true> : tensor<i1>
  // CHECK-DAG: %[[TRUNCATED:.*]] = stablehlo.constant dense<-2> : tensor<i32>
  // CHECK: return %[[QUOTIENT]], %[[SHORT]], %[[FALSE]], %[[TRUE]], %[[TRUNCATED]]
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %three = stablehlo.constant dense<3.0> : tensor<f32>
  %nan = stablehlo.constant dense<0x7FC00000> : tensor<f32>
  %f = stablehlo.constant dense<-2.9> : tensor<f32>
  %0 = stablehlo.divide %one, %three : tensor<f32>
  %1 = stablehlo.convert %0 : (tensor<f32>) -> tensor<bf16>
  %2 = stablehlo.compare EQ, %nan, %nan : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %3 = stablehlo.compare NE, %nan, %nan : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %4 = stablehlo.convert %f : (tensor<f32>) -> tensor<i32>
  return %0, %1, %2, %3, %4 : tensor<f32>, tensor<bf16>, tensor<i1>, tensor<i1>, tensor<i32>
}

// -----

// CHECK-LABEL: func.func @moves(
func.func @moves() -> (tensor<3x2xi32>, tensor<2xi32>, tensor<3xi32>, tensor<2x3xi32>, tensor<2x2xi32>) {
  // CHECK-DAG: %[[TRANSPOSED:.*]] = stablehlo.constant dense<{{\[\[}}1, 4], [2, 5], [3, 6]]>
  // CHECK-DAG: %[[COLUMN:.*]] = stablehlo.constant dense<[3, 6]>
  // CHECK-DAG: %[[REVERSED:.*]] = stablehlo.constant dense<[9, 8, 7]>
  // CHECK-DAG: %[[ROWS:.*]] = stablehlo.constant dense<{{\[\[}}7, 8, 9], [7, 8, 9]]>
  // CHECK-DAG: %[[JOINED:.*]] = stablehlo.constant dense<{{\[\[}}3, 7], [6, 8]]>
  // CHECK: return %[[TRANSPOSED]], %[[COLUMN]], %[[REVERSED]], %[[ROWS]], %[[JOINED]]
  %m = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %v = stablehlo.constant dense<[7, 8, 9]> : tensor<3xi32>
  %0 = stablehlo.transpose %m, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  %1 = stablehlo.slice %m [0:2, 2:3] : (tensor<2x3xi32>) -> tensor<2x1xi32>
  %2 = stablehlo.reshape %1 : (tensor<2x1xi32>) -> tensor<2xi32>
  %3 = stablehlo.reverse %v, dims = [0] : tensor<3xi32>
  %4 = stablehlo.broadcast_in_dim %v, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
  %5 = stablehlo.slice %v [0:2] : (tensor<3xi32>) -> tensor<2xi32>
  %6 = stablehlo.reshape %5 : (tensor<2xi32>) -> tensor<2x1xi32>
  %7 = stablehlo.concatenate %1, %6, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  return %0, %2, %3, %4, %7 : tensor<3x2xi32>, tensor<2xi32>, tensor<3xi32>, tensor<2x3xi32>, tensor<2x2xi32>
}

// -----

// Identities hold for values that are not known; -0 + 0 is 0, so adding a
// float zero stays.
// CHECK-LABEL: func.func @identities(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[I:[a-z0-9]+]]: tensor<4xi32>, %[[P:[a-z0-9]+]]: tensor<i1>)
func.func @identities(%x: tensor<4xf32>, %i: tensor<4xi32>, %p: tensor<i1>)
    -> (tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[SUM:.*]] = stablehlo.add
  // CHECK: return %[[SUM]], %[[I]], %[[X]], %[[X]], %[[X]], %[[X]]
  %zero = stablehlo.constant dense<0.0> : tensor<4xf32>
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %none = stablehlo.constant dense<0> : tensor<4xi32>
  %0 = stablehlo.add %x, %zero : tensor<4xf32>
  %1 = stablehlo.add %none, %i : tensor<4xi32>
  %2 = stablehlo.subtract %x, %zero : tensor<4xf32>
  %3 = stablehlo.multiply %one, %x : tensor<4xf32>
  %4 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<4xf32>
  %5 = stablehlo.slice %x [0:4] : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
