// RUN: shardsmith-opt %s --merge-meshes --split-input-file --verify-diagnostics

sdy.mesh @m = <["x"=4]>
// expected-error @below {{unsupported: a mesh of 8 devices beside '@m' of 4; use one mesh for all shardings}}
sdy.mesh @n = <["x"=8]>
func.func public @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>},
                       %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@n, [{"x"}]>}) {
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=3]>
// expected-error @below {{unsupported: axes of this mesh and of those before it begin every 2 and every 3 devices, of which neither divides the other; use one mesh for all shardings}}
sdy.mesh @n = <["x"=3, "y"=2]>
func.func public @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>},
                       %b: tensor<6xf32> {sdy.sharding = #sdy.sharding<@n, [{"x"}]>}) {
  return
}

// -----

sdy.mesh @m = <["x"=2, "y"=2]>
sdy.mesh @n = <["all"=4]>
func.func public @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@n, [{"all"}]>] out_shardings=[<@n, [{"all"}]>] manual_axes={"all"} (%b: tensor<1xf32>) {
    // expected-error @below {{unsupported: groups of devices along axes of '@n', one of several meshes; use one mesh for all shardings}}
    %1 = "stablehlo.all_reduce"(%b) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @n, axes = [#stablehlo.axis_ref<name = "all">]>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %2 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<1xf32>) -> tensor<1xf32>
    sdy.return %1 : tensor<1xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
