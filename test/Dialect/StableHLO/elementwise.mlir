// The text below is what the printer writes, character by character, also
// after a way through the generic form.
// RUN: grep -v '^//' %s > %t.expected
// RUN: shardsmith-opt %s -o %t.printed
// RUN: diff %t.expected %t.printed
// RUN: shardsmith-opt %s -mlir-print-op-generic -o %t.generic
// RUN: shardsmith-opt %t.generic -o %t.printed
// RUN: diff %t.expected %t.printed
module {
  func.func @unary(%arg0: tensor<3x5xf32>, %arg1: tensor<3x5xbf16>, %arg2: tensor<7xi16>, %arg3: tensor<7xui8>, %arg4: tensor<2xi1>, %arg5: tensor<4xcomplex<f64>>, %arg6: tensor<?x5xf32>) {
    %0 = stablehlo.abs %arg0 : tensor<3x5xf32>
    %1 = stablehlo.abs %arg5 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %2 = stablehlo.cbrt %arg1 : tensor<3x5xbf16>
    %3 = stablehlo.ceil %arg0 : tensor<3x5xf32>
    %4 = stablehlo.cosine %arg5 : tensor<4xcomplex<f64>>
    %5 = stablehlo.count_leading_zeros %arg3 : tensor<7xui8>
    %6 = stablehlo.exponential %arg0 : tensor<3x5xf32>
    %7 = stablehlo.exponential_minus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<3x5xf32>
    %8 = stablehlo.floor %arg0 : tensor<3x5xf32>
    %9 = stablehlo.log %arg6 : tensor<?x5xf32>
    %10 = stablehlo.log_plus_one %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 2, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<3x5xf32>
    %11 = stablehlo.logistic %arg0 : tensor<3x5xf32>
    %12 = stablehlo.negate %arg2 : tensor<7xi16>
    %13 = stablehlo.not %arg4 : tensor<2xi1>
    %14 = stablehlo.popcnt %arg2 : tensor<7xi16>
    %15 = stablehlo.round_nearest_afz %arg0 : tensor<3x5xf32>
    %16 = stablehlo.round_nearest_even %arg0 : tensor<3x5xf32>
    %17 = stablehlo.rsqrt %arg0 : tensor<3x5xf32>
    %18 = stablehlo.sign %arg2 : tensor<7xi16>
    %19 = stablehlo.sine %arg0 : tensor<3x5xf32>
    %20 = stablehlo.sqrt %arg0 : tensor<3x5xf32>
    %21 = stablehlo.tan %arg0 : tensor<3x5xf32>
    %22 = stablehlo.tanh %arg0 {note = "kept"} : tensor<3x5xf32>
    %23 = stablehlo.real %arg5 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %24 = stablehlo.imag %arg5 : (tensor<4xcomplex<f64>>) -> tensor<4xf64>
    %25 = stablehlo.is_finite %arg1 : (tensor<3x5xbf16>) -> tensor<3x5xi1>
    %26 = stablehlo.convert %arg0 : (tensor<3x5xf32>) -> tensor<3x5xf8E4M3FN>
    %27 = stablehlo.convert %arg0 : tensor<3x5xf32>
    %28 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<3x5xf32>
    return
  }
  func.func @binary(%arg0: tensor<6xf32>, %arg1: tensor<6xf32>, %arg2: tensor<6xi8>, %arg3: tensor<6xi1>, %arg4: tensor<f32>, %arg5: tensor<?xf32>) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<6xf32>
    %1 = stablehlo.add %arg0, %arg5 : (tensor<6xf32>, tensor<?xf32>) -> tensor<6xf32>
    %2 = stablehlo.subtract %arg0, %arg1 : tensor<6xf32>
    %3 = stablehlo.multiply %arg0, %arg1 : tensor<6xf32>
    %4 = stablehlo.divide %arg2, %arg2 : tensor<6xi8>
    %5 = stablehlo.maximum %arg3, %arg3 : tensor<6xi1>
    %6 = stablehlo.minimum %arg0, %arg1 : tensor<6xf32>
    %7 = stablehlo.power %arg0, %arg1 : tensor<6xf32>
    %8 = stablehlo.remainder %arg2, %arg2 : tensor<6xi8>
    %9 = stablehlo.atan2 %arg0, %arg1 : tensor<6xf32>
    %10 = stablehlo.and %arg3, %arg3 : tensor<6xi1>
    %11 = stablehlo.or %arg2, %arg2 : tensor<6xi8>
    %12 = stablehlo.xor %arg2, %arg2 : tensor<6xi8>
    %13 = stablehlo.shift_left %arg2, %arg2 : tensor<6xi8>
    %14 = stablehlo.shift_right_logical %arg2, %arg2 : tensor<6xi8>
    %15 = stablehlo.shift_right_arithmetic %arg2, %arg2 : tensor<6xi8>
    %16 = stablehlo.complex %arg0, %arg1 : tensor<6xcomplex<f32>>
    %17 = stablehlo.clamp %arg0, %arg1, %arg0 : tensor<6xf32>
    %18 = stablehlo.clamp %arg4, %arg1, %arg4 : (tensor<f32>, tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    %19 = stablehlo.compare  LE, %arg2, %arg2,  SIGNED : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi1>
    %20 = stablehlo.compare  NE, %arg0, %arg1 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %21 = stablehlo.compare  GT, %arg0, %arg1,  TOTALORDER {note = 1 : i32} : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
    %22 = stablehlo.select %arg3, %arg0, %arg1 : tensor<6xi1>, tensor<6xf32>
    %c = stablehlo.constant dense<true> : tensor<i1>
    %23 = stablehlo.select %c, %arg0, %arg1 : tensor<i1>, tensor<6xf32>
    %24 = stablehlo.select %arg3, %arg0, %arg5 : (tensor<6xi1>, tensor<6xf32>, tensor<?xf32>) -> tensor<6xf32>
    return
  }
}

