// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss of a classifier and its gradient, one program per row of logits: loss = log Σ exp(x) −
// x[target], and the logits are overwritten by (softmax(x) − [target]) · `scale`. Rows may have any
// length; a target of −1 is ignored.

[[grid(elements(targets)), tune(BLOCK = 512..8192*2, num_warps = 1, 2, 4, 8, 16)]]
[[arguments(rows = 4096, scale = 1.0, logits = f16[rows, classes]:random:1, targets = i32[rows], losses = f32[rows])]]
kernel void cross_entropy(f16 *logits, const i32 *targets, f32 *losses, i32 classes, f32 scale, constexpr i32 BLOCK = 1024)
{
    i32 row = program_id(0), target = targets[row];
    f16 *x = logits + (i64)row * classes;
    f32 top = -INFINITY, total = 0;
    for (i32 first = 0; first < classes; first += BLOCK) {
        i32 i[BLOCK] = first + range(BLOCK);
        f32 v[BLOCK] = load(x + i, i < classes, -INFINITY);
        f32 higher = maximum(top, max(v, 0));
        total = total * exp(top - higher) + sum(exp(v - higher), 0);
        top = higher;
    }
    f32 chosen = target >= 0 ? (f32)x[target] : 0;
    store(losses + row, target >= 0 ? top + log(total) - chosen : 0);
    f32 factor = target >= 0 ? scale : 0;
    for (i32 first = 0; first < classes; first += BLOCK) {
        i32 i[BLOCK] = first + range(BLOCK);
        f32 p[BLOCK] = exp((f32)load(x + i, i < classes, -INFINITY) - top) * (1 / total);
        store(x + i, (p - where(i == target, 1, 0)) * factor, i < classes);
    }
}
