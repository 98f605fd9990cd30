// RUN: shardsmith-opt %s --lower-program --emit-cpu-program --split-input-file | FileCheck %s
//
// Elements change their type when they are converted, loaded and stored.

// Out of range becomes the nearest integer, NaN zero.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[HI:.+]] = arith.cmpf oge, %[[A]], %{{.*}} : vector<8xf32>
  // CHECK: %[[LO:.+]] = arith.cmpf olt, %[[A]], %{{.*}} : vector<8xf32>
  // CHECK: %[[NAN:.+]] = arith.cmpf uno, %[[A]], %[[A]] : vector<8xf32>
  // CHECK: %[[OUT:.+]] = arith.ori %[[HI]], %[[LO]] : vector<8xi1>
  // CHECK: %[[BAD:.+]] = arith.ori %[[OUT]], %[[NAN]] : vector<8xi1>
  // CHECK: %[[ZERO:.+]] = arith.constant dense<0.000000e+00> : vector<8xf32>
  // CHECK: %[[SAFE:.+]] = arith.select %[[BAD]], %[[ZERO]], %[[A]] : vector<8xi1>, vector<8xf32>
  // CHECK: %[[N:.+]] = arith.fptosi %[[SAFE]] : vector<8xf32> to vector<8xi32>
  // CHECK: %[[MAX:.+]] = arith.constant dense<2147483647> : vector<8xi32>
  // CHECK: %[[M:.+]] = arith.select %[[HI]], %[[MAX]], %[[N]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[MIN:.+]] = arith.constant dense<-2147483648> : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.select %[[LO]], %[[MIN]], %[[M]] : vector<8xi1>, vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// 256 and more become 255, the largest of the type.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xui8> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[LIMIT:.+]] = arith.constant dense<2.560000e+02> : vector<8xf32>
  // CHECK: %[[HI:.+]] = arith.cmpf oge, %[[A]], %[[LIMIT]] : vector<8xf32>
  // CHECK: %[[N:.+]] = arith.fptoui %{{.*}} : vector<8xf32> to vector<8xi8>
  // CHECK: %[[MAX:.+]] = arith.constant dense<-1> : vector<8xi8>
  // CHECK: %[[M:.+]] = arith.select %[[HI]], %[[MAX]], %[[N]] : vector<8xi1>, vector<8xi8>
  %0 = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xui8>
  return %0 : tensor<8xui8>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.sitofp %[[A]] : vector<8xi32> to vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xi32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xui32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.uitofp %[[A]] : vector<8xi32> to vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xui32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi64>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi64>
  // CHECK: %[[R:.+]] = arith.trunci %[[A]] : vector<8xi64> to vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xi64>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi8>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[R:.+]] = arith.extsi %[[A]] : vector<8xi8> to vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xi8>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xui8>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[R:.+]] = arith.extui %[[A]] : vector<8xi8> to vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xui8>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf64> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.extf %[[A]] : vector<8xf32> to vector<8xf64>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xf64>
  return %0 : tensor<8xf64>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf64>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf64>
  // CHECK: %[[R:.+]] = arith.truncf %[[A]] : vector<8xf64> to vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xf64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi1>) -> tensor<8xf32> {
  // CHECK: %[[AM:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[A:.+]] = arith.cmpi ne, %[[AM]], %{{.*}} : vector<8xi8>
  // CHECK: %[[R:.+]] = arith.uitofp %[[A]] : vector<8xi1> to vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xi1>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Everything but zero is true, NaN included.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0.000000e+00> : vector<8xf32>
  // CHECK: %[[F:.+]] = arith.cmpf une, %[[A]], %[[Z]] : vector<8xf32>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>) -> tensor<8xi1> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[Z:.+]] = arith.constant dense<0> : vector<8xi32>
  // CHECK: %[[F:.+]] = arith.cmpi ne, %[[A]], %[[Z]] : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.extui %[[F]] : vector<8xi1> to vector<8xi8>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xi32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

// -----

