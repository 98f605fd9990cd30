// RUN: shardsmith-opt --plan="cluster=%S/Inputs/slow-devices.json" %s -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: shardsmith-opt --partition %t.mlir | FileCheck %s --check-prefix=LOCAL

// One sample on eight slow devices: rows of the image are split, and each device
// fetches a row from each side.

// CHECK: sdy.mesh @mesh = <["tensor"=8]>
// CHECK: stablehlo.convolution
// CHECK-SAME: <@mesh, [{}, {"tensor"}, {}]>
// LOCAL: smith.collective_permute {{.*}} : tensor<1x1x64xf32>
// LOCAL: stablehlo.convolution{{.*}} : (tensor<1x10x64xf32>, tensor<3x64x64xf32>) -> tensor<1x8x64xf32>
func.func @main(%k: tensor<3x64x64xf32> {smith.role = "param", smith.name = "k"},
                %x: tensor<1x64x64xf32> {smith.role = "batch", smith.name = "x"})
    -> (tensor<3x64x64xf32> {smith.role = "param", smith.name = "k"}, tensor<1x64x64xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x64x64xf32>, tensor<3x64x64xf32>) -> tensor<1x64x64xf32>
  return %k, %0 : tensor<3x64x64xf32>, tensor<1x64x64xf32>
}
