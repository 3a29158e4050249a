#!/usr/bin/env bash
# in_test_home.sh BUILD_FOLDER COMMAND…: runs the command in a home of its own, so that nothing reads or
# writes the user's chats and settings, and windows are drawn into memory.
set -euo pipefail
home="$(realpath "$1")/test-home"
shift
rm -rf "$home"
mkdir -p "$home/runtime"
chmod 700 "$home/runtime"
export HOME="$home" XDG_DATA_HOME="$home/data" XDG_CONFIG_HOME="$home/config" XDG_CACHE_HOME="$home/cache" \
    XDG_RUNTIME_DIR="$home/runtime" QT_QPA_PLATFORM="${QT_QPA_PLATFORM:-offscreen}"
unset HF_HOME HF_HUB_CACHE OLLAMA_MODELS
exec "$@"
