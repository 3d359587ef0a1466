#!/usr/bin/env bash
# Packs a build tree's measuring part: `pack.sh TREE TARFILE`. cuBLAS, by far the largest piece, goes in if it is
# installed; CUBLAS=no leaves it out, for machines that have their own.
set -euo pipefail
readonly tree=$1 tarfile=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
die() { printf 'bundle: %s\n' "$*" >&2; exit 1; }

readonly plugin=$tree/lib/libweft_benchmark.so
[[ -e $plugin ]] || die "$plugin was not built: it needs NVBench (requirements-gpu.txt)"
[[ -x $tree/reproduce ]] || die "$tree/reproduce was not built"

staging=$(mktemp -d)
trap 'rm -rf "$staging"' EXIT
readonly bundle=$staging/warp-and-weft
mkdir -p "$bundle/lib"

# What a program or library loads, by the build machine's own loader: "NAME PATH" a line.
libraries_of() { ldd "$1" | sed -n 's/^[[:space:]]*\([^ ]*\) => \(\/.*\) (0x.*/\1 \2/p'; }

cp "$here/run" "$tree/reproduce" "$bundle/"
cp "$plugin" "$tree/lib/libweft.so" "$bundle/lib/"
for library in libweft_cub.so libweft_cub_histogram.so libweft_cutlass.so; do
  [[ ! -e $tree/lib/$library ]] || cp "$tree/lib/$library" "$bundle/lib/"
done
while read -r name path; do
  case $name in
    libcudart.so.* | libnvbench.so | libstdc++.so.* | libgcc_s.so.*) cp -L "$path" "$bundle/lib/$name" ;;
  esac
done < <(libraries_of "$plugin"; libraries_of "$tree/reproduce")

for description in "$tree"/describe/*/[0-9]*.json "$tree"/describe/*/experiments/*.json; do
  [[ -e $description ]] || continue
  name=${description#"$tree"/describe/}
  name=${name%.json}
  mkdir -p "$bundle/chapters/$(dirname "$name")" "$bundle/describe/$(dirname "$name")"
  cp "$tree/chapters/$name" "$bundle/chapters/$name"
  cp "$description" "$bundle/describe/$name.json"
done

cudart=$(basename "$bundle"/lib/libcudart.so.*)
readonly major=${cudart##*.}
# NVIDIA's table of minor-version compatibility: the first driver of each CUDA.
case $major in
  12) least_driver=525 ;;
  *) least_driver=580 ;;
esac
toolkit=$(libraries_of "$tree/reproduce" | sed -n "s|^libcudart.so.$major \(.*\)/[^/]*$|\1|p")
cublas="without cuBLAS"
if [[ ${CUBLAS:-} != no && -e $toolkit/libcublas.so.$major && -e $toolkit/libcublasLt.so.$major ]]; then
  cp -L "$toolkit/libcublas.so.$major" "$toolkit/libcublasLt.so.$major" "$bundle/lib/"
  cublas="with cuBLAS"
fi

commit=$(git -C "$here" -c safe.directory='*' describe --always --exclude='*' --abbrev=12 --dirty 2>/dev/null || true)
glibc=$(getconf GNU_LIBC_VERSION)
cat >"$bundle/about" <<END
commit='$commit'
cuda_major=$major
least_driver=$least_driver
built_glibc=${glibc##* }
END

mkdir -p "$(dirname "$tarfile")"
tar -C "$staging" --owner=0 --group=0 -czf "$tarfile.part" warp-and-weft
mv "$tarfile.part" "$tarfile"
printf '%s (%s, %s)\n' "$tarfile" "$(du -h "$tarfile" | cut -f1)" "$cublas"
printf 'On the machine with the GPU: tar xzf %s && warp-and-weft/run\n' "$(basename "$tarfile")"
