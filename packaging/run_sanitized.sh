#!/usr/bin/env bash
# run_sanitized.sh BUILD_FOLDER PROGRAM…: runs test programs that were built with sanitizers, two at a
# time; the output of one that fails is shown.
set -euo pipefail
build=$(realpath "$1")
shift
export ASAN_OPTIONS=detect_leaks=1:verify_asan_link_order=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export LD_PRELOAD="$build/bin/libkeep_libraries.so"

run_one() {
    local log="$1/$2.log"
    if timeout 3000 "$1/bin/$2" >"$log" 2>&1; then
        echo "$2: $(grep -F '[  PASSED  ]' "$log")"
    else
        echo "$2 failed; the end of its output:"
        grep -E '^\[  FAILED|: Failure$|ERROR: AddressSanitizer|runtime error:' "$log" | head -40
        tail -n 60 "$log"
        return 1
    fi
}
export -f run_one
printf '%s\n' "$@" | xargs -P 2 -I{} bash -c 'run_one "$0" "$1"' "$build" {}
