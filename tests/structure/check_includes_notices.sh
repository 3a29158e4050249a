#!/usr/bin/env bash
# Gives the include check small trees with one wrong line each: it must fail and name the line.
set -euo pipefail
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree"/{packaging,engine/core,engine/cpu,engine/model,app/cli,ui/chat}
cp "$check" "$tree/packaging/"

# expect STATUS FILE LINE: the tree with only this line in this file.
expect() {
    local status=0 output
    find "$tree/engine" "$tree/app" "$tree/ui" -type f -delete
    echo "$3" >"$tree/$2"
    output=$("$tree/packaging/check_includes.sh" 2>&1) || status=$?
    if ((status != $1)); then
        echo "'$3' in $2: exit status $status, expected $1. It said: $output" >&2
        exit 1
    fi
    if ((status != 0)) && [[ "$output" != *"$2"* ]]; then
        echo "'$3' in $2: the message does not name the file: $output" >&2
        exit 1
    fi
}

expect 0 engine/core/a.cpp '#include "engine/core/error.h"'
expect 0 ui/chat/a.cpp '#include "app/chat/conversation.h"'
expect 0 app/main.cpp '#include "ui/main_window.h"'
expect 1 engine/core/a.cpp '#include "engine/tensor/dtype.h"'
expect 1 engine/model/a.cpp '#include "engine/cpu/simd/kernels.h"'
expect 1 engine/model/a.h '  #  include "engine/generate/session.h"'
expect 1 engine/cpu/a.cpp '#include "engine/model/model.h"'
expect 1 app/cli/a.cpp '#include "engine/vulkan/platform/device.h"'
expect 1 app/cli/a.cpp '#include "ui/main_window.h"'
expect 1 ui/chat/a.cpp '#include "engine/core/error.h"'
expect 1 ui/chat/a.cpp '#include <QSqlDatabase>'
expect 1 engine/core/a.h '#include <QString>'
expect 1 engine/core/a.cpp 'std::jthread([this] { run(); });'
expect 1 app/cli/a.cpp 'QtConcurrent::run([path] { return read(path); });'
expect 0 app/cli/a.cpp 'm_thread = std::jthread([this] { containExceptions("x", [&] { run(); }); });'

# A constant of the shaders defined once more in C++.
mkdir -p "$tree/shaders/ops" "$tree/engine/vulkan"
echo 'SHARED_CONSTANT kManyRows = 512;' >"$tree/shaders/ops/a.h"
expect 1 engine/vulkan/a.cpp 'constexpr std::int64_t kManyRows = 32;'
expect 0 engine/vulkan/a.cpp 'constexpr std::int64_t kManyRowsOf = 32;'
