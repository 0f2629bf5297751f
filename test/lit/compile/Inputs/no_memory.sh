# no_memory.sh KILN OUT INPUT: compiles with less and less address space. What the loader cannot
# even start is not shown.
for kib in $(seq 200000 -3000 60000); do
    (
        ulimit -v "$kib"
        "$1" compile "$3" -o "$2"
    ) 2>&1 | grep '^kiln: ' || true
done
