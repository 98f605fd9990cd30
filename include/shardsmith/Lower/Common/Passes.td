// SPDX-License-Identifier: Apache-2.0
// From a local program to kernels, library calls and buffers, in the order in
// which `lowerProgram` runs them. Each pass asks the processor that its option
// names for limits and preferences (Target.h).

#ifndef SHARDSMITH_LOWER_COMMON_PASSES_TD
#define SHARDSMITH_LOWER_COMMON_PASSES_TD

include "mlir/Pass/PassBase.td"

class LoweringPass<string argument, string on = "::mlir::func::FuncOp">
    : Pass<argument, on> {
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "Processor to lower for">
  ];
}

def LowerWindows : LoweringPass<"lower-windows"> {
  let summary = "Turn windowed reductions into slices that are combined";
  let description = [{
    Of `reduce_window` and `select_and_scatter` element ops are left, which
    kernels are made of: pools, cumulative sums, and the gradient of a maximum
    over windows. Long windows are combined by doubling, in a number of ops that
    grows with the logarithm of their length.

    Before:
    ```mlir
    %1 = "stablehlo.reduce_window"(%x, %lowest) <{window_dimensions = array<i64: 2>,
        window_strides = array<i64: 2>}> ({ … stablehlo.maximum … })
        : (tensor<8xf32>, tensor<f32>) -> tensor<4xf32>
    ```
    After:
    ```mlir
    %1 = stablehlo.slice %x [0:7:2] : (tensor<8xf32>) -> tensor<4xf32>
    %2 = stablehlo.slice %x [1:8:2] : (tensor<8xf32>) -> tensor<4xf32>
    %3 = stablehlo.maximum %1, %2 : tensor<4xf32>
    ```
    Assumptions: types are static; bodies are associative, as their definition
    demands. A body that does not compute element by element, and elements that
    the target does not have, are left alone.
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
}

def SimplifyLocal : LoweringPass<"simplify-local"> {
  let summary = "Rewrite ops that have a cheaper or more regular form";
  let description = [{
    * products of integers become a multiplication and a reduction;
    * products of types that the target's library does not multiply become
      products of a wider type;
    * reductions over ranks of elements that the target's library does not
      reduce are of wider ones;
    * convolutions that are products of matrices become `dot_general` where the
      target leaves them to its library;
    * convolutions with few tiles of the result and long sums are done in groups
      of features, whose partial sums are added;
    * a reduction to few elements is done in two steps, so that the first has
      enough rows for all threads;
    * on targets with many more threads than columns, a reduction of leading
      dimensions is done in pieces, then over the pieces;
    * a sum or product that begins with another value than 0 or 1 is combined
      with that value at the end;
    * `smith.all_to_all` becomes `smith.exchange_blocks` between transposes;
    * `chlo.top_k` becomes a sort and slices where the target has no form of
      its own for it;
    * lines that are longer than the target sorts at once are sorted in runs,
      which are merged (`smith.sort_runs`);
    * `smith.exchange_rows` becomes an exchange of all slots, and zeros in those
      that are not in use, where the target cannot send a number of rows that
      only data says;
    * tensors without elements become constants;
    * the sum of x and updates scattered into zeros becomes updates scattered
      into x;
    * the sum of pads that do not overlap becomes a concatenation.

    Before:
    ```mlir
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add
        across dimensions = [0, 1] : (tensor<4096x768xf32>, tensor<f32>) -> tensor<f32>
    ```
    After:
    ```mlir
    %rows = stablehlo.reduce(%x init: %zero) … dimensions = [1] … -> tensor<4096xf32>
    %sum = stablehlo.reduce(%rows init: %zero) … dimensions = [0] … -> tensor<f32>
    ```
    Assumptions: types are static; reductions are associative, as their
    definition demands.
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

def DropBarriers : Pass<"drop-barriers", "::mlir::func::FuncOp"> {
  let summary = "Replace barriers by what goes through them";
  let description = [{
    Before:
    ```mlir
    %1 = stablehlo.optimization_barrier %0
    %2 = stablehlo.tanh %1
    ```
    After:
    ```mlir
    %2 = stablehlo.tanh %0
    ```
    Assumptions: no pass behind this one joins equal ops.
  }];
}

def LowerDots : LoweringPass<"lower-dots"> {
  let summary = "Turn dot_general into matrix products on strided views";
  let description = [{
    Transposes, slices and reshapes of operands, and a transpose of the
    result, are folded into strides. What strides cannot express is left as an
    op, to become a kernel. What the target's library adds to products becomes
    part of them (`smith.add_gemm`): onto sums over micro-batches that lie
    where the result is to be, or any tensor of the result's size and a bias.

    Before:
    ```mlir
    %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %y = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0]
        : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
    ```
    After:
    ```mlir
    %y = smith.gemm %x[0, [4, 1]], %w[0, [1, 4]] batch = [] sizes = [2, 8, 4]
        strides = [8, 1] : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
    ```
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

def FormKernels : LoweringPass<"form-kernels"> {
  let summary = "Group tensor ops into fused kernels";
  let description = [{
    Every op with an element rule ends up in a `smith.kernel`. Cheap ops are
    computed anew in each kernel that needs them; others belong to one kernel,
    which stores them if anyone outside reads them. Reductions over trailing
    dimensions join their producers and consumers in a row kernel. See
    docs/lowering-cpu.md.

    Before:
    ```mlir
    %0 = stablehlo.multiply %x, %x : tensor<4x8xf32>
    %1 = stablehlo.add %0, %y : tensor<4x8xf32>
    ```
    After:
    ```mlir
    %1 = smith.kernel(%x, %y) domain = [4, 8] reduced = []
        : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
      %2 = stablehlo.multiply %a, %a : tensor<4x8xf32>
      %3 = stablehlo.add %2, %b : tensor<4x8xf32>
      smith.kernel_yield %3 : tensor<4x8xf32>
    }
    ```
    Ops may change their order, within their dependences.
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

def RecomputeInKernels : LoweringPass<"recompute-in-kernels"> {
  let summary = "Compute in a kernel what another one would store for it";
  let description = [{
    What only kernels read, and follows element by element from tensors that are
    in memory anyway, is computed again by its readers where the target computes
    faster than it reads: activations of the forward pass are not stored for the
    backward pass. Memory does not grow: what has to be kept longer is no larger
    than what is not stored.

    Before:
    ```mlir
    %0:2 = smith.kernel(%x) … { … %t = tanh %a … %y = … yield %y, %t }
    …
    %1 = smith.kernel(%0#1, %dy) … { … multiply %t, %d … }
    ```
    After:
    ```mlir
    %0 = smith.kernel(%x) … { … %t = tanh %a … %y = … yield %y }
    …
    %1 = smith.kernel(%x, %dy) … { %t = tanh %a … multiply %t, %d … }
    ```
    Assumptions: kernels have the shapes of their tensors, as `form-kernels`
    leaves them.
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

def CollapseKernels : Pass<"collapse-kernels", "::mlir::func::FuncOp"> {
  let summary = "Join dimensions that a kernel treats alike";
  let description = [{
    The kept dimensions become one, and so do the reduced ones; a pointwise
    kernel gets one long row. Fewer and longer loops, lanes that do not cross
    dimensions, and more kernels that are equal.

    Before:
    ```mlir
    %1 = smith.kernel(%x) domain = [4, 64, 768] reduced = [2] … {
    ^bb0(%a: tensor<4x64x768xf32>): …
    ```
    After:
    ```mlir
    %1 = smith.kernel(%x) domain = [256, 768] reduced = [1] … {
    ^bb0(%a: tensor<256x768xf32>): …
    ```
    Kernels with an op that takes such a tensor apart stay as they are.
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

def BucketCollectives : LoweringPass<"bucket-collectives"> {
  let summary = "Send small collectives of one kind in one message";
  let description = [{
    Collectives of one kind, axes, reduction and element type that lead to
    nothing but kernels and other collectives, as those of an optimizer's
    update, are put next to each other and marked `smith.bucket`. What reads
    their results comes behind them. A bucket holds at most the target's
    `bucketBytes`; what is larger stays alone. Gathers of arguments that other
    ops read come earlier instead, with the first of their message.

    Before:
    ```mlir
    %a = smith.reduce_scatter %x over ["data"] dim = 0 kind = sum : …
    %p = smith.kernel(%a, %w) …
    %y = smith.gemm …
    %b = smith.reduce_scatter %y over ["data"] dim = 0 kind = sum : …
    ```
    After:
    ```mlir
    %y = smith.gemm …
    %a = smith.reduce_scatter %x over ["data"] … {smith.bucket = 0} : …
    %b = smith.reduce_scatter %y over ["data"] … {smith.bucket = 0} : …
    %p = smith.kernel(%a, %w) …
    ```
    Collectives over stages of a pipeline stay alone, for each stage has a
    function of its own and all members of a group need the same buckets.
  }];
}

def OverlapCollectives : LoweringPass<"overlap-collectives"> {
  let summary = "Let large collectives go on while products run";
  let description = [{
    Messages of at least the target's `overlapBytes` are marked `smith.later`:
    a rank that has a core for them goes on at once, and waits where their
    results are read or their operands' places written. Gathers of arguments
    begin a product earlier, and updates that read reduced gradients come a
    product later. `plan-buffers` keeps operands until then.

    Before:
    ```mlir
    %y = smith.gemm %x …, %a …
    %b = smith.all_gather %w over ["data"] dim = 0 : …
    %z = smith.gemm %y …, %b …
    ```
    After:
    ```mlir
    %b = smith.all_gather %w over ["data"] dim = 0 {smith.later} : …
    %y = smith.gemm %x …, %a …
    %z = smith.gemm %y …, %b …
    ```
    Assumptions: `bucket-collectives` has put messages together.
  }];
}

def FindEpilogues : LoweringPass<"find-epilogues"> {
  let summary = "Mark kernels that the library may compute with a product";
  let description = [{
    A kernel that is nothing but the GELU of a product's result comes directly
    behind the product and is marked `smith.gelu`. Where the library has an
    algorithm for the product and its GELU together, the kernel is not launched.
    The product's result stays, for the backward pass.

    Before:
    ```mlir
    %x = smith.add_gemm … bias(%b : tensor<32xbf16>) …
    %z = smith.kernel(%w) …
    %y = smith.kernel(%x) … { … multiply … tanh … }
    ```
    After:
    ```mlir
    %x = smith.add_gemm … bias(%b : tensor<32xbf16>) …
    %y = smith.kernel(%x) … attributes {smith.gelu} { … }
    %z = smith.kernel(%w) …
    ```
    Assumptions: kernels and buckets are formed, and nothing moves any more.
  }];
}

def JoinLaunches : LoweringPass<"join-launches"> {
  let summary = "Launch equal small kernels together";
  let description = [{
    Kernels of one text that are so small that a launch takes longer than they
    do, as updates of biases and norms, come directly in front of the last of
    them and get a number in common, `smith.joint_launch`: one launch, of at
    most the target's `mostBuffersOfLaunch` arguments. None of them reads what
    another one writes, and nothing that reads their results is in front of the
    last one. Bodies are sorted by what results ask for first, so that kernels
    that compute the same have one text.

    Before:
    ```mlir
    %p = smith.kernel(%a, %x) … { … }
    %y = smith.gemm …
    %q = smith.kernel(%b, %y) … { … }
    ```
    After:
    ```mlir
    %y = smith.gemm …
    %p = smith.kernel(%a, %x) … attributes {smith.joint_launch = 0} { … }
    %q = smith.kernel(%b, %y) … attributes {smith.joint_launch = 0} { … }
    ```
    Assumptions: `find-epilogues` has marked the kernels that are parts of
    products; nothing moves behind this pass.
  }];
}

def PlanBuffers : LoweringPass<"plan-buffers", "::mlir::ModuleOp"> {
  let summary = "Give every tensor a fixed place in the arena";
  let description = [{
    Adds `smith.offset` to arguments and results of the function,
    `smith.offsets` to ops and `smith.arena_bytes` to the function (see
    shardsmith/Lower/Common/BufferPlan.h). A result that replaces an argument
    lives in the argument's place. A function that `smith.repeat` calls has its
    place in the arena of the caller.
  }];
}

def LowerProgram : Pass<"lower-program", "::mlir::ModuleOp"> {
  let summary = "Lower a local program to kernels, library calls and buffers";
  let description = [{
    The passes above in their order, with what the target cannot lower
    refused in between: what `shardsmith compile` does before it emits code.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "Processor to lower for">
  ];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect",
                           "::shardsmith::smith::SmithDialect"];
}

#endif
