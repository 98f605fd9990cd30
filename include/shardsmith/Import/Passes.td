// SPDX-License-Identifier: Apache-2.0
//
// From the text a framework wrote to the forward graph that
// docs/architecture.md describes. `Pipeline.h` puts the passes in order.

#ifndef SHARDSMITH_IMPORT_PASSES_TD
#define SHARDSMITH_IMPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

/// Of passes that may find what is unsupported.
def GoOn : Option<"goOn", "go-on", "bool", "false",
                  "Leave it to check-forward-graph to fail, so that other "
                  "passes find what else is unsupported">;

def ImportDerivatives : Pass<"import-derivatives", "::mlir::ModuleOp"> {
  let summary = "Keep what a file says of derivatives";
  let description = [{
    `shardsmith.jax` writes JAX's `stop_gradient`, `custom_jvp` and `custom_vjp`
    as custom calls, and says so by `smith.derivatives_marked` on the module.
    They become ops.

    Before:
    ```
    %1 = stablehlo.custom_call @smith.stop_gradient(%0) : …
    %3 = stablehlo.custom_call @smith.with_derivative(%2, %1)
           {called_computations = [@f_vjp]} : …
    ```
    After:
    ```
    %1 = smith.stop_gradient %0 : …
    %3 = smith.with_derivative @f_vjp of(%1) values(%2) : …
    ```

    In a file without `smith.derivatives_marked`, functions that are called and
    look like `jax.nn.relu` and `jax.nn.relu6` get JAX's derivative, which is
    zero at the bends: `maximum(x, 0)` becomes a select of 0 where x <= 0.
  }];
  let dependentDialects = ["::shardsmith::smith::SmithDialect",
                           "::shardsmith::stablehlo::StableHLODialect"];
}

def InlineCalls : Pass<"inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace calls by the bodies of the functions they call";
  let description = [{
    Inlines `func.call`, `stablehlo.composite` (through its decomposition) and
    `sdy.named_computation`, wherever they stand, and erases the private
    functions that are left, but for the derivatives that `@main` names. These
    are not differentiated again, so their own derivative ops go.

    Before:
    ```
    func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = call @silu(%x) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }
    func.func private @silu(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.logistic %x : tensor<8xf32>
      %1 = stablehlo.multiply %x, %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```
    After:
    ```
    func.func public @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = stablehlo.logistic %x : tensor<8xf32>
      %1 = stablehlo.multiply %x, %0 : tensor<8xf32>
      return %1 : tensor<8xf32>
    }
    ```

    Ops of functions called `smith_checkpoint…` get `smith.recompute = "full"`:
    the exporter names functions under `jax.checkpoint` so.

    With `note-calls` ops that depend on an argument of a function that `@main`
    calls get `smith.call = {callee = "silu", number = 0 : i64}`, so that what
    was a call can be planned as one unit. Constants and what follows from them
    do not: layers have the same ones, which later passes make one.

    Refused: functions that call themselves, directly or not, and functions
    without a body.
  }];
  let options = [
    Option<"noteCalls", "note-calls", "bool", /*default=*/"false",
           "Note on inlined ops which call of @main they come from">
  ];
}

