#!/usr/bin/env bash
# Makes tests/data/golden/PART.tar.xz from FOLDER/PART, the same bytes each time: pack.sh FOLDER. A build unpacks them
# into its own folder, test-data/golden: begin with a copy of that.
set -euo pipefail
from=$1
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
for part in gguf models tokenizers; do
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=u+rw,go=rX -C "$from" -cf - "$part" |
        xz -9e -T1 >"$here/golden/$part.tar.xz"
done
