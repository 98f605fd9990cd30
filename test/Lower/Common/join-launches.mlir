// RUN: shardsmith-opt %s --join-launches=target=cuda --split-input-file | FileCheck %s
// RUN: shardsmith-opt %s --join-launches --split-input-file | FileCheck %s --check-prefix=CPU
// CPU-NOT: smith.joint_launch

// Updates that nobody reads but the end come to the last one, in their order.
// CHECK-LABEL: @updates
// CHECK: %[[Y:.+]] = smith.gemm
// CHECK-NEXT: smith.kernel(%arg0, %arg3) {{.*}} attributes {smith.joint_launch = 0 : i64}
// CHECK: smith.kernel(%arg1, %arg3) {{.*}} attributes {smith.joint_launch = 0 : i64}
// CHECK: smith.kernel(%arg2, %[[Y]]) {{.*}} attributes {smith.joint_launch = 0 : i64}
func.func @updates(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>, %r: tensor<4x8xf32>, %g: tensor<4x8xf32>, %w: tensor<8x8xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = smith.kernel(%p, %g) domain = [4, 8] reduced = [] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %s = stablehlo.subtract %a, %b : tensor<4x8xf32>
    smith.kernel_yield %s : tensor<4x8xf32>
  }
  %1 = smith.kernel(%q, %g) domain = [4, 8] reduced = [] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %s = stablehlo.subtract %a, %b : tensor<4x8xf32>
    smith.kernel_yield %s : tensor<4x8xf32>
  }
  %y = smith.gemm %g[0, [8, 1]], %w[0, [8, 1]] batch = [] sizes = [4, 8, 8] strides = [8, 1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = smith.kernel(%r, %y) domain = [4, 8] reduced = [] : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %s = stablehlo.subtract %a, %b : tensor<4x8xf32>
    smith.kernel_yield %s : tensor<4x8xf32>
  }
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What reads another one's result, at once or through ops between, is launched
// behind it; so is a kernel that does something else.
// CHECK-LABEL: @dependent
// CHECK-NOT: smith.joint_launch
func.func @dependent(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = smith.kernel(%x) domain = [8] reduced = [] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = stablehlo.negate %a : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  %1 = smith.kernel(%0) domain = [8] reduced = [] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = stablehlo.negate %a : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  %2 = smith.kernel(%1) domain = [8] reduced = [] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = stablehlo.exponential %a : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  %3 = smith.kernel(%2) domain = [8] reduced = [] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = stablehlo.negate %a : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  %4 = smith.kernel(%y) domain = [8] reduced = [] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = stablehlo.abs %a : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  return %3, %4 : tensor<8xf32>, tensor<8xf32>
}

// -----

// The first one is read by a product in front of the last one. The second one
// is not: its view moves with it.
// CHECK-LABEL: @read_between
// CHECK: %[[FIRST:.+]] = smith.kernel(%arg0)
// CHECK-NOT: smith.joint_launch
// CHECK: smith.gemm %[[FIRST]]
// CHECK-NEXT: %[[SECOND:.+]] = smith.kernel(%arg1) {{.*}} attributes {smith.joint_launch = 0 : i64}
// CHECK: smith.kernel(%{{.+}}) {{.*}} attributes {smith.joint_launch = 0 : i64}
// CHECK: stablehlo.reshape %[[SECOND]]
func.func @read_between(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<32xf32>) {
  %0 = smith.kernel(%x) domain = [4, 8] reduced = [] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %s = stablehlo.negate %a : tensor<4x8xf32>
    smith.kernel_yield %s : tensor<4x8xf32>
  }
  %1 = smith.kernel(%y) domain = [4, 8] reduced = [] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %s = stablehlo.negate %a : tensor<4x8xf32>
    smith.kernel_yield %s : tensor<4x8xf32>
  }
  %flat = stablehlo.reshape %1 : (tensor<4x8xf32>) -> tensor<32xf32>
  %2 = smith.gemm %0[0, [8, 1]], %w[0, [8, 1]] batch = [] sizes = [4, 8, 8] strides = [8, 1] : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %3 = smith.kernel(%2) domain = [4, 8] reduced = [] : (tensor<4x8xf32>) -> tensor<4x8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %s = stablehlo.negate %a : tensor<4x8xf32>
    smith.kernel_yield %s : tensor<4x8xf32>
  }
  return %3, %flat : tensor<4x8xf32>, tensor<32xf32>
}