def UnrollCountedLoops : Pass<"unroll-counted-loops", "::mlir::func::FuncOp"> {
  let summary = "Unroll while loops whose number of iterations is known";
  let description = [{
    A `stablehlo.while` is counted if its condition compares one loop value
    with a bound, both are integers whose start is constant, and the body adds
    a constant to the value and leaves the bound as it is. `lax.scan` and
    `lax.fori_loop` make such loops.

    Before:
    ```
    %r:2 = stablehlo.while(%i = %c0, %y = %x) : tensor<i32>, tensor<8xf32>
     cond {
      %t = stablehlo.compare LT, %i, %c2, SIGNED : …
      stablehlo.return %t : tensor<i1>
    } do {
      %z = stablehlo.sine %y : tensor<8xf32>
      %j = stablehlo.add %i, %c1 : tensor<i32>
      stablehlo.return %j, %z : tensor<i32>, tensor<8xf32>
    }
    ```
    After:
    ```
    %0 = stablehlo.sine %x : tensor<8xf32>
    %1 = stablehlo.sine %0 : tensor<8xf32>
    ```

    Inner loops are unrolled before outer ones, and again after them where the
    bounds of the inner loop depend on the outer one. A loop that is not
    counted, and is not left, is an error that says which of the conditions
    fails, as is one that would grow beyond `max-ops` ops.
  }];
  let options = [
    GoOn,
    Option<"maxOps", "max-ops", "int64_t", "2000000",
           "Refuse to unroll a loop into more ops than this">,
    Option<"keepAbove", "keep-above", "int64_t", "0",
           "Leave loops that would become more ops than this, or are not "
           "counted, for mark-loops; 0 leaves none">
  ];
}

def MarkLoops : Pass<"mark-loops", "::mlir::func::FuncOp"> {
  let summary = "Turn loops and branches into straight-line code with markers";
  let description = [{
    The body of every `stablehlo.while` of the function is put in its place once
    (docs/loops.md).

    Before, with bounds and counter as `unroll-counted-loops` wants them:
    ```
    %r:3 = stablehlo.while(%i = %c0, %h = %h0, %ys = %zeros)
      …
      %x = stablehlo.dynamic_slice %xs, %i, %c0, sizes = [1, 8]
      %n = stablehlo.add %h, %x
      %y = stablehlo.dynamic_update_slice %ys, %n, %i, %c0
      stablehlo.return %i1, %n, %y
    ```
    After:
    ```
    %h = smith.loop_carry %h0 loop 0 of 512 number = 0
    %x = smith.loop_slice %xs loop 0 of 512
    %n = stablehlo.add %h, %x
    %ys = smith.loop_stack %n loop 0 of 512
    %r = smith.loop_next %n for %h loop 0 of 512
    ```

    Values that do not change are read as they are; those that count by a
    constant are computed from `smith.loop_index`. Outside of loops ops lose
    `smith.recompute`, which is then for a plan to give.

    Where it depends on data how often the body is done, a `smith.loop_next`
    decides the loop: the condition is computed before it, and in every iteration
    for the next one. The regions of `stablehlo.if` and `stablehlo.case` become
    loops that are done once or not at all.
  }];
  let options = [GoOn];
  let dependentDialects = ["::shardsmith::smith::SmithDialect"];
}

