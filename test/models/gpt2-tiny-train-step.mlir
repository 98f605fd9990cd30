module @gpt2_tiny_train_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].attn.b_out", smith.role = "param"}, %arg1: tensor<120xf32> {smith.init = "zeros", smith.name = "blocks[0].attn.b_qkv", smith.role = "param"}, %arg2: tensor<40x40xf32> {smith.init = "normal:0.0104", smith.name = "blocks[0].attn.w_out", smith.role = "param"}, %arg3: tensor<40x120xf32> {smith.init = "normal:0.0203", smith.name = "blocks[0].attn.w_qkv", smith.role = "param"}, %arg4: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].ln_1.bias", smith.role = "param"}, %arg5: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[0].ln_1.scale", smith.role = "param"}, %arg6: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].ln_2.bias", smith.role = "param"}, %arg7: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[0].ln_2.scale", smith.role = "param"}, %arg8: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[0].mlp.b_down", smith.role = "param"}, %arg9: tensor<160xf32> {smith.init = "zeros", smith.name = "blocks[0].mlp.b_up", smith.role = "param"}, %arg10: tensor<160x40xf32> {smith.init = "normal:0.01", smith.name = "blocks[0].mlp.w_down", smith.role = "param"}, %arg11: tensor<40x160xf32> {smith.init = "normal:0.0201", smith.name = "blocks[0].mlp.w_up", smith.role = "param"}, %arg12: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].attn.b_out", smith.role = "param"}, %arg13: tensor<120xf32> {smith.init = "zeros", smith.name = "blocks[1].attn.b_qkv", smith.role = "param"}, %arg14: tensor<40x40xf32> {smith.init = "normal:0.0102", smith.name = "blocks[1].attn.w_out", smith.role = "param"}, %arg15: tensor<40x120xf32> {smith.init = "normal:0.0201", smith.name = "blocks[1].attn.w_qkv", smith.role = "param"}, %arg16: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].ln_1.bias", smith.role = "param"}, %arg17: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[1].ln_1.scale", smith.role = "param"}, %arg18: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].ln_2.bias", smith.role = "param"}, %arg19: tensor<40xf32> {smith.init = "ones", smith.name = "blocks[1].ln_2.scale", smith.role = "param"}, %arg20: tensor<40xf32> {smith.init = "zeros", smith.name = "blocks[1].mlp.b_down", smith.role = "param"}, %arg21: tensor<160xf32> {smith.init = "zeros", smith.name = "blocks[1].mlp.b_up", smith.role = "param"}, %arg22: tensor<160x40xf32> {smith.init = "normal:0.00993", smith.name = "blocks[1].mlp.w_down", smith.role = "param"}, %arg23: tensor<40x160xf32> {smith.init = "normal:0.0201", smith.name = "blocks[1].mlp.w_up", smith.role = "param"}, %arg24: tensor<40xf32> {smith.init = "zeros", smith.name = "ln_f.bias", smith.role = "param"}, %arg25: tensor<40xf32> {smith.init = "ones", smith.name = "ln_f.scale", smith.role = "param"}, %arg26: tensor<32x40xf32> {smith.init = "normal:0.0202", smith.name = "wpe", smith.role = "param"}, %arg27: tensor<101x40xf32> {smith.init = "normal:0.0199", smith.name = "wte", smith.role = "param"}, %arg28: tensor<i32> {smith.init = "zeros", smith.name = "opt_state[0].count", smith.role = "state"}, %arg29: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].attn.b_out", smith.role = "state"}, %arg30: tensor<120xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].attn.b_qkv", smith.role = "state"}, %arg31: tensor<40x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].attn.w_out", smith.role = "state"}, %arg32: tensor<40x120xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].attn.w_qkv", smith.role = "state"}, %arg33: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].ln_1.bias", smith.role = "state"}, %arg34: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].ln_1.scale", smith.role = "state"}, %arg35: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].ln_2.bias", smith.role = "state"}, %arg36: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].ln_2.scale", smith.role = "state"}, %arg37: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].mlp.b_down", smith.role = "state"}, %arg38: tensor<160xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].mlp.b_up", smith.role = "state"}, %arg39: tensor<160x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].mlp.w_down", smith.role = "state"}, %arg40: tensor<40x160xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[0].mlp.w_up", smith.role = "state"}, %arg41: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].attn.b_out", smith.role = "state"}, %arg42: tensor<120xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].attn.b_qkv", smith.role = "state"}, %arg43: tensor<40x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].attn.w_out", smith.role = "state"}, %arg44: tensor<40x120xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].attn.w_qkv", smith.role = "state"}, %arg45: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].ln_1.bias", smith.role = "state"}, %arg46: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].ln_1.scale", smith.role = "state"}, %arg47: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].ln_2.bias", smith.role = "state"}, %arg48: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].ln_2.scale", smith.role = "state"}, %arg49: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].mlp.b_down", smith.role = "state"}, %arg50: tensor<160xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].mlp.b_up", smith.role = "state"}, %arg51: tensor<160x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].mlp.w_down", smith.role = "state"}, %arg52: tensor<40x160xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.blocks[1].mlp.w_up", smith.role = "state"}, %arg53: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.ln_f.bias", smith.role = "state"}, %arg54: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.ln_f.scale", smith.role = "state"}, %arg55: tensor<32x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.wpe", smith.role = "state"}, %arg56: tensor<101x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].mu.wte", smith.role = "state"}, %arg57: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].attn.b_out", smith.role = "state"}, %arg58: tensor<120xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].attn.b_qkv", smith.role = "state"}, %arg59: tensor<40x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].attn.w_out", smith.role = "state"}, %arg60: tensor<40x120xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].attn.w_qkv", smith.role = "state"}, %arg61: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].ln_1.bias", smith.role = "state"}, %arg62: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].ln_1.scale", smith.role = "state"}, %arg63: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].ln_2.bias", smith.role = "state"}, %arg64: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].ln_2.scale", smith.role = "state"}, %arg65: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].mlp.b_down", smith.role = "state"}, %arg66: tensor<160xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].mlp.b_up", smith.role = "state"}, %arg67: tensor<160x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].mlp.w_down", smith.role = "state"}, %arg68: tensor<40x160xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[0].mlp.w_up", smith.role = "state"}, %arg69: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].attn.b_out", smith.role = "state"}, %arg70: tensor<120xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].attn.b_qkv", smith.role = "state"}, %arg71: tensor<40x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].attn.w_out", smith.role = "state"}, %arg72: tensor<40x120xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].attn.w_qkv", smith.role = "state"}, %arg73: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].ln_1.bias", smith.role = "state"}, %arg74: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].ln_1.scale", smith.role = "state"}, %arg75: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].ln_2.bias", smith.role = "state"}, %arg76: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].ln_2.scale", smith.role = "state"}, %arg77: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].mlp.b_down", smith.role = "state"}, %arg78: tensor<160xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].mlp.b_up", smith.role = "state"}, %arg79: tensor<160x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].mlp.w_down", smith.role = "state"}, %arg80: tensor<40x160xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.blocks[1].mlp.w_up", smith.role = "state"}, %arg81: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.ln_f.bias", smith.role = "state"}, %arg82: tensor<40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.ln_f.scale", smith.role = "state"}, %arg83: tensor<32x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.wpe", smith.role = "state"}, %arg84: tensor<101x40xf32> {smith.init = "zeros", smith.name = "opt_state[0].nu.wte", smith.role = "state"}, %arg85: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 101 : i64, smith.name = "batch.targets", smith.role = "batch"}, %arg86: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 101 : i64, smith.name = "batch.tokens", smith.role = "batch"}) -> (tensor<40xf32> {smith.name = "blocks[0].attn.b_out", smith.role = "param"}, tensor<120xf32> {smith.name = "blocks[0].attn.b_qkv", smith.role = "param"}, tensor<40x40xf32> {smith.name = "blocks[0].attn.w_out", smith.role = "param"}, tensor<40x120xf32> {smith.name = "blocks[0].attn.w_qkv", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[0].ln_1.bias", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[0].ln_1.scale", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[0].ln_2.bias", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[0].ln_2.scale", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[0].mlp.b_down", smith.role = "param"}, tensor<160xf32> {smith.name = "blocks[0].mlp.b_up", smith.role = "param"}, tensor<160x40xf32> {smith.name = "blocks[0].mlp.w_down", smith.role = "param"}, tensor<40x160xf32> {smith.name = "blocks[0].mlp.w_up", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[1].attn.b_out", smith.role = "param"}, tensor<120xf32> {smith.name = "blocks[1].attn.b_qkv", smith.role = "param"}, tensor<40x40xf32> {smith.name = "blocks[1].attn.w_out", smith.role = "param"}, tensor<40x120xf32> {smith.name = "blocks[1].attn.w_qkv", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[1].ln_1.bias", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[1].ln_1.scale", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[1].ln_2.bias", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[1].ln_2.scale", smith.role = "param"}, tensor<40xf32> {smith.name = "blocks[1].mlp.b_down", smith.role = "param"}, tensor<160xf32> {smith.name = "blocks[1].mlp.b_up", smith.role = "param"}, tensor<160x40xf32> {smith.name = "blocks[1].mlp.w_down", smith.role = "param"}, tensor<40x160xf32> {smith.name = "blocks[1].mlp.w_up", smith.role = "param"}, tensor<40xf32> {smith.name = "ln_f.bias", smith.role = "param"}, tensor<40xf32> {smith.name = "ln_f.scale", smith.role = "param"}, tensor<32x40xf32> {smith.name = "wpe", smith.role = "param"}, tensor<101x40xf32> {smith.name = "wte", smith.role = "param"}, tensor<i32> {smith.name = "opt_state[0].count", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[0].attn.b_out", smith.role = "state"}, tensor<120xf32> {smith.name = "opt_state[0].mu.blocks[0].attn.b_qkv", smith.role = "state"}, tensor<40x40xf32> {smith.name = "opt_state[0].mu.blocks[0].attn.w_out", smith.role = "state"}, tensor<40x120xf32> {smith.name = "opt_state[0].mu.blocks[0].attn.w_qkv", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[0].ln_1.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[0].ln_1.scale", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[0].ln_2.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[0].ln_2.scale", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[0].mlp.b_down", smith.role = "state"}, tensor<160xf32> {smith.name = "opt_state[0].mu.blocks[0].mlp.b_up", smith.role = "state"}, tensor<160x40xf32> {smith.name = "opt_state[0].mu.blocks[0].mlp.w_down", smith.role = "state"}, tensor<40x160xf32> {smith.name = "opt_state[0].mu.blocks[0].mlp.w_up", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[1].attn.b_out", smith.role = "state"}, tensor<120xf32> {smith.name = "opt_state[0].mu.blocks[1].attn.b_qkv", smith.role = "state"}, tensor<40x40xf32> {smith.name = "opt_state[0].mu.blocks[1].attn.w_out", smith.role = "state"}, tensor<40x120xf32> {smith.name = "opt_state[0].mu.blocks[1].attn.w_qkv", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[1].ln_1.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[1].ln_1.scale", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[1].ln_2.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[1].ln_2.scale", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.blocks[1].mlp.b_down", smith.role = "state"}, tensor<160xf32> {smith.name = "opt_state[0].mu.blocks[1].mlp.b_up", smith.role = "state"}, tensor<160x40xf32> {smith.name = "opt_state[0].mu.blocks[1].mlp.w_down", smith.role = "state"}, tensor<40x160xf32> {smith.name = "opt_state[0].mu.blocks[1].mlp.w_up", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.ln_f.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].mu.ln_f.scale", smith.role = "state"}, tensor<32x40xf32> {smith.name = "opt_state[0].mu.wpe", smith.role = "state"}, tensor<101x40xf32> {smith.name = "opt_state[0].mu.wte", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[0].attn.b_out", smith.role = "state"}, tensor<120xf32> {smith.name = "opt_state[0].nu.blocks[0].attn.b_qkv", smith.role = "state"}, tensor<40x40xf32> {smith.name = "opt_state[0].nu.blocks[0].attn.w_out", smith.role = "state"}, tensor<40x120xf32> {smith.name = "opt_state[0].nu.blocks[0].attn.w_qkv", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[0].ln_1.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[0].ln_1.scale", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[0].ln_2.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[0].ln_2.scale", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[0].mlp.b_down", smith.role = "state"}, tensor<160xf32> {smith.name = "opt_state[0].nu.blocks[0].mlp.b_up", smith.role = "state"}, tensor<160x40xf32> {smith.name = "opt_state[0].nu.blocks[0].mlp.w_down", smith.role = "state"}, tensor<40x160xf32> {smith.name = "opt_state[0].nu.blocks[0].mlp.w_up", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[1].attn.b_out", smith.role = "state"}, tensor<120xf32> {smith.name = "opt_state[0].nu.blocks[1].attn.b_qkv", smith.role = "state"}, tensor<40x40xf32> {smith.name = "opt_state[0].nu.blocks[1].attn.w_out", smith.role = "state"}, tensor<40x120xf32> {smith.name = "opt_state[0].nu.blocks[1].attn.w_qkv", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[1].ln_1.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[1].ln_1.scale", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[1].ln_2.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[1].ln_2.scale", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.blocks[1].mlp.b_down", smith.role = "state"}, tensor<160xf32> {smith.name = "opt_state[0].nu.blocks[1].mlp.b_up", smith.role = "state"}, tensor<160x40xf32> {smith.name = "opt_state[0].nu.blocks[1].mlp.w_down", smith.role = "state"}, tensor<40x160xf32> {smith.name = "opt_state[0].nu.blocks[1].mlp.w_up", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.ln_f.bias", smith.role = "state"}, tensor<40xf32> {smith.name = "opt_state[0].nu.ln_f.scale", smith.role = "state"}, tensor<32x40xf32> {smith.name = "opt_state[0].nu.wpe", smith.role = "state"}, tensor<101x40xf32> {smith.name = "opt_state[0].nu.wte", smith.role = "state"}, tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<24x16xi32>
    %1 = stablehlo.compare LT, %arg86, %0, SIGNED : (tensor<24x16xi32>, tensor<24x16xi32>) -> tensor<24x16xi1>
    %c_0 = stablehlo.constant dense<101> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<24x16xi32>
    %3 = stablehlo.add %arg86, %2 : tensor<24x16xi32>
    %4 = stablehlo.select %1, %3, %arg86 : tensor<24x16xi1>, tensor<24x16xi32>
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
    %15:5 = call @_var(%10, %c_2) : (tensor<24x16x40xf32>, tensor<i32>) -> (tensor<24x16x1xf32>, tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>)
    %16 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %17 = stablehlo.subtract %10, %16 : tensor<24x16x40xf32>
    %cst_3 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %19 = stablehlo.add %15#0, %18 : tensor<24x16x1xf32>
    %20 = stablehlo.sqrt %19 : tensor<24x16x1xf32>
    %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %22 = stablehlo.divide %21, %20 : tensor<24x16x1xf32>
    %23 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %24 = stablehlo.divide %17, %23 : tensor<24x16x40xf32>
    %25 = stablehlo.multiply %20, %20 : tensor<24x16x1xf32>
    %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %27 = stablehlo.divide %26, %25 : tensor<24x16x1xf32>
    %28 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %30 = stablehlo.multiply %24, %29 : tensor<24x16x40xf32>
    %31 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %32 = stablehlo.broadcast_in_dim %31, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %33 = stablehlo.add %30, %32 : tensor<24x16x40xf32>
    %34 = stablehlo.dot_general %33, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x120xf32>) -> tensor<24x16x120xf32>
    %35 = stablehlo.broadcast_in_dim %arg1, dims = [2] : (tensor<120xf32>) -> tensor<1x1x120xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1, 2] : (tensor<1x1x120xf32>) -> tensor<24x16x120xf32>
    %37 = stablehlo.add %34, %36 : tensor<24x16x120xf32>
    %38 = stablehlo.slice %37 [0:24, 0:16, 0:40] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %39 = stablehlo.slice %37 [0:24, 0:16, 40:80] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %40 = stablehlo.slice %37 [0:24, 0:16, 80:120] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %41 = stablehlo.reshape %38 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %42 = stablehlo.reshape %39 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %43 = stablehlo.reshape %40 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %44 = stablehlo.dot_general %41, %42, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x16xf32>
    %cst_6 = stablehlo.constant dense<3.1622777> : tensor<f32>
    %45 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    %46 = stablehlo.divide %44, %45 : tensor<24x4x16x16xf32>
    %c_7 = stablehlo.constant dense<true> : tensor<i1>
    %47 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %48 = call @tril(%47) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_8 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %49:3 = call @_where_0(%48, %46, %cst_8) : (tensor<16x16xi1>, tensor<24x4x16x16xf32>, tensor<f32>) -> (tensor<24x4x16x16xf32>, tensor<24x4x16x16xi1>, tensor<24x4x16x16xf32>)
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %50 = stablehlo.reduce(%49#0 init: %cst_9) applies stablehlo.maximum across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %51 = stablehlo.reshape %50 : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %52 = stablehlo.broadcast_in_dim %51, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %53 = stablehlo.compare EQ, %49#0, %52, FLOAT : (tensor<24x4x16x16xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x16x16xi1>
    %54 = stablehlo.convert %53 : (tensor<24x4x16x16xi1>) -> tensor<24x4x16x16xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_10) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %57 = stablehlo.maximum %56, %50 : tensor<24x4x16xf32>
    %58 = stablehlo.compare EQ, %50, %57, FLOAT : (tensor<24x4x16xf32>, tensor<24x4x16xf32>) -> tensor<24x4x16xi1>
    %cst_12 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %61 = stablehlo.select %58, %59, %60 : tensor<24x4x16xi1>, tensor<24x4x16xf32>
    %cst_14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %63 = stablehlo.compare EQ, %62, %57, FLOAT : (tensor<24x4x16xf32>, tensor<24x4x16xf32>) -> tensor<24x4x16xi1>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %64 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %cst_16 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %66 = stablehlo.select %63, %64, %65 : tensor<24x4x16xi1>, tensor<24x4x16xf32>
    %67 = stablehlo.divide %61, %66 : tensor<24x4x16xf32>
    %68 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %70 = stablehlo.subtract %49#0, %69 : tensor<24x4x16x16xf32>
    %71 = stablehlo.exponential %70 : tensor<24x4x16x16xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %72 = stablehlo.reduce(%71 init: %cst_17) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %74 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %75 = stablehlo.divide %71, %74 : tensor<24x4x16x16xf32>
    %76 = stablehlo.multiply %73, %73 : tensor<24x4x16x1xf32>
    %cst_18 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %77 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<24x4x16x1xf32>
    %78 = stablehlo.divide %77, %76 : tensor<24x4x16x1xf32>
    %79 = stablehlo.dot_general %43, %75, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x10x16xf32>
    %80 = stablehlo.transpose %79, dims = [0, 3, 1, 2] : (tensor<24x4x10x16xf32>) -> tensor<24x16x4x10xf32>
    %81 = stablehlo.reshape %80 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %82 = stablehlo.dot_general %81, %arg2, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x40xf32>) -> tensor<24x16x40xf32>
    %83 = stablehlo.broadcast_in_dim %arg0, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %85 = stablehlo.add %82, %84 : tensor<24x16x40xf32>
    %86 = stablehlo.add %10, %85 : tensor<24x16x40xf32>
    %cst_19 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %87 = stablehlo.reduce(%86 init: %cst_19) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %88 = stablehlo.broadcast_in_dim %87, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_20 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %90 = stablehlo.divide %88, %89 : tensor<24x16x1xf32>
    %c_21 = stablehlo.constant dense<0> : tensor<i32>
    %91:5 = call @_var(%86, %c_21) : (tensor<24x16x40xf32>, tensor<i32>) -> (tensor<24x16x1xf32>, tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>)
    %92 = stablehlo.broadcast_in_dim %90, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %93 = stablehlo.subtract %86, %92 : tensor<24x16x40xf32>
    %cst_22 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %94 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %95 = stablehlo.add %91#0, %94 : tensor<24x16x1xf32>
    %96 = stablehlo.sqrt %95 : tensor<24x16x1xf32>
    %cst_23 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %98 = stablehlo.divide %97, %96 : tensor<24x16x1xf32>
    %99 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %100 = stablehlo.divide %93, %99 : tensor<24x16x40xf32>
    %101 = stablehlo.multiply %96, %96 : tensor<24x16x1xf32>
    %cst_24 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %102 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %103 = stablehlo.divide %102, %101 : tensor<24x16x1xf32>
    %104 = stablehlo.broadcast_in_dim %arg7, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %105 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %106 = stablehlo.multiply %100, %105 : tensor<24x16x40xf32>
    %107 = stablehlo.broadcast_in_dim %arg6, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %109 = stablehlo.add %106, %108 : tensor<24x16x40xf32>
    %110 = stablehlo.dot_general %109, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x160xf32>) -> tensor<24x16x160xf32>
    %111 = stablehlo.broadcast_in_dim %arg9, dims = [2] : (tensor<160xf32>) -> tensor<1x1x160xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1, 2] : (tensor<1x1x160xf32>) -> tensor<24x16x160xf32>
    %113 = stablehlo.add %110, %112 : tensor<24x16x160xf32>
    %114 = stablehlo.multiply %113, %113 : tensor<24x16x160xf32>
    %115 = stablehlo.multiply %114, %113 : tensor<24x16x160xf32>
    %116 = stablehlo.multiply %113, %113 : tensor<24x16x160xf32>
    %cst_25 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %118 = stablehlo.multiply %117, %116 : tensor<24x16x160xf32>
    %cst_26 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %120 = stablehlo.multiply %119, %115 : tensor<24x16x160xf32>
    %121 = stablehlo.add %113, %120 : tensor<24x16x160xf32>
    %cst_27 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %123 = stablehlo.multiply %122, %121 : tensor<24x16x160xf32>
    %124 = stablehlo.tanh %123 : tensor<24x16x160xf32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %125 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %126 = stablehlo.subtract %125, %124 : tensor<24x16x160xf32>
    %cst_29 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %127 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %128 = stablehlo.add %127, %124 : tensor<24x16x160xf32>
    %cst_30 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %130 = stablehlo.multiply %129, %128 : tensor<24x16x160xf32>
    %131 = stablehlo.multiply %113, %130 : tensor<24x16x160xf32>
    %132 = stablehlo.dot_general %131, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xf32>, tensor<160x40xf32>) -> tensor<24x16x40xf32>
    %133 = stablehlo.broadcast_in_dim %arg8, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %135 = stablehlo.add %132, %134 : tensor<24x16x40xf32>
    %136 = stablehlo.add %86, %135 : tensor<24x16x40xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %137 = stablehlo.reduce(%136 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %138 = stablehlo.broadcast_in_dim %137, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_32 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %140 = stablehlo.divide %138, %139 : tensor<24x16x1xf32>
    %c_33 = stablehlo.constant dense<0> : tensor<i32>
    %141:5 = call @_var(%136, %c_33) : (tensor<24x16x40xf32>, tensor<i32>) -> (tensor<24x16x1xf32>, tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>)
    %142 = stablehlo.broadcast_in_dim %140, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %143 = stablehlo.subtract %136, %142 : tensor<24x16x40xf32>
    %cst_34 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %145 = stablehlo.add %141#0, %144 : tensor<24x16x1xf32>
    %146 = stablehlo.sqrt %145 : tensor<24x16x1xf32>
    %cst_35 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %147 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %148 = stablehlo.divide %147, %146 : tensor<24x16x1xf32>
    %149 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %150 = stablehlo.divide %143, %149 : tensor<24x16x40xf32>
    %151 = stablehlo.multiply %146, %146 : tensor<24x16x1xf32>
    %cst_36 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %152 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %153 = stablehlo.divide %152, %151 : tensor<24x16x1xf32>
    %154 = stablehlo.broadcast_in_dim %arg17, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %155 = stablehlo.broadcast_in_dim %154, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %156 = stablehlo.multiply %150, %155 : tensor<24x16x40xf32>
    %157 = stablehlo.broadcast_in_dim %arg16, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %158 = stablehlo.broadcast_in_dim %157, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %159 = stablehlo.add %156, %158 : tensor<24x16x40xf32>
    %160 = stablehlo.dot_general %159, %arg15, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x120xf32>) -> tensor<24x16x120xf32>
    %161 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<120xf32>) -> tensor<1x1x120xf32>
    %162 = stablehlo.broadcast_in_dim %161, dims = [0, 1, 2] : (tensor<1x1x120xf32>) -> tensor<24x16x120xf32>
    %163 = stablehlo.add %160, %162 : tensor<24x16x120xf32>
    %164 = stablehlo.slice %163 [0:24, 0:16, 0:40] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %165 = stablehlo.slice %163 [0:24, 0:16, 40:80] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %166 = stablehlo.slice %163 [0:24, 0:16, 80:120] : (tensor<24x16x120xf32>) -> tensor<24x16x40xf32>
    %167 = stablehlo.reshape %164 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %168 = stablehlo.reshape %165 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %169 = stablehlo.reshape %166 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %170 = stablehlo.dot_general %167, %168, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x16xf32>
    %cst_37 = stablehlo.constant dense<3.1622777> : tensor<f32>
    %171 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    %172 = stablehlo.divide %170, %171 : tensor<24x4x16x16xf32>
    %c_38 = stablehlo.constant dense<true> : tensor<i1>
    %173 = stablehlo.broadcast_in_dim %c_38, dims = [] : (tensor<i1>) -> tensor<16x16xi1>
    %174 = call @tril(%173) : (tensor<16x16xi1>) -> tensor<16x16xi1>
    %cst_39 = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
    %175:3 = call @_where_0(%174, %172, %cst_39) : (tensor<16x16xi1>, tensor<24x4x16x16xf32>, tensor<f32>) -> (tensor<24x4x16x16xf32>, tensor<24x4x16x16xi1>, tensor<24x4x16x16xf32>)
    %cst_40 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %176 = stablehlo.reduce(%175#0 init: %cst_40) applies stablehlo.maximum across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %177 = stablehlo.reshape %176 : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %178 = stablehlo.broadcast_in_dim %177, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %179 = stablehlo.compare EQ, %175#0, %178, FLOAT : (tensor<24x4x16x16xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x16x16xi1>
    %180 = stablehlo.convert %179 : (tensor<24x4x16x16xi1>) -> tensor<24x4x16x16xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %181 = stablehlo.reduce(%180 init: %cst_41) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %cst_42 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %182 = stablehlo.broadcast_in_dim %cst_42, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %183 = stablehlo.maximum %182, %176 : tensor<24x4x16xf32>
    %184 = stablehlo.compare EQ, %176, %183, FLOAT : (tensor<24x4x16xf32>, tensor<24x4x16xf32>) -> tensor<24x4x16xi1>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %186 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %187 = stablehlo.select %184, %185, %186 : tensor<24x4x16xi1>, tensor<24x4x16xf32>
    %cst_45 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %188 = stablehlo.broadcast_in_dim %cst_45, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %189 = stablehlo.compare EQ, %188, %183, FLOAT : (tensor<24x4x16xf32>, tensor<24x4x16xf32>) -> tensor<24x4x16xi1>
    %cst_46 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %cst_47 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %191 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<24x4x16xf32>
    %192 = stablehlo.select %189, %190, %191 : tensor<24x4x16xi1>, tensor<24x4x16xf32>
    %193 = stablehlo.divide %187, %192 : tensor<24x4x16xf32>
    %194 = stablehlo.broadcast_in_dim %183, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %196 = stablehlo.subtract %175#0, %195 : tensor<24x4x16x16xf32>
    %197 = stablehlo.exponential %196 : tensor<24x4x16x16xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %198 = stablehlo.reduce(%197 init: %cst_48) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %199 = stablehlo.broadcast_in_dim %198, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %200 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %201 = stablehlo.divide %197, %200 : tensor<24x4x16x16xf32>
    %202 = stablehlo.multiply %199, %199 : tensor<24x4x16x1xf32>
    %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<24x4x16x1xf32>
    %204 = stablehlo.divide %203, %202 : tensor<24x4x16x1xf32>
    %205 = stablehlo.dot_general %169, %201, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x16x4x10xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x10x16xf32>
    %206 = stablehlo.transpose %205, dims = [0, 3, 1, 2] : (tensor<24x4x10x16xf32>) -> tensor<24x16x4x10xf32>
    %207 = stablehlo.reshape %206 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %208 = stablehlo.dot_general %207, %arg14, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x40xf32>) -> tensor<24x16x40xf32>
    %209 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %210 = stablehlo.broadcast_in_dim %209, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %211 = stablehlo.add %208, %210 : tensor<24x16x40xf32>
    %212 = stablehlo.add %136, %211 : tensor<24x16x40xf32>
    %cst_50 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %213 = stablehlo.reduce(%212 init: %cst_50) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %214 = stablehlo.broadcast_in_dim %213, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_51 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %215 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %216 = stablehlo.divide %214, %215 : tensor<24x16x1xf32>
    %c_52 = stablehlo.constant dense<0> : tensor<i32>
    %217:5 = call @_var(%212, %c_52) : (tensor<24x16x40xf32>, tensor<i32>) -> (tensor<24x16x1xf32>, tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>)
    %218 = stablehlo.broadcast_in_dim %216, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %219 = stablehlo.subtract %212, %218 : tensor<24x16x40xf32>
    %cst_53 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %221 = stablehlo.add %217#0, %220 : tensor<24x16x1xf32>
    %222 = stablehlo.sqrt %221 : tensor<24x16x1xf32>
    %cst_54 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %224 = stablehlo.divide %223, %222 : tensor<24x16x1xf32>
    %225 = stablehlo.broadcast_in_dim %222, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %226 = stablehlo.divide %219, %225 : tensor<24x16x40xf32>
    %227 = stablehlo.multiply %222, %222 : tensor<24x16x1xf32>
    %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_55, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %229 = stablehlo.divide %228, %227 : tensor<24x16x1xf32>
    %230 = stablehlo.broadcast_in_dim %arg19, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %231 = stablehlo.broadcast_in_dim %230, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %232 = stablehlo.multiply %226, %231 : tensor<24x16x40xf32>
    %233 = stablehlo.broadcast_in_dim %arg18, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %234 = stablehlo.broadcast_in_dim %233, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %235 = stablehlo.add %232, %234 : tensor<24x16x40xf32>
    %236 = stablehlo.dot_general %235, %arg23, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x160xf32>) -> tensor<24x16x160xf32>
    %237 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<160xf32>) -> tensor<1x1x160xf32>
    %238 = stablehlo.broadcast_in_dim %237, dims = [0, 1, 2] : (tensor<1x1x160xf32>) -> tensor<24x16x160xf32>
    %239 = stablehlo.add %236, %238 : tensor<24x16x160xf32>
    %240 = stablehlo.multiply %239, %239 : tensor<24x16x160xf32>
    %241 = stablehlo.multiply %240, %239 : tensor<24x16x160xf32>
    %242 = stablehlo.multiply %239, %239 : tensor<24x16x160xf32>
    %cst_56 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %243 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %244 = stablehlo.multiply %243, %242 : tensor<24x16x160xf32>
    %cst_57 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %245 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %246 = stablehlo.multiply %245, %241 : tensor<24x16x160xf32>
    %247 = stablehlo.add %239, %246 : tensor<24x16x160xf32>
    %cst_58 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_58, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %249 = stablehlo.multiply %248, %247 : tensor<24x16x160xf32>
    %250 = stablehlo.tanh %249 : tensor<24x16x160xf32>
    %cst_59 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %251 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %252 = stablehlo.subtract %251, %250 : tensor<24x16x160xf32>
    %cst_60 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %253 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %254 = stablehlo.add %253, %250 : tensor<24x16x160xf32>
    %cst_61 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %255 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %256 = stablehlo.multiply %255, %254 : tensor<24x16x160xf32>
    %257 = stablehlo.multiply %239, %256 : tensor<24x16x160xf32>
    %258 = stablehlo.dot_general %257, %arg22, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xf32>, tensor<160x40xf32>) -> tensor<24x16x40xf32>
    %259 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %260 = stablehlo.broadcast_in_dim %259, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %261 = stablehlo.add %258, %260 : tensor<24x16x40xf32>
    %262 = stablehlo.add %212, %261 : tensor<24x16x40xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %263 = stablehlo.reduce(%262 init: %cst_62) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %264 = stablehlo.broadcast_in_dim %263, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_63 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %265 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %266 = stablehlo.divide %264, %265 : tensor<24x16x1xf32>
    %c_64 = stablehlo.constant dense<0> : tensor<i32>
    %267:5 = call @_var(%262, %c_64) : (tensor<24x16x40xf32>, tensor<i32>) -> (tensor<24x16x1xf32>, tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>)
    %268 = stablehlo.broadcast_in_dim %266, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %269 = stablehlo.subtract %262, %268 : tensor<24x16x40xf32>
    %cst_65 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %270 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %271 = stablehlo.add %267#0, %270 : tensor<24x16x1xf32>
    %272 = stablehlo.sqrt %271 : tensor<24x16x1xf32>
    %cst_66 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %273 = stablehlo.broadcast_in_dim %cst_66, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %274 = stablehlo.divide %273, %272 : tensor<24x16x1xf32>
    %275 = stablehlo.broadcast_in_dim %272, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %276 = stablehlo.divide %269, %275 : tensor<24x16x40xf32>
    %277 = stablehlo.multiply %272, %272 : tensor<24x16x1xf32>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %278 = stablehlo.broadcast_in_dim %cst_67, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %279 = stablehlo.divide %278, %277 : tensor<24x16x1xf32>
    %280 = stablehlo.broadcast_in_dim %arg25, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %281 = stablehlo.broadcast_in_dim %280, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %282 = stablehlo.multiply %276, %281 : tensor<24x16x40xf32>
    %283 = stablehlo.broadcast_in_dim %arg24, dims = [2] : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %284 = stablehlo.broadcast_in_dim %283, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %285 = stablehlo.add %282, %284 : tensor<24x16x40xf32>
    %286 = stablehlo.transpose %arg27, dims = [1, 0] : (tensor<101x40xf32>) -> tensor<40x101xf32>
    %287 = stablehlo.dot_general %285, %286, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x101xf32>) -> tensor<24x16x101xf32>
    %288:3 = call @log_softmax(%287) : (tensor<24x16x101xf32>) -> (tensor<24x16x101xf32>, tensor<24x16x101xf32>, tensor<24x16x1xf32>)
    %289 = stablehlo.broadcast_in_dim %arg85, dims = [0, 1] : (tensor<24x16xi32>) -> tensor<24x16x1xi32>
    %290:2 = call @take_along_axis(%288#0, %289) : (tensor<24x16x101xf32>, tensor<24x16x1xi32>) -> (tensor<24x16x1xf32>, tensor<24x16x1x1xi32>)
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %291 = stablehlo.reduce(%290#0 init: %cst_68) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_69 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %292 = stablehlo.divide %291, %cst_69 : tensor<f32>
    %293 = stablehlo.negate %292 : tensor<f32>
    %cst_70 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %294 = stablehlo.negate %cst_70 : tensor<f32>
    %cst_71 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %295 = stablehlo.divide %294, %cst_71 : tensor<f32>
    %296 = stablehlo.broadcast_in_dim %295, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %297 = call @take_along_axis_1(%290#1, %296) : (tensor<24x16x1x1xi32>, tensor<24x16x1xf32>) -> tensor<24x16x101xf32>
    %298 = call @log_softmax_2(%288#1, %288#2, %297) : (tensor<24x16x101xf32>, tensor<24x16x1xf32>, tensor<24x16x101xf32>) -> tensor<24x16x101xf32>
    %299 = stablehlo.dot_general %298, %285, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x101xf32>, tensor<24x16x40xf32>) -> tensor<101x40xf32>
    %300 = stablehlo.transpose %299, dims = [1, 0] : (tensor<101x40xf32>) -> tensor<40x101xf32>
    %301 = stablehlo.dot_general %298, %286, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x101xf32>, tensor<40x101xf32>) -> tensor<24x16x40xf32>
    %302 = stablehlo.transpose %300, dims = [1, 0] : (tensor<40x101xf32>) -> tensor<101x40xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%301 init: %cst_72) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %304 = stablehlo.reshape %303 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %305 = stablehlo.reduce(%304 init: %cst_73) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %306 = stablehlo.multiply %276, %301 : tensor<24x16x40xf32>
    %cst_74 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.reduce(%306 init: %cst_74) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %308 = stablehlo.reshape %307 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %309 = stablehlo.broadcast_in_dim %280, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %310 = stablehlo.multiply %301, %309 : tensor<24x16x40xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %311 = stablehlo.reduce(%308 init: %cst_75) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %312 = stablehlo.broadcast_in_dim %279, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %313 = stablehlo.multiply %310, %312 : tensor<24x16x40xf32>
    %314 = stablehlo.multiply %313, %269 : tensor<24x16x40xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %315 = stablehlo.reduce(%314 init: %cst_76) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %316 = stablehlo.reshape %315 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %317 = stablehlo.negate %316 : tensor<24x16x1xf32>
    %318 = stablehlo.broadcast_in_dim %272, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %319 = stablehlo.divide %310, %318 : tensor<24x16x40xf32>
    %320 = stablehlo.multiply %317, %274 : tensor<24x16x1xf32>
    %321 = stablehlo.negate %319 : tensor<24x16x40xf32>
    %cst_77 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %322 = stablehlo.reduce(%321 init: %cst_77) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %323 = stablehlo.reshape %322 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %324 = call @_var_3(%267#1, %267#2, %267#3, %267#4, %320) : (tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>, tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %325 = stablehlo.add %319, %324 : tensor<24x16x40xf32>
    %cst_78 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %326 = stablehlo.broadcast_in_dim %cst_78, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %327 = stablehlo.divide %323, %326 : tensor<24x16x1xf32>
    %cst_79 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %328 = stablehlo.reduce(%327 init: %cst_79) applies stablehlo.add across dimensions = [2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<24x16xf32>
    %329 = stablehlo.broadcast_in_dim %328, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x40xf32>
    %330 = stablehlo.add %325, %329 : tensor<24x16x40xf32>
    %cst_80 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %331 = stablehlo.reduce(%330 init: %cst_80) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %332 = stablehlo.reshape %331 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %cst_81 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %333 = stablehlo.reduce(%332 init: %cst_81) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %334 = stablehlo.dot_general %330, %257, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<24x16x160xf32>) -> tensor<40x160xf32>
    %335 = stablehlo.transpose %334, dims = [1, 0] : (tensor<40x160xf32>) -> tensor<160x40xf32>
    %336 = stablehlo.dot_general %330, %arg22, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<160x40xf32>) -> tensor<24x16x160xf32>
    %337 = stablehlo.multiply %239, %336 : tensor<24x16x160xf32>
    %338 = stablehlo.multiply %336, %256 : tensor<24x16x160xf32>
    %cst_82 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %339 = stablehlo.broadcast_in_dim %cst_82, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %340 = stablehlo.multiply %339, %337 : tensor<24x16x160xf32>
    %341 = stablehlo.multiply %340, %252 : tensor<24x16x160xf32>
    %342 = stablehlo.multiply %341, %250 : tensor<24x16x160xf32>
    %343 = stablehlo.add %341, %342 : tensor<24x16x160xf32>
    %cst_83 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %344 = stablehlo.broadcast_in_dim %cst_83, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %345 = stablehlo.multiply %344, %343 : tensor<24x16x160xf32>
    %346 = stablehlo.add %338, %345 : tensor<24x16x160xf32>
    %cst_84 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %347 = stablehlo.broadcast_in_dim %cst_84, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %348 = stablehlo.multiply %347, %345 : tensor<24x16x160xf32>
    %349 = stablehlo.multiply %348, %244 : tensor<24x16x160xf32>
    %350 = stablehlo.add %346, %349 : tensor<24x16x160xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %351 = stablehlo.reduce(%350 init: %cst_85) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x160xf32>, tensor<f32>) -> tensor<160xf32>
    %352 = stablehlo.reshape %351 : (tensor<160xf32>) -> tensor<1x1x160xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %353 = stablehlo.reduce(%352 init: %cst_86) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x160xf32>, tensor<f32>) -> tensor<160xf32>
    %354 = stablehlo.dot_general %350, %235, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xf32>, tensor<24x16x40xf32>) -> tensor<160x40xf32>
    %355 = stablehlo.transpose %354, dims = [1, 0] : (tensor<160x40xf32>) -> tensor<40x160xf32>
    %356 = stablehlo.dot_general %350, %arg23, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xf32>, tensor<40x160xf32>) -> tensor<24x16x40xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %357 = stablehlo.reduce(%356 init: %cst_87) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %358 = stablehlo.reshape %357 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %cst_88 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %359 = stablehlo.reduce(%358 init: %cst_88) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %360 = stablehlo.multiply %226, %356 : tensor<24x16x40xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %361 = stablehlo.reduce(%360 init: %cst_89) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %362 = stablehlo.reshape %361 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %363 = stablehlo.broadcast_in_dim %230, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %364 = stablehlo.multiply %356, %363 : tensor<24x16x40xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %365 = stablehlo.reduce(%362 init: %cst_90) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %366 = stablehlo.broadcast_in_dim %229, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %367 = stablehlo.multiply %364, %366 : tensor<24x16x40xf32>
    %368 = stablehlo.multiply %367, %219 : tensor<24x16x40xf32>
    %cst_91 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %369 = stablehlo.reduce(%368 init: %cst_91) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %370 = stablehlo.reshape %369 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %371 = stablehlo.negate %370 : tensor<24x16x1xf32>
    %372 = stablehlo.broadcast_in_dim %222, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %373 = stablehlo.divide %364, %372 : tensor<24x16x40xf32>
    %374 = stablehlo.multiply %371, %224 : tensor<24x16x1xf32>
    %375 = stablehlo.negate %373 : tensor<24x16x40xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %376 = stablehlo.reduce(%375 init: %cst_92) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %377 = stablehlo.reshape %376 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %378 = stablehlo.add %330, %373 : tensor<24x16x40xf32>
    %379 = call @_var_3(%217#1, %217#2, %217#3, %217#4, %374) : (tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>, tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %380 = stablehlo.add %378, %379 : tensor<24x16x40xf32>
    %cst_93 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %381 = stablehlo.broadcast_in_dim %cst_93, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %382 = stablehlo.divide %377, %381 : tensor<24x16x1xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %383 = stablehlo.reduce(%382 init: %cst_94) applies stablehlo.add across dimensions = [2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<24x16xf32>
    %384 = stablehlo.broadcast_in_dim %383, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x40xf32>
    %385 = stablehlo.add %380, %384 : tensor<24x16x40xf32>
    %cst_95 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %386 = stablehlo.reduce(%385 init: %cst_95) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %387 = stablehlo.reshape %386 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %388 = stablehlo.reduce(%387 init: %cst_96) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %389 = stablehlo.dot_general %385, %207, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<24x16x40xf32>) -> tensor<40x40xf32>
    %390 = stablehlo.transpose %389, dims = [1, 0] : (tensor<40x40xf32>) -> tensor<40x40xf32>
    %391 = stablehlo.dot_general %385, %arg14, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x40xf32>) -> tensor<24x16x40xf32>
    %392 = stablehlo.reshape %391 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %393 = stablehlo.transpose %392, dims = [0, 2, 3, 1] : (tensor<24x16x4x10xf32>) -> tensor<24x4x10x16xf32>
    %394 = stablehlo.dot_general %393, %169, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x4x10x16xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x16xf32>
    %395 = stablehlo.dot_general %393, %201, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<24x4x10x16xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x10x16xf32>
    %396 = stablehlo.transpose %395, dims = [0, 3, 1, 2] : (tensor<24x4x10x16xf32>) -> tensor<24x16x4x10xf32>
    %397 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %398 = stablehlo.multiply %394, %397 : tensor<24x4x16x16xf32>
    %399 = stablehlo.multiply %398, %197 : tensor<24x4x16x16xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %400 = stablehlo.reduce(%399 init: %cst_97) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %401 = stablehlo.reshape %400 : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %402 = stablehlo.negate %401 : tensor<24x4x16x1xf32>
    %403 = stablehlo.broadcast_in_dim %199, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %404 = stablehlo.divide %394, %403 : tensor<24x4x16x16xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %405 = stablehlo.reduce(%402 init: %cst_98) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x1xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %406 = stablehlo.broadcast_in_dim %405, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x16xf32>
    %407 = stablehlo.add %404, %406 : tensor<24x4x16x16xf32>
    %408 = stablehlo.multiply %407, %197 : tensor<24x4x16x16xf32>
    %409 = call @_where_5(%175#1, %175#2, %408) : (tensor<24x4x16x16xi1>, tensor<24x4x16x16xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x16x16xf32>
    %cst_99 = stablehlo.constant dense<3.1622777> : tensor<f32>
    %410 = stablehlo.broadcast_in_dim %cst_99, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    %411 = stablehlo.divide %409, %410 : tensor<24x4x16x16xf32>
    %412 = stablehlo.dot_general %411, %167, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x4x16x16xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x10xf32>
    %413 = stablehlo.transpose %412, dims = [0, 2, 1, 3] : (tensor<24x4x16x10xf32>) -> tensor<24x16x4x10xf32>
    %414 = stablehlo.dot_general %411, %168, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x4x16x16xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x10xf32>
    %415 = stablehlo.transpose %414, dims = [0, 2, 1, 3] : (tensor<24x4x16x10xf32>) -> tensor<24x16x4x10xf32>
    %416 = stablehlo.reshape %396 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %417 = stablehlo.reshape %413 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %418 = stablehlo.reshape %415 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %419 = stablehlo.concatenate %418, %417, %416, dim = 2 : (tensor<24x16x40xf32>, tensor<24x16x40xf32>, tensor<24x16x40xf32>) -> tensor<24x16x120xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %420 = stablehlo.reduce(%419 init: %cst_100) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x120xf32>, tensor<f32>) -> tensor<120xf32>
    %421 = stablehlo.reshape %420 : (tensor<120xf32>) -> tensor<1x1x120xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %422 = stablehlo.reduce(%421 init: %cst_101) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x120xf32>, tensor<f32>) -> tensor<120xf32>
    %423 = stablehlo.dot_general %419, %159, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x120xf32>, tensor<24x16x40xf32>) -> tensor<120x40xf32>
    %424 = stablehlo.transpose %423, dims = [1, 0] : (tensor<120x40xf32>) -> tensor<40x120xf32>
    %425 = stablehlo.dot_general %419, %arg15, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x120xf32>, tensor<40x120xf32>) -> tensor<24x16x40xf32>
    %cst_102 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %426 = stablehlo.reduce(%425 init: %cst_102) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %427 = stablehlo.reshape %426 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %428 = stablehlo.reduce(%427 init: %cst_103) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %429 = stablehlo.multiply %150, %425 : tensor<24x16x40xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %430 = stablehlo.reduce(%429 init: %cst_104) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %431 = stablehlo.reshape %430 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %432 = stablehlo.broadcast_in_dim %154, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %433 = stablehlo.multiply %425, %432 : tensor<24x16x40xf32>
    %cst_105 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %434 = stablehlo.reduce(%431 init: %cst_105) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %435 = stablehlo.broadcast_in_dim %153, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %436 = stablehlo.multiply %433, %435 : tensor<24x16x40xf32>
    %437 = stablehlo.multiply %436, %143 : tensor<24x16x40xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %438 = stablehlo.reduce(%437 init: %cst_106) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %439 = stablehlo.reshape %438 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %440 = stablehlo.negate %439 : tensor<24x16x1xf32>
    %441 = stablehlo.broadcast_in_dim %146, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %442 = stablehlo.divide %433, %441 : tensor<24x16x40xf32>
    %443 = stablehlo.multiply %440, %148 : tensor<24x16x1xf32>
    %444 = stablehlo.negate %442 : tensor<24x16x40xf32>
    %cst_107 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %445 = stablehlo.reduce(%444 init: %cst_107) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %446 = stablehlo.reshape %445 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %447 = stablehlo.add %385, %442 : tensor<24x16x40xf32>
    %448 = call @_var_3(%141#1, %141#2, %141#3, %141#4, %443) : (tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>, tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %449 = stablehlo.add %447, %448 : tensor<24x16x40xf32>
    %cst_108 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %450 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %451 = stablehlo.divide %446, %450 : tensor<24x16x1xf32>
    %cst_109 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %452 = stablehlo.reduce(%451 init: %cst_109) applies stablehlo.add across dimensions = [2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<24x16xf32>
    %453 = stablehlo.broadcast_in_dim %452, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x40xf32>
    %454 = stablehlo.add %449, %453 : tensor<24x16x40xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %455 = stablehlo.reduce(%454 init: %cst_110) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %456 = stablehlo.reshape %455 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %457 = stablehlo.reduce(%456 init: %cst_111) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %458 = stablehlo.dot_general %454, %131, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<24x16x160xf32>) -> tensor<40x160xf32>
    %459 = stablehlo.transpose %458, dims = [1, 0] : (tensor<40x160xf32>) -> tensor<160x40xf32>
    %460 = stablehlo.dot_general %454, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<160x40xf32>) -> tensor<24x16x160xf32>
    %461 = stablehlo.multiply %113, %460 : tensor<24x16x160xf32>
    %462 = stablehlo.multiply %460, %130 : tensor<24x16x160xf32>
    %cst_112 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %463 = stablehlo.broadcast_in_dim %cst_112, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %464 = stablehlo.multiply %463, %461 : tensor<24x16x160xf32>
    %465 = stablehlo.multiply %464, %126 : tensor<24x16x160xf32>
    %466 = stablehlo.multiply %465, %124 : tensor<24x16x160xf32>
    %467 = stablehlo.add %465, %466 : tensor<24x16x160xf32>
    %cst_113 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %468 = stablehlo.broadcast_in_dim %cst_113, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %469 = stablehlo.multiply %468, %467 : tensor<24x16x160xf32>
    %470 = stablehlo.add %462, %469 : tensor<24x16x160xf32>
    %cst_114 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %471 = stablehlo.broadcast_in_dim %cst_114, dims = [] : (tensor<f32>) -> tensor<24x16x160xf32>
    %472 = stablehlo.multiply %471, %469 : tensor<24x16x160xf32>
    %473 = stablehlo.multiply %472, %118 : tensor<24x16x160xf32>
    %474 = stablehlo.add %470, %473 : tensor<24x16x160xf32>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %475 = stablehlo.reduce(%474 init: %cst_115) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x160xf32>, tensor<f32>) -> tensor<160xf32>
    %476 = stablehlo.reshape %475 : (tensor<160xf32>) -> tensor<1x1x160xf32>
    %cst_116 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %477 = stablehlo.reduce(%476 init: %cst_116) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x160xf32>, tensor<f32>) -> tensor<160xf32>
    %478 = stablehlo.dot_general %474, %109, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xf32>, tensor<24x16x40xf32>) -> tensor<160x40xf32>
    %479 = stablehlo.transpose %478, dims = [1, 0] : (tensor<160x40xf32>) -> tensor<40x160xf32>
    %480 = stablehlo.dot_general %474, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x160xf32>, tensor<40x160xf32>) -> tensor<24x16x40xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %481 = stablehlo.reduce(%480 init: %cst_117) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %482 = stablehlo.reshape %481 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %483 = stablehlo.reduce(%482 init: %cst_118) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %484 = stablehlo.multiply %100, %480 : tensor<24x16x40xf32>
    %cst_119 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %485 = stablehlo.reduce(%484 init: %cst_119) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %486 = stablehlo.reshape %485 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %487 = stablehlo.broadcast_in_dim %104, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %488 = stablehlo.multiply %480, %487 : tensor<24x16x40xf32>
    %cst_120 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %489 = stablehlo.reduce(%486 init: %cst_120) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %490 = stablehlo.broadcast_in_dim %103, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %491 = stablehlo.multiply %488, %490 : tensor<24x16x40xf32>
    %492 = stablehlo.multiply %491, %93 : tensor<24x16x40xf32>
    %cst_121 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %493 = stablehlo.reduce(%492 init: %cst_121) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %494 = stablehlo.reshape %493 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %495 = stablehlo.negate %494 : tensor<24x16x1xf32>
    %496 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %497 = stablehlo.divide %488, %496 : tensor<24x16x40xf32>
    %498 = stablehlo.multiply %495, %98 : tensor<24x16x1xf32>
    %499 = stablehlo.negate %497 : tensor<24x16x40xf32>
    %cst_122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %500 = stablehlo.reduce(%499 init: %cst_122) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %501 = stablehlo.reshape %500 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %502 = stablehlo.add %454, %497 : tensor<24x16x40xf32>
    %503 = call @_var_3(%91#1, %91#2, %91#3, %91#4, %498) : (tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>, tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %504 = stablehlo.add %502, %503 : tensor<24x16x40xf32>
    %cst_123 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %505 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %506 = stablehlo.divide %501, %505 : tensor<24x16x1xf32>
    %cst_124 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %507 = stablehlo.reduce(%506 init: %cst_124) applies stablehlo.add across dimensions = [2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<24x16xf32>
    %508 = stablehlo.broadcast_in_dim %507, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x40xf32>
    %509 = stablehlo.add %504, %508 : tensor<24x16x40xf32>
    %cst_125 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %510 = stablehlo.reduce(%509 init: %cst_125) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %511 = stablehlo.reshape %510 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %cst_126 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %512 = stablehlo.reduce(%511 init: %cst_126) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %513 = stablehlo.dot_general %509, %81, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<24x16x40xf32>) -> tensor<40x40xf32>
    %514 = stablehlo.transpose %513, dims = [1, 0] : (tensor<40x40xf32>) -> tensor<40x40xf32>
    %515 = stablehlo.dot_general %509, %arg2, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x40xf32>, tensor<40x40xf32>) -> tensor<24x16x40xf32>
    %516 = stablehlo.reshape %515 : (tensor<24x16x40xf32>) -> tensor<24x16x4x10xf32>
    %517 = stablehlo.transpose %516, dims = [0, 2, 3, 1] : (tensor<24x16x4x10xf32>) -> tensor<24x4x10x16xf32>
    %518 = stablehlo.dot_general %517, %43, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<24x4x10x16xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x16xf32>
    %519 = stablehlo.dot_general %517, %75, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<24x4x10x16xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x10x16xf32>
    %520 = stablehlo.transpose %519, dims = [0, 3, 1, 2] : (tensor<24x4x10x16xf32>) -> tensor<24x16x4x10xf32>
    %521 = stablehlo.broadcast_in_dim %78, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %522 = stablehlo.multiply %518, %521 : tensor<24x4x16x16xf32>
    %523 = stablehlo.multiply %522, %71 : tensor<24x4x16x16xf32>
    %cst_127 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %524 = stablehlo.reduce(%523 init: %cst_127) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x16xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %525 = stablehlo.reshape %524 : (tensor<24x4x16xf32>) -> tensor<24x4x16x1xf32>
    %526 = stablehlo.negate %525 : tensor<24x4x16x1xf32>
    %527 = stablehlo.broadcast_in_dim %73, dims = [0, 1, 2, 3] : (tensor<24x4x16x1xf32>) -> tensor<24x4x16x16xf32>
    %528 = stablehlo.divide %518, %527 : tensor<24x4x16x16xf32>
    %cst_128 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %529 = stablehlo.reduce(%526 init: %cst_128) applies stablehlo.add across dimensions = [3] : (tensor<24x4x16x1xf32>, tensor<f32>) -> tensor<24x4x16xf32>
    %530 = stablehlo.broadcast_in_dim %529, dims = [0, 1, 2] : (tensor<24x4x16xf32>) -> tensor<24x4x16x16xf32>
    %531 = stablehlo.add %528, %530 : tensor<24x4x16x16xf32>
    %532 = stablehlo.multiply %531, %71 : tensor<24x4x16x16xf32>
    %533 = call @_where_5(%49#1, %49#2, %532) : (tensor<24x4x16x16xi1>, tensor<24x4x16x16xf32>, tensor<24x4x16x16xf32>) -> tensor<24x4x16x16xf32>
    %cst_129 = stablehlo.constant dense<3.1622777> : tensor<f32>
    %534 = stablehlo.broadcast_in_dim %cst_129, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    %535 = stablehlo.divide %533, %534 : tensor<24x4x16x16xf32>
    %536 = stablehlo.dot_general %535, %41, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x4x16x16xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x10xf32>
    %537 = stablehlo.transpose %536, dims = [0, 2, 1, 3] : (tensor<24x4x16x10xf32>) -> tensor<24x16x4x10xf32>
    %538 = stablehlo.dot_general %535, %42, batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x4x16x16xf32>, tensor<24x16x4x10xf32>) -> tensor<24x4x16x10xf32>
    %539 = stablehlo.transpose %538, dims = [0, 2, 1, 3] : (tensor<24x4x16x10xf32>) -> tensor<24x16x4x10xf32>
    %540 = stablehlo.reshape %520 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %541 = stablehlo.reshape %537 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %542 = stablehlo.reshape %539 : (tensor<24x16x4x10xf32>) -> tensor<24x16x40xf32>
    %543 = stablehlo.concatenate %542, %541, %540, dim = 2 : (tensor<24x16x40xf32>, tensor<24x16x40xf32>, tensor<24x16x40xf32>) -> tensor<24x16x120xf32>
    %cst_130 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %544 = stablehlo.reduce(%543 init: %cst_130) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x120xf32>, tensor<f32>) -> tensor<120xf32>
    %545 = stablehlo.reshape %544 : (tensor<120xf32>) -> tensor<1x1x120xf32>
    %cst_131 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %546 = stablehlo.reduce(%545 init: %cst_131) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x120xf32>, tensor<f32>) -> tensor<120xf32>
    %547 = stablehlo.dot_general %543, %33, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x120xf32>, tensor<24x16x40xf32>) -> tensor<120x40xf32>
    %548 = stablehlo.transpose %547, dims = [1, 0] : (tensor<120x40xf32>) -> tensor<40x120xf32>
    %549 = stablehlo.dot_general %543, %arg3, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x120xf32>, tensor<40x120xf32>) -> tensor<24x16x40xf32>
    %cst_132 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %550 = stablehlo.reduce(%549 init: %cst_132) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %551 = stablehlo.reshape %550 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %cst_133 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %552 = stablehlo.reduce(%551 init: %cst_133) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %553 = stablehlo.multiply %24, %549 : tensor<24x16x40xf32>
    %cst_134 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %554 = stablehlo.reduce(%553 init: %cst_134) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<40xf32>
    %555 = stablehlo.reshape %554 : (tensor<40xf32>) -> tensor<1x1x40xf32>
    %556 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<1x1x40xf32>) -> tensor<24x16x40xf32>
    %557 = stablehlo.multiply %549, %556 : tensor<24x16x40xf32>
    %cst_135 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %558 = stablehlo.reduce(%555 init: %cst_135) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x40xf32>, tensor<f32>) -> tensor<40xf32>
    %559 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %560 = stablehlo.multiply %557, %559 : tensor<24x16x40xf32>
    %561 = stablehlo.multiply %560, %17 : tensor<24x16x40xf32>
    %cst_136 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %562 = stablehlo.reduce(%561 init: %cst_136) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %563 = stablehlo.reshape %562 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %564 = stablehlo.negate %563 : tensor<24x16x1xf32>
    %565 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %566 = stablehlo.divide %557, %565 : tensor<24x16x40xf32>
    %567 = stablehlo.multiply %564, %22 : tensor<24x16x1xf32>
    %568 = stablehlo.negate %566 : tensor<24x16x40xf32>
    %cst_137 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %569 = stablehlo.reduce(%568 init: %cst_137) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %570 = stablehlo.reshape %569 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %571 = stablehlo.add %509, %566 : tensor<24x16x40xf32>
    %572 = call @_var_3(%15#1, %15#2, %15#3, %15#4, %567) : (tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>, tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %573 = stablehlo.add %571, %572 : tensor<24x16x40xf32>
    %cst_138 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %574 = stablehlo.broadcast_in_dim %cst_138, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %575 = stablehlo.divide %570, %574 : tensor<24x16x1xf32>
    %cst_139 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %576 = stablehlo.reduce(%575 init: %cst_139) applies stablehlo.add across dimensions = [2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<24x16xf32>
    %577 = stablehlo.broadcast_in_dim %576, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x40xf32>
    %578 = stablehlo.add %573, %577 : tensor<24x16x40xf32>
    %cst_140 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %579 = stablehlo.reduce(%578 init: %cst_140) applies stablehlo.add across dimensions = [0] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<16x40xf32>
    %580 = stablehlo.reshape %579 : (tensor<16x40xf32>) -> tensor<1x16x40xf32>
    %cst_141 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %581 = stablehlo.reduce(%580 init: %cst_141) applies stablehlo.add across dimensions = [0] : (tensor<1x16x40xf32>, tensor<f32>) -> tensor<16x40xf32>
    %cst_142 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %582 = stablehlo.pad %581, %cst_142, low = [0, 0], high = [16, 0], interior = [0, 0] : (tensor<16x40xf32>, tensor<f32>) -> tensor<32x40xf32>
    %cst_143 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %583 = stablehlo.broadcast_in_dim %cst_143, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %584 = "stablehlo.scatter"(%583, %5, %578) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg87: tensor<f32>, %arg88: tensor<f32>):
      %1353 = stablehlo.add %arg87, %arg88 : tensor<f32>
      stablehlo.return %1353 : tensor<f32>
    }) : (tensor<101x40xf32>, tensor<24x16x1xi32>, tensor<24x16x40xf32>) -> tensor<101x40xf32>
    %585 = stablehlo.add %302, %584 : tensor<101x40xf32>
    %cst_144 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %586 = stablehlo.broadcast_in_dim %cst_144, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %587 = stablehlo.multiply %586, %512 : tensor<40xf32>
    %cst_145 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %588 = stablehlo.broadcast_in_dim %cst_145, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %589 = stablehlo.multiply %588, %arg29 : tensor<40xf32>
    %590 = stablehlo.add %587, %589 : tensor<40xf32>
    %cst_146 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %591 = stablehlo.broadcast_in_dim %cst_146, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %592 = stablehlo.multiply %591, %546 : tensor<120xf32>
    %cst_147 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %593 = stablehlo.broadcast_in_dim %cst_147, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %594 = stablehlo.multiply %593, %arg30 : tensor<120xf32>
    %595 = stablehlo.add %592, %594 : tensor<120xf32>
    %cst_148 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %596 = stablehlo.broadcast_in_dim %cst_148, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %597 = stablehlo.multiply %596, %514 : tensor<40x40xf32>
    %cst_149 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %598 = stablehlo.broadcast_in_dim %cst_149, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %599 = stablehlo.multiply %598, %arg31 : tensor<40x40xf32>
    %600 = stablehlo.add %597, %599 : tensor<40x40xf32>
    %cst_150 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %601 = stablehlo.broadcast_in_dim %cst_150, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %602 = stablehlo.multiply %601, %548 : tensor<40x120xf32>
    %cst_151 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %603 = stablehlo.broadcast_in_dim %cst_151, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %604 = stablehlo.multiply %603, %arg32 : tensor<40x120xf32>
    %605 = stablehlo.add %602, %604 : tensor<40x120xf32>
    %cst_152 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %606 = stablehlo.broadcast_in_dim %cst_152, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %607 = stablehlo.multiply %606, %552 : tensor<40xf32>
    %cst_153 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %608 = stablehlo.broadcast_in_dim %cst_153, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %609 = stablehlo.multiply %608, %arg33 : tensor<40xf32>
    %610 = stablehlo.add %607, %609 : tensor<40xf32>
    %cst_154 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %611 = stablehlo.broadcast_in_dim %cst_154, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %612 = stablehlo.multiply %611, %558 : tensor<40xf32>
    %cst_155 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %613 = stablehlo.broadcast_in_dim %cst_155, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %614 = stablehlo.multiply %613, %arg34 : tensor<40xf32>
    %615 = stablehlo.add %612, %614 : tensor<40xf32>
    %cst_156 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %616 = stablehlo.broadcast_in_dim %cst_156, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %617 = stablehlo.multiply %616, %483 : tensor<40xf32>
    %cst_157 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %618 = stablehlo.broadcast_in_dim %cst_157, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %619 = stablehlo.multiply %618, %arg35 : tensor<40xf32>
    %620 = stablehlo.add %617, %619 : tensor<40xf32>
    %cst_158 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %621 = stablehlo.broadcast_in_dim %cst_158, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %622 = stablehlo.multiply %621, %489 : tensor<40xf32>
    %cst_159 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %623 = stablehlo.broadcast_in_dim %cst_159, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %624 = stablehlo.multiply %623, %arg36 : tensor<40xf32>
    %625 = stablehlo.add %622, %624 : tensor<40xf32>
    %cst_160 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %626 = stablehlo.broadcast_in_dim %cst_160, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %627 = stablehlo.multiply %626, %457 : tensor<40xf32>
    %cst_161 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %628 = stablehlo.broadcast_in_dim %cst_161, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %629 = stablehlo.multiply %628, %arg37 : tensor<40xf32>
    %630 = stablehlo.add %627, %629 : tensor<40xf32>
    %cst_162 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %631 = stablehlo.broadcast_in_dim %cst_162, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %632 = stablehlo.multiply %631, %477 : tensor<160xf32>
    %cst_163 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %633 = stablehlo.broadcast_in_dim %cst_163, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %634 = stablehlo.multiply %633, %arg38 : tensor<160xf32>
    %635 = stablehlo.add %632, %634 : tensor<160xf32>
    %cst_164 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %636 = stablehlo.broadcast_in_dim %cst_164, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %637 = stablehlo.multiply %636, %459 : tensor<160x40xf32>
    %cst_165 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %638 = stablehlo.broadcast_in_dim %cst_165, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %639 = stablehlo.multiply %638, %arg39 : tensor<160x40xf32>
    %640 = stablehlo.add %637, %639 : tensor<160x40xf32>
    %cst_166 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %641 = stablehlo.broadcast_in_dim %cst_166, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %642 = stablehlo.multiply %641, %479 : tensor<40x160xf32>
    %cst_167 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %643 = stablehlo.broadcast_in_dim %cst_167, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %644 = stablehlo.multiply %643, %arg40 : tensor<40x160xf32>
    %645 = stablehlo.add %642, %644 : tensor<40x160xf32>
    %cst_168 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %646 = stablehlo.broadcast_in_dim %cst_168, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %647 = stablehlo.multiply %646, %388 : tensor<40xf32>
    %cst_169 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %648 = stablehlo.broadcast_in_dim %cst_169, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %649 = stablehlo.multiply %648, %arg41 : tensor<40xf32>
    %650 = stablehlo.add %647, %649 : tensor<40xf32>
    %cst_170 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %651 = stablehlo.broadcast_in_dim %cst_170, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %652 = stablehlo.multiply %651, %422 : tensor<120xf32>
    %cst_171 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %653 = stablehlo.broadcast_in_dim %cst_171, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %654 = stablehlo.multiply %653, %arg42 : tensor<120xf32>
    %655 = stablehlo.add %652, %654 : tensor<120xf32>
    %cst_172 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %656 = stablehlo.broadcast_in_dim %cst_172, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %657 = stablehlo.multiply %656, %390 : tensor<40x40xf32>
    %cst_173 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %658 = stablehlo.broadcast_in_dim %cst_173, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %659 = stablehlo.multiply %658, %arg43 : tensor<40x40xf32>
    %660 = stablehlo.add %657, %659 : tensor<40x40xf32>
    %cst_174 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %661 = stablehlo.broadcast_in_dim %cst_174, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %662 = stablehlo.multiply %661, %424 : tensor<40x120xf32>
    %cst_175 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %663 = stablehlo.broadcast_in_dim %cst_175, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %664 = stablehlo.multiply %663, %arg44 : tensor<40x120xf32>
    %665 = stablehlo.add %662, %664 : tensor<40x120xf32>
    %cst_176 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %666 = stablehlo.broadcast_in_dim %cst_176, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %667 = stablehlo.multiply %666, %428 : tensor<40xf32>
    %cst_177 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %668 = stablehlo.broadcast_in_dim %cst_177, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %669 = stablehlo.multiply %668, %arg45 : tensor<40xf32>
    %670 = stablehlo.add %667, %669 : tensor<40xf32>
    %cst_178 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %671 = stablehlo.broadcast_in_dim %cst_178, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %672 = stablehlo.multiply %671, %434 : tensor<40xf32>
    %cst_179 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %673 = stablehlo.broadcast_in_dim %cst_179, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %674 = stablehlo.multiply %673, %arg46 : tensor<40xf32>
    %675 = stablehlo.add %672, %674 : tensor<40xf32>
    %cst_180 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %676 = stablehlo.broadcast_in_dim %cst_180, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %677 = stablehlo.multiply %676, %359 : tensor<40xf32>
    %cst_181 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %678 = stablehlo.broadcast_in_dim %cst_181, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %679 = stablehlo.multiply %678, %arg47 : tensor<40xf32>
    %680 = stablehlo.add %677, %679 : tensor<40xf32>
    %cst_182 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %681 = stablehlo.broadcast_in_dim %cst_182, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %682 = stablehlo.multiply %681, %365 : tensor<40xf32>
    %cst_183 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %683 = stablehlo.broadcast_in_dim %cst_183, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %684 = stablehlo.multiply %683, %arg48 : tensor<40xf32>
    %685 = stablehlo.add %682, %684 : tensor<40xf32>
    %cst_184 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %686 = stablehlo.broadcast_in_dim %cst_184, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %687 = stablehlo.multiply %686, %333 : tensor<40xf32>
    %cst_185 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %688 = stablehlo.broadcast_in_dim %cst_185, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %689 = stablehlo.multiply %688, %arg49 : tensor<40xf32>
    %690 = stablehlo.add %687, %689 : tensor<40xf32>
    %cst_186 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %691 = stablehlo.broadcast_in_dim %cst_186, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %692 = stablehlo.multiply %691, %353 : tensor<160xf32>
    %cst_187 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %693 = stablehlo.broadcast_in_dim %cst_187, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %694 = stablehlo.multiply %693, %arg50 : tensor<160xf32>
    %695 = stablehlo.add %692, %694 : tensor<160xf32>
    %cst_188 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %696 = stablehlo.broadcast_in_dim %cst_188, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %697 = stablehlo.multiply %696, %335 : tensor<160x40xf32>
    %cst_189 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %698 = stablehlo.broadcast_in_dim %cst_189, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %699 = stablehlo.multiply %698, %arg51 : tensor<160x40xf32>
    %700 = stablehlo.add %697, %699 : tensor<160x40xf32>
    %cst_190 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %701 = stablehlo.broadcast_in_dim %cst_190, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %702 = stablehlo.multiply %701, %355 : tensor<40x160xf32>
    %cst_191 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %703 = stablehlo.broadcast_in_dim %cst_191, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %704 = stablehlo.multiply %703, %arg52 : tensor<40x160xf32>
    %705 = stablehlo.add %702, %704 : tensor<40x160xf32>
    %cst_192 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %706 = stablehlo.broadcast_in_dim %cst_192, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %707 = stablehlo.multiply %706, %305 : tensor<40xf32>
    %cst_193 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %708 = stablehlo.broadcast_in_dim %cst_193, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %709 = stablehlo.multiply %708, %arg53 : tensor<40xf32>
    %710 = stablehlo.add %707, %709 : tensor<40xf32>
    %cst_194 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %711 = stablehlo.broadcast_in_dim %cst_194, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %712 = stablehlo.multiply %711, %311 : tensor<40xf32>
    %cst_195 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %713 = stablehlo.broadcast_in_dim %cst_195, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %714 = stablehlo.multiply %713, %arg54 : tensor<40xf32>
    %715 = stablehlo.add %712, %714 : tensor<40xf32>
    %cst_196 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %716 = stablehlo.broadcast_in_dim %cst_196, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %717 = stablehlo.multiply %716, %582 : tensor<32x40xf32>
    %cst_197 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %718 = stablehlo.broadcast_in_dim %cst_197, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %719 = stablehlo.multiply %718, %arg55 : tensor<32x40xf32>
    %720 = stablehlo.add %717, %719 : tensor<32x40xf32>
    %cst_198 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %721 = stablehlo.broadcast_in_dim %cst_198, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %722 = stablehlo.multiply %721, %585 : tensor<101x40xf32>
    %cst_199 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %723 = stablehlo.broadcast_in_dim %cst_199, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %724 = stablehlo.multiply %723, %arg56 : tensor<101x40xf32>
    %725 = stablehlo.add %722, %724 : tensor<101x40xf32>
    %726 = stablehlo.multiply %512, %512 : tensor<40xf32>
    %cst_200 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %727 = stablehlo.broadcast_in_dim %cst_200, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %728 = stablehlo.multiply %727, %726 : tensor<40xf32>
    %cst_201 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %729 = stablehlo.broadcast_in_dim %cst_201, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %730 = stablehlo.multiply %729, %arg57 : tensor<40xf32>
    %731 = stablehlo.add %728, %730 : tensor<40xf32>
    %732 = stablehlo.multiply %546, %546 : tensor<120xf32>
    %cst_202 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %733 = stablehlo.broadcast_in_dim %cst_202, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %734 = stablehlo.multiply %733, %732 : tensor<120xf32>
    %cst_203 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %735 = stablehlo.broadcast_in_dim %cst_203, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %736 = stablehlo.multiply %735, %arg58 : tensor<120xf32>
    %737 = stablehlo.add %734, %736 : tensor<120xf32>
    %738 = stablehlo.multiply %514, %514 : tensor<40x40xf32>
    %cst_204 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %739 = stablehlo.broadcast_in_dim %cst_204, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %740 = stablehlo.multiply %739, %738 : tensor<40x40xf32>
    %cst_205 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %741 = stablehlo.broadcast_in_dim %cst_205, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %742 = stablehlo.multiply %741, %arg59 : tensor<40x40xf32>
    %743 = stablehlo.add %740, %742 : tensor<40x40xf32>
    %744 = stablehlo.multiply %548, %548 : tensor<40x120xf32>
    %cst_206 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %745 = stablehlo.broadcast_in_dim %cst_206, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %746 = stablehlo.multiply %745, %744 : tensor<40x120xf32>
    %cst_207 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %747 = stablehlo.broadcast_in_dim %cst_207, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %748 = stablehlo.multiply %747, %arg60 : tensor<40x120xf32>
    %749 = stablehlo.add %746, %748 : tensor<40x120xf32>
    %750 = stablehlo.multiply %552, %552 : tensor<40xf32>
    %cst_208 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %751 = stablehlo.broadcast_in_dim %cst_208, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %752 = stablehlo.multiply %751, %750 : tensor<40xf32>
    %cst_209 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %753 = stablehlo.broadcast_in_dim %cst_209, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %754 = stablehlo.multiply %753, %arg61 : tensor<40xf32>
    %755 = stablehlo.add %752, %754 : tensor<40xf32>
    %756 = stablehlo.multiply %558, %558 : tensor<40xf32>
    %cst_210 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %757 = stablehlo.broadcast_in_dim %cst_210, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %758 = stablehlo.multiply %757, %756 : tensor<40xf32>
    %cst_211 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %759 = stablehlo.broadcast_in_dim %cst_211, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %760 = stablehlo.multiply %759, %arg62 : tensor<40xf32>
    %761 = stablehlo.add %758, %760 : tensor<40xf32>
    %762 = stablehlo.multiply %483, %483 : tensor<40xf32>
    %cst_212 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %763 = stablehlo.broadcast_in_dim %cst_212, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %764 = stablehlo.multiply %763, %762 : tensor<40xf32>
    %cst_213 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %765 = stablehlo.broadcast_in_dim %cst_213, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %766 = stablehlo.multiply %765, %arg63 : tensor<40xf32>
    %767 = stablehlo.add %764, %766 : tensor<40xf32>
    %768 = stablehlo.multiply %489, %489 : tensor<40xf32>
    %cst_214 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %769 = stablehlo.broadcast_in_dim %cst_214, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %770 = stablehlo.multiply %769, %768 : tensor<40xf32>
    %cst_215 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %771 = stablehlo.broadcast_in_dim %cst_215, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %772 = stablehlo.multiply %771, %arg64 : tensor<40xf32>
    %773 = stablehlo.add %770, %772 : tensor<40xf32>
    %774 = stablehlo.multiply %457, %457 : tensor<40xf32>
    %cst_216 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %775 = stablehlo.broadcast_in_dim %cst_216, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %776 = stablehlo.multiply %775, %774 : tensor<40xf32>
    %cst_217 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %777 = stablehlo.broadcast_in_dim %cst_217, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %778 = stablehlo.multiply %777, %arg65 : tensor<40xf32>
    %779 = stablehlo.add %776, %778 : tensor<40xf32>
    %780 = stablehlo.multiply %477, %477 : tensor<160xf32>
    %cst_218 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %781 = stablehlo.broadcast_in_dim %cst_218, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %782 = stablehlo.multiply %781, %780 : tensor<160xf32>
    %cst_219 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %783 = stablehlo.broadcast_in_dim %cst_219, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %784 = stablehlo.multiply %783, %arg66 : tensor<160xf32>
    %785 = stablehlo.add %782, %784 : tensor<160xf32>
    %786 = stablehlo.multiply %459, %459 : tensor<160x40xf32>
    %cst_220 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %787 = stablehlo.broadcast_in_dim %cst_220, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %788 = stablehlo.multiply %787, %786 : tensor<160x40xf32>
    %cst_221 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %789 = stablehlo.broadcast_in_dim %cst_221, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %790 = stablehlo.multiply %789, %arg67 : tensor<160x40xf32>
    %791 = stablehlo.add %788, %790 : tensor<160x40xf32>
    %792 = stablehlo.multiply %479, %479 : tensor<40x160xf32>
    %cst_222 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %793 = stablehlo.broadcast_in_dim %cst_222, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %794 = stablehlo.multiply %793, %792 : tensor<40x160xf32>
    %cst_223 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %795 = stablehlo.broadcast_in_dim %cst_223, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %796 = stablehlo.multiply %795, %arg68 : tensor<40x160xf32>
    %797 = stablehlo.add %794, %796 : tensor<40x160xf32>
    %798 = stablehlo.multiply %388, %388 : tensor<40xf32>
    %cst_224 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %799 = stablehlo.broadcast_in_dim %cst_224, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %800 = stablehlo.multiply %799, %798 : tensor<40xf32>
    %cst_225 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %801 = stablehlo.broadcast_in_dim %cst_225, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %802 = stablehlo.multiply %801, %arg69 : tensor<40xf32>
    %803 = stablehlo.add %800, %802 : tensor<40xf32>
    %804 = stablehlo.multiply %422, %422 : tensor<120xf32>
    %cst_226 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %805 = stablehlo.broadcast_in_dim %cst_226, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %806 = stablehlo.multiply %805, %804 : tensor<120xf32>
    %cst_227 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %807 = stablehlo.broadcast_in_dim %cst_227, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %808 = stablehlo.multiply %807, %arg70 : tensor<120xf32>
    %809 = stablehlo.add %806, %808 : tensor<120xf32>
    %810 = stablehlo.multiply %390, %390 : tensor<40x40xf32>
    %cst_228 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %811 = stablehlo.broadcast_in_dim %cst_228, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %812 = stablehlo.multiply %811, %810 : tensor<40x40xf32>
    %cst_229 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %813 = stablehlo.broadcast_in_dim %cst_229, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %814 = stablehlo.multiply %813, %arg71 : tensor<40x40xf32>
    %815 = stablehlo.add %812, %814 : tensor<40x40xf32>
    %816 = stablehlo.multiply %424, %424 : tensor<40x120xf32>
    %cst_230 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %817 = stablehlo.broadcast_in_dim %cst_230, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %818 = stablehlo.multiply %817, %816 : tensor<40x120xf32>
    %cst_231 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %819 = stablehlo.broadcast_in_dim %cst_231, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %820 = stablehlo.multiply %819, %arg72 : tensor<40x120xf32>
    %821 = stablehlo.add %818, %820 : tensor<40x120xf32>
    %822 = stablehlo.multiply %428, %428 : tensor<40xf32>
    %cst_232 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %823 = stablehlo.broadcast_in_dim %cst_232, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %824 = stablehlo.multiply %823, %822 : tensor<40xf32>
    %cst_233 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %825 = stablehlo.broadcast_in_dim %cst_233, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %826 = stablehlo.multiply %825, %arg73 : tensor<40xf32>
    %827 = stablehlo.add %824, %826 : tensor<40xf32>
    %828 = stablehlo.multiply %434, %434 : tensor<40xf32>
    %cst_234 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %829 = stablehlo.broadcast_in_dim %cst_234, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %830 = stablehlo.multiply %829, %828 : tensor<40xf32>
    %cst_235 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %831 = stablehlo.broadcast_in_dim %cst_235, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %832 = stablehlo.multiply %831, %arg74 : tensor<40xf32>
    %833 = stablehlo.add %830, %832 : tensor<40xf32>
    %834 = stablehlo.multiply %359, %359 : tensor<40xf32>
    %cst_236 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %835 = stablehlo.broadcast_in_dim %cst_236, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %836 = stablehlo.multiply %835, %834 : tensor<40xf32>
    %cst_237 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %837 = stablehlo.broadcast_in_dim %cst_237, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %838 = stablehlo.multiply %837, %arg75 : tensor<40xf32>
    %839 = stablehlo.add %836, %838 : tensor<40xf32>
    %840 = stablehlo.multiply %365, %365 : tensor<40xf32>
    %cst_238 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %841 = stablehlo.broadcast_in_dim %cst_238, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %842 = stablehlo.multiply %841, %840 : tensor<40xf32>
    %cst_239 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %843 = stablehlo.broadcast_in_dim %cst_239, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %844 = stablehlo.multiply %843, %arg76 : tensor<40xf32>
    %845 = stablehlo.add %842, %844 : tensor<40xf32>
    %846 = stablehlo.multiply %333, %333 : tensor<40xf32>
    %cst_240 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %847 = stablehlo.broadcast_in_dim %cst_240, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %848 = stablehlo.multiply %847, %846 : tensor<40xf32>
    %cst_241 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %849 = stablehlo.broadcast_in_dim %cst_241, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %850 = stablehlo.multiply %849, %arg77 : tensor<40xf32>
    %851 = stablehlo.add %848, %850 : tensor<40xf32>
    %852 = stablehlo.multiply %353, %353 : tensor<160xf32>
    %cst_242 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %853 = stablehlo.broadcast_in_dim %cst_242, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %854 = stablehlo.multiply %853, %852 : tensor<160xf32>
    %cst_243 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %855 = stablehlo.broadcast_in_dim %cst_243, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %856 = stablehlo.multiply %855, %arg78 : tensor<160xf32>
    %857 = stablehlo.add %854, %856 : tensor<160xf32>
    %858 = stablehlo.multiply %335, %335 : tensor<160x40xf32>
    %cst_244 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %859 = stablehlo.broadcast_in_dim %cst_244, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %860 = stablehlo.multiply %859, %858 : tensor<160x40xf32>
    %cst_245 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %861 = stablehlo.broadcast_in_dim %cst_245, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %862 = stablehlo.multiply %861, %arg79 : tensor<160x40xf32>
    %863 = stablehlo.add %860, %862 : tensor<160x40xf32>
    %864 = stablehlo.multiply %355, %355 : tensor<40x160xf32>
    %cst_246 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %865 = stablehlo.broadcast_in_dim %cst_246, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %866 = stablehlo.multiply %865, %864 : tensor<40x160xf32>
    %cst_247 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %867 = stablehlo.broadcast_in_dim %cst_247, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %868 = stablehlo.multiply %867, %arg80 : tensor<40x160xf32>
    %869 = stablehlo.add %866, %868 : tensor<40x160xf32>
    %870 = stablehlo.multiply %305, %305 : tensor<40xf32>
    %cst_248 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %871 = stablehlo.broadcast_in_dim %cst_248, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %872 = stablehlo.multiply %871, %870 : tensor<40xf32>
    %cst_249 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %873 = stablehlo.broadcast_in_dim %cst_249, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %874 = stablehlo.multiply %873, %arg81 : tensor<40xf32>
    %875 = stablehlo.add %872, %874 : tensor<40xf32>
    %876 = stablehlo.multiply %311, %311 : tensor<40xf32>
    %cst_250 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %877 = stablehlo.broadcast_in_dim %cst_250, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %878 = stablehlo.multiply %877, %876 : tensor<40xf32>
    %cst_251 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %879 = stablehlo.broadcast_in_dim %cst_251, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %880 = stablehlo.multiply %879, %arg82 : tensor<40xf32>
    %881 = stablehlo.add %878, %880 : tensor<40xf32>
    %882 = stablehlo.multiply %582, %582 : tensor<32x40xf32>
    %cst_252 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %883 = stablehlo.broadcast_in_dim %cst_252, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %884 = stablehlo.multiply %883, %882 : tensor<32x40xf32>
    %cst_253 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %885 = stablehlo.broadcast_in_dim %cst_253, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %886 = stablehlo.multiply %885, %arg83 : tensor<32x40xf32>
    %887 = stablehlo.add %884, %886 : tensor<32x40xf32>
    %888 = stablehlo.multiply %585, %585 : tensor<101x40xf32>
    %cst_254 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %889 = stablehlo.broadcast_in_dim %cst_254, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %890 = stablehlo.multiply %889, %888 : tensor<101x40xf32>
    %cst_255 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %891 = stablehlo.broadcast_in_dim %cst_255, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %892 = stablehlo.multiply %891, %arg84 : tensor<101x40xf32>
    %893 = stablehlo.add %890, %892 : tensor<101x40xf32>
    %c_256 = stablehlo.constant dense<2147483647> : tensor<i32>
    %894 = stablehlo.compare LT, %arg28, %c_256, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_257 = stablehlo.constant dense<1> : tensor<i32>
    %895 = stablehlo.add %arg28, %c_257 : tensor<i32>
    %c_258 = stablehlo.constant dense<2147483647> : tensor<i32>
    %896 = call @_where_6(%894, %895, %c_258) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %897 = stablehlo.convert %896 : (tensor<i32>) -> tensor<f32>
    %cst_259 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %898 = stablehlo.convert %896 : (tensor<i32>) -> tensor<f32>
    %899 = stablehlo.power %cst_259, %898 : tensor<f32>
    %cst_260 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %900 = stablehlo.subtract %cst_260, %899 : tensor<f32>
    %901 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %902 = stablehlo.divide %590, %901 : tensor<40xf32>
    %903 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %904 = stablehlo.divide %595, %903 : tensor<120xf32>
    %905 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %906 = stablehlo.divide %600, %905 : tensor<40x40xf32>
    %907 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %908 = stablehlo.divide %605, %907 : tensor<40x120xf32>
    %909 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %910 = stablehlo.divide %610, %909 : tensor<40xf32>
    %911 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %912 = stablehlo.divide %615, %911 : tensor<40xf32>
    %913 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %914 = stablehlo.divide %620, %913 : tensor<40xf32>
    %915 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %916 = stablehlo.divide %625, %915 : tensor<40xf32>
    %917 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %918 = stablehlo.divide %630, %917 : tensor<40xf32>
    %919 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %920 = stablehlo.divide %635, %919 : tensor<160xf32>
    %921 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %922 = stablehlo.divide %640, %921 : tensor<160x40xf32>
    %923 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %924 = stablehlo.divide %645, %923 : tensor<40x160xf32>
    %925 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %926 = stablehlo.divide %650, %925 : tensor<40xf32>
    %927 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %928 = stablehlo.divide %655, %927 : tensor<120xf32>
    %929 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %930 = stablehlo.divide %660, %929 : tensor<40x40xf32>
    %931 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %932 = stablehlo.divide %665, %931 : tensor<40x120xf32>
    %933 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %934 = stablehlo.divide %670, %933 : tensor<40xf32>
    %935 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %936 = stablehlo.divide %675, %935 : tensor<40xf32>
    %937 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %938 = stablehlo.divide %680, %937 : tensor<40xf32>
    %939 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %940 = stablehlo.divide %685, %939 : tensor<40xf32>
    %941 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %942 = stablehlo.divide %690, %941 : tensor<40xf32>
    %943 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %944 = stablehlo.divide %695, %943 : tensor<160xf32>
    %945 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %946 = stablehlo.divide %700, %945 : tensor<160x40xf32>
    %947 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %948 = stablehlo.divide %705, %947 : tensor<40x160xf32>
    %949 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %950 = stablehlo.divide %710, %949 : tensor<40xf32>
    %951 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %952 = stablehlo.divide %715, %951 : tensor<40xf32>
    %953 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %954 = stablehlo.divide %720, %953 : tensor<32x40xf32>
    %955 = stablehlo.broadcast_in_dim %900, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %956 = stablehlo.divide %725, %955 : tensor<101x40xf32>
    %957 = stablehlo.convert %896 : (tensor<i32>) -> tensor<f32>
    %cst_261 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %958 = stablehlo.convert %896 : (tensor<i32>) -> tensor<f32>
    %959 = stablehlo.power %cst_261, %958 : tensor<f32>
    %cst_262 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %960 = stablehlo.subtract %cst_262, %959 : tensor<f32>
    %961 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %962 = stablehlo.divide %731, %961 : tensor<40xf32>
    %963 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %964 = stablehlo.divide %737, %963 : tensor<120xf32>
    %965 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %966 = stablehlo.divide %743, %965 : tensor<40x40xf32>
    %967 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %968 = stablehlo.divide %749, %967 : tensor<40x120xf32>
    %969 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %970 = stablehlo.divide %755, %969 : tensor<40xf32>
    %971 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %972 = stablehlo.divide %761, %971 : tensor<40xf32>
    %973 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %974 = stablehlo.divide %767, %973 : tensor<40xf32>
    %975 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %976 = stablehlo.divide %773, %975 : tensor<40xf32>
    %977 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %978 = stablehlo.divide %779, %977 : tensor<40xf32>
    %979 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %980 = stablehlo.divide %785, %979 : tensor<160xf32>
    %981 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %982 = stablehlo.divide %791, %981 : tensor<160x40xf32>
    %983 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %984 = stablehlo.divide %797, %983 : tensor<40x160xf32>
    %985 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %986 = stablehlo.divide %803, %985 : tensor<40xf32>
    %987 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %988 = stablehlo.divide %809, %987 : tensor<120xf32>
    %989 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %990 = stablehlo.divide %815, %989 : tensor<40x40xf32>
    %991 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %992 = stablehlo.divide %821, %991 : tensor<40x120xf32>
    %993 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %994 = stablehlo.divide %827, %993 : tensor<40xf32>
    %995 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %996 = stablehlo.divide %833, %995 : tensor<40xf32>
    %997 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %998 = stablehlo.divide %839, %997 : tensor<40xf32>
    %999 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1000 = stablehlo.divide %845, %999 : tensor<40xf32>
    %1001 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1002 = stablehlo.divide %851, %1001 : tensor<40xf32>
    %1003 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %1004 = stablehlo.divide %857, %1003 : tensor<160xf32>
    %1005 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %1006 = stablehlo.divide %863, %1005 : tensor<160x40xf32>
    %1007 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %1008 = stablehlo.divide %869, %1007 : tensor<40x160xf32>
    %1009 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1010 = stablehlo.divide %875, %1009 : tensor<40xf32>
    %1011 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1012 = stablehlo.divide %881, %1011 : tensor<40xf32>
    %1013 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %1014 = stablehlo.divide %887, %1013 : tensor<32x40xf32>
    %1015 = stablehlo.broadcast_in_dim %960, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %1016 = stablehlo.divide %893, %1015 : tensor<101x40xf32>
    %cst_263 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1017 = stablehlo.broadcast_in_dim %cst_263, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1018 = stablehlo.add %962, %1017 : tensor<40xf32>
    %1019 = stablehlo.sqrt %1018 : tensor<40xf32>
    %cst_264 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1020 = stablehlo.broadcast_in_dim %cst_264, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1021 = stablehlo.add %1019, %1020 : tensor<40xf32>
    %1022 = stablehlo.divide %902, %1021 : tensor<40xf32>
    %cst_265 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1023 = stablehlo.broadcast_in_dim %cst_265, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %1024 = stablehlo.add %964, %1023 : tensor<120xf32>
    %1025 = stablehlo.sqrt %1024 : tensor<120xf32>
    %cst_266 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1026 = stablehlo.broadcast_in_dim %cst_266, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %1027 = stablehlo.add %1025, %1026 : tensor<120xf32>
    %1028 = stablehlo.divide %904, %1027 : tensor<120xf32>
    %cst_267 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1029 = stablehlo.broadcast_in_dim %cst_267, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %1030 = stablehlo.add %966, %1029 : tensor<40x40xf32>
    %1031 = stablehlo.sqrt %1030 : tensor<40x40xf32>
    %cst_268 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1032 = stablehlo.broadcast_in_dim %cst_268, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %1033 = stablehlo.add %1031, %1032 : tensor<40x40xf32>
    %1034 = stablehlo.divide %906, %1033 : tensor<40x40xf32>
    %cst_269 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1035 = stablehlo.broadcast_in_dim %cst_269, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %1036 = stablehlo.add %968, %1035 : tensor<40x120xf32>
    %1037 = stablehlo.sqrt %1036 : tensor<40x120xf32>
    %cst_270 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1038 = stablehlo.broadcast_in_dim %cst_270, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %1039 = stablehlo.add %1037, %1038 : tensor<40x120xf32>
    %1040 = stablehlo.divide %908, %1039 : tensor<40x120xf32>
    %cst_271 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1041 = stablehlo.broadcast_in_dim %cst_271, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1042 = stablehlo.add %970, %1041 : tensor<40xf32>
    %1043 = stablehlo.sqrt %1042 : tensor<40xf32>
    %cst_272 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1044 = stablehlo.broadcast_in_dim %cst_272, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1045 = stablehlo.add %1043, %1044 : tensor<40xf32>
    %1046 = stablehlo.divide %910, %1045 : tensor<40xf32>
    %cst_273 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1047 = stablehlo.broadcast_in_dim %cst_273, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1048 = stablehlo.add %972, %1047 : tensor<40xf32>
    %1049 = stablehlo.sqrt %1048 : tensor<40xf32>
    %cst_274 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1050 = stablehlo.broadcast_in_dim %cst_274, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1051 = stablehlo.add %1049, %1050 : tensor<40xf32>
    %1052 = stablehlo.divide %912, %1051 : tensor<40xf32>
    %cst_275 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1053 = stablehlo.broadcast_in_dim %cst_275, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1054 = stablehlo.add %974, %1053 : tensor<40xf32>
    %1055 = stablehlo.sqrt %1054 : tensor<40xf32>
    %cst_276 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1056 = stablehlo.broadcast_in_dim %cst_276, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1057 = stablehlo.add %1055, %1056 : tensor<40xf32>
    %1058 = stablehlo.divide %914, %1057 : tensor<40xf32>
    %cst_277 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1059 = stablehlo.broadcast_in_dim %cst_277, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1060 = stablehlo.add %976, %1059 : tensor<40xf32>
    %1061 = stablehlo.sqrt %1060 : tensor<40xf32>
    %cst_278 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1062 = stablehlo.broadcast_in_dim %cst_278, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1063 = stablehlo.add %1061, %1062 : tensor<40xf32>
    %1064 = stablehlo.divide %916, %1063 : tensor<40xf32>
    %cst_279 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1065 = stablehlo.broadcast_in_dim %cst_279, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1066 = stablehlo.add %978, %1065 : tensor<40xf32>
    %1067 = stablehlo.sqrt %1066 : tensor<40xf32>
    %cst_280 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1068 = stablehlo.broadcast_in_dim %cst_280, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1069 = stablehlo.add %1067, %1068 : tensor<40xf32>
    %1070 = stablehlo.divide %918, %1069 : tensor<40xf32>
    %cst_281 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1071 = stablehlo.broadcast_in_dim %cst_281, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %1072 = stablehlo.add %980, %1071 : tensor<160xf32>
    %1073 = stablehlo.sqrt %1072 : tensor<160xf32>
    %cst_282 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1074 = stablehlo.broadcast_in_dim %cst_282, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %1075 = stablehlo.add %1073, %1074 : tensor<160xf32>
    %1076 = stablehlo.divide %920, %1075 : tensor<160xf32>
    %cst_283 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1077 = stablehlo.broadcast_in_dim %cst_283, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %1078 = stablehlo.add %982, %1077 : tensor<160x40xf32>
    %1079 = stablehlo.sqrt %1078 : tensor<160x40xf32>
    %cst_284 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1080 = stablehlo.broadcast_in_dim %cst_284, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %1081 = stablehlo.add %1079, %1080 : tensor<160x40xf32>
    %1082 = stablehlo.divide %922, %1081 : tensor<160x40xf32>
    %cst_285 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1083 = stablehlo.broadcast_in_dim %cst_285, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %1084 = stablehlo.add %984, %1083 : tensor<40x160xf32>
    %1085 = stablehlo.sqrt %1084 : tensor<40x160xf32>
    %cst_286 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1086 = stablehlo.broadcast_in_dim %cst_286, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %1087 = stablehlo.add %1085, %1086 : tensor<40x160xf32>
    %1088 = stablehlo.divide %924, %1087 : tensor<40x160xf32>
    %cst_287 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1089 = stablehlo.broadcast_in_dim %cst_287, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1090 = stablehlo.add %986, %1089 : tensor<40xf32>
    %1091 = stablehlo.sqrt %1090 : tensor<40xf32>
    %cst_288 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1092 = stablehlo.broadcast_in_dim %cst_288, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1093 = stablehlo.add %1091, %1092 : tensor<40xf32>
    %1094 = stablehlo.divide %926, %1093 : tensor<40xf32>
    %cst_289 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1095 = stablehlo.broadcast_in_dim %cst_289, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %1096 = stablehlo.add %988, %1095 : tensor<120xf32>
    %1097 = stablehlo.sqrt %1096 : tensor<120xf32>
    %cst_290 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1098 = stablehlo.broadcast_in_dim %cst_290, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %1099 = stablehlo.add %1097, %1098 : tensor<120xf32>
    %1100 = stablehlo.divide %928, %1099 : tensor<120xf32>
    %cst_291 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1101 = stablehlo.broadcast_in_dim %cst_291, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %1102 = stablehlo.add %990, %1101 : tensor<40x40xf32>
    %1103 = stablehlo.sqrt %1102 : tensor<40x40xf32>
    %cst_292 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1104 = stablehlo.broadcast_in_dim %cst_292, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %1105 = stablehlo.add %1103, %1104 : tensor<40x40xf32>
    %1106 = stablehlo.divide %930, %1105 : tensor<40x40xf32>
    %cst_293 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1107 = stablehlo.broadcast_in_dim %cst_293, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %1108 = stablehlo.add %992, %1107 : tensor<40x120xf32>
    %1109 = stablehlo.sqrt %1108 : tensor<40x120xf32>
    %cst_294 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1110 = stablehlo.broadcast_in_dim %cst_294, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %1111 = stablehlo.add %1109, %1110 : tensor<40x120xf32>
    %1112 = stablehlo.divide %932, %1111 : tensor<40x120xf32>
    %cst_295 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1113 = stablehlo.broadcast_in_dim %cst_295, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1114 = stablehlo.add %994, %1113 : tensor<40xf32>
    %1115 = stablehlo.sqrt %1114 : tensor<40xf32>
    %cst_296 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1116 = stablehlo.broadcast_in_dim %cst_296, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1117 = stablehlo.add %1115, %1116 : tensor<40xf32>
    %1118 = stablehlo.divide %934, %1117 : tensor<40xf32>
    %cst_297 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1119 = stablehlo.broadcast_in_dim %cst_297, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1120 = stablehlo.add %996, %1119 : tensor<40xf32>
    %1121 = stablehlo.sqrt %1120 : tensor<40xf32>
    %cst_298 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1122 = stablehlo.broadcast_in_dim %cst_298, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1123 = stablehlo.add %1121, %1122 : tensor<40xf32>
    %1124 = stablehlo.divide %936, %1123 : tensor<40xf32>
    %cst_299 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1125 = stablehlo.broadcast_in_dim %cst_299, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1126 = stablehlo.add %998, %1125 : tensor<40xf32>
    %1127 = stablehlo.sqrt %1126 : tensor<40xf32>
    %cst_300 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1128 = stablehlo.broadcast_in_dim %cst_300, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1129 = stablehlo.add %1127, %1128 : tensor<40xf32>
    %1130 = stablehlo.divide %938, %1129 : tensor<40xf32>
    %cst_301 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1131 = stablehlo.broadcast_in_dim %cst_301, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1132 = stablehlo.add %1000, %1131 : tensor<40xf32>
    %1133 = stablehlo.sqrt %1132 : tensor<40xf32>
    %cst_302 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1134 = stablehlo.broadcast_in_dim %cst_302, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1135 = stablehlo.add %1133, %1134 : tensor<40xf32>
    %1136 = stablehlo.divide %940, %1135 : tensor<40xf32>
    %cst_303 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1137 = stablehlo.broadcast_in_dim %cst_303, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1138 = stablehlo.add %1002, %1137 : tensor<40xf32>
    %1139 = stablehlo.sqrt %1138 : tensor<40xf32>
    %cst_304 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1140 = stablehlo.broadcast_in_dim %cst_304, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1141 = stablehlo.add %1139, %1140 : tensor<40xf32>
    %1142 = stablehlo.divide %942, %1141 : tensor<40xf32>
    %cst_305 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1143 = stablehlo.broadcast_in_dim %cst_305, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %1144 = stablehlo.add %1004, %1143 : tensor<160xf32>
    %1145 = stablehlo.sqrt %1144 : tensor<160xf32>
    %cst_306 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1146 = stablehlo.broadcast_in_dim %cst_306, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %1147 = stablehlo.add %1145, %1146 : tensor<160xf32>
    %1148 = stablehlo.divide %944, %1147 : tensor<160xf32>
    %cst_307 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1149 = stablehlo.broadcast_in_dim %cst_307, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %1150 = stablehlo.add %1006, %1149 : tensor<160x40xf32>
    %1151 = stablehlo.sqrt %1150 : tensor<160x40xf32>
    %cst_308 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1152 = stablehlo.broadcast_in_dim %cst_308, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %1153 = stablehlo.add %1151, %1152 : tensor<160x40xf32>
    %1154 = stablehlo.divide %946, %1153 : tensor<160x40xf32>
    %cst_309 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1155 = stablehlo.broadcast_in_dim %cst_309, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %1156 = stablehlo.add %1008, %1155 : tensor<40x160xf32>
    %1157 = stablehlo.sqrt %1156 : tensor<40x160xf32>
    %cst_310 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1158 = stablehlo.broadcast_in_dim %cst_310, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %1159 = stablehlo.add %1157, %1158 : tensor<40x160xf32>
    %1160 = stablehlo.divide %948, %1159 : tensor<40x160xf32>
    %cst_311 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1161 = stablehlo.broadcast_in_dim %cst_311, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1162 = stablehlo.add %1010, %1161 : tensor<40xf32>
    %1163 = stablehlo.sqrt %1162 : tensor<40xf32>
    %cst_312 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1164 = stablehlo.broadcast_in_dim %cst_312, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1165 = stablehlo.add %1163, %1164 : tensor<40xf32>
    %1166 = stablehlo.divide %950, %1165 : tensor<40xf32>
    %cst_313 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1167 = stablehlo.broadcast_in_dim %cst_313, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1168 = stablehlo.add %1012, %1167 : tensor<40xf32>
    %1169 = stablehlo.sqrt %1168 : tensor<40xf32>
    %cst_314 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1170 = stablehlo.broadcast_in_dim %cst_314, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1171 = stablehlo.add %1169, %1170 : tensor<40xf32>
    %1172 = stablehlo.divide %952, %1171 : tensor<40xf32>
    %cst_315 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1173 = stablehlo.broadcast_in_dim %cst_315, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %1174 = stablehlo.add %1014, %1173 : tensor<32x40xf32>
    %1175 = stablehlo.sqrt %1174 : tensor<32x40xf32>
    %cst_316 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1176 = stablehlo.broadcast_in_dim %cst_316, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %1177 = stablehlo.add %1175, %1176 : tensor<32x40xf32>
    %1178 = stablehlo.divide %954, %1177 : tensor<32x40xf32>
    %cst_317 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1179 = stablehlo.broadcast_in_dim %cst_317, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %1180 = stablehlo.add %1016, %1179 : tensor<101x40xf32>
    %1181 = stablehlo.sqrt %1180 : tensor<101x40xf32>
    %cst_318 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %1182 = stablehlo.broadcast_in_dim %cst_318, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %1183 = stablehlo.add %1181, %1182 : tensor<101x40xf32>
    %1184 = stablehlo.divide %956, %1183 : tensor<101x40xf32>
    %cst_319 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1185 = stablehlo.broadcast_in_dim %cst_319, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1186 = stablehlo.multiply %1185, %arg0 : tensor<40xf32>
    %1187 = stablehlo.add %1022, %1186 : tensor<40xf32>
    %cst_320 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1188 = stablehlo.broadcast_in_dim %cst_320, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %1189 = stablehlo.multiply %1188, %arg1 : tensor<120xf32>
    %1190 = stablehlo.add %1028, %1189 : tensor<120xf32>
    %cst_321 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1191 = stablehlo.broadcast_in_dim %cst_321, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %1192 = stablehlo.multiply %1191, %arg2 : tensor<40x40xf32>
    %1193 = stablehlo.add %1034, %1192 : tensor<40x40xf32>
    %cst_322 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1194 = stablehlo.broadcast_in_dim %cst_322, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %1195 = stablehlo.multiply %1194, %arg3 : tensor<40x120xf32>
    %1196 = stablehlo.add %1040, %1195 : tensor<40x120xf32>
    %cst_323 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1197 = stablehlo.broadcast_in_dim %cst_323, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1198 = stablehlo.multiply %1197, %arg4 : tensor<40xf32>
    %1199 = stablehlo.add %1046, %1198 : tensor<40xf32>
    %cst_324 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1200 = stablehlo.broadcast_in_dim %cst_324, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1201 = stablehlo.multiply %1200, %arg5 : tensor<40xf32>
    %1202 = stablehlo.add %1052, %1201 : tensor<40xf32>
    %cst_325 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1203 = stablehlo.broadcast_in_dim %cst_325, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1204 = stablehlo.multiply %1203, %arg6 : tensor<40xf32>
    %1205 = stablehlo.add %1058, %1204 : tensor<40xf32>
    %cst_326 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1206 = stablehlo.broadcast_in_dim %cst_326, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1207 = stablehlo.multiply %1206, %arg7 : tensor<40xf32>
    %1208 = stablehlo.add %1064, %1207 : tensor<40xf32>
    %cst_327 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1209 = stablehlo.broadcast_in_dim %cst_327, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1210 = stablehlo.multiply %1209, %arg8 : tensor<40xf32>
    %1211 = stablehlo.add %1070, %1210 : tensor<40xf32>
    %cst_328 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1212 = stablehlo.broadcast_in_dim %cst_328, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %1213 = stablehlo.multiply %1212, %arg9 : tensor<160xf32>
    %1214 = stablehlo.add %1076, %1213 : tensor<160xf32>
    %cst_329 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1215 = stablehlo.broadcast_in_dim %cst_329, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %1216 = stablehlo.multiply %1215, %arg10 : tensor<160x40xf32>
    %1217 = stablehlo.add %1082, %1216 : tensor<160x40xf32>
    %cst_330 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1218 = stablehlo.broadcast_in_dim %cst_330, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %1219 = stablehlo.multiply %1218, %arg11 : tensor<40x160xf32>
    %1220 = stablehlo.add %1088, %1219 : tensor<40x160xf32>
    %cst_331 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1221 = stablehlo.broadcast_in_dim %cst_331, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1222 = stablehlo.multiply %1221, %arg12 : tensor<40xf32>
    %1223 = stablehlo.add %1094, %1222 : tensor<40xf32>
    %cst_332 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1224 = stablehlo.broadcast_in_dim %cst_332, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %1225 = stablehlo.multiply %1224, %arg13 : tensor<120xf32>
    %1226 = stablehlo.add %1100, %1225 : tensor<120xf32>
    %cst_333 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1227 = stablehlo.broadcast_in_dim %cst_333, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %1228 = stablehlo.multiply %1227, %arg14 : tensor<40x40xf32>
    %1229 = stablehlo.add %1106, %1228 : tensor<40x40xf32>
    %cst_334 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1230 = stablehlo.broadcast_in_dim %cst_334, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %1231 = stablehlo.multiply %1230, %arg15 : tensor<40x120xf32>
    %1232 = stablehlo.add %1112, %1231 : tensor<40x120xf32>
    %cst_335 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1233 = stablehlo.broadcast_in_dim %cst_335, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1234 = stablehlo.multiply %1233, %arg16 : tensor<40xf32>
    %1235 = stablehlo.add %1118, %1234 : tensor<40xf32>
    %cst_336 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1236 = stablehlo.broadcast_in_dim %cst_336, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1237 = stablehlo.multiply %1236, %arg17 : tensor<40xf32>
    %1238 = stablehlo.add %1124, %1237 : tensor<40xf32>
    %cst_337 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1239 = stablehlo.broadcast_in_dim %cst_337, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1240 = stablehlo.multiply %1239, %arg18 : tensor<40xf32>
    %1241 = stablehlo.add %1130, %1240 : tensor<40xf32>
    %cst_338 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1242 = stablehlo.broadcast_in_dim %cst_338, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1243 = stablehlo.multiply %1242, %arg19 : tensor<40xf32>
    %1244 = stablehlo.add %1136, %1243 : tensor<40xf32>
    %cst_339 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1245 = stablehlo.broadcast_in_dim %cst_339, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1246 = stablehlo.multiply %1245, %arg20 : tensor<40xf32>
    %1247 = stablehlo.add %1142, %1246 : tensor<40xf32>
    %cst_340 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1248 = stablehlo.broadcast_in_dim %cst_340, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %1249 = stablehlo.multiply %1248, %arg21 : tensor<160xf32>
    %1250 = stablehlo.add %1148, %1249 : tensor<160xf32>
    %cst_341 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1251 = stablehlo.broadcast_in_dim %cst_341, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %1252 = stablehlo.multiply %1251, %arg22 : tensor<160x40xf32>
    %1253 = stablehlo.add %1154, %1252 : tensor<160x40xf32>
    %cst_342 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1254 = stablehlo.broadcast_in_dim %cst_342, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %1255 = stablehlo.multiply %1254, %arg23 : tensor<40x160xf32>
    %1256 = stablehlo.add %1160, %1255 : tensor<40x160xf32>
    %cst_343 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1257 = stablehlo.broadcast_in_dim %cst_343, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1258 = stablehlo.multiply %1257, %arg24 : tensor<40xf32>
    %1259 = stablehlo.add %1166, %1258 : tensor<40xf32>
    %cst_344 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1260 = stablehlo.broadcast_in_dim %cst_344, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1261 = stablehlo.multiply %1260, %arg25 : tensor<40xf32>
    %1262 = stablehlo.add %1172, %1261 : tensor<40xf32>
    %cst_345 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1263 = stablehlo.broadcast_in_dim %cst_345, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %1264 = stablehlo.multiply %1263, %arg26 : tensor<32x40xf32>
    %1265 = stablehlo.add %1178, %1264 : tensor<32x40xf32>
    %cst_346 = stablehlo.constant dense<0.00999999977> : tensor<f32>
    %1266 = stablehlo.broadcast_in_dim %cst_346, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %1267 = stablehlo.multiply %1266, %arg27 : tensor<101x40xf32>
    %1268 = stablehlo.add %1184, %1267 : tensor<101x40xf32>
    %cst_347 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1269 = stablehlo.broadcast_in_dim %cst_347, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1270 = stablehlo.multiply %1269, %1187 : tensor<40xf32>
    %cst_348 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1271 = stablehlo.broadcast_in_dim %cst_348, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %1272 = stablehlo.multiply %1271, %1190 : tensor<120xf32>
    %cst_349 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1273 = stablehlo.broadcast_in_dim %cst_349, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %1274 = stablehlo.multiply %1273, %1193 : tensor<40x40xf32>
    %cst_350 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1275 = stablehlo.broadcast_in_dim %cst_350, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %1276 = stablehlo.multiply %1275, %1196 : tensor<40x120xf32>
    %cst_351 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1277 = stablehlo.broadcast_in_dim %cst_351, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1278 = stablehlo.multiply %1277, %1199 : tensor<40xf32>
    %cst_352 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1279 = stablehlo.broadcast_in_dim %cst_352, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1280 = stablehlo.multiply %1279, %1202 : tensor<40xf32>
    %cst_353 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1281 = stablehlo.broadcast_in_dim %cst_353, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1282 = stablehlo.multiply %1281, %1205 : tensor<40xf32>
    %cst_354 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1283 = stablehlo.broadcast_in_dim %cst_354, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1284 = stablehlo.multiply %1283, %1208 : tensor<40xf32>
    %cst_355 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1285 = stablehlo.broadcast_in_dim %cst_355, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1286 = stablehlo.multiply %1285, %1211 : tensor<40xf32>
    %cst_356 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1287 = stablehlo.broadcast_in_dim %cst_356, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %1288 = stablehlo.multiply %1287, %1214 : tensor<160xf32>
    %cst_357 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1289 = stablehlo.broadcast_in_dim %cst_357, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %1290 = stablehlo.multiply %1289, %1217 : tensor<160x40xf32>
    %cst_358 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1291 = stablehlo.broadcast_in_dim %cst_358, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %1292 = stablehlo.multiply %1291, %1220 : tensor<40x160xf32>
    %cst_359 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1293 = stablehlo.broadcast_in_dim %cst_359, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1294 = stablehlo.multiply %1293, %1223 : tensor<40xf32>
    %cst_360 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1295 = stablehlo.broadcast_in_dim %cst_360, dims = [] : (tensor<f32>) -> tensor<120xf32>
    %1296 = stablehlo.multiply %1295, %1226 : tensor<120xf32>
    %cst_361 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1297 = stablehlo.broadcast_in_dim %cst_361, dims = [] : (tensor<f32>) -> tensor<40x40xf32>
    %1298 = stablehlo.multiply %1297, %1229 : tensor<40x40xf32>
    %cst_362 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1299 = stablehlo.broadcast_in_dim %cst_362, dims = [] : (tensor<f32>) -> tensor<40x120xf32>
    %1300 = stablehlo.multiply %1299, %1232 : tensor<40x120xf32>
    %cst_363 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1301 = stablehlo.broadcast_in_dim %cst_363, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1302 = stablehlo.multiply %1301, %1235 : tensor<40xf32>
    %cst_364 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1303 = stablehlo.broadcast_in_dim %cst_364, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1304 = stablehlo.multiply %1303, %1238 : tensor<40xf32>
    %cst_365 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1305 = stablehlo.broadcast_in_dim %cst_365, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1306 = stablehlo.multiply %1305, %1241 : tensor<40xf32>
    %cst_366 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1307 = stablehlo.broadcast_in_dim %cst_366, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1308 = stablehlo.multiply %1307, %1244 : tensor<40xf32>
    %cst_367 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1309 = stablehlo.broadcast_in_dim %cst_367, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1310 = stablehlo.multiply %1309, %1247 : tensor<40xf32>
    %cst_368 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1311 = stablehlo.broadcast_in_dim %cst_368, dims = [] : (tensor<f32>) -> tensor<160xf32>
    %1312 = stablehlo.multiply %1311, %1250 : tensor<160xf32>
    %cst_369 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1313 = stablehlo.broadcast_in_dim %cst_369, dims = [] : (tensor<f32>) -> tensor<160x40xf32>
    %1314 = stablehlo.multiply %1313, %1253 : tensor<160x40xf32>
    %cst_370 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1315 = stablehlo.broadcast_in_dim %cst_370, dims = [] : (tensor<f32>) -> tensor<40x160xf32>
    %1316 = stablehlo.multiply %1315, %1256 : tensor<40x160xf32>
    %cst_371 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1317 = stablehlo.broadcast_in_dim %cst_371, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1318 = stablehlo.multiply %1317, %1259 : tensor<40xf32>
    %cst_372 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1319 = stablehlo.broadcast_in_dim %cst_372, dims = [] : (tensor<f32>) -> tensor<40xf32>
    %1320 = stablehlo.multiply %1319, %1262 : tensor<40xf32>
    %cst_373 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1321 = stablehlo.broadcast_in_dim %cst_373, dims = [] : (tensor<f32>) -> tensor<32x40xf32>
    %1322 = stablehlo.multiply %1321, %1265 : tensor<32x40xf32>
    %cst_374 = stablehlo.constant dense<-1.000000e-03> : tensor<f32>
    %1323 = stablehlo.broadcast_in_dim %cst_374, dims = [] : (tensor<f32>) -> tensor<101x40xf32>
    %1324 = stablehlo.multiply %1323, %1268 : tensor<101x40xf32>
    %1325 = stablehlo.add %arg0, %1270 : tensor<40xf32>
    %1326 = stablehlo.add %arg1, %1272 : tensor<120xf32>
    %1327 = stablehlo.add %arg2, %1274 : tensor<40x40xf32>
    %1328 = stablehlo.add %arg3, %1276 : tensor<40x120xf32>
    %1329 = stablehlo.add %arg4, %1278 : tensor<40xf32>
    %1330 = stablehlo.add %arg5, %1280 : tensor<40xf32>
    %1331 = stablehlo.add %arg6, %1282 : tensor<40xf32>
    %1332 = stablehlo.add %arg7, %1284 : tensor<40xf32>
    %1333 = stablehlo.add %arg8, %1286 : tensor<40xf32>
    %1334 = stablehlo.add %arg9, %1288 : tensor<160xf32>
    %1335 = stablehlo.add %arg10, %1290 : tensor<160x40xf32>
    %1336 = stablehlo.add %arg11, %1292 : tensor<40x160xf32>
    %1337 = stablehlo.add %arg12, %1294 : tensor<40xf32>
    %1338 = stablehlo.add %arg13, %1296 : tensor<120xf32>
    %1339 = stablehlo.add %arg14, %1298 : tensor<40x40xf32>
    %1340 = stablehlo.add %arg15, %1300 : tensor<40x120xf32>
    %1341 = stablehlo.add %arg16, %1302 : tensor<40xf32>
    %1342 = stablehlo.add %arg17, %1304 : tensor<40xf32>
    %1343 = stablehlo.add %arg18, %1306 : tensor<40xf32>
    %1344 = stablehlo.add %arg19, %1308 : tensor<40xf32>
    %1345 = stablehlo.add %arg20, %1310 : tensor<40xf32>
    %1346 = stablehlo.add %arg21, %1312 : tensor<160xf32>
    %1347 = stablehlo.add %arg22, %1314 : tensor<160x40xf32>
    %1348 = stablehlo.add %arg23, %1316 : tensor<40x160xf32>
    %1349 = stablehlo.add %arg24, %1318 : tensor<40xf32>
    %1350 = stablehlo.add %arg25, %1320 : tensor<40xf32>
    %1351 = stablehlo.add %arg26, %1322 : tensor<32x40xf32>
    %1352 = stablehlo.add %arg27, %1324 : tensor<101x40xf32>
    return %1325, %1326, %1327, %1328, %1329, %1330, %1331, %1332, %1333, %1334, %1335, %1336, %1337, %1338, %1339, %1340, %1341, %1342, %1343, %1344, %1345, %1346, %1347, %1348, %1349, %1350, %1351, %1352, %896, %590, %595, %600, %605, %610, %615, %620, %625, %630, %635, %640, %645, %650, %655, %660, %665, %670, %675, %680, %685, %690, %695, %700, %705, %710, %715, %720, %725, %731, %737, %743, %749, %755, %761, %767, %773, %779, %785, %791, %797, %803, %809, %815, %821, %827, %833, %839, %845, %851, %857, %863, %869, %875, %881, %887, %893, %293 : tensor<40xf32>, tensor<120xf32>, tensor<40x40xf32>, tensor<40x120xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<160xf32>, tensor<160x40xf32>, tensor<40x160xf32>, tensor<40xf32>, tensor<120xf32>, tensor<40x40xf32>, tensor<40x120xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<160xf32>, tensor<160x40xf32>, tensor<40x160xf32>, tensor<40xf32>, tensor<40xf32>, tensor<32x40xf32>, tensor<101x40xf32>, tensor<i32>, tensor<40xf32>, tensor<120xf32>, tensor<40x40xf32>, tensor<40x120xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<160xf32>, tensor<160x40xf32>, tensor<40x160xf32>, tensor<40xf32>, tensor<120xf32>, tensor<40x40xf32>, tensor<40x120xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<160xf32>, tensor<160x40xf32>, tensor<40x160xf32>, tensor<40xf32>, tensor<40xf32>, tensor<32x40xf32>, tensor<101x40xf32>, tensor<40xf32>, tensor<120xf32>, tensor<40x40xf32>, tensor<40x120xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<160xf32>, tensor<160x40xf32>, tensor<40x160xf32>, tensor<40xf32>, tensor<120xf32>, tensor<40x40xf32>, tensor<40x120xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<160xf32>, tensor<160x40xf32>, tensor<40x160xf32>, tensor<40xf32>, tensor<40xf32>, tensor<32x40xf32>, tensor<101x40xf32>, tensor<f32>
  }
  func.func private @_var(%arg0: tensor<24x16x40xf32>, %arg1: tensor<i32>) -> (tensor<24x16x1xf32>, tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %3 = stablehlo.divide %1, %2 : tensor<24x16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x40xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<24x16x40xf32>
    %6 = chlo.square %5 : tensor<24x16x40xf32> -> tensor<24x16x40xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x16x40xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<24x16x40xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<24x16x1xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %15 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %16:2 = call @_where(%15, %14, %cst_5) : (tensor<i1>, tensor<24x16x1xf32>, tensor<f32>) -> (tensor<24x16x1xf32>, tensor<24x16x1xf32>)
    return %16#0, %8, %10, %15, %16#1 : tensor<24x16x1xf32>, tensor<24x16x40xf32>, tensor<f32>, tensor<i1>, tensor<24x16x1xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<24x16x1xf32>, %arg2: tensor<f32>) -> (tensor<24x16x1xf32>, tensor<24x16x1xf32>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<24x16x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    return %2, %3 : tensor<24x16x1xf32>, tensor<24x16x1xf32>
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
  func.func private @_where_0(%arg0: tensor<16x16xi1>, %arg1: tensor<24x4x16x16xf32>, %arg2: tensor<f32>) -> (tensor<24x4x16x16xf32>, tensor<24x4x16x16xi1>, tensor<24x4x16x16xf32>) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<16x16xi1>) -> tensor<24x4x16x16xi1>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    %2 = stablehlo.select %0, %arg1, %1 : tensor<24x4x16x16xi1>, tensor<24x4x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    return %2, %0, %3 : tensor<24x4x16x16xf32>, tensor<24x4x16x16xi1>, tensor<24x4x16x16xf32>
  }
  func.func private @log_softmax(%arg0: tensor<24x16x101xf32>) -> (tensor<24x16x101xf32>, tensor<24x16x101xf32>, tensor<24x16x1xf32>) {
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
    return %11, %6, %8 : tensor<24x16x101xf32>, tensor<24x16x101xf32>, tensor<24x16x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<24x16x101xf32>, %arg1: tensor<24x16x1xi32>) -> (tensor<24x16x1xf32>, tensor<24x16x1x1xi32>) {
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
    return %15, %5 : tensor<24x16x1xf32>, tensor<24x16x1x1xi32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<24x16x1x1xi32>, %arg1: tensor<24x16x1xf32>) -> tensor<24x16x101xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16x101xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<24x16x101xf32>, tensor<24x16x1x1xi32>, tensor<24x16x1xf32>) -> tensor<24x16x101xf32>
    return %1 : tensor<24x16x101xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<24x16x101xf32>, %arg1: tensor<24x16x1xf32>, %arg2: tensor<24x16x101xf32>) -> tensor<24x16x101xf32> {
    %0 = stablehlo.negate %arg2 : tensor<24x16x101xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<24x16x101xf32>, tensor<f32>) -> tensor<24x16xf32>
    %2 = stablehlo.reshape %1 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<24x16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<24x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x101xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<24x16x101xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<24x16x101xf32>
    return %7 : tensor<24x16x101xf32>
  }
  func.func private @_var_3(%arg0: tensor<24x16x40xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<24x16x1xf32>, %arg4: tensor<24x16x1xf32>) -> tensor<24x16x40xf32> {
    %0 = call @_where_4(%arg2, %arg3, %arg4) : (tensor<i1>, tensor<24x16x1xf32>, tensor<24x16x1xf32>) -> tensor<24x16x1xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %2 = stablehlo.divide %0, %1 : tensor<24x16x1xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<24x16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x40xf32>
    %5 = stablehlo.multiply %4, %arg0 : tensor<24x16x40xf32>
    %6 = stablehlo.negate %5 : tensor<24x16x40xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<24x16x40xf32>, tensor<f32>) -> tensor<24x16xf32>
    %8 = stablehlo.reshape %7 : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %cst_1 = stablehlo.constant dense<4.000000e+01> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %10 = stablehlo.divide %8, %9 : tensor<24x16x1xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [2] : (tensor<24x16x1xf32>, tensor<f32>) -> tensor<24x16xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x40xf32>
    %13 = stablehlo.add %5, %12 : tensor<24x16x40xf32>
    return %13 : tensor<24x16x40xf32>
  }
  func.func private @_where_4(%arg0: tensor<i1>, %arg1: tensor<24x16x1xf32>, %arg2: tensor<24x16x1xf32>) -> tensor<24x16x1xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<i1>, tensor<24x16x1xf32>
    return %1 : tensor<24x16x1xf32>
  }
  func.func private @_where_5(%arg0: tensor<24x4x16x16xi1>, %arg1: tensor<24x4x16x16xf32>, %arg2: tensor<24x4x16x16xf32>) -> tensor<24x4x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x4x16x16xf32>
    %1 = stablehlo.select %arg0, %arg2, %0 : tensor<24x4x16x16xi1>, tensor<24x4x16x16xf32>
    return %1 : tensor<24x4x16x16xf32>
  }
  func.func private @_where_6(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
