#!/usr/bin/env bash
# Installs what the tests need besides, builds everything and runs all tests. Can be run again at any
# time. Arguments go to ctest, for example: packaging/test.sh -R Sampler
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/setup.sh

case "${1:-}" in
--help | -h)
    echo 'usage: packaging/test.sh [--build-only | CTEST ARGUMENTS]'
    exit 0
    ;;
esac

install_missing "${build_packages[@]}" "${test_packages[@]}" "${vulkan_packages[@]}"
cmake_options=(-DFIRESIDE_TESTS=ON)
configure_and_build all
if [[ "${1:-}" == --build-only ]]; then
    exit 0
fi

say "Testing"
exec packaging/in_test_home.sh build/release \
    ctest --test-dir build/release --output-on-failure --no-tests=error -j "$(nproc)" "$@"
