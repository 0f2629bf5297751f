kernel void k(f32 *x) { x[0]=1; }
