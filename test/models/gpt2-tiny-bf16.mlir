module @gpt2_tiny_bf16 attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, smith.derivatives_marked} {
  func.func public @main(%arg0: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].attn.b_out", smith.role = "param"}, %arg1: tensor<120xf32> {smith.init = "zeros", smith.name = "blocks[0].attn.b_qkv", smith.role = "param"}, %arg2: tensor<40x40xf32> {smith.init = "normal:0.0104", smith.name = "blocks[0].attn.w_out", smith.role = "param"}, %arg3: tensor<40x120xf32> {smith.init = "normal:0.0203", smith.name = "blocks[0].attn.w_qkv", smith.role = "param"}, %arg4: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].ln_1.bias", smith.role = "param"}, %arg5: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[0].ln_1.scale", smith.role = "param"}, %arg6: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].ln_2.bias", smith.role = "param"}, %arg7: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[0].ln_2.scale", smith.role = "param"}, %arg8: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].mlp.b_down", smith.role = "param"}, %arg9: tensor<160xf32> {smith.init = "zeros", smith.name = "blocks[0].mlp.b_up", smith.role = "param"}, %arg10: tensor<160x40xf32> {smith.init = "normal:0.01", smith.name = "blocks[0].mlp.w_down", smith.role = "param"}, %arg11: tensor<40x160xf32> {smith.init = "normal:0.0201", smith.name = "blocks[0].mlp.w_up", smith.role = "param"}, %arg12: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].attn.b_out", smith.role = "param"}, %arg13: tensor<120xf32> {smith.init = "zeros", smith.name = "blocks[1].attn.b_qkv", smith.role = "param"}, %arg14: tensor<40x40xf32> {smith.init = "normal:0.0102", smith.name = "blocks[1].attn.w_out", smith.role = "param"}, %arg15: tensor<40x120xf32> {smith.init = "normal:0.0201", smith.name = "blocks[1].attn.w_qkv", smith.role = "param"}, %arg16: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].ln_1.bias", smith.role = "param"}, %arg17: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[1].ln_1.scale", smith.role = "param"}, %arg18: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].ln_2.bias", smith.role = "param"}, %arg19: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[1].ln_2.scale", smith.role = "param"}, %arg20: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].mlp.b_down", smith.role = "param"}, %arg21: tensor<160xf32> {smith.init = "zeros", smith.name = "blocks[1].mlp.b_up", smith.role = "param"}, %arg22: tensor<160x40xf32> {smith.init = "normal:0.00993", smith.name = "blocks[1].mlp.w_down", smith.role = "param"}, %arg23: tensor<40x160xf32> {smith.init = "normal:0.0201", smith.name = "blocks[1].mlp.w_up", smith.role = "param"}, %arg24: tensor<40xf32> {smith.init = "zeros", smith.name = "ln_f.bias", smith.role = "param"}, %arg25: tensor<40xf32> {smith.init = "ones", smith.name = "ln_f.scale", smith.role = "param"}, %arg26: tensor<32x40xf32> {smith.init = "normal:0.0202", smith.name = "wpe", smith.role = "param"}, %arg27: tensor<101x40xf32> {smith.init = "normal:0.0199", smith.name = "wte", smith.role = "param"}, %arg28: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 101 : i64, smith.name = "batch.targets", smith.role = "batch"}, %arg29: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 101 : i64, smith.name = "batch.tokens", smith.role = "batch"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %0 = stablehlo.convert %arg0 : (tensor<40xf32>) -> tensor<40xbf16>
    %1 = stablehlo.convert %arg1 : (tensor<120xf32>) -> tensor<120xbf16>
    %2 = stablehlo.convert %arg2 : (tensor<40x40xf32>) -> tensor<40x40xbf16>
    %3 = stablehlo.convert %arg3 : (tensor<40x120xf32>) -> tensor<40x120xbf16>
    %4 = stablehlo.convert %arg4 : (tensor<40xf32>) -> tensor<40xbf16>
    %5 = stablehlo.convert %arg5 : (tensor<40xf32>) -> tensor<40xbf16>
    %6 = stablehlo.convert %arg6 : (tensor<40xf32>) -> tensor<40xbf16>
    %7 = stablehlo.convert %arg7 : (tensor<40xf32>) -> tensor<40xbf16>
    %8 = stablehlo.convert %arg8 : (tensor<40xf32>) -> tensor<40xbf16>
    %9 = stablehlo.convert %arg9 : (tensor<160xf32>) -> tensor<160xbf16>
    %10 = stablehlo.convert %arg10 : (tensor<160x40xf32>) -> tensor<160x40xbf16>
    %11 = stablehlo.convert %arg11 : (tensor<40x160xf32>) -> tensor<40x160xbf16>
    %12 = stablehlo.convert %arg12 : (tensor<40xf32>) -> tensor<40xbf16>
    %13 = stablehlo.convert %arg13 : (tensor<120xf32>) -> tensor<120xbf16>
    %14 = stablehlo.convert %arg14 : (tensor<40x40xf32>) -> tensor<40x40xbf16>
    %15 = stablehlo.convert %arg15 : (tensor<40x120xf32>) -> tensor<40x120xbf16>
    %16 = stablehlo.convert %arg16 : (tensor<40xf32>) -> tensor<40xbf16>
    %17 = stablehlo.convert %arg17 : (tensor<40xf32>) -> tensor<40xbf16>
    %18 = stablehlo.convert %arg18 : (tensor<40xf32>) -> tensor<40xbf16>
    %19 = stablehlo.convert %arg19 : (tensor<40xf32>) -> tensor<40xbf16>
    %20 = stablehlo.convert %arg20 : (tensor<40xf32>) -> tensor<40xbf16>
    %21 = stablehlo.convert %arg21 : (tensor<160xf32>) -> tensor<160xbf16>
    %22 = stablehlo.convert %arg22 : (tensor<160x40xf32>) -> tensor<160x40xbf16>
    %23 = stablehlo.convert %arg23 : (tensor<40x160xf32>) -> tensor<40x160xbf16>
    %24 = stablehlo.convert %arg24 : (tensor<40xf32>) -> tensor<40xbf16>
    %25 = stablehlo.convert %arg25 : (tensor<40xf32>) -> tensor<40xbf16>
    %26 = stablehlo.convert %arg26 : (tensor<32x40xf32>) -> tensor<32x40xbf16>
    %27 = stablehlo.convert %arg27 : (tensor<101x40xf32>) -> tensor<101x40xbf16>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %28 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<24x16xi32>
    %29 = stablehlo.compare LT, %arg29, %28, SIGNED : (tensor<24x16xi32>, tensor<24x16xi32>) -> tensor<24x16xi1>
    %c_0 = stablehlo.constant dense<101> : tensor<i32>
    %30 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<24x16xi32>
    %31 = stablehlo.add %arg29, %30 : tensor<24x16xi32>
    %32 = stablehlo.select %29, %31, %arg29 : tensor<24x16xi1>, tensor<24x16xi32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 1] : (tensor<24x16xi32>) -> tensor<24x16x1xi32>
    %34 = "stablehlo.gather"(%27, %33) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 40>}> : (tensor<101x40xbf16>, tensor<24x16x1xi32>) -> tensor<24x16x40xbf16>
    %35 = stablehlo.slice %26 [0:16, 0:40] : (tensor<32x40xbf16>) -> tensor<16x40xbf16>
    %36 = stablehlo.broadcast_in_dim %35, dims = [1, 2] : (tensor<16x40xbf16>) -> tensor<1x16x40xbf16>
    %37 = stablehlo.broadcast_in_dim %36, dims = [0, 1, 2] : (tensor<1x16x40xbf16>) -> tensor<24x16x40xbf16>
    %38 = stablehlo.add %34, %37 : tensor<24x16x40xbf16>
    %39 = stablehlo.convert %38 : (tensor<24x16x40xbf16>) -> tensor<24x16x40xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_1 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %43 = stablehlo.divide %41, %42 : tensor<24x16x1xf32>
    %44 = stablehlo.convert %43 : (tensor<24x16x1xf32>) -> tensor<24x16x1xbf16>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %45 = call @_var(%38, %c_2) : (tensor<24x16x40xbf16>, tensor<i32>) -> tensor<24x16x1xbf16>
    %46 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %47 = stablehlo.subtract %38, %46 : tensor<24x16x40xbf16>
    %cst_3 = stablehlo.constant dense<1.001360e-05> : tensor<bf16>
    %48 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<bf16>) -> tensor<24x16x1xbf16>
    %49 = stablehlo.add %45, %48 : tensor<24x16x1xbf16>
    %50 = stablehlo.sqrt %49 : tensor<24x16x1xbf16>
    %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %52 = stablehlo.divide %47, %51 : tensor<24x16x40xbf16>
    %53 = stablehlo.broadcast_in_dim %5, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %55 = stablehlo.multiply %52, %54 : tensor<24x16x40xbf16>
    %56 = stablehlo.broadcast_in_dim %4, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %58 = stablehlo.add %55, %57 : tensor<24x16x40xbf16>
    %59 = stablehlo.dot_general %58, %3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xbf16>, tensor<40x120xbf16>) -> tensor<24x16x120xbf16>
    %60 = stablehlo.broadcast_in_dim %1, dims = [2] : (tensor<120xbf16>) -> tensor<1x1x120xbf16>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<1x1x120xbf16>) -> tensor<24x16x120xbf16>
    %62 = stablehlo.add %59, %61 : tensor<24x16x120xbf16>
    %63 = stablehlo.slice %62 [0:24, 0:16, 0:40] : (tensor<24x16x120xbf16>) -> tensor<24x16x40xbf16>
    %64 = stablehlo.slice %62 [0:24, 0:16, 40:80] : (tensor<24x16x120xbf16>) -> tensor<24x16x40xbf16>
    %65 = stablehlo.slice %62 [0:24, 0:16, 80:120] : (tensor<24x16x120xbf16>) -> tensor<24x16x40xbf16>
    %66 = stablehlo.reshape %63 : (tensor<24x16x40xbf16>) -> tensor<24x16x4x10xbf16>
    %67 = stablehlo.reshape %64 : (tensor<24x16x40xbf16>) -> tensor<24x16x4x10xbf16>
    %68 = stablehlo.reshape %65 : (tensor<24x16x40xbf16>) -> tensor<24x16x4x10xbf16>
    %69 = stablehlo.dot_general %66, %67, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xbf16>, tensor<24x16x4x10xbf16>) -> tensor<24x4x16x16xbf16>
    %cst_4 = stablehlo.constant dense<3.156250e+00> : tensor<bf16>
    %70 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<bf16>) -> tensor<24x4x16x16xbf16>
    %71 = stablehlo.divide %69, %70 : tensor<24x4x16x16xbf16>
    %c_5 = stablehlo.constant dense<true> : tensor<i1>
    %72 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %73 = call @tril(%72) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_6 = stablehlo.constant dense<-3.389530e+38> : tensor<bf16>
    %74 = call @_where_0(%73, %71, %cst_6) : (tensor<16x16xi1>, tensor<24x4x16x16xbf16>, tensor<bf16>) -> tensor<24x4x16x16xbf16>
    %cst_7 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %75 = stablehlo.reduce(%74 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<24x4x16x16xbf16>, tensor<bf16>) -> tensor<24x4x16xbf16>
    %cst_8 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %76 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<bf16>) -> tensor<24x4x16xbf16>
    %77 = stablehlo.maximum %76, %75 : tensor<24x4x16xbf16>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2] : (tensor<24x4x16xbf16>) -> tensor<24x4x16x1xbf16>
    %79 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xbf16>) -> tensor<24x4x16x16xbf16>
    %80 = stablehlo.subtract %74, %79 : tensor<24x4x16x16xbf16>
    %81 = stablehlo.exponential %80 : tensor<24x4x16x16xbf16>
    %82 = stablehlo.convert %81 : (tensor<24x4x16x16xbf16>) -> tensor<24x4x16x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%82 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %85 = stablehlo.convert %84 : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x1xbf16>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xbf16>) -> tensor<24x4x16x16xbf16>
    %87 = stablehlo.divide %81, %86 : tensor<24x4x16x16xbf16>
    %88 = stablehlo.dot_general %68, %87, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xbf16>, tensor<24x4x16x16xbf16>) -> tensor<24x4x10x16xbf16>
    %89 = stablehlo.transpose %88, dims = [0, 3, 1, 2] : (tensor<24x4x10x16xbf16>) -> tensor<24x16x4x10xbf16>
    %90 = stablehlo.reshape %89 : (tensor<24x16x4x10xbf16>) -> tensor<24x16x40xbf16>
    %91 = stablehlo.dot_general %90, %2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xbf16>, tensor<40x40xbf16>) -> tensor<24x16x40xbf16>
    %92 = stablehlo.broadcast_in_dim %0, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %93 = stablehlo.broadcast_in_dim %92, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %94 = stablehlo.add %91, %93 : tensor<24x16x40xbf16>
    %95 = stablehlo.add %38, %94 : tensor<24x16x40xbf16>
    %96 = stablehlo.convert %95 : (tensor<24x16x40xbf16>) -> tensor<24x16x40xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %97 = stablehlo.reduce(%96 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_11 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %99 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %100 = stablehlo.divide %98, %99 : tensor<24x16x1xf32>
    %101 = stablehlo.convert %100 : (tensor<24x16x1xf32>) -> tensor<24x16x1xbf16>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %102 = call @_var(%95, %c_12) : (tensor<24x16x40xbf16>, tensor<i32>) -> tensor<24x16x1xbf16>
    %103 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %104 = stablehlo.subtract %95, %103 : tensor<24x16x40xbf16>
    %cst_13 = stablehlo.constant dense<1.001360e-05> : tensor<bf16>
    %105 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<bf16>) -> tensor<24x16x1xbf16>
    %106 = stablehlo.add %102, %105 : tensor<24x16x1xbf16>
    %107 = stablehlo.sqrt %106 : tensor<24x16x1xbf16>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %109 = stablehlo.divide %104, %108 : tensor<24x16x40xbf16>
    %110 = stablehlo.broadcast_in_dim %7, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %111 = stablehlo.broadcast_in_dim %110, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %112 = stablehlo.multiply %109, %111 : tensor<24x16x40xbf16>
    %113 = stablehlo.broadcast_in_dim %6, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %115 = stablehlo.add %112, %114 : tensor<24x16x40xbf16>
    %116 = stablehlo.dot_general %115, %11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xbf16>, tensor<40x160xbf16>) -> tensor<24x16x160xbf16>
    %117 = stablehlo.broadcast_in_dim %9, dims = [2] : (tensor<160xbf16>) -> tensor<1x1x160xbf16>
    %118 = stablehlo.broadcast_in_dim %117, dims = [0, 1, 2] : (tensor<1x1x160xbf16>) -> tensor<24x16x160xbf16>
    %119 = stablehlo.add %116, %118 : tensor<24x16x160xbf16>
    %120 = stablehlo.multiply %119, %119 : tensor<24x16x160xbf16>
    %121 = stablehlo.multiply %120, %119 : tensor<24x16x160xbf16>
    %cst_14 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %122 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<bf16>) -> tensor<24x16x160xbf16>
    %123 = stablehlo.multiply %122, %121 : tensor<24x16x160xbf16>
    %124 = stablehlo.add %119, %123 : tensor<24x16x160xbf16>
    %cst_15 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %125 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<bf16>) -> tensor<24x16x160xbf16>
    %126 = stablehlo.multiply %125, %124 : tensor<24x16x160xbf16>
    %127 = stablehlo.tanh %126 : tensor<24x16x160xbf16>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %128 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<bf16>) -> tensor<24x16x160xbf16>
    %129 = stablehlo.add %128, %127 : tensor<24x16x160xbf16>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %130 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<bf16>) -> tensor<24x16x160xbf16>
    %131 = stablehlo.multiply %130, %129 : tensor<24x16x160xbf16>
    %132 = stablehlo.multiply %119, %131 : tensor<24x16x160xbf16>
    %133 = stablehlo.dot_general %132, %10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xbf16>, tensor<160x40xbf16>) -> tensor<24x16x40xbf16>
    %134 = stablehlo.broadcast_in_dim %8, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %135 = stablehlo.broadcast_in_dim %134, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %136 = stablehlo.add %133, %135 : tensor<24x16x40xbf16>
    %137 = stablehlo.add %95, %136 : tensor<24x16x40xbf16>
    %138 = stablehlo.convert %137 : (tensor<24x16x40xbf16>) -> tensor<24x16x40xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %139 = stablehlo.reduce(%138 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %140 = stablehlo.broadcast_in_dim %139, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_19 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %142 = stablehlo.divide %140, %141 : tensor<24x16x1xf32>
    %143 = stablehlo.convert %142 : (tensor<24x16x1xf32>) -> tensor<24x16x1xbf16>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %144 = call @_var(%137, %c_20) : (tensor<24x16x40xbf16>, tensor<i32>) -> tensor<24x16x1xbf16>
    %145 = stablehlo.broadcast_in_dim %143, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %146 = stablehlo.subtract %137, %145 : tensor<24x16x40xbf16>
    %cst_21 = stablehlo.constant dense<1.001360e-05> : tensor<bf16>
    %147 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<bf16>) -> tensor<24x16x1xbf16>
    %148 = stablehlo.add %144, %147 : tensor<24x16x1xbf16>
    %149 = stablehlo.sqrt %148 : tensor<24x16x1xbf16>
    %150 = stablehlo.broadcast_in_dim %149, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %151 = stablehlo.divide %146, %150 : tensor<24x16x40xbf16>
    %152 = stablehlo.broadcast_in_dim %17, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %153 = stablehlo.broadcast_in_dim %152, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %154 = stablehlo.multiply %151, %153 : tensor<24x16x40xbf16>
    %155 = stablehlo.broadcast_in_dim %16, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %156 = stablehlo.broadcast_in_dim %155, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %157 = stablehlo.add %154, %156 : tensor<24x16x40xbf16>
    %158 = stablehlo.dot_general %157, %15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xbf16>, tensor<40x120xbf16>) -> tensor<24x16x120xbf16>
    %159 = stablehlo.broadcast_in_dim %13, dims = [2] : (tensor<120xbf16>) -> tensor<1x1x120xbf16>
    %160 = stablehlo.broadcast_in_dim %159, dims = [0, 1, 2] : (tensor<1x1x120xbf16>) -> tensor<24x16x120xbf16>
    %161 = stablehlo.add %158, %160 : tensor<24x16x120xbf16>
    %162 = stablehlo.slice %161 [0:24, 0:16, 0:40] : (tensor<24x16x120xbf16>) -> tensor<24x16x40xbf16>
    %163 = stablehlo.slice %161 [0:24, 0:16, 40:80] : (tensor<24x16x120xbf16>) -> tensor<24x16x40xbf16>
    %164 = stablehlo.slice %161 [0:24, 0:16, 80:120] : (tensor<24x16x120xbf16>) -> tensor<24x16x40xbf16>
    %165 = stablehlo.reshape %162 : (tensor<24x16x40xbf16>) -> tensor<24x16x4x10xbf16>
    %166 = stablehlo.reshape %163 : (tensor<24x16x40xbf16>) -> tensor<24x16x4x10xbf16>
    %167 = stablehlo.reshape %164 : (tensor<24x16x40xbf16>) -> tensor<24x16x4x10xbf16>
    %168 = stablehlo.dot_general %165, %166, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xbf16>, tensor<24x16x4x10xbf16>) -> tensor<24x4x16x16xbf16>
    %cst_22 = stablehlo.constant dense<3.156250e+00> : tensor<bf16>
    %169 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<bf16>) -> tensor<24x4x16x16xbf16>
    %170 = stablehlo.divide %168, %169 : tensor<24x4x16x16xbf16>
    %c_23 = stablehlo.constant dense<true> : tensor<i1>
    %171 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %172 = call @tril(%171) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_24 = stablehlo.constant dense<-3.389530e+38> : tensor<bf16>
    %173 = call @_where_0(%172, %170, %cst_24) : (tensor<16x16xi1>, tensor<24x4x16x16xbf16>, tensor<bf16>) -> tensor<24x4x16x16xbf16>
    %cst_25 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %174 = stablehlo.reduce(%173 init: %cst_25) applies stablehlo.maximum across dimensions = [3] : (tensor<24x4x16x16xbf16>, tensor<bf16>) -> tensor<24x4x16xbf16>
    %cst_26 = stablehlo.constant dense<0xFF80> : tensor<bf16>
    %175 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<bf16>) -> tensor<24x4x16xbf16>
    %176 = stablehlo.maximum %175, %174 : tensor<24x4x16xbf16>
    %177 = stablehlo.broadcast_in_dim %176, dims = [0, 1, 2] : (tensor<24x4x16xbf16>) -> tensor<24x4x16x1xbf16>
    %178 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xbf16>) -> tensor<24x4x16x16xbf16>
    %179 = stablehlo.subtract %173, %178 : tensor<24x4x16x16xbf16>
    %180 = stablehlo.exponential %179 : tensor<24x4x16x16xbf16>
    %181 = stablehlo.convert %180 : (tensor<24x4x16x16xbf16>) -> tensor<24x4x16x16xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%181 init: %cst_27) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %183 = stablehlo.broadcast_in_dim %182, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %184 = stablehlo.convert %183 : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x1xbf16>
    %185 = stablehlo.broadcast_in_dim %184, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xbf16>) -> tensor<24x4x16x16xbf16>
    %186 = stablehlo.divide %180, %185 : tensor<24x4x16x16xbf16>
    %187 = stablehlo.dot_general %167, %186, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xbf16>, tensor<24x4x16x16xbf16>) -> tensor<24x4x10x16xbf16>
    %188 = stablehlo.transpose %187, dims = [0, 3, 1, 2] : (tensor<24x4x10x16xbf16>) -> tensor<24x16x4x10xbf16>
    %189 = stablehlo.reshape %188 : (tensor<24x16x4x10xbf16>) -> tensor<24x16x40xbf16>
    %190 = stablehlo.dot_general %189, %14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xbf16>, tensor<40x40xbf16>) -> tensor<24x16x40xbf16>
    %191 = stablehlo.broadcast_in_dim %12, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %192 = stablehlo.broadcast_in_dim %191, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %193 = stablehlo.add %190, %192 : tensor<24x16x40xbf16>
    %194 = stablehlo.add %137, %193 : tensor<24x16x40xbf16>
    %195 = stablehlo.convert %194 : (tensor<24x16x40xbf16>) -> tensor<24x16x40xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.reduce(%195 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %197 = stablehlo.broadcast_in_dim %196, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_29 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %199 = stablehlo.divide %197, %198 : tensor<24x16x1xf32>
    %200 = stablehlo.convert %199 : (tensor<24x16x1xf32>) -> tensor<24x16x1xbf16>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %201 = call @_var(%194, %c_30) : (tensor<24x16x40xbf16>, tensor<i32>) -> tensor<24x16x1xbf16>
    %202 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %203 = stablehlo.subtract %194, %202 : tensor<24x16x40xbf16>
    %cst_31 = stablehlo.constant dense<1.001360e-05> : tensor<bf16>
    %204 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<bf16>) -> tensor<24x16x1xbf16>
    %205 = stablehlo.add %201, %204 : tensor<24x16x1xbf16>
    %206 = stablehlo.sqrt %205 : tensor<24x16x1xbf16>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %208 = stablehlo.divide %203, %207 : tensor<24x16x40xbf16>
    %209 = stablehlo.broadcast_in_dim %19, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %210 = stablehlo.broadcast_in_dim %209, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %211 = stablehlo.multiply %208, %210 : tensor<24x16x40xbf16>
    %212 = stablehlo.broadcast_in_dim %18, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %214 = stablehlo.add %211, %213 : tensor<24x16x40xbf16>
    %215 = stablehlo.dot_general %214, %23, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xbf16>, tensor<40x160xbf16>) -> tensor<24x16x160xbf16>
    %216 = stablehlo.broadcast_in_dim %21, dims = [2] : (tensor<160xbf16>) -> tensor<1x1x160xbf16>
    %217 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2] : (tensor<1x1x160xbf16>) -> tensor<24x16x160xbf16>
    %218 = stablehlo.add %215, %217 : tensor<24x16x160xbf16>
    %219 = stablehlo.multiply %218, %218 : tensor<24x16x160xbf16>
    %220 = stablehlo.multiply %219, %218 : tensor<24x16x160xbf16>
    %cst_32 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
    %221 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<bf16>) -> tensor<24x16x160xbf16>
    %222 = stablehlo.multiply %221, %220 : tensor<24x16x160xbf16>
    %223 = stablehlo.add %218, %222 : tensor<24x16x160xbf16>
    %cst_33 = stablehlo.constant dense<7.968750e-01> : tensor<bf16>
    %224 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<bf16>) -> tensor<24x16x160xbf16>
    %225 = stablehlo.multiply %224, %223 : tensor<24x16x160xbf16>
    %226 = stablehlo.tanh %225 : tensor<24x16x160xbf16>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<bf16>
    %227 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<bf16>) -> tensor<24x16x160xbf16>
    %228 = stablehlo.add %227, %226 : tensor<24x16x160xbf16>
    %cst_35 = stablehlo.constant dense<5.000000e-01> : tensor<bf16>
    %229 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<bf16>) -> tensor<24x16x160xbf16>
    %230 = stablehlo.multiply %229, %228 : tensor<24x16x160xbf16>
    %231 = stablehlo.multiply %218, %230 : tensor<24x16x160xbf16>
    %232 = stablehlo.dot_general %231, %22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xbf16>, tensor<160x40xbf16>) -> tensor<24x16x40xbf16>
    %233 = stablehlo.broadcast_in_dim %20, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %234 = stablehlo.broadcast_in_dim %233, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %235 = stablehlo.add %232, %234 : tensor<24x16x40xbf16>
    %236 = stablehlo.add %194, %235 : tensor<24x16x40xbf16>
    %237 = stablehlo.convert %236 : (tensor<24x16x40xbf16>) -> tensor<24x16x40xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%237 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %239 = stablehlo.broadcast_in_dim %238, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_37 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %240 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %241 = stablehlo.divide %239, %240 : tensor<24x16x1xf32>
    %242 = stablehlo.convert %241 : (tensor<24x16x1xf32>) -> tensor<24x16x1xbf16>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %243 = call @_var(%236, %c_38) : (tensor<24x16x40xbf16>, tensor<i32>) -> tensor<24x16x1xbf16>
    %244 = stablehlo.broadcast_in_dim %242, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %245 = stablehlo.subtract %236, %244 : tensor<24x16x40xbf16>
    %cst_39 = stablehlo.constant dense<1.001360e-05> : tensor<bf16>
    %246 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<bf16>) -> tensor<24x16x1xbf16>
    %247 = stablehlo.add %243, %246 : tensor<24x16x1xbf16>
    %248 = stablehlo.sqrt %247 : tensor<24x16x1xbf16>
    %249 = stablehlo.broadcast_in_dim %248, dims = [0, 1, 2] : (tensor<24x16x1xbf16>) -> tensor<24x16x40xbf16>
    %250 = stablehlo.divide %245, %249 : tensor<24x16x40xbf16>
    %251 = stablehlo.broadcast_in_dim %25, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %252 = stablehlo.broadcast_in_dim %251, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %253 = stablehlo.multiply %250, %252 : tensor<24x16x40xbf16>
    %254 = stablehlo.broadcast_in_dim %24, dims = [2] : (tensor<40xbf16>) -> tensor<1x1x40xbf16>
    %255 = stablehlo.broadcast_in_dim %254, dims = [0, 1, 2] : (tensor<1x1x40xbf16>) -> tensor<24x16x40xbf16>
    %256 = stablehlo.add %253, %255 : tensor<24x16x40xbf16>
    %257 = stablehlo.transpose %27, dims = [1, 0] : (tensor<101x40xbf16>) -> tensor<40x101xbf16>
    %258 = stablehlo.dot_general %256, %257, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xbf16>, tensor<40x101xbf16>) -> tensor<24x16x101xbf16>
    %259 = stablehlo.convert %258 : (tensor<24x16x101xbf16>) -> tensor<24x16x101xf32>
    %260 = call @log_softmax(%259) : (tensor<24x16x101xf32>) -> tensor<24x16x101xf32>
    %261 = stablehlo.broadcast_in_dim %arg28, dims = [0, 1] : (tensor<24x16xi32>) -> tensor<24x16x1xi32>
    %262 = call @take_along_axis(%260, %261) : (tensor<24x16x101xf32>, tensor<24x16x1xi32>) -> tensor<24x16x1xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.reduce(%262 init: %cst_40) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_41 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %264 = stablehlo.divide %263, %cst_41 : tensor<f32>
    %265 = stablehlo.negate %264 : tensor<f32>
    return %265 : tensor<f32>
  }
  func.func private @_var(%arg0: tensor<24x16x40xbf16>, %arg1: tensor<i32>) -> tensor<24x16x1xbf16> {
    %0 = stablehlo.convert %arg0 : (tensor<24x16x40xbf16>) -> tensor<24x16x40xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %4 = stablehlo.divide %2, %3 : tensor<24x16x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<24x16x40xf32>
    %7 = chlo.square %6 : tensor<24x16x40xf32> -> tensor<24x16x40xf32>
    %8 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %9 = stablehlo.subtract %cst_1, %8 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%7 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %12 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %13 = stablehlo.divide %11, %12 : tensor<24x16x1xf32>
    %14 = stablehlo.convert %13 : (tensor<24x16x1xf32>) -> tensor<24x16x1xbf16>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %9, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16 = call @_where(%15, %14, %cst_4) : (tensor<i1>, tensor<24x16x1xbf16>, tensor<f32>) -> tensor<24x16x1xbf16>
    return %16 : tensor<24x16x1xbf16>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<24x16x1xbf16>, %arg2: tensor<f32>) -> tensor<24x16x1xbf16> {
    %0 = stablehlo.convert %arg2 : (tensor<f32>) -> tensor<bf16>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<bf16>) -> tensor<24x16x1xbf16>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<24x16x1xbf16>
    return %2 : tensor<24x16x1xbf16>
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
  func.func private @_where_0(%arg0: tensor<16x16xi1>, %arg1: tensor<24x4x16x16xbf16>, %arg2: tensor<bf16>) -> tensor<24x4x16x16xbf16> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<24x4x16x16xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<bf16>) -> tensor<24x4x16x16xbf16>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<24x4x16x16xi1>, tensor<24x4x16x16xbf16>
    return %2 : tensor<24x4x16x16xbf16>
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
