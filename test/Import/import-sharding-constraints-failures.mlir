// RUN: shardsmith-opt %s --import-sharding-constraints --split-input-file --verify-diagnostics

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{sharding 'devices=[8,1]<=[8]' is not in braces}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "devices=[8,1]<=[8]"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{sharding '{devices=[8,x]<=[8]}' has no tile sizes: devices=[…]}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[8,x]<=[8]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{sharding '{devices=[8,1]<=[4]}' has another number of devices than of tiles}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[8,1]<=[4]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{sharding '{devices=[8,1]<=[4,2]T(0,0)}' transposes dimensions that the devices do not have}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[8,1]<=[4,2]T(0,0)}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{sharding '{devices=[8,1]<=[8] sideways}' ends in something unknown}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[8,1]<=[8] sideways}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{sharding '{devices=[8]<=[8]}' does not have the rank of 'tensor<8x4xf32>'}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[8]<=[8]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{unsupported sharding '{devices=[2,1]0,2}': it lists devices in another order than 0, 1, 2, …}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2,1]0,2}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{has devices that are not replicas of each other}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[4,2]<=[2,4] last_tile_dims={manual}}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{unsupported sharding '{manual}': it has no equivalent in a plan of whole tensors}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{manual}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{is a tuple of shardings}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{{replicated}, {replicated}}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{unsupported sharding '{devices=[2,3]<=[3,2]}': it splits a dimension across parts of devices}}
  %0 = stablehlo.custom_call @Sharding(%x) {mhlo.sharding = "{devices=[2,3]<=[3,2]}"} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @below {{'@Sharding' must have one operand, one result of its type and the attribute mhlo.sharding}}
  %0 = stablehlo.custom_call @Sharding(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// -----

func.func public @main(%x: tensor<8x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{unsupported: a program that is already split over devices (custom call '@SPMDFullToShardShape'); export it without shard_map}}
  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) {mhlo.sharding = "{manual}"} : (tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error @below {{sharding '{devices=[8]<=[8]}' does not have the rank of argument 0}}
func.func public @main(%x: tensor<8x4xf32> {mhlo.sharding = "{devices=[8]<=[8]}"}) {
  return
}

// -----

// expected-error @below {{sharding '{devices=[4,1]<=[4]}' is for 4 devices, others are for another number}}
func.func public @main(%x: tensor<8x4xf32> {mhlo.sharding = "{devices=[8,1]<=[8]}"}, %y: tensor<8x4xf32> {mhlo.sharding = "{devices=[4,1]<=[4]}"}) {
  return
}

// -----

// expected-error @below {{unsupported: GSPMD shardings that do not fit one mesh of devices}}
module {
  func.func public @main(%x: tensor<6xf32> {mhlo.sharding = "{devices=[2,3]<=[6] last_tile_dim_replicate}"},
                         %y: tensor<6xf32> {mhlo.sharding = "{devices=[3,2]<=[6] last_tile_dim_replicate}"}) {
    return
  }
}

// -----

// expected-error @below {{unsupported: GSPMD shardings that are no combination of the axes of '@devices'}}
module {
  sdy.mesh @devices = <["data"=2, "model"=4]>
  func.func public @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dim_replicate}"}) {
    return
  }
}

// -----

// expected-error @below {{unsupported: GSPMD shardings that are no combination of the axes of '@devices'}}
module {
  sdy.mesh @devices = <["data"=2, "model"=1]>
  func.func public @main(%x: tensor<8xf32> {mhlo.sharding = "{devices=[4,2]<=[8] last_tile_dim_replicate}"}) {
    return
  }
}
