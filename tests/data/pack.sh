#!/usr/bin/env bash
# Makes tests/data/golden/PART.tar.xz from FOLDER/PART, the same bytes each time: pack.sh FOLDER. A build unpacks them
# into its own folder, test-data/golden: begin with a copy of that.
set -euo pipefail
from=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in gguf models tokenizers; do
    # Weights are mostly numbers of two bytes each.
    case $part in
    gguf) options=lc=1,lp=1,pb=1 ;;
    models) options=lc=2,lp=1,pb=1 ;;
    tokenizers) options=lc=4,lp=0,pb=0 ;;
    esac
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -C "$from" -cf - "$part" |
        xz -T1 --lzma2=preset=9e,$options >"$here/golden/$part.tar.xz"
done
