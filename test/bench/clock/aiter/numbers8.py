"""8- and 16-bit number formats that numpy lacks, and the order in which AITER stores weights."""
import numpy as np


def decode_fp8():
    """Values of the 256 bytes of e4m3fnuz: bias 8, no infinities, 0x80 is NaN."""
    byte = np.arange(256)
    exponent, mantissa = (byte >> 3) & 15, byte & 7
    value = np.where(exponent == 0, mantissa / 8 * 2.0 ** -7, (1 + mantissa / 8) * 2.0 ** (exponent - 8.0))
    return np.where(byte & 128, -value, value).astype(np.float32)


def to_bf16(values):
    bits = values.astype(np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(data, shape):
    return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(shape)


def shuffle(b):
    """16 rows by 32 bytes at a time: [row 16][half 2][byte 16] -> [half][row][byte]."""
    n, k = b.shape
    return b.reshape(n // 16, 16, k // 32, 2, 16).transpose(0, 2, 3, 1, 4).copy()