def SimplifyGraph : Pass<"simplify-graph", "::mlir::func::FuncOp"> {
  let summary = "Fold small constants, constant indices and identities";
  let description = [{
    Five groups of rewrites, applied until nothing changes:

    * **Constants.** A result of at most 16 elements that depends on constants
      only becomes a constant. Larger results never do, so no weight-sized
      array is ever allocated; splats stay scalars with a broadcast.
    * **Indexing.** `dynamic_slice` at constant positions becomes `slice`. A
      slice of something that `dynamic_update_slice` or `concatenate` put
      together is taken from the part it lies in. Updates that together cover
      a value become one `concatenate`. This turns what `lax.scan` stacks into
      plain values.
    * **Shapes.** Reshapes, broadcasts, transposes, slices and conversions that
      change nothing disappear, chains of two become one.
    * **Empty tensors.** What has no elements becomes a constant, and leaves
      the concatenations, pads, reductions, products and updates it is a part
      of.
    * **Windows over constants.** `reduce_window` over a repeated constant is
      one, too, unless padding makes windows differ; then it is computed along
      the dimensions with windows only.

    Before:
    ```
    %0 = stablehlo.dynamic_slice %stacked, %c1, %c0, sizes = [1, 8] : …
    ```
    After:
    ```
    %0 = stablehlo.slice %stacked [1:2, 0:8] : …
    ```
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
}

def RemoveMarkers : Pass<"remove-markers", "::mlir::func::FuncOp"> {
  let summary = "Remove ops that only advise another compiler";
  let description = [{
    `optimization_barrier` and custom calls known to compute nothing (memory
    placement, layout) are replaced by their operands, shape assertions and
    checks are erased. Any other custom call is refused by name: nothing is
    known about what it computes. `@Sharding` is left to
    `import-sharding-constraints`.
  }];
  let options = [GoOn];
}

def ImportLibraryCalls : Pass<"import-library-calls", "::mlir::func::FuncOp"> {
  let summary = "Turn JAX's calls of LAPACK into ops";
  let description = [{
    On CPUs JAX lowers `cholesky` and `triangular_solve` to custom calls of
    LAPACK (`lapack_spotrf_ffi`, `lapack_strsm_ffi` and those for f64). They
    become the ops again, with their triangle, side, transpose and diagonal.
    Where a matrix has no factor, LAPACK says so in a second result, from which
    JAX makes NaN; the op gives NaN by itself, and the second result is zero.

    Calls for other factors become `smith.qr`, `smith.eigh` and `smith.lu`:

    Before:
    ```
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%a) : (tensor<6x3xf32>) -> (tensor<6x3xf32>, tensor<3xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) : … -> tensor<6x3xf32>
    ```
    After:
    ```
    %q, %r = smith.qr %a : (tensor<6x3xf32>) -> (tensor<6x3xf32>, tensor<3x3xf32>)
    %0 = stablehlo.pad %r, …                        // in place of %0#0
    ```
    An orthogonal factor with more columns than the matrix is refused.
  }];
  let options = [GoOn];
  let dependentDialects = ["::shardsmith::smith::SmithDialect",
                           "::shardsmith::stablehlo::StableHLODialect"];
}

def ExpandBatchNorm : Pass<"expand-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "Turn batch normalisation into means and products";
  let description = [{
    The ops `batch_norm_training`, `batch_norm_inference` and `batch_norm_grad`
    become what they compute, so that they are split, differentiated and fused
    like all that models write out themselves. Means are those of the whole
    batch, over all ranks.

    Before:
    ```
    %y, %mean, %variance = "stablehlo.batch_norm_training"(%x, %scale, %offset)
        <{epsilon = 1.0e-5 : f32, feature_index = 3 : i64}> : …
    ```
    After:
    ```
    %mean = divide (reduce(%x) applies add across dimensions = [0, 1, 2]), count
    %centred = subtract %x, (broadcast %mean)
    %variance = divide (reduce(multiply %centred, %centred) …), count
    %y = … (broadcast %scale) · %centred · rsqrt(%variance + 1.0e-5) + …
    ```
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
}

def ExpandDots : Pass<"expand-dots", "::mlir::func::FuncOp"> {
  let summary = "Turn dot into dot_general";
  let description = [{
    XLA's dumps have products of vectors and matrices in their older form.

    Before:
    ```
    %0 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
    After:
    ```
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
        : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    ```
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
}

def ExpandBitcasts : Pass<"expand-bitcasts", "::mlir::func::FuncOp"> {
  let summary = "Turn casts of bits between widths into shifts";
  let description = [{
    JAX keeps the key of a generator as four 32-bit words, and casts their bits
    to the two 64-bit words of `rng_bit_generator`. Such casts, in either
    direction, become shifts of integers; those between types of one width stay.

    Before:
    ```
    %0 = stablehlo.bitcast_convert %x : (tensor<3x2xui32>) -> tensor<3xui64>
    ```
    After:
    ```
    %low = convert (reshape (slice %x [0:3, 0:1])) : tensor<3xui64>
    %high = convert (reshape (slice %x [0:3, 1:2])) : tensor<3xui64>
    %0 = or %low, (shift_left %high, 32)
    ```
  }];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
}

def ExpandRandomBits : Pass<"expand-random-bits", "::mlir::func::FuncOp"> {
  let summary = "Turn random bits into arithmetic on numbers of blocks";
  let description = [{
    `rng_bit_generator` becomes the rounds of ThreeFry or Philox on an iota of
    block numbers: the bits of XLA's CPU backend, where `DEFAULT` is Philox. A
    device that has a part of the result computes the blocks of that part.

    Before:
    ```
    %next, %bits = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY
        : (tensor<2xui64>) -> (tensor<2xui64>, tensor<4x6xui32>)
    ```
    After:
    ```
    %block = add (iota over 2 x 6), (broadcast %state[1])
    %x, %y = … 20 rounds on both halves of %block, with the key %state[0]
    %bits = reshape (concatenate (reshape %x), (reshape %y), dim = 1)
    %next = concatenate %state[0], (add %state[1], 12), dim = 0
    ```
    States of other types or sizes are refused.
  }];
  let options = [GoOn];
  let dependentDialects = ["::shardsmith::stablehlo::StableHLODialect"];
}

def ExpandComplex : Pass<"expand-complex", "::mlir::func::FuncOp"> {
  let summary = "Turn complex tensors into pairs of real ones";
  let description = [{
    Every complex value becomes its real and its imaginary part, an argument or
    result called `x` becomes `x.real` and `x.imaginary`. Sums and ops that
    move elements act on both parts, products follow `(a + ib)(c + id)`, and
    `fft` becomes products with matrices of cosines and sines: one for lengths
    up to 64 and prime ones, two steps with a transpose in between for others.
    What goes around a loop goes around it as two values, and sorts compare
    pairs. Parts that are known to be zero are left out. Ops without a formula are
    refused by name.

    The derivative with respect to a complex parameter is that with respect to
    its parts: (∂loss/∂real, ∂loss/∂imaginary), the conjugate of what
    `jax.grad` returns.
  }];
  let options = [GoOn];
  let dependentDialects = ["::shardsmith::smith::SmithDialect"];
}

def ImportSdyOps : Pass<"import-sdy-ops", "::mlir::ModuleOp"> {
  let summary = "Turn changes of sharding and collectives of sdy into pins";
  let description = [{
    Collectives of `sdy` have the types of whole tensors, of which they change
    nothing but the sharding: sums over devices are part of what the value is
    already. They become constraints, as does `sdy.reshard`.

    Before:
    ```
    %0 = sdy.reshard %x <@m, [{"x"}, {} ]> : tensor<8x4xf32>
    %1 = sdy.all_gather [{"x"}, {} ] %0 out_sharding=<@m, [{}, {} ]>
        : tensor<8x4xf32>
    %2 = sdy.constant dense<1.0> : tensor<f32>
    ```
    After:
    ```
    %0 = sdy.sharding_constraint %x <@m, [{"x"}, {} ]> : tensor<8x4xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{}, {} ]> : tensor<8x4xf32>
    %2 = stablehlo.constant dense<1.0> : tensor<f32>
    ```

    Members of a sharding group get the sharding of the first that has one.
    What only guides or records Shardy's propagation goes: barriers, edges,
    rules and origins of shardings, and constraints on the single elements in
    the body of a reduction.

    Refused: collectives and constraints over a manual axis inside of a manual
    computation, where they would change values, and arguments that devices
    hold partial sums of.
  }];
  let options = [GoOn];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect",
                           "::shardsmith::stablehlo::StableHLODialect"];
}

def ImportShardingConstraints
    : Pass<"import-sharding-constraints", "::mlir::ModuleOp"> {
  let summary = "Turn GSPMD sharding annotations into sdy ones";
  let description = [{
    GSPMD device lists become shardings over one named mesh, so that every
    pin a user made is in one language. Axis names are made up (`axis0`, …)
    where the module has no mesh of the right shape.

    Before:
    ```
    %0 = stablehlo.custom_call @Sharding(%x)
           {mhlo.sharding = "{devices=[2,1]<=[2]}"} : …
    ```
    After:
    ```
    sdy.mesh @mesh = <["axis0"=2]>
    %0 = sdy.sharding_constraint %x <@mesh, [{"axis0"}, {} ]> : tensor<8x4xf32>
    ```

    `mhlo.sharding` on arguments and results of functions becomes
    `sdy.sharding`. Refused: malformed strings, and programs that are already
    partitioned by hand (`@SPMDFullToShardShape`).
  }];
  let options = [GoOn];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect"];
}

def ImportMeshes : Pass<"import-meshes", "::mlir::ModuleOp"> {
  let summary = "Name meshes and drop those of one device";
  let description = [{
    Meshes that shardings hold become meshes of the module. A mesh of one device
    says nothing about several: it goes, with all shardings over it, unless a
    manual computation is written for it.

    Before:
    ```
    sdy.mesh @one = <[], device_ids=[3]>
    func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, []>})
    %0 = sdy.sharding_constraint %x <mesh<["x"=4]>, [{"x"} ]> : tensor<8xf32>
    ```
    After:
    ```
    sdy.mesh @mesh = <["x"=4]>
    func.func @main(%x: tensor<8xf32>)
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"} ]> : tensor<8xf32>
    ```
  }];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect"];
}

def MergeMeshes : Pass<"merge-meshes", "::mlir::ModuleOp"> {
  let summary = "Make one mesh of several";
  let description = [{
    The plan has one mesh. Meshes in row-major order of the same devices become
    one whose axes are fine enough for all their shardings; every device holds
    the same shards as before. Meshes that nothing names go.

    Before:
    ```
    sdy.mesh @m = <["x"=2, "y"=2]>
    sdy.mesh @n = <["all"=4]>
    %0 = sdy.sharding_constraint %x <@n, [{"all"} ]> : tensor<8xf32>
    ```
    After:
    ```
    sdy.mesh @m = <["x"=2, "y"=2]>
    %0 = sdy.sharding_constraint %x <@m, [{"x", "y"} ]> : tensor<8xf32>
    ```

    Refused: meshes of different sizes, axes of which none is a multiple of the
    other, and groups of collectives along axes of one of several meshes.
  }];
  let options = [GoOn];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect"];
}

def SimplifyMeshes : Pass<"simplify-meshes", "::mlir::ModuleOp"> {
  let summary = "Replace parts of mesh axes and device orders by plain axes";
  let description = [{
    An axis of which some sharding names a part becomes several axes, one of one
    device splits nothing and leaves the shardings; an order
    of devices that only puts the axes in another order becomes that order of
    the axes. Every device holds the same shards as before, and everything
    that follows sees whole axes and devices in row-major order.

    Before:
    ```
    sdy.mesh @m = <["x"=4]>
    %0 = sdy.sharding_constraint %x <@m, [{"x":(1)2}, {} ]> : tensor<8x4xf32>
    ```
    After:
    ```
    sdy.mesh @m = <["x_0"=2, "x_1"=2]>
    %0 = sdy.sharding_constraint %x <@m, [{"x_0"}, {} ]> : tensor<8x4xf32>
    ```

    Where no order of the axes makes that of the devices, devices are numbered
    anew in all meshes alike, and a remark says so: on which device a shard is
    changes no value.

    Refused: parts of one axis of which neither end divides the other, and such
    orders of devices in meshes that differ or beside a manual computation.
  }];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect"];
}

def AssignRoles : Pass<"assign-roles", "::mlir::ModuleOp"> {
  let summary = "Give every argument and result of @main its role and name";
  let description = [{
    Roles come from `smith.role` or, with precedence, from the options; if no
    option names batch arguments, those without any role are batch. Names come
    from `smith.name`, the location (`loc("params['w']")`) or the position.
    See docs/import.md for the order of results where nothing names them.

    Before (`params=0 batch=1`):
    ```
    func.func public @main(%arg0: tensor<4x8xf32> loc("params['w']"),
                           %arg1: tensor<2x4xf32>) -> tensor<f32>
    ```
    After:
    ```
    func.func public @main(
        %arg0: tensor<4x8xf32> {smith.name = "params.w", smith.role = "param"},
        %arg1: tensor<2x4xf32> {smith.batch_dim = 0 : i64,
                                smith.name = "arg1", smith.role = "batch"})
        -> (tensor<f32> {smith.name = "loss", smith.role = "loss"})
    ```

    After this pass names are unique, parameters are floating point, every
    parameter or state result has the type of the argument it replaces, there
    is exactly one loss, a floating-point scalar, and all batch arguments hold
    the same number of samples.
  }];
  let dependentDialects = ["::shardsmith::smith::SmithDialect"];
  let options = [
    Option<"params", "params", "std::string", "\"\"",
           "Arguments that are parameters: 0-147,150">,
    Option<"states", "states", "std::string", "\"\"",
           "Arguments that are optimizer state">,
    Option<"batch", "batch", "std::string", "\"\"",
           "Arguments that are data of one step">,
    Option<"constants", "constants", "std::string", "\"\"",
           "Arguments that never change">,
    Option<"loss", "loss", "int64_t", "-1",
           "The result that is the loss; -1 finds it">
  ];
}

def ExpandManualComputations
    : Pass<"expand-manual-computations", "::mlir::ModuleOp"> {
  let summary = "Rewrite parts written per device for all devices at once";
  let description = [{
    The body of `sdy.manual_computation` (JAX's `shard_map`) is a program of
    one device. Its values become values of all devices, with a leading
    dimension for each manual axis over which they differ; the first ones stay
    on their axes by a sharding constraint. Collectives become reductions and
    moves of leading dimensions. What follows sees whole tensors only: the
    program can be differentiated, planned and run on one device.

    Before:
    ```
    %0 = sdy.manual_computation(%x) in_shardings=[<@m, [{"x"} ]>]
        out_shardings=[<@m, []>] manual_axes={"x"} (%a: tensor<2xf32>) {
      %1 = stablehlo.reduce(%a init: %c) … : tensor<f32>
      %2 = "stablehlo.all_reduce"(%1) … : tensor<f32>
      sdy.return %2 : tensor<f32>
    } : (tensor<8xf32>) -> tensor<f32>
    ```
    After:
    ```
    %0 = stablehlo.reshape %x : (tensor<8xf32>) -> tensor<4x2xf32>
    %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {?} ]> : tensor<4x2xf32>
    %2 = stablehlo.reduce(%1 init: %c) … : tensor<4xf32>
    %3 = stablehlo.reduce(%2 init: %c) … : tensor<f32>
    ```

    A branch that all devices take stays one. Where devices take different
    ones, all are computed and each device selects; a collective in such a
    branch is refused where devices of one of its groups may not take it.

    Functions that `smith.with_derivative` names become functions of all
    devices.

    Refused: loops, and other ops without such a form, by name.
  }];
  let options = [GoOn];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect",
                           "::shardsmith::stablehlo::StableHLODialect"];
}

def CheckForwardGraph : Pass<"check-forward-graph", "::mlir::ModuleOp"> {
  let summary = "Refuse what the rest of the compiler cannot work with";
  let description = [{
    The module must hold one function, the public `@main`, of one block, whose
    values are tensors of static shape and of boolean, integer or
    floating-point elements. Ops that speak to other devices or to the host
    are refused: Shardsmith distributes programs that are written for the
    whole batch. Fails, too, where a pass before it has reported something and
    gone on: `smith.unsupported` on a function.
  }];
}

def StampModelHash : Pass<"stamp-model-hash", "::mlir::ModuleOp"> {
  let summary = "Write the hash of the graph into smith.model_hash";
  let description = [{
    16 hex digits over the module's text without locations and without the
    attribute itself. Plans and checkpoints carry it, to tell models apart.
  }];
  let dependentDialects = ["::shardsmith::smith::SmithDialect"];
}

#endif