// -----

// Sums that only updates read follow them: launches of two texts, the first of
// which would be read between its members if the updates had stayed.
// CHECK-LABEL: @sums_and_updates
// CHECK: %[[A:.+]] = smith.kernel(%arg0) {{.*}}smith.joint_launch = 0 : i64
// CHECK: %[[B:.+]] = smith.kernel(%arg1) {{.*}}smith.joint_launch = 0 : i64
// CHECK: smith.kernel(%arg2, %[[A]]) {{.*}}smith.joint_launch = 1 : i64
// CHECK: smith.kernel(%arg3, %[[B]]) {{.*}}smith.joint_launch = 1 : i64
func.func @sums_and_updates(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %p: tensor<8xf32>, %q: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = smith.kernel(%x) domain = [4, 8] reduced = [0] : (tensor<4x8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  %1 = smith.kernel(%p, %0) domain = [8] reduced = [] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %s = stablehlo.subtract %a, %b : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  %2 = smith.kernel(%y) domain = [4, 8] reduced = [0] : (tensor<4x8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x8xf32>, tensor<f32>) -> tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  %3 = smith.kernel(%q, %2) domain = [8] reduced = [] : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %s = stablehlo.subtract %a, %b : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// 1 MiB of buffers is the most: two of 131,072 f32 are that, of 131,073 more.
// CHECK-LABEL: @large
// CHECK: smith.kernel(%arg0) {{.*}}smith.joint_launch = 0
// CHECK: smith.kernel(%arg1) {{.*}}smith.joint_launch = 0
// CHECK-NOT: smith.joint_launch
func.func @large(%x: tensor<131072xf32>, %y: tensor<131072xf32>, %z: tensor<131073xf32>, %w: tensor<131073xf32>)
    -> (tensor<131072xf32>, tensor<131072xf32>, tensor<131073xf32>, tensor<131073xf32>) {
  %0 = smith.kernel(%x) domain = [131072] reduced = [] : (tensor<131072xf32>) -> tensor<131072xf32> {
  ^bb0(%a: tensor<131072xf32>):
    %s = stablehlo.negate %a : tensor<131072xf32>
    smith.kernel_yield %s : tensor<131072xf32>
  }
  %1 = smith.kernel(%y) domain = [131072] reduced = [] : (tensor<131072xf32>) -> tensor<131072xf32> {
  ^bb0(%a: tensor<131072xf32>):
    %s = stablehlo.negate %a : tensor<131072xf32>
    smith.kernel_yield %s : tensor<131072xf32>
  }
  %2 = smith.kernel(%z) domain = [131073] reduced = [] : (tensor<131073xf32>) -> tensor<131073xf32> {
  ^bb0(%a: tensor<131073xf32>):
    %s = stablehlo.negate %a : tensor<131073xf32>
    smith.kernel_yield %s : tensor<131073xf32>
  }
  %3 = smith.kernel(%w) domain = [131073] reduced = [] : (tensor<131073xf32>) -> tensor<131073xf32> {
  ^bb0(%a: tensor<131073xf32>):
    %s = stablehlo.negate %a : tensor<131073xf32>
    smith.kernel_yield %s : tensor<131073xf32>
  }
  return %0, %1, %2, %3 : tensor<131072xf32>, tensor<131072xf32>, tensor<131073xf32>, tensor<131073xf32>
}

// -----

// What may be computed with a product is no launch of its own, and stays behind
// the product.
// CHECK-LABEL: @gelu
// CHECK-NOT: smith.joint_launch
func.func @gelu(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = smith.kernel(%x) domain = [8] reduced = [] attributes {smith.gelu} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = stablehlo.negate %a : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  %1 = smith.kernel(%y) domain = [8] reduced = [] : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %s = stablehlo.negate %a : tensor<8xf32>
    smith.kernel_yield %s : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
