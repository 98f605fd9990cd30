module @llama_tiny_scan attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32, smith.derivatives_marked} {
  func.func public @main(%arg0: tensor<97x48xf32> {smith.init = "normal:0.143", smith.name = "embedding.embedding", smith.role = "param"}, %arg1: tensor<48x97xf32> {smith.init = "normal:0.143", smith.name = "head.kernel", smith.role = "param"}, %arg2: tensor<2x48x2x8xf32> {smith.init = "normal:0.144", smith.name = "layers.attention.wk.kernel", smith.role = "param"}, %arg3: tensor<2x6x8x48xf32> {smith.init = "normal:0.146", smith.name = "layers.attention.wo.kernel", smith.role = "param"}, %arg4: tensor<2x48x6x8xf32> {smith.init = "normal:0.143", smith.name = "layers.attention.wq.kernel", smith.role = "param"}, %arg5: tensor<2x48x2x8xf32> {smith.init = "normal:0.141", smith.name = "layers.attention.wv.kernel", smith.role = "param"}, %arg6: tensor<2x48xf32> {smith.init = "ones", smith.name = "layers.attention_norm.scale", smith.role = "param"}, %arg7: tensor<2x88x48xf32> {smith.init = "normal:0.106", smith.name = "layers.mlp.down.kernel", smith.role = "param"}, %arg8: tensor<2x48x88xf32> {smith.init = "normal:0.145", smith.name = "layers.mlp.gate.kernel", smith.role = "param"}, %arg9: tensor<2x48x88xf32> {smith.init = "normal:0.146", smith.name = "layers.mlp.up.kernel", smith.role = "param"}, %arg10: tensor<2x48xf32> {smith.init = "ones", smith.name = "layers.mlp_norm.scale", smith.role = "param"}, %arg11: tensor<48xf32> {smith.init = "ones", smith.name = "norm.scale", smith.role = "param"}, %arg12: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 97 : i64, smith.name = "batch.targets", smith.role = "batch"}, %arg13: tensor<24x16xi32> {smith.batch_dim = 0 : i64, smith.limit = 97 : i64, smith.name = "batch.tokens", smith.role = "batch"}) -> (tensor<f32> {smith.name = "loss", smith.role = "loss"}) {
    %0 = call @_take(%arg0, %arg13) : (tensor<97x48xf32>, tensor<24x16xi32>) -> tensor<24x16x48xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %3 = stablehlo.iota dim = 0 : tensor<4xi32>
    %4 = stablehlo.negate %3 : tensor<4xi32>
    %5 = stablehlo.convert %4 : (tensor<4xi32>) -> tensor<4xf32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %7 = stablehlo.divide %5, %6 : tensor<4xf32>
    %cst_1 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %9 = stablehlo.power %8, %7 : tensor<4xf32>
    %10 = stablehlo.iota dim = 0 : tensor<16xi32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %12 = stablehlo.convert %11 : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %13 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %16 = stablehlo.multiply %14, %15 : tensor<16x4xf32>
    %17 = stablehlo.cosine %16 : tensor<16x4xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %19 = stablehlo.sine %16 : tensor<16x4xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %21 = stablehlo.broadcast_in_dim %18, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %22 = stablehlo.broadcast_in_dim %20, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %23 = stablehlo.broadcast_in_dim %18, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %24 = stablehlo.broadcast_in_dim %20, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %25 = stablehlo.iota dim = 0 : tensor<4xi32>
    %26 = stablehlo.negate %25 : tensor<4xi32>
    %27 = stablehlo.convert %26 : (tensor<4xi32>) -> tensor<4xf32>
    %cst_2 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %28 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %29 = stablehlo.divide %27, %28 : tensor<4xf32>
    %cst_3 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %31 = stablehlo.power %30, %29 : tensor<4xf32>
    %32 = stablehlo.iota dim = 0 : tensor<16xi32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %34 = stablehlo.convert %33 : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %35 = stablehlo.broadcast_in_dim %31, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %36 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %37 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %38 = stablehlo.multiply %36, %37 : tensor<16x4xf32>
    %39 = stablehlo.cosine %38 : tensor<16x4xf32>
    %40 = stablehlo.broadcast_in_dim %39, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %41 = stablehlo.sine %38 : tensor<16x4xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %43 = stablehlo.broadcast_in_dim %40, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %44 = stablehlo.broadcast_in_dim %42, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %45 = stablehlo.broadcast_in_dim %40, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %46 = stablehlo.broadcast_in_dim %42, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %cst_4 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %47 = stablehlo.sqrt %cst_4 : tensor<f32>
    %48 = stablehlo.convert %47 : tensor<f32>
    %49 = stablehlo.iota dim = 0 : tensor<16xi32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %51 = stablehlo.broadcast_in_dim %49, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %52 = stablehlo.broadcast_in_dim %50, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %53 = stablehlo.broadcast_in_dim %51, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %54 = stablehlo.compare GE, %52, %53, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %cst_5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %55:2 = call @_where_0(%54, %cst_5) : (tensor<16x16xi1>, tensor<f32>) -> (tensor<24x2x3x16x16xi1>, tensor<24x2x3x16x16xf32>)
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %57 = stablehlo.broadcast_in_dim %56, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    call @silu() : () -> ()
    %c = stablehlo.constant dense<0> : tensor<i32>
    %58:11 = stablehlo.while(%iterArg = %arg2, %iterArg_18 = %arg3, %iterArg_19 = %arg4, %iterArg_20 = %arg5, %iterArg_21 = %arg6, %iterArg_22 = %arg7, %iterArg_23 = %arg8, %iterArg_24 = %arg9, %iterArg_25 = %arg10, %iterArg_26 = %c, %iterArg_27 = %0) : tensor<2x48x2x8xf32>, tensor<2x6x8x48xf32>, tensor<2x48x6x8xf32>, tensor<2x48x2x8xf32>, tensor<2x48xf32>, tensor<2x88x48xf32>, tensor<2x48x88xf32>, tensor<2x48x88xf32>, tensor<2x48xf32>, tensor<i32>, tensor<24x16x48xf32>
    cond {
      %c_28 = stablehlo.constant dense<2> : tensor<i32>
      %98 = stablehlo.compare LT, %iterArg_26, %c_28, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %98 : tensor<i1>
    } do {
      %98 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_26) : (tensor<2x48x2x8xf32>, tensor<i32>) -> tensor<48x2x8xf32>
      %99 = func.call @dynamic_index_in_dim_1(%iterArg_18, %iterArg_26) : (tensor<2x6x8x48xf32>, tensor<i32>) -> tensor<6x8x48xf32>
      %100 = func.call @dynamic_index_in_dim_2(%iterArg_19, %iterArg_26) : (tensor<2x48x6x8xf32>, tensor<i32>) -> tensor<48x6x8xf32>
      %101 = func.call @dynamic_index_in_dim(%iterArg_20, %iterArg_26) : (tensor<2x48x2x8xf32>, tensor<i32>) -> tensor<48x2x8xf32>
      %102 = func.call @dynamic_index_in_dim_3(%iterArg_21, %iterArg_26) : (tensor<2x48xf32>, tensor<i32>) -> tensor<48xf32>
      %103 = func.call @dynamic_index_in_dim_4(%iterArg_22, %iterArg_26) : (tensor<2x88x48xf32>, tensor<i32>) -> tensor<88x48xf32>
      %104 = func.call @dynamic_index_in_dim_5(%iterArg_23, %iterArg_26) : (tensor<2x48x88xf32>, tensor<i32>) -> tensor<48x88xf32>
      %105 = func.call @dynamic_index_in_dim_5(%iterArg_24, %iterArg_26) : (tensor<2x48x88xf32>, tensor<i32>) -> tensor<48x88xf32>
      %106 = func.call @dynamic_index_in_dim_3(%iterArg_25, %iterArg_26) : (tensor<2x48xf32>, tensor<i32>) -> tensor<48xf32>
      %107 = func.call @closed_call(%iterArg_27, %98, %99, %100, %101, %102, %103, %104, %105, %106) : (tensor<24x16x48xf32>, tensor<48x2x8xf32>, tensor<6x8x48xf32>, tensor<48x6x8xf32>, tensor<48x2x8xf32>, tensor<48xf32>, tensor<88x48xf32>, tensor<48x88xf32>, tensor<48x88xf32>, tensor<48xf32>) -> tensor<24x16x48xf32>
      %c_28 = stablehlo.constant dense<1> : tensor<i32>
      %108 = stablehlo.add %iterArg_26, %c_28 : tensor<i32>
      stablehlo.return %iterArg, %iterArg_18, %iterArg_19, %iterArg_20, %iterArg_21, %iterArg_22, %iterArg_23, %iterArg_24, %iterArg_25, %108, %107 : tensor<2x48x2x8xf32>, tensor<2x6x8x48xf32>, tensor<2x48x6x8xf32>, tensor<2x48x2x8xf32>, tensor<2x48xf32>, tensor<2x88x48xf32>, tensor<2x48x88xf32>, tensor<2x48x88xf32>, tensor<2x48xf32>, tensor<i32>, tensor<24x16x48xf32>
    }
    %59 = chlo.square %58#10 : tensor<24x16x48xf32> -> tensor<24x16x48xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %60 = stablehlo.reduce(%59 init: %cst_7) applies stablehlo.add across dimensions = [2] : (tensor<24x16x48xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_8 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %61 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %62 = stablehlo.divide %60, %61 : tensor<24x16xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %65 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %66 = stablehlo.broadcast_in_dim %64, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %67 = stablehlo.subtract %58#10, %66 : tensor<24x16x48xf32>
    %cst_10 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %69 = stablehlo.add %65, %68 : tensor<24x16x1xf32>
    %70 = stablehlo.rsqrt %69 : tensor<24x16x1xf32>
    %71 = stablehlo.reshape %arg11 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %72 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %73 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<24x16x48xf32>
    %74 = stablehlo.multiply %72, %73 : tensor<24x16x48xf32>
    %75 = stablehlo.multiply %67, %74 : tensor<24x16x48xf32>
    %76 = stablehlo.dot_general %75, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x97xf32>) -> tensor<24x16x97xf32>
    %77 = stablehlo.broadcast_in_dim %arg12, dims = [0, 1] : (tensor<24x16xi32>) -> tensor<24x16x1xi32>
    %78 = call @take_along_axis(%76, %77) : (tensor<24x16x97xf32>, tensor<24x16x1xi32>) -> tensor<24x16x1xf32>
    %c_11 = stablehlo.constant dense<0> : tensor<i32>
    %79 = call @_take_8(%78, %c_11) : (tensor<24x16x1xf32>, tensor<i32>) -> tensor<24x16xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %80 = stablehlo.reduce(%76 init: %cst_12) applies stablehlo.maximum across dimensions = [2] : (tensor<24x16x97xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %82 = stablehlo.maximum %81, %80 : tensor<24x16xf32>
    %83 = stablehlo.is_finite %82 : (tensor<24x16xf32>) -> tensor<24x16xi1>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %84 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %85 = stablehlo.select %83, %82, %84 : tensor<24x16xi1>, tensor<24x16xf32>
    %86 = stablehlo.broadcast_in_dim %85, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x97xf32>
    %88 = stablehlo.subtract %76, %87 : tensor<24x16x97xf32>
    %89 = stablehlo.exponential %88 : tensor<24x16x97xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %90 = stablehlo.reduce(%89 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<24x16x97xf32>, tensor<f32>) -> tensor<24x16xf32>
    %91 = stablehlo.sign %90 : tensor<24x16xf32>
    %92 = stablehlo.abs %90 : tensor<24x16xf32>
    %93 = stablehlo.log %92 : tensor<24x16xf32>
    %94 = stablehlo.add %93, %85 : tensor<24x16xf32>
    %95 = stablehlo.subtract %94, %79 : tensor<24x16xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %96 = stablehlo.reduce(%95 init: %cst_16) applies stablehlo.add across dimensions = [0, 1] : (tensor<24x16xf32>, tensor<f32>) -> tensor<f32>
    %cst_17 = stablehlo.constant dense<3.840000e+02> : tensor<f32>
    %97 = stablehlo.divide %96, %cst_17 : tensor<f32>
    return %97 : tensor<f32>
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
  func.func private @_where_0(%arg0: tensor<16x16xi1>, %arg1: tensor<f32>) -> (tensor<24x2x3x16x16xi1>, tensor<24x2x3x16x16xf32>) {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [3, 4] : (tensor<16x16xi1>) -> tensor<24x2x3x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x2x3x16x16xf32>
    return %1, %2 : tensor<24x2x3x16x16xi1>, tensor<24x2x3x16x16xf32>
  }
  func.func private @silu() {
    return
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x48x2x8xf32>, %arg1: tensor<i32>) -> tensor<48x2x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 48, 2, 8] : (tensor<2x48x2x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x48x2x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x48x2x8xf32>) -> tensor<48x2x8xf32>
    return %1 : tensor<48x2x8xf32>
  }
  func.func private @dynamic_index_in_dim_1(%arg0: tensor<2x6x8x48xf32>, %arg1: tensor<i32>) -> tensor<6x8x48xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 6, 8, 48] : (tensor<2x6x8x48xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x6x8x48xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x6x8x48xf32>) -> tensor<6x8x48xf32>
    return %1 : tensor<6x8x48xf32>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<2x48x6x8xf32>, %arg1: tensor<i32>) -> tensor<48x6x8xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, %c_1, sizes = [1, 48, 6, 8] : (tensor<2x48x6x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x48x6x8xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x48x6x8xf32>) -> tensor<48x6x8xf32>
    return %1 : tensor<48x6x8xf32>
  }
  func.func private @dynamic_index_in_dim_3(%arg0: tensor<2x48xf32>, %arg1: tensor<i32>) -> tensor<48xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, sizes = [1, 48] : (tensor<2x48xf32>, tensor<i32>, tensor<i32>) -> tensor<1x48xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x48xf32>) -> tensor<48xf32>
    return %1 : tensor<48xf32>
  }
  func.func private @dynamic_index_in_dim_4(%arg0: tensor<2x88x48xf32>, %arg1: tensor<i32>) -> tensor<88x48xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 88, 48] : (tensor<2x88x48xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x88x48xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x88x48xf32>) -> tensor<88x48xf32>
    return %1 : tensor<88x48xf32>
  }
  func.func private @dynamic_index_in_dim_5(%arg0: tensor<2x48x88xf32>, %arg1: tensor<i32>) -> tensor<48x88xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.dynamic_slice %arg0, %arg1, %c, %c_0, sizes = [1, 48, 88] : (tensor<2x48x88xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x48x88xf32>
    %1 = stablehlo.reshape %0 : (tensor<1x48x88xf32>) -> tensor<48x88xf32>
    return %1 : tensor<48x88xf32>
  }
  func.func private @closed_call(%arg0: tensor<24x16x48xf32>, %arg1: tensor<48x2x8xf32>, %arg2: tensor<6x8x48xf32>, %arg3: tensor<48x6x8xf32>, %arg4: tensor<48x2x8xf32>, %arg5: tensor<48xf32>, %arg6: tensor<88x48xf32>, %arg7: tensor<48x88xf32>, %arg8: tensor<48x88xf32>, %arg9: tensor<48xf32>) -> tensor<24x16x48xf32> {
    %0 = chlo.square %arg0 : tensor<24x16x48xf32> -> tensor<24x16x48xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<24x16x48xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_0 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %3 = stablehlo.divide %1, %2 : tensor<24x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %6 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %8 = stablehlo.subtract %arg0, %7 : tensor<24x16x48xf32>
    %cst_2 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %10 = stablehlo.add %6, %9 : tensor<24x16x1xf32>
    %11 = stablehlo.rsqrt %10 : tensor<24x16x1xf32>
    %12 = stablehlo.reshape %arg5 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<24x16x48xf32>
    %15 = stablehlo.multiply %13, %14 : tensor<24x16x48xf32>
    %16 = stablehlo.multiply %8, %15 : tensor<24x16x48xf32>
    %17 = stablehlo.dot_general %16, %arg3, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x6x8xf32>) -> tensor<24x16x6x8xf32>
    %18 = stablehlo.iota dim = 0 : tensor<4xi32>
    %19 = stablehlo.negate %18 : tensor<4xi32>
    %20 = stablehlo.convert %19 : (tensor<4xi32>) -> tensor<4xf32>
    %cst_3 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %21 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %22 = stablehlo.divide %20, %21 : tensor<4xf32>
    %cst_4 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %24 = stablehlo.power %23, %22 : tensor<4xf32>
    %25 = stablehlo.iota dim = 0 : tensor<16xi32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %27 = stablehlo.convert %26 : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %28 = stablehlo.broadcast_in_dim %24, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %29 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %31 = stablehlo.multiply %29, %30 : tensor<16x4xf32>
    %32 = stablehlo.cosine %31 : tensor<16x4xf32>
    %33 = stablehlo.broadcast_in_dim %32, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %34 = stablehlo.sine %31 : tensor<16x4xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %36 = stablehlo.slice %17 [0:24, 0:16, 0:6, 0:4] : (tensor<24x16x6x8xf32>) -> tensor<24x16x6x4xf32>
    %37 = stablehlo.slice %17 [0:24, 0:16, 0:6, 4:8] : (tensor<24x16x6x8xf32>) -> tensor<24x16x6x4xf32>
    %38 = stablehlo.broadcast_in_dim %33, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %39 = stablehlo.broadcast_in_dim %38, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %40 = stablehlo.multiply %36, %39 : tensor<24x16x6x4xf32>
    %41 = stablehlo.broadcast_in_dim %35, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %43 = stablehlo.multiply %37, %42 : tensor<24x16x6x4xf32>
    %44 = stablehlo.subtract %40, %43 : tensor<24x16x6x4xf32>
    %45 = stablehlo.broadcast_in_dim %33, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %47 = stablehlo.multiply %37, %46 : tensor<24x16x6x4xf32>
    %48 = stablehlo.broadcast_in_dim %35, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x6x4xf32>
    %50 = stablehlo.multiply %36, %49 : tensor<24x16x6x4xf32>
    %51 = stablehlo.add %47, %50 : tensor<24x16x6x4xf32>
    %52 = stablehlo.concatenate %44, %51, dim = 3 : (tensor<24x16x6x4xf32>, tensor<24x16x6x4xf32>) -> tensor<24x16x6x8xf32>
    %53 = stablehlo.dot_general %16, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x2x8xf32>) -> tensor<24x16x2x8xf32>
    %54 = stablehlo.iota dim = 0 : tensor<4xi32>
    %55 = stablehlo.negate %54 : tensor<4xi32>
    %56 = stablehlo.convert %55 : (tensor<4xi32>) -> tensor<4xf32>
    %cst_5 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %57 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %58 = stablehlo.divide %56, %57 : tensor<4xf32>
    %cst_6 = stablehlo.constant dense<1.000000e+04> : tensor<f32>
    %59 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %60 = stablehlo.power %59, %58 : tensor<4xf32>
    %61 = stablehlo.iota dim = 0 : tensor<16xi32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %63 = stablehlo.convert %62 : (tensor<16x1xi32>) -> tensor<16x1xf32>
    %64 = stablehlo.broadcast_in_dim %60, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %65 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x4xf32>
    %66 = stablehlo.broadcast_in_dim %64, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<16x4xf32>
    %67 = stablehlo.multiply %65, %66 : tensor<16x4xf32>
    %68 = stablehlo.cosine %67 : tensor<16x4xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %70 = stablehlo.sine %67 : tensor<16x4xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 2] : (tensor<16x4xf32>) -> tensor<16x1x4xf32>
    %72 = stablehlo.slice %53 [0:24, 0:16, 0:2, 0:4] : (tensor<24x16x2x8xf32>) -> tensor<24x16x2x4xf32>
    %73 = stablehlo.slice %53 [0:24, 0:16, 0:2, 4:8] : (tensor<24x16x2x8xf32>) -> tensor<24x16x2x4xf32>
    %74 = stablehlo.broadcast_in_dim %69, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %76 = stablehlo.multiply %72, %75 : tensor<24x16x2x4xf32>
    %77 = stablehlo.broadcast_in_dim %71, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %79 = stablehlo.multiply %73, %78 : tensor<24x16x2x4xf32>
    %80 = stablehlo.subtract %76, %79 : tensor<24x16x2x4xf32>
    %81 = stablehlo.broadcast_in_dim %69, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %82 = stablehlo.broadcast_in_dim %81, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %83 = stablehlo.multiply %73, %82 : tensor<24x16x2x4xf32>
    %84 = stablehlo.broadcast_in_dim %71, dims = [1, 2, 3] : (tensor<16x1x4xf32>) -> tensor<1x16x1x4xf32>
    %85 = stablehlo.broadcast_in_dim %84, dims = [0, 1, 2, 3] : (tensor<1x16x1x4xf32>) -> tensor<24x16x2x4xf32>
    %86 = stablehlo.multiply %72, %85 : tensor<24x16x2x4xf32>
    %87 = stablehlo.add %83, %86 : tensor<24x16x2x4xf32>
    %88 = stablehlo.concatenate %80, %87, dim = 3 : (tensor<24x16x2x4xf32>, tensor<24x16x2x4xf32>) -> tensor<24x16x2x8xf32>
    %89 = stablehlo.dot_general %16, %arg4, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x2x8xf32>) -> tensor<24x16x2x8xf32>
    %90 = stablehlo.reshape %52 : (tensor<24x16x6x8xf32>) -> tensor<24x16x2x3x8xf32>
    %91 = stablehlo.dot_general %88, %90, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [4], precision = [DEFAULT, DEFAULT] : (tensor<24x16x2x8xf32>, tensor<24x16x2x3x8xf32>) -> tensor<24x2x16x16x3xf32>
    %92 = stablehlo.transpose %91, dims = [0, 1, 4, 3, 2] : (tensor<24x2x16x16x3xf32>) -> tensor<24x2x3x16x16xf32>
    %cst_7 = stablehlo.constant dense<8.000000e+00> : tensor<f32>
    %93 = stablehlo.sqrt %cst_7 : tensor<f32>
    %94 = stablehlo.convert %93 : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %94, dims = [] : (tensor<f32>) -> tensor<24x2x3x16x16xf32>
    %96 = stablehlo.divide %92, %95 : tensor<24x2x3x16x16xf32>
    %97 = stablehlo.iota dim = 0 : tensor<16xi32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %99 = stablehlo.broadcast_in_dim %97, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %100 = stablehlo.broadcast_in_dim %98, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %101 = stablehlo.broadcast_in_dim %99, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %102 = stablehlo.compare GE, %100, %101, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %cst_8 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %103 = call @_where_6(%102, %96, %cst_8) : (tensor<16x16xi1>, tensor<24x2x3x16x16xf32>, tensor<f32>) -> tensor<24x2x3x16x16xf32>
    %cst_9 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %104 = stablehlo.reduce(%103 init: %cst_9) applies stablehlo.maximum across dimensions = [4] : (tensor<24x2x3x16x16xf32>, tensor<f32>) -> tensor<24x2x3x16xf32>
    %cst_10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<24x2x3x16xf32>
    %106 = stablehlo.maximum %105, %104 : tensor<24x2x3x16xf32>
    %107 = stablehlo.broadcast_in_dim %106, dims = [0, 1, 2, 3] : (tensor<24x2x3x16xf32>) -> tensor<24x2x3x16x1xf32>
    %108 = stablehlo.broadcast_in_dim %107, dims = [0, 1, 2, 3, 4] : (tensor<24x2x3x16x1xf32>) -> tensor<24x2x3x16x16xf32>
    %109 = stablehlo.subtract %103, %108 : tensor<24x2x3x16x16xf32>
    %110 = stablehlo.exponential %109 : tensor<24x2x3x16x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %111 = stablehlo.reduce(%110 init: %cst_11) applies stablehlo.add across dimensions = [4] : (tensor<24x2x3x16x16xf32>, tensor<f32>) -> tensor<24x2x3x16xf32>
    %112 = stablehlo.broadcast_in_dim %111, dims = [0, 1, 2, 3] : (tensor<24x2x3x16xf32>) -> tensor<24x2x3x16x1xf32>
    %113 = stablehlo.broadcast_in_dim %112, dims = [0, 1, 2, 3, 4] : (tensor<24x2x3x16x1xf32>) -> tensor<24x2x3x16x16xf32>
    %114 = stablehlo.divide %110, %113 : tensor<24x2x3x16x16xf32>
    %115 = stablehlo.dot_general %89, %114, batching_dims = [0, 2] x [0, 1], contracting_dims = [1] x [4], precision = [DEFAULT, DEFAULT] : (tensor<24x16x2x8xf32>, tensor<24x2x3x16x16xf32>) -> tensor<24x2x8x3x16xf32>
    %116 = stablehlo.transpose %115, dims = [0, 4, 1, 3, 2] : (tensor<24x2x8x3x16xf32>) -> tensor<24x16x2x3x8xf32>
    %117 = stablehlo.reshape %116 : (tensor<24x16x2x3x8xf32>) -> tensor<24x16x6x8xf32>
    %118 = stablehlo.dot_general %117, %arg2, contracting_dims = [2, 3] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<24x16x6x8xf32>, tensor<6x8x48xf32>) -> tensor<24x16x48xf32>
    %119 = stablehlo.add %arg0, %118 : tensor<24x16x48xf32>
    %120 = chlo.square %119 : tensor<24x16x48xf32> -> tensor<24x16x48xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %121 = stablehlo.reduce(%120 init: %cst_12) applies stablehlo.add across dimensions = [2] : (tensor<24x16x48xf32>, tensor<f32>) -> tensor<24x16xf32>
    %cst_13 = stablehlo.constant dense<4.800000e+01> : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %cst_13, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %123 = stablehlo.divide %121, %122 : tensor<24x16xf32>
    %cst_14 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<24x16xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %126 = stablehlo.broadcast_in_dim %123, dims = [0, 1] : (tensor<24x16xf32>) -> tensor<24x16x1xf32>
    %127 = stablehlo.broadcast_in_dim %125, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %128 = stablehlo.subtract %119, %127 : tensor<24x16x48xf32>
    %cst_15 = stablehlo.constant dense<9.99999997E-7> : tensor<f32>
    %129 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<24x16x1xf32>
    %130 = stablehlo.add %126, %129 : tensor<24x16x1xf32>
    %131 = stablehlo.rsqrt %130 : tensor<24x16x1xf32>
    %132 = stablehlo.reshape %arg9 : (tensor<48xf32>) -> tensor<1x1x48xf32>
    %133 = stablehlo.broadcast_in_dim %131, dims = [0, 1, 2] : (tensor<24x16x1xf32>) -> tensor<24x16x48xf32>
    %134 = stablehlo.broadcast_in_dim %132, dims = [0, 1, 2] : (tensor<1x1x48xf32>) -> tensor<24x16x48xf32>
    %135 = stablehlo.multiply %133, %134 : tensor<24x16x48xf32>
    %136 = stablehlo.multiply %128, %135 : tensor<24x16x48xf32>
    %137 = stablehlo.dot_general %136, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x88xf32>) -> tensor<24x16x88xf32>
    %138 = stablehlo.dot_general %136, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x48xf32>, tensor<48x88xf32>) -> tensor<24x16x88xf32>
    %139 = call @silu_7(%137) : (tensor<24x16x88xf32>) -> tensor<24x16x88xf32>
    %140 = stablehlo.multiply %139, %138 : tensor<24x16x88xf32>
    %141 = stablehlo.dot_general %140, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<24x16x88xf32>, tensor<88x48xf32>) -> tensor<24x16x48xf32>
    %142 = stablehlo.add %119, %141 : tensor<24x16x48xf32>
    return %142 : tensor<24x16x48xf32>
  }
  func.func private @_where_6(%arg0: tensor<16x16xi1>, %arg1: tensor<24x2x3x16x16xf32>, %arg2: tensor<f32>) -> tensor<24x2x3x16x16xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [3, 4] : (tensor<16x16xi1>) -> tensor<24x2x3x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24x2x3x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<24x2x3x16x16xi1>, tensor<24x2x3x16x16xf32>
    return %3 : tensor<24x2x3x16x16xf32>
  }
  func.func private @silu_7(%arg0: tensor<24x16x88xf32>) -> tensor<24x16x88xf32> {
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
  func.func private @_take_8(%arg0: tensor<24x16x1xf32>, %arg1: tensor<i32>) -> tensor<24x16xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.add %arg1, %c_0 : tensor<i32>
    %2 = call @_where_9(%0, %1, %arg1) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
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
  func.func private @_where_9(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
