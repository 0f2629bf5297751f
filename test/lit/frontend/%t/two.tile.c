kernel void a(i32 n) {}
kernel void b(i32 n) {}
