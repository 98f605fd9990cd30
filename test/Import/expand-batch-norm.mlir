// RUN: shardsmith-opt %s --expand-batch-norm | FileCheck %s
// Values and gradients are compared in test/python/test_batch_norm.py.

// CHECK-LABEL: func.func @training(
// CHECK-NOT:     batch_norm
// CHECK:         applies stablehlo.add across dimensions = [0, 2] : (tensor<4x3x5xf32>, tensor<f32>) -> tensor<3xf32>
// CHECK:         stablehlo.constant dense<2.000000e+01>
// CHECK:         stablehlo.rsqrt %{{.*}} : tensor<3xf32>
func.func @training(%x: tensor<4x3x5xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>) -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x3x5xf32>, tensor<3xf32>, tensor<3xf32>
}

// Narrow floats are widened, and rounded at the end.
// CHECK-LABEL: func.func @inference(
// CHECK-NOT:     batch_norm
// CHECK:         stablehlo.convert %{{.*}} : (tensor<4x3xbf16>) -> tensor<4x3xf32>
// CHECK:         %[[Y:.*]] = stablehlo.convert %{{.*}} : (tensor<4x3xf32>) -> tensor<4x3xbf16>
// CHECK:         return %[[Y]]
func.func @inference(%x: tensor<4x3xbf16>, %v: tensor<3xbf16>) -> tensor<4x3xbf16> {
  %0 = "stablehlo.batch_norm_inference"(%x, %v, %v, %v, %v) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> tensor<4x3xbf16>
  return %0 : tensor<4x3xbf16>
}

// CHECK-LABEL: func.func @gradient(
// CHECK-NOT:     batch_norm
// CHECK-COUNT-2: applies stablehlo.add across dimensions = [0]
// CHECK:         return
func.func @gradient(%x: tensor<4x3xf32>, %v: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %v, %v, %v, %x) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>
}
