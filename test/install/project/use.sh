#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# use.sh PREFIX LIBDIR WORK BUILD: builds this project against the Kiln in PREFIX by CMake, by pkg-config and by hand, and runs what comes of it on the
# simulator. No file of BUILD may be used.
set -euo pipefail
prefix=$1 libdir=$1/$2 work=$3
export FORBIDDEN=$4 KILN_DEVICE=sim KILN_CACHE_DIR=$work/cache
unset LD_LIBRARY_PATH KILN_HIP_LIBRARY
project=$(cd "$(dirname "$0")" && pwd)
kiln=$prefix/bin/kiln
fail() { printf 'use.sh: %s\n' "$*" >&2; exit 1; }
expect() { # WORD COMMAND...: the command succeeds and says the word
    local word=$1 out
    shift
    out=$("$@" 2>&1) || fail "$*: $out"
    case $out in *"$word"*) ;; *) fail "$*: no '$word' in: $out" ;; esac
}
expect_right() { # DIRECTORY PROGRAM: it is right, on this installation's simulator; machine, which has linked it, does not say where that is
    case $2 in
    machine) expect "machine: right" "$1/$2" ;;
    *) expect "$2: right, on AMD Instinct MI300X (Kiln simulator) of $libdir/libkiln-sim.so" "$1/$2" ;;
    esac
    ldd "$1/$2" | grep kiln | grep -vF " => $libdir/" && fail "$1/$2 loads another Kiln"
    return 0
}
[ ! -e "$FORBIDDEN/CMakeCache.txt" ] && echo "the build tree is out of sight"

# The command: it finds the simulator, and as a HIP library where it is asked to be one.
expect "$prefix/bin/../$2/libkiln-sim.so.0: found" "$kiln" doctor
expect "30 31" "$kiln" run "$project/add.tile.c" --grid=1 n=32 'x=f32[32]:iota' 'y=f32[32]' 'out=f32[32]' scale=1 --print out
expect "$libdir/kiln/hip/libamdhip64.so" env LD_LIBRARY_PATH="$libdir/kiln/hip" "$kiln" doctor --device=hip

echo "by CMake"
cmake -S "$project" -B "$work/by_cmake" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_PREFIX_PATH="$prefix" -DHIP_LIBRARIES="$libdir/kiln/hip" >"$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"
cmake --build "$work/by_cmake" -j2 >"$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"
for program in ahead embedded just_in_time tuned machine; do
    expect_right "$work/by_cmake" $program
done
# A kernel is compiled again where its source is newer, and only then.
readelf -d "$work/by_cmake/hip_alone" | grep -q 'NEEDED.*\[libamdhip64.so\]' || fail "hip_alone asks for another library than HIP's"
expect "0 of 1008 wrong" env LD_LIBRARY_PATH="$libdir/kiln/hip" "$work/by_cmake/hip_alone"
rm -r "$work/by_cmake/embedded.kernels" # its code is in the program
expect_right "$work/by_cmake" embedded
touch "$project/add.tile.c"
expect "Compiling kernel add" cmake --build "$work/by_cmake" --target ahead
touch "$project/tiles/number.tile.h"
expect "Compiling kernel fill" cmake --build "$work/by_cmake" --target ahead
case $(cmake --build "$work/by_cmake" --target ahead) in *"Compiling kernel"*) fail "a kernel was compiled that is up to date" ;; esac

# An error names the component that is not installed.
mkdir "$work/part"
cp -r "$prefix/include" "$work/part"
mkdir -p "$work/part/$2"
cp -r "$libdir/cmake" "$libdir"/libkiln-rt.so* "$work/part/$2"
printf 'cmake_minimum_required(VERSION 3.25)\nproject(part NONE)\nfind_package(Kiln REQUIRED COMPONENTS runtime ${MORE})\n' >"$work/part/CMakeLists.txt"
cmake -S "$work/part" -B "$work/part/build" -DKiln_DIR="$work/part/$2/cmake/Kiln" >"$work/cmake.log" 2>&1 || fail "$(cat "$work/cmake.log")"
! cmake -S "$work/part" -B "$work/part/build" -DMORE=compiler >"$work/cmake.log" 2>&1 || fail "a compiler was found where there is none"
tr -s " \n" " " <"$work/cmake.log" | grep -q "lacks compiler" || fail "$(cat "$work/cmake.log")"

echo "by pkg-config"
export PKG_CONFIG_PATH=$libdir/pkgconfig
mkdir "$work/by_pkg_config" "$work/by_hand"
"$kiln" compile "$project/add.tile.c" -D BLOCK=256 --num-warps=4 -o "$work/by_pkg_config/add.hsaco"
expect "kiln $(pkg-config --modversion kiln) (" "$kiln" --version
here=(-std=c11 "-DKILN_KERNELS_DIRECTORY=\"$work/by_pkg_config\"" "-DSOURCE_DIRECTORY=\"$project\"" -DBLOCK=256 -Wl,-rpath,"$libdir")
while read -r program package; do
    # shellcheck disable=SC2046 # words
    cc "${here[@]}" "$project/$program.c" $(pkg-config --cflags --libs $package) -o "$work/by_pkg_config/$program"
    expect_right "$work/by_pkg_config" "$program"
done <<'WORDS'
ahead kiln-rt
just_in_time kiln kiln-rt
tuned kiln-tune
machine kiln-sim
WORDS

echo "by hand"
while read -r program libraries; do
    # shellcheck disable=SC2086 # words
    cc "${here[@]}" -I "$prefix/include" "$project/$program.c" -L "$libdir" $libraries -o "$work/by_hand/$program"
    expect_right "$work/by_hand" "$program"
done <<'WORDS'
ahead -lkiln-rt
just_in_time -lkiln -lkiln-rt
tuned -lkiln-tune -lkiln -lkiln-rt
machine -lkiln-sim
WORDS
echo "all right"
