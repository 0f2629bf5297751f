#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# install_test.sh SOURCE BUILD LIBDIR VERSION: installs Kiln, moves the installation to another place, and lets project/ be built against it and run there
# while the trees that Kiln was made of are out of sight: behind an empty mount in a mount namespace of this test's own, where such may be made; nothing is
# renamed, for other tests use the build. Where none may be made the test says so, and what is left is that each program looks for files of the build among
# those that are mapped into it.
set -euo pipefail
source=$1 build=$2 libdir=$3 version=$4
major=${version%%.*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'install_test: %s\n' "$*" >&2; exit 1; }
files() { (cd "$1" && find . -type f -o -type l | sort); }

# All of it, and its components, which together are all of it.
cmake --install "$build" --prefix "$work/staged" >"$work/log"
for component in compiler runtime simulator tuner command development; do
    cmake --install "$build" --prefix "$work/by_component" --component $component >"$work/log"
done
diff <(files "$work/staged") <(files "$work/by_component") || fail "the components are not the whole"
prefix=$work/moved
mv "$work/staged" "$prefix"
rm -rf "$work/by_component"

# A library has the soname that programs will ask for; nothing in it shows where it was built or staged.
for name in kiln kiln-rt kiln-tune; do
    file=$prefix/$libdir/lib$name.so.$version
    readelf -d "$file" | grep -q "soname: \[lib$name.so.$major\]" || fail "$file has another soname than lib$name.so.$major"
done
for file in "$prefix/bin/kiln" "$prefix/$libdir"/lib*.so."$version" "$prefix/$libdir"/kiln/lib*.so."$version"; do
    paths=$(readelf -d "$file" | sed -n 's/.*Library r.*path: \[\(.*\)\]/\1/p')
    case $paths in *"$build"* | *"$source"* | *"$work"*) fail "$file looks for libraries in $paths" ;; esac
done
if grep -rIlF -e "$build" -e "$source" -e "$work/staged" "$prefix"; then
    fail "the files above name a directory of the build"
fi

for page in man/man1/kiln.1.gz man/man1/kiln-run.1.gz bash-completion/completions/kiln zsh/site-functions/_kiln fish/vendor_completions.d/kiln.fish; do
    [ -s "$prefix/share/$page" ] || fail "share/$page is not installed"
done

# Each header alone, as C11 and as C++17.
for header in "$prefix"/include/kiln/*.h; do
    printf '#include <kiln/%s>\n' "$(basename "$header")" >"$work/$(basename "$header" .h)_alone.c"
done
warnings=(-Wall -Wextra -Wpedantic -Werror)
cc -fsyntax-only -std=c11 -Wshadow -Wstrict-prototypes "${warnings[@]}" -I "$prefix/include" "$work"/*_alone.c || fail "a header does not compile as C11"
c++ -fsyntax-only -x c++ -std=c++17 "${warnings[@]}" -I "$prefix/include" "$work"/*_alone.c || fail "a header does not compile as C++17"

for file in "$prefix/$libdir"/lib*.so."$version" "$prefix/$libdir"/kiln/lib*.so."$version"; do
    case $file in *-sim.so*) ours='kiln_|kilnSim|hip|__hip|_Z2[0-9]hip' ;; *) ours='kiln_' ;; esac
    if nm -D --defined-only "$file" | grep -vE " A | [A-Za-z] ($ours)"; then
        fail "$file shows the symbols above"
    fi
done

cp -r "$source/test/install/project" "$work/project"
cp -r "$source/test/lit/ahead/Inputs" "$work/project/ahead_inputs"
cp "$source/examples/vec_add.tile.c" "$work/project"
hide='mount -t tmpfs none "$1" && { [ ! -d "$2" ] || mount -t tmpfs none "$2"; } && shift 2 && exec "$@"'
run=(bash "$work/project/use.sh" "$prefix" "$libdir" "$work" "$build")
cd "$work"
if unshare -rm true 2>/dev/null && unshare -rm bash -c "$hide" hide "$source" "$build" true 2>/dev/null; then
    unshare -rm bash -c "$hide" hide "$source" "$build" "${run[@]}"
else
    echo "install_test: no mount namespace may be made here: the build tree is in sight"
    "${run[@]}"
fi
