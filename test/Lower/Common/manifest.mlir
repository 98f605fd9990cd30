// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | sed 's/.22/"/g' | FileCheck %s
//
// The manifest says where every argument and result lies and which part of it;
// docs/program-manifest.md has the fields. (The RUN line writes \22 as ".)

// CHECK: @smith_manifest("{"format":"shardsmith-program/1","model":{"name":"model","hash":"0123456789abcdef"}
// CHECK-SAME: "ranks":8,"mesh":[{"name":"data","size":2},{"name":"tensor","size":4}],"arena_bytes":320
// CHECK-SAME: {"name":"w","role":"param","dtype":"bf16","global_shape":[4,8],"local_shape":[4,2],"sharding":{{\[\[}}],["tensor"]],"offset":0,"init":"normal:0.02"}
// CHECK-SAME: {"name":"tokens","role":"batch","dtype":"i32","global_shape":[8,3],"local_shape":[4,3],"sharding":{{\[\[}}"data"],[]],"offset":64,"batch_dim":0,"limit":100}
// CHECK-SAME: {"name":"flag","role":"batch","dtype":"bool","global_shape":[],"local_shape":[],"sharding":[],"offset":128,"batch_dim":-1}
// CHECK-SAME: "results":[{"name":"w","role":"param","dtype":"bf16",{{[^}]*}}"offset":0,"argument":0}
// CHECK-SAME: {"name":"loss","role":"loss","dtype":"f32","global_shape":[],"local_shape":[],"sharding":[],"offset":{{[0-9]+}},"argument":-1}
// CHECK-SAME: "groups":[{"axes":["tensor","data"],"ranks":{{\[\[}}0,4,1,5,2,6,3,7]]},{"axes":["tensor"],"ranks":{{\[\[}}0,1,2,3],[4,5,6,7]]}]
// CHECK-SAME: "tokens_per_step":24
// The copy of what is no parameter here is left out.
// CHECK-SAME: "weights":{"prefix":"model.","ignored":["*.bias"],"copies":{{\[\[}}"copy.w","w"]],"older":{{\[\[}}"old","new"]],"stacked":["experts.#.w"]}
module attributes {smith.model_hash = "0123456789abcdef", smith.weights = {prefix = "model.", ignored = ["*.bias"], copies = {copy.w = "w", copy.x = "x"}, older = {old = "new"}, stacked = ["experts.#.w"]}} {
  sdy.mesh @mesh = <["data"=2, "tensor"=4]>
  func.func @main(
      %w: tensor<4x2xbf16> {smith.name = "w", smith.role = "param", smith.init = "normal:0.02", smith.global_shape = array<i64: 4, 8>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"tensor"}]>},
      %tokens: tensor<4x3xi32> {smith.name = "tokens", smith.role = "batch", smith.batch_dim = 0 : i64, smith.limit = 100 : i64, smith.global_shape = array<i64: 8, 3>, sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
      %flag: tensor<i1> {smith.name = "flag", smith.role = "batch", smith.batch_dim = -1 : i64},
      %x: tensor<f32> {smith.name = "x", smith.role = "batch"})
      -> (tensor<4x2xbf16> {smith.name = "w", smith.role = "param", smith.global_shape = array<i64: 4, 8>, sdy.sharding = #sdy.sharding<@mesh, [{}, {"tensor"}]>},
          tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %0 = smith.all_reduce %x over ["tensor", "data"] kind = sum : tensor<f32>
    %1 = smith.all_reduce %0 over ["tensor"] kind = sum : tensor<f32>
    %2 = smith.all_reduce %1 over ["tensor", "data"] kind = sum : tensor<f32>
    return %w, %2 : tensor<4x2xbf16>, tensor<f32>
  }
}

// -----

// Without a mesh there is one rank; without names arguments have numbers; and
// every element type has its name.
// CHECK: @smith_manifest("{{.*}}"ranks":1,"mesh":[],
// CHECK-SAME: {"name":"arg0","role":"batch","dtype":"f64"
// CHECK-SAME: {"name":"arg1","role":"batch","dtype":"f16"
// CHECK-SAME: {"name":"arg2","role":"batch","dtype":"i8"
// CHECK-SAME: {"name":"arg3","role":"batch","dtype":"u16"
// CHECK-SAME: {"name":"arg4","role":"batch","dtype":"u64"
// CHECK-SAME: "groups":[],"tokens_per_step":0
func.func @main(%a: tensor<f64>, %b: tensor<f16>, %c: tensor<i8>, %d: tensor<ui16>, %e: tensor<ui64>) {
  return
}
