// RUN: shardsmith-opt %s --lower-dots=target=cuda --form-kernels=target=cuda --recompute-in-kernels=target=cuda | FileCheck %s
// RUN: shardsmith-opt %s --lower-dots --form-kernels -o %t.stored
// RUN: shardsmith-opt %s --lower-dots --form-kernels --recompute-in-kernels | diff %t.stored -

// What the forward pass has of x is computed again in the backward pass: x is
// in memory, as a product's result.
// CHECK-LABEL: @activation
// CHECK:         %[[X:.*]] = smith.gemm %arg0
// CHECK-NEXT:    %[[Y:.*]] = smith.kernel(%[[X]]) domain = [4, 8]
// CHECK-SAME:        -> tensor<4x8xf32>
// CHECK:         %[[DY:.*]] = smith.gemm %[[Y]]
// CHECK-NEXT:    smith.kernel(%[[DY]], %[[X]]) domain = [4, 8]
// CHECK-NEXT:    ^bb0(%[[D:.*]]: tensor<4x8xf32>, %[[A:.*]]: tensor<4x8xf32>):
// CHECK-NEXT:      %[[T:.*]] = stablehlo.tanh %[[A]]
// CHECK:           stablehlo.multiply %[[D]], %[[T]]
func.func @activation(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %t = stablehlo.tanh %x : tensor<4x8xf32>
  %y = stablehlo.multiply %x, %t : tensor<4x8xf32>
  %dy = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %dx = stablehlo.multiply %dy, %t : tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}

// A sum that is stored is a source as well; one of its own is not made again.
// CHECK-LABEL: @rows
// CHECK:         %[[X:.*]] = smith.gemm %arg0
// CHECK-NEXT:    %[[ROWS:.*]]:2 = smith.kernel(%[[X]]) domain = [4, 8] reduced = [1]
// CHECK-SAME:        -> (tensor<4xf32>, tensor<4x8xf32>)
// CHECK:         %[[DY:.*]] = smith.gemm %[[ROWS]]#1
// CHECK-NEXT:    smith.kernel(%[[DY]], %[[ROWS]]#0, %[[X]]) domain = [4, 8]
// CHECK:           stablehlo.exponential
func.func @rows(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %d = stablehlo.subtract %x, %mb : tensor<4x8xf32>
  %e = stablehlo.exponential %d : tensor<4x8xf32>
  %y = stablehlo.multiply %e, %x : tensor<4x8xf32>
  %dy = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %de = stablehlo.multiply %dy, %e : tensor<4x8xf32>
  %dx = stablehlo.multiply %de, %mb : tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}

// Nobody stores the maximum, so what follows from it is stored.
// CHECK-LABEL: @own_sum
// CHECK:         %[[KEPT:.*]]:2 = smith.kernel(%{{.*}}) domain = [4, 8] reduced = [1]
// CHECK-SAME:        -> (tensor<4x8xf32>, tensor<4x8xf32>)
// CHECK:         smith.kernel(%{{.*}}, %[[KEPT]]#0)
func.func @own_sum(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %d = stablehlo.subtract %x, %mb : tensor<4x8xf32>
  %e = stablehlo.exponential %d : tensor<4x8xf32>
  %y = stablehlo.multiply %e, %x : tensor<4x8xf32>
  %dy = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %dx = stablehlo.multiply %dy, %e : tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}

// A product needs it in memory.
// CHECK-LABEL: @read_by_product
// CHECK:         %[[T:.*]] = smith.kernel(%{{.*}}) domain = [4, 8]
// CHECK:         smith.gemm %[[T]]
// CHECK-NEXT:    smith.kernel(%{{.*}}, %[[T]])
func.func @read_by_product(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %t = stablehlo.tanh %x : tensor<4x8xf32>
  %dy = stablehlo.dot_general %t, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %dx = stablehlo.multiply %dy, %t : tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}

