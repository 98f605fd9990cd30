// SPDX-License-Identifier: Apache-2.0
//
// From the annotated program on whole tensors to the program of one device.
// In the examples `reshard %x ["x", -]` is short for a `sdy.reshard` to the
// sharding of two dimensions of which the first is split over axis "x"; alike
// for collectives.

#ifndef SHARDSMITH_PARTITION_PASSES_TD
#define SHARDSMITH_PARTITION_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertReshards : Pass<"insert-reshards", "::mlir::ModuleOp"> {
  let summary = "Make every op agree with its factor rule by resharding values";
  let description = [{
    After this pass every op sees the same axes for a factor on all operands
    and results, so that partitioning it needs no further thought.

    Before:
    ```mlir
    %0 = dot %lhs, %rhs   // lhs ["x", "y"], rhs ["y", "x"], only i split: "x"
    ```
    After:
    ```mlir
    %a = reshard %lhs ["x", -]
    %b = reshard %rhs [-, -]
    %0 = dot %a, %b       // result ["x", -]
    ```

    Which axes split which factor is what `smith.factor_axes` says. An op that
    has none gets it here, from the shardings of its results and operands, in
    this order: annotated results, then operands from the largest; each may add
    axes that contradict nothing chosen before.

    - Ops without factor rule see whole operands and have whole results.
    - A result whose `sdy.sharding` is not the one that follows from its
      factors is resharded right after the op.
    - Partial sums are combined right after the op, once per target layout.
    - Every other reshard stands right before the first use that needs it.
      Uses of the same layout share it if each is less than `share-distance`
      ops behind the one before: two nearby products share a gathered
      parameter, forward and backward pass gather it each.
    - Constants and iotas are made anew in every layout that is asked for.
    - `sdy.sharding_constraint` becomes a reshard.
    - A result of the function without sharding has that of the argument of
      the same `smith.name`, or is whole.

    Assumptions: one mesh, row-major; whole axes only; function bodies of one
    block. Only ops directly in the function are partitioned: regions of ops
    see whole values.
  }];
  let options = [
    Option<"shareDistance", "share-distance", "int64_t", "200",
           "Ops between two uses from which on they do not share a reshard">
  ];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect",
                           "::shardsmith::smith::SmithDialect"];
}

def ReshardsToCollectives
    : Pass<"reshards-to-collectives", "::mlir::ModuleOp"> {
  let summary = "Replace reshards by the collectives that carry them out";
  let description = [{
    Before:
    ```mlir
    %1 = reshard %0 [-, "x"]       // %0: ["x", -]
    ```
    After:
    ```mlir
    %1 = all_to_all ["x": 0->1] %0
    ```
    The steps and their order are those of `decomposeReshard`
    (shardsmith/Sharding/Reshard.h), which also prices them for the planner.
    Types stay global.

    Assumptions: as for `insert-reshards`; a value without sharding is whole.
  }];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect"];
}

def CanonicalizeCollectives
    : Pass<"canonicalize-collectives", "::mlir::ModuleOp"> {
  let summary = "Merge collectives that follow each other";
  let description = [{
    | pattern | becomes |
    |---|---|
    | gather, slice, reduce, scatter over no axes; permute to the same sharding | nothing |
    | all-slice of an all-gather, back to the sharding before | nothing |
    | all-reduce A, then all-slice that begins with axes of A in every dimension | reduce-scatter, all-slice for the rest, all-reduce for what is left of A |
    | all-to-all after all-to-all, disjoint dimensions | one all-to-all |
    | all-reduce A of replicated-to-unreduced A | operand |
    | all-reduce A of sharded-to-unreduced on axes A | all-gather |
    | all-reduce after all-reduce | one all-reduce |
    | reshard of reshard | the last one |

    Two collectives merge only if the first has no other use, and reductions
    only if they are of the same kind.
  }];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect"];
}

def ExchangeExactRows : Pass<"exchange-exact-rows", "::mlir::ModuleOp"> {
  let summary = "Send only the rows that have been packed for experts";
  let description = [{
    Before:
    ```mlir
    %slots, %ends = smith.place_rows %experts count = 24 : …
    %packed = smith.pack_rows %rows, %slots : … -> tensor<4x2x24x32xf32>
    %1 = smith.all_to_all %packed over ["expert"] split_dim = 0 concat_dim = 1
           : tensor<4x2x24x32xf32> -> tensor<1x8x24x32xf32>
    ```
    After:
    ```mlir
    %there = smith.all_to_all %ends over ["expert"] split_dim = 0 concat_dim = 1
               : tensor<4x2x2xi32> -> tensor<1x8x2xi32>
    %1 = smith.exchange_rows %packed sends %ends receives %there
           over ["expert"] expected = 48 : …
    ```
    The same for an all-to-all whose result `smith.unpack_rows` reads. What lies
    between may only convert elements or bring the columns of rows together. Plans expect each sample's rows
    all to have a slot.

    Assumptions: the local program before micro-batches and loops are functions
    of their own.
  }];
  let dependentDialects = ["::shardsmith::smith::SmithDialect"];
}

