// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs the kernels of gemm_epilogue.tile.c and checks their results; gemm_epilogue.md explains
// them.
#include <math.h>

#include "host.h"

enum { M = 130, N = 90, K = 70, BLOCK = 64 };

static double relu(double x)
{
    return fmax(x, 0);
}

static double gelu(double x)
{
    return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double gelu_gradient(double x)
{
    const double step = 1e-5;
    return (gelu(x + step) - gelu(x - step)) / (2 * step);
}

static void launch(host_t *host, array_t *a, array_t *b, array_t *c, array_t *bias, array_t *aux,
                   const char *activation, const char *has_bias, const char *keep)
{
    host_launch(host, "gemm_epilogue", (M + BLOCK - 1) / BLOCK * ((N + BLOCK - 1) / BLOCK), 1, 1,
                SETTINGS({"ACTIVATION", activation}, {"BLOCK_M", "64"}, {"BLOCK_N", "64"},
                         {"HAS_BIAS", has_bias}, {"KEEP", keep}),
                ARGUMENTS(BUFFER("a", a), BUFFER("b", b), BUFFER("c", c), BUFFER("bias", bias),
                          BUFFER("aux", aux), INTEGER("M", M), INTEGER("N", N), INTEGER("K", K)));
}

int main(void)
{
    host_t host = host_open("gemm_epilogue.tile.c");
    array_t *a = host_random(&host, KILN_ELEMENT_F16, M * K, -1, 1, 1);
    array_t *b = host_random(&host, KILN_ELEMENT_F16, K * N, -0.3, 0.3, 2);
    array_t *bias = host_random(&host, KILN_ELEMENT_F16, N, -1, 1, 3);
    array_t *c = host_array(&host, KILN_ELEMENT_F16, M * N),
            *aux = host_array(&host, KILN_ELEMENT_F16, M * N);
    const double *product = host_product(&host, a, b, M, N, K);
    double *sum = host_doubles(&host, M * N), *reference = host_doubles(&host, M * N);
    for (size_t i = 0; i < M * N; i++)
        sum[i] = product[i] + host_get(bias, i % N);

    launch(&host, a, b, c, bias, aux, "LINEAR", "true", "false");
    host_check(&host, "bias", c, sum);

    launch(&host, a, b, c, bias, aux, "RELU", "true", "false");
    for (size_t i = 0; i < M * N; i++)
        reference[i] = relu(sum[i]);
    host_check(&host, "bias, ReLU", c, reference);

    launch(&host, a, b, c, bias, aux, "GELU", "true", "true");
    for (size_t i = 0; i < M * N; i++)
        reference[i] = gelu(sum[i]);
    host_check(&host, "bias, GELU", c, reference);
    host_check(&host, "before GELU", aux, sum);

    launch(&host, a, b, c, bias, aux, "GELU_GRADIENT", "false", "false");
    for (size_t i = 0; i < M * N; i++)
        reference[i] = product[i] * gelu_gradient(host_get(aux, i));
    host_check(&host, "gradient of GELU", c, reference);
    return host_close(&host);
}
