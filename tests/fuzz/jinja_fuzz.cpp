// libFuzzer target: any bytes as a chat template must render or throw Error. Input: the template, a
// zero byte, the content of the user's message.
#include "engine/core/error.h"
#include "engine/text/chat_template.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char *>(data), size);
    const std::size_t split = std::min(input.find('\0'), input.size());
    const std::string content(input.substr(std::min(split + 1, input.size())));
    try {
        const fireside::ChatTemplate source(input.substr(0, split));
        const auto text =
            source.render({{"system", "Be brief."}, {"user", content}}, true, "<s>", "</s>");
        std::size_t done = 0;
        for (const auto &[begin, end] : text.untrusted) {
            if (begin < done || begin >= end || end > text.text.size())
                __builtin_trap();
            done = end;
        }
    } catch (const fireside::Error &) {
    }
    return 0;
}
