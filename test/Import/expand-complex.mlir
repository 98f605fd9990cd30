// RUN: shardsmith-opt %s --expand-complex --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @product(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>)
func.func @product(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[AA:.*]] = stablehlo.multiply %[[A]], %[[A]]
  // CHECK: %[[BB:.*]] = stablehlo.multiply %[[B]], %[[B]]
  // CHECK: %[[AB:.*]] = stablehlo.multiply %[[A]], %[[B]]
  // CHECK: %[[BA:.*]] = stablehlo.multiply %[[B]], %[[A]]
  // CHECK: %[[R:.*]] = stablehlo.subtract %[[AA]], %[[BB]]
  // CHECK: %[[I:.*]] = stablehlo.add %[[AB]], %[[BA]]
  // CHECK: return %[[R]], %[[I]]
  %0 = stablehlo.complex %a, %b : tensor<4xcomplex<f32>>
  %1 = stablehlo.multiply %0, %0 : tensor<4xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %3 = stablehlo.imag %1 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  return %2, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// An imaginary part that is zero is left out.
// CHECK-LABEL: func.func @real_factor(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[A:[a-z0-9]+]]: tensor<3xf32>, %[[B:[a-z0-9]+]]: tensor<3xf32>)
func.func @real_factor(%x: tensor<2x3xf32>, %a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: %[[RE:.*]] = stablehlo.dot_general %[[X]], %[[A]], contracting_dims = [1] x [0]
  // CHECK-NEXT: %[[IM:.*]] = stablehlo.dot_general %[[X]], %[[B]], contracting_dims = [1] x [0]
  // CHECK-NEXT: return %[[IM]]
  %0 = stablehlo.convert %x : (tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  %1 = stablehlo.complex %a, %b : tensor<3xcomplex<f32>>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<2x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %3 = stablehlo.imag %2 : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  return %3 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @parts(
// CHECK-SAME:    %[[R:[a-z0-9]+]]: tensor<2x3xf64> {smith.name = "w.real", smith.role = "param"},
// CHECK-SAME:    %[[I:[a-z0-9]+]]: tensor<2x3xf64> {smith.name = "w.imaginary", smith.role = "param"})
// CHECK-SAME:    -> (tensor<3xf64> {smith.name = "sum.real"}, tensor<3xf64> {smith.name = "sum.imaginary"})
func.func @parts(%w: tensor<2x3xcomplex<f64>> {smith.name = "w", smith.role = "param"}) -> (tensor<3xcomplex<f64>> {smith.name = "sum"}) {
  // CHECK-DAG: %[[ONE:.*]] = stablehlo.constant dense<1.000000e+00> : tensor<f64>
  // CHECK-DAG: %[[TWO:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<f64>
  // CHECK-DAG: %[[RS:.*]] = stablehlo.reduce(%[[R]] init: %[[ONE]]) applies stablehlo.add across dimensions = [0]
  // CHECK-DAG: %[[IS:.*]] = stablehlo.reduce(%[[I]] init: %[[TWO]]) applies stablehlo.add across dimensions = [0]
  // CHECK: return %[[RS]], %[[IS]]
  %init = stablehlo.constant dense<(1.0, 2.0)> : tensor<complex<f64>>
  %0 = stablehlo.reduce(%w init: %init) applies stablehlo.add across dimensions = [0] : (tensor<2x3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<3xcomplex<f64>>
  return %0 : tensor<3xcomplex<f64>>
}

// -----

// Half of the frequencies of a real signal: products with six cosines and sines
// at four frequencies.
// CHECK-LABEL: func.func @short_transform(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2x6xf32>)
func.func @short_transform(%x: tensor<2x6xf32>) -> tensor<2x4xf32> {
  // CHECK: stablehlo.iota dim = 0 : tensor<6x4xi64>
  // CHECK: %[[COS:.*]] = stablehlo.cosine {{.*}} : tensor<6x4xf32>
  // CHECK: %[[SIN:.*]] = stablehlo.sine {{.*}} : tensor<6x4xf32>
  // CHECK: %[[MINUS:.*]] = stablehlo.negate %[[SIN]]
  // CHECK: stablehlo.dot_general %[[X]], %[[COS]], contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
  // CHECK: %[[IM:.*]] = stablehlo.dot_general %[[X]], %[[MINUS]], contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST]
  // CHECK: return %[[IM]]
  %0 = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<2x6xf32>) -> tensor<2x4xcomplex<f32>>
  %1 = stablehlo.imag %0 : (tensor<2x4xcomplex<f32>>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// 96 = 8 · 12: no matrix has more than twelve rows.
// CHECK-LABEL: func.func @long_transform(
// CHECK-NOT:   tensor<96x96x
// CHECK:       stablehlo.reshape {{.*}} -> tensor<8x12xf32>
// CHECK:       stablehlo.dot_general {{.*}}tensor<8x8xf32>
// CHECK:       stablehlo.dot_general {{.*}}tensor<12x12xf32>
// CHECK:       stablehlo.transpose {{.*}} -> tensor<12x8xf32>
// CHECK-NOT:   complex
func.func @long_transform(%x: tensor<96xf32>, %y: tensor<96xf32>) -> tensor<96xf32> {
  %0 = stablehlo.complex %x, %y : tensor<96xcomplex<f32>>
  %1 = stablehlo.fft %0, type = IFFT, length = [96] : (tensor<96xcomplex<f32>>) -> tensor<96xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<96xcomplex<f32>>) -> tensor<96xf32>
  return %2 : tensor<96xf32>
}

// -----

// Other reductions than sums take both parts side by side, beside what is real.
// CHECK-LABEL: func.func @mixed(
// CHECK-SAME:    %[[RE:[a-z0-9]+]]: tensor<4xf32>, %[[IM:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>, %[[NULL:[a-z0-9]+]]: tensor<f32>)
// CHECK:       %[[R:.*]]:3 = stablehlo.reduce(%[[RE]] init: %{{.*}}), (%[[IM]] init: %{{.*}}), (%[[Y]] init: %[[NULL]]) across dimensions = [0]
// CHECK-NEXT:  reducer(%[[A0:.*]]: tensor<f32>, %[[B0:.*]]: tensor<f32>) (%[[A1:.*]]: tensor<f32>, %[[B1:.*]]: tensor<f32>) (%[[C:.*]]: tensor<f32>, %[[D:.*]]: tensor<f32>)
// CHECK-DAG:     %[[P00:.*]] = stablehlo.multiply %[[A0]], %[[B0]]
// CHECK-DAG:     %[[P11:.*]] = stablehlo.multiply %[[A1]], %[[B1]]
// CHECK-DAG:     %[[P01:.*]] = stablehlo.multiply %[[A0]], %[[B1]]
// CHECK-DAG:     %[[P10:.*]] = stablehlo.multiply %[[A1]], %[[B0]]
// CHECK-DAG:     %[[REAL:.*]] = stablehlo.subtract %[[P00]], %[[P11]]
// CHECK-DAG:     %[[IMAG:.*]] = stablehlo.add %[[P01]], %[[P10]]
// CHECK-DAG:     %[[SUM:.*]] = stablehlo.add %[[C]], %[[D]]
// CHECK:         stablehlo.return %[[REAL]], %[[IMAG]], %[[SUM]]
// CHECK:       return %[[R]]#0, %[[R]]#1, %[[R]]#2
func.func @mixed(%x: tensor<4xcomplex<f32>>, %y: tensor<4xf32>, %null: tensor<f32>) -> (tensor<complex<f32>>, tensor<f32>) {
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0:2 = stablehlo.reduce(%x init: %one), (%y init: %null) across dimensions = [0] : (tensor<4xcomplex<f32>>, tensor<4xf32>, tensor<complex<f32>>, tensor<f32>) -> (tensor<complex<f32>>, tensor<f32>)
   reducer(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>) (%c: tensor<f32>, %d: tensor<f32>) {
    %1 = stablehlo.multiply %a, %b : tensor<complex<f32>>
    %2 = stablehlo.add %c, %d : tensor<f32>
    stablehlo.return %1, %2 : tensor<complex<f32>>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<complex<f32>>, tensor<f32>
}

// -----

// A test compares both parts.
// CHECK-LABEL: func.func @check(
// CHECK:         stablehlo.custom_call @check.expect_eq(%arg0, %arg0)
// CHECK:         stablehlo.custom_call @check.expect_eq(%arg1, %arg1)
// CHECK-NOT:     check
func.func @check(%x: tensor<4xcomplex<f32>>) {
  stablehlo.custom_call @check.expect_eq(%x, %x) {has_side_effect = true} : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> ()
  return
}

// -----

// A hyperbolic tangent has no exponential that grows.
// CHECK-LABEL: func.func @hyperbolic(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>)
// CHECK:       %[[T:.*]] = stablehlo.tanh %[[A]]
// CHECK:       %[[SIZE:.*]] = stablehlo.abs %[[A]]
// CHECK:       %[[DOWN:.*]] = stablehlo.multiply %[[SIZE]], %{{.*}}
// CHECK:       %[[SMALL:.*]] = stablehlo.exponential %[[DOWN]]
// CHECK:       %[[RE:.*]] = stablehlo.divide %[[T]], %[[BELOW:.*]] : tensor<4xf32>
// CHECK:       %[[IM:.*]] = stablehlo.divide %{{.*}}, %[[BELOW]] : tensor<4xf32>
// CHECK:       return %[[RE]], %[[IM]]
func.func @hyperbolic(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = stablehlo.tanh %x : tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// A sort compares pairs; what is sorted with them comes between.
// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[K:[a-z0-9]+]]: tensor<4xi32>, %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>)
// CHECK:       %[[S:.*]]:3 = "stablehlo.sort"(%[[K]], %[[A]], %[[B]]) <{dimension = 0 : i64, is_stable = true}>
// CHECK-NEXT:  ^bb0(%{{.*}}: tensor<i32>, %{{.*}}: tensor<i32>, %[[LR:.*]]: tensor<f32>, %[[RR:.*]]: tensor<f32>, %[[LI:.*]]: tensor<f32>, %[[RI:.*]]: tensor<f32>):
// CHECK:         %[[LESS:.*]] = stablehlo.compare LT, %[[LR]], %[[RR]]
// CHECK:         %[[BELOW:.*]] = stablehlo.compare LT, %[[LI]], %[[RI]]
// CHECK:         stablehlo.and %[[LESS]], %[[BELOW]]
// CHECK:       return %[[S]]#0, %[[S]]#1, %[[S]]#2
func.func @sort(%k: tensor<4xi32>, %x: tensor<4xcomplex<f32>>) -> (tensor<4xi32>, tensor<4xcomplex<f32>>) {
  %0:2 = "stablehlo.sort"(%k, %x) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%m: tensor<i32>, %n: tensor<i32>, %a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %1 = stablehlo.real %a : (tensor<complex<f32>>) -> tensor<f32>
    %2 = stablehlo.real %b : (tensor<complex<f32>>) -> tensor<f32>
    %3 = stablehlo.imag %a : (tensor<complex<f32>>) -> tensor<f32>
    %4 = stablehlo.imag %b : (tensor<complex<f32>>) -> tensor<f32>
    %5 = stablehlo.compare LT, %1, %2 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %6 = stablehlo.compare LT, %3, %4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = stablehlo.and %5, %6 : tensor<i1>
    stablehlo.return %7 : tensor<i1>
  }) : (tensor<4xi32>, tensor<4xcomplex<f32>>) -> (tensor<4xi32>, tensor<4xcomplex<f32>>)
  return %0#0, %0#1 : tensor<4xi32>, tensor<4xcomplex<f32>>
}

// -----

// Two values go around a loop, also where the first one is real. No number of
// another value is taken.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[A:[a-z0-9]+]]: tensor<8x4xf32>, %[[B:[a-z0-9]+]]: tensor<8x4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>)
// CHECK:       %[[R:.*]] = smith.loop_carry %[[X]] loop 0 of 8 number = 0
// CHECK:       %[[I:.*]] = smith.loop_carry %{{.*}} loop 0 of 8 number = 2
// CHECK:       %[[C:.*]] = smith.loop_carry %[[Y]] loop 0 of 8 number = 1
// CHECK:       %[[ZR:.*]] = smith.loop_slice %[[A]] loop 0 of 8
// CHECK:       %[[ZI:.*]] = smith.loop_slice %[[B]] loop 0 of 8
// CHECK:       %[[SR:.*]] = stablehlo.add %[[R]], %[[ZR]]
// CHECK:       %[[SI:.*]] = stablehlo.add %[[I]], %[[ZI]]
// CHECK:       %[[NR:.*]] = smith.loop_next %[[SR]] for %[[R]] loop 0 of 8
// CHECK:       %[[NI:.*]] = smith.loop_next %[[SI]] for %[[I]] loop 0 of 8
// CHECK:       return %[[NR]], %[[NI]]
func.func @loop(%x: tensor<4xf32>, %zs: tensor<8x4xcomplex<f32>>, %y: tensor<4xf32>) -> (tensor<4xcomplex<f32>>, tensor<4xf32>) {
  %0 = stablehlo.convert %x : (tensor<4xf32>) -> tensor<4xcomplex<f32>>
  %1 = smith.loop_carry %0 loop 0 of 8 number = 0 : tensor<4xcomplex<f32>>
  %2 = smith.loop_carry %y loop 0 of 8 number = 1 : tensor<4xf32>
  %3 = smith.loop_slice %zs loop 0 of 8 : tensor<8x4xcomplex<f32>> -> tensor<4xcomplex<f32>>
  %4 = stablehlo.add %1, %3 : tensor<4xcomplex<f32>>
  %5 = stablehlo.sine %2 : tensor<4xf32>
  %6 = smith.loop_next %4 for %1 loop 0 of 8 : tensor<4xcomplex<f32>>
  %7 = smith.loop_next %5 for %2 loop 0 of 8 : tensor<4xf32>
  return %6, %7 : tensor<4xcomplex<f32>>, tensor<4xf32>
}

// -----

// Three factors and the first one: products of two.
// CHECK-LABEL: func.func @product_over(
// CHECK:       %[[INIT:.*]] = stablehlo.constant dense<2.000000e+00> : tensor<f32>
// CHECK:       stablehlo.slice %[[A:[a-z0-9]+]] [0:1, 0:2]
// CHECK:       stablehlo.slice %[[A]] [1:2, 0:2]
// CHECK:       stablehlo.concatenate {{.*}} dim = 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
// CHECK-NOT:   stablehlo.reduce
// CHECK:       stablehlo.broadcast_in_dim %[[INIT]], dims = [] : (tensor<f32>) -> tensor<2xf32>
// CHECK-NOT:   stablehlo.reduce
// CHECK:       return
func.func @product_over(%x: tensor<3x2xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
  %two = stablehlo.constant dense<(2.0, 0.0)> : tensor<complex<f32>>
  %0 = stablehlo.reduce(%x init: %two) applies stablehlo.multiply across dimensions = [0] : (tensor<3x2xcomplex<f32>>, tensor<complex<f32>>) -> tensor<2xcomplex<f32>>
  return %0 : tensor<2xcomplex<f32>>
}

// -----

// From each element to the last one: with ones behind it.
// CHECK-LABEL: func.func @running(
// CHECK:       stablehlo.pad %arg0, %[[ONE:.*]], low = [-1], high = [1], interior = [0]
// CHECK:       stablehlo.pad %arg1, %[[ZERO:.*]], low = [-1], high = [1], interior = [0]
// CHECK:       stablehlo.pad {{.*}}, low = [-2], high = [2], interior = [0]
// CHECK:       stablehlo.pad {{.*}}, low = [-2], high = [2], interior = [0]
// CHECK-NOT:   stablehlo.pad
// CHECK-NOT:   stablehlo.reduce_window
// CHECK:       return
func.func @running(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0 = "stablehlo.reduce_window"(%x, %one) <{padding = dense<[[0, 3]]> : tensor<1x2xi64>, window_dimensions = array<i64: 4>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %1 = stablehlo.multiply %a, %b : tensor<complex<f32>>
    stablehlo.return %1 : tensor<complex<f32>>
  }) : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

// -----

// Other windows take both parts side by side.
// CHECK-LABEL: func.func @windows(
// CHECK:       %{{.*}}:2 = "stablehlo.reduce_window"(%arg0, %arg1, %{{.*}}, %{{.*}}) <{window_dimensions = array<i64: 2>}>
func.func @windows(%x: tensor<4xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %one = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
  %0 = "stablehlo.reduce_window"(%x, %one) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%a: tensor<complex<f32>>, %b: tensor<complex<f32>>):
    %1 = stablehlo.multiply %a, %b : tensor<complex<f32>>
    stablehlo.return %1 : tensor<complex<f32>>
  }) : (tensor<4xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}
