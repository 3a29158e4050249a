#!/usr/bin/env bash
# with_display.sh COMMAND…: runs it on an X server of its own, in which nobody has copied anything.
set -euo pipefail
if ! command -v Xvfb >/dev/null; then
    echo 'Xvfb is not installed' >&2
    [[ "${CI:-}" == true || "${CI:-}" == 1 ]] && exit 1
    exit 77 # skipped
fi
exec {display}<> <(:)
# -noreset: else the server begins anew when its last client goes, and whoever comes then is refused.
Xvfb -displayfd "$display" -screen 0 1400x1000x24 -nolisten tcp -noreset >/dev/null 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true' EXIT
read -r -t 120 -u "$display" number || { echo 'Xvfb did not start' >&2; exit 1; }
DISPLAY=":$number" QT_QPA_PLATFORM=xcb "$@"
