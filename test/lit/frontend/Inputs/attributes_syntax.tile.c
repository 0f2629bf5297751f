// CHECK: :[[@LINE+1]]:3: error: unknown attribute 'tuned' of a kernel; expected grid(X, Y, Z), arguments(NAME = VALUE, …), tune(NAME = V1, V2, …) or where(A <= B)
[[tuned(A = 1)]] kernel void a(constexpr i32 A) {}
// CHECK: :[[@LINE+1]]:8: error: expected NAME = V1, V2, … in tune(…)
[[tune()]] kernel void b(constexpr i32 A) {}
// CHECK: :[[@LINE+1]]:15: error: expected a value of 'A'
[[tune(A = 1, )]] kernel void c(constexpr i32 A) {}
// CHECK: :[[@LINE+1]]:15: error: a kernel has one {{..grid.…...$}}
[[grid(1)]] [[grid(2)]] kernel void d(constexpr i32 A) {}
// CHECK: :[[@LINE+1]]:18: error: {{..tune.…...}} is allowed only on kernels
[[tune(A = 1)]]  f32 e(constexpr i32 A) { return A; }
// CHECK: :[[@LINE+1]]:13: error: expected NAME = VALUE, … in arguments(…)
[[arguments()]] kernel void f(i32 n) {}
// CHECK: :[[@LINE+1]]:17: error: expected a value of 'n'
[[arguments(n = )]] kernel void g(i32 n) {}
// CHECK: :[[@LINE+1]]:22: error: expected ')' after the arguments
[[arguments(x = f32[1]])]] kernel void h(f32 *x) {}
