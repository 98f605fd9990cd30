// RUN: shardsmith-opt --plan="cluster=%S/../Plan/Inputs/four-cores.json" %s | FileCheck %s
// RUN: shardsmith-opt --plan="cluster=%S/../Plan/Inputs/four-cores.json fix=fsdp=4" %s -o %t.FSDP && FileCheck %s < %t.FSDP && FileCheck %s --check-prefix=FSDP < %t.FSDP
// RUN: shardsmith-opt --plan="cluster=%S/../Plan/Inputs/four-cores.json fix=tensor=4" %s | FileCheck %s
// RUN: shardsmith-opt --plan="cluster=%S/../Plan/Inputs/four-cores.json fix=data=4" %s -o %t.DATA && FileCheck %s < %t.DATA && FileCheck %s --check-prefix=DATA < %t.DATA
// RUN: shardsmith-opt --plan="cluster=%S/../Plan/Inputs/four-cores.json fix=data=2,tensor=2" %s -o %t.BOTH && FileCheck %s < %t.BOTH && FileCheck %s --check-prefix=BOTH < %t.BOTH
// RUN: shardsmith-opt --plan="cluster=%S/../Plan/Inputs/four-cores.json fix=data=2,tensor=2" --partition %s | FileCheck %s --check-prefix=LOCAL

// A momentum is held as its parameter is, on every mesh, and a new value as the
// old one, so that a step ends as it began.

// CHECK: sdy.mesh @mesh
// CHECK: func.func @main(
// CHECK-SAME: {sdy.sharding = [[W0:#sdy.sharding<@mesh, [^>]*>]], smith.name = "layers.0.w"
// CHECK-SAME: {sdy.sharding = [[W1:#sdy.sharding<@mesh, [^>]*>]], smith.name = "layers.1.w"
// CHECK-SAME: {sdy.sharding = [[W2:#sdy.sharding<@mesh, [^>]*>]], smith.name = "layers.2.w"
// CHECK-SAME: {sdy.sharding = [[W0]], smith.name = "m.layers.0.w"
// CHECK-SAME: {sdy.sharding = [[W1]], smith.name = "m.layers.1.w"
// CHECK-SAME: {sdy.sharding = [[W2]], smith.name = "m.layers.2.w"
// CHECK-SAME: -> (
// CHECK-SAME: {sdy.sharding = [[W0]], smith.name = "layers.0.w"
// CHECK-SAME: {sdy.sharding = [[W1]], smith.name = "layers.1.w"
// CHECK-SAME: {sdy.sharding = [[W2]], smith.name = "layers.2.w"
// CHECK-SAME: {sdy.sharding = [[W0]], smith.name = "m.layers.0.w"
// CHECK-SAME: {sdy.sharding = [[W1]], smith.name = "m.layers.1.w"
// CHECK-SAME: {sdy.sharding = [[W2]], smith.name = "m.layers.2.w"

// Every op has axes and every value a sharding.

// CHECK-COUNT-12: {sdy.sharding = #sdy.sharding_per_value<{{.*}}, smith.factor_axes = #smith.factor_axes<
// CHECK: return

// An axis called fsdp splits samples, and parameters and states as well; one
// called data splits samples, and nothing else of a step.

// FSDP: dot_general {{.*}} contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"fsdp"}, {}]>]>
// FSDP-COUNT-3: contracting_dims = [0] x [0]
// DATA: dot_general {{.*}} contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {}]>]>
// Gradients are partial sums over samples.
// DATA-COUNT-3: contracting_dims = [0] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}]{{.*}}>]>, smith.factor_axes = #smith.factor_axes<[{}, {}, {"data"}]>}
// Samples are so many that the tensor axis splits them, too, in products, while
// it holds parts of parameters between them.
// BOTH: dot_general {{.*}} contracting_dims = [1] x [0] {{.*}}smith.factor_axes<[{"data", "tensor"}, {}, {}]>}

// Shards of parameters are gathered in front of products, and gradients are
// added up into them.

// LOCAL: func.func @main(
// LOCAL-SAME: %arg0: tensor<{{32x64|64x32}}xf32>
// LOCAL-SAME: %arg3: tensor<{{32x64|64x32}}xf32>
// LOCAL-SAME: %arg6: tensor<2048x64xf32>
// LOCAL: smith.all_gather {{.*}} over ["tensor"]
// LOCAL: smith.reduce_scatter {{.*}} over ["tensor"] dim = {{[01]}} kind = sum
// LOCAL-NEXT: smith.all_reduce {{.*}} over ["data"] kind = sum

func.func @main(
    %w0: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
    %w1: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
    %w2: tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
    %m0: tensor<64x64xf32> {smith.role = "state", smith.name = "m.layers.0.w"},
    %m1: tensor<64x64xf32> {smith.role = "state", smith.name = "m.layers.1.w"},
    %m2: tensor<64x64xf32> {smith.role = "state", smith.name = "m.layers.2.w"},
    %x: tensor<4096x64xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<64x64xf32> {smith.role = "param", smith.name = "layers.0.w"},
        tensor<64x64xf32> {smith.role = "param", smith.name = "layers.1.w"},
        tensor<64x64xf32> {smith.role = "param", smith.name = "layers.2.w"},
        tensor<64x64xf32> {smith.role = "state", smith.name = "m.layers.0.w"},
        tensor<64x64xf32> {smith.role = "state", smith.name = "m.layers.1.w"},
        tensor<64x64xf32> {smith.role = "state", smith.name = "m.layers.2.w"}) {
  %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0]
      : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %1 = stablehlo.dot_general %0, %w1, contracting_dims = [1] x [0]
      : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %2 = stablehlo.dot_general %1, %w2, contracting_dims = [1] x [0]
      : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  %g0 = stablehlo.dot_general %x, %0, contracting_dims = [0] x [0]
      : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<64x64xf32>
  %g1 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0]
      : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<64x64xf32>
  %g2 = stablehlo.dot_general %1, %2, contracting_dims = [0] x [0]
      : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<64x64xf32>
  %n0 = stablehlo.add %m0, %g0 : tensor<64x64xf32>
  %n1 = stablehlo.add %m1, %g1 : tensor<64x64xf32>
  %n2 = stablehlo.add %m2, %g2 : tensor<64x64xf32>
  %v0 = stablehlo.subtract %w0, %n0 : tensor<64x64xf32>
  %v1 = stablehlo.subtract %w1, %n1 : tensor<64x64xf32>
  %v2 = stablehlo.subtract %w2, %n2 : tensor<64x64xf32>
  return %v0, %v1, %v2, %n0, %n1, %n2
      : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>,
        tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
