// RUN: shardsmith-opt --plan="cluster=cpu:4 fix=data=4" --split-input-file --verify-diagnostics %s

// expected-error@below {{batch argument "x" has 6 samples (dimension 0), which data=4 does not divide; use a batch of 8 samples, or split the batch 3 ways}}
module {
  func.func @main(
      %w: tensor<8xf32> {smith.role = "param", smith.name = "w"},
      %x: tensor<6x8xf32> {smith.role = "batch", smith.name = "x"})
      -> (tensor<8xf32> {smith.role = "param", smith.name = "w"}) {
    return %w : tensor<8xf32>
  }
}

// -----

// expected-error@below {{the file's shardings use the mesh a=4, which is not the one asked for: data=4}}
module {
  sdy.mesh @mesh = <["a"=4]>
  func.func @main(
      %w: tensor<8xf32> {smith.role = "param", smith.name = "w",
          sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
      -> (tensor<8xf32> {smith.role = "param", smith.name = "w"}) {
    return %w : tensor<8xf32>
  }
}

// -----

// expected-error@below {{the shardings of the file contradict each other}}
module {
  sdy.mesh @mesh = <["a"=4]>
  // expected-error@below {{argument "w" is pinned to [{"a"}, {}] but its new value, result 0, to [{}, {"a"}]; give both the same sharding}}
  func.func @main(
      %w: tensor<8x8xf32> {smith.role = "param", smith.name = "w",
          sdy.sharding = #sdy.sharding<@mesh, [{"a"}, {}]>})
      -> (tensor<8x8xf32> {smith.role = "param", smith.name = "w",
          sdy.sharding = #sdy.sharding<@mesh, [{}, {"a"}]>}) {
    return %w : tensor<8x8xf32>
  }
}

// -----

// expected-error@below {{the mesh of the file's shardings (a=2,b=3) is for 6 devices, but the cluster has 4; change an axis or the cluster}}
module {
  sdy.mesh @mesh = <["a"=2, "b"=3]>
  func.func @main(
      %w: tensor<12xf32> {smith.role = "param", smith.name = "w",
          sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>})
      -> (tensor<12xf32> {smith.role = "param", smith.name = "w"}) {
    return %w : tensor<12xf32>
  }
}

// -----

// expected-error@below {{argument "w" cannot have the sharding it is given}}
module {
  sdy.mesh @mesh = <["data"=4]>
  func.func @main(
      %w: tensor<3xf32> {smith.role = "param", smith.name = "w",
          sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>})
      -> (tensor<3xf32> {smith.role = "param", smith.name = "w"}) {
    return %w : tensor<3xf32>
  }
}

// -----

// expected-error@below {{the train step is malformed}}
module {
  // expected-error@below {{result 0 is the new value of "v", but no argument has that name}}
  func.func @main(
      %w: tensor<3xf32> {smith.role = "param", smith.name = "w"})
      -> (tensor<3xf32> {smith.role = "param", smith.name = "v"}) {
    return %w : tensor<3xf32>
  }
}

// -----

// expected-error@below {{the module has no @main}}
module {
}
