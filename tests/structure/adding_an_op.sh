#!/usr/bin/env bash
# The worked example of engine/README.md: adding_an_op/op.patch adds an op. It must still fit the code, be
# complete, and compile. usage: adding_an_op.sh PROJECT COMPILER ON|OFF (of Vulkan)
set -euo pipefail
project=$1 compiler=$2 vulkan=$3
example=$project/tests/structure/adding_an_op/op.patch
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{engine/cpu,engine/vulkan,tests}
cp -r "$project/engine/backend" "$work/engine/"
cp -r "$project/engine/cpu/ops" "$work/engine/cpu/"
cp -r "$project/engine/vulkan/ops" "$work/engine/vulkan/"
cp -r "$project/shaders" "$work/"
cp -r "$project/tests/conformance" "$work/tests/"
patch -d "$work" -p1 --no-backup-if-mismatch <"$example" >/dev/null
"$project/packaging/check_ops.sh" "$work"

files=$(grep -c '^+++ b/\(engine\|shaders\)/' "$example")
echo "an op takes $files files"
((files <= 5))

cmake -DOPS_FOLDER="$work/engine/backend/ops" -DOP_LIST="$work/generated/engine/backend/op_list.h" \
    -P "$work/engine/backend/op_list.cmake"
compile() {
    "$compiler" -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I"$work" -I"$work/generated" -I"$project" \
        -isystem "$project/build/glslang/include" "$work/$1"
}
compile engine/cpu/ops/reciprocal.cpp
compile tests/conformance/reciprocal_test.cpp
if [[ "$vulkan" == ON ]]; then
    compile engine/vulkan/ops/rows/reciprocal.cpp
    glslang=$project/build/glslang/bin/glslangValidator
    [[ -x "$glslang" ]] || glslang=glslangValidator
    "$glslang" --quiet --target-env vulkan1.2 -I"$work" -o "$work/reciprocal.spv" "$work/shaders/ops/rows/reciprocal.comp"
fi
