#!/usr/bin/env bash
# Builds the libFuzzer programs with clang into build/fuzz and runs each target from its corpus.
# A finding – a crash, an exception that escapes, more than 512 MB, an input that takes too long – is
# kept under build/fuzz/findings, named, and makes the exit status 1.
#
# usage: packaging/fuzz.sh [SECONDS [TARGET…]]     20 seconds, all targets
# FIRESIDE_FUZZ_SEED: of the inputs that are tried; otherwise each run tries others
# FIRESIDE_FUZZ_TIMEOUT: seconds that one input may take (5: wall time, and the machine may be busy)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/setup.sh

seconds=${1:-20}
shift || true
engine_targets=(gguf split model safetensors folder config tokenizer template weights regex gbnf schema)
desktop_targets=(markdown formula chats library)
remote_targets=(stream answers messages sign_in forms)
server_targets=(http requests)
targets=("$@")
((${#targets[@]} > 0)) || targets=("${engine_targets[@]}" "${desktop_targets[@]}" "${remote_targets[@]}" "${server_targets[@]}")

install_missing clang libgtest-dev "${build_packages[@]}"
# libFuzzer is in the compiler's run-time library, a package of its own in some releases.
runtime=(/usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.fuzzer-"$(uname -m)".a)
[[ -e "${runtime[0]}" ]] || install_missing libclang-rt-dev

say "Building the fuzzers (build/fuzz)"
mkdir -p build
cmake --preset fuzz >build/fuzz-configure.log || {
    cat build/fuzz-configure.log
    exit 1
}
cmake --build --preset fuzz -j "$(build_jobs)" --target fuzz_engine fuzz_desktop fuzz_remote fuzz_server

findings="$PWD/build/fuzz/findings"
mkdir -p "$findings"
work=$(mktemp -d -p /dev/shm 2>/dev/null || mktemp -d)
trap 'rm -rf "$work"' EXIT
# The sanitizer keeps freed memory aside; that must not count against the 512 MB.
export ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=5:detect_leaks=1:allocator_may_return_null=0
export UBSAN_OPTIONS=print_stacktrace=1 QT_QPA_PLATFORM=offscreen TMPDIR="$work"
export LSAN_OPTIONS="suppressions=$PWD/tests/fuzz/leaks.txt:print_suppressions=0"

# Runs one target; prints how many inputs it tried and what it found.
fuzz() {
    local target=$1 program=fuzz_engine log="$work/$1.log" status=0
    [[ " ${desktop_targets[*]} " == *" $target "* ]] && program=fuzz_desktop
    [[ " ${remote_targets[*]} " == *" $target "* ]] && program=fuzz_remote
    [[ " ${server_targets[*]} " == *" $target "* ]] && program=fuzz_server
    mkdir -p "$work/$target"
    FIRESIDE_FUZZ_TARGET=$target "build/fuzz/bin/$program" \
        -seed="${FIRESIDE_FUZZ_SEED:-0}" -max_total_time="$seconds" -timeout="${FIRESIDE_FUZZ_TIMEOUT:-5}" -rss_limit_mb=512 -malloc_limit_mb=512 \
        -max_len=65536 -print_final_stats=1 -artifact_prefix="$findings/$target-" \
        "$work/$target" "tests/fuzz/corpus/$target" >"$log" 2>&1 || status=$?
    local executions slowest
    executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    slowest=$(sed -n 's/^stat::slowest_unit_time_sec: *//p' "$log")
    if ((status == 0)); then
        printf '%-12s %10s executions, slowest %s s, no findings\n' "$target" "$executions" "$slowest"
        return 0
    fi
    printf '%-12s %10s executions, FAILED\n' "$target" "${executions:-?}"
    grep -E '^(==.*ERROR|SUMMARY|.*runtime error|artifact_prefix|terminate)' "$log" || true
    tail -n 40 "$log"
    return 1
}

# As many targets at a time as there are processors.
say "Fuzzing ${#targets[@]} targets for $seconds s each"
failed=0 running=0
for target in "${targets[@]}"; do
    if ((running == $(nproc))); then
        wait -n || failed=$((failed + 1))
        running=$((running - 1))
    fi
    fuzz "$target" &
    running=$((running + 1))
done
for ((; running > 0; running--)); do
    wait -n || failed=$((failed + 1))
done
if ((failed > 0)); then
    echo "$failed targets have findings; their inputs are in $findings"
    exit 1
fi
