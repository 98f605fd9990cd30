// RUN: rm -rf %t && shardsmith compile %s --optimizer sgd --lr 0.5 --cluster 1xh100 --no-cubin --dump-dir %t/ir -o %t/out
// RUN: FileCheck %s < %t/ir/07-device-functions.mlir
// RUN: FileCheck %s --check-prefix=STEPS < %t/out/device-program.json
// RUN: FileCheck %s --check-prefix=PTX < %t/out/kernels.sm_90a.ptx
// RUN: shardsmith inspect %t/out --kernels --target cuda:sm_90a | FileCheck %s --check-prefix=TABLE
// RUN: shardsmith check %t/out
//
// Updates of two parameters, from IR to the step that launches them.

// CHECK: smith.kernel(%arg1, %arg3) {{.*}}@kernels::@joint_1, smith.joint_launch = 0 : i64, smith.offsets = array<i64: 1024>
// CHECK: smith.kernel(%arg0, %arg2) {{.*}}@kernels::@joint_1, smith.joint_launch = 0 : i64, smith.offsets = array<i64: 0>

// Inputs of both, then the places where they are: nothing is copied at the end.
// STEPS: {"kind":"launch","function":"joint_1","grid":2,"block":64,"buffers":[1024,3072,0,2048,1024,0],"bytes":[1024,1024,1024,1024,1024,1024],"written":2}],"arena_bytes"

// An address is chosen, and known to be in the device's memory.
// PTX: .entry joint_1(
// PTX: selp.b64
// PTX: ld.global.v4
// PTX: st.global.v4

// TABLE: joint_1 1 2 64 0.006 1.00 1.00

func.func @main(%p: tensor<8x32xf32> {smith.role = "param", smith.name = "p"},
                %q: tensor<8x32xf32> {smith.role = "param", smith.name = "q"},
                %x: tensor<8x32xf32> {smith.role = "batch", smith.name = "x"},
                %y: tensor<8x32xf32> {smith.role = "batch", smith.name = "y"})
    -> (tensor<f32> {smith.role = "loss", smith.name = "loss"}) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %p, %x : tensor<8x32xf32>
  %1 = stablehlo.multiply %q, %y : tensor<8x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x32xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x32xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
