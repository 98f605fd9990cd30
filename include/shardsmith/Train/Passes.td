// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_TRAIN_PASSES_TD
#define SHARDSMITH_TRAIN_PASSES_TD

include "mlir/Pass/PassBase.td"

def Differentiate : Pass<"differentiate", "::mlir::ModuleOp"> {
  let summary = "Return the gradients of the loss with the loss";
  let description = [{
    Reverse-mode differentiation of `@main` with respect to its parameters.
    Ops say through DifferentiableInterface how their cotangents are computed;
    only what connects a parameter to the loss is visited.

    Before:
    ```mlir
    func.func public @main(%w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
                           %x: tensor<8xf32> {smith.name = "x", smith.role = "batch"})
        -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
      %0 = stablehlo.multiply %w, %x : tensor<8xf32>
      %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : …
      return %1 : tensor<f32>
    }
    ```

    After:
    ```mlir
    func.func public @main(%w …, %x …)
        -> (tensor<8xf32> {smith.name = "gradient.w", smith.role = "output"},
            tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
      …
      return %x, %1 : tensor<8xf32>, tensor<f32>
    }
    ```

    `smith.stop_gradient` and `smith.with_derivative` are obeyed, and gone
    afterwards.

    Assumptions: `@main` is a forward graph as the import leaves it, one block
    without calls; results other than the loss are dropped.
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
}

def BuildTrainStep : Pass<"train", "::mlir::ModuleOp"> {
  let summary = "Turn a forward graph into a train step";
  let description = [{
    Differentiates `@main`, clips the gradients if asked to, and appends the
    optimizer's update. The optimizer's state becomes arguments and results.
    Updates equal those of optax for the optimizer of the same name.

    Before:
    ```mlir
    func.func public @main(%w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
                           %x: tensor<8xf32> {smith.name = "x", smith.role = "batch"})
        -> (tensor<f32> {smith.name = "loss", smith.role = "loss"})
    ```

    After `--train=optimizer=sgd learning-rate=0.1 momentum=0.9`:
    ```mlir
    func.func public @main(%w: tensor<8xf32> {smith.name = "w", smith.role = "param"},
                           %t: tensor<8xf32> {smith.init = "zeros", smith.name = "sgd.trace.w", smith.role = "state"},
                           %x: tensor<8xf32> {smith.name = "x", smith.role = "batch"})
        -> (tensor<8xf32> {smith.name = "w", smith.role = "param"},
            tensor<8xf32> {smith.name = "sgd.trace.w", smith.role = "state"},
            tensor<f32> {smith.name = "loss", smith.role = "loss"})
    ```

    Parameters narrower than 32 bits become f32 arguments that are rounded where
    they are used, so that small updates are not lost. A module that already is
    a train step, one with a `param` result, passes through unchanged.

    Assumptions: those of `differentiate`, but all results stay: the forward
    pass's own states among the states, its outputs behind the loss.
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"adamw\"",
           "sgd, adam or adamw">,
    Option<"learningRate", "learning-rate", "double", "1e-3",
           "factor of every update">,
    Option<"momentum", "momentum", "double", "0.0",
           "decay of sgd's trace; 0 keeps none">,
    Option<"nesterov", "nesterov", "bool", "false",
           "whether sgd looks ahead along its trace">,
    Option<"firstDecay", "b1", "double", "0.9",
           "decay of adam's mean of gradients">,
    Option<"secondDecay", "b2", "double", "0.999",
           "decay of adam's mean of squared gradients">,
    Option<"epsilon", "eps", "double", "1e-8",
           "added to adam's denominator">,
    Option<"weightDecay", "weight-decay", "double", "1e-4",
           "adamw's pull of parameters towards zero">,
    Option<"clipNorm", "clip-norm", "double", "0.0",
           "largest global norm of the gradients; 0 does not clip">,
    Option<"computeType", "compute-dtype", "std::string", "\"f32\"",
           "bf16: contractions of f32 values round their operands to it; f8: "
           "products of layers round theirs to floats of eight bits">
  ];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
}

def UnsortExpertRows : Pass<"unsort-expert-rows", "::mlir::ModuleOp"> {
  let summary = "Compute mixtures of experts in the order of their tokens";
  let description = [{
    Mixtures sort the rows of tokens by expert, multiply consecutive rows by
    the matrix of their expert, and add the rows to the tokens they came from.
    A sort over all tokens keeps anyone from splitting the batch. This pass
    computes the same rows in the order of their tokens: every row names its
    expert, and lookups at sorted positions become repetitions.

    Before:
    ```mlir
    %values, %indices = chlo.top_k(%scores, k = 2) : …
    %experts = reshape %indices : tensor<128xi32>
    %order:2 = "stablehlo.sort"(%experts, %iota) …
    %rows = "stablehlo.gather"(%tokens, %order#1 / 2) : tensor<128x32xf32>
    %made = "chlo.ragged_dot"(%rows, %w, %sizes) : tensor<128x48xf32>
    …
    %y = "stablehlo.scatter"(%zeros, %order#1 / 2, %made) … : tensor<64x32xf32>
    ```
    After:
    ```mlir
    %rows = reshape (broadcast_in_dim %tokens) : tensor<128x32xf32>
    %made = smith.grouped_dot %rows, %experts, %w : …
    …
    %y = reduce(reshape %made) applies add across dimensions = [1]
    ```
    With `ranks=2` values from the first product to the sum over a token's
    experts have a leading dimension of one part per rank. Rows of experts that
    a rank does not have are zero in its part:
    ```mlir
    %parts = broadcast_in_dim %rows : tensor<2x128x32xf32>
    %own = subtract (broadcast_in_dim %experts), (iota * 2) : tensor<2x128xi32>
    %made = smith.grouped_dot %parts, %own, (reshape %w : tensor<2x2x32x48xf32>)
    %y = reduce(reshape %made) applies add across dimensions = [0, 2]
    ```
    Where a rank has fewer experts than a token chooses, a part has a slot for
    each token and each of these experts instead of a row for each choice.

    With `exchange=rows`, or where it sends less than all tokens (more ranks
    than a token has experts), the rows of each sample are packed by the rank of
    their expert instead, and only these are sent there and back
    (`exchange-exact-rows`):
    ```mlir
    %slots, %ends = smith.place_rows %experts count = 32 : …
    %parts = smith.pack_rows %rows, %slots : … -> tensor<4x8x32x32xf32>
    %own = … sum over experts of (iota ≥ %ends) : tensor<4x8x32xi32>
    %made = smith.grouped_dot %parts, %own, (reshape %w : tensor<4x1x32x48xf32>)
    %back = smith.unpack_rows %made, %slots : …
    ```
    With `capacity=F` an expert takes the first ceil(F · rows of a sample /
    experts) rows of each sample; others name no expert, and are zero where they
    are added up.

    Products whose rows are not followed (their experts are not from a
    `chlo.top_k`, or an op looks at the order) stay sorted, and get the group of
    each row from the sizes of the groups. With several ranks that is an error.

    Assumptions: `@main` is a forward graph as the import leaves it.
  }];
  let options = [
    Option<"ranks", "ranks", "int64_t", "1",
           "over how many ranks experts are spread">,
    ListOption<"axes", "axes", "std::string",
               "axes of the mesh over which they are">,
    ListOption<"tokenAxes", "token-axes", "std::string",
               "axes of the mesh over which samples are split">,
    Option<"exchange", "exchange", "::shardsmith::ExpertExchange",
           "::shardsmith::ExpertExchange::Cheaper",
           "what ranks exchange: the cheaper, fixed sizes, or exactly the rows",
           [{::llvm::cl::values(
             clEnumValN(::shardsmith::ExpertExchange::Cheaper, "cheaper",
                        "whichever sends less"),
             clEnumValN(::shardsmith::ExpertExchange::Fixed, "fixed",
                        "all tokens"),
             clEnumValN(::shardsmith::ExpertExchange::Rows, "rows",
                        "exactly the rows"))}]>,
    Option<"capacity", "capacity", "double", "0.0",
           "factor of an expert's rows of a sample; 0: all">,
    Option<"samples", "samples", "int64_t", "0",
           "samples of the batch; 0: as the batch arguments say">
  ];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

def RecognizeAttention : Pass<"recognize-attention", "::mlir::ModuleOp"> {
  let summary = "Make one op of every attention";
  let description = [{
    Two products with a softmax in between become a `smith.attention`, of which
    a target computes block by block what it needs, instead of all scores.
    Before the softmax may stand: scales, masks (selections that write −1e30 or
    less; causal ones −1e9), biases, transposes, conversions. A mask that shows each query exactly
    the keys up to its own position becomes `causal`; other masks and biases are
    added up in the op's bias, with what they repeat left out.

    Before:
    ```mlir
    %s = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : …
    %z = select (iota ≥ iota), (divide %s, 8), −inf
    %p = softmax %z
    %y = stablehlo.dot_general %p, %v, … -> tensor<4x12x1024x64xf32>
    ```
    After:
    ```mlir
    %o, %lse = smith.attention (transpose %q), (transpose %k), (transpose %v)
        causal scale = 1.250000e-01 : …
    %y = reshape %o : tensor<4x12x1024x64xf32>
    ```

    Left as it was is what another op looks into (dropout, returned scores),
    what has an op that is none of the above, a bias that follows from a
    parameter, and what a plan splits along queries alone, groups, keys or
    features. So is attention with fewer scores per head than `least-scores`,
    for which all scores at once are faster. Where keys and values are kept in
    the same parts as the queries, the op is a `ring`, with any number of scores.

    Marks of the plan go along: the split of samples and heads, the unit, the
    stage, recomputation (`selective` becomes `none`: nothing inside is kept).

    Assumptions: `@main` is a forward graph as the import leaves it.
  }];
  let options = [
    Option<"leastScores", "least-scores", "int64_t", "leastAttentionScores",
           "queries times keys from which on attention is one op">
  ];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

def DealPositions : Pass<"deal-positions", "::mlir::ModuleOp"> {
  let summary = "Give every rank of a causal ring as much work";
  let description = [{
    Positions of causal rings (docs/attention.md) get an order in which each
    rank has some from the begin of the sequence and as many from its end. Where
    values are made by their numbers, in arguments, tables and iotas, elements
    are taken in that order; activations are made in it and stay in it. Ops that
    count positions are told of it (`PositionOrderInterface`).

    Before, over two ranks:
    ```mlir
    %x = "stablehlo.gather"(%table, %tokens) : …
    %i = stablehlo.iota dim = 0 : tensor<16xi32>
    %o, %lse = smith.attention %q, %k, %v causal ring scale = … : …
    ```
    After:
    ```mlir
    %p = select (…), (…) : tensor<16xi32>   // 0 … 3, 12 … 15, 4 … 7, 8 … 11
    %t = "stablehlo.gather"(%tokens, %p) : …
    %x = "stablehlo.gather"(%table, %t) : …
    %i = %p
    %o, %lse = smith.attention %q, %k, %v causal ring zigzag = 2 scale = … : …
    ```
    All is left as it was, with a remark, if an op may depend on the order of
    activations (a convolution over positions, a cumulative sum, a sort, a result
    per position), or twice the ranks do not divide the positions.

    Assumptions: attention is marked by `recognize-attention` with a plan's axes;
    rows of experts are in the order of tokens (`unsort-expert-rows`); nothing is
    differentiated yet.
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

def SplitStackedParameters
    : Pass<"split-stacked-parameters", "::mlir::ModuleOp"> {
  let summary = "Give every stage the rows of a parameter that it reads";
  let description = [{
    Layers whose parameters are stacked read slices of them. Where ops with
    different `smith.stage` read different rows, the parameter becomes several,
    so that the gradient, the optimizer's state and the new value of each are
    where its layers are. Conversions and slices between the parameter and its
    readers become those of the parts.

    Before:
    ```mlir
    func.func public @main(%w: tensor<5x8xf32> {smith.name = "w", smith.role = "param"}, …
      %0 = slice %w [0:2, 0:8]
      … reads %0 {smith.stage = 0}
      %1 = slice %w [2:5, 0:8]
      … reads %1 {smith.stage = 1}
    ```
    After:
    ```mlir
    func.func public @main(
        %a: tensor<2x8xf32> {smith.name = "w[0:2]", smith.role = "param", smith.rows = array<i64: 0, 2, 5>},
        %b: tensor<3x8xf32> {smith.name = "w[2:5]", smith.role = "param", smith.rows = array<i64: 2, 5, 5>}, …
      … reads %a {smith.stage = 0}
      … reads %b {smith.stage = 1}
    ```
    Left whole is a parameter that something else reads, of which two stages
    read one row, or whose rows are split over ranks.

    Assumptions: `@main` is a forward graph as the import leaves it, with the
    stages of a plan.
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

def Recompute : Pass<"recompute", "::mlir::ModuleOp"> {
  let summary = "Compute values again where the backward pass needs them";
  let description = [{
    Ops of the forward pass whose `smith.recompute` is not `none` are cloned to
    the place where the backward pass of their `smith.unit` begins, and the
    backward pass reads the clones. So the values need not be kept from the
    forward pass to the backward pass. What a unit keeps (its inputs, and the
    results that other units or ops that do not run again read) goes through
    `optimization_barrier`, so that common subexpressions are not joined.

    Before:
    ```mlir
    %a = tanh %x {smith.unit = 0, smith.recompute = "full"}
    %y = multiply %a, %x {smith.unit = 0, smith.recompute = "full"}
    …
    %da = multiply %a, %dy
    ```
    After:
    ```mlir
    %a = tanh %x {…}
    %y = multiply %a, %x {…}
    …
    %x1 = optimization_barrier %x
    %a1 = tanh %x1
    %da = multiply %a1, %dy
    ```

    Assumptions: `@main` is a train step of one block whose forward pass stands
    before all derivatives, as `build-train-step` makes it; ops that belong to
    no unit and read such results, views among them, run again with them.
    Arguments are read as they are.
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
}

#endif
