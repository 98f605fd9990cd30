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

// -----

// The element that was there and the updates that are the largest share the
// cotangent.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[U:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C9:.*]] = stablehlo.constant dense<9> : tensor<5x1xi32>
// CHECK-DAG:   %[[C0:.*]] = stablehlo.constant dense<0> : tensor<5x1xi32>
// CHECK:       %[[Y:.*]] = "stablehlo.scatter"(%[[X]], %[[I]], %[[U]])
// CHECK:       stablehlo.maximum
// CHECK:       %[[KEPT:.*]] = stablehlo.compare EQ, %[[X]], %[[Y]]
// CHECK:       %[[THERE:.*]] = "stablehlo.gather"(%[[Y]], %[[I]])
// CHECK:       %[[EQUAL:.*]] = stablehlo.compare EQ, %[[U]], %[[THERE]]
// CHECK:       %[[FROM:.*]] = stablehlo.compare GE, %[[I]], %[[C0]]
// CHECK:       %[[TO:.*]] = stablehlo.compare LE, %[[I]], %[[C9]]
// CHECK:       %[[BOTH:.*]] = stablehlo.and %[[FROM]], %[[TO]]
// CHECK:       %[[FLAT:.*]] = stablehlo.reshape %[[BOTH]]
// CHECK:       %[[INSIDE:.*]] = stablehlo.broadcast_in_dim %[[FLAT]], dims = [0] : (tensor<5xi1>) -> tensor<5x4xi1>
// CHECK:       %[[TAKEN:.*]] = stablehlo.and %[[EQUAL]], %[[INSIDE]]
// CHECK:       %[[ONE:.*]] = stablehlo.convert %[[KEPT]] : (tensor<10x4xi1>) -> tensor<10x4xi32>
// CHECK:       %[[MORE:.*]] = stablehlo.convert %[[TAKEN]] : (tensor<5x4xi1>) -> tensor<5x4xi32>
// CHECK:       %[[COUNT:.*]] = "stablehlo.scatter"(%[[ONE]], %[[I]], %[[MORE]])
// CHECK:       stablehlo.add
// CHECK:       %[[FLOAT:.*]] = stablehlo.convert %[[COUNT]] : (tensor<10x4xi32>) -> tensor<10x4xf32>
// CHECK:       %[[SHARE:.*]] = stablehlo.divide %[[G]], %[[FLOAT]]
// CHECK:       %[[DX:.*]] = stablehlo.select %[[KEPT]], %[[SHARE]], %{{.*}} : tensor<10x4xi1>, tensor<10x4xf32>
// CHECK:       %[[SHARES:.*]] = "stablehlo.gather"(%[[SHARE]], %[[I]])
// CHECK:       %[[DU:.*]] = stablehlo.select %[[TAKEN]], %[[SHARES]], %{{.*}} : tensor<5x4xi1>, tensor<5x4xf32>
// CHECK:       return %[[DX]], %[[DU]]
func.func public @main(
    %x: tensor<10x4xf32> {smith.name = "x", smith.role = "param"},
    %u: tensor<5x4xf32> {smith.name = "u", smith.role = "param"},
    %i: tensor<5x1xi32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<10x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<10x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// An element has one factor at most.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[U:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK-DAG:   %[[C9:.*]] = stablehlo.constant dense<9> : tensor<5x1xi32>
// CHECK-DAG:   %[[C0:.*]] = stablehlo.constant dense<0> : tensor<5x1xi32>
// CHECK:       %[[FROM:.*]] = stablehlo.compare GE, %[[I]], %[[C0]]
// CHECK:       %[[TO:.*]] = stablehlo.compare LE, %[[I]], %[[C9]]
// CHECK:       %[[BOTH:.*]] = stablehlo.and %[[FROM]], %[[TO]]
// CHECK:       %[[FLAT:.*]] = stablehlo.reshape %[[BOTH]]
// CHECK:       %[[INSIDE:.*]] = stablehlo.broadcast_in_dim %[[FLAT]], dims = [0] : (tensor<5xi1>) -> tensor<5x4xi1>
// CHECK:       %[[DX:.*]] = "stablehlo.scatter"(%[[G]], %[[I]], %[[U]])
// CHECK:       stablehlo.multiply
// CHECK:       %[[GX:.*]] = stablehlo.multiply %[[G]], %[[X]] : tensor<10x4xf32>
// CHECK:       %[[THERE:.*]] = "stablehlo.gather"(%[[GX]], %[[I]])
// CHECK:       %[[DU:.*]] = stablehlo.select %[[INSIDE]], %[[THERE]], %{{.*}} : tensor<5x4xi1>, tensor<5x4xf32>
// CHECK:       return %[[DX]], %[[DU]]
func.func public @main(
    %x: tensor<10x4xf32> {smith.name = "x", smith.role = "param"},
    %u: tensor<5x4xf32> {smith.name = "u", smith.role = "param"},
    %i: tensor<5x1xi32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<10x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<10x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Of several factors each gets the product of the others: the only one that is
// zero that of all others, where none is zero the quotient.
// CHECK-LABEL: @main
// CHECK-SAME:  %[[X:[^:]*]]: tensor
// CHECK-SAME:  %[[U:[^:]*]]: tensor
// CHECK-SAME:  %[[I:[^:]*]]: tensor
// CHECK-SAME:  %[[G:[^:]*]]: tensor
// CHECK:       %[[FROM:.*]] = stablehlo.compare GE, %[[I]], %[[C0]]
// CHECK:       %[[TO:.*]] = stablehlo.compare LE, %[[I]], %[[C9]]
// CHECK:       %[[BOTH:.*]] = stablehlo.and %[[FROM]], %[[TO]]
// CHECK:       %[[FLAT:.*]] = stablehlo.reshape %[[BOTH]]
// CHECK:       %[[INSIDE:.*]] = stablehlo.broadcast_in_dim %[[FLAT]], dims = [0] : (tensor<5xi1>) -> tensor<5x4xi1>
// CHECK:       %[[DX:.*]] = "stablehlo.scatter"(%[[G]], %[[I]], %[[U]])
// CHECK:       stablehlo.multiply
// CHECK:       %[[ZERO:.*]] = stablehlo.compare EQ, %[[U]], %{{.*}} : (tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<5x4xi1>
// CHECK:       %[[NONZERO:.*]] = stablehlo.select %[[ZERO]], %{{.*}}, %[[U]]
// CHECK:       %[[GX:.*]] = stablehlo.multiply %[[G]], %[[X]] : tensor<10x4xf32>
// CHECK:       %[[REST:.*]] = "stablehlo.scatter"(%[[GX]], %[[I]], %[[NONZERO]])
// CHECK:       stablehlo.multiply
// CHECK:       %[[MARKS:.*]] = stablehlo.convert %[[ZERO]] : (tensor<5x4xi1>) -> tensor<5x4xi32>
// CHECK:       %[[ZEROS:.*]] = "stablehlo.scatter"(%{{.*}}, %[[I]], %[[MARKS]])
// CHECK:       stablehlo.add
// CHECK:       %[[HAS1:.*]] = stablehlo.compare EQ, %[[ZEROS]], %{{.*}} : (tensor<10x4xi32>, tensor<10x4xi32>) -> tensor<10x4xi1>
// CHECK:       %[[WHERE1:.*]] = stablehlo.select %[[HAS1]], %[[REST]], %{{.*}}
// CHECK:       %[[OF1:.*]] = "stablehlo.gather"(%[[WHERE1]], %[[I]])
// CHECK:       %[[HAS0:.*]] = stablehlo.compare EQ, %[[ZEROS]], %{{.*}} : (tensor<10x4xi32>, tensor<10x4xi32>) -> tensor<10x4xi1>
// CHECK:       %[[WHERE0:.*]] = stablehlo.select %[[HAS0]], %[[REST]], %{{.*}}
// CHECK:       %[[OF0:.*]] = "stablehlo.gather"(%[[WHERE0]], %[[I]])
// CHECK:       %[[QUOTIENT:.*]] = stablehlo.divide %[[OF0]], %[[NONZERO]]
// CHECK:       %[[OTHERS:.*]] = stablehlo.select %[[ZERO]], %[[OF1]], %[[QUOTIENT]]
// CHECK:       %[[DU:.*]] = stablehlo.select %[[INSIDE]], %[[OTHERS]], %{{.*}}
// CHECK:       return %[[DX]], %[[DU]]
func.func public @main(
    %x: tensor<10x4xf32> {smith.name = "x", smith.role = "param"},
    %u: tensor<5x4xf32> {smith.name = "u", smith.role = "param"},
    %i: tensor<5x1xi32> {smith.name = "i", smith.role = "batch"},
    %g: tensor<10x4xf32> {smith.name = "g", smith.role = "batch"})
    -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %y = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1xi32>, tensor<5x4xf32>) -> tensor<10x4xf32>
  %weighted = stablehlo.multiply %y, %g : tensor<10x4xf32>
  %loss = stablehlo.reduce(%weighted init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<10x4xf32>, tensor<f32>) -> tensor<f32>
  return %loss : tensor<f32>
}
