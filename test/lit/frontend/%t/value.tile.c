kernel i32 a(i32 n) { return n; }
