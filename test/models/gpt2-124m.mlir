module @gpt2_124m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, smith.derivatives_marked} {
  func.func public @main(%arg0: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[0].attn.b_out", smith.role = "param"}, %arg1: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[0].attn.b_qkv", smith.role = "param"}, %arg2: tensor<768x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[0].attn.w_out", smith.role = "param"}, %arg3: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[0].attn.w_qkv", smith.role = "param"}, %arg4: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[0].ln_1.bias", smith.role = "param"}, %arg5: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[0].ln_1.scale", smith.role = "param"}, %arg6: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[0].ln_2.bias", smith.role = "param"}, %arg7: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[0].ln_2.scale", smith.role = "param"}, %arg8: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[0].mlp.b_down", smith.role = "param"}, %arg9: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[0].mlp.b_up", smith.role = "param"}, %arg10: tensor<3072x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[0].mlp.w_down", smith.role = "param"}, %arg11: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[0].mlp.w_up", smith.role = "param"}, %arg12: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[1].attn.b_out", smith.role = "param"}, %arg13: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[1].attn.b_qkv", smith.role = "param"}, %arg14: tensor<768x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[1].attn.w_out", smith.role = "param"}, %arg15: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[1].attn.w_qkv", smith.role = "param"}, %arg16: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[1].ln_1.bias", smith.role = "param"}, %arg17: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[1].ln_1.scale", smith.role = "param"}, %arg18: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[1].ln_2.bias", smith.role = "param"}, %arg19: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[1].ln_2.scale", smith.role = "param"}, %arg20: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[1].mlp.b_down", smith.role = "param"}, %arg21: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[1].mlp.b_up", smith.role = "param"}, %arg22: tensor<3072x768xf32> {smith.init = "normal:0.00409", smith.name = "blocks[1].mlp.w_down", smith.role = "param"}, %arg23: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[1].mlp.w_up", smith.role = "param"}, %arg24: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[2].attn.b_out", smith.role = "param"}, %arg25: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[2].attn.b_qkv", smith.role = "param"}, %arg26: tensor<768x768xf32> {smith.init = "normal:0.00409", smith.name = "blocks[2].attn.w_out", smith.role = "param"}, %arg27: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[2].attn.w_qkv", smith.role = "param"}, %arg28: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[2].ln_1.bias", smith.role = "param"}, %arg29: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[2].ln_1.scale", smith.role = "param"}, %arg30: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[2].ln_2.bias", smith.role = "param"}, %arg31: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[2].ln_2.scale", smith.role = "param"}, %arg32: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[2].mlp.b_down", smith.role = "param"}, %arg33: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[2].mlp.b_up", smith.role = "param"}, %arg34: tensor<3072x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[2].mlp.w_down", smith.role = "param"}, %arg35: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[2].mlp.w_up", smith.role = "param"}, %arg36: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[3].attn.b_out", smith.role = "param"}, %arg37: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[3].attn.b_qkv", smith.role = "param"}, %arg38: tensor<768x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[3].attn.w_out", smith.role = "param"}, %arg39: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[3].attn.w_qkv", smith.role = "param"}, %arg40: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[3].ln_1.bias", smith.role = "param"}, %arg41: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[3].ln_1.scale", smith.role = "param"}, %arg42: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[3].ln_2.bias", smith.role = "param"}, %arg43: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[3].ln_2.scale", smith.role = "param"}, %arg44: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[3].mlp.b_down", smith.role = "param"}, %arg45: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[3].mlp.b_up", smith.role = "param"}, %arg46: tensor<3072x768xf32> {smith.init = "normal:0.00409", smith.name = "blocks[3].mlp.w_down", smith.role = "param"}, %arg47: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[3].mlp.w_up", smith.role = "param"}, %arg48: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[4].attn.b_out", smith.role = "param"}, %arg49: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[4].attn.b_qkv", smith.role = "param"}, %arg50: tensor<768x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[4].attn.w_out", smith.role = "param"}, %arg51: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[4].attn.w_qkv", smith.role = "param"}, %arg52: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[4].ln_1.bias", smith.role = "param"}, %arg53: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[4].ln_1.scale", smith.role = "param"}, %arg54: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[4].ln_2.bias", smith.role = "param"}, %arg55: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[4].ln_2.scale", smith.role = "param"}, %arg56: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[4].mlp.b_down", smith.role = "param"}, %arg57: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[4].mlp.b_up", smith.role = "param"}, %arg58: tensor<3072x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[4].mlp.w_down", smith.role = "param"}, %arg59: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[4].mlp.w_up", smith.role = "param"}, %arg60: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[5].attn.b_out", smith.role = "param"}, %arg61: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[5].attn.b_qkv", smith.role = "param"}, %arg62: tensor<768x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[5].attn.w_out", smith.role = "param"}, %arg63: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[5].attn.w_qkv", smith.role = "param"}, %arg64: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[5].ln_1.bias", smith.role = "param"}, %arg65: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[5].ln_1.scale", smith.role = "param"}, %arg66: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[5].ln_2.bias", smith.role = "param"}, %arg67: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[5].ln_2.scale", smith.role = "param"}, %arg68: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[5].mlp.b_down", smith.role = "param"}, %arg69: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[5].mlp.b_up", smith.role = "param"}, %arg70: tensor<3072x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[5].mlp.w_down", smith.role = "param"}, %arg71: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[5].mlp.w_up", smith.role = "param"}, %arg72: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[6].attn.b_out", smith.role = "param"}, %arg73: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[6].attn.b_qkv", smith.role = "param"}, %arg74: tensor<768x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[6].attn.w_out", smith.role = "param"}, %arg75: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[6].attn.w_qkv", smith.role = "param"}, %arg76: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[6].ln_1.bias", smith.role = "param"}, %arg77: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[6].ln_1.scale", smith.role = "param"}, %arg78: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[6].ln_2.bias", smith.role = "param"}, %arg79: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[6].ln_2.scale", smith.role = "param"}, %arg80: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[6].mlp.b_down", smith.role = "param"}, %arg81: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[6].mlp.b_up", smith.role = "param"}, %arg82: tensor<3072x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[6].mlp.w_down", smith.role = "param"}, %arg83: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[6].mlp.w_up", smith.role = "param"}, %arg84: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[7].attn.b_out", smith.role = "param"}, %arg85: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[7].attn.b_qkv", smith.role = "param"}, %arg86: tensor<768x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[7].attn.w_out", smith.role = "param"}, %arg87: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[7].attn.w_qkv", smith.role = "param"}, %arg88: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[7].ln_1.bias", smith.role = "param"}, %arg89: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[7].ln_1.scale", smith.role = "param"}, %arg90: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[7].ln_2.bias", smith.role = "param"}, %arg91: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[7].ln_2.scale", smith.role = "param"}, %arg92: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[7].mlp.b_down", smith.role = "param"}, %arg93: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[7].mlp.b_up", smith.role = "param"}, %arg94: tensor<3072x768xf32> {smith.init = "normal:0.00409", smith.name = "blocks[7].mlp.w_down", smith.role = "param"}, %arg95: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[7].mlp.w_up", smith.role = "param"}, %arg96: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[8].attn.b_out", smith.role = "param"}, %arg97: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[8].attn.b_qkv", smith.role = "param"}, %arg98: tensor<768x768xf32> {smith.init = "normal:0.00409", smith.name = "blocks[8].attn.w_out", smith.role = "param"}, %arg99: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[8].attn.w_qkv", smith.role = "param"}, %arg100: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[8].ln_1.bias", smith.role = "param"}, %arg101: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[8].ln_1.scale", smith.role = "param"}, %arg102: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[8].ln_2.bias", smith.role = "param"}, %arg103: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[8].ln_2.scale", smith.role = "param"}, %arg104: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[8].mlp.b_down", smith.role = "param"}, %arg105: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[8].mlp.b_up", smith.role = "param"}, %arg106: tensor<3072x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[8].mlp.w_down", smith.role = "param"}, %arg107: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[8].mlp.w_up", smith.role = "param"}, %arg108: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[9].attn.b_out", smith.role = "param"}, %arg109: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[9].attn.b_qkv", smith.role = "param"}, %arg110: tensor<768x768xf32> {smith.init = "normal:0.00409", smith.name = "blocks[9].attn.w_out", smith.role = "param"}, %arg111: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[9].attn.w_qkv", smith.role = "param"}, %arg112: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[9].ln_1.bias", smith.role = "param"}, %arg113: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[9].ln_1.scale", smith.role = "param"}, %arg114: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[9].ln_2.bias", smith.role = "param"}, %arg115: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[9].ln_2.scale", smith.role = "param"}, %arg116: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[9].mlp.b_down", smith.role = "param"}, %arg117: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[9].mlp.b_up", smith.role = "param"}, %arg118: tensor<3072x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[9].mlp.w_down", smith.role = "param"}, %arg119: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[9].mlp.w_up", smith.role = "param"}, %arg120: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[10].attn.b_out", smith.role = "param"}, %arg121: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[10].attn.b_qkv", smith.role = "param"}, %arg122: tensor<768x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[10].attn.w_out", smith.role = "param"}, %arg123: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[10].attn.w_qkv", smith.role = "param"}, %arg124: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[10].ln_1.bias", smith.role = "param"}, %arg125: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[10].ln_1.scale", smith.role = "param"}, %arg126: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[10].ln_2.bias", smith.role = "param"}, %arg127: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[10].ln_2.scale", smith.role = "param"}, %arg128: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[10].mlp.b_down", smith.role = "param"}, %arg129: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[10].mlp.b_up", smith.role = "param"}, %arg130: tensor<3072x768xf32> {smith.init = "normal:0.00409", smith.name = "blocks[10].mlp.w_down", smith.role = "param"}, %arg131: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[10].mlp.w_up", smith.role = "param"}, %arg132: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[11].attn.b_out", smith.role = "param"}, %arg133: tensor<2304xf32> {smith.init = "zeros", smith.name = "blocks[11].attn.b_qkv", smith.role = "param"}, %arg134: tensor<768x768xf32> {smith.init = "normal:0.00409", smith.name = "blocks[11].attn.w_out", smith.role = "param"}, %arg135: tensor<768x2304xf32> {smith.init = "normal:0.02", smith.name = "blocks[11].attn.w_qkv", smith.role = "param"}, %arg136: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[11].ln_1.bias", smith.role = "param"}, %arg137: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[11].ln_1.scale", smith.role = "param"}, %arg138: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[11].ln_2.bias", smith.role = "param"}, %arg139: tensor<768xf32> {smith.init = "ones", smith.name = "blocks[11].ln_2.scale", smith.role = "param"}, %arg140: tensor<768xf32> {smith.init = "zeros", smith.name = "blocks[11].mlp.b_down", smith.role = "param"}, %arg141: tensor<3072xf32> {smith.init = "zeros", smith.name = "blocks[11].mlp.b_up", smith.role = "param"}, %arg142: tensor<3072x768xf32> {smith.init = "normal:0.00408", smith.name = "blocks[11].mlp.w_down", smith.role = "param"}, %arg143: tensor<768x3072xf32> {smith.init = "normal:0.02", smith.name = "blocks[11].mlp.w_up", smith.role = "param"}, %arg144: tensor<768xf32> {smith.init = "zeros", smith.name = "ln_f.bias", smith.role = "param"}, %arg145: tensor<768xf32> {smith.init = "ones", smith.name = "ln_f.scale", smith.role = "param"}, %arg146: tensor<1024x768xf32> {smith.init = "normal:0.02", smith.name = "wpe", smith.role = "param"}, %arg147: tensor<50257x768xf32> {smith.init = "normal:0.02", smith.name = "wte", smith.role = "param"}, %arg148: tensor<8x64xi32> {smith.batch_dim = 0 : i64, smith.limit = 50257 : i64, smith.name = "batch.targets", smith.role = "batch"}, %arg149: tensor<8x64xi32> {smith.batch_dim = 0 : i64, smith.limit = 50257 : i64, smith.name = "batch.tokens", smith.role = "batch"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x64xi32>
    %1 = stablehlo.compare LT, %arg149, %0, SIGNED : (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xi1>
    %c_0 = stablehlo.constant dense<50257> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x64xi32>
    %3 = stablehlo.add %arg149, %2 : tensor<8x64xi32>
    %4 = stablehlo.select %1, %3, %arg149 : tensor<8x64xi1>, tensor<8x64xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<8x64xi32>) -> tensor<8x64x1xi32>
    %6 = "stablehlo.gather"(%arg147, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 768>}> : (tensor<50257x768xf32>, tensor<8x64x1xi32>) -> tensor<8x64x768xf32>
    %7 = stablehlo.slice %arg146 [0:64, 0:768] : (tensor<1024x768xf32>) -> tensor<64x768xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<64x768xf32>) -> tensor<1x64x768xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x64x768xf32>) -> tensor<8x64x768xf32>
    %10 = stablehlo.add %6, %9 : tensor<8x64x768xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_1 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<8x64x1xf32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %15 = call @_var(%10, %c_2) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %16 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %17 = stablehlo.subtract %10, %16 : tensor<8x64x768xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %19 = stablehlo.add %15, %18 : tensor<8x64x1xf32>
    %20 = stablehlo.sqrt %19 : tensor<8x64x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %22 = stablehlo.divide %17, %21 : tensor<8x64x768xf32>
    %23 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %25 = stablehlo.multiply %22, %24 : tensor<8x64x768xf32>
    %26 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %28 = stablehlo.add %25, %27 : tensor<8x64x768xf32>
    %29 = stablehlo.dot_general %28, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %30 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %32 = stablehlo.add %29, %31 : tensor<8x64x2304xf32>
    %33 = stablehlo.slice %32 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %34 = stablehlo.slice %32 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %35 = stablehlo.slice %32 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %36 = stablehlo.reshape %33 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %37 = stablehlo.reshape %34 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %38 = stablehlo.reshape %35 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %39 = stablehlo.dot_general %36, %37, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %41 = stablehlo.divide %39, %40 : tensor<8x12x64x64xf32>
    %c_5 = stablehlo.constant dense<true> : tensor<i1>
    %42 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %43 = call @tril(%42) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_6 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %44 = call @_where_0(%43, %41, %cst_6) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_7 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %45 = stablehlo.reduce(%44 init: %cst_7) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %46 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %47 = stablehlo.maximum %46, %45 : tensor<8x12x64xf32>
    %48 = stablehlo.broadcast_in_dim %47, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %50 = stablehlo.subtract %44, %49 : tensor<8x12x64x64xf32>
    %51 = stablehlo.exponential %50 : tensor<8x12x64x64xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.reduce(%51 init: %cst_9) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %53 = stablehlo.broadcast_in_dim %52, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %54 = stablehlo.broadcast_in_dim %53, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %55 = stablehlo.divide %51, %54 : tensor<8x12x64x64xf32>
    %56 = stablehlo.dot_general %38, %55, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %57 = stablehlo.transpose %56, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %58 = stablehlo.reshape %57 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %59 = stablehlo.dot_general %58, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %60 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %61 = stablehlo.broadcast_in_dim %60, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %62 = stablehlo.add %59, %61 : tensor<8x64x768xf32>
    %63 = stablehlo.add %10, %62 : tensor<8x64x768xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %64 = stablehlo.reduce(%63 init: %cst_10) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %65 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_11 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %67 = stablehlo.divide %65, %66 : tensor<8x64x1xf32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %68 = call @_var(%63, %c_12) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %69 = stablehlo.broadcast_in_dim %67, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %70 = stablehlo.subtract %63, %69 : tensor<8x64x768xf32>
    %cst_13 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %71 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %72 = stablehlo.add %68, %71 : tensor<8x64x1xf32>
    %73 = stablehlo.sqrt %72 : tensor<8x64x1xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %75 = stablehlo.divide %70, %74 : tensor<8x64x768xf32>
    %76 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %77 = stablehlo.broadcast_in_dim %76, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %78 = stablehlo.multiply %75, %77 : tensor<8x64x768xf32>
    %79 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %80 = stablehlo.broadcast_in_dim %79, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %81 = stablehlo.add %78, %80 : tensor<8x64x768xf32>
    %82 = stablehlo.dot_general %81, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %83 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %85 = stablehlo.add %82, %84 : tensor<8x64x3072xf32>
    %86 = stablehlo.multiply %85, %85 : tensor<8x64x3072xf32>
    %87 = stablehlo.multiply %86, %85 : tensor<8x64x3072xf32>
    %cst_14 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %88 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %89 = stablehlo.multiply %88, %87 : tensor<8x64x3072xf32>
    %90 = stablehlo.add %85, %89 : tensor<8x64x3072xf32>
    %cst_15 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %92 = stablehlo.multiply %91, %90 : tensor<8x64x3072xf32>
    %93 = stablehlo.tanh %92 : tensor<8x64x3072xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %95 = stablehlo.add %94, %93 : tensor<8x64x3072xf32>
    %cst_17 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %96 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %97 = stablehlo.multiply %96, %95 : tensor<8x64x3072xf32>
    %98 = stablehlo.multiply %85, %97 : tensor<8x64x3072xf32>
    %99 = stablehlo.dot_general %98, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %100 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %102 = stablehlo.add %99, %101 : tensor<8x64x768xf32>
    %103 = stablehlo.add %63, %102 : tensor<8x64x768xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_19 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %106 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %107 = stablehlo.divide %105, %106 : tensor<8x64x1xf32>
    %c_20 = stablehlo.constant dense<0> : tensor<i32>
    %108 = call @_var(%103, %c_20) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %109 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %110 = stablehlo.subtract %103, %109 : tensor<8x64x768xf32>
    %cst_21 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %111 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %112 = stablehlo.add %108, %111 : tensor<8x64x1xf32>
    %113 = stablehlo.sqrt %112 : tensor<8x64x1xf32>
    %114 = stablehlo.broadcast_in_dim %113, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %115 = stablehlo.divide %110, %114 : tensor<8x64x768xf32>
    %116 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %118 = stablehlo.multiply %115, %117 : tensor<8x64x768xf32>
    %119 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %120 = stablehlo.broadcast_in_dim %119, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %121 = stablehlo.add %118, %120 : tensor<8x64x768xf32>
    %122 = stablehlo.dot_general %121, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %123 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %125 = stablehlo.add %122, %124 : tensor<8x64x2304xf32>
    %126 = stablehlo.slice %125 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %127 = stablehlo.slice %125 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %128 = stablehlo.slice %125 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %129 = stablehlo.reshape %126 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %130 = stablehlo.reshape %127 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %131 = stablehlo.reshape %128 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %132 = stablehlo.dot_general %129, %130, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_22 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %134 = stablehlo.divide %132, %133 : tensor<8x12x64x64xf32>
    %c_23 = stablehlo.constant dense<true> : tensor<i1>
    %135 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %136 = call @tril(%135) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_24 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %137 = call @_where_0(%136, %134, %cst_24) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_25 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %138 = stablehlo.reduce(%137 init: %cst_25) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_26 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %140 = stablehlo.maximum %139, %138 : tensor<8x12x64xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %142 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %143 = stablehlo.subtract %137, %142 : tensor<8x12x64x64xf32>
    %144 = stablehlo.exponential %143 : tensor<8x12x64x64xf32>
    %cst_27 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %145 = stablehlo.reduce(%144 init: %cst_27) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %146 = stablehlo.broadcast_in_dim %145, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %147 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %148 = stablehlo.divide %144, %147 : tensor<8x12x64x64xf32>
    %149 = stablehlo.dot_general %131, %148, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %150 = stablehlo.transpose %149, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %151 = stablehlo.reshape %150 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %152 = stablehlo.dot_general %151, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %153 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %154 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %155 = stablehlo.add %152, %154 : tensor<8x64x768xf32>
    %156 = stablehlo.add %103, %155 : tensor<8x64x768xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %157 = stablehlo.reduce(%156 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %158 = stablehlo.broadcast_in_dim %157, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_29 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %160 = stablehlo.divide %158, %159 : tensor<8x64x1xf32>
    %c_30 = stablehlo.constant dense<0> : tensor<i32>
    %161 = call @_var(%156, %c_30) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %162 = stablehlo.broadcast_in_dim %160, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %163 = stablehlo.subtract %156, %162 : tensor<8x64x768xf32>
    %cst_31 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %164 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %165 = stablehlo.add %161, %164 : tensor<8x64x1xf32>
    %166 = stablehlo.sqrt %165 : tensor<8x64x1xf32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %168 = stablehlo.divide %163, %167 : tensor<8x64x768xf32>
    %169 = stablehlo.broadcast_in_dim %arg19, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %170 = stablehlo.broadcast_in_dim %169, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %171 = stablehlo.multiply %168, %170 : tensor<8x64x768xf32>
    %172 = stablehlo.broadcast_in_dim %arg18, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %173 = stablehlo.broadcast_in_dim %172, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %174 = stablehlo.add %171, %173 : tensor<8x64x768xf32>
    %175 = stablehlo.dot_general %174, %arg23, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %176 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %178 = stablehlo.add %175, %177 : tensor<8x64x3072xf32>
    %179 = stablehlo.multiply %178, %178 : tensor<8x64x3072xf32>
    %180 = stablehlo.multiply %179, %178 : tensor<8x64x3072xf32>
    %cst_32 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %181 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %182 = stablehlo.multiply %181, %180 : tensor<8x64x3072xf32>
    %183 = stablehlo.add %178, %182 : tensor<8x64x3072xf32>
    %cst_33 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %184 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %185 = stablehlo.multiply %184, %183 : tensor<8x64x3072xf32>
    %186 = stablehlo.tanh %185 : tensor<8x64x3072xf32>
    %cst_34 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %188 = stablehlo.add %187, %186 : tensor<8x64x3072xf32>
    %cst_35 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %190 = stablehlo.multiply %189, %188 : tensor<8x64x3072xf32>
    %191 = stablehlo.multiply %178, %190 : tensor<8x64x3072xf32>
    %192 = stablehlo.dot_general %191, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %193 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %194 = stablehlo.broadcast_in_dim %193, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %195 = stablehlo.add %192, %194 : tensor<8x64x768xf32>
    %196 = stablehlo.add %156, %195 : tensor<8x64x768xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %197 = stablehlo.reduce(%196 init: %cst_36) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %198 = stablehlo.broadcast_in_dim %197, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_37 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %199 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %200 = stablehlo.divide %198, %199 : tensor<8x64x1xf32>
    %c_38 = stablehlo.constant dense<0> : tensor<i32>
    %201 = call @_var(%196, %c_38) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %202 = stablehlo.broadcast_in_dim %200, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %203 = stablehlo.subtract %196, %202 : tensor<8x64x768xf32>
    %cst_39 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %204 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %205 = stablehlo.add %201, %204 : tensor<8x64x1xf32>
    %206 = stablehlo.sqrt %205 : tensor<8x64x1xf32>
    %207 = stablehlo.broadcast_in_dim %206, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %208 = stablehlo.divide %203, %207 : tensor<8x64x768xf32>
    %209 = stablehlo.broadcast_in_dim %arg29, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %210 = stablehlo.broadcast_in_dim %209, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %211 = stablehlo.multiply %208, %210 : tensor<8x64x768xf32>
    %212 = stablehlo.broadcast_in_dim %arg28, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %214 = stablehlo.add %211, %213 : tensor<8x64x768xf32>
    %215 = stablehlo.dot_general %214, %arg27, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %216 = stablehlo.broadcast_in_dim %arg25, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %217 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %218 = stablehlo.add %215, %217 : tensor<8x64x2304xf32>
    %219 = stablehlo.slice %218 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %220 = stablehlo.slice %218 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %221 = stablehlo.slice %218 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %222 = stablehlo.reshape %219 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %223 = stablehlo.reshape %220 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %224 = stablehlo.reshape %221 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %225 = stablehlo.dot_general %222, %223, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_40 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %226 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %227 = stablehlo.divide %225, %226 : tensor<8x12x64x64xf32>
    %c_41 = stablehlo.constant dense<true> : tensor<i1>
    %228 = stablehlo.broadcast_in_dim %c_41, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %229 = call @tril(%228) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_42 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %230 = call @_where_0(%229, %227, %cst_42) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_43 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %231 = stablehlo.reduce(%230 init: %cst_43) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_44 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %233 = stablehlo.maximum %232, %231 : tensor<8x12x64xf32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %235 = stablehlo.broadcast_in_dim %234, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %236 = stablehlo.subtract %230, %235 : tensor<8x12x64x64xf32>
    %237 = stablehlo.exponential %236 : tensor<8x12x64x64xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%237 init: %cst_45) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %239 = stablehlo.broadcast_in_dim %238, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %240 = stablehlo.broadcast_in_dim %239, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %241 = stablehlo.divide %237, %240 : tensor<8x12x64x64xf32>
    %242 = stablehlo.dot_general %224, %241, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %243 = stablehlo.transpose %242, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %244 = stablehlo.reshape %243 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %245 = stablehlo.dot_general %244, %arg26, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %246 = stablehlo.broadcast_in_dim %arg24, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %247 = stablehlo.broadcast_in_dim %246, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %248 = stablehlo.add %245, %247 : tensor<8x64x768xf32>
    %249 = stablehlo.add %196, %248 : tensor<8x64x768xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %250 = stablehlo.reduce(%249 init: %cst_46) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %251 = stablehlo.broadcast_in_dim %250, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_47 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %253 = stablehlo.divide %251, %252 : tensor<8x64x1xf32>
    %c_48 = stablehlo.constant dense<0> : tensor<i32>
    %254 = call @_var(%249, %c_48) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %255 = stablehlo.broadcast_in_dim %253, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %256 = stablehlo.subtract %249, %255 : tensor<8x64x768xf32>
    %cst_49 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %257 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %258 = stablehlo.add %254, %257 : tensor<8x64x1xf32>
    %259 = stablehlo.sqrt %258 : tensor<8x64x1xf32>
    %260 = stablehlo.broadcast_in_dim %259, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %261 = stablehlo.divide %256, %260 : tensor<8x64x768xf32>
    %262 = stablehlo.broadcast_in_dim %arg31, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %263 = stablehlo.broadcast_in_dim %262, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %264 = stablehlo.multiply %261, %263 : tensor<8x64x768xf32>
    %265 = stablehlo.broadcast_in_dim %arg30, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %266 = stablehlo.broadcast_in_dim %265, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %267 = stablehlo.add %264, %266 : tensor<8x64x768xf32>
    %268 = stablehlo.dot_general %267, %arg35, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %269 = stablehlo.broadcast_in_dim %arg33, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %270 = stablehlo.broadcast_in_dim %269, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %271 = stablehlo.add %268, %270 : tensor<8x64x3072xf32>
    %272 = stablehlo.multiply %271, %271 : tensor<8x64x3072xf32>
    %273 = stablehlo.multiply %272, %271 : tensor<8x64x3072xf32>
    %cst_50 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %274 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %275 = stablehlo.multiply %274, %273 : tensor<8x64x3072xf32>
    %276 = stablehlo.add %271, %275 : tensor<8x64x3072xf32>
    %cst_51 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %277 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %278 = stablehlo.multiply %277, %276 : tensor<8x64x3072xf32>
    %279 = stablehlo.tanh %278 : tensor<8x64x3072xf32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %280 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %281 = stablehlo.add %280, %279 : tensor<8x64x3072xf32>
    %cst_53 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %282 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %283 = stablehlo.multiply %282, %281 : tensor<8x64x3072xf32>
    %284 = stablehlo.multiply %271, %283 : tensor<8x64x3072xf32>
    %285 = stablehlo.dot_general %284, %arg34, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %286 = stablehlo.broadcast_in_dim %arg32, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %287 = stablehlo.broadcast_in_dim %286, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %288 = stablehlo.add %285, %287 : tensor<8x64x768xf32>
    %289 = stablehlo.add %249, %288 : tensor<8x64x768xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %290 = stablehlo.reduce(%289 init: %cst_54) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %291 = stablehlo.broadcast_in_dim %290, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_55 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %292 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %293 = stablehlo.divide %291, %292 : tensor<8x64x1xf32>
    %c_56 = stablehlo.constant dense<0> : tensor<i32>
    %294 = call @_var(%289, %c_56) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %295 = stablehlo.broadcast_in_dim %293, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %296 = stablehlo.subtract %289, %295 : tensor<8x64x768xf32>
    %cst_57 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %297 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %298 = stablehlo.add %294, %297 : tensor<8x64x1xf32>
    %299 = stablehlo.sqrt %298 : tensor<8x64x1xf32>
    %300 = stablehlo.broadcast_in_dim %299, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %301 = stablehlo.divide %296, %300 : tensor<8x64x768xf32>
    %302 = stablehlo.broadcast_in_dim %arg41, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %303 = stablehlo.broadcast_in_dim %302, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %304 = stablehlo.multiply %301, %303 : tensor<8x64x768xf32>
    %305 = stablehlo.broadcast_in_dim %arg40, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %306 = stablehlo.broadcast_in_dim %305, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %307 = stablehlo.add %304, %306 : tensor<8x64x768xf32>
    %308 = stablehlo.dot_general %307, %arg39, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %309 = stablehlo.broadcast_in_dim %arg37, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %310 = stablehlo.broadcast_in_dim %309, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %311 = stablehlo.add %308, %310 : tensor<8x64x2304xf32>
    %312 = stablehlo.slice %311 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %313 = stablehlo.slice %311 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %314 = stablehlo.slice %311 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %315 = stablehlo.reshape %312 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %316 = stablehlo.reshape %313 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %317 = stablehlo.reshape %314 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %318 = stablehlo.dot_general %315, %316, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_58 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %319 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %320 = stablehlo.divide %318, %319 : tensor<8x12x64x64xf32>
    %c_59 = stablehlo.constant dense<true> : tensor<i1>
    %321 = stablehlo.broadcast_in_dim %c_59, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %322 = call @tril(%321) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_60 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %323 = call @_where_0(%322, %320, %cst_60) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_61 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %324 = stablehlo.reduce(%323 init: %cst_61) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_62 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %326 = stablehlo.maximum %325, %324 : tensor<8x12x64xf32>
    %327 = stablehlo.broadcast_in_dim %326, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %328 = stablehlo.broadcast_in_dim %327, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %329 = stablehlo.subtract %323, %328 : tensor<8x12x64x64xf32>
    %330 = stablehlo.exponential %329 : tensor<8x12x64x64xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_63) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %332 = stablehlo.broadcast_in_dim %331, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %333 = stablehlo.broadcast_in_dim %332, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %334 = stablehlo.divide %330, %333 : tensor<8x12x64x64xf32>
    %335 = stablehlo.dot_general %317, %334, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %336 = stablehlo.transpose %335, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %337 = stablehlo.reshape %336 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %338 = stablehlo.dot_general %337, %arg38, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %339 = stablehlo.broadcast_in_dim %arg36, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %340 = stablehlo.broadcast_in_dim %339, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %341 = stablehlo.add %338, %340 : tensor<8x64x768xf32>
    %342 = stablehlo.add %289, %341 : tensor<8x64x768xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %343 = stablehlo.reduce(%342 init: %cst_64) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %344 = stablehlo.broadcast_in_dim %343, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_65 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %345 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %346 = stablehlo.divide %344, %345 : tensor<8x64x1xf32>
    %c_66 = stablehlo.constant dense<0> : tensor<i32>
    %347 = call @_var(%342, %c_66) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %348 = stablehlo.broadcast_in_dim %346, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %349 = stablehlo.subtract %342, %348 : tensor<8x64x768xf32>
    %cst_67 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %350 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %351 = stablehlo.add %347, %350 : tensor<8x64x1xf32>
    %352 = stablehlo.sqrt %351 : tensor<8x64x1xf32>
    %353 = stablehlo.broadcast_in_dim %352, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %354 = stablehlo.divide %349, %353 : tensor<8x64x768xf32>
    %355 = stablehlo.broadcast_in_dim %arg43, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %356 = stablehlo.broadcast_in_dim %355, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %357 = stablehlo.multiply %354, %356 : tensor<8x64x768xf32>
    %358 = stablehlo.broadcast_in_dim %arg42, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %359 = stablehlo.broadcast_in_dim %358, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %360 = stablehlo.add %357, %359 : tensor<8x64x768xf32>
    %361 = stablehlo.dot_general %360, %arg47, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %362 = stablehlo.broadcast_in_dim %arg45, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %363 = stablehlo.broadcast_in_dim %362, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %364 = stablehlo.add %361, %363 : tensor<8x64x3072xf32>
    %365 = stablehlo.multiply %364, %364 : tensor<8x64x3072xf32>
    %366 = stablehlo.multiply %365, %364 : tensor<8x64x3072xf32>
    %cst_68 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %367 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %368 = stablehlo.multiply %367, %366 : tensor<8x64x3072xf32>
    %369 = stablehlo.add %364, %368 : tensor<8x64x3072xf32>
    %cst_69 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %370 = stablehlo.broadcast_in_dim %cst_69, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %371 = stablehlo.multiply %370, %369 : tensor<8x64x3072xf32>
    %372 = stablehlo.tanh %371 : tensor<8x64x3072xf32>
    %cst_70 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %373 = stablehlo.broadcast_in_dim %cst_70, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %374 = stablehlo.add %373, %372 : tensor<8x64x3072xf32>
    %cst_71 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %375 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %376 = stablehlo.multiply %375, %374 : tensor<8x64x3072xf32>
    %377 = stablehlo.multiply %364, %376 : tensor<8x64x3072xf32>
    %378 = stablehlo.dot_general %377, %arg46, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %379 = stablehlo.broadcast_in_dim %arg44, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %380 = stablehlo.broadcast_in_dim %379, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %381 = stablehlo.add %378, %380 : tensor<8x64x768xf32>
    %382 = stablehlo.add %342, %381 : tensor<8x64x768xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %383 = stablehlo.reduce(%382 init: %cst_72) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %384 = stablehlo.broadcast_in_dim %383, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_73 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %385 = stablehlo.broadcast_in_dim %cst_73, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %386 = stablehlo.divide %384, %385 : tensor<8x64x1xf32>
    %c_74 = stablehlo.constant dense<0> : tensor<i32>
    %387 = call @_var(%382, %c_74) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %388 = stablehlo.broadcast_in_dim %386, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %389 = stablehlo.subtract %382, %388 : tensor<8x64x768xf32>
    %cst_75 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %390 = stablehlo.broadcast_in_dim %cst_75, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %391 = stablehlo.add %387, %390 : tensor<8x64x1xf32>
    %392 = stablehlo.sqrt %391 : tensor<8x64x1xf32>
    %393 = stablehlo.broadcast_in_dim %392, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %394 = stablehlo.divide %389, %393 : tensor<8x64x768xf32>
    %395 = stablehlo.broadcast_in_dim %arg53, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %396 = stablehlo.broadcast_in_dim %395, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %397 = stablehlo.multiply %394, %396 : tensor<8x64x768xf32>
    %398 = stablehlo.broadcast_in_dim %arg52, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %399 = stablehlo.broadcast_in_dim %398, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %400 = stablehlo.add %397, %399 : tensor<8x64x768xf32>
    %401 = stablehlo.dot_general %400, %arg51, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %402 = stablehlo.broadcast_in_dim %arg49, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %403 = stablehlo.broadcast_in_dim %402, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %404 = stablehlo.add %401, %403 : tensor<8x64x2304xf32>
    %405 = stablehlo.slice %404 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %406 = stablehlo.slice %404 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %407 = stablehlo.slice %404 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %408 = stablehlo.reshape %405 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %409 = stablehlo.reshape %406 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %410 = stablehlo.reshape %407 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %411 = stablehlo.dot_general %408, %409, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_76 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %412 = stablehlo.broadcast_in_dim %cst_76, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %413 = stablehlo.divide %411, %412 : tensor<8x12x64x64xf32>
    %c_77 = stablehlo.constant dense<true> : tensor<i1>
    %414 = stablehlo.broadcast_in_dim %c_77, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %415 = call @tril(%414) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_78 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %416 = call @_where_0(%415, %413, %cst_78) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_79 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %417 = stablehlo.reduce(%416 init: %cst_79) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_80 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %418 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %419 = stablehlo.maximum %418, %417 : tensor<8x12x64xf32>
    %420 = stablehlo.broadcast_in_dim %419, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %421 = stablehlo.broadcast_in_dim %420, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %422 = stablehlo.subtract %416, %421 : tensor<8x12x64x64xf32>
    %423 = stablehlo.exponential %422 : tensor<8x12x64x64xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %424 = stablehlo.reduce(%423 init: %cst_81) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %425 = stablehlo.broadcast_in_dim %424, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %426 = stablehlo.broadcast_in_dim %425, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %427 = stablehlo.divide %423, %426 : tensor<8x12x64x64xf32>
    %428 = stablehlo.dot_general %410, %427, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %429 = stablehlo.transpose %428, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %430 = stablehlo.reshape %429 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %431 = stablehlo.dot_general %430, %arg50, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %432 = stablehlo.broadcast_in_dim %arg48, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %433 = stablehlo.broadcast_in_dim %432, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %434 = stablehlo.add %431, %433 : tensor<8x64x768xf32>
    %435 = stablehlo.add %382, %434 : tensor<8x64x768xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %436 = stablehlo.reduce(%435 init: %cst_82) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %437 = stablehlo.broadcast_in_dim %436, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_83 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %438 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %439 = stablehlo.divide %437, %438 : tensor<8x64x1xf32>
    %c_84 = stablehlo.constant dense<0> : tensor<i32>
    %440 = call @_var(%435, %c_84) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %441 = stablehlo.broadcast_in_dim %439, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %442 = stablehlo.subtract %435, %441 : tensor<8x64x768xf32>
    %cst_85 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %443 = stablehlo.broadcast_in_dim %cst_85, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %444 = stablehlo.add %440, %443 : tensor<8x64x1xf32>
    %445 = stablehlo.sqrt %444 : tensor<8x64x1xf32>
    %446 = stablehlo.broadcast_in_dim %445, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %447 = stablehlo.divide %442, %446 : tensor<8x64x768xf32>
    %448 = stablehlo.broadcast_in_dim %arg55, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %449 = stablehlo.broadcast_in_dim %448, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %450 = stablehlo.multiply %447, %449 : tensor<8x64x768xf32>
    %451 = stablehlo.broadcast_in_dim %arg54, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %452 = stablehlo.broadcast_in_dim %451, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %453 = stablehlo.add %450, %452 : tensor<8x64x768xf32>
    %454 = stablehlo.dot_general %453, %arg59, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %455 = stablehlo.broadcast_in_dim %arg57, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %456 = stablehlo.broadcast_in_dim %455, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %457 = stablehlo.add %454, %456 : tensor<8x64x3072xf32>
    %458 = stablehlo.multiply %457, %457 : tensor<8x64x3072xf32>
    %459 = stablehlo.multiply %458, %457 : tensor<8x64x3072xf32>
    %cst_86 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %460 = stablehlo.broadcast_in_dim %cst_86, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %461 = stablehlo.multiply %460, %459 : tensor<8x64x3072xf32>
    %462 = stablehlo.add %457, %461 : tensor<8x64x3072xf32>
    %cst_87 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %463 = stablehlo.broadcast_in_dim %cst_87, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %464 = stablehlo.multiply %463, %462 : tensor<8x64x3072xf32>
    %465 = stablehlo.tanh %464 : tensor<8x64x3072xf32>
    %cst_88 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %466 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %467 = stablehlo.add %466, %465 : tensor<8x64x3072xf32>
    %cst_89 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %468 = stablehlo.broadcast_in_dim %cst_89, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %469 = stablehlo.multiply %468, %467 : tensor<8x64x3072xf32>
    %470 = stablehlo.multiply %457, %469 : tensor<8x64x3072xf32>
    %471 = stablehlo.dot_general %470, %arg58, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %472 = stablehlo.broadcast_in_dim %arg56, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %473 = stablehlo.broadcast_in_dim %472, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %474 = stablehlo.add %471, %473 : tensor<8x64x768xf32>
    %475 = stablehlo.add %435, %474 : tensor<8x64x768xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %476 = stablehlo.reduce(%475 init: %cst_90) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %477 = stablehlo.broadcast_in_dim %476, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_91 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %478 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %479 = stablehlo.divide %477, %478 : tensor<8x64x1xf32>
    %c_92 = stablehlo.constant dense<0> : tensor<i32>
    %480 = call @_var(%475, %c_92) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %481 = stablehlo.broadcast_in_dim %479, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %482 = stablehlo.subtract %475, %481 : tensor<8x64x768xf32>
    %cst_93 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %483 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %484 = stablehlo.add %480, %483 : tensor<8x64x1xf32>
    %485 = stablehlo.sqrt %484 : tensor<8x64x1xf32>
    %486 = stablehlo.broadcast_in_dim %485, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %487 = stablehlo.divide %482, %486 : tensor<8x64x768xf32>
    %488 = stablehlo.broadcast_in_dim %arg65, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %489 = stablehlo.broadcast_in_dim %488, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %490 = stablehlo.multiply %487, %489 : tensor<8x64x768xf32>
    %491 = stablehlo.broadcast_in_dim %arg64, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %492 = stablehlo.broadcast_in_dim %491, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %493 = stablehlo.add %490, %492 : tensor<8x64x768xf32>
    %494 = stablehlo.dot_general %493, %arg63, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %495 = stablehlo.broadcast_in_dim %arg61, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %496 = stablehlo.broadcast_in_dim %495, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %497 = stablehlo.add %494, %496 : tensor<8x64x2304xf32>
    %498 = stablehlo.slice %497 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %499 = stablehlo.slice %497 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %500 = stablehlo.slice %497 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %501 = stablehlo.reshape %498 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %502 = stablehlo.reshape %499 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %503 = stablehlo.reshape %500 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %504 = stablehlo.dot_general %501, %502, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_94 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %505 = stablehlo.broadcast_in_dim %cst_94, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %506 = stablehlo.divide %504, %505 : tensor<8x12x64x64xf32>
    %c_95 = stablehlo.constant dense<true> : tensor<i1>
    %507 = stablehlo.broadcast_in_dim %c_95, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %508 = call @tril(%507) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_96 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %509 = call @_where_0(%508, %506, %cst_96) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_97 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %510 = stablehlo.reduce(%509 init: %cst_97) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_98 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %511 = stablehlo.broadcast_in_dim %cst_98, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %512 = stablehlo.maximum %511, %510 : tensor<8x12x64xf32>
    %513 = stablehlo.broadcast_in_dim %512, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %514 = stablehlo.broadcast_in_dim %513, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %515 = stablehlo.subtract %509, %514 : tensor<8x12x64x64xf32>
    %516 = stablehlo.exponential %515 : tensor<8x12x64x64xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %517 = stablehlo.reduce(%516 init: %cst_99) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %518 = stablehlo.broadcast_in_dim %517, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %519 = stablehlo.broadcast_in_dim %518, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %520 = stablehlo.divide %516, %519 : tensor<8x12x64x64xf32>
    %521 = stablehlo.dot_general %503, %520, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %522 = stablehlo.transpose %521, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %523 = stablehlo.reshape %522 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %524 = stablehlo.dot_general %523, %arg62, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %525 = stablehlo.broadcast_in_dim %arg60, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %526 = stablehlo.broadcast_in_dim %525, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %527 = stablehlo.add %524, %526 : tensor<8x64x768xf32>
    %528 = stablehlo.add %475, %527 : tensor<8x64x768xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %529 = stablehlo.reduce(%528 init: %cst_100) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %530 = stablehlo.broadcast_in_dim %529, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_101 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %531 = stablehlo.broadcast_in_dim %cst_101, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %532 = stablehlo.divide %530, %531 : tensor<8x64x1xf32>
    %c_102 = stablehlo.constant dense<0> : tensor<i32>
    %533 = call @_var(%528, %c_102) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %534 = stablehlo.broadcast_in_dim %532, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %535 = stablehlo.subtract %528, %534 : tensor<8x64x768xf32>
    %cst_103 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %536 = stablehlo.broadcast_in_dim %cst_103, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %537 = stablehlo.add %533, %536 : tensor<8x64x1xf32>
    %538 = stablehlo.sqrt %537 : tensor<8x64x1xf32>
    %539 = stablehlo.broadcast_in_dim %538, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %540 = stablehlo.divide %535, %539 : tensor<8x64x768xf32>
    %541 = stablehlo.broadcast_in_dim %arg67, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %542 = stablehlo.broadcast_in_dim %541, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %543 = stablehlo.multiply %540, %542 : tensor<8x64x768xf32>
    %544 = stablehlo.broadcast_in_dim %arg66, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %545 = stablehlo.broadcast_in_dim %544, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %546 = stablehlo.add %543, %545 : tensor<8x64x768xf32>
    %547 = stablehlo.dot_general %546, %arg71, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %548 = stablehlo.broadcast_in_dim %arg69, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %549 = stablehlo.broadcast_in_dim %548, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %550 = stablehlo.add %547, %549 : tensor<8x64x3072xf32>
    %551 = stablehlo.multiply %550, %550 : tensor<8x64x3072xf32>
    %552 = stablehlo.multiply %551, %550 : tensor<8x64x3072xf32>
    %cst_104 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %553 = stablehlo.broadcast_in_dim %cst_104, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %554 = stablehlo.multiply %553, %552 : tensor<8x64x3072xf32>
    %555 = stablehlo.add %550, %554 : tensor<8x64x3072xf32>
    %cst_105 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %556 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %557 = stablehlo.multiply %556, %555 : tensor<8x64x3072xf32>
    %558 = stablehlo.tanh %557 : tensor<8x64x3072xf32>
    %cst_106 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %559 = stablehlo.broadcast_in_dim %cst_106, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %560 = stablehlo.add %559, %558 : tensor<8x64x3072xf32>
    %cst_107 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %561 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %562 = stablehlo.multiply %561, %560 : tensor<8x64x3072xf32>
    %563 = stablehlo.multiply %550, %562 : tensor<8x64x3072xf32>
    %564 = stablehlo.dot_general %563, %arg70, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %565 = stablehlo.broadcast_in_dim %arg68, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %566 = stablehlo.broadcast_in_dim %565, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %567 = stablehlo.add %564, %566 : tensor<8x64x768xf32>
    %568 = stablehlo.add %528, %567 : tensor<8x64x768xf32>
    %cst_108 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %569 = stablehlo.reduce(%568 init: %cst_108) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %570 = stablehlo.broadcast_in_dim %569, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_109 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %571 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %572 = stablehlo.divide %570, %571 : tensor<8x64x1xf32>
    %c_110 = stablehlo.constant dense<0> : tensor<i32>
    %573 = call @_var(%568, %c_110) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %574 = stablehlo.broadcast_in_dim %572, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %575 = stablehlo.subtract %568, %574 : tensor<8x64x768xf32>
    %cst_111 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %576 = stablehlo.broadcast_in_dim %cst_111, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %577 = stablehlo.add %573, %576 : tensor<8x64x1xf32>
    %578 = stablehlo.sqrt %577 : tensor<8x64x1xf32>
    %579 = stablehlo.broadcast_in_dim %578, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %580 = stablehlo.divide %575, %579 : tensor<8x64x768xf32>
    %581 = stablehlo.broadcast_in_dim %arg77, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %582 = stablehlo.broadcast_in_dim %581, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %583 = stablehlo.multiply %580, %582 : tensor<8x64x768xf32>
    %584 = stablehlo.broadcast_in_dim %arg76, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %585 = stablehlo.broadcast_in_dim %584, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %586 = stablehlo.add %583, %585 : tensor<8x64x768xf32>
    %587 = stablehlo.dot_general %586, %arg75, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %588 = stablehlo.broadcast_in_dim %arg73, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %589 = stablehlo.broadcast_in_dim %588, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %590 = stablehlo.add %587, %589 : tensor<8x64x2304xf32>
    %591 = stablehlo.slice %590 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %592 = stablehlo.slice %590 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %593 = stablehlo.slice %590 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %594 = stablehlo.reshape %591 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %595 = stablehlo.reshape %592 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %596 = stablehlo.reshape %593 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %597 = stablehlo.dot_general %594, %595, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_112 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %598 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %599 = stablehlo.divide %597, %598 : tensor<8x12x64x64xf32>
    %c_113 = stablehlo.constant dense<true> : tensor<i1>
    %600 = stablehlo.broadcast_in_dim %c_113, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %601 = call @tril(%600) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_114 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %602 = call @_where_0(%601, %599, %cst_114) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_115 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %603 = stablehlo.reduce(%602 init: %cst_115) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_116 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %604 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %605 = stablehlo.maximum %604, %603 : tensor<8x12x64xf32>
    %606 = stablehlo.broadcast_in_dim %605, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %607 = stablehlo.broadcast_in_dim %606, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %608 = stablehlo.subtract %602, %607 : tensor<8x12x64x64xf32>
    %609 = stablehlo.exponential %608 : tensor<8x12x64x64xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %610 = stablehlo.reduce(%609 init: %cst_117) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %611 = stablehlo.broadcast_in_dim %610, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %612 = stablehlo.broadcast_in_dim %611, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %613 = stablehlo.divide %609, %612 : tensor<8x12x64x64xf32>
    %614 = stablehlo.dot_general %596, %613, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %615 = stablehlo.transpose %614, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %616 = stablehlo.reshape %615 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %617 = stablehlo.dot_general %616, %arg74, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %618 = stablehlo.broadcast_in_dim %arg72, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %619 = stablehlo.broadcast_in_dim %618, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %620 = stablehlo.add %617, %619 : tensor<8x64x768xf32>
    %621 = stablehlo.add %568, %620 : tensor<8x64x768xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %622 = stablehlo.reduce(%621 init: %cst_118) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %623 = stablehlo.broadcast_in_dim %622, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_119 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %624 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %625 = stablehlo.divide %623, %624 : tensor<8x64x1xf32>
    %c_120 = stablehlo.constant dense<0> : tensor<i32>
    %626 = call @_var(%621, %c_120) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %627 = stablehlo.broadcast_in_dim %625, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %628 = stablehlo.subtract %621, %627 : tensor<8x64x768xf32>
    %cst_121 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %629 = stablehlo.broadcast_in_dim %cst_121, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %630 = stablehlo.add %626, %629 : tensor<8x64x1xf32>
    %631 = stablehlo.sqrt %630 : tensor<8x64x1xf32>
    %632 = stablehlo.broadcast_in_dim %631, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %633 = stablehlo.divide %628, %632 : tensor<8x64x768xf32>
    %634 = stablehlo.broadcast_in_dim %arg79, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %635 = stablehlo.broadcast_in_dim %634, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %636 = stablehlo.multiply %633, %635 : tensor<8x64x768xf32>
    %637 = stablehlo.broadcast_in_dim %arg78, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %638 = stablehlo.broadcast_in_dim %637, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %639 = stablehlo.add %636, %638 : tensor<8x64x768xf32>
    %640 = stablehlo.dot_general %639, %arg83, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %641 = stablehlo.broadcast_in_dim %arg81, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %642 = stablehlo.broadcast_in_dim %641, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %643 = stablehlo.add %640, %642 : tensor<8x64x3072xf32>
    %644 = stablehlo.multiply %643, %643 : tensor<8x64x3072xf32>
    %645 = stablehlo.multiply %644, %643 : tensor<8x64x3072xf32>
    %cst_122 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %646 = stablehlo.broadcast_in_dim %cst_122, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %647 = stablehlo.multiply %646, %645 : tensor<8x64x3072xf32>
    %648 = stablehlo.add %643, %647 : tensor<8x64x3072xf32>
    %cst_123 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %649 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %650 = stablehlo.multiply %649, %648 : tensor<8x64x3072xf32>
    %651 = stablehlo.tanh %650 : tensor<8x64x3072xf32>
    %cst_124 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %652 = stablehlo.broadcast_in_dim %cst_124, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %653 = stablehlo.add %652, %651 : tensor<8x64x3072xf32>
    %cst_125 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %654 = stablehlo.broadcast_in_dim %cst_125, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %655 = stablehlo.multiply %654, %653 : tensor<8x64x3072xf32>
    %656 = stablehlo.multiply %643, %655 : tensor<8x64x3072xf32>
    %657 = stablehlo.dot_general %656, %arg82, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %658 = stablehlo.broadcast_in_dim %arg80, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %659 = stablehlo.broadcast_in_dim %658, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %660 = stablehlo.add %657, %659 : tensor<8x64x768xf32>
    %661 = stablehlo.add %621, %660 : tensor<8x64x768xf32>
    %cst_126 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %662 = stablehlo.reduce(%661 init: %cst_126) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %663 = stablehlo.broadcast_in_dim %662, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_127 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %664 = stablehlo.broadcast_in_dim %cst_127, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %665 = stablehlo.divide %663, %664 : tensor<8x64x1xf32>
    %c_128 = stablehlo.constant dense<0> : tensor<i32>
    %666 = call @_var(%661, %c_128) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %667 = stablehlo.broadcast_in_dim %665, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %668 = stablehlo.subtract %661, %667 : tensor<8x64x768xf32>
    %cst_129 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %669 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %670 = stablehlo.add %666, %669 : tensor<8x64x1xf32>
    %671 = stablehlo.sqrt %670 : tensor<8x64x1xf32>
    %672 = stablehlo.broadcast_in_dim %671, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %673 = stablehlo.divide %668, %672 : tensor<8x64x768xf32>
    %674 = stablehlo.broadcast_in_dim %arg89, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %675 = stablehlo.broadcast_in_dim %674, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %676 = stablehlo.multiply %673, %675 : tensor<8x64x768xf32>
    %677 = stablehlo.broadcast_in_dim %arg88, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %678 = stablehlo.broadcast_in_dim %677, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %679 = stablehlo.add %676, %678 : tensor<8x64x768xf32>
    %680 = stablehlo.dot_general %679, %arg87, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %681 = stablehlo.broadcast_in_dim %arg85, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %682 = stablehlo.broadcast_in_dim %681, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %683 = stablehlo.add %680, %682 : tensor<8x64x2304xf32>
    %684 = stablehlo.slice %683 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %685 = stablehlo.slice %683 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %686 = stablehlo.slice %683 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %687 = stablehlo.reshape %684 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %688 = stablehlo.reshape %685 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %689 = stablehlo.reshape %686 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %690 = stablehlo.dot_general %687, %688, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_130 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %691 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %692 = stablehlo.divide %690, %691 : tensor<8x12x64x64xf32>
    %c_131 = stablehlo.constant dense<true> : tensor<i1>
    %693 = stablehlo.broadcast_in_dim %c_131, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %694 = call @tril(%693) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_132 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %695 = call @_where_0(%694, %692, %cst_132) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_133 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %696 = stablehlo.reduce(%695 init: %cst_133) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_134 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %697 = stablehlo.broadcast_in_dim %cst_134, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %698 = stablehlo.maximum %697, %696 : tensor<8x12x64xf32>
    %699 = stablehlo.broadcast_in_dim %698, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %700 = stablehlo.broadcast_in_dim %699, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %701 = stablehlo.subtract %695, %700 : tensor<8x12x64x64xf32>
    %702 = stablehlo.exponential %701 : tensor<8x12x64x64xf32>
    %cst_135 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %703 = stablehlo.reduce(%702 init: %cst_135) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %704 = stablehlo.broadcast_in_dim %703, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %705 = stablehlo.broadcast_in_dim %704, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %706 = stablehlo.divide %702, %705 : tensor<8x12x64x64xf32>
    %707 = stablehlo.dot_general %689, %706, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %708 = stablehlo.transpose %707, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %709 = stablehlo.reshape %708 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %710 = stablehlo.dot_general %709, %arg86, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %711 = stablehlo.broadcast_in_dim %arg84, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %712 = stablehlo.broadcast_in_dim %711, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %713 = stablehlo.add %710, %712 : tensor<8x64x768xf32>
    %714 = stablehlo.add %661, %713 : tensor<8x64x768xf32>
    %cst_136 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %715 = stablehlo.reduce(%714 init: %cst_136) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %716 = stablehlo.broadcast_in_dim %715, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_137 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %717 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %718 = stablehlo.divide %716, %717 : tensor<8x64x1xf32>
    %c_138 = stablehlo.constant dense<0> : tensor<i32>
    %719 = call @_var(%714, %c_138) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %720 = stablehlo.broadcast_in_dim %718, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %721 = stablehlo.subtract %714, %720 : tensor<8x64x768xf32>
    %cst_139 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %722 = stablehlo.broadcast_in_dim %cst_139, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %723 = stablehlo.add %719, %722 : tensor<8x64x1xf32>
    %724 = stablehlo.sqrt %723 : tensor<8x64x1xf32>
    %725 = stablehlo.broadcast_in_dim %724, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %726 = stablehlo.divide %721, %725 : tensor<8x64x768xf32>
    %727 = stablehlo.broadcast_in_dim %arg91, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %728 = stablehlo.broadcast_in_dim %727, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %729 = stablehlo.multiply %726, %728 : tensor<8x64x768xf32>
    %730 = stablehlo.broadcast_in_dim %arg90, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %731 = stablehlo.broadcast_in_dim %730, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %732 = stablehlo.add %729, %731 : tensor<8x64x768xf32>
    %733 = stablehlo.dot_general %732, %arg95, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %734 = stablehlo.broadcast_in_dim %arg93, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %735 = stablehlo.broadcast_in_dim %734, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %736 = stablehlo.add %733, %735 : tensor<8x64x3072xf32>
    %737 = stablehlo.multiply %736, %736 : tensor<8x64x3072xf32>
    %738 = stablehlo.multiply %737, %736 : tensor<8x64x3072xf32>
    %cst_140 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %739 = stablehlo.broadcast_in_dim %cst_140, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %740 = stablehlo.multiply %739, %738 : tensor<8x64x3072xf32>
    %741 = stablehlo.add %736, %740 : tensor<8x64x3072xf32>
    %cst_141 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %742 = stablehlo.broadcast_in_dim %cst_141, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %743 = stablehlo.multiply %742, %741 : tensor<8x64x3072xf32>
    %744 = stablehlo.tanh %743 : tensor<8x64x3072xf32>
    %cst_142 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %745 = stablehlo.broadcast_in_dim %cst_142, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %746 = stablehlo.add %745, %744 : tensor<8x64x3072xf32>
    %cst_143 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %747 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %748 = stablehlo.multiply %747, %746 : tensor<8x64x3072xf32>
    %749 = stablehlo.multiply %736, %748 : tensor<8x64x3072xf32>
    %750 = stablehlo.dot_general %749, %arg94, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %751 = stablehlo.broadcast_in_dim %arg92, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %752 = stablehlo.broadcast_in_dim %751, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %753 = stablehlo.add %750, %752 : tensor<8x64x768xf32>
    %754 = stablehlo.add %714, %753 : tensor<8x64x768xf32>
    %cst_144 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %755 = stablehlo.reduce(%754 init: %cst_144) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %756 = stablehlo.broadcast_in_dim %755, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_145 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %757 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %758 = stablehlo.divide %756, %757 : tensor<8x64x1xf32>
    %c_146 = stablehlo.constant dense<0> : tensor<i32>
    %759 = call @_var(%754, %c_146) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %760 = stablehlo.broadcast_in_dim %758, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %761 = stablehlo.subtract %754, %760 : tensor<8x64x768xf32>
    %cst_147 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %762 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %763 = stablehlo.add %759, %762 : tensor<8x64x1xf32>
    %764 = stablehlo.sqrt %763 : tensor<8x64x1xf32>
    %765 = stablehlo.broadcast_in_dim %764, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %766 = stablehlo.divide %761, %765 : tensor<8x64x768xf32>
    %767 = stablehlo.broadcast_in_dim %arg101, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %768 = stablehlo.broadcast_in_dim %767, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %769 = stablehlo.multiply %766, %768 : tensor<8x64x768xf32>
    %770 = stablehlo.broadcast_in_dim %arg100, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %771 = stablehlo.broadcast_in_dim %770, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %772 = stablehlo.add %769, %771 : tensor<8x64x768xf32>
    %773 = stablehlo.dot_general %772, %arg99, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %774 = stablehlo.broadcast_in_dim %arg97, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %775 = stablehlo.broadcast_in_dim %774, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %776 = stablehlo.add %773, %775 : tensor<8x64x2304xf32>
    %777 = stablehlo.slice %776 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %778 = stablehlo.slice %776 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %779 = stablehlo.slice %776 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %780 = stablehlo.reshape %777 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %781 = stablehlo.reshape %778 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %782 = stablehlo.reshape %779 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %783 = stablehlo.dot_general %780, %781, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_148 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %784 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %785 = stablehlo.divide %783, %784 : tensor<8x12x64x64xf32>
    %c_149 = stablehlo.constant dense<true> : tensor<i1>
    %786 = stablehlo.broadcast_in_dim %c_149, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %787 = call @tril(%786) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_150 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %788 = call @_where_0(%787, %785, %cst_150) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_151 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %789 = stablehlo.reduce(%788 init: %cst_151) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_152 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %790 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %791 = stablehlo.maximum %790, %789 : tensor<8x12x64xf32>
    %792 = stablehlo.broadcast_in_dim %791, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %793 = stablehlo.broadcast_in_dim %792, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %794 = stablehlo.subtract %788, %793 : tensor<8x12x64x64xf32>
    %795 = stablehlo.exponential %794 : tensor<8x12x64x64xf32>
    %cst_153 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %796 = stablehlo.reduce(%795 init: %cst_153) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %797 = stablehlo.broadcast_in_dim %796, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %798 = stablehlo.broadcast_in_dim %797, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %799 = stablehlo.divide %795, %798 : tensor<8x12x64x64xf32>
    %800 = stablehlo.dot_general %782, %799, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %801 = stablehlo.transpose %800, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %802 = stablehlo.reshape %801 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %803 = stablehlo.dot_general %802, %arg98, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %804 = stablehlo.broadcast_in_dim %arg96, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %805 = stablehlo.broadcast_in_dim %804, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %806 = stablehlo.add %803, %805 : tensor<8x64x768xf32>
    %807 = stablehlo.add %754, %806 : tensor<8x64x768xf32>
    %cst_154 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %808 = stablehlo.reduce(%807 init: %cst_154) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %809 = stablehlo.broadcast_in_dim %808, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_155 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %810 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %811 = stablehlo.divide %809, %810 : tensor<8x64x1xf32>
    %c_156 = stablehlo.constant dense<0> : tensor<i32>
    %812 = call @_var(%807, %c_156) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %813 = stablehlo.broadcast_in_dim %811, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %814 = stablehlo.subtract %807, %813 : tensor<8x64x768xf32>
    %cst_157 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %815 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %816 = stablehlo.add %812, %815 : tensor<8x64x1xf32>
    %817 = stablehlo.sqrt %816 : tensor<8x64x1xf32>
    %818 = stablehlo.broadcast_in_dim %817, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %819 = stablehlo.divide %814, %818 : tensor<8x64x768xf32>
    %820 = stablehlo.broadcast_in_dim %arg103, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %821 = stablehlo.broadcast_in_dim %820, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %822 = stablehlo.multiply %819, %821 : tensor<8x64x768xf32>
    %823 = stablehlo.broadcast_in_dim %arg102, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %824 = stablehlo.broadcast_in_dim %823, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %825 = stablehlo.add %822, %824 : tensor<8x64x768xf32>
    %826 = stablehlo.dot_general %825, %arg107, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %827 = stablehlo.broadcast_in_dim %arg105, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %828 = stablehlo.broadcast_in_dim %827, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %829 = stablehlo.add %826, %828 : tensor<8x64x3072xf32>
    %830 = stablehlo.multiply %829, %829 : tensor<8x64x3072xf32>
    %831 = stablehlo.multiply %830, %829 : tensor<8x64x3072xf32>
    %cst_158 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %832 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %833 = stablehlo.multiply %832, %831 : tensor<8x64x3072xf32>
    %834 = stablehlo.add %829, %833 : tensor<8x64x3072xf32>
    %cst_159 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %835 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %836 = stablehlo.multiply %835, %834 : tensor<8x64x3072xf32>
    %837 = stablehlo.tanh %836 : tensor<8x64x3072xf32>
    %cst_160 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %838 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %839 = stablehlo.add %838, %837 : tensor<8x64x3072xf32>
    %cst_161 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %840 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %841 = stablehlo.multiply %840, %839 : tensor<8x64x3072xf32>
    %842 = stablehlo.multiply %829, %841 : tensor<8x64x3072xf32>
    %843 = stablehlo.dot_general %842, %arg106, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %844 = stablehlo.broadcast_in_dim %arg104, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %845 = stablehlo.broadcast_in_dim %844, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %846 = stablehlo.add %843, %845 : tensor<8x64x768xf32>
    %847 = stablehlo.add %807, %846 : tensor<8x64x768xf32>
    %cst_162 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %848 = stablehlo.reduce(%847 init: %cst_162) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %849 = stablehlo.broadcast_in_dim %848, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_163 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %850 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %851 = stablehlo.divide %849, %850 : tensor<8x64x1xf32>
    %c_164 = stablehlo.constant dense<0> : tensor<i32>
    %852 = call @_var(%847, %c_164) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %853 = stablehlo.broadcast_in_dim %851, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %854 = stablehlo.subtract %847, %853 : tensor<8x64x768xf32>
    %cst_165 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %855 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %856 = stablehlo.add %852, %855 : tensor<8x64x1xf32>
    %857 = stablehlo.sqrt %856 : tensor<8x64x1xf32>
    %858 = stablehlo.broadcast_in_dim %857, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %859 = stablehlo.divide %854, %858 : tensor<8x64x768xf32>
    %860 = stablehlo.broadcast_in_dim %arg113, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %861 = stablehlo.broadcast_in_dim %860, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %862 = stablehlo.multiply %859, %861 : tensor<8x64x768xf32>
    %863 = stablehlo.broadcast_in_dim %arg112, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %864 = stablehlo.broadcast_in_dim %863, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %865 = stablehlo.add %862, %864 : tensor<8x64x768xf32>
    %866 = stablehlo.dot_general %865, %arg111, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %867 = stablehlo.broadcast_in_dim %arg109, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %868 = stablehlo.broadcast_in_dim %867, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %869 = stablehlo.add %866, %868 : tensor<8x64x2304xf32>
    %870 = stablehlo.slice %869 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %871 = stablehlo.slice %869 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %872 = stablehlo.slice %869 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %873 = stablehlo.reshape %870 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %874 = stablehlo.reshape %871 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %875 = stablehlo.reshape %872 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %876 = stablehlo.dot_general %873, %874, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_166 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %877 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %878 = stablehlo.divide %876, %877 : tensor<8x12x64x64xf32>
    %c_167 = stablehlo.constant dense<true> : tensor<i1>
    %879 = stablehlo.broadcast_in_dim %c_167, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %880 = call @tril(%879) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_168 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %881 = call @_where_0(%880, %878, %cst_168) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_169 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %882 = stablehlo.reduce(%881 init: %cst_169) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_170 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %883 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %884 = stablehlo.maximum %883, %882 : tensor<8x12x64xf32>
    %885 = stablehlo.broadcast_in_dim %884, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %886 = stablehlo.broadcast_in_dim %885, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %887 = stablehlo.subtract %881, %886 : tensor<8x12x64x64xf32>
    %888 = stablehlo.exponential %887 : tensor<8x12x64x64xf32>
    %cst_171 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %889 = stablehlo.reduce(%888 init: %cst_171) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %890 = stablehlo.broadcast_in_dim %889, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %891 = stablehlo.broadcast_in_dim %890, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %892 = stablehlo.divide %888, %891 : tensor<8x12x64x64xf32>
    %893 = stablehlo.dot_general %875, %892, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %894 = stablehlo.transpose %893, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %895 = stablehlo.reshape %894 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %896 = stablehlo.dot_general %895, %arg110, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %897 = stablehlo.broadcast_in_dim %arg108, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %898 = stablehlo.broadcast_in_dim %897, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %899 = stablehlo.add %896, %898 : tensor<8x64x768xf32>
    %900 = stablehlo.add %847, %899 : tensor<8x64x768xf32>
    %cst_172 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %901 = stablehlo.reduce(%900 init: %cst_172) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %902 = stablehlo.broadcast_in_dim %901, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_173 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %903 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %904 = stablehlo.divide %902, %903 : tensor<8x64x1xf32>
    %c_174 = stablehlo.constant dense<0> : tensor<i32>
    %905 = call @_var(%900, %c_174) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %906 = stablehlo.broadcast_in_dim %904, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %907 = stablehlo.subtract %900, %906 : tensor<8x64x768xf32>
    %cst_175 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %908 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %909 = stablehlo.add %905, %908 : tensor<8x64x1xf32>
    %910 = stablehlo.sqrt %909 : tensor<8x64x1xf32>
    %911 = stablehlo.broadcast_in_dim %910, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %912 = stablehlo.divide %907, %911 : tensor<8x64x768xf32>
    %913 = stablehlo.broadcast_in_dim %arg115, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %914 = stablehlo.broadcast_in_dim %913, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %915 = stablehlo.multiply %912, %914 : tensor<8x64x768xf32>
    %916 = stablehlo.broadcast_in_dim %arg114, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %917 = stablehlo.broadcast_in_dim %916, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %918 = stablehlo.add %915, %917 : tensor<8x64x768xf32>
    %919 = stablehlo.dot_general %918, %arg119, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %920 = stablehlo.broadcast_in_dim %arg117, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %921 = stablehlo.broadcast_in_dim %920, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %922 = stablehlo.add %919, %921 : tensor<8x64x3072xf32>
    %923 = stablehlo.multiply %922, %922 : tensor<8x64x3072xf32>
    %924 = stablehlo.multiply %923, %922 : tensor<8x64x3072xf32>
    %cst_176 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %925 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %926 = stablehlo.multiply %925, %924 : tensor<8x64x3072xf32>
    %927 = stablehlo.add %922, %926 : tensor<8x64x3072xf32>
    %cst_177 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %928 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %929 = stablehlo.multiply %928, %927 : tensor<8x64x3072xf32>
    %930 = stablehlo.tanh %929 : tensor<8x64x3072xf32>
    %cst_178 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %931 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %932 = stablehlo.add %931, %930 : tensor<8x64x3072xf32>
    %cst_179 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %933 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %934 = stablehlo.multiply %933, %932 : tensor<8x64x3072xf32>
    %935 = stablehlo.multiply %922, %934 : tensor<8x64x3072xf32>
    %936 = stablehlo.dot_general %935, %arg118, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %937 = stablehlo.broadcast_in_dim %arg116, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %938 = stablehlo.broadcast_in_dim %937, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %939 = stablehlo.add %936, %938 : tensor<8x64x768xf32>
    %940 = stablehlo.add %900, %939 : tensor<8x64x768xf32>
    %cst_180 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %941 = stablehlo.reduce(%940 init: %cst_180) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %942 = stablehlo.broadcast_in_dim %941, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_181 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %943 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %944 = stablehlo.divide %942, %943 : tensor<8x64x1xf32>
    %c_182 = stablehlo.constant dense<0> : tensor<i32>
    %945 = call @_var(%940, %c_182) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %946 = stablehlo.broadcast_in_dim %944, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %947 = stablehlo.subtract %940, %946 : tensor<8x64x768xf32>
    %cst_183 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %948 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %949 = stablehlo.add %945, %948 : tensor<8x64x1xf32>
    %950 = stablehlo.sqrt %949 : tensor<8x64x1xf32>
    %951 = stablehlo.broadcast_in_dim %950, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %952 = stablehlo.divide %947, %951 : tensor<8x64x768xf32>
    %953 = stablehlo.broadcast_in_dim %arg125, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %954 = stablehlo.broadcast_in_dim %953, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %955 = stablehlo.multiply %952, %954 : tensor<8x64x768xf32>
    %956 = stablehlo.broadcast_in_dim %arg124, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %957 = stablehlo.broadcast_in_dim %956, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %958 = stablehlo.add %955, %957 : tensor<8x64x768xf32>
    %959 = stablehlo.dot_general %958, %arg123, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %960 = stablehlo.broadcast_in_dim %arg121, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %961 = stablehlo.broadcast_in_dim %960, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %962 = stablehlo.add %959, %961 : tensor<8x64x2304xf32>
    %963 = stablehlo.slice %962 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %964 = stablehlo.slice %962 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %965 = stablehlo.slice %962 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %966 = stablehlo.reshape %963 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %967 = stablehlo.reshape %964 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %968 = stablehlo.reshape %965 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %969 = stablehlo.dot_general %966, %967, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_184 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %970 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %971 = stablehlo.divide %969, %970 : tensor<8x12x64x64xf32>
    %c_185 = stablehlo.constant dense<true> : tensor<i1>
    %972 = stablehlo.broadcast_in_dim %c_185, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %973 = call @tril(%972) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_186 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %974 = call @_where_0(%973, %971, %cst_186) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_187 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %975 = stablehlo.reduce(%974 init: %cst_187) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_188 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %976 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %977 = stablehlo.maximum %976, %975 : tensor<8x12x64xf32>
    %978 = stablehlo.broadcast_in_dim %977, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %979 = stablehlo.broadcast_in_dim %978, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %980 = stablehlo.subtract %974, %979 : tensor<8x12x64x64xf32>
    %981 = stablehlo.exponential %980 : tensor<8x12x64x64xf32>
    %cst_189 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %982 = stablehlo.reduce(%981 init: %cst_189) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %983 = stablehlo.broadcast_in_dim %982, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %984 = stablehlo.broadcast_in_dim %983, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %985 = stablehlo.divide %981, %984 : tensor<8x12x64x64xf32>
    %986 = stablehlo.dot_general %968, %985, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %987 = stablehlo.transpose %986, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %988 = stablehlo.reshape %987 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %989 = stablehlo.dot_general %988, %arg122, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %990 = stablehlo.broadcast_in_dim %arg120, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %991 = stablehlo.broadcast_in_dim %990, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %992 = stablehlo.add %989, %991 : tensor<8x64x768xf32>
    %993 = stablehlo.add %940, %992 : tensor<8x64x768xf32>
    %cst_190 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %994 = stablehlo.reduce(%993 init: %cst_190) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %995 = stablehlo.broadcast_in_dim %994, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_191 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %996 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %997 = stablehlo.divide %995, %996 : tensor<8x64x1xf32>
    %c_192 = stablehlo.constant dense<0> : tensor<i32>
    %998 = call @_var(%993, %c_192) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %999 = stablehlo.broadcast_in_dim %997, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %1000 = stablehlo.subtract %993, %999 : tensor<8x64x768xf32>
    %cst_193 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %1001 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %1002 = stablehlo.add %998, %1001 : tensor<8x64x1xf32>
    %1003 = stablehlo.sqrt %1002 : tensor<8x64x1xf32>
    %1004 = stablehlo.broadcast_in_dim %1003, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %1005 = stablehlo.divide %1000, %1004 : tensor<8x64x768xf32>
    %1006 = stablehlo.broadcast_in_dim %arg127, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1007 = stablehlo.broadcast_in_dim %1006, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1008 = stablehlo.multiply %1005, %1007 : tensor<8x64x768xf32>
    %1009 = stablehlo.broadcast_in_dim %arg126, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1010 = stablehlo.broadcast_in_dim %1009, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1011 = stablehlo.add %1008, %1010 : tensor<8x64x768xf32>
    %1012 = stablehlo.dot_general %1011, %arg131, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %1013 = stablehlo.broadcast_in_dim %arg129, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %1014 = stablehlo.broadcast_in_dim %1013, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %1015 = stablehlo.add %1012, %1014 : tensor<8x64x3072xf32>
    %1016 = stablehlo.multiply %1015, %1015 : tensor<8x64x3072xf32>
    %1017 = stablehlo.multiply %1016, %1015 : tensor<8x64x3072xf32>
    %cst_194 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %1018 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %1019 = stablehlo.multiply %1018, %1017 : tensor<8x64x3072xf32>
    %1020 = stablehlo.add %1015, %1019 : tensor<8x64x3072xf32>
    %cst_195 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %1021 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %1022 = stablehlo.multiply %1021, %1020 : tensor<8x64x3072xf32>
    %1023 = stablehlo.tanh %1022 : tensor<8x64x3072xf32>
    %cst_196 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1024 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %1025 = stablehlo.add %1024, %1023 : tensor<8x64x3072xf32>
    %cst_197 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1026 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %1027 = stablehlo.multiply %1026, %1025 : tensor<8x64x3072xf32>
    %1028 = stablehlo.multiply %1015, %1027 : tensor<8x64x3072xf32>
    %1029 = stablehlo.dot_general %1028, %arg130, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %1030 = stablehlo.broadcast_in_dim %arg128, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1031 = stablehlo.broadcast_in_dim %1030, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1032 = stablehlo.add %1029, %1031 : tensor<8x64x768xf32>
    %1033 = stablehlo.add %993, %1032 : tensor<8x64x768xf32>
    %cst_198 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1034 = stablehlo.reduce(%1033 init: %cst_198) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %1035 = stablehlo.broadcast_in_dim %1034, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_199 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %1036 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %1037 = stablehlo.divide %1035, %1036 : tensor<8x64x1xf32>
    %c_200 = stablehlo.constant dense<0> : tensor<i32>
    %1038 = call @_var(%1033, %c_200) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %1039 = stablehlo.broadcast_in_dim %1037, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %1040 = stablehlo.subtract %1033, %1039 : tensor<8x64x768xf32>
    %cst_201 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %1041 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %1042 = stablehlo.add %1038, %1041 : tensor<8x64x1xf32>
    %1043 = stablehlo.sqrt %1042 : tensor<8x64x1xf32>
    %1044 = stablehlo.broadcast_in_dim %1043, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %1045 = stablehlo.divide %1040, %1044 : tensor<8x64x768xf32>
    %1046 = stablehlo.broadcast_in_dim %arg137, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1047 = stablehlo.broadcast_in_dim %1046, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1048 = stablehlo.multiply %1045, %1047 : tensor<8x64x768xf32>
    %1049 = stablehlo.broadcast_in_dim %arg136, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1050 = stablehlo.broadcast_in_dim %1049, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1051 = stablehlo.add %1048, %1050 : tensor<8x64x768xf32>
    %1052 = stablehlo.dot_general %1051, %arg135, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x2304xf32>) -> tensor<8x64x2304xf32>
    %1053 = stablehlo.broadcast_in_dim %arg133, dims = [2] : (tensor<2304xf32>) -> tensor<1x1x2304xf32>
    %1054 = stablehlo.broadcast_in_dim %1053, dims = [0, 1, 2] : (tensor<1x1x2304xf32>) -> tensor<8x64x2304xf32>
    %1055 = stablehlo.add %1052, %1054 : tensor<8x64x2304xf32>
    %1056 = stablehlo.slice %1055 [0:8, 0:64, 0:768] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %1057 = stablehlo.slice %1055 [0:8, 0:64, 768:1536] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %1058 = stablehlo.slice %1055 [0:8, 0:64, 1536:2304] : (tensor<8x64x2304xf32>) -> tensor<8x64x768xf32>
    %1059 = stablehlo.reshape %1056 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %1060 = stablehlo.reshape %1057 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %1061 = stablehlo.reshape %1058 : (tensor<8x64x768xf32>) -> tensor<8x64x12x64xf32>
    %1062 = stablehlo.dot_general %1059, %1060, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x64x12x64xf32>) -> tensor<8x12x64x64xf32>
    %cst_202 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %1063 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %1064 = stablehlo.divide %1062, %1063 : tensor<8x12x64x64xf32>
    %c_203 = stablehlo.constant dense<true> : tensor<i1>
    %1065 = stablehlo.broadcast_in_dim %c_203, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %1066 = call @tril(%1065) : (tensor<64x64xi1>) -> tensor<64x64xi1>
    %cst_204 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %1067 = call @_where_0(%1066, %1064, %cst_204) : (tensor<64x64xi1>, tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64x64xf32>
    %cst_205 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1068 = stablehlo.reduce(%1067 init: %cst_205) applies stablehlo.maximum across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %cst_206 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1069 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<8x12x64xf32>
    %1070 = stablehlo.maximum %1069, %1068 : tensor<8x12x64xf32>
    %1071 = stablehlo.broadcast_in_dim %1070, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %1072 = stablehlo.broadcast_in_dim %1071, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %1073 = stablehlo.subtract %1067, %1072 : tensor<8x12x64x64xf32>
    %1074 = stablehlo.exponential %1073 : tensor<8x12x64x64xf32>
    %cst_207 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1075 = stablehlo.reduce(%1074 init: %cst_207) applies stablehlo.add across dimensions = [3] : (tensor<8x12x64x64xf32>, tensor<f32>) -> tensor<8x12x64xf32>
    %1076 = stablehlo.broadcast_in_dim %1075, dims = [0, 1, 2] : (tensor<8x12x64xf32>) -> tensor<8x12x64x1xf32>
    %1077 = stablehlo.broadcast_in_dim %1076, dims = [0, 1, 2, 3] : (tensor<8x12x64x1xf32>) -> tensor<8x12x64x64xf32>
    %1078 = stablehlo.divide %1074, %1077 : tensor<8x12x64x64xf32>
    %1079 = stablehlo.dot_general %1061, %1078, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<8x64x12x64xf32>, tensor<8x12x64x64xf32>) -> tensor<8x12x64x64xf32>
    %1080 = stablehlo.transpose %1079, dims = [0, 3, 1, 2] : (tensor<8x12x64x64xf32>) -> tensor<8x64x12x64xf32>
    %1081 = stablehlo.reshape %1080 : (tensor<8x64x12x64xf32>) -> tensor<8x64x768xf32>
    %1082 = stablehlo.dot_general %1081, %arg134, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x768xf32>) -> tensor<8x64x768xf32>
    %1083 = stablehlo.broadcast_in_dim %arg132, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1084 = stablehlo.broadcast_in_dim %1083, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1085 = stablehlo.add %1082, %1084 : tensor<8x64x768xf32>
    %1086 = stablehlo.add %1033, %1085 : tensor<8x64x768xf32>
    %cst_208 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1087 = stablehlo.reduce(%1086 init: %cst_208) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %1088 = stablehlo.broadcast_in_dim %1087, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_209 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %1089 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %1090 = stablehlo.divide %1088, %1089 : tensor<8x64x1xf32>
    %c_210 = stablehlo.constant dense<0> : tensor<i32>
    %1091 = call @_var(%1086, %c_210) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %1092 = stablehlo.broadcast_in_dim %1090, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %1093 = stablehlo.subtract %1086, %1092 : tensor<8x64x768xf32>
    %cst_211 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %1094 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %1095 = stablehlo.add %1091, %1094 : tensor<8x64x1xf32>
    %1096 = stablehlo.sqrt %1095 : tensor<8x64x1xf32>
    %1097 = stablehlo.broadcast_in_dim %1096, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %1098 = stablehlo.divide %1093, %1097 : tensor<8x64x768xf32>
    %1099 = stablehlo.broadcast_in_dim %arg139, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1100 = stablehlo.broadcast_in_dim %1099, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1101 = stablehlo.multiply %1098, %1100 : tensor<8x64x768xf32>
    %1102 = stablehlo.broadcast_in_dim %arg138, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1103 = stablehlo.broadcast_in_dim %1102, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1104 = stablehlo.add %1101, %1103 : tensor<8x64x768xf32>
    %1105 = stablehlo.dot_general %1104, %arg143, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x3072xf32>) -> tensor<8x64x3072xf32>
    %1106 = stablehlo.broadcast_in_dim %arg141, dims = [2] : (tensor<3072xf32>) -> tensor<1x1x3072xf32>
    %1107 = stablehlo.broadcast_in_dim %1106, dims = [0, 1, 2] : (tensor<1x1x3072xf32>) -> tensor<8x64x3072xf32>
    %1108 = stablehlo.add %1105, %1107 : tensor<8x64x3072xf32>
    %1109 = stablehlo.multiply %1108, %1108 : tensor<8x64x3072xf32>
    %1110 = stablehlo.multiply %1109, %1108 : tensor<8x64x3072xf32>
    %cst_212 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %1111 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %1112 = stablehlo.multiply %1111, %1110 : tensor<8x64x3072xf32>
    %1113 = stablehlo.add %1108, %1112 : tensor<8x64x3072xf32>
    %cst_213 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %1114 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %1115 = stablehlo.multiply %1114, %1113 : tensor<8x64x3072xf32>
    %1116 = stablehlo.tanh %1115 : tensor<8x64x3072xf32>
    %cst_214 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1117 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %1118 = stablehlo.add %1117, %1116 : tensor<8x64x3072xf32>
    %cst_215 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %1119 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<8x64x3072xf32>
    %1120 = stablehlo.multiply %1119, %1118 : tensor<8x64x3072xf32>
    %1121 = stablehlo.multiply %1108, %1120 : tensor<8x64x3072xf32>
    %1122 = stablehlo.dot_general %1121, %arg142, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x3072xf32>, tensor<3072x768xf32>) -> tensor<8x64x768xf32>
    %1123 = stablehlo.broadcast_in_dim %arg140, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1124 = stablehlo.broadcast_in_dim %1123, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1125 = stablehlo.add %1122, %1124 : tensor<8x64x768xf32>
    %1126 = stablehlo.add %1086, %1125 : tensor<8x64x768xf32>
    %cst_216 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1127 = stablehlo.reduce(%1126 init: %cst_216) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %1128 = stablehlo.broadcast_in_dim %1127, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_217 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %1129 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %1130 = stablehlo.divide %1128, %1129 : tensor<8x64x1xf32>
    %c_218 = stablehlo.constant dense<0> : tensor<i32>
    %1131 = call @_var(%1126, %c_218) : (tensor<8x64x768xf32>, tensor<i32>) -> tensor<8x64x1xf32>
    %1132 = stablehlo.broadcast_in_dim %1130, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %1133 = stablehlo.subtract %1126, %1132 : tensor<8x64x768xf32>
    %cst_219 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %1134 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %1135 = stablehlo.add %1131, %1134 : tensor<8x64x1xf32>
    %1136 = stablehlo.sqrt %1135 : tensor<8x64x1xf32>
    %1137 = stablehlo.broadcast_in_dim %1136, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %1138 = stablehlo.divide %1133, %1137 : tensor<8x64x768xf32>
    %1139 = stablehlo.broadcast_in_dim %arg145, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1140 = stablehlo.broadcast_in_dim %1139, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1141 = stablehlo.multiply %1138, %1140 : tensor<8x64x768xf32>
    %1142 = stablehlo.broadcast_in_dim %arg144, dims = [2] : (tensor<768xf32>) -> tensor<1x1x768xf32>
    %1143 = stablehlo.broadcast_in_dim %1142, dims = [0, 1, 2] : (tensor<1x1x768xf32>) -> tensor<8x64x768xf32>
    %1144 = stablehlo.add %1141, %1143 : tensor<8x64x768xf32>
    %1145 = stablehlo.transpose %arg147, dims = [1, 0] : (tensor<50257x768xf32>) -> tensor<768x50257xf32>
    %1146 = stablehlo.dot_general %1144, %1145, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64x768xf32>, tensor<768x50257xf32>) -> tensor<8x64x50257xf32>
    %1147 = call @log_softmax(%1146) : (tensor<8x64x50257xf32>) -> tensor<8x64x50257xf32>
    %1148 = stablehlo.broadcast_in_dim %arg148, dims = [0, 1] : (tensor<8x64xi32>) -> tensor<8x64x1xi32>
    %1149 = call @take_along_axis(%1147, %1148) : (tensor<8x64x50257xf32>, tensor<8x64x1xi32>) -> tensor<8x64x1xf32>
    %cst_220 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1150 = stablehlo.reduce(%1149 init: %cst_220) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<8x64x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_221 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %1151 = stablehlo.divide %1150, %cst_221 : tensor<f32>
    %1152 = stablehlo.negate %1151 : tensor<f32>
    return %1152 : tensor<f32>
  }
  func.func private @_var(%arg0: tensor<8x64x768xf32>, %arg1: tensor<i32>) -> tensor<8x64x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %cst_0 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<8x64x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x768xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x64x768xf32>
    %6 = chlo.square %5 : tensor<8x64x768xf32> -> tensor<8x64x768xf32>
    %7 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_1 = stablehlo.constant dense<7.680000e+02> : tensor<f32>
    %8 = stablehlo.subtract %cst_1, %7 : tensor<f32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.reduce(%6 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<8x64x768xf32>, tensor<f32>) -> tensor<8x64xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %11 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %12 = stablehlo.divide %10, %11 : tensor<8x64x1xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.compare GT, %8, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_4 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = call @_where(%13, %12, %cst_4) : (tensor<i1>, tensor<8x64x1xf32>, tensor<f32>) -> tensor<8x64x1xf32>
    return %14 : tensor<8x64x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<8x64x1xf32>, %arg2: tensor<f32>) -> tensor<8x64x1xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<8x64x1xf32>
    return %2 : tensor<8x64x1xf32>
  }
  func.func private @tril(%arg0: tensor<64x64xi1>) -> tensor<64x64xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<64x64xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<64x64xi32>
    %2 = stablehlo.add %0, %1 : tensor<64x64xi32>
    %3 = stablehlo.iota dim = 1 : tensor<64x64xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<64x64xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<64x64xi1>, tensor<64x64xi1>
    return %6 : tensor<64x64xi1>
  }
  func.func private @_where_0(%arg0: tensor<64x64xi1>, %arg1: tensor<8x12x64x64xf32>, %arg2: tensor<f32>) -> tensor<8x12x64x64xf32> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<64x64xi1>) -> tensor<8x12x64x64xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<8x12x64x64xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<8x12x64x64xi1>, tensor<8x12x64x64xf32>
    return %2 : tensor<8x12x64x64xf32>
  }
  func.func private @log_softmax(%arg0: tensor<8x64x50257xf32>) -> tensor<8x64x50257xf32> {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<8x64x50257xf32>, tensor<f32>) -> tensor<8x64xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<8x64xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<8x64xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x50257xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<8x64x50257xf32>
    %6 = stablehlo.exponential %5 : tensor<8x64x50257xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<8x64x50257xf32>, tensor<f32>) -> tensor<8x64xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<8x64xf32>) -> tensor<8x64x1xf32>
    %9 = stablehlo.log %8 : tensor<8x64x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<8x64x1xf32>) -> tensor<8x64x50257xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<8x64x50257xf32>
    return %11 : tensor<8x64x50257xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<8x64x50257xf32>, %arg1: tensor<8x64x1xi32>) -> tensor<8x64x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x64x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<8x64x1xi32>, tensor<8x64x1xi32>) -> tensor<8x64x1xi1>
    %c_0 = stablehlo.constant dense<50257> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8x64x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<8x64x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<8x64x1xi1>, tensor<8x64x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<8x64x1xi32>) -> tensor<8x64x1x1xi32>
    %c_1 = stablehlo.constant dense<50256> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x64x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<8x64x1x1xi32>, tensor<8x64x1x1xi32>) -> tensor<8x64x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<8x64x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<8x64x1x1xi32>, tensor<8x64x1x1xi32>) -> tensor<8x64x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<8x64x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<8x64x1x1xi1>, tensor<i1>) -> tensor<8x64x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<8x64x50257xf32>, tensor<8x64x1x1xi32>) -> tensor<8x64x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x64x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<8x64x1xi1>, tensor<8x64x1xf32>
    return %15 : tensor<8x64x1xf32>
  }
}
