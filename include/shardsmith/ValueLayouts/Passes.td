// SPDX-License-Identifier: Apache-2.0

#ifndef SHARDSMITH_VALUELAYOUTS_PASSES_TD
#define SHARDSMITH_VALUELAYOUTS_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanTrainStep : Pass<"plan", "::mlir::ModuleOp"> {
  let summary = "Find the fastest layout of every value and annotate it";
  let description = [{
    Searches over all layouts that the factor rules allow, on every one- and
    two-axis mesh over the cluster's devices, and annotates the winner. See
    docs/planner.md.

    Before:
    ```mlir
    func.func @main(%w: tensor<16x32xf32> {smith.role = "param", smith.name = "w"},
                    %x: tensor<8x16xf32> {smith.role = "batch", smith.name = "x"}) -> … {
      %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : …
    ```
    After `plan{cluster=cpu:4 fix=data=2,tensor=2}`:
    ```mlir
    sdy.mesh @mesh = <["data"=2, "tensor"=2]>
    func.func @main(%w: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"tensor"} ]>, …},
                    %x: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {} ]>, …}) -> … {
      %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
             {smith.factor_axes = #smith.factor_axes<[{"data"}, {"tensor"}, {} ]>, sdy.sharding = …} : …
    ```

    Assumptions: `@main` is a train step of one block on ranked tensors of
    static shape, with `smith.role` and `smith.name` on its arguments and
    results. Shardings that are in the file already are kept.
  }];
  let options = [
    Option<"cluster", "cluster", "std::string", "\"cpu:1\"",
           "a built-in cluster such as cpu:4 or 8xh100, or a file">,
    Option<"profile", "profile", "std::string", "\"\"",
           "a built-in profile of the software or a file; default: the one that fits the cluster">,
    Option<"fix", "fix", "std::string", "\"\"",
           "axes of the mesh, such as data=2,tensor=2 (names: data, fsdp, tensor)">,
    Option<"margin", "margin", "double", "0.10",
           "share of each device's memory that stays free">,
    Option<"effort", "effort", "int64_t", "500000000",
           "combinations of strategies to look at before the best plan so far is taken">,
    Option<"timeLimit", "time-limit", "double", "60",
           "seconds until the best plan so far is taken">,
    Option<"file", "file", "std::string", "\"\"",
           "write the plan to this file">
  ];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect",
                           "::shardsmith::smith::SmithDialect"];
}

def ApplyPlanFile : Pass<"apply-plan", "::mlir::ModuleOp"> {
  let summary = "Annotate a train step with a plan that was made before";
  let description = [{
    `plan{cluster=cpu:4 file=plan.json}` and `apply-plan{file=plan.json}` on
    the same train step give the same module.

    Assumptions: as `plan`; a plan for another train step is an error.
  }];
  let options = [
    Option<"file", "file", "std::string", "\"plan.json\"", "the plan">
  ];
  let dependentDialects = ["::shardsmith::sdy::SdyDialect",
                           "::shardsmith::smith::SmithDialect"];
}

#endif
