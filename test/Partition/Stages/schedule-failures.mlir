// RUN: shardsmith-opt %s --schedule-stages --split-input-file --verify-diagnostics

// expected-error@+1 {{attribute "smith.schedule": line 1, cell 1}}
module attributes {smith.schedule = "forward"} {
  sdy.mesh @mesh = <["pipeline"=1]>
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// -----

// Stage 1 waits for what no rank does before.
// expected-error@+1 {{attribute "smith.schedule": deadlock: rank 0 stands at 0B0, waiting for 1I0 on rank 1}}
module attributes {smith.schedule = "0F0,0B0\n1B0,1F0\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// -----

// expected-error@+1 {{it has lists for 2 ranks, but the mesh has 4 along its axis "pipeline"}}
module attributes {smith.schedule = "0F0,,,0B0\n,1F0,1B0,\n"} {
  sdy.mesh @mesh = <["pipeline"=4]>
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// -----

// expected-error@+1 {{@main is not in micro-batches; run split-micro-batches before}}
module attributes {smith.schedule = "0F0,,,0B0\n,1F0,1B0,\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    return %x : tensor<2xf32>
  }
}

// -----

// expected-error@+1 {{it has 1 micro-batches, but @main has 2}}
module attributes {smith.schedule = "0F0,,,0B0\n,1F0,1B0,\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%x: tensor<i32>) -> tensor<i32> {
    %i = smith.micro_batch_index of 2 : tensor<i32>
    %0 = smith.accumulate %i kind = sum : tensor<i32>
    return %0 : tensor<i32>
  }
}

// -----

// expected-error@+1 {{expected passes alone; messages follow from the program}}
module attributes {smith.schedule = "0F0,0SEND_F0,0RECV_B0,0B0\n1RECV_F0,1F0,1B0,1SEND_B0\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%x: tensor<i32>) -> tensor<i32> {
    return %x : tensor<i32>
  }
}

// -----

module attributes {smith.schedule = "0F0,,,0B0\n,1F0,1B0,\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%w: tensor<i32> {smith.role = "param"}) -> tensor<i32> {
    %i = smith.micro_batch_index of 1 : tensor<i32>
    // expected-error@+1 {{is marked for a stage that the schedule, which has 2, does not have}}
    %0 = stablehlo.add %w, %i {smith.stage = 4 : i64} : tensor<i32>
    %1 = smith.accumulate %0 kind = sum : tensor<i32>
    return %1 : tensor<i32>
  }
}

// -----

module attributes {smith.schedule = "0F0,,,0B0\n,1F0,1B0,\n"} {
  sdy.mesh @mesh = <["pipeline"=2]>
  func.func @main(%w: tensor<i32> {smith.role = "param"}) -> tensor<i32> {
    %i = smith.micro_batch_index of 1 : tensor<i32>
    // expected-error@+1 {{is the value of one micro-batch, but 'func.return' reads it as that of the step; accumulate it before}}
    %0 = stablehlo.add %w, %i : tensor<i32>
    return %0 : tensor<i32>
  }
}

// -----

// What loop 0 reads is known after loop 0 only.
module attributes {smith.schedule = "0F0,0B0\n"} {
  sdy.mesh @mesh = <["pipeline"=1]>
  func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
    %i = smith.micro_batch_index of 1 : tensor<i32>
    // expected-error@+1 {{is in a loop that reads a value which is known after it only}}
    %g = smith.loop_carry %a loop 0 of 3 number = 0 : tensor<2xf32>
    %z = smith.loop_next %g for %g loop 0 of 3 : tensor<2xf32>
    %s = stablehlo.sine %z : tensor<2xf32>
    %h = smith.loop_carry %s loop 0 of 3 number = 1 : tensor<2xf32>
    %y = smith.loop_next %h for %h loop 0 of 3 : tensor<2xf32>
    return %y : tensor<2xf32>
  }
}
