// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// One instruction or function of MLIR per op on floating-point elements. Only
// the contraction of multiply-adds is relaxed, and never in functions.

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.absf %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.abs %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.ceil %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.ceil %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.floor %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.floor %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.negf %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.round %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.round_nearest_afz %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.roundeven %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.round_nearest_even %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.sqrt %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.sqrt %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.addf %[[A]], %[[B]] fastmath<contract> : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.subf %[[A]], %[[B]] fastmath<contract> : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.subtract %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.mulf %[[A]], %[[B]] fastmath<contract> : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.multiply %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.divf %[[A]], %[[B]] fastmath<contract> : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.divide %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.remf %[[A]], %[[B]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.remainder %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.maximumf %[[A]], %[[B]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.maximum %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.minimumf %[[A]], %[[B]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.minimum %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Raised to the minimum first: where the bounds cross, the maximum wins.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[C:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[L:.+]] = arith.maximumf %[[A]], %[[B]] : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.minimumf %[[L]], %[[C]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.clamp %a, %b, %c : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// −1, 0 or 1, except that zeros keep their sign and NaN stays NaN.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0.000000e+00> : vector<8xf32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : vector<8xf32>
  // CHECK: %[[N:.+]] = arith.cmpf one, %[[A]], %[[Z]] : vector<8xf32>
  // CHECK: %[[U:.+]] = math.copysign %[[ONE]], %[[A]] : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.select %[[N]], %[[U]], %[[A]] : vector<8xi1>, vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.sign %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A quotient, not an approximation of the reciprocal root.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[Q:.+]] = math.sqrt %[[A]] : vector<8xf32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.divf %[[ONE]], %[[Q]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.rsqrt %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Smaller than infinity in size; false for NaN because the comparison is ordered.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[Q:.+]] = math.absf %[[A]] : vector<8xf32>
  // CHECK: %[[INF:.+]] = arith.constant dense<0x7F800000> : vector<8xf32>
  // CHECK: %[[F:.+]] = arith.cmpf olt, %[[Q]], %[[INF]] : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.is_finite %a : (tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi1>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[AM:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[A:.+]] = arith.cmpi ne, %[[AM]], %{{.*}} : vector<8xi8>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[C:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.select %[[A]], %[[B]], %[[C]] : vector<8xi1>, vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.select %a, %b, %c : tensor<8xi1>, tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// NaN equals nothing …
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[F:.+]] = arith.cmpf oeq, %[[A]], %[[B]] : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.compare EQ, %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// … and differs from everything.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[F:.+]] = arith.cmpf une, %[[A]], %[[B]] : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.compare NE, %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[F:.+]] = arith.cmpf olt, %[[A]], %[[B]] : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.compare LT, %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[F:.+]] = arith.cmpf oge, %[[A]], %[[B]] : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.compare GE, %a, %b : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// The IEEE total order is that of integers once the bits below the sign of
// negative numbers are flipped.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[X:.+]] = arith.bitcast %[[A]] : vector<8xf32> to vector<8xi32>
  // CHECK: %[[W:.+]] = arith.constant dense<31> : vector<8xi32>
  // CHECK: %[[XS:.+]] = arith.shrsi %[[X]], %[[W]] : vector<8xi32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[XF:.+]] = arith.shrui %[[XS]], %[[ONE]] : vector<8xi32>
  // CHECK: %[[XT:.+]] = arith.xori %[[X]], %[[XF]] : vector<8xi32>
  // CHECK: %[[YT:.+]] = arith.xori
  // CHECK: %[[F:.+]] = arith.cmpi slt, %[[XT]], %[[YT]] : vector<8xi32>
  %0 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}