// bf16 is the upper half of f32: reading it costs a shift.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xbf16>) -> tensor<8xf32> {
  // CHECK: %[[AM:.+]] = llvm.load {{.*}} -> vector<8xi16>
  // CHECK: %[[AW:.+]] = arith.extui %[[AM]] : vector<8xi16> to vector<8xi32>
  // CHECK: %[[AS:.+]] = arith.shli %[[AW]], %{{.*}} : vector<8xi32>
  // CHECK: %[[A:.+]] = arith.bitcast %[[AS]] : vector<8xi32> to vector<8xf32>
  // CHECK: llvm.store %[[A]]
  %0 = stablehlo.convert %a : (tensor<8xbf16>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Writing it rounds to nearest even: half a unit, and one more where the last
// kept bit is odd, carries into it. A NaN must not carry into infinity.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xbf16> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[BITS:.+]] = arith.bitcast %[[A]] : vector<8xf32> to vector<8xi32>
  // CHECK: %[[HALF:.+]] = arith.constant dense<16> : vector<8xi32>
  // CHECK: %[[HIGH:.+]] = arith.shrui %[[BITS]], %[[HALF]] : vector<8xi32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[ODD:.+]] = arith.andi %[[HIGH]], %[[ONE]] : vector<8xi32>
  // CHECK: %[[SEVEN:.+]] = arith.constant dense<32767> : vector<8xi32>
  // CHECK: %[[BIAS:.+]] = arith.addi %[[ODD]], %[[SEVEN]] : vector<8xi32>
  // CHECK: %[[SUM:.+]] = arith.addi %[[BITS]], %[[BIAS]] : vector<8xi32>
  // CHECK: %[[ROUND:.+]] = arith.shrui %[[SUM]], %[[HALF]] : vector<8xi32>
  // CHECK: %[[QUIET:.+]] = arith.constant dense<64> : vector<8xi32>
  // CHECK: %[[QNAN:.+]] = arith.ori %[[HIGH]], %[[QUIET]] : vector<8xi32>
  // CHECK: %[[NAN:.+]] = arith.cmpf uno, %[[A]], %[[A]] : vector<8xf32>
  // CHECK: %[[CHOSEN:.+]] = arith.select %[[NAN]], %[[QNAN]], %[[ROUND]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[BACK:.+]] = arith.shli %[[CHOSEN]], %{{.*}} : vector<8xi32>
  // CHECK: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr
  %0 = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// -----

// The bits of a bf16 are those of the rounded value.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xbf16>) -> tensor<8xi16> {
  // CHECK: %[[AM:.+]] = llvm.load {{.*}} -> vector<8xi16>
  // CHECK: %[[AW:.+]] = arith.extui %[[AM]] : vector<8xi16> to vector<8xi32>
  // CHECK: %[[AS:.+]] = arith.shli %[[AW]], %{{.*}} : vector<8xi32>
  // CHECK: %[[A:.+]] = arith.bitcast %[[AS]] : vector<8xi32> to vector<8xf32>
  // CHECK: %[[BITS:.+]] = arith.bitcast %[[A]] : vector<8xf32> to vector<8xi32>
  // CHECK: %[[HALF:.+]] = arith.constant dense<16> : vector<8xi32>
  // CHECK: %[[HIGH:.+]] = arith.shrui %[[BITS]], %[[HALF]] : vector<8xi32>
  // CHECK: %[[ONE:.+]] = arith.constant dense<1> : vector<8xi32>
  // CHECK: %[[ODD:.+]] = arith.andi %[[HIGH]], %[[ONE]] : vector<8xi32>
  // CHECK: %[[SEVEN:.+]] = arith.constant dense<32767> : vector<8xi32>
  // CHECK: %[[BIAS:.+]] = arith.addi %[[ODD]], %[[SEVEN]] : vector<8xi32>
  // CHECK: %[[SUM:.+]] = arith.addi %[[BITS]], %[[BIAS]] : vector<8xi32>
  // CHECK: %[[ROUND:.+]] = arith.shrui %[[SUM]], %[[HALF]] : vector<8xi32>
  // CHECK: %[[QUIET:.+]] = arith.constant dense<64> : vector<8xi32>
  // CHECK: %[[QNAN:.+]] = arith.ori %[[HIGH]], %[[QUIET]] : vector<8xi32>
  // CHECK: %[[NAN:.+]] = arith.cmpf uno, %[[A]], %[[A]] : vector<8xf32>
  // CHECK: %[[CHOSEN:.+]] = arith.select %[[NAN]], %[[QNAN]], %[[ROUND]] : vector<8xi1>, vector<8xi32>
  // CHECK: %[[W:.+]] = arith.bitcast %{{.*}} : vector<8xf32> to vector<8xi32>
  // CHECK: %[[H:.+]] = arith.shrui %[[W]], %{{.*}} : vector<8xi32>
  // CHECK: %[[R:.+]] = arith.trunci %[[H]] : vector<8xi32> to vector<8xi16>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.bitcast_convert %a : (tensor<8xbf16>) -> tensor<8xi16>
  return %0 : tensor<8xi16>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi16>) -> tensor<8xbf16> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi16>
  // CHECK: %[[W:.+]] = arith.extui %[[A]] : vector<8xi16> to vector<8xi32>
  // CHECK: %[[H:.+]] = arith.shli %[[W]], %{{.*}} : vector<8xi32>
  // CHECK: %[[F:.+]] = arith.bitcast %[[H]] : vector<8xi32> to vector<8xf32>
  %0 = stablehlo.bitcast_convert %a : (tensor<8xi16>) -> tensor<8xbf16>
  return %0 : tensor<8xbf16>
}

