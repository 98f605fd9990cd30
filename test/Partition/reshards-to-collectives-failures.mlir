// RUN: shardsmith-opt %s --reshards-to-collectives -split-input-file -verify-diagnostics

sdy.mesh @mesh = <["x"=2]>
func.func @f(%0: tensor<?xf32>) {
  // expected-error@below {{changes the sharding of 'tensor<?xf32>', which has no static shape}}
  %1 = sdy.reshard %0 <@mesh, [{"x"}]> : tensor<?xf32>
  return
}

// -----

sdy.mesh @mesh = <["x"=4]>
func.func @f(%0: tensor<8xf32>) {
  // expected-error@below {{uses a part of mesh axis "x"}}
  %1 = sdy.reshard %0 <@mesh, [{"x":(1)2}]> : tensor<8xf32>
  return
}
