kernel void k(auto *x, i32 n, constexpr i32 B, constexpr f32 S = 0.5, constexpr type T = f16) { x[range(B)] = (T)(n * S); }
