#!/usr/bin/env bash
# Brings the catalogues in resources/translations into step with the texts in the sources: new texts come as
# unfinished ones, those that are gone leave. With --check nothing is written: it fails where a text lacks its
# translation.  Usage: packaging/translations.sh [--check]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tool() {
    local path
    for path in "/usr/lib/qt6/bin/$1" "$(command -v "$1-qt6" || true)" "$(command -v "$1" || true)"; do
        if [[ -x "$path" ]]; then
            echo "$path"
            return
        fi
    done
    echo "$1 is missing: install qt6-l10n-tools" >&2
    return 1
}

lupdate=$(tool lupdate)
folder=resources/translations
if [[ "${1:-}" == --check ]]; then
    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    cp resources/translations/*.ts "$folder"
fi
# It names a few declarations of the standard library that it cannot follow, which hold no texts.
"$lupdate" -silent -I . -locations none -no-obsolete -source-language en app ui -ts "$folder"/*.ts 2>/dev/null

missing=0
for catalogue in "$folder"/*.ts; do
    count=$(grep -c 'type="unfinished"' "$catalogue" || true)
    echo "$(basename "$catalogue"): $(grep -c '<source>' "$catalogue") texts, $count without translation"
    if [[ "${1:-}" == --check ]] && ((count > 0)); then
        grep -B 3 'type="unfinished"' "$catalogue" | sed -n 's/.*<source>\(.*\)/   \1/p' | head -n 20
    fi
    missing=$((missing + count))
done
if [[ "${1:-}" == --check ]] && ((missing > 0)); then
    echo "run packaging/translations.sh and translate what is unfinished in resources/translations"
    exit 1
fi
