// The text below is what the printer writes, character by character, also
// after a way through the generic form.
// RUN: grep -v '^//' %s > %t.expected
// RUN: shardsmith-opt %s -o %t.printed
// RUN: diff %t.expected %t.printed
// RUN: shardsmith-opt %s -mlir-print-op-generic -o %t.generic
// RUN: shardsmith-opt %t.generic -o %t.printed
// RUN: diff %t.expected %t.printed
module {
  func.func @loops(%arg0: tensor<i32>, %arg1: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %0:2 = stablehlo.while(%iterArg = %arg0, %iterArg_0 = %arg1) : tensor<i32>, tensor<8x4xf32> attributes {note = "kept"}
     cond {
      %1 = stablehlo.compare  LT, %iterArg, %arg0,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1:2 = stablehlo.while(%iterArg_1 = %iterArg, %iterArg_2 = %iterArg_0) : tensor<i32>, tensor<8x4xf32>
       cond {
        %2 = stablehlo.compare  LT, %iterArg_1, %arg0,  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
      } do {
        stablehlo.return %iterArg_1, %iterArg_2 : tensor<i32>, tensor<8x4xf32>
      }
      stablehlo.return %1#0, %1#1 : tensor<i32>, tensor<8x4xf32>
    }
    return %0#1 : tensor<8x4xf32>
  }
  func.func @nothing_carried(%arg0: tensor<i1>) {
    stablehlo.while()
     cond {
      stablehlo.return %arg0 : tensor<i1>
    } do {
      stablehlo.return {note = 1 : i32}
    }
    return
  }
  func.func @branches(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<8xf32>, %arg3: !stablehlo.token) {
    %0:2 = "stablehlo.if"(%arg0) ({
      stablehlo.return %arg2, %arg3 : tensor<8xf32>, !stablehlo.token
    }, {
      stablehlo.return %arg2, %arg3 : tensor<8xf32>, !stablehlo.token
    }) : (tensor<i1>) -> (tensor<8xf32>, !stablehlo.token)
    %1 = "stablehlo.case"(%arg1) ({
      stablehlo.return %arg2 : tensor<8xf32>
    }, {
      %2 = stablehlo.negate %arg2 : tensor<8xf32>
      stablehlo.return %2 : tensor<8xf32>
    }) : (tensor<i32>) -> tensor<8xf32>
    "stablehlo.case"(%arg1) ({
      stablehlo.return
    }) : (tensor<i32>) -> ()
    return
  }
}

