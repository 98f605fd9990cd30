// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// Integer ops have a defined result for every operand; where the instruction
// has none, the operand is replaced first.

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.addi %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.add %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.subi %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.subtract %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.muli %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.multiply %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.andi %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.and %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.ori %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.or %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.xori %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.xor %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.maxsi %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.maximum %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.minsi %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.minimum %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// Unsigned elements have the same registers and other instructions.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xui32>, %b: tensor<8xui32>) -> tensor<8xui32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.maxui %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.maximum %a, %b : tensor<8xui32>
  return %0 : tensor<8xui32>
}

// -----

// Unsigned elements have the same registers and other instructions.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xui32>, %b: tensor<8xui32>) -> tensor<8xui32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.minui %[[A]], %[[B]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.minimum %a, %b : tensor<8xui32>
  return %0 : tensor<8xui32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xui32>, %b: tensor<8xui32>, %c: tensor<8xui32>) -> tensor<8xui32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[C:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[L:.+]] = arith.maxui %[[A]], %[[B]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.minui %[[L]], %[[C]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.clamp %a, %b, %c : tensor<8xui32>
  return %0 : tensor<8xui32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = math.absi %[[A]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.abs %a : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = math.ctpop %[[A]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.popcnt %a : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = math.ctlz %[[A]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.count_leading_zeros %a : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.subi %[[Z]], %[[A]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.negate %a : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[M:.+]] = arith.constant dense<-1> : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.xori %[[A]], %[[M]] : vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.not %a : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// Booleans form the ring of or and and; in memory they are bytes.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi1>, %b: tensor<8xi1>) -> tensor<8xi1> {
  // CHECK: %[[AM:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[A:.+]] = arith.cmpi ne, %[[AM]], %{{.*}} : vector<8xi8>
  // CHECK: %[[BM:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[B:.+]] = arith.cmpi ne, %[[BM]], %{{.*}} : vector<8xi8>
  // CHECK: %[[F:.+]] = arith.ori %[[A]], %[[B]] : vector<8xi1>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.add %a, %b : tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// Booleans form the ring of or and and; in memory they are bytes.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi1>, %b: tensor<8xi1>) -> tensor<8xi1> {
  // CHECK: %[[AM:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[A:.+]] = arith.cmpi ne, %[[AM]], %{{.*}} : vector<8xi8>
  // CHECK: %[[BM:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[B:.+]] = arith.cmpi ne, %[[BM]], %{{.*}} : vector<8xi8>
  // CHECK: %[[F:.+]] = arith.andi %[[A]], %[[B]] : vector<8xi1>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.multiply %a, %b : tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi1>) -> tensor<8xi1> {
  // CHECK: %[[AM:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[A:.+]] = arith.cmpi ne, %[[AM]], %{{.*}} : vector<8xi8>
  // CHECK: %[[M:.+]] = arith.constant dense<true> : vector<8xi1>
  // CHECK: %[[F:.+]] = arith.xori %[[A]], %[[M]] : vector<8xi1>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.not %a : tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// Division by zero, and of the lowest number by −1, would trap: both divide by
// 1 instead, and the first then gives all ones.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[BYZERO:.+]] = arith.cmpi eq, %[[B]], %[[Z]] : vector<8xi32>
  // CHECK: %[[D0:.+]] = arith.select %[[BYZERO]], %[[ONE]], %[[B]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[LOW:.+]] = arith.constant dense<-2147483648> : vector<8xi32>
  // CHECK: %[[ISLOW:.+]] = arith.cmpi eq, %[[A]], %[[LOW]] : vector<8xi32>
  // CHECK: %[[MINUS:.+]] = arith.constant dense<-1> : vector<8xi32>
  // CHECK: %[[ISMINUS:.+]] = arith.cmpi eq, %[[B]], %[[MINUS]] : vector<8xi32>
  // CHECK: %[[OVER:.+]] = arith.andi %[[ISLOW]], %[[ISMINUS]] : vector<8xi1>
  // CHECK: %[[D:.+]] = arith.select %[[OVER]], %[[ONE]], %[[D0]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[Q:.+]] = arith.divsi %[[A]], %[[D]] : vector<8xi32>
  // CHECK: %[[ONES:.+]] = arith.constant dense<-1> : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[BYZERO]], %[[ONES]], %[[Q]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.divide %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// Unsigned division cannot overflow.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xui32>, %b: tensor<8xui32>) -> tensor<8xui32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[BYZERO:.+]] = arith.cmpi eq, %[[B]], %[[Z]] : vector<8xi32>
  // CHECK: %[[D0:.+]] = arith.select %[[BYZERO]], %[[ONE]], %[[B]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[Q:.+]] = arith.divui %[[A]], %[[D0]] : vector<8xi32>
  // CHECK: %[[ONES:.+]] = arith.constant dense<-1> : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[BYZERO]], %[[ONES]], %[[Q]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.divide %a, %b : tensor<8xui32>
  return %0 : tensor<8xui32>
}

// -----

// The remainder of a division by zero is the dividend.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[BYZERO:.+]] = arith.cmpi eq, %[[B]], %[[Z]] : vector<8xi32>
  // CHECK: %[[D0:.+]] = arith.select %[[BYZERO]], %[[ONE]], %[[B]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[LOW:.+]] = arith.constant dense<-2147483648> : vector<8xi32>
  // CHECK: %[[ISLOW:.+]] = arith.cmpi eq, %[[A]], %[[LOW]] : vector<8xi32>
  // CHECK: %[[MINUS:.+]] = arith.constant dense<-1> : vector<8xi32>
  // CHECK: %[[ISMINUS:.+]] = arith.cmpi eq, %[[B]], %[[MINUS]] : vector<8xi32>
  // CHECK: %[[OVER:.+]] = arith.andi %[[ISLOW]], %[[ISMINUS]] : vector<8xi1>
  // CHECK: %[[D:.+]] = arith.select %[[OVER]], %[[ONE]], %[[D0]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[Q:.+]] = arith.remsi %[[A]], %[[D]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[BYZERO]], %[[A]], %[[Q]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.remainder %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xui32>, %b: tensor<8xui32>) -> tensor<8xui32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[BYZERO:.+]] = arith.cmpi eq, %[[B]], %[[Z]] : vector<8xi32>
  // CHECK: %[[D0:.+]] = arith.select %[[BYZERO]], %[[ONE]], %[[B]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[Q:.+]] = arith.remui %[[A]], %[[D0]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[BYZERO]], %[[A]], %[[Q]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.remainder %a, %b : tensor<8xui32>
  return %0 : tensor<8xui32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[ISZERO:.+]] = arith.cmpi eq, %[[A]], %[[Z]] : vector<8xi32>
  // CHECK: %[[NEG:.+]] = arith.cmpi slt, %[[A]], %[[Z]] : vector<8xi32>
  // CHECK: %[[M:.+]] = arith.constant dense<-1> : vector<8xi32>
  // CHECK: %[[U:.+]] = arith.select %[[NEG]], %[[M]], %[[ONE]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[ISZERO]], %[[Z]], %[[U]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.sign %a : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// Nothing unsigned is below zero.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xui32>) -> tensor<8xui32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[ISZERO:.+]] = arith.cmpi eq, %[[A]], %[[Z]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[ISZERO]], %[[Z]], %[[ONE]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.sign %a : tensor<8xui32>
  return %0 : tensor<8xui32>
}

// -----

// Shifting by the width or more would be poison: the amount becomes zero and
// the result what is left after shifting everything out.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[OUT:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[W:.+]] = arith.constant dense<32> : vector<8xi32>
  // CHECK: %[[FAR:.+]] = arith.cmpi uge, %[[B]], %[[W]] : vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[N:.+]] = arith.select %[[FAR]], %[[Z]], %[[B]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[Q:.+]] = arith.shli %[[A]], %[[N]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[FAR]], %[[OUT]], %[[Q]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.shift_left %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[OUT:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[W:.+]] = arith.constant dense<32> : vector<8xi32>
  // CHECK: %[[FAR:.+]] = arith.cmpi uge, %[[B]], %[[W]] : vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[N:.+]] = arith.select %[[FAR]], %[[Z]], %[[B]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[Q:.+]] = arith.shrui %[[A]], %[[N]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[FAR]], %[[OUT]], %[[Q]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.shift_right_logical %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// Here copies of the sign are left.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[LAST:.+]] = arith.constant dense<31> : vector<8xi32>
  // CHECK: %[[OUT:.+]] = arith.shrsi %[[A]], %[[LAST]] : vector<8xi32>
  // CHECK: %[[W:.+]] = arith.constant dense<32> : vector<8xi32>
  // CHECK: %[[FAR:.+]] = arith.cmpi uge, %[[B]], %[[W]] : vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[N:.+]] = arith.select %[[FAR]], %[[Z]], %[[B]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[Q:.+]] = arith.shrsi %[[A]], %[[N]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[FAR]], %[[OUT]], %[[Q]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.shift_right_arithmetic %a, %b : tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>, %b: tensor<8xi32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[F:.+]] = arith.cmpi slt, %[[A]], %[[B]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.compare LT, %a, %b : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xui32>, %b: tensor<8xui32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[B:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[F:.+]] = arith.cmpi ult, %[[A]], %[[B]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.compare LT, %a, %b : (tensor<8xui32>, tensor<8xui32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}
