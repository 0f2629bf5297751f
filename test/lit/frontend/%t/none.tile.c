void a(i32 n) {}
