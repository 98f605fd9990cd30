// RUN: shardsmith-opt %s --split-input-file --differentiate | FileCheck %s

// Updates that were skipped get zero.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[U:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C9:.*]] = stablehlo.constant dense<9> : tensor<5x1xi32>
// CHECK-DAG:   %[[C0:.*]] = stablehlo.constant dense<0> : tensor<5x1xi32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = "stablehlo.scatter"(%[[X]], %[[I]], %[[U]]) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
// CHECK-NEXT:  ^bb0(%[[B2:.*]]: tensor<f32>, %[[B3:.*]]: tensor<f32>):
// CHECK:       %[[V4:.*]] = stablehlo.add %[[B2]], %[[B3]] : tensor<f32>
// CHECK:       stablehlo.return %[[V4]] : tensor<f32>
// CHECK:       }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
// CHECK:       %[[V5:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<10x4xf32>
// CHECK:       %[[V6:.*]] = stablehlo.reduce(%[[V5]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V7:.*]] = "stablehlo.gather"(%[[G]], %[[I]]) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
// CHECK:       %[[V8:.*]] = stablehlo.compare GE, %[[I]], %[[C0]] : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
// CHECK:       %[[V9:.*]] = stablehlo.compare LE, %[[I]], %[[C9]] : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
// CHECK:       %[[V10:.*]] = stablehlo.and %[[V8]], %[[V9]] : tensor<5x1xi1>
// CHECK:       %[[V11:.*]] = stablehlo.reshape %[[V10]] : (tensor<5x1xi1>) -> tensor<5xi1>
// CHECK:       %[[V12:.*]] = stablehlo.broadcast_in_dim %[[V11]], dims = [0] : (tensor<5xi1>) -> tensor<5x4xi1>
// CHECK:       %[[V13:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<f32>) -> tensor<5x4xf32>
// CHECK:       %[[V14:.*]] = stablehlo.select %[[V12]], %[[V7]], %[[V13]] : tensor<5x4xi1>, tensor<5x4xf32>
// CHECK:       return %[[G]], %[[V14]], %[[V6]] : tensor<10x4xf32>, tensor<5x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<10x4xf32> {smith.name = "x", smith.role = "param"},
    %u: tensor<5x4xf32> {smith.name = "u", smith.role = "param"},
    %i: tensor<5x1xi32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<10x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<10x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// What was replaced gets zero.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[U:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C9:.*]] = stablehlo.constant dense<9> : tensor<5x1xi32>
// CHECK-DAG:   %[[C0:.*]] = stablehlo.constant dense<0> : tensor<5x1xi32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = "stablehlo.scatter"(%[[X]], %[[I]], %[[U]]) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
// CHECK-NEXT:  ^bb0(%[[B2:.*]]: tensor<f32>, %[[B3:.*]]: tensor<f32>):
// CHECK:       stablehlo.return %[[B3]] : tensor<f32>
// CHECK:       }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
// CHECK:       %[[V4:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<10x4xf32>
// CHECK:       %[[V5:.*]] = stablehlo.reduce(%[[V4]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V6:.*]] = "stablehlo.gather"(%[[G]], %[[I]]) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
// CHECK:       %[[V7:.*]] = stablehlo.compare GE, %[[I]], %[[C0]] : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
// CHECK:       %[[V8:.*]] = stablehlo.compare LE, %[[I]], %[[C9]] : (tensor<5x1xi32>, tensor<5x1xi32>) -> tensor<5x1xi1>
// CHECK:       %[[V9:.*]] = stablehlo.and %[[V7]], %[[V8]] : tensor<5x1xi1>
// CHECK:       %[[V10:.*]] = stablehlo.reshape %[[V9]] : (tensor<5x1xi1>) -> tensor<5xi1>
// CHECK:       %[[V11:.*]] = stablehlo.broadcast_in_dim %[[V10]], dims = [0] : (tensor<5xi1>) -> tensor<5x4xi1>
// CHECK:       %[[V12:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<f32>) -> tensor<5x4xf32>
// CHECK:       %[[V13:.*]] = "stablehlo.scatter"(%[[G]], %[[I]], %[[V12]]) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
// CHECK-NEXT:  ^bb0(%[[B14:.*]]: tensor<f32>, %[[B15:.*]]: tensor<f32>):
// CHECK:       stablehlo.return %[[B15]] : tensor<f32>
// CHECK:       }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
// CHECK:       %[[V16:.*]] = stablehlo.select %[[V11]], %[[V6]], %[[V12]] : tensor<5x4xi1>, tensor<5x4xf32>
// CHECK:       return %[[V13]], %[[V16]], %[[V5]] : tensor<10x4xf32>, tensor<5x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<10x4xf32> {smith.name = "x", smith.role = "param"},
    %u: tensor<5x4xf32> {smith.name = "u", smith.role = "param"},
    %i: tensor<5x1xi32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<10x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<10x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Of several updates of one element the last writer gets the cotangent.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[U:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C0:.*]] = stablehlo.constant dense<0> : tensor<i32>
