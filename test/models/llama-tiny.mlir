module @llama_tiny attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, smith.derivatives_marked} {
  func.func public @main(%arg0: tensor<97x48xf32> {smith.init = "normal:0.143", smith.name = "embedding.embedding", smith.role = "param"}, %arg1: tensor<48x97xf32> {smith.init = "normal:0.143", smith.name = "head.kernel", smith.role = "param"}, %arg2: tensor<48x2x8xf32> {smith.init = "normal:0.147", smith.name = "layers_0.attention.wk.kernel", smith.role = "param"}, %arg3: tensor<6x8x48xf32> {smith.init = "normal:0.141", smith.name = "layers_0.attention.wo.kernel", smith.role = "param"}, %arg4: tensor<48x6x8xf32> {smith.init = "normal:0.144", smith.name = "layers_0.attention.wq.kernel", smith.role = "param"}, %arg5: tensor<48x2x8xf32> {smith.init = "normal:0.147", smith.name = "layers_0.attention.wv.kernel", smith.role = "param"}, %arg6: tensor<48xf32> {smith.init = "ones", smith.name = "layers_0.attention_norm.scale", smith.role = "param"}, %arg7: tensor<88x48xf32> {smith.init = "normal:0.107", smith.name = "layers_0.mlp.down.kernel", smith.role = "param"}, %arg8: tensor<48x88xf32> {smith.init = "normal:0.143", smith.name = "layers_0.mlp.gate.kernel", smith.role = "param"}, %arg9: tensor<48x88xf32> {smith.init = "normal:0.147", smith.name = "layers_0.mlp.up.kernel", smith.role = "param"}, %arg10: tensor<48xf32> {smith.init = "ones", smith.name = "layers_0.mlp_norm.scale", smith.role = "param"}, %arg11: tensor<48x2x8xf32> {smith.init = "normal:0.148", smith.name = "layers_1.attention.wk.kernel", smith.role = "param"}, %arg12: tensor<6x8x48xf32> {smith.init = "normal:0.145", smith.name = "layers_1.attention.wo.kernel", smith.role = "param"}, %arg13: tensor<48x6x8xf32> {smith.init = "normal:0.143", smith.name = "layers_1.attention.wq.kernel", smith.role = "param"}, %arg14: tensor<48x2x8xf32> {smith.init = "normal:0.142", smith.name = "layers_1.attention.wv.kernel", smith.role = "param"}, %arg15: tensor<48xf32> {smith.init = "ones", smith.name = "layers_1.attention_norm.scale", smith.role = "param"}, %arg16: tensor<88x48xf32> {smith.init = "normal:0.108", smith.name = "layers_1.mlp.down.kernel", smith.role = "param"}, %arg17: tensor<48x88xf32> {smith.init = "normal:0.149", smith.name = "layers_1.mlp.gate.kernel", smith.role = "param"}, %arg18: tensor<48x88xf32> {smith.init = "normal:0.145", smith.name = "layers_1.mlp.up.kernel", smith.role = "param"}, %arg19: tensor<48xf32> {smith.init = "ones", smith.name = "layers_1.mlp_norm.scale", smith.role = "param"}, %arg20: tensor<48xf32> {smith.init = "ones", smith.name = "norm.scale", smith.role = "param"}, %arg21: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 97 : i64, smith.name = "batch.targets", smith.role = "batch"}, %arg22: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 97 : i64, smith.name = "batch.tokens", smith.role = "batch"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %0 = call @_take(%arg0, %arg22) : (tensor<97x48xf32>, tensor<24x16xi32>) -> tensor<24x16x48xf32>
    %1 = chlo.square %0 : tensor<24x16x48xf32> -> tensor<24x16x48xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<24x16x48xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_0 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %4 = stablehlo.divide %2, %3 : tensor<24x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %7 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %9 = stablehlo.subtract %0, %8 : tensor<24x16x48xf32>
    %cst_2 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %11 = stablehlo.add %7, %10 : tensor<24x16x1xf32>
    %12 = stablehlo.rsqrt %11 : tensor<24x16x1xf32>
    %13 = stablehlo.reshape %arg6 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<24x16x48xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<24x16x48xf32>
    %17 = stablehlo.multiply %9, %16 : tensor<24x16x48xf32>
    %18 = stablehlo.dot_general %17, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x6x8xf32>) -> tensor<24x16x6x8xf32>
    %19 = stablehlo.iota dim = 0 : tensor<4xi32>
    %20 = stablehlo.negate %19 : tensor<4xi32>
    %21 = stablehlo.convert %20 : (tensor<4xi32>) -> tensor<4xf32>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %23 = stablehlo.divide %21, %22 : tensor<4xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %25 = stablehlo.power %24, %23 : tensor<4xf32>
    %26 = stablehlo.iota dim = 0 : tensor<16xi32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %28 = stablehlo.convert %27 : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %29 = stablehlo.broadcast_in_dim %25, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %31 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %32 = stablehlo.multiply %30, %31 : tensor<16x4xf32>
    %33 = stablehlo.cosine %32 : tensor<16x4xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %35 = stablehlo.sine %32 : tensor<16x4xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %37 = stablehlo.slice %18 [0:24, 0:16, 0:6, 0:4] : (tensor<24x16x6x8xf32>) -> tensor<24x16x6x4xf32>
    %38 = stablehlo.slice %18 [0:24, 0:16, 0:6, 4:8] : (tensor<24x16x6x8xf32>) -> tensor<24x16x6x4xf32>
    %39 = stablehlo.broadcast_in_dim %34, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %41 = stablehlo.multiply %37, %40 : tensor<24x16x6x4xf32>
    %42 = stablehlo.broadcast_in_dim %36, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %44 = stablehlo.multiply %38, %43 : tensor<24x16x6x4xf32>
    %45 = stablehlo.subtract %41, %44 : tensor<24x16x6x4xf32>
    %46 = stablehlo.broadcast_in_dim %34, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %48 = stablehlo.multiply %38, %47 : tensor<24x16x6x4xf32>
    %49 = stablehlo.broadcast_in_dim %36, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %51 = stablehlo.multiply %37, %50 : tensor<24x16x6x4xf32>
    %52 = stablehlo.add %48, %51 : tensor<24x16x6x4xf32>
    %53 = stablehlo.concatenate %45, %52, dim = 3 : (tensor<24x16x6x4xf32>, tensor<24x16x6x4xf32>) -> tensor<24x16x6x8xf32>
    %54 = stablehlo.dot_general %17, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x2x8xf32>) -> tensor<24x16x2x8xf32>
    %55 = stablehlo.iota dim = 0 : tensor<4xi32>
    %56 = stablehlo.negate %55 : tensor<4xi32>
    %57 = stablehlo.convert %56 : (tensor<4xi32>) -> tensor<4xf32>
    %cst_5 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %59 = stablehlo.divide %57, %58 : tensor<4xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %61 = stablehlo.power %60, %59 : tensor<4xf32>
    %62 = stablehlo.iota dim = 0 : tensor<16xi32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %64 = stablehlo.convert %63 : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %65 = stablehlo.broadcast_in_dim %61, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %66 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %67 = stablehlo.broadcast_in_dim %65, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %68 = stablehlo.multiply %66, %67 : tensor<16x4xf32>
    %69 = stablehlo.cosine %68 : tensor<16x4xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %71 = stablehlo.sine %68 : tensor<16x4xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %73 = stablehlo.slice %54 [0:24, 0:16, 0:2, 0:4] : (tensor<24x16x2x8xf32>) -> tensor<24x16x2x4xf32>
    %74 = stablehlo.slice %54 [0:24, 0:16, 0:2, 4:8] : (tensor<24x16x2x8xf32>) -> tensor<24x16x2x4xf32>
    %75 = stablehlo.broadcast_in_dim %70, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %77 = stablehlo.multiply %73, %76 : tensor<24x16x2x4xf32>
    %78 = stablehlo.broadcast_in_dim %72, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %80 = stablehlo.multiply %74, %79 : tensor<24x16x2x4xf32>
    %81 = stablehlo.subtract %77, %80 : tensor<24x16x2x4xf32>
    %82 = stablehlo.broadcast_in_dim %70, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %84 = stablehlo.multiply %74, %83 : tensor<24x16x2x4xf32>
    %85 = stablehlo.broadcast_in_dim %72, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %87 = stablehlo.multiply %73, %86 : tensor<24x16x2x4xf32>
    %88 = stablehlo.add %84, %87 : tensor<24x16x2x4xf32>
    %89 = stablehlo.concatenate %81, %88, dim = 3 : (tensor<24x16x2x4xf32>, tensor<24x16x2x4xf32>) -> tensor<24x16x2x8xf32>
    %90 = stablehlo.dot_general %17, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x2x8xf32>) -> tensor<24x16x2x8xf32>
    %91 = stablehlo.reshape %53 : (tensor<24x16x6x8xf32>) -> tensor<24x16x2x3x8xf32>
    %92 = stablehlo.dot_general %89, %91, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<24x16x2x8xf32>, tensor<24x16x2x3x8xf32>) -> tensor<24x2x16x16x3xf32>
    %93 = stablehlo.transpose %92, dims = [0, 1, 4, 3, 2] : (tensor<24x2x16x16x3xf32>) -> tensor<24x2x3x16x16xf32>
    %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %94 = stablehlo.sqrt %cst_7 : tensor<f32>
    %95 = stablehlo.convert %94 : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [] : (tensor<f32>) -> tensor<24x2x3x16x16xf32>
    %97 = stablehlo.divide %93, %96 : tensor<24x2x3x16x16xf32>
    %98 = stablehlo.iota dim = 0 : tensor<16xi32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %100 = stablehlo.broadcast_in_dim %98, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %101 = stablehlo.broadcast_in_dim %99, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %102 = stablehlo.broadcast_in_dim %100, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %103 = stablehlo.compare GE, %101, %102, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %104 = call @_where_0(%103, %97, %cst_8) : (tensor<16x16xi1>, tensor<24x2x3x16x16xf32>, tensor<f32>) -> tensor<24x2x3x16x16xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %105 = stablehlo.reduce(%104 init: %cst_9) applies stablehlo.maximum across dimensions = [4] : (tensor<24x2x3x16x16xf32>, tensor<f32>) -> tensor<24x2x3x16xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<24x2x3x16xf32>
    %107 = stablehlo.maximum %106, %105 : tensor<24x2x3x16xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2, 3] : (tensor<24x2x3x16xf32>) -> tensor<24x2x3x16x1xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2, 3, 4] : (tensor<24x2x3x16x1xf32>) -> tensor<24x2x3x16x16xf32>
    %110 = stablehlo.subtract %104, %109 : tensor<24x2x3x16x16xf32>
    %111 = stablehlo.exponential %110 : tensor<24x2x3x16x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.reduce(%111 init: %cst_11) applies stablehlo.add across dimensions = [4] : (tensor<24x2x3x16x16xf32>, tensor<f32>) -> tensor<24x2x3x16xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2, 3] : (tensor<24x2x3x16xf32>) -> tensor<24x2x3x16x1xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2, 3, 4] : (tensor<24x2x3x16x1xf32>) -> tensor<24x2x3x16x16xf32>
    %115 = stablehlo.divide %111, %114 : tensor<24x2x3x16x16xf32>
    %116 = stablehlo.dot_general %90, %115, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<24x16x2x8xf32>, tensor<24x2x3x16x16xf32>) -> tensor<24x2x8x3x16xf32>
    %117 = stablehlo.transpose %116, dims = [0, 4, 1, 3, 2] : (tensor<24x2x8x3x16xf32>) -> tensor<24x16x2x3x8xf32>
    %118 = stablehlo.reshape %117 : (tensor<24x16x2x3x8xf32>) -> tensor<24x16x6x8xf32>
    %119 = stablehlo.dot_general %118, %arg3, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x6x8xf32>, tensor<6x8x48xf32>) -> tensor<24x16x48xf32>
    %120 = stablehlo.add %0, %119 : tensor<24x16x48xf32>
    %121 = chlo.square %120 : tensor<24x16x48xf32> -> tensor<24x16x48xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%121 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<24x16x48xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_13 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %124 = stablehlo.divide %122, %123 : tensor<24x16xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %127 = stablehlo.broadcast_in_dim %124, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %128 = stablehlo.broadcast_in_dim %126, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %129 = stablehlo.subtract %120, %128 : tensor<24x16x48xf32>
    %cst_15 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %131 = stablehlo.add %127, %130 : tensor<24x16x1xf32>
    %132 = stablehlo.rsqrt %131 : tensor<24x16x1xf32>
    %133 = stablehlo.reshape %arg10 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %134 = stablehlo.broadcast_in_dim %132, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %135 = stablehlo.broadcast_in_dim %133, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<24x16x48xf32>
    %136 = stablehlo.multiply %134, %135 : tensor<24x16x48xf32>
    %137 = stablehlo.multiply %129, %136 : tensor<24x16x48xf32>
    %138 = stablehlo.dot_general %137, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x88xf32>) -> tensor<24x16x88xf32>
    %139 = stablehlo.dot_general %137, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x88xf32>) -> tensor<24x16x88xf32>
    %140 = call @silu(%138) : (tensor<24x16x88xf32>) -> tensor<24x16x88xf32>
    %141 = stablehlo.multiply %140, %139 : tensor<24x16x88xf32>
    %142 = stablehlo.dot_general %141, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x88xf32>, tensor<88x48xf32>) -> tensor<24x16x48xf32>
    %143 = stablehlo.add %120, %142 : tensor<24x16x48xf32>
    %144 = chlo.square %143 : tensor<24x16x48xf32> -> tensor<24x16x48xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.reduce(%144 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<24x16x48xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_17 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %147 = stablehlo.divide %145, %146 : tensor<24x16xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %150 = stablehlo.broadcast_in_dim %147, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %151 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %152 = stablehlo.subtract %143, %151 : tensor<24x16x48xf32>
    %cst_19 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %154 = stablehlo.add %150, %153 : tensor<24x16x1xf32>
    %155 = stablehlo.rsqrt %154 : tensor<24x16x1xf32>
    %156 = stablehlo.reshape %arg15 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %157 = stablehlo.broadcast_in_dim %155, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %158 = stablehlo.broadcast_in_dim %156, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<24x16x48xf32>
    %159 = stablehlo.multiply %157, %158 : tensor<24x16x48xf32>
    %160 = stablehlo.multiply %152, %159 : tensor<24x16x48xf32>
    %161 = stablehlo.dot_general %160, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x6x8xf32>) -> tensor<24x16x6x8xf32>
    %162 = stablehlo.iota dim = 0 : tensor<4xi32>
    %163 = stablehlo.negate %162 : tensor<4xi32>
    %164 = stablehlo.convert %163 : (tensor<4xi32>) -> tensor<4xf32>
    %cst_20 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %166 = stablehlo.divide %164, %165 : tensor<4xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %168 = stablehlo.power %167, %166 : tensor<4xf32>
    %169 = stablehlo.iota dim = 0 : tensor<16xi32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %171 = stablehlo.convert %170 : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %172 = stablehlo.broadcast_in_dim %168, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %173 = stablehlo.broadcast_in_dim %171, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %174 = stablehlo.broadcast_in_dim %172, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %175 = stablehlo.multiply %173, %174 : tensor<16x4xf32>
    %176 = stablehlo.cosine %175 : tensor<16x4xf32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %178 = stablehlo.sine %175 : tensor<16x4xf32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %180 = stablehlo.slice %161 [0:24, 0:16, 0:6, 0:4] : (tensor<24x16x6x8xf32>) -> tensor<24x16x6x4xf32>
    %181 = stablehlo.slice %161 [0:24, 0:16, 0:6, 4:8] : (tensor<24x16x6x8xf32>) -> tensor<24x16x6x4xf32>
    %182 = stablehlo.broadcast_in_dim %177, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %183 = stablehlo.broadcast_in_dim %182, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %184 = stablehlo.multiply %180, %183 : tensor<24x16x6x4xf32>
    %185 = stablehlo.broadcast_in_dim %179, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %187 = stablehlo.multiply %181, %186 : tensor<24x16x6x4xf32>
    %188 = stablehlo.subtract %184, %187 : tensor<24x16x6x4xf32>
    %189 = stablehlo.broadcast_in_dim %177, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %191 = stablehlo.multiply %181, %190 : tensor<24x16x6x4xf32>
    %192 = stablehlo.broadcast_in_dim %179, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %193 = stablehlo.broadcast_in_dim %192, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %194 = stablehlo.multiply %180, %193 : tensor<24x16x6x4xf32>
    %195 = stablehlo.add %191, %194 : tensor<24x16x6x4xf32>
    %196 = stablehlo.concatenate %188, %195, dim = 3 : (tensor<24x16x6x4xf32>, tensor<24x16x6x4xf32>) -> tensor<24x16x6x8xf32>
    %197 = stablehlo.dot_general %160, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x2x8xf32>) -> tensor<24x16x2x8xf32>
    %198 = stablehlo.iota dim = 0 : tensor<4xi32>
    %199 = stablehlo.negate %198 : tensor<4xi32>
    %200 = stablehlo.convert %199 : (tensor<4xi32>) -> tensor<4xf32>
    %cst_22 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %202 = stablehlo.divide %200, %201 : tensor<4xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %204 = stablehlo.power %203, %202 : tensor<4xf32>
    %205 = stablehlo.iota dim = 0 : tensor<16xi32>
    %206 = stablehlo.broadcast_in_dim %205, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %207 = stablehlo.convert %206 : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %208 = stablehlo.broadcast_in_dim %204, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %209 = stablehlo.broadcast_in_dim %207, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %210 = stablehlo.broadcast_in_dim %208, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %211 = stablehlo.multiply %209, %210 : tensor<16x4xf32>
    %212 = stablehlo.cosine %211 : tensor<16x4xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %214 = stablehlo.sine %211 : tensor<16x4xf32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %216 = stablehlo.slice %197 [0:24, 0:16, 0:2, 0:4] : (tensor<24x16x2x8xf32>) -> tensor<24x16x2x4xf32>
    %217 = stablehlo.slice %197 [0:24, 0:16, 0:2, 4:8] : (tensor<24x16x2x8xf32>) -> tensor<24x16x2x4xf32>
    %218 = stablehlo.broadcast_in_dim %213, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %219 = stablehlo.broadcast_in_dim %218, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %220 = stablehlo.multiply %216, %219 : tensor<24x16x2x4xf32>
    %221 = stablehlo.broadcast_in_dim %215, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %222 = stablehlo.broadcast_in_dim %221, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %223 = stablehlo.multiply %217, %222 : tensor<24x16x2x4xf32>
    %224 = stablehlo.subtract %220, %223 : tensor<24x16x2x4xf32>
    %225 = stablehlo.broadcast_in_dim %213, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %227 = stablehlo.multiply %217, %226 : tensor<24x16x2x4xf32>
    %228 = stablehlo.broadcast_in_dim %215, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %229 = stablehlo.broadcast_in_dim %228, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %230 = stablehlo.multiply %216, %229 : tensor<24x16x2x4xf32>
    %231 = stablehlo.add %227, %230 : tensor<24x16x2x4xf32>
    %232 = stablehlo.concatenate %224, %231, dim = 3 : (tensor<24x16x2x4xf32>, tensor<24x16x2x4xf32>) -> tensor<24x16x2x8xf32>
    %233 = stablehlo.dot_general %160, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x2x8xf32>) -> tensor<24x16x2x8xf32>
    %234 = stablehlo.reshape %196 : (tensor<24x16x6x8xf32>) -> tensor<24x16x2x3x8xf32>
    %235 = stablehlo.dot_general %232, %234, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<24x16x2x8xf32>, tensor<24x16x2x3x8xf32>) -> tensor<24x2x16x16x3xf32>
    %236 = stablehlo.transpose %235, dims = [0, 1, 4, 3, 2] : (tensor<24x2x16x16x3xf32>) -> tensor<24x2x3x16x16xf32>
    %cst_24 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %237 = stablehlo.sqrt %cst_24 : tensor<f32>
    %238 = stablehlo.convert %237 : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %238, dims = [] : (tensor<f32>) -> tensor<24x2x3x16x16xf32>
    %240 = stablehlo.divide %236, %239 : tensor<24x2x3x16x16xf32>
    %241 = stablehlo.iota dim = 0 : tensor<16xi32>
    %242 = stablehlo.broadcast_in_dim %241, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %243 = stablehlo.broadcast_in_dim %241, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %244 = stablehlo.broadcast_in_dim %242, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %245 = stablehlo.broadcast_in_dim %243, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %246 = stablehlo.compare GE, %244, %245, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %247 = call @_where_0(%246, %240, %cst_25) : (tensor<16x16xi1>, tensor<24x2x3x16x16xf32>, tensor<f32>) -> tensor<24x2x3x16x16xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %248 = stablehlo.reduce(%247 init: %cst_26) applies stablehlo.maximum across dimensions = [4] : (tensor<24x2x3x16x16xf32>, tensor<f32>) -> tensor<24x2x3x16xf32>
    %cst_27 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<24x2x3x16xf32>
    %250 = stablehlo.maximum %249, %248 : tensor<24x2x3x16xf32>
    %251 = stablehlo.broadcast_in_dim %250, dims = [0, 1, 2, 3] : (tensor<24x2x3x16xf32>) -> tensor<24x2x3x16x1xf32>
    %252 = stablehlo.broadcast_in_dim %251, dims = [0, 1, 2, 3, 4] : (tensor<24x2x3x16x1xf32>) -> tensor<24x2x3x16x16xf32>
    %253 = stablehlo.subtract %247, %252 : tensor<24x2x3x16x16xf32>
    %254 = stablehlo.exponential %253 : tensor<24x2x3x16x16xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.reduce(%254 init: %cst_28) applies stablehlo.add across dimensions = [4] : (tensor<24x2x3x16x16xf32>, tensor<f32>) -> tensor<24x2x3x16xf32>
    %256 = stablehlo.broadcast_in_dim %255, dims = [0, 1, 2, 3] : (tensor<24x2x3x16xf32>) -> tensor<24x2x3x16x1xf32>
    %257 = stablehlo.broadcast_in_dim %256, dims = [0, 1, 2, 3, 4] : (tensor<24x2x3x16x1xf32>) -> tensor<24x2x3x16x16xf32>
    %258 = stablehlo.divide %254, %257 : tensor<24x2x3x16x16xf32>
    %259 = stablehlo.dot_general %233, %258, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<24x16x2x8xf32>, tensor<24x2x3x16x16xf32>) -> tensor<24x2x8x3x16xf32>
    %260 = stablehlo.transpose %259, dims = [0, 4, 1, 3, 2] : (tensor<24x2x8x3x16xf32>) -> tensor<24x16x2x3x8xf32>
    %261 = stablehlo.reshape %260 : (tensor<24x16x2x3x8xf32>) -> tensor<24x16x6x8xf32>
    %262 = stablehlo.dot_general %261, %arg12, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x6x8xf32>, tensor<6x8x48xf32>) -> tensor<24x16x48xf32>
    %263 = stablehlo.add %143, %262 : tensor<24x16x48xf32>
    %264 = chlo.square %263 : tensor<24x16x48xf32> -> tensor<24x16x48xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.reduce(%264 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<24x16x48xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_30 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %266 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %267 = stablehlo.divide %265, %266 : tensor<24x16xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %269 = stablehlo.broadcast_in_dim %268, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %270 = stablehlo.broadcast_in_dim %267, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %271 = stablehlo.broadcast_in_dim %269, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %272 = stablehlo.subtract %263, %271 : tensor<24x16x48xf32>
    %cst_32 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %274 = stablehlo.add %270, %273 : tensor<24x16x1xf32>
    %275 = stablehlo.rsqrt %274 : tensor<24x16x1xf32>
    %276 = stablehlo.reshape %arg19 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %277 = stablehlo.broadcast_in_dim %275, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %278 = stablehlo.broadcast_in_dim %276, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<24x16x48xf32>
    %279 = stablehlo.multiply %277, %278 : tensor<24x16x48xf32>
    %280 = stablehlo.multiply %272, %279 : tensor<24x16x48xf32>
    %281 = stablehlo.dot_general %280, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x88xf32>) -> tensor<24x16x88xf32>
    %282 = stablehlo.dot_general %280, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x88xf32>) -> tensor<24x16x88xf32>
    %283 = call @silu(%281) : (tensor<24x16x88xf32>) -> tensor<24x16x88xf32>
    %284 = stablehlo.multiply %283, %282 : tensor<24x16x88xf32>
    %285 = stablehlo.dot_general %284, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x88xf32>, tensor<88x48xf32>) -> tensor<24x16x48xf32>
    %286 = stablehlo.add %263, %285 : tensor<24x16x48xf32>
    %287 = chlo.square %286 : tensor<24x16x48xf32> -> tensor<24x16x48xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %288 = stablehlo.reduce(%287 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<24x16x48xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_34 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %290 = stablehlo.divide %288, %289 : tensor<24x16xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %291 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %292 = stablehlo.broadcast_in_dim %291, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %293 = stablehlo.broadcast_in_dim %290, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %294 = stablehlo.broadcast_in_dim %292, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %295 = stablehlo.subtract %286, %294 : tensor<24x16x48xf32>
    %cst_36 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %297 = stablehlo.add %293, %296 : tensor<24x16x1xf32>
    %298 = stablehlo.rsqrt %297 : tensor<24x16x1xf32>
    %299 = stablehlo.reshape %arg20 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %300 = stablehlo.broadcast_in_dim %298, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %301 = stablehlo.broadcast_in_dim %299, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<24x16x48xf32>
    %302 = stablehlo.multiply %300, %301 : tensor<24x16x48xf32>
    %303 = stablehlo.multiply %295, %302 : tensor<24x16x48xf32>
    %304 = stablehlo.dot_general %303, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x97xf32>) -> tensor<24x16x97xf32>
    %305 = stablehlo.broadcast_in_dim %arg21, dims = [0, 1] : (tensor<24x16xi32>) -> tensor<24x16x1xi32>
    %306 = call @take_along_axis(%304, %305) : (tensor<24x16x97xf32>, tensor<24x16x1xi32>) -> tensor<24x16x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %307 = call @_take_1(%306, %c) : (tensor<24x16x1xf32>, tensor<i32>) -> tensor<24x16xf32>
    %cst_37 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %308 = stablehlo.reduce(%304 init: %cst_37) applies stablehlo.maximum across dimensions = [2] : (tensor<24x16x97xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_38 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %309 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %310 = stablehlo.maximum %309, %308 : tensor<24x16xf32>
    %311 = stablehlo.is_finite %310 : (tensor<24x16xf32>) -> tensor<24x16xi1>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %312 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %313 = stablehlo.select %311, %310, %312 : tensor<24x16xi1>, tensor<24x16xf32>
    %314 = stablehlo.broadcast_in_dim %313, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %315 = stablehlo.broadcast_in_dim %314, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x97xf32>
    %316 = stablehlo.subtract %304, %315 : tensor<24x16x97xf32>
    %317 = stablehlo.exponential %316 : tensor<24x16x97xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %318 = stablehlo.reduce(%317 init: %cst_40) applies stablehlo.add across dimensions = [2] : (tensor<24x16x97xf32>, tensor<f32>) -> tensor<24x16xf32>
    %319 = stablehlo.sign %318 : tensor<24x16xf32>
    %320 = stablehlo.abs %318 : tensor<24x16xf32>
    %321 = stablehlo.log %320 : tensor<24x16xf32>
    %322 = stablehlo.add %321, %313 : tensor<24x16xf32>
    %323 = stablehlo.subtract %322, %307 : tensor<24x16xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %324 = stablehlo.reduce(%323 init: %cst_41) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_42 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %325 = stablehlo.divide %324, %cst_42 : tensor<f32>
    return %325 : tensor<f32>
  }
  func.func private @_take(%arg0: tensor<97x48xf32>, %arg1: tensor<24x16xi32>) -> tensor<24x16x48xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<24x16xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<24x16xi32>, tensor<24x16xi32>) -> tensor<24x16xi1>
    %c_0 = stablehlo.constant dense<97> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<24x16xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<24x16xi32>
    %4 = call @_where(%1, %3, %arg1) : (tensor<24x16xi1>, tensor<24x16xi32>, tensor<24x16xi32>) -> tensor<24x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<24x16xi32>) -> tensor<24x16x1xi32>
    %c_1 = stablehlo.constant dense<96> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<24x16x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<24x16x1xi32>, tensor<24x16x1xi32>) -> tensor<24x16x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<24x16x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<24x16x1xi32>, tensor<24x16x1xi32>) -> tensor<24x16x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<24x16x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<24x16x1xi1>, tensor<i1>) -> tensor<24x16xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 48>}> : (tensor<97x48xf32>, tensor<24x16x1xi32>) -> tensor<24x16x48xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<24x16xi1>) -> tensor<24x16x48xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16x48xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<24x16x48xi1>, tensor<24x16x48xf32>
    return %16 : tensor<24x16x48xf32>
  }
  func.func private @_where(%arg0: tensor<24x16xi1>, %arg1: tensor<24x16xi32>, %arg2: tensor<24x16xi32>) -> tensor<24x16xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<24x16xi1>, tensor<24x16xi32>
    return %0 : tensor<24x16xi32>
  }
  func.func private @_where_0(%arg0: tensor<16x16xi1>, %arg1: tensor<24x2x3x16x16xf32>, %arg2: tensor<f32>) -> tensor<24x2x3x16x16xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [3, 4] : (tensor<16x16xi1>) -> tensor<24x2x3x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x2x3x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<24x2x3x16x16xi1>, tensor<24x2x3x16x16xf32>
    return %3 : tensor<24x2x3x16x16xf32>
  }
  func.func private @silu(%arg0: tensor<24x16x88xf32>) -> tensor<24x16x88xf32> {
    %0 = stablehlo.negate %arg0 : tensor<24x16x88xf32>
    %1 = stablehlo.exponential %0 : tensor<24x16x88xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16x88xf32>
    %3 = stablehlo.add %2, %1 : tensor<24x16x88xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x16x88xf32>
    %5 = stablehlo.divide %4, %3 : tensor<24x16x88xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<24x16x88xf32>
    return %6 : tensor<24x16x88xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<24x16x97xf32>, %arg1: tensor<24x16x1xi32>) -> tensor<24x16x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<24x16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<24x16x1xi32>, tensor<24x16x1xi32>) -> tensor<24x16x1xi1>
    %c_0 = stablehlo.constant dense<97> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<24x16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<24x16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<24x16x1xi1>, tensor<24x16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<24x16x1xi32>) -> tensor<24x16x1x1xi32>
    %c_1 = stablehlo.constant dense<96> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<24x16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<24x16x1x1xi32>, tensor<24x16x1x1xi32>) -> tensor<24x16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<24x16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<24x16x1x1xi32>, tensor<24x16x1x1xi32>) -> tensor<24x16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<24x16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<24x16x1x1xi1>, tensor<i1>) -> tensor<24x16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<24x16x97xf32>, tensor<24x16x1x1xi32>) -> tensor<24x16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<24x16x1xi1>, tensor<24x16x1xf32>
    return %15 : tensor<24x16x1xf32>
  }
  func.func private @_take_1(%arg0: tensor<24x16x1xf32>, %arg1: tensor<i32>) -> tensor<24x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where_2(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<1xi32>
    %4 = stablehlo.convert %3 : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %7 = stablehlo.compare LE, %4, %c_1, SIGNED : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi1>
    %8 = stablehlo.and %6, %7 : tensor<1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %9 = stablehlo.reduce(%8 init: %c_3) applies stablehlo.and across dimensions = [0] : (tensor<1xi1>, tensor<i1>) -> tensor<i1>
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 24, 16, 1>}> : (tensor<24x16x1xf32>, tensor<1xi32>) -> tensor<24x16xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<24x16xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<24x16xi1>, tensor<24x16xf32>
    return %13 : tensor<24x16xf32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
