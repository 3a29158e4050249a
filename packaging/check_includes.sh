#!/usr/bin/env bash
# Checks who includes whom. The table below is the picture in README.md as data.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# folder: what its files may include, besides system and third-party headers
rules='
engine/core      engine/core
engine/tensor    engine/core engine/tensor
engine/files     engine/core engine/tensor engine/files
engine/text      engine/core engine/tensor engine/files engine/text
engine/text/rules       engine/core engine/text/unicode engine/text/rules
engine/text/tokenizers  engine/core engine/text/unicode engine/text/marked_text engine/text/tokenizer engine/text/rules engine/text/tokenizers
engine/text/readers     engine/core engine/tensor engine/files engine/text/unicode engine/text/tokenizer engine/text/rules engine/text/tokenizers engine/text/readers
engine/text/jinja/values    engine/core engine/text/marked_text engine/text/jinja/values
engine/text/jinja/syntax    engine/core engine/text/jinja/values engine/text/jinja/syntax
engine/text/jinja/builtins  engine/core engine/text/jinja/values engine/text/jinja/builtins
engine/text/jinja           engine/core engine/text/jinja
engine/constrain  engine/core engine/text engine/constrain
engine/backend   engine/core engine/tensor engine/backend
engine/cpu       engine/core engine/tensor engine/backend engine/cpu
engine/cpu/simd    engine/core engine/tensor engine/backend engine/cpu/simd
engine/cpu/linear  engine/core engine/tensor engine/backend engine/cpu/simd engine/cpu/linear
engine/cpu/memory  engine/core engine/tensor engine/backend engine/cpu/simd engine/cpu/linear engine/cpu/memory
engine/cpu/ops     engine/core engine/tensor engine/backend engine/cpu/simd engine/cpu/linear engine/cpu/memory engine/cpu/ops
engine/vulkan    engine/core engine/tensor engine/backend engine/vulkan shaders
engine/vulkan/platform  engine/core engine/tensor engine/backend engine/vulkan/platform shaders
engine/vulkan/probe     engine/core engine/tensor engine/backend engine/vulkan/platform engine/vulkan/probe shaders
engine/vulkan/weights   engine/core engine/tensor engine/backend engine/vulkan/platform engine/vulkan/weights shaders
engine/vulkan/pass      engine/core engine/tensor engine/backend engine/vulkan/platform engine/vulkan/weights engine/vulkan/pass shaders
engine/vulkan/ops       engine/core engine/tensor engine/backend engine/vulkan/platform engine/vulkan/weights engine/vulkan/pass engine/vulkan/ops shaders
engine/model     engine/core engine/tensor engine/files engine/backend engine/model
engine/model/describe  engine/core engine/tensor engine/files engine/backend engine/model engine/text/remarks
engine/generate  engine/core engine/tensor engine/files engine/backend engine/text engine/constrain engine/model engine/generate
engine/convert   engine/core engine/tensor engine/files engine/text engine/model engine/convert
engine/fallback  engine/core engine/tensor engine/backend engine/fallback
engine/chat_prompt  engine/core engine/text engine/model engine/generate engine/engine engine/chat_prompt
engine/engine    engine/core engine/tensor engine/files engine/backend engine/text engine/constrain engine/model engine/generate engine/engine engine/chat_prompt engine/engine_choice engine/fallback
engine/engine_choice  engine/core engine/tensor engine/files engine/backend engine/text engine/constrain engine/model engine/generate engine/engine engine/engine_choice engine/fallback
engine/measure_model  engine/core engine/tensor engine/files engine/backend engine/text engine/constrain engine/model engine/generate engine/engine engine/measure_speed engine/measure_model
engine/measure_speed  engine/backend engine/measure_speed
engine/movable_model  engine/core engine/tensor engine/files engine/backend engine/text engine/model engine/generate engine/engine engine/fallback engine/movable_model
engine/shared_model  engine/core engine/generate engine/movable_model
engine/driver_process  engine/core engine/driver_process
engine/report_json  engine/core engine/backend engine/report_json
engine/probe_apart  engine/core engine/files engine/backend engine/driver_process engine/report_json engine/probe_apart
app/main         app ui
app/files        app/files
app/network      app/files app/network
app/downloads    app/files app/network app/downloads
app/tools        app/files app/network app/remote/event_reader app/remote/secret_store app/tools engine/constrain engine/core/error engine/core/exception_guard engine/text/reply/call_values
app/hub          app/files app/network app/downloads app/hub
app              app engine/chat_prompt engine/measure_model engine/movable_model engine/probe_apart engine/report_json engine/core engine/tensor engine/files engine/backend engine/text engine/constrain engine/model engine/generate engine/convert engine/engine
ui/math          ui/math
ui/transcript    ui/math ui/style ui/transcript app
ui/transcript/message_editor  ui/style ui/chat/attachment_list ui/chat/message_field ui/transcript app
ui               ui app
'

