#!/usr/bin/env bash
# Cross-builds the CPU backend and its tests for 64-bit ARM (build/aarch64) and runs a selection of them
# with QEMU, whose processor has all instructions that the kernels can use: a minute or two. Arguments
# go to cpu_linear_test instead, for example: packaging/test_aarch64.sh --gtest_filter='*NEON*'
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/setup.sh

if [[ "$(uname -m)" == aarch64 ]]; then
    say "This is such a processor: packaging/test.sh tests its kernels"
    exit 0
fi
install_missing cmake ninja-build ccache g++-aarch64-linux-gnu qemu-user googletest nlohmann-json3-dev libxxhash-dev || {
    say "Without these nothing is built for 64-bit ARM"
    exit 0
}

cmake -G Ninja -S packaging/cpu_alone -B build/aarch64 -DCMAKE_BUILD_TYPE=Release -DFIRESIDE_WERROR=ON \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/packaging/cmake/aarch64.cmake" >build/aarch64-configure.log || {
    cat build/aarch64-configure.log
    exit 1
}
cmake --build build/aarch64 -j "$(build_jobs)"

run() {
    local program=$1
    shift
    qemu-aarch64 -cpu max -L /usr/aarch64-linux-gnu "build/aarch64/bin/$program" --gtest_brief=1 "$@"
}
if (($# > 0)); then
    run cpu_linear_test "$@"
    exit
fi
run core_test
run cpu_linear_test --gtest_filter='*MatchesDouble*NEON*:*Extreme*NEON*:QuantizeRow*:LinearKernelChoice*'
run cpu_ops_test --gtest_filter='PeakLoops*:*neon*-*LongPast*:*GroupSizes*:*WeightedSums*'
