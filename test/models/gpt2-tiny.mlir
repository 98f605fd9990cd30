module @gpt2_tiny attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, smith.derivatives_marked} {
  func.func public @main(%arg0: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].attn.b_out", smith.role = "param"}, %arg1: tensor<120xf32> {smith.init = "zeros", smith.name = "blocks[0].attn.b_qkv", smith.role = "param"}, %arg2: tensor<40x40xf32> {smith.init = "normal:0.0104", smith.name = "blocks[0].attn.w_out", smith.role = "param"}, %arg3: tensor<40x120xf32> {smith.init = "normal:0.0203", smith.name = "blocks[0].attn.w_qkv", smith.role = "param"}, %arg4: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].ln_1.bias", smith.role = "param"}, %arg5: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[0].ln_1.scale", smith.role = "param"}, %arg6: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].ln_2.bias", smith.role = "param"}, %arg7: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[0].ln_2.scale", smith.role = "param"}, %arg8: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].mlp.b_down", smith.role = "param"}, %arg9: tensor<160xf32> {smith.init = "zeros", smith.name = "blocks[0].mlp.b_up", smith.role = "param"}, %arg10: tensor<160x40xf32> {smith.init = "normal:0.01", smith.name = "blocks[0].mlp.w_down", smith.role = "param"}, %arg11: tensor<40x160xf32> {smith.init = "normal:0.0201", smith.name = "blocks[0].mlp.w_up", smith.role = "param"}, %arg12: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].attn.b_out", smith.role = "param"}, %arg13: tensor<120xf32> {smith.init = "zeros", smith.name = "blocks[1].attn.b_qkv", smith.role = "param"}, %arg14: tensor<40x40xf32> {smith.init = "normal:0.0102", smith.name = "blocks[1].attn.w_out", smith.role = "param"}, %arg15: tensor<40x120xf32> {smith.init = "normal:0.0201", smith.name = "blocks[1].attn.w_qkv", smith.role = "param"}, %arg16: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].ln_1.bias", smith.role = "param"}, %arg17: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[1].ln_1.scale", smith.role = "param"}, %arg18: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].ln_2.bias", smith.role = "param"}, %arg19: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[1].ln_2.scale", smith.role = "param"}, %arg20: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].mlp.b_down", smith.role = "param"}, %arg21: tensor<160xf32> {smith.init = "zeros", smith.name = "blocks[1].mlp.b_up", smith.role = "param"}, %arg22: tensor<160x40xf32> {smith.init = "normal:0.00993", smith.name = "blocks[1].mlp.w_down", smith.role = "param"}, %arg23: tensor<40x160xf32> {smith.init = "normal:0.0201", smith.name = "blocks[1].mlp.w_up", smith.role = "param"}, %arg24: tensor<40xf32> {smith.init = "zeros", smith.name = "ln_f.bias", smith.role = "param"}, %arg25: tensor<40xf32> {smith.init = "ones", smith.name = "ln_f.scale", smith.role = "param"}, %arg26: tensor<32x40xf32> {smith.init = "normal:0.0202", smith.name = "wpe", smith.role = "param"}, %arg27: tensor<101x40xf32> {smith.init = "normal:0.0199", smith.name = "wte", smith.role = "param"}, %arg28: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 101 : i64, smith.name = "batch.targets", smith.role = "batch"}, %arg29: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 101 : i64, smith.name = "batch.tokens", smith.role = "batch"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<24x16xi32>
    %1 = stablehlo.compare LT, %arg29, %0, SIGNED : (tensor<24x16xi32>, tensor<24x16xi32>) -> tensor<24x16xi1>
    %c_0 = stablehlo.constant dense<101> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<24x16xi32>
    %3 = stablehlo.add %arg29, %2 : tensor<24x16xi32>
    %4 = stablehlo.select %1, %3, %arg29 : tensor<24x16xi1>, tensor<24x16xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<24x16xi32>) -> tensor<24x16x1xi32>
    %6 = "stablehlo.gather"(%arg27, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 40>}> : (tensor<101x40xf32>, tensor<24x16x1xi32>) -> tensor<24x16x40xf32>
    %7 = stablehlo.slice %arg26 [0:16, 0:40] : (tensor<32x40xf32>) -> tensor<16x40xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<16x40xf32>) -> tensor<1x16x40xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x16x40xf32>) -> tensor<24x16x40xf32>
    %10 = stablehlo.add %6, %9 : tensor<24x16x40xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_1 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<24x16x1xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %15 = call @_var(%10, %c_2) : (tensor<24x16x40xf32>, tensor<i32>) -> tensor<24x16x1xf32>
    %16 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %17 = stablehlo.subtract %10, %16 : tensor<24x16x40xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %19 = stablehlo.add %15, %18 : tensor<24x16x1xf32>
    %20 = stablehlo.sqrt %19 : tensor<24x16x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %22 = stablehlo.divide %17, %21 : tensor<24x16x40xf32>
    %23 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<24x16x40xf32>
    %26 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %28 = stablehlo.add %25, %27 : tensor<24x16x40xf32>
    %29 = stablehlo.dot_general %28, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x120xf32>) -> tensor<24x16x120xf32>
    %30 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<120xf32>) -> tensor<1x1x120xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<1x1x120xf32>) -> tensor<24x16x120xf32>
    %32 = stablehlo.add %29, %31 : tensor<24x16x120xf32>
    %33 = stablehlo.slice %32 [0:24, 0:16, 0:40] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %34 = stablehlo.slice %32 [0:24, 0:16, 40:80] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %35 = stablehlo.slice %32 [0:24, 0:16, 80:120] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %36 = stablehlo.reshape %33 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %37 = stablehlo.reshape %34 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %38 = stablehlo.reshape %35 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %39 = stablehlo.dot_general %36, %37, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x16xf32>
    %cst_4 = stablehlo.constant dense<3.1622777> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    %41 = stablehlo.divide %39, %40 : tensor<24x4x16x16xf32>
    %c_5 = stablehlo.constant dense<true> : tensor<i1>
    %42 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %43 = call @tril(%42) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_6 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %44 = call @_where_0(%43, %41, %cst_6) : (tensor<16x16xi1>, tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16x16xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %47 = stablehlo.maximum %46, %45 : tensor<24x4x16xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %50 = stablehlo.subtract %44, %49 : tensor<24x4x16x16xf32>
    %51 = stablehlo.exponential %50 : tensor<24x4x16x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%51 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %55 = stablehlo.divide %51, %54 : tensor<24x4x16x16xf32>
    %56 = stablehlo.dot_general %38, %55, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x10x16xf32>
    %57 = stablehlo.transpose %56, dims = [0, 3, 1, 2] : (tensor<24x4x10x16xf32>) -> tensor<24x16x4x10xf32>
    %58 = stablehlo.reshape %57 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %59 = stablehlo.dot_general %58, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x40xf32>) -> tensor<24x16x40xf32>
    %60 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %62 = stablehlo.add %59, %61 : tensor<24x16x40xf32>
    %63 = stablehlo.add %10, %62 : tensor<24x16x40xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_11 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %67 = stablehlo.divide %65, %66 : tensor<24x16x1xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %68 = call @_var(%63, %c_12) : (tensor<24x16x40xf32>, tensor<i32>) -> tensor<24x16x1xf32>
    %69 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %70 = stablehlo.subtract %63, %69 : tensor<24x16x40xf32>
    %cst_13 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %72 = stablehlo.add %68, %71 : tensor<24x16x1xf32>
    %73 = stablehlo.sqrt %72 : tensor<24x16x1xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %75 = stablehlo.divide %70, %74 : tensor<24x16x40xf32>
    %76 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %78 = stablehlo.multiply %75, %77 : tensor<24x16x40xf32>
    %79 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %81 = stablehlo.add %78, %80 : tensor<24x16x40xf32>
    %82 = stablehlo.dot_general %81, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x160xf32>) -> tensor<24x16x160xf32>
    %83 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<160xf32>) -> tensor<1x1x160xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<1x1x160xf32>) -> tensor<24x16x160xf32>
    %85 = stablehlo.add %82, %84 : tensor<24x16x160xf32>
    %86 = stablehlo.multiply %85, %85 : tensor<24x16x160xf32>
    %87 = stablehlo.multiply %86, %85 : tensor<24x16x160xf32>
    %cst_14 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<24x16x160xf32>
    %90 = stablehlo.add %85, %89 : tensor<24x16x160xf32>
    %cst_15 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<24x16x160xf32>
    %93 = stablehlo.tanh %92 : tensor<24x16x160xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %95 = stablehlo.add %94, %93 : tensor<24x16x160xf32>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %97 = stablehlo.multiply %96, %95 : tensor<24x16x160xf32>
    %98 = stablehlo.multiply %85, %97 : tensor<24x16x160xf32>
    %99 = stablehlo.dot_general %98, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xf32>, tensor<160x40xf32>) -> tensor<24x16x40xf32>
    %100 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %102 = stablehlo.add %99, %101 : tensor<24x16x40xf32>
    %103 = stablehlo.add %63, %102 : tensor<24x16x40xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_19 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %107 = stablehlo.divide %105, %106 : tensor<24x16x1xf32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %108 = call @_var(%103, %c_20) : (tensor<24x16x40xf32>, tensor<i32>) -> tensor<24x16x1xf32>
    %109 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %110 = stablehlo.subtract %103, %109 : tensor<24x16x40xf32>
    %cst_21 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %112 = stablehlo.add %108, %111 : tensor<24x16x1xf32>
    %113 = stablehlo.sqrt %112 : tensor<24x16x1xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %115 = stablehlo.divide %110, %114 : tensor<24x16x40xf32>
    %116 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %118 = stablehlo.multiply %115, %117 : tensor<24x16x40xf32>
    %119 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %121 = stablehlo.add %118, %120 : tensor<24x16x40xf32>
    %122 = stablehlo.dot_general %121, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x120xf32>) -> tensor<24x16x120xf32>
    %123 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<120xf32>) -> tensor<1x1x120xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<1x1x120xf32>) -> tensor<24x16x120xf32>
    %125 = stablehlo.add %122, %124 : tensor<24x16x120xf32>
    %126 = stablehlo.slice %125 [0:24, 0:16, 0:40] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %127 = stablehlo.slice %125 [0:24, 0:16, 40:80] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %128 = stablehlo.slice %125 [0:24, 0:16, 80:120] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %129 = stablehlo.reshape %126 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %130 = stablehlo.reshape %127 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %131 = stablehlo.reshape %128 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %132 = stablehlo.dot_general %129, %130, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x16xf32>
    %cst_22 = stablehlo.constant dense<3.1622777> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    %134 = stablehlo.divide %132, %133 : tensor<24x4x16x16xf32>
    %c_23 = stablehlo.constant dense<true> : tensor<i1>
    %135 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %136 = call @tril(%135) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_24 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %137 = call @_where_0(%136, %134, %cst_24) : (tensor<16x16xi1>, tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16x16xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %138 = stablehlo.reduce(%137 init: %cst_25) applies stablehlo.maximum across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %140 = stablehlo.maximum %139, %138 : tensor<24x4x16xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %143 = stablehlo.subtract %137, %142 : tensor<24x4x16x16xf32>
    %144 = stablehlo.exponential %143 : tensor<24x4x16x16xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.reduce(%144 init: %cst_27) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %148 = stablehlo.divide %144, %147 : tensor<24x4x16x16xf32>
    %149 = stablehlo.dot_general %131, %148, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x10x16xf32>
    %150 = stablehlo.transpose %149, dims = [0, 3, 1, 2] : (tensor<24x4x10x16xf32>) -> tensor<24x16x4x10xf32>
    %151 = stablehlo.reshape %150 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %152 = stablehlo.dot_general %151, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x40xf32>) -> tensor<24x16x40xf32>
    %153 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %155 = stablehlo.add %152, %154 : tensor<24x16x40xf32>
    %156 = stablehlo.add %103, %155 : tensor<24x16x40xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.reduce(%156 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %158 = stablehlo.broadcast_in_dim %157, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_29 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %160 = stablehlo.divide %158, %159 : tensor<24x16x1xf32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %161 = call @_var(%156, %c_30) : (tensor<24x16x40xf32>, tensor<i32>) -> tensor<24x16x1xf32>
    %162 = stablehlo.broadcast_in_dim %160, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %163 = stablehlo.subtract %156, %162 : tensor<24x16x40xf32>
    %cst_31 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %165 = stablehlo.add %161, %164 : tensor<24x16x1xf32>
    %166 = stablehlo.sqrt %165 : tensor<24x16x1xf32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %168 = stablehlo.divide %163, %167 : tensor<24x16x40xf32>
    %169 = stablehlo.broadcast_in_dim %arg19, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %171 = stablehlo.multiply %168, %170 : tensor<24x16x40xf32>
    %172 = stablehlo.broadcast_in_dim %arg18, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %173 = stablehlo.broadcast_in_dim %172, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %174 = stablehlo.add %171, %173 : tensor<24x16x40xf32>
    %175 = stablehlo.dot_general %174, %arg23, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x160xf32>) -> tensor<24x16x160xf32>
    %176 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<160xf32>) -> tensor<1x1x160xf32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [0, 1, 2] : (tensor<1x1x160xf32>) -> tensor<24x16x160xf32>
    %178 = stablehlo.add %175, %177 : tensor<24x16x160xf32>
    %179 = stablehlo.multiply %178, %178 : tensor<24x16x160xf32>
    %180 = stablehlo.multiply %179, %178 : tensor<24x16x160xf32>
    %cst_32 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %182 = stablehlo.multiply %181, %180 : tensor<24x16x160xf32>
    %183 = stablehlo.add %178, %182 : tensor<24x16x160xf32>
    %cst_33 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %185 = stablehlo.multiply %184, %183 : tensor<24x16x160xf32>
    %186 = stablehlo.tanh %185 : tensor<24x16x160xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %188 = stablehlo.add %187, %186 : tensor<24x16x160xf32>
    %cst_35 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %190 = stablehlo.multiply %189, %188 : tensor<24x16x160xf32>
    %191 = stablehlo.multiply %178, %190 : tensor<24x16x160xf32>
    %192 = stablehlo.dot_general %191, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xf32>, tensor<160x40xf32>) -> tensor<24x16x40xf32>
    %193 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %195 = stablehlo.add %192, %194 : tensor<24x16x40xf32>
    %196 = stablehlo.add %156, %195 : tensor<24x16x40xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %197 = stablehlo.reduce(%196 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %198 = stablehlo.broadcast_in_dim %197, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_37 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %199 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %200 = stablehlo.divide %198, %199 : tensor<24x16x1xf32>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %201 = call @_var(%196, %c_38) : (tensor<24x16x40xf32>, tensor<i32>) -> tensor<24x16x1xf32>
    %202 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %203 = stablehlo.subtract %196, %202 : tensor<24x16x40xf32>
    %cst_39 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %205 = stablehlo.add %201, %204 : tensor<24x16x1xf32>
    %206 = stablehlo.sqrt %205 : tensor<24x16x1xf32>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %208 = stablehlo.divide %203, %207 : tensor<24x16x40xf32>
    %209 = stablehlo.broadcast_in_dim %arg25, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %210 = stablehlo.broadcast_in_dim %209, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %211 = stablehlo.multiply %208, %210 : tensor<24x16x40xf32>
    %212 = stablehlo.broadcast_in_dim %arg24, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %214 = stablehlo.add %211, %213 : tensor<24x16x40xf32>
    %215 = stablehlo.transpose %arg27, dims = [1, 0] : (tensor<101x40xf32>) -> tensor<40x101xf32>
    %216 = stablehlo.dot_general %214, %215, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x101xf32>) -> tensor<24x16x101xf32>
    %217 = call @log_softmax(%216) : (tensor<24x16x101xf32>) -> tensor<24x16x101xf32>
    %218 = stablehlo.broadcast_in_dim %arg28, dims = [0, 1] : (tensor<24x16xi32>) -> tensor<24x16x1xi32>
    %219 = call @take_along_axis(%217, %218) : (tensor<24x16x101xf32>, tensor<24x16x1xi32>) -> tensor<24x16x1xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %220 = stablehlo.reduce(%219 init: %cst_40) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_41 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %221 = stablehlo.divide %220, %cst_41 : tensor<f32>
    %222 = stablehlo.negate %221 : tensor<f32>
    return %222 : tensor<f32>
  }
  func.func private @_var(%arg0: tensor<24x16x40xf32>, %arg1: tensor<i32>) -> tensor<24x16x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<24x16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<24x16x40xf32>
    %6 = chlo.square %5 : tensor<24x16x40xf32> -> tensor<24x16x40xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<24x16x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<24x16x1xf32>, tensor<f32>) -> tensor<24x16x1xf32>
    return %14 : tensor<24x16x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<24x16x1xf32>, %arg2: tensor<f32>) -> tensor<24x16x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<24x16x1xf32>
    return %2 : tensor<24x16x1xf32>
  }
  func.func private @tril(%arg0: tensor<16x16xi1>) -> tensor<16x16xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<16x16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x16xi32>
    %2 = stablehlo.add %0, %1 : tensor<16x16xi32>
    %3 = stablehlo.iota dim = 1 : tensor<16x16xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<16x16xi1>, tensor<16x16xi1>
    return %6 : tensor<16x16xi1>
  }
  func.func private @_where_0(%arg0: tensor<16x16xi1>, %arg1: tensor<24x4x16x16xf32>, %arg2: tensor<f32>) -> tensor<24x4x16x16xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<24x4x16x16xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<24x4x16x16xi1>, tensor<24x4x16x16xf32>
    return %2 : tensor<24x4x16x16xf32>
  }
  func.func private @log_softmax(%arg0: tensor<24x16x101xf32>) -> tensor<24x16x101xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<24x16x101xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<24x16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x101xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<24x16x101xf32>
    %6 = stablehlo.exponential %5 : tensor<24x16x101xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<24x16x101xf32>, tensor<f32>) -> tensor<24x16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %9 = stablehlo.log %8 : tensor<24x16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x101xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<24x16x101xf32>
    return %11 : tensor<24x16x101xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<24x16x101xf32>, %arg1: tensor<24x16x1xi32>) -> tensor<24x16x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<24x16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<24x16x1xi32>, tensor<24x16x1xi32>) -> tensor<24x16x1xi1>
    %c_0 = stablehlo.constant dense<101> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<24x16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<24x16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<24x16x1xi1>, tensor<24x16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<24x16x1xi32>) -> tensor<24x16x1x1xi32>
    %c_1 = stablehlo.constant dense<100> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<24x16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<24x16x1x1xi32>, tensor<24x16x1x1xi32>) -> tensor<24x16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<24x16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<24x16x1x1xi32>, tensor<24x16x1x1xi32>) -> tensor<24x16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<24x16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<24x16x1x1xi1>, tensor<i1>) -> tensor<24x16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<24x16x101xf32>, tensor<24x16x1x1xi32>) -> tensor<24x16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<24x16x1xi1>, tensor<24x16x1xf32>
    return %15 : tensor<24x16x1xf32>
  }
}