def GlobalToLocal : Pass<"global-to-local", "::mlir::ModuleOp"> {
  let summary = "Rewrite the program for one device";
  let description = [{
    Before:
    ```mlir
    func @main(%x: tensor<8x4xf32> {sdy.sharding = ["data", -]}) -> … {
      %0 = stablehlo.reduce(%x) over [0]     // result unreduced={"data"}
      %1 = sdy.all_reduce {"data"} %0
    ```
    After, for "data"=2:
    ```mlir
    func @main(%x: tensor<4x4xf32> {sdy.sharding = ["data", -],
                                    smith.global_shape = [8, 4]}) -> … {
      %0 = stablehlo.reduce(%x) over [0]
      %1 = smith.all_reduce %0 over ["data"] kind = sum
    ```

    Types become those of one device; shardings stay on the arguments and
    results of functions. Ops with a LocalizeInterface build their own local
    form, others are rebuilt with local types.

    Padding of sizes that do not divide has no specified content. Before an op
    combines elements along a padded dimension, they are replaced by the neutral
    element of that combination: an iota plus the shard's offset, compared with
    the global size, selects. Never by multiplication: padding may be NaN.

    Assumptions: every op is in the form that `insert-reshards` leaves, and no
    reshard is left.
  }];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect",
                           "::shardsmith::smith::SmithDialect",
                           "::shardsmith::stablehlo::StableHLODialect"];
}

def SplitMicroBatches : Pass<"split-micro-batches", "::mlir::ModuleOp"> {
  let summary = "Rewrite a train step so that it works on one micro-batch";
  let description = [{
    The micro-batches are a temporal axis of the mesh, and the batch is split
    over it. Factor rules say how every value is along that axis: split into
    micro-batches, equal in all of them, or a partial sum. Sums are put off
    through ops that are linear in them and taken by `smith.accumulate`, in
    float32.

    Before:
    ```mlir
    func @main(%w: tensor<4xf32>, %x: tensor<8x4xf32>) {   // %x: a batch
      %0 = multiply (broadcast %w), %x : tensor<8x4xf32>
      %1 = reduce %0 applies add over [0, 1] : tensor<f32>
      %2 = multiply %1, %eighth : tensor<f32>
      return %2
    ```
    After `--split-micro-batches=count=4`:
    ```mlir
    func @main(%w: tensor<4xf32>, %x: tensor<8x4xf32>) {
      %i = smith.micro_batch_index of 4
      %p = dynamic_slice (reshape %x to 2x4x4), %zero, %i, %zero
      %m = reshape %p : tensor<2x4xf32>
      %0 = multiply (broadcast %w), %m : tensor<2x4xf32>
      %1 = reduce %0 applies add over [0, 1] : tensor<f32>
      %2 = multiply %1, %eighth : tensor<f32>
      %3 = smith.accumulate %2 kind = sum : tensor<f32>
      return %3
    ```
    Micro-batch i has the samples i, i + count, i + 2·count, …, so that ranks
    with contiguous parts of the batch find theirs at home.

    A program that combines samples and uses the outcome on single samples again
    (batch normalisation in training, a loss over pairs of samples) is refused
    with the op, its location and the op that combined them.

    - Sums that no parameter goes into are taken of the whole batch, before.
    - Floats narrower than 32 bits are converted before they are accumulated.
    - A barrier of values of micro-batches and others becomes two.
    - With `shares=3,1,2` data ranks have different numbers of micro-batches of
      one size. The program is done as often as the largest says, for all ranks
      at a time; rows are looked up in the batch, and those of a rank that has
      had all of its micro-batches are left out of what combines samples.

    Assumptions: `@main` is a train step of one block; ops that belong together
    by `smith.unit` and shardings stay so.
  }];
  let options = [
    Option<"count", "count", "int64_t", "1", "micro-batches per step">,
    ListOption<"shares", "shares", "int64_t",
               "in place of count: micro-batches of each data rank">,
    Option<"foldOne", "fold-one", "bool", "false",
           "whether one micro-batch is written as several are">
  ];
  let dependentDialects = ["::shardsmith::smith::SmithDialect",
                           "::shardsmith::stablehlo::StableHLODialect"];
}

def CountMicroBatches : Pass<"count-micro-batches", "::mlir::ModuleOp"> {
  let summary = "Say which micro-batches each device can leave out";
  let description = [{
    Data ranks with different numbers of micro-batches (`smith.shares` on
    `@main`) have rows that count for nothing in the last slots. Where these
    rows lie on the ranks that they belong to, a rank need not do such a slot.

    Before, for "data"=2:
    ```mlir
    func @main(…) attributes {smith.shares = [3, 1]} {
      %1 = select %counts, %0, %zero {smith.counted_rows = 0,
                                      sdy.sharding = ["data", -]}
    ```
    After:
    ```mlir
    func @main(…) attributes {smith.counts = [3, 1],
                              smith.count_axes = ["data"], …} {
      %1 = select %counts, %0, %zero
    ```

    `outline-micro-batches` and `schedule-stages` take the numbers over if a
    slot has no exchange over these axes.
  }];
}

