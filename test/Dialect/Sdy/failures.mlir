// RUN: shardsmith-opt %s -split-input-file -verify-diagnostics

// expected-error@+1 {{mesh has two axes named "x"}}
sdy.mesh @mesh = <["x"=2, "x"=4]>

// -----

// expected-error@+1 {{size of mesh axis "x" must be positive, got 0}}
sdy.mesh @mesh = <["x"=0]>

// -----

// expected-error@+1 {{the product of the mesh axis sizes overflows}}
sdy.mesh @mesh = <["x"=4294967296, "y"=4294967296]>

// -----

// expected-error@+1 {{mesh has 4 devices but 3 device ids}}
sdy.mesh @mesh = <["x"=4], device_ids=[0, 2, 1]>

// -----

// expected-error@+1 {{device ids must be a permutation of 0 to 1, got 1 twice or out of range}}
sdy.mesh @mesh = <["x"=2], device_ids=[1, 1]>

// -----

// expected-error@+1 {{refers to mesh @mesh, which does not exist}}
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{argument 0: sharding has 2 dimensions but the type 'tensor<8xf32>' has 1}}
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{argument 0: sharding uses axis "y", which the mesh does not have}}
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) {
  return
}

// -----

// expected-error@+2 {{axis "x" occurs twice in one sharding}}
sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"x"}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=6]>
// expected-error@+1 {{sharding uses (1)4 of axis "x", which is not a proper part of its size 6}}
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)4}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=8]>
// expected-error@+1 {{has neighbouring parts of one axis that must be written as one}}
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, "x":(2)2}]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>
// expected-error@+1 {{must list unreduced axes in the order of the mesh}}
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}], unreduced={"y", "x"}>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{a closed dimension without axes cannot have a priority}}
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}p1]>}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{argument 0 has 'sdy.sharding' of another kind than #sdy.sharding<…>}}
func.func @f(%0: tensor<8xf32> {sdy.sharding = "x"}) {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@+1 {{has 1 results but 2 shardings}}
  %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>, <@mesh, [{}]>]>} : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // expected-error@+1 {{dimension 0: out axes followed by the removed axes must be the operand's axes}}
  %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@+1 {{has 2 lists of axes for 1 dimensions}}
  %1 = sdy.all_slice [{"x"}, {}] %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@+1 {{dimension 0: the operand's axes followed by the added axes must be the out axes}}
  %1 = sdy.all_slice [{"x"}] %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
  // expected-error@+1 {{dimension 1: the operand's axes followed by the moved axes must be the out axes}}
  %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=4]>
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // expected-error@+1 {{dimension 0 must have as many shards before as after}}
  %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"y"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  // expected-error@+1 {{reduces over an axis that splits dimension 0}}
  %1 = sdy.all_reduce {"x"} %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@+1 {{result must be unreduced over axis "x"}}
  %1 = sdy.replicated_to_unreduced {"x"} %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@+1 {{expects type 'tensor<4xf32>' for block arguments 0 but has 'tensor<8xf32>'}}
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<8xf32>) {
    sdy.return %arg1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

// expected-error@+1 {{factor k has no size}}
func.func @f() attributes {a = #sdy.op_sharding_rule<([i, k])->([i]) {i=8}>} {
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@+1 {{'sdy.data_flow_edge' op result 0: sharding uses axis "y", which the mesh does not have}}
  %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"y"}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@+1 {{has 0 results but 1 shardings}}
  stablehlo.custom_call @log(%0) {has_side_effect = true, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}]>]>} : (tensor<8xf32>) -> ()
  return
}

// -----

sdy.mesh @mesh = <["x"=2]>
// expected-error@+1 {{invalid kind of attribute specified}}
func.func @f(%0: tensor<8xf32> {a = #sdy.sharding_per_value<[#sdy.mesh<["x"=2]>]>}) {
  return
}

// -----

// expected-error@+1 {{unknown attribute '#sdy.shard'}}
func.func @f(%0: tensor<8xf32> {a = #sdy.shard<["x"=2]>}) {
  return
}

// -----

// Inside of a manual computation the operand has what is left of its sharding.
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @f(%0: tensor<8xf32>) -> tensor<8xf32> {
  %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%a: tensor<4xf32>) {
    // expected-error@+1 {{dimension 0: out axes followed by the removed axes must be the operand's axes}}
    %2 = sdy.all_gather [{"x", "y"}] %a out_sharding=<@mesh, [{}]> : tensor<4xf32>
    sdy.return %2 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2]>
sdy.mesh @reversed = <["x"=2], device_ids=[1, 0]>
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@reversed, [{"x"}]>}) {
  // expected-error@+1 {{has an operand on another mesh}}
  %1 = sdy.all_gather [{"x"}] %0 out_sharding=<@mesh, [{}]> : tensor<8xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
sdy.mesh @other = <["x"=2, "y"=2]>
func.func @f(%0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"x"}]>}) {
  // expected-error@+1 {{has an operand on another mesh}}
  %1 = sdy.collective_permute %0 out_sharding=<@mesh, [{"x"}]> : tensor<8xf32>
  return
}