// -----

// Floats of eight bits are bytes. Of a normal number the exponent is rebased;
// one below is a number of units. All ones are NaN.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf8E4M3FN>) -> tensor<8xf32> {
  // CHECK: %[[AM:.+]] = llvm.load {{.*}} -> vector<8xi8>
  // CHECK: %[[A:.+]] = arith.extui %[[AM]] : vector<8xi8> to vector<8xi32>
  // CHECK: %[[MASK:.+]] = arith.constant dense<127> : vector<8xi32>
  // CHECK: %[[SIZE:.+]] = arith.andi %[[A]], %[[MASK]] : vector<8xi32>
  // CHECK: %[[SHIFTED:.+]] = arith.shli %[[SIZE]], %{{.*}} : vector<8xi32>
  // CHECK: arith.constant dense<1006632960> : vector<8xi32>
  // CHECK: %[[NORMAL:.+]] = arith.addi %[[SHIFTED]], %{{.*}} : vector<8xi32>
  // CHECK: %[[UNITS:.+]] = arith.uitofp %[[SIZE]] : vector<8xi32> to vector<8xf32>
  // CHECK: arith.constant dense<0.001953125> : vector<8xf32>
  // CHECK: %[[SMALL:.+]] = arith.mulf %[[UNITS]], %{{.*}} : vector<8xf32>
  // CHECK: %[[BELOW:.+]] = arith.bitcast %[[SMALL]] : vector<8xf32> to vector<8xi32>
  // CHECK: %[[NUMBER:.+]] = arith.select %{{.*}}, %[[NORMAL]], %[[BELOW]]
  // CHECK: %[[NAN:.+]] = arith.constant dense<2143289344> : vector<8xi32>
  // CHECK: arith.constant dense<126> : vector<8xi32>
  // CHECK: arith.select %{{.*}}, %[[NAN]], %[[NUMBER]]
  // CHECK: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr
  %0 = stablehlo.convert %a : (tensor<8xf8E4M3FN>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Rounding them is as for bf16 where there are normal numbers. Below, a
// multiple of the unit is what adding and subtracting 2²³ units leaves.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[BITS:.+]] = arith.bitcast %[[A]] : vector<8xf32> to vector<8xi32>
  // CHECK: %[[MASK:.+]] = arith.constant dense<2147483647> : vector<8xi32>
  // CHECK: %[[SIZE:.+]] = arith.andi %[[BITS]], %[[MASK]] : vector<8xi32>
  // CHECK: %[[GRID:.+]] = arith.constant dense<1.280000e+02> : vector<8xf32>
  // CHECK: %[[ON:.+]] = arith.addf %{{.*}}, %[[GRID]] : vector<8xf32>
  // CHECK: %[[NORMAL:.+]] = arith.cmpi ugt, %[[SIZE]], %{{.*}} : vector<8xi32>
  // CHECK: %[[HALF:.+]] = arith.constant dense<1048575> : vector<8xi32>
  // CHECK: %[[SUM:.+]] = arith.addi %[[SIZE]], %[[HALF]] : vector<8xi32>
  // CHECK: %[[CARRIED:.+]] = arith.addi %[[SUM]], %{{.*}} : vector<8xi32>
  // CHECK: arith.constant dense<-2097152> : vector<8xi32>
  // CHECK: %[[KEPT:.+]] = arith.andi %[[CARRIED]], %{{.*}} : vector<8xi32>
  // CHECK: %[[OFF:.+]] = arith.subf %[[ON]], %[[GRID]] : vector<8xf32>
  // CHECK: %[[BELOW:.+]] = arith.bitcast %[[OFF]] : vector<8xf32> to vector<8xi32>
  // CHECK: %[[NUMBER:.+]] = arith.select %[[NORMAL]], %[[KEPT]], %[[BELOW]]
  // CHECK: arith.constant dense<1197473792> : vector<8xi32>
  // CHECK: %[[BEYOND:.+]] = arith.cmpi ugt, %[[NUMBER]], %{{.*}} : vector<8xi32>
  // CHECK: %[[INFINITY:.+]] = arith.constant dense<2139095040> : vector<8xi32>
  // CHECK: arith.select %[[BEYOND]], %[[INFINITY]], %[[NUMBER]]
  // CHECK: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr
  %0 = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xf8E5M2>
  %1 = stablehlo.convert %0 : (tensor<8xf8E5M2>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// An f64 is rounded to odd, so that what follows rounds it once.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf64>) -> tensor<8xf16> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf64>
  // CHECK: %[[NEAREST:.+]] = arith.truncf %[[A]] : vector<8xf64> to vector<8xf32>
  // CHECK: %[[BACK:.+]] = arith.extf %[[NEAREST]] : vector<8xf32> to vector<8xf64>
  // CHECK: %[[FARTHER:.+]] = arith.cmpf ogt, %{{.*}}, %{{.*}} : vector<8xf64>
  // CHECK: %[[STEP:.+]] = arith.extui %[[FARTHER]] : vector<8xi1> to vector<8xi32>
  // CHECK: %[[INEXACT:.+]] = arith.cmpf one, %[[BACK]], %[[A]] : vector<8xf64>
  // CHECK: %[[ODD:.+]] = arith.extui %[[INEXACT]] : vector<8xi1> to vector<8xi32>
  // CHECK: %[[CUT:.+]] = arith.subi %{{.*}}, %[[STEP]] : vector<8xi32>
  // CHECK: %[[BITS:.+]] = arith.ori %[[CUT]], %[[ODD]] : vector<8xi32>
  // CHECK: %[[F:.+]] = arith.bitcast %[[BITS]] : vector<8xi32> to vector<8xf32>
  // CHECK: arith.truncf %[[F]] : vector<8xf32> to vector<8xf16>
  %0 = stablehlo.convert %a : (tensor<8xf64>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// f16 has instructions of its own; arithmetic on it is done in f32.
// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xf16> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[N:.+]] = arith.truncf %[[A]] : vector<8xf32> to vector<8xf16>
  // CHECK: %[[F:.+]] = arith.extf %[[N]] : vector<8xf16> to vector<8xf32>
  // CHECK: %[[R:.+]] = arith.truncf %[[F]] : vector<8xf32> to vector<8xf16>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.convert %a : (tensor<8xf32>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf16>) -> tensor<8xi16> {
  // CHECK: %[[AM:.+]] = llvm.load {{.*}} -> vector<8xf16>
  // CHECK: %[[A:.+]] = arith.extf %[[AM]] : vector<8xf16> to vector<8xf32>
  // CHECK: %[[N:.+]] = arith.truncf %[[A]] : vector<8xf32> to vector<8xf16>
  // CHECK: %[[R:.+]] = arith.bitcast %[[N]] : vector<8xf16> to vector<8xi16>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.bitcast_convert %a : (tensor<8xf16>) -> tensor<8xi16>
  return %0 : tensor<8xi16>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xf32>) -> tensor<8xi32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xf32>
  // CHECK: %[[R:.+]] = arith.bitcast %[[A]] : vector<8xf32> to vector<8xi32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.bitcast_convert %a : (tensor<8xf32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// -----

// CHECK-LABEL: @smith_step
func.func @main(%a: tensor<8xi32>) -> tensor<8xf32> {
  // CHECK: %[[A:.+]] = llvm.load {{.*}} -> vector<8xi32>
  // CHECK: %[[R:.+]] = arith.bitcast %[[A]] : vector<8xi32> to vector<8xf32>
  // CHECK: llvm.store %[[R]]
  %0 = stablehlo.bitcast_convert %a : (tensor<8xi32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