def OutlineMicroBatches : Pass<"outline-micro-batches", "::mlir::ModuleOp"> {
  let summary = "Move what is done once per micro-batch into a function";
  let description = [{
    Before:
    ```mlir
    func @main(%w, %x) {
      %i = smith.micro_batch_index of 4
      %m = … %x, %i …
      %1 = … %w, %m …
      %2 = smith.accumulate %1 kind = sum
      %3 = subtract %w, %2
    ```
    After:
    ```mlir
    func @main(%w, %x) {
      %sum = smith.repeat @micro_batch count = 4 with(%w, %x) carry(%zero)
      %3 = subtract %w, %sum
    func private @micro_batch(%i, %w, %x, %so_far) {
      %m = … %x, %i …
      %1 = … %w, %m …
      return (add %so_far, %1)
    ```
    What is the same in every micro-batch is computed once, before, if arguments
    alone go into it, without exchange between ranks but sums, and it is no
    larger than they are: parameters in another precision, the number of
    positions that a mask leaves. All else is computed in each: parameters that
    are gathered are not kept, and broadcasts cost nothing.
  }];
  let dependentDialects = ["::shardsmith::smith::SmithDialect",
                           "::shardsmith::stablehlo::StableHLODialect"];
}

def OutlineLoops : Pass<"outline-loops", "::mlir::ModuleOp"> {
  let summary = "Move the ops of every loop into a function";
  let description = [{
    Before:
    ```mlir
    func @main(%w, %xs, %h0) {
      %h = smith.loop_carry %h0 loop 0 of 512 number = 0
      %x = smith.loop_slice %xs loop 0 of 512
      %1 = … %w, %h, %x …
      %z = smith.loop_next %1 for %h loop 0 of 512
      %ys = smith.loop_stack %1 loop 0 of 512
    ```
    After:
    ```mlir
    func @main(%w, %xs, %h0) {
      %z, %ys = smith.repeat @main_loop_0 count = 512 with(%xs, %w)
                    carry(%h0, %zeros)
    func private @main_loop_0(%i, %xs, %w, %h, %so_far) {
      %x = reshape (dynamic_slice %xs, %i, %0)
      %1 = … %w, %h, %x …
      %ys = scatter %so_far, %i, %1
      return %1, %ys
    ```
    What does not depend on the loop is computed once, before; constants and
    broadcasts are made in every iteration. Inner loops become functions that
    those of outer loops call. Programs write the element of a stack in place.
  }];
  let dependentDialects = ["::shardsmith::smith::SmithDialect",
                           "::shardsmith::stablehlo::StableHLODialect"];
}

def ScheduleStages : Pass<"schedule-stages", "::mlir::ModuleOp"> {
  let summary = "Cut a step into stages and write the program of each rank";
  let description = [{
    A module with the attribute `smith.schedule` is cut where ops are marked for
    stages (`smith.stage`, `smith.backward`). Ranks with one coordinate along the
    mesh axis "pipeline" have one program; `@main` says which arguments and
    results there are.

    Before:
    ```mlir
    module attributes {smith.schedule = "0F0,0F1,0B0,0B1
,1F0,1B0,1F1,1B1"} {
      sdy.mesh @mesh = <["pipeline"=2]>
      func @main(%w0, %w1, %x) {
        … ops, smith.accumulate, updates …
    ```
    After:
    ```mlir
    func private @main(%w0, %w1, %x)
    func private @rank_0(%w0, %x) attributes {smith.coordinate = 0} {
      %y0 = smith.run @forward_0 micro_batch = 0 with(%w0, %x) carry()
      smith.send %y0 to 1 along "pipeline"
      …
      %dy0 = smith.receive from 1 along "pipeline"
      %sum1 = smith.run @weights_0 micro_batch = 0 with(%y0, %dy0) carry(%sum0)
      …
    func private @forward_0(%i, %w0, %x)
    ```
    A fragment is compiled once, whatever the number of micro-batches. The
    lifetimes that the schedule implies are those of values in the ranks'
    programs. A tensor goes once to every rank that reads it. Arguments are on
    the ranks that read them; of one that several hold, such as tied parameters,
    the new value is sent to the others.

    Assumptions: `@main` is a local program in the folded form; ranks that differ
    along "pipeline" alone have equal layouts.
  }];
  let dependentDialects = ["::shardsmith::smith::SmithDialect",
                           "::shardsmith::stablehlo::StableHLODialect"];
}

#endif
