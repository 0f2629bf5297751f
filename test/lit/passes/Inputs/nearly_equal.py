"""nearly_equal.py A B: whether the numbers in two files are the same but for roundings of f16."""
import re
import sys

a, b = ([float(word) for word in open(name).read().split() if re.match(r"-?\d", word)] for name in sys.argv[1:])
if len(a) != len(b) or not a:
    sys.exit(f"{len(a)} and {len(b)} numbers")
for i, (x, y) in enumerate(zip(a, b)):
    if not abs(x - y) <= 0.001 * (1 + abs(x)):
        sys.exit(f"number {i}: {x} and {y}")
