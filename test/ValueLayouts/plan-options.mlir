// RUN: not shardsmith-opt --plan="cluster=cpu:4 fix=data=3" %s 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not shardsmith-opt --plan="cluster=cpu:4 fix=dp=4" %s 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not shardsmith-opt --plan="cluster=cpu:4 fix=data=2,zero_shard=2" %s 2>&1 | FileCheck %s --check-prefix=INTERNAL
// RUN: not shardsmith-opt --plan="cluster=cpu:4 fix=data=2,data=2" %s 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not shardsmith-opt --plan="cluster=cpu:4 fix=data=x" %s 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not shardsmith-opt --plan="cluster=8xh1000" %s 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not shardsmith-opt --plan="cluster=1xt4" %s 2>&1 | FileCheck %s --check-prefix=MEMORY
// RUN: not shardsmith-opt --plan="cluster=cpu:4 file=%S/no/such/\0/plan.json" %s 2>&1 | FileCheck %s --check-prefix=WRITE

// COUNT: the mesh that is asked for (data=3) is for 3 devices, but the cluster has 4; change an axis or the cluster
// NAME: "dp=4": "dp" is no axis; expected axes such as data=2,tensor=2 with the names data, fsdp and tensor
// INTERNAL: "data=2,zero_shard=2": "zero_shard" is no axis
// TWICE: axis "data" occurs twice
// SIZE: "x" is no size for axis "data"
// CLUSTER: unknown device "h1000" in "8xh1000", did you mean "8xh100"?
// MEMORY: no plan fits: a device needs at least 22.35 GiB but offers 13.82 GiB, 8.53 GiB short; use about 2 devices
// WRITE: error:

// 6,000,000,000 parameters; nothing allocates them.
func.func @main(
    %w: tensor<100000x60000xf32> {smith.role = "param", smith.name = "w"})
    -> (tensor<100000x60000xf32> {smith.role = "param", smith.name = "w"}) {
  return %w : tensor<100000x60000xf32>
}
