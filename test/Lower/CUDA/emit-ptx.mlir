// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_80 path=%t.80.ptx" -o /dev/null
// RUN: FileCheck %s --check-prefixes=PTX,SM80 < %t.80.ptx
// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_90a path=%t.90.ptx" -o /dev/null
// RUN: FileCheck %s --check-prefixes=PTX,SM90 < %t.90.ptx
// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_100a path=%t.100.ptx" -o /dev/null
// RUN: FileCheck %s --check-prefixes=PTX,SM100 < %t.100.ptx
// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_120 path=%t.120.ptx" -o /dev/null
// RUN: FileCheck %s --check-prefixes=PTX,SM120 < %t.120.ptx
//
// The text needs nothing beside it: no function of libdevice is called, though
// the kernel has functions that devices have no instruction for. Elements are
// read and written by 16 bytes.

// SM80: .target sm_80
// SM90: .target sm_90a
// SM100: .target sm_100a
// SM120: .target sm_120
// PTX-NOT: .extern
// PTX-NOT: __nv_
// PTX: .visible .entry kernel_0(
// PTX: .maxntid 256, 1, 1
// PTX: ld.global.v4.b32
// PTX-NOT: call
// PTX: st.global.v4.b32
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> tensor<4096xf32> {
  %0 = stablehlo.tanh %x : tensor<4096xf32>
  %1 = stablehlo.power %0, %y : tensor<4096xf32>
  %2 = stablehlo.log_plus_one %1 : tensor<4096xf32>
  %3 = chlo.erf %2 : tensor<4096xf32> -> tensor<4096xf32>
  %4 = stablehlo.round_nearest_afz %3 : tensor<4096xf32>
  %5 = stablehlo.rsqrt %4 : tensor<4096xf32>
  %6 = stablehlo.atan2 %5, %y : tensor<4096xf32>
  %7 = stablehlo.maximum %6, %x : tensor<4096xf32>
  return %7 : tensor<4096xf32>
}
