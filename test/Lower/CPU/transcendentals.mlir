// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// Functions without an instruction. Those that training spends time in are
// polynomials on all lanes at once.

// exp: the argument is kept where the result is a number, 2ⁿ is taken out of it, a
// polynomial of the rest follows, and two factors put 2ⁿ back, because one of
// 2¹²⁸ would be infinite.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[HIGH:.+]] = arith.constant dense<8.900000e+01> : vector<8xf32>
  // CHECK: %[[LOW:.+]] = arith.constant dense<-1.040000e+02> : vector<8xf32>
  // CHECK: %[[ISHIGH:.+]] = arith.cmpf ogt, %[[A]], %[[HIGH]] : vector<8xf32>
  // CHECK: %[[CUT:.+]] = arith.select %[[ISHIGH]], %[[HIGH]], %[[A]] : vector<8xi1>, vector<8xf32>
  // CHECK: %[[ISLOW:.+]] = arith.cmpf olt, %[[CUT]], %[[LOW]] : vector<8xf32>
  // CHECK: %[[X:.+]] = arith.select %[[ISLOW]], %[[LOW]], %[[CUT]] : vector<8xi1>, vector<8xf32>
  // CHECK: %[[LOGE:.+]] = arith.constant dense<1.44269502> : vector<8xf32>
  // CHECK: %[[MAGIC:.+]] = arith.constant dense<0x4B400000> : vector<8xf32>
  // CHECK: %[[SHIFTED:.+]] = math.fma %[[X]], %[[LOGE]], %[[MAGIC]] : vector<8xf32>
  // CHECK: %[[LN2:.+]] = arith.constant dense<-0.693147182> : vector<8xf32>
  // CHECK: %[[REST:.+]] = math.fma %{{.*}}, %[[LN2]], %[[X]] : vector<8xf32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1.000000e+00> : vector<8xf32>
  // CHECK: %[[P:.+]] = arith.addf %{{.*}}, %[[ONE]] : vector<8xf32>
  // CHECK: %[[HALF:.+]] = arith.shrsi %[[N:.+]], %{{.*}} : vector<8xi32>
  // CHECK: %[[OTHER:.+]] = arith.subi %[[N]], %[[HALF]] : vector<8xi32>
  // CHECK: %[[FIRST:.+]] = arith.mulf %[[P]], %{{.*}} : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.mulf %[[FIRST]], %{{.*}} : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.exponential %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// log: what is not a positive number has a result of its own, zero −inf and
// everything below it NaN.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[TINY:.+]] = arith.cmpf olt, %[[A]], %{{.*}} : vector<8xf32>
  // CHECK: %[[E:.+]] = arith.sitofp %{{.*}} : vector<8xi32> to vector<8xf32>
  // CHECK: %[[INFINITY:.+]] = arith.constant dense<0x7F800000> : vector<8xf32>
  // CHECK: arith.cmpf oeq, %[[A]], %{{.*}} : vector<8xf32>
  // CHECK: arith.constant dense<0xFF800000> : vector<8xf32>
  // CHECK: %[[NEGATIVE:.+]] = arith.cmpf olt, %[[A]], %{{.*}} : vector<8xf32>
  // CHECK: %[[NAN:.+]] = arith.constant dense<0x7FC00000> : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.select %[[NEGATIVE]], %[[NAN]], %{{.*}} : vector<8xi1>, vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.log %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// cos is sin one quadrant on: bit 0 of the quadrant says which polynomial, bit 1
// which sign.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[NEXT:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[QUADRANT:.+]] = arith.addi %{{.*}}, %[[NEXT]] : vector<8xi32>
  // CHECK: %[[BIT0:.+]] = arith.andi %[[QUADRANT]], %{{.*}} : vector<8xi32>
  // CHECK: %[[ODD:.+]] = arith.cmpi ne, %[[BIT0]], %{{.*}} : vector<8xi32>
  // CHECK: %[[SIZE:.+]] = arith.select %[[ODD]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
  // CHECK: %[[BIT1:.+]] = arith.andi %[[QUADRANT]], %{{.*}} : vector<8xi32>
  // CHECK: %[[SIGN:.+]] = arith.shli %[[BIT1]], %{{.*}} : vector<8xi32>
  // CHECK: arith.xori %{{.*}}, %[[SIGN]] : vector<8xi32>
  %0 = stablehlo.cosine %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// In 64 bits the C library computes them.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf64>) -> tensor<8xf64> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf64>
  // CHECK: %[[R:.+]] = math.exp %[[A]] : vector<8xf64>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.exponential %a : tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf64>) -> tensor<8xf64> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf64>
  // CHECK: %[[R:.+]] = math.log %[[A]] : vector<8xf64>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.log %a : tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf64>) -> tensor<8xf64> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf64>
  // CHECK: %[[R:.+]] = math.sin %[[A]] : vector<8xf64>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.sine %a : tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf64>) -> tensor<8xf64> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf64>
  // CHECK: %[[R:.+]] = math.cos %[[A]] : vector<8xf64>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.cosine %a : tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

// These become MLIR's approximations when the object is made.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.tanh %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.tanh %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.expm1 %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.exponential_minus_one %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.log1p %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.log_plus_one %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.cbrt %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.cbrt %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.tan %[[A]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.tan %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.atan2 %[[A]], %[[B]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.atan2 %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = math.powf %[[A]], %[[B]] : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.power %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// A power that is the same small number everywhere is a product.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[S:.+]] = arith.mulf %[[A]], %[[A]] fastmath<contract> : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.mulf %[[S]], %[[A]] fastmath<contract> : vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %three = stablehlo.constant dense<3.0> : tensor<8xf32>
  %0 = stablehlo.power %a, %three : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// The inverse of erf has two polynomials, one of w = −log(1 − x²) and one of its
// root.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[ROOT:.+]] = math.sqrt %[[W:.+]] : vector<8xf32>
  // CHECK: %[[MIDDLE:.+]] = arith.cmpf olt, %[[W]], %{{.*}} : vector<8xf32>
  // CHECK: %[[P:.+]] = arith.select %[[MIDDLE]], %{{.*}}, %{{.*}} : vector<8xi1>, vector<8xf32>
  // CHECK: %[[R:.+]] = arith.mulf %[[P]], %[[A]]
  // CHECK: %[[END:.+]] = arith.cmpf oeq
  // CHECK: arith.select %[[END]], %{{.*}}, %[[R]]
  %0 = chlo.erf_inv %a : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// What no formula is worth its while calls the runtime, lane by lane, in double.
// CHECK-DAG: llvm.func @smith_digamma(f64) -> f64
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<2xf32>
  // CHECK: %[[LANE:.+]] = vector.extract %[[A]][0]
  // CHECK: %[[WIDE:.+]] = arith.extf %[[LANE]] : f32 to f64
  // CHECK: %[[Y:.+]] = llvm.call @smith_digamma(%[[WIDE]])
  // CHECK: arith.truncf %[[Y]] : f64 to f32
  // CHECK: vector.extract %[[A]][1]
  %0 = chlo.digamma %a : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// CHECK-DAG: llvm.func @smith_zeta(f64, f64) -> f64
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {
  // CHECK: llvm.call @smith_zeta(%{{.+}}, %{{.+}}) : (f64, f64) -> f64
  // CHECK: llvm.call @smith_zeta
  %0 = chlo.zeta %a, %b : tensor<2xf64>, tensor<2xf64> -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
