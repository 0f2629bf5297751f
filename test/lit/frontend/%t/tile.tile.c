kernel void a(i32 n[4], f8e5m2 x) { }
