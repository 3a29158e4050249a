#!/usr/bin/env bash
# Each op, a struct with a kName in engine/backend/ops/NAME.h, has a home of the same name everywhere: beside
# the struct its check, its run() in engine/cpu/ops/NAME.cpp and engine/vulkan/ops/*/NAME.cpp, and a
# test in tests/conformance/NAME_test.cpp. Prints what is missing; its exit status says whether something is.
# usage: packaging/check_ops.sh [FOLDER OF THE PROJECT]
set -euo pipefail
cd "${1:-$(dirname "${BASH_SOURCE[0]}")/..}"

problems=0
complain() {
    echo "$1"
    problems=$((problems + 1))
}

ops=0
while IFS= read -r op; do
    ops=$((ops + 1))
    header=$(grep -lE "^struct $op\$" engine/backend/ops/*.h || true)
    if [[ -z "$header" || "$header" == *$'\n'* ]]; then
        complain "op::$op: its struct should be in one file of engine/backend/ops, found: ${header:-none}"
        continue
    fi
    name=$(basename "$header" .h)
    grep -qE "void check\(const $op &" "$header" || complain "op::$op has no check() in $header"
    grep -qE "void run\(OpCall &.*const op::$op &" "engine/cpu/ops/$name.cpp" 2>/dev/null ||
        complain "op::$op has no run() in engine/cpu/ops/$name.cpp"
    grep -qE "void run\(Recorder &.*const op::$op &" engine/vulkan/ops/*/"$name.cpp" 2>/dev/null ||
        complain "op::$op has no run() in engine/vulkan/ops/*/$name.cpp"
    grep -qE "op::$op\{" "tests/conformance/${name}_test.cpp" 2>/dev/null ||
        complain "op::$op has no test in tests/conformance/${name}_test.cpp"
done < <(grep -hB2 'static constexpr const char \*kName' engine/backend/ops/*.h | sed -nE 's/^struct ([A-Za-z0-9]+)$/\1/p' | sort -u)
while IFS= read -r op; do
    grep -qE "^struct $op\$" engine/backend/ops/*.h || complain "op::$op has a run() on the CPU, but no struct in engine/backend/ops"
done < <(sed -nE 's/^void run\(OpCall &.*const op::([A-Za-z0-9]+) &.*/\1/p' engine/cpu/ops/*.cpp)

((ops > 0)) || complain "no ops were found in engine/backend/ops"
if ((problems > 0)); then
    exit 1
fi
echo "$ops ops have their files."
