#!/usr/bin/env bash
# Draws the README's pictures of the window into resources/pictures: the same each time on the same computer.
#
# usage: packaging/pictures.sh              (after packaging/test.sh --build-only)
#        packaging/pictures.sh pages DIR    every dialog and page, in four looks, to be looked at;
#                                           with QT_SCALE_FACTOR=2 as on a fine screen
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/setup.sh

program=build/release/bin/ui_test
[[ -x "$program" ]] || {
    echo "Build it first: packaging/test.sh --build-only" >&2
    exit 1
}
export LANG=C.UTF-8 TZ=UTC
if [[ "${1:-}" == pages ]]; then
    exec tests/ui/with_display.sh "$program" --pictures "${2:?a folder}" pages
fi
install_missing xvfb fonts-dejavu-core "${font_packages[@]}" pngquant optipng
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests/ui/with_display.sh "$program" --pictures "$work"
mkdir -p resources/pictures
for picture in "$work"/*.png; do
    # 128 colours are enough for what is mostly text.
    pngquant --force --strip --speed 1 --output "$picture" 128 "$picture"
    optipng -quiet -o5 "$picture"
    mv "$picture" resources/pictures/
done
du -b --total resources/pictures/*.png
