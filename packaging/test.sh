#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests. Can be run again at any time.
# Arguments go to ctest, for example: packaging/test.sh -R Sampler
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/setup.sh

if [[ "${1:-}" == --help || "${1:-}" == -h ]]; then
    echo 'usage: packaging/test.sh [CTEST ARGUMENTS]'
    exit 0
fi

install_missing "${build_packages[@]}" "${test_packages[@]}" "${vulkan_packages[@]}"
cmake_options=(-DFIRESIDE_TESTS=ON)
configure_and_build all

say "Testing"
# Windows are drawn into memory, and nothing reads or writes the user's own chats and settings.
home="$PWD/build/release/test-home"
rm -rf "$home"
mkdir -p "$home/runtime"
chmod 700 "$home/runtime"
export HOME="$home" XDG_DATA_HOME="$home/data" XDG_CONFIG_HOME="$home/config" XDG_CACHE_HOME="$home/cache" \
    XDG_RUNTIME_DIR="$home/runtime" QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"
unset HF_HOME HF_HUB_CACHE OLLAMA_MODELS
exec ctest --test-dir build/release --output-on-failure --no-tests=error -j 2 "$@"
