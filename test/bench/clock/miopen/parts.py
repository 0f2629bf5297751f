"""MIOpen's auxiliary launches: transposes between NCHW and NHWC, and fills with zeros.

Note that a tensor with one channel or one pixel is not transposed, and that on gfx94x f16 has no kernels that move two numbers at once.
"""


def up(a, b):
    return -(-a // b)


def magic(divisor):
    """(multiplier, shift) by which the kernels divide 31-bit numbers."""
    shift = (divisor - 1).bit_length()
    return ((1 << 32) * ((1 << shift) - divisor)) // divisor + 1, shift


def shifts(*magics):
    """Four shifts in one number."""
    return sum(shift << 8 * i for i, (_, shift) in enumerate(magics))


def ratio(a, b):
    return max(a, b) / min(a, b)


def tile(height, width, size):
    """(x, y) of the transpose's tile, by MIOpen's rule: the largest of the tiles that pad least; long strips for long matrices."""
    long = ratio(height, width)
    if long >= 12 and min(height, width) <= 8:
        strip = 64 if long <= 48 else 128 if long <= 128 else 256
        return (4, strip) if width <= 8 else (strip, 4)
    best, least = None, 0
    for x, y in [(32, 32), (16, 32), (32, 16), (16, 16)] if size == 2 else [(32, 32), (32, 16), (16, 32), (16, 16)]:
        padding = up(height, y) * y * up(width, x) * x - height * width
        better = best is None or padding < least
        if long > 128:
            if (x / y if width > height else y / x) < 0.4:
                continue
            if best:
                before, now = ratio(ratio(*best), long), ratio(ratio(x, y), long)
                same_side = (x > y and best[0] < best[1]) if width > height else (x < y and best[0] > best[1])
                better = now <= before if now * padding < before * least else now * padding == before * least and same_side
        if better:
            best, least = (x, y), padding
    return best


def transpose(into, of, batch, height, width, size):
    """The step that transposes each of `batch` matrices, with rows of `width` numbers of `size` bytes; None if there is nothing to do."""
    if height == 1 or width == 1:
        return None
    x, y = tile(height, width, size)
    rows, columns = up(height, y), up(width, x)
    groups = batch * rows * columns
    numbers = (height, width, groups, groups, *magic(rows), *magic(columns))
    return {"object": "transpose.co", "kernel": f"batched_transpose_{x}x{y}_{'half' if size == 2 else 'dword'}", "grid": [groups, 1, 1],
            "block": [256, 1, 1], "args": [{"buffer": into}, {"buffer": of}] + [{"u32": number} for number in numbers]}


def fill_items(count):
    """The number of work-items for a fill of that many numbers, which is compiled into its kernel."""
    return min(1 << (count - 1).bit_length(), 65536)


def fill(buffer, count, size):
    items = fill_items(count)
    return {"object": f"fill{8 * size}_{items}.co", "kernel": "SubTensorOpWithScalar1d", "grid": [up(items, 256), 1, 1], "block": [min(items, 256), 1, 1],
            "args": [{"buffer": buffer}, {"f32": 0.0} if size == 4 else {"f16": 0}, {"i32": 0}, {"i32": 1}, {"i32": count}]}
