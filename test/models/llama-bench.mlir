module @llama_bench attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, smith.derivatives_marked} {
  func.func public @main(%arg0: tensor<8192x512xf32> {smith.init = "normal:0.0442", smith.name = "embedding.embedding", smith.role = "param"}, %arg1: tensor<512x8192xf32> {smith.init = "normal:0.0442", smith.name = "head.kernel", smith.role = "param"}, %arg2: tensor<512x4x64xf32> {smith.init = "normal:0.0441", smith.name = "layers_0.attention.wk.kernel", smith.role = "param"}, %arg3: tensor<8x64x512xf32> {smith.init = "normal:0.0442", smith.name = "layers_0.attention.wo.kernel", smith.role = "param"}, %arg4: tensor<512x8x64xf32> {smith.init = "normal:0.0443", smith.name = "layers_0.attention.wq.kernel", smith.role = "param"}, %arg5: tensor<512x4x64xf32> {smith.init = "normal:0.0442", smith.name = "layers_0.attention.wv.kernel", smith.role = "param"}, %arg6: tensor<512xf32> {smith.init = "ones", smith.name = "layers_0.attention_norm.scale", smith.role = "param"}, %arg7: tensor<1408x512xf32> {smith.init = "normal:0.0266", smith.name = "layers_0.mlp.down.kernel", smith.role = "param"}, %arg8: tensor<512x1408xf32> {smith.init = "normal:0.0442", smith.name = "layers_0.mlp.gate.kernel", smith.role = "param"}, %arg9: tensor<512x1408xf32> {smith.init = "normal:0.0442", smith.name = "layers_0.mlp.up.kernel", smith.role = "param"}, %arg10: tensor<512xf32> {smith.init = "ones", smith.name = "layers_0.mlp_norm.scale", smith.role = "param"}, %arg11: tensor<512x4x64xf32> {smith.init = "normal:0.0443", smith.name = "layers_1.attention.wk.kernel", smith.role = "param"}, %arg12: tensor<8x64x512xf32> {smith.init = "normal:0.0441", smith.name = "layers_1.attention.wo.kernel", smith.role = "param"}, %arg13: tensor<512x8x64xf32> {smith.init = "normal:0.0442", smith.name = "layers_1.attention.wq.kernel", smith.role = "param"}, %arg14: tensor<512x4x64xf32> {smith.init = "normal:0.0443", smith.name = "layers_1.attention.wv.kernel", smith.role = "param"}, %arg15: tensor<512xf32> {smith.init = "ones", smith.name = "layers_1.attention_norm.scale", smith.role = "param"}, %arg16: tensor<1408x512xf32> {smith.init = "normal:0.0266", smith.name = "layers_1.mlp.down.kernel", smith.role = "param"}, %arg17: tensor<512x1408xf32> {smith.init = "normal:0.0442", smith.name = "layers_1.mlp.gate.kernel", smith.role = "param"}, %arg18: tensor<512x1408xf32> {smith.init = "normal:0.0442", smith.name = "layers_1.mlp.up.kernel", smith.role = "param"}, %arg19: tensor<512xf32> {smith.init = "ones", smith.name = "layers_1.mlp_norm.scale", smith.role = "param"}, %arg20: tensor<512x4x64xf32> {smith.init = "normal:0.0441", smith.name = "layers_2.attention.wk.kernel", smith.role = "param"}, %arg21: tensor<8x64x512xf32> {smith.init = "normal:0.0442", smith.name = "layers_2.attention.wo.kernel", smith.role = "param"}, %arg22: tensor<512x8x64xf32> {smith.init = "normal:0.0442", smith.name = "layers_2.attention.wq.kernel", smith.role = "param"}, %arg23: tensor<512x4x64xf32> {smith.init = "normal:0.0441", smith.name = "layers_2.attention.wv.kernel", smith.role = "param"}, %arg24: tensor<512xf32> {smith.init = "ones", smith.name = "layers_2.attention_norm.scale", smith.role = "param"}, %arg25: tensor<1408x512xf32> {smith.init = "normal:0.0266", smith.name = "layers_2.mlp.down.kernel", smith.role = "param"}, %arg26: tensor<512x1408xf32> {smith.init = "normal:0.0442", smith.name = "layers_2.mlp.gate.kernel", smith.role = "param"}, %arg27: tensor<512x1408xf32> {smith.init = "normal:0.0442", smith.name = "layers_2.mlp.up.kernel", smith.role = "param"}, %arg28: tensor<512xf32> {smith.init = "ones", smith.name = "layers_2.mlp_norm.scale", smith.role = "param"}, %arg29: tensor<512x4x64xf32> {smith.init = "normal:0.0442", smith.name = "layers_3.attention.wk.kernel", smith.role = "param"}, %arg30: tensor<8x64x512xf32> {smith.init = "normal:0.0442", smith.name = "layers_3.attention.wo.kernel", smith.role = "param"}, %arg31: tensor<512x8x64xf32> {smith.init = "normal:0.0442", smith.name = "layers_3.attention.wq.kernel", smith.role = "param"}, %arg32: tensor<512x4x64xf32> {smith.init = "normal:0.0442", smith.name = "layers_3.attention.wv.kernel", smith.role = "param"}, %arg33: tensor<512xf32> {smith.init = "ones", smith.name = "layers_3.attention_norm.scale", smith.role = "param"}, %arg34: tensor<1408x512xf32> {smith.init = "normal:0.0266", smith.name = "layers_3.mlp.down.kernel", smith.role = "param"}, %arg35: tensor<512x1408xf32> {smith.init = "normal:0.0442", smith.name = "layers_3.mlp.gate.kernel", smith.role = "param"}, %arg36: tensor<512x1408xf32> {smith.init = "normal:0.0442", smith.name = "layers_3.mlp.up.kernel", smith.role = "param"}, %arg37: tensor<512xf32> {smith.init = "ones", smith.name = "layers_3.mlp_norm.scale", smith.role = "param"}, %arg38: tensor<512xf32> {smith.init = "ones", smith.name = "norm.scale", smith.role = "param"}, %arg39: tensor<8x128xi32> {smith.batch_dim = 0 : i64, smith.limit = 8192 : i64, smith.name = "batch.targets", smith.role = "batch"}, %arg40: tensor<8x128xi32> {smith.batch_dim = 0 : i64, smith.limit = 8192 : i64, smith.name = "batch.tokens", smith.role = "batch"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %0 = call @_take(%arg0, %arg40) : (tensor<8192x512xf32>, tensor<8x128xi32>) -> tensor<8x128x512xf32>
    %1 = chlo.square %0 : tensor<8x128x512xf32> -> tensor<8x128x512xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_0 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %4 = stablehlo.divide %2, %3 : tensor<8x128xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %7 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %8 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %9 = stablehlo.subtract %0, %8 : tensor<8x128x512xf32>
    %cst_2 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %10 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %11 = stablehlo.add %7, %10 : tensor<8x128x1xf32>
    %12 = stablehlo.rsqrt %11 : tensor<8x128x1xf32>
    %13 = stablehlo.reshape %arg6 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<8x128x512xf32>
    %17 = stablehlo.multiply %9, %16 : tensor<8x128x512xf32>
    %18 = stablehlo.dot_general %17, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x8x64xf32>) -> tensor<8x128x8x64xf32>
    %19 = stablehlo.iota dim = 0 : tensor<32xi32>
    %20 = stablehlo.negate %19 : tensor<32xi32>
    %21 = stablehlo.convert %20 : (tensor<32xi32>) -> tensor<32xf32>
    %cst_3 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %23 = stablehlo.divide %21, %22 : tensor<32xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %25 = stablehlo.power %24, %23 : tensor<32xf32>
    %26 = stablehlo.iota dim = 0 : tensor<128xi32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %28 = stablehlo.convert %27 : (tensor<128x1xi32>) -> tensor<128x1xf32>
    %29 = stablehlo.broadcast_in_dim %25, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x32xf32>
    %31 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<128x32xf32>
    %32 = stablehlo.multiply %30, %31 : tensor<128x32xf32>
    %33 = stablehlo.cosine %32 : tensor<128x32xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %35 = stablehlo.sine %32 : tensor<128x32xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %37 = stablehlo.slice %18 [0:8, 0:128, 0:8, 0:32] : (tensor<8x128x8x64xf32>) -> tensor<8x128x8x32xf32>
    %38 = stablehlo.slice %18 [0:8, 0:128, 0:8, 32:64] : (tensor<8x128x8x64xf32>) -> tensor<8x128x8x32xf32>
    %39 = stablehlo.broadcast_in_dim %34, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %41 = stablehlo.multiply %37, %40 : tensor<8x128x8x32xf32>
    %42 = stablehlo.broadcast_in_dim %36, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %44 = stablehlo.multiply %38, %43 : tensor<8x128x8x32xf32>
    %45 = stablehlo.subtract %41, %44 : tensor<8x128x8x32xf32>
    %46 = stablehlo.broadcast_in_dim %34, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %48 = stablehlo.multiply %38, %47 : tensor<8x128x8x32xf32>
    %49 = stablehlo.broadcast_in_dim %36, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %51 = stablehlo.multiply %37, %50 : tensor<8x128x8x32xf32>
    %52 = stablehlo.add %48, %51 : tensor<8x128x8x32xf32>
    %53 = stablehlo.concatenate %45, %52, dim = 3 : (tensor<8x128x8x32xf32>, tensor<8x128x8x32xf32>) -> tensor<8x128x8x64xf32>
    %54 = stablehlo.dot_general %17, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x4x64xf32>) -> tensor<8x128x4x64xf32>
    %55 = stablehlo.iota dim = 0 : tensor<32xi32>
    %56 = stablehlo.negate %55 : tensor<32xi32>
    %57 = stablehlo.convert %56 : (tensor<32xi32>) -> tensor<32xf32>
    %cst_5 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %59 = stablehlo.divide %57, %58 : tensor<32xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %61 = stablehlo.power %60, %59 : tensor<32xf32>
    %62 = stablehlo.iota dim = 0 : tensor<128xi32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %64 = stablehlo.convert %63 : (tensor<128x1xi32>) -> tensor<128x1xf32>
    %65 = stablehlo.broadcast_in_dim %61, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %66 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x32xf32>
    %67 = stablehlo.broadcast_in_dim %65, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<128x32xf32>
    %68 = stablehlo.multiply %66, %67 : tensor<128x32xf32>
    %69 = stablehlo.cosine %68 : tensor<128x32xf32>
    %70 = stablehlo.broadcast_in_dim %69, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %71 = stablehlo.sine %68 : tensor<128x32xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %73 = stablehlo.slice %54 [0:8, 0:128, 0:4, 0:32] : (tensor<8x128x4x64xf32>) -> tensor<8x128x4x32xf32>
    %74 = stablehlo.slice %54 [0:8, 0:128, 0:4, 32:64] : (tensor<8x128x4x64xf32>) -> tensor<8x128x4x32xf32>
    %75 = stablehlo.broadcast_in_dim %70, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %76 = stablehlo.broadcast_in_dim %75, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %77 = stablehlo.multiply %73, %76 : tensor<8x128x4x32xf32>
    %78 = stablehlo.broadcast_in_dim %72, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %80 = stablehlo.multiply %74, %79 : tensor<8x128x4x32xf32>
    %81 = stablehlo.subtract %77, %80 : tensor<8x128x4x32xf32>
    %82 = stablehlo.broadcast_in_dim %70, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %83 = stablehlo.broadcast_in_dim %82, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %84 = stablehlo.multiply %74, %83 : tensor<8x128x4x32xf32>
    %85 = stablehlo.broadcast_in_dim %72, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %87 = stablehlo.multiply %73, %86 : tensor<8x128x4x32xf32>
    %88 = stablehlo.add %84, %87 : tensor<8x128x4x32xf32>
    %89 = stablehlo.concatenate %81, %88, dim = 3 : (tensor<8x128x4x32xf32>, tensor<8x128x4x32xf32>) -> tensor<8x128x4x64xf32>
    %90 = stablehlo.dot_general %17, %arg5, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x4x64xf32>) -> tensor<8x128x4x64xf32>
    %91 = stablehlo.reshape %53 : (tensor<8x128x8x64xf32>) -> tensor<8x128x4x2x64xf32>
    %92 = stablehlo.dot_general %89, %91, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x128x2xf32>
    %93 = stablehlo.transpose %92, dims = [0, 1, 4, 3, 2] : (tensor<8x4x128x128x2xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_7 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %94 = stablehlo.sqrt %cst_7 : tensor<f32>
    %95 = stablehlo.convert %94 : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %97 = stablehlo.divide %93, %96 : tensor<8x4x2x128x128xf32>
    %98 = stablehlo.iota dim = 0 : tensor<128xi32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %100 = stablehlo.broadcast_in_dim %98, dims = [1] : (tensor<128xi32>) -> tensor<1x128xi32>
    %101 = stablehlo.broadcast_in_dim %99, dims = [0, 1] : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %102 = stablehlo.broadcast_in_dim %100, dims = [0, 1] : (tensor<1x128xi32>) -> tensor<128x128xi32>
    %103 = stablehlo.compare GE, %101, %102, SIGNED : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %104 = call @_where_0(%103, %97, %cst_8) : (tensor<128x128xi1>, tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %105 = stablehlo.reduce(%104 init: %cst_9) applies stablehlo.maximum across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<8x4x2x128xf32>
    %107 = stablehlo.maximum %106, %105 : tensor<8x4x2x128xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %109 = stablehlo.broadcast_in_dim %108, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %110 = stablehlo.subtract %104, %109 : tensor<8x4x2x128x128xf32>
    %111 = stablehlo.exponential %110 : tensor<8x4x2x128x128xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %112 = stablehlo.reduce(%111 init: %cst_11) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %115 = stablehlo.divide %111, %114 : tensor<8x4x2x128x128xf32>
    %116 = stablehlo.dot_general %90, %115, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x2x128xf32>
    %117 = stablehlo.transpose %116, dims = [0, 4, 1, 3, 2] : (tensor<8x4x64x2x128xf32>) -> tensor<8x128x4x2x64xf32>
    %118 = stablehlo.reshape %117 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x8x64xf32>
    %119 = stablehlo.dot_general %118, %arg3, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x8x64xf32>, tensor<8x64x512xf32>) -> tensor<8x128x512xf32>
    %120 = stablehlo.add %0, %119 : tensor<8x128x512xf32>
    %121 = chlo.square %120 : tensor<8x128x512xf32> -> tensor<8x128x512xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %122 = stablehlo.reduce(%121 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_13 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %124 = stablehlo.divide %122, %123 : tensor<8x128xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %126 = stablehlo.broadcast_in_dim %125, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %127 = stablehlo.broadcast_in_dim %124, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %128 = stablehlo.broadcast_in_dim %126, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %129 = stablehlo.subtract %120, %128 : tensor<8x128x512xf32>
    %cst_15 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %130 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %131 = stablehlo.add %127, %130 : tensor<8x128x1xf32>
    %132 = stablehlo.rsqrt %131 : tensor<8x128x1xf32>
    %133 = stablehlo.reshape %arg10 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %134 = stablehlo.broadcast_in_dim %132, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %135 = stablehlo.broadcast_in_dim %133, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %136 = stablehlo.multiply %134, %135 : tensor<8x128x512xf32>
    %137 = stablehlo.multiply %129, %136 : tensor<8x128x512xf32>
    %138 = stablehlo.dot_general %137, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x1408xf32>) -> tensor<8x128x1408xf32>
    %139 = stablehlo.dot_general %137, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x1408xf32>) -> tensor<8x128x1408xf32>
    %140 = call @silu(%138) : (tensor<8x128x1408xf32>) -> tensor<8x128x1408xf32>
    %141 = stablehlo.multiply %140, %139 : tensor<8x128x1408xf32>
    %142 = stablehlo.dot_general %141, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x1408xf32>, tensor<1408x512xf32>) -> tensor<8x128x512xf32>
    %143 = stablehlo.add %120, %142 : tensor<8x128x512xf32>
    %144 = chlo.square %143 : tensor<8x128x512xf32> -> tensor<8x128x512xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.reduce(%144 init: %cst_16) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_17 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %146 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %147 = stablehlo.divide %145, %146 : tensor<8x128xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %148 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %150 = stablehlo.broadcast_in_dim %147, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %151 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %152 = stablehlo.subtract %143, %151 : tensor<8x128x512xf32>
    %cst_19 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %153 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %154 = stablehlo.add %150, %153 : tensor<8x128x1xf32>
    %155 = stablehlo.rsqrt %154 : tensor<8x128x1xf32>
    %156 = stablehlo.reshape %arg15 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %157 = stablehlo.broadcast_in_dim %155, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %158 = stablehlo.broadcast_in_dim %156, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %159 = stablehlo.multiply %157, %158 : tensor<8x128x512xf32>
    %160 = stablehlo.multiply %152, %159 : tensor<8x128x512xf32>
    %161 = stablehlo.dot_general %160, %arg13, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x8x64xf32>) -> tensor<8x128x8x64xf32>
    %162 = stablehlo.iota dim = 0 : tensor<32xi32>
    %163 = stablehlo.negate %162 : tensor<32xi32>
    %164 = stablehlo.convert %163 : (tensor<32xi32>) -> tensor<32xf32>
    %cst_20 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %165 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %166 = stablehlo.divide %164, %165 : tensor<32xf32>
    %cst_21 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %168 = stablehlo.power %167, %166 : tensor<32xf32>
    %169 = stablehlo.iota dim = 0 : tensor<128xi32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %171 = stablehlo.convert %170 : (tensor<128x1xi32>) -> tensor<128x1xf32>
    %172 = stablehlo.broadcast_in_dim %168, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %173 = stablehlo.broadcast_in_dim %171, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x32xf32>
    %174 = stablehlo.broadcast_in_dim %172, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<128x32xf32>
    %175 = stablehlo.multiply %173, %174 : tensor<128x32xf32>
    %176 = stablehlo.cosine %175 : tensor<128x32xf32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %178 = stablehlo.sine %175 : tensor<128x32xf32>
    %179 = stablehlo.broadcast_in_dim %178, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %180 = stablehlo.slice %161 [0:8, 0:128, 0:8, 0:32] : (tensor<8x128x8x64xf32>) -> tensor<8x128x8x32xf32>
    %181 = stablehlo.slice %161 [0:8, 0:128, 0:8, 32:64] : (tensor<8x128x8x64xf32>) -> tensor<8x128x8x32xf32>
    %182 = stablehlo.broadcast_in_dim %177, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %183 = stablehlo.broadcast_in_dim %182, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %184 = stablehlo.multiply %180, %183 : tensor<8x128x8x32xf32>
    %185 = stablehlo.broadcast_in_dim %179, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %186 = stablehlo.broadcast_in_dim %185, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %187 = stablehlo.multiply %181, %186 : tensor<8x128x8x32xf32>
    %188 = stablehlo.subtract %184, %187 : tensor<8x128x8x32xf32>
    %189 = stablehlo.broadcast_in_dim %177, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %190 = stablehlo.broadcast_in_dim %189, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %191 = stablehlo.multiply %181, %190 : tensor<8x128x8x32xf32>
    %192 = stablehlo.broadcast_in_dim %179, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %193 = stablehlo.broadcast_in_dim %192, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %194 = stablehlo.multiply %180, %193 : tensor<8x128x8x32xf32>
    %195 = stablehlo.add %191, %194 : tensor<8x128x8x32xf32>
    %196 = stablehlo.concatenate %188, %195, dim = 3 : (tensor<8x128x8x32xf32>, tensor<8x128x8x32xf32>) -> tensor<8x128x8x64xf32>
    %197 = stablehlo.dot_general %160, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x4x64xf32>) -> tensor<8x128x4x64xf32>
    %198 = stablehlo.iota dim = 0 : tensor<32xi32>
    %199 = stablehlo.negate %198 : tensor<32xi32>
    %200 = stablehlo.convert %199 : (tensor<32xi32>) -> tensor<32xf32>
    %cst_22 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %201 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %202 = stablehlo.divide %200, %201 : tensor<32xf32>
    %cst_23 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %204 = stablehlo.power %203, %202 : tensor<32xf32>
    %205 = stablehlo.iota dim = 0 : tensor<128xi32>
    %206 = stablehlo.broadcast_in_dim %205, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %207 = stablehlo.convert %206 : (tensor<128x1xi32>) -> tensor<128x1xf32>
    %208 = stablehlo.broadcast_in_dim %204, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %209 = stablehlo.broadcast_in_dim %207, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x32xf32>
    %210 = stablehlo.broadcast_in_dim %208, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<128x32xf32>
    %211 = stablehlo.multiply %209, %210 : tensor<128x32xf32>
    %212 = stablehlo.cosine %211 : tensor<128x32xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %214 = stablehlo.sine %211 : tensor<128x32xf32>
    %215 = stablehlo.broadcast_in_dim %214, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %216 = stablehlo.slice %197 [0:8, 0:128, 0:4, 0:32] : (tensor<8x128x4x64xf32>) -> tensor<8x128x4x32xf32>
    %217 = stablehlo.slice %197 [0:8, 0:128, 0:4, 32:64] : (tensor<8x128x4x64xf32>) -> tensor<8x128x4x32xf32>
    %218 = stablehlo.broadcast_in_dim %213, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %219 = stablehlo.broadcast_in_dim %218, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %220 = stablehlo.multiply %216, %219 : tensor<8x128x4x32xf32>
    %221 = stablehlo.broadcast_in_dim %215, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %222 = stablehlo.broadcast_in_dim %221, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %223 = stablehlo.multiply %217, %222 : tensor<8x128x4x32xf32>
    %224 = stablehlo.subtract %220, %223 : tensor<8x128x4x32xf32>
    %225 = stablehlo.broadcast_in_dim %213, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %226 = stablehlo.broadcast_in_dim %225, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %227 = stablehlo.multiply %217, %226 : tensor<8x128x4x32xf32>
    %228 = stablehlo.broadcast_in_dim %215, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %229 = stablehlo.broadcast_in_dim %228, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %230 = stablehlo.multiply %216, %229 : tensor<8x128x4x32xf32>
    %231 = stablehlo.add %227, %230 : tensor<8x128x4x32xf32>
    %232 = stablehlo.concatenate %224, %231, dim = 3 : (tensor<8x128x4x32xf32>, tensor<8x128x4x32xf32>) -> tensor<8x128x4x64xf32>
    %233 = stablehlo.dot_general %160, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x4x64xf32>) -> tensor<8x128x4x64xf32>
    %234 = stablehlo.reshape %196 : (tensor<8x128x8x64xf32>) -> tensor<8x128x4x2x64xf32>
    %235 = stablehlo.dot_general %232, %234, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x128x2xf32>
    %236 = stablehlo.transpose %235, dims = [0, 1, 4, 3, 2] : (tensor<8x4x128x128x2xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_24 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %237 = stablehlo.sqrt %cst_24 : tensor<f32>
    %238 = stablehlo.convert %237 : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %238, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %240 = stablehlo.divide %236, %239 : tensor<8x4x2x128x128xf32>
    %241 = stablehlo.iota dim = 0 : tensor<128xi32>
    %242 = stablehlo.broadcast_in_dim %241, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %243 = stablehlo.broadcast_in_dim %241, dims = [1] : (tensor<128xi32>) -> tensor<1x128xi32>
    %244 = stablehlo.broadcast_in_dim %242, dims = [0, 1] : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %245 = stablehlo.broadcast_in_dim %243, dims = [0, 1] : (tensor<1x128xi32>) -> tensor<128x128xi32>
    %246 = stablehlo.compare GE, %244, %245, SIGNED : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %247 = call @_where_0(%246, %240, %cst_25) : (tensor<128x128xi1>, tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %248 = stablehlo.reduce(%247 init: %cst_26) applies stablehlo.maximum across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %cst_27 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %249 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<8x4x2x128xf32>
    %250 = stablehlo.maximum %249, %248 : tensor<8x4x2x128xf32>
    %251 = stablehlo.broadcast_in_dim %250, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %252 = stablehlo.broadcast_in_dim %251, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %253 = stablehlo.subtract %247, %252 : tensor<8x4x2x128x128xf32>
    %254 = stablehlo.exponential %253 : tensor<8x4x2x128x128xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %255 = stablehlo.reduce(%254 init: %cst_28) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %256 = stablehlo.broadcast_in_dim %255, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %257 = stablehlo.broadcast_in_dim %256, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %258 = stablehlo.divide %254, %257 : tensor<8x4x2x128x128xf32>
    %259 = stablehlo.dot_general %233, %258, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x2x128xf32>
    %260 = stablehlo.transpose %259, dims = [0, 4, 1, 3, 2] : (tensor<8x4x64x2x128xf32>) -> tensor<8x128x4x2x64xf32>
    %261 = stablehlo.reshape %260 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x8x64xf32>
    %262 = stablehlo.dot_general %261, %arg12, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x8x64xf32>, tensor<8x64x512xf32>) -> tensor<8x128x512xf32>
    %263 = stablehlo.add %143, %262 : tensor<8x128x512xf32>
    %264 = chlo.square %263 : tensor<8x128x512xf32> -> tensor<8x128x512xf32>
    %cst_29 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %265 = stablehlo.reduce(%264 init: %cst_29) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_30 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %266 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %267 = stablehlo.divide %265, %266 : tensor<8x128xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %268 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %269 = stablehlo.broadcast_in_dim %268, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %270 = stablehlo.broadcast_in_dim %267, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %271 = stablehlo.broadcast_in_dim %269, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %272 = stablehlo.subtract %263, %271 : tensor<8x128x512xf32>
    %cst_32 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %274 = stablehlo.add %270, %273 : tensor<8x128x1xf32>
    %275 = stablehlo.rsqrt %274 : tensor<8x128x1xf32>
    %276 = stablehlo.reshape %arg19 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %277 = stablehlo.broadcast_in_dim %275, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %278 = stablehlo.broadcast_in_dim %276, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %279 = stablehlo.multiply %277, %278 : tensor<8x128x512xf32>
    %280 = stablehlo.multiply %272, %279 : tensor<8x128x512xf32>
    %281 = stablehlo.dot_general %280, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x1408xf32>) -> tensor<8x128x1408xf32>
    %282 = stablehlo.dot_general %280, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x1408xf32>) -> tensor<8x128x1408xf32>
    %283 = call @silu(%281) : (tensor<8x128x1408xf32>) -> tensor<8x128x1408xf32>
    %284 = stablehlo.multiply %283, %282 : tensor<8x128x1408xf32>
    %285 = stablehlo.dot_general %284, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x1408xf32>, tensor<1408x512xf32>) -> tensor<8x128x512xf32>
    %286 = stablehlo.add %263, %285 : tensor<8x128x512xf32>
    %287 = chlo.square %286 : tensor<8x128x512xf32> -> tensor<8x128x512xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %288 = stablehlo.reduce(%287 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_34 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %289 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %290 = stablehlo.divide %288, %289 : tensor<8x128xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %291 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %292 = stablehlo.broadcast_in_dim %291, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %293 = stablehlo.broadcast_in_dim %290, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %294 = stablehlo.broadcast_in_dim %292, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %295 = stablehlo.subtract %286, %294 : tensor<8x128x512xf32>
    %cst_36 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %297 = stablehlo.add %293, %296 : tensor<8x128x1xf32>
    %298 = stablehlo.rsqrt %297 : tensor<8x128x1xf32>
    %299 = stablehlo.reshape %arg24 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %300 = stablehlo.broadcast_in_dim %298, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %301 = stablehlo.broadcast_in_dim %299, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %302 = stablehlo.multiply %300, %301 : tensor<8x128x512xf32>
    %303 = stablehlo.multiply %295, %302 : tensor<8x128x512xf32>
    %304 = stablehlo.dot_general %303, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x8x64xf32>) -> tensor<8x128x8x64xf32>
    %305 = stablehlo.iota dim = 0 : tensor<32xi32>
    %306 = stablehlo.negate %305 : tensor<32xi32>
    %307 = stablehlo.convert %306 : (tensor<32xi32>) -> tensor<32xf32>
    %cst_37 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %308 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %309 = stablehlo.divide %307, %308 : tensor<32xf32>
    %cst_38 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %310 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %311 = stablehlo.power %310, %309 : tensor<32xf32>
    %312 = stablehlo.iota dim = 0 : tensor<128xi32>
    %313 = stablehlo.broadcast_in_dim %312, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %314 = stablehlo.convert %313 : (tensor<128x1xi32>) -> tensor<128x1xf32>
    %315 = stablehlo.broadcast_in_dim %311, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %316 = stablehlo.broadcast_in_dim %314, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x32xf32>
    %317 = stablehlo.broadcast_in_dim %315, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<128x32xf32>
    %318 = stablehlo.multiply %316, %317 : tensor<128x32xf32>
    %319 = stablehlo.cosine %318 : tensor<128x32xf32>
    %320 = stablehlo.broadcast_in_dim %319, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %321 = stablehlo.sine %318 : tensor<128x32xf32>
    %322 = stablehlo.broadcast_in_dim %321, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %323 = stablehlo.slice %304 [0:8, 0:128, 0:8, 0:32] : (tensor<8x128x8x64xf32>) -> tensor<8x128x8x32xf32>
    %324 = stablehlo.slice %304 [0:8, 0:128, 0:8, 32:64] : (tensor<8x128x8x64xf32>) -> tensor<8x128x8x32xf32>
    %325 = stablehlo.broadcast_in_dim %320, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %326 = stablehlo.broadcast_in_dim %325, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %327 = stablehlo.multiply %323, %326 : tensor<8x128x8x32xf32>
    %328 = stablehlo.broadcast_in_dim %322, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %329 = stablehlo.broadcast_in_dim %328, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %330 = stablehlo.multiply %324, %329 : tensor<8x128x8x32xf32>
    %331 = stablehlo.subtract %327, %330 : tensor<8x128x8x32xf32>
    %332 = stablehlo.broadcast_in_dim %320, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %333 = stablehlo.broadcast_in_dim %332, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %334 = stablehlo.multiply %324, %333 : tensor<8x128x8x32xf32>
    %335 = stablehlo.broadcast_in_dim %322, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %336 = stablehlo.broadcast_in_dim %335, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %337 = stablehlo.multiply %323, %336 : tensor<8x128x8x32xf32>
    %338 = stablehlo.add %334, %337 : tensor<8x128x8x32xf32>
    %339 = stablehlo.concatenate %331, %338, dim = 3 : (tensor<8x128x8x32xf32>, tensor<8x128x8x32xf32>) -> tensor<8x128x8x64xf32>
    %340 = stablehlo.dot_general %303, %arg20, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x4x64xf32>) -> tensor<8x128x4x64xf32>
    %341 = stablehlo.iota dim = 0 : tensor<32xi32>
    %342 = stablehlo.negate %341 : tensor<32xi32>
    %343 = stablehlo.convert %342 : (tensor<32xi32>) -> tensor<32xf32>
    %cst_39 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %344 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %345 = stablehlo.divide %343, %344 : tensor<32xf32>
    %cst_40 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %346 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %347 = stablehlo.power %346, %345 : tensor<32xf32>
    %348 = stablehlo.iota dim = 0 : tensor<128xi32>
    %349 = stablehlo.broadcast_in_dim %348, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %350 = stablehlo.convert %349 : (tensor<128x1xi32>) -> tensor<128x1xf32>
    %351 = stablehlo.broadcast_in_dim %347, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %352 = stablehlo.broadcast_in_dim %350, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x32xf32>
    %353 = stablehlo.broadcast_in_dim %351, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<128x32xf32>
    %354 = stablehlo.multiply %352, %353 : tensor<128x32xf32>
    %355 = stablehlo.cosine %354 : tensor<128x32xf32>
    %356 = stablehlo.broadcast_in_dim %355, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %357 = stablehlo.sine %354 : tensor<128x32xf32>
    %358 = stablehlo.broadcast_in_dim %357, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %359 = stablehlo.slice %340 [0:8, 0:128, 0:4, 0:32] : (tensor<8x128x4x64xf32>) -> tensor<8x128x4x32xf32>
    %360 = stablehlo.slice %340 [0:8, 0:128, 0:4, 32:64] : (tensor<8x128x4x64xf32>) -> tensor<8x128x4x32xf32>
    %361 = stablehlo.broadcast_in_dim %356, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %362 = stablehlo.broadcast_in_dim %361, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %363 = stablehlo.multiply %359, %362 : tensor<8x128x4x32xf32>
    %364 = stablehlo.broadcast_in_dim %358, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %365 = stablehlo.broadcast_in_dim %364, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %366 = stablehlo.multiply %360, %365 : tensor<8x128x4x32xf32>
    %367 = stablehlo.subtract %363, %366 : tensor<8x128x4x32xf32>
    %368 = stablehlo.broadcast_in_dim %356, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %369 = stablehlo.broadcast_in_dim %368, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %370 = stablehlo.multiply %360, %369 : tensor<8x128x4x32xf32>
    %371 = stablehlo.broadcast_in_dim %358, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %372 = stablehlo.broadcast_in_dim %371, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %373 = stablehlo.multiply %359, %372 : tensor<8x128x4x32xf32>
    %374 = stablehlo.add %370, %373 : tensor<8x128x4x32xf32>
    %375 = stablehlo.concatenate %367, %374, dim = 3 : (tensor<8x128x4x32xf32>, tensor<8x128x4x32xf32>) -> tensor<8x128x4x64xf32>
    %376 = stablehlo.dot_general %303, %arg23, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x4x64xf32>) -> tensor<8x128x4x64xf32>
    %377 = stablehlo.reshape %339 : (tensor<8x128x8x64xf32>) -> tensor<8x128x4x2x64xf32>
    %378 = stablehlo.dot_general %375, %377, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x128x2xf32>
    %379 = stablehlo.transpose %378, dims = [0, 1, 4, 3, 2] : (tensor<8x4x128x128x2xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_41 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %380 = stablehlo.sqrt %cst_41 : tensor<f32>
    %381 = stablehlo.convert %380 : tensor<f32>
    %382 = stablehlo.broadcast_in_dim %381, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %383 = stablehlo.divide %379, %382 : tensor<8x4x2x128x128xf32>
    %384 = stablehlo.iota dim = 0 : tensor<128xi32>
    %385 = stablehlo.broadcast_in_dim %384, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %386 = stablehlo.broadcast_in_dim %384, dims = [1] : (tensor<128xi32>) -> tensor<1x128xi32>
    %387 = stablehlo.broadcast_in_dim %385, dims = [0, 1] : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %388 = stablehlo.broadcast_in_dim %386, dims = [0, 1] : (tensor<1x128xi32>) -> tensor<128x128xi32>
    %389 = stablehlo.compare GE, %387, %388, SIGNED : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %cst_42 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %390 = call @_where_0(%389, %383, %cst_42) : (tensor<128x128xi1>, tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %cst_43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %391 = stablehlo.reduce(%390 init: %cst_43) applies stablehlo.maximum across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %cst_44 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %392 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x4x2x128xf32>
    %393 = stablehlo.maximum %392, %391 : tensor<8x4x2x128xf32>
    %394 = stablehlo.broadcast_in_dim %393, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %395 = stablehlo.broadcast_in_dim %394, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %396 = stablehlo.subtract %390, %395 : tensor<8x4x2x128x128xf32>
    %397 = stablehlo.exponential %396 : tensor<8x4x2x128x128xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %398 = stablehlo.reduce(%397 init: %cst_45) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %399 = stablehlo.broadcast_in_dim %398, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %400 = stablehlo.broadcast_in_dim %399, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %401 = stablehlo.divide %397, %400 : tensor<8x4x2x128x128xf32>
    %402 = stablehlo.dot_general %376, %401, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x2x128xf32>
    %403 = stablehlo.transpose %402, dims = [0, 4, 1, 3, 2] : (tensor<8x4x64x2x128xf32>) -> tensor<8x128x4x2x64xf32>
    %404 = stablehlo.reshape %403 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x8x64xf32>
    %405 = stablehlo.dot_general %404, %arg21, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x8x64xf32>, tensor<8x64x512xf32>) -> tensor<8x128x512xf32>
    %406 = stablehlo.add %286, %405 : tensor<8x128x512xf32>
    %407 = chlo.square %406 : tensor<8x128x512xf32> -> tensor<8x128x512xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %408 = stablehlo.reduce(%407 init: %cst_46) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_47 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %409 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %410 = stablehlo.divide %408, %409 : tensor<8x128xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %411 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %412 = stablehlo.broadcast_in_dim %411, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %413 = stablehlo.broadcast_in_dim %410, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %414 = stablehlo.broadcast_in_dim %412, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %415 = stablehlo.subtract %406, %414 : tensor<8x128x512xf32>
    %cst_49 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %416 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %417 = stablehlo.add %413, %416 : tensor<8x128x1xf32>
    %418 = stablehlo.rsqrt %417 : tensor<8x128x1xf32>
    %419 = stablehlo.reshape %arg28 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %420 = stablehlo.broadcast_in_dim %418, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %421 = stablehlo.broadcast_in_dim %419, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %422 = stablehlo.multiply %420, %421 : tensor<8x128x512xf32>
    %423 = stablehlo.multiply %415, %422 : tensor<8x128x512xf32>
    %424 = stablehlo.dot_general %423, %arg26, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x1408xf32>) -> tensor<8x128x1408xf32>
    %425 = stablehlo.dot_general %423, %arg27, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x1408xf32>) -> tensor<8x128x1408xf32>
    %426 = call @silu(%424) : (tensor<8x128x1408xf32>) -> tensor<8x128x1408xf32>
    %427 = stablehlo.multiply %426, %425 : tensor<8x128x1408xf32>
    %428 = stablehlo.dot_general %427, %arg25, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x1408xf32>, tensor<1408x512xf32>) -> tensor<8x128x512xf32>
    %429 = stablehlo.add %406, %428 : tensor<8x128x512xf32>
    %430 = chlo.square %429 : tensor<8x128x512xf32> -> tensor<8x128x512xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %431 = stablehlo.reduce(%430 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_51 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %432 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %433 = stablehlo.divide %431, %432 : tensor<8x128xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %434 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %435 = stablehlo.broadcast_in_dim %434, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %436 = stablehlo.broadcast_in_dim %433, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %437 = stablehlo.broadcast_in_dim %435, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %438 = stablehlo.subtract %429, %437 : tensor<8x128x512xf32>
    %cst_53 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %439 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %440 = stablehlo.add %436, %439 : tensor<8x128x1xf32>
    %441 = stablehlo.rsqrt %440 : tensor<8x128x1xf32>
    %442 = stablehlo.reshape %arg33 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %443 = stablehlo.broadcast_in_dim %441, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %444 = stablehlo.broadcast_in_dim %442, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %445 = stablehlo.multiply %443, %444 : tensor<8x128x512xf32>
    %446 = stablehlo.multiply %438, %445 : tensor<8x128x512xf32>
    %447 = stablehlo.dot_general %446, %arg31, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x8x64xf32>) -> tensor<8x128x8x64xf32>
    %448 = stablehlo.iota dim = 0 : tensor<32xi32>
    %449 = stablehlo.negate %448 : tensor<32xi32>
    %450 = stablehlo.convert %449 : (tensor<32xi32>) -> tensor<32xf32>
    %cst_54 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %451 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %452 = stablehlo.divide %450, %451 : tensor<32xf32>
    %cst_55 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %453 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %454 = stablehlo.power %453, %452 : tensor<32xf32>
    %455 = stablehlo.iota dim = 0 : tensor<128xi32>
    %456 = stablehlo.broadcast_in_dim %455, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %457 = stablehlo.convert %456 : (tensor<128x1xi32>) -> tensor<128x1xf32>
    %458 = stablehlo.broadcast_in_dim %454, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %459 = stablehlo.broadcast_in_dim %457, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x32xf32>
    %460 = stablehlo.broadcast_in_dim %458, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<128x32xf32>
    %461 = stablehlo.multiply %459, %460 : tensor<128x32xf32>
    %462 = stablehlo.cosine %461 : tensor<128x32xf32>
    %463 = stablehlo.broadcast_in_dim %462, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %464 = stablehlo.sine %461 : tensor<128x32xf32>
    %465 = stablehlo.broadcast_in_dim %464, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %466 = stablehlo.slice %447 [0:8, 0:128, 0:8, 0:32] : (tensor<8x128x8x64xf32>) -> tensor<8x128x8x32xf32>
    %467 = stablehlo.slice %447 [0:8, 0:128, 0:8, 32:64] : (tensor<8x128x8x64xf32>) -> tensor<8x128x8x32xf32>
    %468 = stablehlo.broadcast_in_dim %463, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %469 = stablehlo.broadcast_in_dim %468, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %470 = stablehlo.multiply %466, %469 : tensor<8x128x8x32xf32>
    %471 = stablehlo.broadcast_in_dim %465, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %472 = stablehlo.broadcast_in_dim %471, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %473 = stablehlo.multiply %467, %472 : tensor<8x128x8x32xf32>
    %474 = stablehlo.subtract %470, %473 : tensor<8x128x8x32xf32>
    %475 = stablehlo.broadcast_in_dim %463, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %476 = stablehlo.broadcast_in_dim %475, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %477 = stablehlo.multiply %467, %476 : tensor<8x128x8x32xf32>
    %478 = stablehlo.broadcast_in_dim %465, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %479 = stablehlo.broadcast_in_dim %478, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x8x32xf32>
    %480 = stablehlo.multiply %466, %479 : tensor<8x128x8x32xf32>
    %481 = stablehlo.add %477, %480 : tensor<8x128x8x32xf32>
    %482 = stablehlo.concatenate %474, %481, dim = 3 : (tensor<8x128x8x32xf32>, tensor<8x128x8x32xf32>) -> tensor<8x128x8x64xf32>
    %483 = stablehlo.dot_general %446, %arg29, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x4x64xf32>) -> tensor<8x128x4x64xf32>
    %484 = stablehlo.iota dim = 0 : tensor<32xi32>
    %485 = stablehlo.negate %484 : tensor<32xi32>
    %486 = stablehlo.convert %485 : (tensor<32xi32>) -> tensor<32xf32>
    %cst_56 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %487 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %488 = stablehlo.divide %486, %487 : tensor<32xf32>
    %cst_57 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %489 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %490 = stablehlo.power %489, %488 : tensor<32xf32>
    %491 = stablehlo.iota dim = 0 : tensor<128xi32>
    %492 = stablehlo.broadcast_in_dim %491, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %493 = stablehlo.convert %492 : (tensor<128x1xi32>) -> tensor<128x1xf32>
    %494 = stablehlo.broadcast_in_dim %490, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %495 = stablehlo.broadcast_in_dim %493, dims = [0, 1] : (tensor<128x1xf32>) -> tensor<128x32xf32>
    %496 = stablehlo.broadcast_in_dim %494, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<128x32xf32>
    %497 = stablehlo.multiply %495, %496 : tensor<128x32xf32>
    %498 = stablehlo.cosine %497 : tensor<128x32xf32>
    %499 = stablehlo.broadcast_in_dim %498, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %500 = stablehlo.sine %497 : tensor<128x32xf32>
    %501 = stablehlo.broadcast_in_dim %500, dims = [0, 2] : (tensor<128x32xf32>) -> tensor<128x1x32xf32>
    %502 = stablehlo.slice %483 [0:8, 0:128, 0:4, 0:32] : (tensor<8x128x4x64xf32>) -> tensor<8x128x4x32xf32>
    %503 = stablehlo.slice %483 [0:8, 0:128, 0:4, 32:64] : (tensor<8x128x4x64xf32>) -> tensor<8x128x4x32xf32>
    %504 = stablehlo.broadcast_in_dim %499, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %505 = stablehlo.broadcast_in_dim %504, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %506 = stablehlo.multiply %502, %505 : tensor<8x128x4x32xf32>
    %507 = stablehlo.broadcast_in_dim %501, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %508 = stablehlo.broadcast_in_dim %507, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %509 = stablehlo.multiply %503, %508 : tensor<8x128x4x32xf32>
    %510 = stablehlo.subtract %506, %509 : tensor<8x128x4x32xf32>
    %511 = stablehlo.broadcast_in_dim %499, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %512 = stablehlo.broadcast_in_dim %511, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %513 = stablehlo.multiply %503, %512 : tensor<8x128x4x32xf32>
    %514 = stablehlo.broadcast_in_dim %501, dims = [1, 2, 3] : (tensor<128x1x32xf32>) -> tensor<1x128x1x32xf32>
    %515 = stablehlo.broadcast_in_dim %514, dims = [0, 1, 2, 3] : (tensor<1x128x1x32xf32>) -> tensor<8x128x4x32xf32>
    %516 = stablehlo.multiply %502, %515 : tensor<8x128x4x32xf32>
    %517 = stablehlo.add %513, %516 : tensor<8x128x4x32xf32>
    %518 = stablehlo.concatenate %510, %517, dim = 3 : (tensor<8x128x4x32xf32>, tensor<8x128x4x32xf32>) -> tensor<8x128x4x64xf32>
    %519 = stablehlo.dot_general %446, %arg32, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x4x64xf32>) -> tensor<8x128x4x64xf32>
    %520 = stablehlo.reshape %482 : (tensor<8x128x8x64xf32>) -> tensor<8x128x4x2x64xf32>
    %521 = stablehlo.dot_general %518, %520, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x128x4x2x64xf32>) -> tensor<8x4x128x128x2xf32>
    %522 = stablehlo.transpose %521, dims = [0, 1, 4, 3, 2] : (tensor<8x4x128x128x2xf32>) -> tensor<8x4x2x128x128xf32>
    %cst_58 = stablehlo.constant dense<6.400000e+01> : tensor<f32>
    %523 = stablehlo.sqrt %cst_58 : tensor<f32>
    %524 = stablehlo.convert %523 : tensor<f32>
    %525 = stablehlo.broadcast_in_dim %524, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %526 = stablehlo.divide %522, %525 : tensor<8x4x2x128x128xf32>
    %527 = stablehlo.iota dim = 0 : tensor<128xi32>
    %528 = stablehlo.broadcast_in_dim %527, dims = [0] : (tensor<128xi32>) -> tensor<128x1xi32>
    %529 = stablehlo.broadcast_in_dim %527, dims = [1] : (tensor<128xi32>) -> tensor<1x128xi32>
    %530 = stablehlo.broadcast_in_dim %528, dims = [0, 1] : (tensor<128x1xi32>) -> tensor<128x128xi32>
    %531 = stablehlo.broadcast_in_dim %529, dims = [0, 1] : (tensor<1x128xi32>) -> tensor<128x128xi32>
    %532 = stablehlo.compare GE, %530, %531, SIGNED : (tensor<128x128xi32>, tensor<128x128xi32>) -> tensor<128x128xi1>
    %cst_59 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %533 = call @_where_0(%532, %526, %cst_59) : (tensor<128x128xi1>, tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %cst_60 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %534 = stablehlo.reduce(%533 init: %cst_60) applies stablehlo.maximum across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %cst_61 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %535 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<8x4x2x128xf32>
    %536 = stablehlo.maximum %535, %534 : tensor<8x4x2x128xf32>
    %537 = stablehlo.broadcast_in_dim %536, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %538 = stablehlo.broadcast_in_dim %537, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %539 = stablehlo.subtract %533, %538 : tensor<8x4x2x128x128xf32>
    %540 = stablehlo.exponential %539 : tensor<8x4x2x128x128xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %541 = stablehlo.reduce(%540 init: %cst_62) applies stablehlo.add across dimensions = [4] : (tensor<8x4x2x128x128xf32>, tensor<f32>) -> tensor<8x4x2x128xf32>
    %542 = stablehlo.broadcast_in_dim %541, dims = [0, 1, 2, 3] : (tensor<8x4x2x128xf32>) -> tensor<8x4x2x128x1xf32>
    %543 = stablehlo.broadcast_in_dim %542, dims = [0, 1, 2, 3, 4] : (tensor<8x4x2x128x1xf32>) -> tensor<8x4x2x128x128xf32>
    %544 = stablehlo.divide %540, %543 : tensor<8x4x2x128x128xf32>
    %545 = stablehlo.dot_general %519, %544, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<8x128x4x64xf32>, tensor<8x4x2x128x128xf32>) -> tensor<8x4x64x2x128xf32>
    %546 = stablehlo.transpose %545, dims = [0, 4, 1, 3, 2] : (tensor<8x4x64x2x128xf32>) -> tensor<8x128x4x2x64xf32>
    %547 = stablehlo.reshape %546 : (tensor<8x128x4x2x64xf32>) -> tensor<8x128x8x64xf32>
    %548 = stablehlo.dot_general %547, %arg30, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<8x128x8x64xf32>, tensor<8x64x512xf32>) -> tensor<8x128x512xf32>
    %549 = stablehlo.add %429, %548 : tensor<8x128x512xf32>
    %550 = chlo.square %549 : tensor<8x128x512xf32> -> tensor<8x128x512xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %551 = stablehlo.reduce(%550 init: %cst_63) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_64 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %552 = stablehlo.broadcast_in_dim %cst_64, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %553 = stablehlo.divide %551, %552 : tensor<8x128xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %554 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %555 = stablehlo.broadcast_in_dim %554, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %556 = stablehlo.broadcast_in_dim %553, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %557 = stablehlo.broadcast_in_dim %555, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %558 = stablehlo.subtract %549, %557 : tensor<8x128x512xf32>
    %cst_66 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %560 = stablehlo.add %556, %559 : tensor<8x128x1xf32>
    %561 = stablehlo.rsqrt %560 : tensor<8x128x1xf32>
    %562 = stablehlo.reshape %arg37 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %563 = stablehlo.broadcast_in_dim %561, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %564 = stablehlo.broadcast_in_dim %562, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %565 = stablehlo.multiply %563, %564 : tensor<8x128x512xf32>
    %566 = stablehlo.multiply %558, %565 : tensor<8x128x512xf32>
    %567 = stablehlo.dot_general %566, %arg35, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x1408xf32>) -> tensor<8x128x1408xf32>
    %568 = stablehlo.dot_general %566, %arg36, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x1408xf32>) -> tensor<8x128x1408xf32>
    %569 = call @silu(%567) : (tensor<8x128x1408xf32>) -> tensor<8x128x1408xf32>
    %570 = stablehlo.multiply %569, %568 : tensor<8x128x1408xf32>
    %571 = stablehlo.dot_general %570, %arg34, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x1408xf32>, tensor<1408x512xf32>) -> tensor<8x128x512xf32>
    %572 = stablehlo.add %549, %571 : tensor<8x128x512xf32>
    %573 = chlo.square %572 : tensor<8x128x512xf32> -> tensor<8x128x512xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %574 = stablehlo.reduce(%573 init: %cst_67) applies stablehlo.add across dimensions = [2] : (tensor<8x128x512xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_68 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %575 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %576 = stablehlo.divide %574, %575 : tensor<8x128xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %577 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %578 = stablehlo.broadcast_in_dim %577, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %579 = stablehlo.broadcast_in_dim %576, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %580 = stablehlo.broadcast_in_dim %578, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %581 = stablehlo.subtract %572, %580 : tensor<8x128x512xf32>
    %cst_70 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %582 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %583 = stablehlo.add %579, %582 : tensor<8x128x1xf32>
    %584 = stablehlo.rsqrt %583 : tensor<8x128x1xf32>
    %585 = stablehlo.reshape %arg38 : (tensor<512xf32>) -> tensor<1x1x512xf32>
    %586 = stablehlo.broadcast_in_dim %584, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x512xf32>
    %587 = stablehlo.broadcast_in_dim %585, dims = [0, 1, 2] : (tensor<1x1x512xf32>) -> tensor<8x128x512xf32>
    %588 = stablehlo.multiply %586, %587 : tensor<8x128x512xf32>
    %589 = stablehlo.multiply %581, %588 : tensor<8x128x512xf32>
    %590 = stablehlo.dot_general %589, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x128x512xf32>, tensor<512x8192xf32>) -> tensor<8x128x8192xf32>
    %591 = stablehlo.broadcast_in_dim %arg39, dims = [0, 1] : (tensor<8x128xi32>) -> tensor<8x128x1xi32>
    %592 = call @take_along_axis(%590, %591) : (tensor<8x128x8192xf32>, tensor<8x128x1xi32>) -> tensor<8x128x1xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %593 = call @_take_1(%592, %c) : (tensor<8x128x1xf32>, tensor<i32>) -> tensor<8x128xf32>
    %cst_71 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %594 = stablehlo.reduce(%590 init: %cst_71) applies stablehlo.maximum across dimensions = [2] : (tensor<8x128x8192xf32>, tensor<f32>) -> tensor<8x128xf32>
    %cst_72 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %595 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %596 = stablehlo.maximum %595, %594 : tensor<8x128xf32>
    %597 = stablehlo.is_finite %596 : (tensor<8x128xf32>) -> tensor<8x128xi1>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %598 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %599 = stablehlo.select %597, %596, %598 : tensor<8x128xi1>, tensor<8x128xf32>
    %600 = stablehlo.broadcast_in_dim %599, dims = [0, 1] : (tensor<8x128xf32>) -> tensor<8x128x1xf32>
    %601 = stablehlo.broadcast_in_dim %600, dims = [0, 1, 2] : (tensor<8x128x1xf32>) -> tensor<8x128x8192xf32>
    %602 = stablehlo.subtract %590, %601 : tensor<8x128x8192xf32>
    %603 = stablehlo.exponential %602 : tensor<8x128x8192xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %604 = stablehlo.reduce(%603 init: %cst_74) applies stablehlo.add across dimensions = [2] : (tensor<8x128x8192xf32>, tensor<f32>) -> tensor<8x128xf32>
    %605 = stablehlo.sign %604 : tensor<8x128xf32>
    %606 = stablehlo.abs %604 : tensor<8x128xf32>
    %607 = stablehlo.log %606 : tensor<8x128xf32>
    %608 = stablehlo.add %607, %599 : tensor<8x128xf32>
    %609 = stablehlo.subtract %608, %593 : tensor<8x128xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %610 = stablehlo.reduce(%609 init: %cst_75) applies stablehlo.add across dimensions = [0, 1] : (tensor<8x128xf32>, tensor<f32>) -> tensor<f32>
    %cst_76 = stablehlo.constant dense<1.024000e+03> : tensor<f32>
    %611 = stablehlo.divide %610, %cst_76 : tensor<f32>
    return %611 : tensor<f32>
  }
  func.func private @_take(%arg0: tensor<8192x512xf32>, %arg1: tensor<8x128xi32>) -> tensor<8x128x512xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x128xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x128xi32>, tensor<8x128xi32>) -> tensor<8x128xi1>
    %c_0 = stablehlo.constant dense<8192> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x128xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x128xi32>
    %4 = call @_where(%1, %3, %arg1) : (tensor<8x128xi1>, tensor<8x128xi32>, tensor<8x128xi32>) -> tensor<8x128xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x128xi32>) -> tensor<8x128x1xi32>
    %c_1 = stablehlo.constant dense<8191> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x128x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x128x1xi32>, tensor<8x128x1xi32>) -> tensor<8x128x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<8x128x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x128x1xi32>, tensor<8x128x1xi32>) -> tensor<8x128x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x128x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<8x128x1xi1>, tensor<i1>) -> tensor<8x128xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 512>}> : (tensor<8192x512xf32>, tensor<8x128x1xi32>) -> tensor<8x128x512xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<8x128xi1>) -> tensor<8x128x512xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x512xf32>
    %16 = stablehlo.select %14, %13, %15 : tensor<8x128x512xi1>, tensor<8x128x512xf32>
    return %16 : tensor<8x128x512xf32>
  }
  func.func private @_where(%arg0: tensor<8x128xi1>, %arg1: tensor<8x128xi32>, %arg2: tensor<8x128xi32>) -> tensor<8x128xi32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<8x128xi1>, tensor<8x128xi32>
    return %0 : tensor<8x128xi32>
  }
  func.func private @_where_0(%arg0: tensor<128x128xi1>, %arg1: tensor<8x4x2x128x128xf32>, %arg2: tensor<f32>) -> tensor<8x4x2x128x128xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [3, 4] : (tensor<128x128xi1>) -> tensor<8x4x2x128x128xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x4x2x128x128xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<8x4x2x128x128xi1>, tensor<8x4x2x128x128xf32>
    return %3 : tensor<8x4x2x128x128xf32>
  }
  func.func private @silu(%arg0: tensor<8x128x1408xf32>) -> tensor<8x128x1408xf32> {
    %0 = stablehlo.negate %arg0 : tensor<8x128x1408xf32>
    %1 = stablehlo.exponential %0 : tensor<8x128x1408xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x1408xf32>
    %3 = stablehlo.add %2, %1 : tensor<8x128x1408xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x128x1408xf32>
    %5 = stablehlo.divide %4, %3 : tensor<8x128x1408xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<8x128x1408xf32>
    return %6 : tensor<8x128x1408xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x128x8192xf32>, %arg1: tensor<8x128x1xi32>) -> tensor<8x128x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x128x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x128x1xi32>, tensor<8x128x1xi32>) -> tensor<8x128x1xi1>
    %c_0 = stablehlo.constant dense<8192> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x128x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x128x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x128x1xi1>, tensor<8x128x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x128x1xi32>) -> tensor<8x128x1x1xi32>
    %c_1 = stablehlo.constant dense<8191> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x128x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x128x1x1xi32>, tensor<8x128x1x1xi32>) -> tensor<8x128x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x128x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x128x1x1xi32>, tensor<8x128x1x1xi32>) -> tensor<8x128x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x128x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x128x1x1xi1>, tensor<i1>) -> tensor<8x128x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x128x8192xf32>, tensor<8x128x1x1xi32>) -> tensor<8x128x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x128x1xi1>, tensor<8x128x1xf32>
    return %15 : tensor<8x128x1xf32>
  }
  func.func private @_take_1(%arg0: tensor<8x128x1xf32>, %arg1: tensor<i32>) -> tensor<8x128xf32> {
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
    %10 = "stablehlo.gather"(%arg0, %4) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], collapsed_slice_dims = [2], start_index_map = [2]>, indices_are_sorted = false, slice_sizes = array<i64: 8, 128, 1>}> : (tensor<8x128x1xf32>, tensor<1xi32>) -> tensor<8x128xf32>
    %11 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<8x128xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x128xf32>
    %13 = stablehlo.select %11, %10, %12 : tensor<8x128xi1>, tensor<8x128xf32>
    return %13 : tensor<8x128xf32>
  }
  func.func private @_where_2(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