// The reader goes through it in another order.
// CHECK-LABEL: @transposed
// CHECK:         %[[KEPT:.*]]:2 = smith.kernel(%{{.*}}) domain = [4, 8]
// CHECK:         smith.kernel(%{{.*}}, %[[KEPT]]#0) domain = [8, 4]
func.func @transposed(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x4xf32> {
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %t = stablehlo.tanh %x : tensor<4x8xf32>
  %y = stablehlo.multiply %x, %t : tensor<4x8xf32>
  %dy = stablehlo.dot_general %w, %y, contracting_dims = [1] x [1] : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<8x4xf32>
  %turned = stablehlo.transpose %t, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %dx = stablehlo.multiply %turned, %dy : tensor<8x4xf32>
  return %dx : tensor<8x4xf32>
}

// Two tensors would be kept in place of one.
// CHECK-LABEL: @two_sources
// CHECK:         %[[KEPT:.*]]:2 = smith.kernel(%{{.*}}, %{{.*}}) domain = [4, 8]
// CHECK:         smith.kernel(%{{.*}}, %[[KEPT]]#0)
func.func @two_sources(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %z = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %p = stablehlo.multiply %x, %z : tensor<4x8xf32>
  %t = stablehlo.tanh %p : tensor<4x8xf32>
  %y = stablehlo.multiply %x, %t : tensor<4x8xf32>
  %dy = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %dx = stablehlo.multiply %dy, %t : tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}

// Fewer bytes would be read, but more be kept: three halves in place of one
// tensor.
// CHECK-LABEL: @three_halves
// CHECK:         %[[KEPT:.*]]:2 = smith.kernel(%{{.*}}, %{{.*}}, %{{.*}}) domain = [4, 8]
// CHECK:         smith.kernel(%{{.*}}, %[[KEPT]]#{{[01]}})
func.func @three_halves(%a: tensor<4x8xbf16>, %w: tensor<8x8xbf16>, %v: tensor<8x8xbf16>, %u: tensor<8x8xbf16>) -> tensor<4x8xf32> {
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %y = stablehlo.dot_general %a, %v, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %z = stablehlo.dot_general %a, %u, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xbf16>
  %wide = stablehlo.convert %x : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %wide2 = stablehlo.convert %y : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %wide3 = stablehlo.convert %z : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  %p = stablehlo.multiply %wide, %wide2 : tensor<4x8xf32>
  %q = stablehlo.multiply %p, %wide3 : tensor<4x8xf32>
  %t = stablehlo.tanh %q : tensor<4x8xf32>
  %s = stablehlo.multiply %t, %wide : tensor<4x8xf32>
  %half = stablehlo.convert %s : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %dy = stablehlo.dot_general %half, %w, contracting_dims = [1] x [1] : (tensor<4x8xbf16>, tensor<8x8xbf16>) -> tensor<4x8xf32>
  %dx = stablehlo.multiply %dy, %t : tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}

// Two results share ops that they reach in opposite orders.
// CHECK-LABEL: @crossed
// CHECK:         smith.gemm %arg0
// CHECK-NEXT:    smith.kernel(%{{.*}}) {{.*}} -> tensor<4x8xf32> {
// CHECK:         smith.kernel(%{{.*}}, %{{.*}}) domain = [4, 8]
// CHECK-DAG:       stablehlo.tanh
// CHECK-DAG:       stablehlo.cosine
// CHECK-DAG:       stablehlo.power
// CHECK-DAG:       stablehlo.atan2
func.func @crossed(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %t = stablehlo.tanh %x : tensor<4x8xf32>
  %c = stablehlo.cosine %x : tensor<4x8xf32>
  %p = stablehlo.power %t, %c : tensor<4x8xf32>
  %q = stablehlo.atan2 %c, %t : tensor<4x8xf32>
  %y = stablehlo.multiply %p, %q : tensor<4x8xf32>
  %dy = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %0 = stablehlo.multiply %dy, %p : tensor<4x8xf32>
  %1 = stablehlo.multiply %0, %q : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// A kernel of which nothing is left to store is left out.
// CHECK-LABEL: @nothing_left
// CHECK-NEXT:    smith.gemm
// CHECK-NEXT:    smith.kernel(%{{.*}}) domain = [4, 2, 8] reduced = [{{[01]}}]
// CHECK:           stablehlo.tanh
// CHECK:         smith.kernel(%{{.*}}) domain = [4, 2, 8] reduced = [{{[01]}}]
// CHECK:           stablehlo.tanh
// CHECK-NOT:     smith.kernel(
// CHECK:         return
func.func @nothing_left(%a: tensor<4x2x8xf32>, %w: tensor<8x8xf32>) -> (tensor<2x8xf32>, tensor<4x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %x = stablehlo.dot_general %a, %w, contracting_dims = [2] x [0] : (tensor<4x2x8xf32>, tensor<8x8xf32>) -> tensor<4x2x8xf32>
  %t = stablehlo.tanh %x : tensor<4x2x8xf32>
  %0 = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  %1 = stablehlo.reduce(%t init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<2x8xf32>, tensor<4x8xf32>
}

// An update reads the old value in step, and is written over it.
// CHECK-LABEL: @update_in_step
// CHECK:         smith.kernel(%arg0) domain = [4, 8] {{.*}} -> tensor<4x8xf32> {
// CHECK:         smith.kernel(%{{.*}}, %arg0) domain = [4, 8]
// CHECK:           stablehlo.tanh
func.func @update_in_step(%p: tensor<4x8xf32> {smith.name = "p", smith.role = "param"}, %w: tensor<8x8xf32> {smith.name = "w", smith.role = "constant"})
    -> (tensor<4x8xf32> {smith.name = "p", smith.role = "param"}) {
  %t = stablehlo.tanh %p : tensor<4x8xf32>
  %y = stablehlo.cosine %t : tensor<4x8xf32>
  %dy = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %dp = stablehlo.multiply %dy, %t : tensor<4x8xf32>
  %new = stablehlo.subtract %p, %dp : tensor<4x8xf32>
  return %new : tensor<4x8xf32>
}

// The old value would be read behind the update, and the new one copied into
// its place: twice the parameter's bytes, as much as is saved.
// CHECK-LABEL: @read_behind_update
// CHECK:         %[[KEPT:.*]]:2 = smith.kernel(%arg0) domain = [4, 8]
// CHECK:         smith.kernel(%arg0, %{{.*}}) domain = [4, 8]
// CHECK:         smith.kernel(%{{.*}}, %[[KEPT]]#0) domain = [4, 8]
func.func @read_behind_update(%p: tensor<4x8xf32> {smith.name = "p", smith.role = "param"}, %w: tensor<8x8xf32> {smith.name = "w", smith.role = "constant"})
    -> (tensor<4x8xf32> {smith.name = "p", smith.role = "param"}, tensor<4x8xf32> {smith.name = "o", smith.role = "output"}) {
  %t = stablehlo.tanh %p : tensor<4x8xf32>
  %y = stablehlo.cosine %t : tensor<4x8xf32>
  %dy = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %new = stablehlo.subtract %p, %dy : tensor<4x8xf32>
  %z = stablehlo.dot_general %new, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %o = stablehlo.multiply %z, %t : tensor<4x8xf32>
  return %new, %o : tensor<4x8xf32>, tensor<4x8xf32>
}

// As many ops as are computed again, and one more.
// CHECK-LABEL: @long
// CHECK:         %[[X:.*]] = smith.gemm %arg0
// CHECK-NEXT:    %[[KEPT:.*]]:2 = smith.kernel(%[[X]])
// CHECK:         %[[DY:.*]] = smith.gemm
// CHECK-NEXT:    smith.kernel(%[[DY]], %[[KEPT]]#0, %[[X]])
func.func @long(%a: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %x = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %0 = stablehlo.tanh %x : tensor<4x8xf32>
  %1 = stablehlo.cosine %0 : tensor<4x8xf32>
  %2 = stablehlo.cosine %1 : tensor<4x8xf32>
  %3 = stablehlo.cosine %2 : tensor<4x8xf32>
  %4 = stablehlo.cosine %3 : tensor<4x8xf32>
  %5 = stablehlo.cosine %4 : tensor<4x8xf32>
  %6 = stablehlo.cosine %5 : tensor<4x8xf32>
  %7 = stablehlo.cosine %6 : tensor<4x8xf32>
  %8 = stablehlo.cosine %7 : tensor<4x8xf32>
  %9 = stablehlo.cosine %8 : tensor<4x8xf32>
  %10 = stablehlo.cosine %9 : tensor<4x8xf32>
  %11 = stablehlo.cosine %10 : tensor<4x8xf32>
  %12 = stablehlo.cosine %11 : tensor<4x8xf32>
  %13 = stablehlo.cosine %12 : tensor<4x8xf32>
  %14 = stablehlo.cosine %13 : tensor<4x8xf32>
  %15 = stablehlo.cosine %14 : tensor<4x8xf32>
  %16 = stablehlo.cosine %15 : tensor<4x8xf32>
  %17 = stablehlo.cosine %16 : tensor<4x8xf32>
  %18 = stablehlo.cosine %17 : tensor<4x8xf32>
  %19 = stablehlo.cosine %18 : tensor<4x8xf32>
  %20 = stablehlo.cosine %19 : tensor<4x8xf32>
  %21 = stablehlo.cosine %20 : tensor<4x8xf32>
  %22 = stablehlo.cosine %21 : tensor<4x8xf32>
  %23 = stablehlo.cosine %22 : tensor<4x8xf32>
  %24 = stablehlo.cosine %23 : tensor<4x8xf32>
  %25 = stablehlo.cosine %24 : tensor<4x8xf32>
  %26 = stablehlo.cosine %25 : tensor<4x8xf32>
  %27 = stablehlo.cosine %26 : tensor<4x8xf32>
  %28 = stablehlo.cosine %27 : tensor<4x8xf32>
  %29 = stablehlo.cosine %28 : tensor<4x8xf32>
  %30 = stablehlo.cosine %29 : tensor<4x8xf32>
  %31 = stablehlo.cosine %30 : tensor<4x8xf32>
  %32 = stablehlo.cosine %31 : tensor<4x8xf32>
  %y = stablehlo.multiply %32, %31 : tensor<4x8xf32>
  %dy = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %dz = stablehlo.multiply %dy, %31 : tensor<4x8xf32>
  %dx = stablehlo.multiply %dz, %32 : tensor<4x8xf32>
  return %dx : tensor<4x8xf32>
}
