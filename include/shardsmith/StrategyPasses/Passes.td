// SPDX-License-Identifier: Apache-2.0
//
// The strategy search and the annotation on a module, which the command line
// tool runs through the Driver. The plan lies between them as an attribute:
//
//     loss graph ──search-strategy──▶ loss graph with smith.plan
//                ──annotate-strategy──▶ loss graph with shardings
//
// `print-search` shows how the search comes to its plan.

#ifndef SHARDSMITH_STRATEGYPASSES_PASSES_TD
#define SHARDSMITH_STRATEGYPASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

defvar searchOptions = [
  Option<"cluster", "cluster", "std::string", "\"cpu:1\"",
         "a built-in cluster such as cpu:4 or 8xh100, or a file">,
  Option<"profile", "profile", "std::string", "\"\"",
         "a built-in profile of the software or a file; default: the one that fits the cluster">,
  Option<"fix", "fix", "std::string", "\"\"",
         "what the plan must have, such as tp=2,zero=3,schedule=1f1b">,
  Option<"forbid", "forbid", "std::string", "\"\"",
         "what the plan must not have, such as pp,recompute=full">,
  Option<"margin", "margin", "double", "0.10",
         "share of each device's memory that stays free">,
  Option<"timeLimit", "time-limit", "double", "60",
         "seconds until the best plan so far is taken; 0: until the search is done">
];

def SearchStrategy : Pass<"search-strategy", "::mlir::ModuleOp"> {
  let summary = "Find the fastest strategy and attach it to the module";
  let description = [{
    Reads the workload off the loss graph (docs/workload.md), searches over all
    kinds of parallelism at once (docs/planner.md), and writes the plan into
    the module's attribute `smith.plan`. Changes nothing else.

    Before:
    ```mlir
    module @model {
      func.func @main(%w: tensor<64x64xf32> {smith.role = "param", …}, …)
          -> (tensor<f32> {smith.role = "loss"})
    ```
    After `search-strategy{cluster=cpu:2 fix=tp=2}`:
    ```mlir
    module @model attributes {smith.plan = {
        cluster = "cpu:2", profile = "cpu", proof = "exact",
        bound_ns = 72019 : i64, step_ns = 72019 : i64,
        strategy = {degrees = {tensor = 2 : i64, …}, layouts = […], …}}} {
    ```

    `strategy` is the object of the same name in a plan.json, with the blocks
    of its `layouts` as a member of that name (docs/plan-file.md); an op that
    every rank does has no `split`. `step_ns` is the predicted time of a step, `bound_ns` a time that
    no plan is faster than, and `proof` is `exact` if the search has shown that
    no plan is faster than this one.

    Assumptions: the module is a loss graph as `import` leaves it, or one whose
    `@main` calls a private function per layer, and has no mesh: the search
    decides all layouts. The answer depends on the graph and the options alone,
    unless the time runs out.
  }];
  let options = searchOptions;
  let dependentDialects = ["::shardsmith::smith::SmithDialect"];
}

def PrintSearch : Pass<"print-search", "::mlir::ModuleOp"> {
  let summary = "Print what each part of the strategy search finds";
  let description = [{
    Reads the workload off the loss graph, as `search-strategy` does, and prints
    what the parts of the search find, in the order in which they work. The
    module stays as it is.

    | view | shows | folder |
    |---|---|---|
    | `chain` | units, segments and blocks | `Plan/Chains` |
    | `space` | configurations, their choices, and why others are refused | `Plan/Space` |
    | `blocks` | layouts of each block per setting, with time and memory | `Plan/Blocks` |
    | `bounds` | bounds of configurations and variants; the best step | `Plan/Bounds`, `Plan/Configurations` |
    | `stages` | the best stages, and what every cut costs | `Plan/Stages` |
    | `ranking` | the plans, and what was excluded | `Plan/Search`, `Plan/MixedDevices` |
    | `fixed` | the plan that follows from given degrees alone | `Plan/Fixed` |

    `print-search{cluster=… fix=tp=1,dp=1,pp=2,mbs=4,schedule=1f1b show=stages}`
    on the five units of test/Plan/Stages/every-cut.mlir:
    ```
    stages: 5 units
    tensor=1 data=1 pipeline=2 micro-batch=4 1f1b zero 0 order tensor-context-data-pipeline
      best: step 574469, played 574469
        stage 0 on rank 0: units [0, 2), recompute 2 none
        stage 1 on rank 1: units [2, 5), recompute 3 none
      cut at 1: step 771077, ranks take 67584, 294914 per micro-batch, idle 362498, tail 0
      cut at 2: step 574469, ranks take 165888, 196610 per micro-batch, idle 362498, tail 0
      …
    ```
    docs/planner.md, section 9, says what each line means. Times are
    nanoseconds, sizes bytes. Lists of more than 256 entries end with the number
    of what is left out; `fix` and `forbid` make them shorter.

    Assumptions: those of `search-strategy`. Every configuration and setting is
    looked at, with no bound from an incumbent, so that models and clusters
    should be small.
  }];
  let options = !listconcat(searchOptions, [
    ListOption<"show", "show", "std::string",
               "views, separated by commas; default: all of them">,
    Option<"objective", "objective", "std::string", "\"time\"",
           "what the ranking minimises: time, dollars, or the front of both">,
    Option<"plans", "plans", "int64_t", "5", "how many plans are ranked">
  ]);
}

def AnnotateStrategy : Pass<"annotate-strategy", "::mlir::ModuleOp"> {
  let summary = "Write the plan of the module into its loss graph";
  let description = [{
    The strategy in `smith.plan` becomes a mesh, shardings of values, axes of
    ops, and marks of stages and recomputation; docs/annotated-graph.md says
    what each means. The attribute is gone afterwards.

    Before (`smith.plan` says `degrees = {data = 2, tensor = 2}`):
    ```mlir
    %1 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0] : …
    ```
    After:
    ```mlir
    sdy.mesh @mesh = <["data"=2, "tensor"=2]>
    …
    %1 = stablehlo.dot_general %x, %up, contracting_dims = [1] x [0]
           {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"data"}, {"tensor"} ]>]>,
            smith.factor_axes = #smith.factor_axes<[{"data"}, {"tensor"}, {} ]>,
            smith.recompute = "none", smith.stage = 0 : i64} : …
    ```

    With `for-training` the graph is to become a train step: `train` carries
    the annotations over to derivatives, `recompute` obeys them, and `plan`
    completes what they leave open. Every op then also says which unit of the
    chain it belongs to, and derivatives of the model's own are kept. Without
    it they are dropped, since the workload does not know them.

    Assumptions: the plan is one for this graph; its layouts name the blocks,
    ops and tensors of the workload.
  }];
  let options = [
    Option<"forTraining", "for-training", "bool", "false",
           "annotate for a train step that is built from the graph">
  ];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect",
                           "::shardsmith::smith::SmithDialect"];
}

#endif