// CHECK-DAG:   %[[C1:.*]] = stablehlo.constant dense<1> : tensor<i32>
// CHECK-DAG:   %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00> : tensor<f32>
// CHECK:       %[[V1:.*]] = "stablehlo.scatter"(%[[X]], %[[I]], %[[U]]) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
// CHECK-NEXT:  ^bb0(%[[B2:.*]]: tensor<f32>, %[[B3:.*]]: tensor<f32>):
// CHECK:       stablehlo.return %[[B3]] : tensor<f32>
// CHECK:       }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
// CHECK:       %[[V4:.*]] = stablehlo.multiply %[[V1]], %[[G]] : tensor<10x4xf32>
// CHECK:       %[[V5:.*]] = stablehlo.reduce(%[[V4]] init: %[[ZERO]]) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
// CHECK:       %[[V6:.*]] = "stablehlo.gather"(%[[G]], %[[I]]) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
// CHECK:       %[[V7:.*]] = stablehlo.iota dim = 0 : tensor<20xi32>
// CHECK:       %[[V8:.*]] = stablehlo.broadcast_in_dim %[[C1]], dims = [] : (tensor<i32>) -> tensor<20xi32>
// CHECK:       %[[V9:.*]] = stablehlo.add %[[V7]], %[[V8]] : tensor<20xi32>
// CHECK:       %[[V10:.*]] = stablehlo.reshape %[[V9]] : (tensor<20xi32>) -> tensor<5x4xi32>
// CHECK:       %[[V11:.*]] = stablehlo.broadcast_in_dim %[[C0]], dims = [] : (tensor<i32>) -> tensor<10x4xi32>
// CHECK:       %[[V12:.*]] = "stablehlo.scatter"(%[[V11]], %[[I]], %[[V10]]) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
// CHECK-NEXT:  ^bb0(%[[B13:.*]]: tensor<i32>, %[[B14:.*]]: tensor<i32>):
// CHECK:       stablehlo.return %[[B14]] : tensor<i32>
// CHECK:       }) : (tensor<10x4xi32>, tensor<5x1xi32>, tensor<5x4xi32>) -> tensor<10x4xi32>
// CHECK:       %[[V15:.*]] = "stablehlo.gather"(%[[V12]], %[[I]]) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}> : (tensor<10x4xi32>, tensor<5x1xi32>) -> tensor<5x4xi32>
// CHECK:       %[[V16:.*]] = stablehlo.compare EQ, %[[V15]], %[[V10]] : (tensor<5x4xi32>, tensor<5x4xi32>) -> tensor<5x4xi1>
// CHECK:       %[[V17:.*]] = stablehlo.broadcast_in_dim %[[ZERO]], dims = [] : (tensor<f32>) -> tensor<5x4xf32>
// CHECK:       %[[V18:.*]] = "stablehlo.scatter"(%[[G]], %[[I]], %[[V17]]) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
// CHECK-NEXT:  ^bb0(%[[B19:.*]]: tensor<f32>, %[[B20:.*]]: tensor<f32>):
// CHECK:       stablehlo.return %[[B20]] : tensor<f32>
// CHECK:       }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
// CHECK:       %[[V21:.*]] = stablehlo.select %[[V16]], %[[V6]], %[[V17]] : tensor<5x4xi1>, tensor<5x4xf32>
// CHECK:       return %[[V18]], %[[V21]], %[[V5]] : tensor<10x4xf32>, tensor<5x4xf32>, tensor<f32>
func.func public @main(
    %x: tensor<10x4xf32> {smith.name = "x", smith.role = "param"},
    %u: tensor<5x4xf32> {smith.name = "u", smith.role = "param"},
    %i: tensor<5x1xi32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<10x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<10x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
