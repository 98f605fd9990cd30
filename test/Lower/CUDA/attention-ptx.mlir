// RUN: shardsmith-opt %s --lower-program=target=cuda --emit-cuda-kernels --emit-ptx="chip=sm_80 path=%t.ptx" -o /dev/null
// RUN: FileCheck %s < %t.ptx
//
// Matrix instructions, and shared memory that begins where accesses of 16 bytes
// may.
//
// CHECK: .entry attention_0(
// CHECK: .shared .align 16 .b8
// CHECK: st.shared.v4.b32
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: call
func.func @main(%q: tensor<2x1x64x32xbf16>, %k: tensor<2x64x32xbf16>, %v: tensor<2x64x32xbf16>) -> (tensor<2x1x64x32xbf16>, tensor<2x1x64xf32>) {
  %o, %l = smith.attention %q, %k, %v causal scale = 1.0 : (tensor<2x1x64x32xbf16>, tensor<2x64x32xbf16>, tensor<2x64x32xbf16>) -> (tensor<2x1x64x32xbf16>, tensor<2x1x64xf32>)
  return %o, %l : tensor<2x1x64x32xbf16>, tensor<2x1x64xf32>
}
