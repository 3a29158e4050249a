#!/usr/bin/env bash
# check_ops.sh must notice an op that lacks one of its files. usage: check_ops_notices.sh CHECK
set -euo pipefail
check=$1
source=$(dirname "$check")/..
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/engine/cpu" "$work/engine/vulkan" "$work/tests"
cp -r "$source/engine/backend" "$work/engine/"
cp -r "$source/engine/cpu/ops" "$work/engine/cpu/"
cp -r "$source/engine/vulkan/ops" "$work/engine/vulkan/"
cp -r "$source/tests/conformance" "$work/tests/"
"$check" "$work" >/dev/null

# notices NEEDLE COMMAND…: after the command the check fails and says so.
notices() {
    local needle=$1
    shift
    cp -r "$work" "$work.copy"
    (cd "$work.copy" && "$@")
    if said=$("$check" "$work.copy"); then
        echo "not noticed: $*"
        exit 1
    fi
    if [[ "$said" != *"$needle"* ]]; then
        echo "noticed, but said: $said"
        exit 1
    fi
    rm -rf "$work.copy"
}
notices 'op::Softmax has no run() in engine/cpu/ops/softmax.cpp' rm engine/cpu/ops/softmax.cpp
notices 'op::TopK has no run() in engine/vulkan/ops/*/top_k.cpp' mv engine/vulkan/ops/rows/top_k.cpp engine/vulkan/ops/rows/topk.cpp
notices 'op::Pool has a run() on the CPU, but no struct' rm engine/backend/ops/pool.h
notices 'op::Pool: its struct should be in one file' cp engine/backend/ops/pool.h engine/backend/ops/pools.h
notices 'op::Argmax has no check()' sed -i '/void check/d' engine/backend/ops/argmax.h
notices 'op::Twice' sed -i 's/^struct Softmax$/struct Twice\n{\n    static constexpr const char *kName = "twice";\n};\nstruct Softmax/' engine/backend/ops/softmax.h
notices 'op::Gate has no test' sed -i 's/op::Gate{/op::Other{/' tests/conformance/elementwise_test.cpp tests/conformance/shapes_test.cpp
