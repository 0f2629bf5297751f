# no_memory.sh KILN OUT INPUT: compiles with less and less address space, in small steps where the command just starts.
# What the loader cannot even start is not shown.
compile() {
    (
        ulimit -v "$1"
        "$kiln" compile "$input" -o "$out"
    ) 2>&1 | grep '^kiln: '
}
kiln=$1 out=$2 input=$3 least=
for kib in $(seq 200000 -3000 60000); do
    compile "$kib" && least=$kib
done
for kib in $(seq "$least" -100 "$((least - 3000))"); do
    compile "$kib"
done
exit 0
