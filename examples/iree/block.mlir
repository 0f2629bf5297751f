// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transformer block, x + attention(norm(x) Wq, norm(x) Wk, norm(x) Wv) Wo, of 4 heads with 64 elements each: the products and the attention
// are dispatches of Kiln's kernels; IREE fuses and compiles everything else. README.md describes how the executables @gemm and @attention get here.

#rows = affine_map<(i, j) -> (i)>
#all = affine_map<(i, j) -> (i, j)>

func.func private @norm(%x: tensor<128x256xf16>) -> tensor<128x256xf16> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %count = arith.constant 256.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %empty = tensor.empty() : tensor<128xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<128xf32>) -> tensor<128xf32>
  %sums = linalg.generic {indexing_maps = [#all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<128x256xf16>) outs(%zeros : tensor<128xf32>) {
  ^bb0(%element: f16, %sum: f32):
    %wide = arith.extf %element : f16 to f32
    %next = arith.addf %sum, %wide : f32
    linalg.yield %next : f32
  } -> tensor<128xf32>
  %squares = linalg.generic {indexing_maps = [#all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sums : tensor<128x256xf16>, tensor<128xf32>) outs(%zeros : tensor<128xf32>) {
  ^bb0(%element: f16, %row: f32, %sum: f32):
    %wide = arith.extf %element : f16 to f32
    %mean = arith.divf %row, %count : f32
    %centred = arith.subf %wide, %mean : f32
    %square = arith.mulf %centred, %centred : f32
    %next = arith.addf %sum, %square : f32
    linalg.yield %next : f32
  } -> tensor<128xf32>
  %result = tensor.empty() : tensor<128x256xf16>
  %normed = linalg.generic {indexing_maps = [#all, #rows, #rows, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sums, %squares : tensor<128x256xf16>, tensor<128xf32>, tensor<128xf32>) outs(%result : tensor<128x256xf16>) {
  ^bb0(%element: f16, %row: f32, %row_squares: f32, %old: f16):
    %wide = arith.extf %element : f16 to f32
    %mean = arith.divf %row, %count : f32
    %centred = arith.subf %wide, %mean : f32
    %variance = arith.divf %row_squares, %count : f32
    %safe = arith.addf %variance, %epsilon : f32
    %scale = math.rsqrt %safe : f32
    %value = arith.mulf %centred, %scale : f32
    %narrow = arith.truncf %value : f32 to f16
    linalg.yield %narrow : f16
  } -> tensor<128x256xf16>
  return %normed : tensor<128x256xf16>
}

// Kiln's: bindings a, b and the result; constants M, N, K and the leading dimensions; the workload is M and N.
func.func private @product(%a: tensor<128x256xf16>, %b: tensor<256x256xf16>) -> tensor<128x256xf16> {
  %m_size = arith.constant 128 : index
  %n_size = arith.constant 256 : index
  %m = arith.constant 128 : i32
  %n = arith.constant 256 : i32
  %c = flow.dispatch @gemm::@gemm[%m_size, %n_size](%a, %b, %m, %n, %n, %n, %n, %n)
      : (tensor<128x256xf16>, tensor<256x256xf16>, i32, i32, i32, i32, i32, i32) -> tensor<128x256xf16>
  return %c : tensor<128x256xf16>
}

func.func private @heads(%x: tensor<128x256xf16>) -> tensor<4x128x64xf16> {
  %split = tensor.expand_shape %x [[0], [1, 2]] output_shape [128, 4, 64] : tensor<128x256xf16> into tensor<128x4x64xf16>
  %empty = tensor.empty() : tensor<4x128x64xf16>
  %heads = linalg.transpose ins(%split : tensor<128x4x64xf16>) outs(%empty : tensor<4x128x64xf16>) permutation = [1, 0, 2]
  return %heads : tensor<4x128x64xf16>
}

func.func @block(%x: tensor<128x256xf16>, %wq: tensor<256x256xf16>, %wk: tensor<256x256xf16>, %wv: tensor<256x256xf16>,
                 %wo: tensor<256x256xf16>) -> tensor<128x256xf16> {
  %normed = func.call @norm(%x) : (tensor<128x256xf16>) -> tensor<128x256xf16>
  %q = func.call @product(%normed, %wq) : (tensor<128x256xf16>, tensor<256x256xf16>) -> tensor<128x256xf16>
  %k = func.call @product(%normed, %wk) : (tensor<128x256xf16>, tensor<256x256xf16>) -> tensor<128x256xf16>
  %v = func.call @product(%normed, %wv) : (tensor<128x256xf16>, tensor<256x256xf16>) -> tensor<128x256xf16>
  %qh = func.call @heads(%q) : (tensor<128x256xf16>) -> tensor<4x128x64xf16>
  %kh = func.call @heads(%k) : (tensor<128x256xf16>) -> tensor<4x128x64xf16>
  %vh = func.call @heads(%v) : (tensor<128x256xf16>) -> tensor<4x128x64xf16>

  // Kiln's: bindings q, k, v and both results; constants heads, kv_heads, queries, keys, scale; the workload is heads and queries.
  %heads_size = arith.constant 4 : index
  %queries_size = arith.constant 128 : index
  %heads = arith.constant 4 : i32
  %queries = arith.constant 128 : i32
  %scale = arith.constant 0.125 : f32
  %scale_bits = arith.bitcast %scale : f32 to i32
  %out:2 = flow.dispatch @attention::@attention[%heads_size, %queries_size](%qh, %kh, %vh, %heads, %heads, %queries, %queries, %scale_bits)
      : (tensor<4x128x64xf16>, tensor<4x128x64xf16>, tensor<4x128x64xf16>, i32, i32, i32, i32, i32) -> (tensor<4x128x64xf16>, tensor<4x128xf32>)

  %empty = tensor.empty() : tensor<128x4x64xf16>
  %rows = linalg.transpose ins(%out#0 : tensor<4x128x64xf16>) outs(%empty : tensor<128x4x64xf16>) permutation = [1, 0, 2]
  %joined = tensor.collapse_shape %rows [[0], [1, 2]] : tensor<128x4x64xf16> into tensor<128x256xf16>
  %projected = func.call @product(%joined, %wo) : (tensor<128x256xf16>, tensor<256x256xf16>) -> tensor<128x256xf16>
  %result = arith.addf %x, %projected : tensor<128x256xf16>
  return %result : tensor<128x256xf16>
}
