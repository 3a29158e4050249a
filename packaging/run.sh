#!/usr/bin/env bash
# Installs what is missing, builds Fireside and starts it. Can be run again at any time.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source packaging/setup.sh

usage() {
    cat <<'END'
usage: packaging/run.sh [--build-only] [-- ARGUMENTS OF THE PROGRAM]

Installs the missing packages through apt (asking for your password if needed), builds into build/release
and starts the program.

  --build-only   build, do not start
  --help         this text
END
}

build_only=false
while (($# > 0)); do
    case "$1" in
    --build-only) build_only=true ;;
    --help | -h)
        usage
        exit 0
        ;;
    --)
        shift
        break
        ;;
    *)
        usage >&2
        exit 2
        ;;
    esac
    shift
done

install_missing "${build_packages[@]}"
install_optional "${vulkan_packages[@]}" "${font_packages[@]}"
cmake_options=(-DFIRESIDE_TESTS=OFF)
configure_and_build fireside fireside-cli

program=build/release/bin/fireside
say "Built: $program and build/release/bin/fireside-cli"
if $build_only; then
    exit 0
fi
if [[ -z "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]]; then
    say "There is no display here, so the window cannot open. In a terminal you can chat like this:"
    cat <<'END'
   build/release/bin/fireside-cli run resources/models/fireside-starter-29m-q5_k_m.gguf -p "Who are you?"
   build/release/bin/fireside-cli devices
   build/release/bin/fireside-cli --help
END
    exit 0
fi
say "Starting Fireside"
exec "$program" "$@"
