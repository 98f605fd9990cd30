// RUN: split-file %s %t
// RUN: shardsmith-opt --plan="cluster=cpu:2 file=%t/plan.json" %t/one.mlir -o /dev/null
// RUN: not shardsmith-opt --apply-plan="file=%t/plan.json" %t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/shardsmith-plan.3/shardsmith-plan\/2/' %t/plan.json > %t/format.json
// RUN: not shardsmith-opt --apply-plan="file=%t/format.json" %t/one.mlir 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: sed 's/"step_ns"/"step_nanos"/' %t/plan.json > %t/key.json
// RUN: not shardsmith-opt --apply-plan="file=%t/key.json" %t/one.mlir 2>&1 | FileCheck %s --check-prefix=KEY
// RUN: head -c 300 %t/plan.json > %t/cut.json
// RUN: not shardsmith-opt --apply-plan="file=%t/cut.json" %t/one.mlir 2>&1 | FileCheck %s --check-prefix=CUT
// RUN: not shardsmith-opt --apply-plan="file=%t/none.json" %t/one.mlir 2>&1 | FileCheck %s --check-prefix=NONE

// OTHER: the plan is for the train step {{[0-9a-f]+}} but this one is {{[0-9a-f]+}}; plan it again
// FORMAT: plan/format: unknown format "shardsmith-plan/2", expected "shardsmith-plan/3"; make the plan again
// KEY: key.json: plan/
// CUT: cut.json: plan: not valid JSON: parse error at line
// NONE: cannot read

//--- one.mlir
func.func @main(
    %w: tensor<8xf32> {smith.role = "param", smith.name = "w"})
    -> (tensor<8xf32> {smith.role = "param", smith.name = "w"}) {
  %0 = stablehlo.exponential %w : tensor<8xf32>
  return %0 : tensor<8xf32>
}

//--- other.mlir
func.func @main(
    %w: tensor<8xf32> {smith.role = "param", smith.name = "w"})
    -> (tensor<8xf32> {smith.role = "param", smith.name = "w"}) {
  %0 = stablehlo.exponential %w : tensor<8xf32>
  %1 = stablehlo.exponential %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}
