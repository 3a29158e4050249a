#include "engine/text/reply/reply_parts.h"

namespace fireside {

void append(std::vector<ReplyPart> &parts, const ReplyDelta &delta)
{
    if (delta.takesAllBefore && !parts.empty()) {
        ReplyPart all{ReplyPartKind::Reasoning, {}, {}, {}};
        for (const ReplyPart &part : parts) {
            all.raw += part.raw;
            all.text += part.text;
        }
        parts.assign(1, std::move(all));
        parts.back().raw += delta.raw;
        return;
    }
    const bool shows = !delta.text.empty() || delta.call || delta.begins;
    const bool joins =
        !parts.empty() &&
        (!shows || (!delta.begins && !delta.call && parts.back().kind == delta.kind));
    const bool onlyRaw = parts.size() == 1 && parts[0].text.empty() && !parts[0].call;
    if (!joins && onlyRaw) { // what opened the first part that shows something
        parts[0].kind = delta.kind;
        parts[0].call = delta.call;
    } else if (!joins) {
        parts.push_back({delta.kind, {}, {}, delta.call});
    }
    parts.back().raw += delta.raw;
    parts.back().text += delta.text;
}

std::vector<ReplyPart> joined(std::span<const ReplyDelta> deltas)
{
    std::vector<ReplyPart> parts;
    for (const ReplyDelta &delta : deltas)
        append(parts, delta);
    return parts;
}

} // namespace fireside