# The most specific rule of a file: its longest prefix in the table.
allowed_for() {
    awk -v file="$1" '$1 && (index(file, $1 "/") == 1 || index(file, $1 ".") == 1) && length($1) > best {
        best = length($1); $1 = ""; line = $0 } END { print line }' <<<"$rules"
}

problems=0
complain() {
    echo "$1" >&2
    problems=$((problems + 1))
}

checked=0
while IFS= read -r file; do
    checked=$((checked + 1))
    read -ra allowed <<<"$(allowed_for "$file")"
    if ((${#allowed[@]} == 0)); then
        complain "$file: in no folder that the table of include directions knows"
        continue
    fi
    while IFS= read -r header; do
        [[ "$header" == */* ]] || continue # generated beside the file
        fine=false
        for place in "${allowed[@]}"; do
            if [[ "$header" == "$place"/* || "$header" == "$place".* ]]; then
                fine=true
                break
            fi
        done
        $fine || complain "$file includes $header"
    done < <(sed -nE 's/^[[:space:]]*#[[:space:]]*include[[:space:]]+"([^"]+)".*/\1/p' "$file")
done < <(find engine app ui -name '*.h' -o -name '*.cpp' | sort)

# The engine knows no Qt; the user interface does no storage or network of its own.
while IFS= read -r hit; do
    complain "Qt in the engine: $hit"
done < <(grep -rnE '#[[:space:]]*include[[:space:]]+<Q[A-Za-z]' engine app/cli app/bench app/server --include='*.h' --include='*.cpp' || true)
while IFS= read -r hit; do
    complain "storage or network in the user interface: $hit"
done < <(grep -rnE '#[[:space:]]*include[[:space:]]+<(QSql|QNetwork|QSettings)' ui --include='*.h' --include='*.cpp' || true)

# Whoever connects goes through the gate, which refuses while the program is offline and keeps the list.
while IFS= read -r hit; do
    complain "a way out beside app/network: $hit"
done < <(grep -rnE '#[[:space:]]*include[[:space:]]+<(QNetwork(Access|Request|Reply)|Q(Tcp|Udp|Ssl|Abstract)Socket|QHttp|QWebSocket)' \
    app ui --include='*.h' --include='*.cpp' | grep -v '^app/network/' || true)

# A constant of the shaders that C++ defines once more would be taken in its place without a word.
while IFS= read -r name; do
    while IFS= read -r hit; do
        complain "a constant of the shaders once more: $hit"
    done < <(grep -rnE "constexpr [A-Za-z_:0-9]+ $name\b" engine/vulkan --include='*.h' --include='*.cpp' || true)
done < <(grep -rhoE "SHARED_CONSTANT k[A-Za-z0-9_]+" shaders --include="*.h" 2>/dev/null | cut -d' ' -f2 | sort -u)

# An exception that leaves a thread ends the program; one in a QtConcurrent task is lost with its result.
while IFS= read -r hit; do
    complain "a thread or task without containExceptions() (engine/core/exception_guard.h): $hit"
done < <(find engine app ui -name '*.h' -o -name '*.cpp' | sort | xargs awk '
    FNR == 1 { if (open) print place; open = 0 }
    open && /containExceptions|inBackground|contains exceptions|try \{/ { open = 0 }
    open && FNR > line + 6 { print place; open = 0 }
    !open && /(std::j?thread|[tT]hread|m_writer|[tT]hreads\.emplace_back|workers\.emplace_back|QtConcurrent::run)\(\[/ {
        place = FILENAME ":" FNR; line = FNR; open = !/contains exceptions|containExceptions/ }
    END { if (open) print place }')

if ((checked == 0)); then
    complain "no source files were found"
fi
if ((problems > 0)); then
    echo "$problems include problems in $checked files" >&2
    exit 1
fi
echo "Include directions are right in $checked files."
