// RUN: shardsmith-opt %s --lower-windows --split-input-file | FileCheck %s

// A window of two is a maximum of two slices.
// CHECK-LABEL: func.func @pool
// CHECK-DAG: %[[A:.+]] = stablehlo.slice %arg0 [0:7:2]
// CHECK-DAG: %[[B:.+]] = stablehlo.slice %arg0 [1:8:2]
// CHECK: %[[MAX:.+]] = stablehlo.maximum %[[A]], %[[B]] : tensor<4xf32>
// CHECK-NEXT: return %[[MAX]]
func.func @pool(%x: tensor<8xf32>) -> tensor<4xf32> {
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %lowest) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A start that is not neutral is padding, and once more combined with each
// result.
// CHECK-LABEL: func.func @start
// CHECK: %[[PADDED:.+]] = stablehlo.pad %arg0, %arg1, low = [1], high = [0], interior = [0]
// CHECK: %[[SUM:.+]] = stablehlo.add {{.+}} : tensor<4xf32>
// CHECK: %[[START:.+]] = stablehlo.broadcast_in_dim %arg1, dims = []
// CHECK: stablehlo.add %[[START]], %[[SUM]]
func.func @start(%x: tensor<4xf32>, %start: tensor<f32>) -> tensor<4xf32> {
  %0 = "stablehlo.reduce_window"(%x, %start) <{window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A cumulative sum of 64 doubles its spans six times and needs one more slice.
// CHECK-LABEL: func.func @cumulative
// CHECK: stablehlo.pad
// CHECK-COUNT-6: stablehlo.add
// CHECK-NOT: stablehlo.add
// CHECK: return
func.func @cumulative(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 64>, padding = dense<[[63, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// -----

// The second of two elements is selected unless the first is as large; each
// source goes back to the position that its window selected.
// CHECK-LABEL: func.func @select
// CHECK-DAG: %[[A:.+]] = stablehlo.slice %arg0 [0:7:2]
// CHECK-DAG: %[[B:.+]] = stablehlo.slice %arg0 [1:8:2]
// CHECK: %[[KEEPS:.+]] = stablehlo.compare GE, %[[A]], %[[B]]
// CHECK: %[[SELECTED:.+]] = stablehlo.select %[[KEEPS]], {{.+}} : tensor<4xi1>, tensor<4xi32>
// CHECK: stablehlo.compare EQ, %[[SELECTED]]
// CHECK: %[[FIRST:.+]] = stablehlo.pad {{.+}}, low = [0], high = [1], interior = [1]
// CHECK: stablehlo.compare EQ, %[[SELECTED]]
// CHECK: %[[SECOND:.+]] = stablehlo.pad {{.+}}, low = [1], high = [0], interior = [1]
// CHECK: stablehlo.add %[[FIRST]], %[[SECOND]] : tensor<8xf32>
func.func @select(%x: tensor<8xf32>, %g: tensor<4xf32>) -> tensor<8xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<8xf32>, tensor<4xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What cannot be computed element by element stays, to be refused with a
// reason.
// CHECK-LABEL: func.func @precision
// CHECK: stablehlo.reduce_window
func.func @precision(%x: tensor<8xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.reduce_precision %b, format = e5m2 : tensor<f32>
    %2 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
