// RUN: shardsmith-opt %s --simplify-meshes --split-input-file --verify-diagnostics

// expected-error @below {{unsupported: parts of axis "x" that end at 2 and at 3, of which neither divides the other}}
sdy.mesh @m = <["x"=6]>
func.func public @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)2}]>},
                       %b: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"x":(1)3}]>}) {
  return
}

// -----

// Two orders, of which none makes the other plain.
// expected-error @below {{unsupported: an order of devices that no order of the axes makes; drop device_ids}}
sdy.mesh @m = <["a"=2, "b"=2], device_ids=[0, 1, 3, 2]>
sdy.mesh @n = <["a"=2, "b"=2], device_ids=[0, 3, 2, 1]>
func.func public @main(%a: tensor<6xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>},
                       %b: tensor<6xf32> {sdy.sharding = #sdy.sharding<@n, [{"a"}]>}) {
  return
}

// -----

// Groups of the collectives in a manual computation are lists of devices.
// expected-error @below {{unsupported: an order of devices that no order of the axes makes, beside a manual computation; drop device_ids}}
sdy.mesh @m = <["a"=4], device_ids=[3, 2, 1, 0]>
func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{"a"}]>] out_shardings=[<@m, [{"a"}]>] manual_axes={"a"} (%b: tensor<1xf32>) {
    sdy.return %b : tensor<1xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Attributes that no op checks may say anything.
// expected-error @below {{a part of axis "x" ends at 44, beyond its 4}}
sdy.mesh @m = <["x"=4, "y"=2]>
func.func public @main(%a: tensor<4x4xf32> {sdy.unknown = #sdy.sharding<@m, [{"x":(2)22}, {"y"}]>}) {
  return
}
