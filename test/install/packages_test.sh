#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# packages_test.sh SOURCE BUILD LIBDIR VERSION: makes the Debian packages, and looks whether they hold what an installation holds, each file once, on what they depend, and
# whether the command runs as they bring it.
set -euo pipefail
source=$1 build=$2 libdir=$3 version=$4
major=${version%%.*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'packages_test: %s\n' "$*" >&2; exit 1; }
pack() { # DIRECTORY FLAG...
    local directory=$1
    shift
    (cd "$build" && cpack -B "$directory" -D CPACK_OUTPUT_FILE_PREFIX="$directory" -D CPACK_PACKAGE_DIRECTORY="$directory" "$@") >"$work/log" 2>&1 ||
        fail "$(cat "$work/log")"
}
field() { dpkg-deb -f "$work/$1"_*.deb "$2"; }

pack "$work"
names=(kiln "libkiln$major" "libkiln-rt$major" "libkiln-tune$major" "libkiln-sim$major" libkiln-dev)
for name in "${names[@]}"; do
    file=$work/${name}_$version-1_$(dpkg --print-architecture).deb
    [ -f "$file" ] || fail "there is no $file"
    dpkg-deb -x "$file" "$work/root"
    dpkg-deb -c "$file" | awk '!/^d/ { print $6 }'
    for document in copyright changelog.Debian.gz; do
        [ -s "$work/root/usr/share/doc/$name/$document" ] || fail "$name has no $document"
    done
done | sort >"$work/packed"
uniq -d "$work/packed" | grep . && fail "the files above are in two packages"
DESTDIR=$work/installed cmake --install "$build" --prefix /usr >"$work/log"
diff <(grep -v -e /share/doc/ -e /share/lintian/ "$work/packed") <(cd "$work/installed" && find . -type f -o -type l | sort) ||
    fail "packages (<) and an installation (>) hold different files"

case $(field libkiln-dev Depends) in *"libkiln-tune$major (= $version-1)"*"libkiln-sim$major (= $version-1)"*) ;; *) fail "libkiln-dev does not depend on all libraries" ;; esac
for name in kiln "libkiln$major" "libkiln-sim$major"; do
    case $(field "$name" Depends) in *llvm* | *mlir* | *stdc++*) fail "$name needs what it has inside: $(field "$name" Depends)" ;; *libc6*libzstd1*) ;; *) fail "$name depends on: $(field "$name" Depends)" ;; esac
done

KILN_DEVICE=sim KILN_CACHE_MODE=off "$work/root/usr/bin/kiln" run "$source/test/install/project/add.tile.c" --grid=1 n=32 'x=f32[32]:iota' 'y=f32[32]' 'out=f32[32]' \
    scale=1 --print out | grep '30 31' >/dev/null || fail "the packed command does not run a kernel"
"$work/root/usr/bin/kiln" doctor --device=sim | grep -F "$work/root/usr/bin/../$libdir/libkiln-sim.so.$major: found" >/dev/null || fail "the packed command finds another simulator"

case $(field "libkiln-rt$major" Depends) in *libc6*libjansson4*) ;; *) fail "the runtime depends on: $(field "libkiln-rt$major" Depends)" ;; esac
case $(field "libkiln-tune$major" Depends) in *"libkiln-rt$major (= $version-1)"*libsqlite3-0*) ;; *) fail "the tuner depends on: $(field "libkiln-tune$major" Depends)" ;; esac
dpkg-deb -I "$work/libkiln-rt$major"_*.deb shlibs | grep -qxF "libkiln-rt $major libkiln-rt$major (>= $version-1)" || fail "the runtime tells nobody how to depend on it"
