#include "engine/text/rules/decoder.h"

#include "engine/text/rules/byte_level.h"
#include "engine/text/unicode.h"

#include <algorithm>
#include <array>

namespace fireside {
namespace {

using Texts = std::vector<std::string>;

std::string replaceAll(std::string_view text, std::string_view what, std::string_view with)
{
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t next = what.empty() ? text.npos : text.find(what, at);
        out.append(text.substr(at, next - at));
        if (next == text.npos)
            break;
        out.append(with);
        at = next + what.size();
    }
    return out;
}

std::string withoutEnglishGaps(std::string text)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 11> gaps{
        {{" .", "."},
         {" ?", "?"},
         {" !", "!"},
         {" ,", ","},
         {" ' ", "'"},
         {" n't", "n't"},
         {" 'm", "'m"},
         {" do not", " don't"},
         {" 's", "'s"},
         {" 've", "'ve"},
         {" 're", "'re"}}};
    if (text.find(' ') == text.npos)
        return text;
    for (const auto &[gap, without] : gaps)
        text = replaceAll(text, gap, without);
    return text;
}

struct DecodeStep
{
    Texts texts;
    bool isWhole; // else one token out of the middle

    bool isFirst(std::size_t i) const { return isWhole && i == 0; }

    void operator()(const Decoder::FromByteLevel &)
    {
        for (std::string &text : texts)
            text = fromByteLevel(text);
    }
    void operator()(const Decoder::FromByteTokens &)
    {
        for (std::string &text : texts)
            if (const auto byte = parseByteToken(text))
                text.assign(1, static_cast<char>(*byte));
    }
    void operator()(const Decoder::Fuse &)
    {
        std::string all;
        for (const std::string &text : texts)
            all += text;
        texts.assign(1, std::move(all));
    }
    void operator()(const Decoder::Replace &rule)
    {
        for (std::string &text : texts) {
            if (isWhole)
                text = replaceInvalidUtf8(text);
            if (isValidUtf8(text))
                text = rule.pattern.replaceAll(text, rule.with);
        }
    }
    void operator()(const Decoder::Strip &rule)
    {
        const std::string &c = rule.character;
        for (std::string &text : texts) {
            std::size_t begin = 0, end = text.size(), left = rule.begin;
            if (!isWhole || c.empty())
                continue;
            for (; left > 0 && text.compare(begin, c.size(), c) == 0; --left)
                begin += c.size();
            for (left = rule.end; left > 0 && end >= begin + c.size() &&
                                  text.compare(end - c.size(), c.size(), c) == 0;
                 --left)
                end -= c.size();
            text = text.substr(begin, end - begin);
        }
    }
    void operator()(const Decoder::Metaspace &rule)
    {
        for (std::size_t i = 0; i < texts.size(); ++i)
            texts[i] = replaceAll(texts[i], rule.mark, rule.dropFirst && isFirst(i) ? "" : " ");
    }
    void operator()(const Decoder::WordPiece &rule)
    {
        for (std::size_t i = 0; i < texts.size(); ++i) {
            std::string &text = texts[i];
            if (!rule.beginning.empty()) {
                if (text.starts_with(rule.beginning))
                    text.replace(0, rule.beginning.size(), isFirst(i) ? "" : " ");
            } else if (!isFirst(i)) {
                if (text.starts_with(rule.continuing))
                    text.erase(0, rule.continuing.size());
                else
                    text.insert(0, " ");
            }
            if (rule.cleanup)
                text = withoutEnglishGaps(std::move(text));
        }
    }
    void operator()(const Decoder::WordEnds &rule)
    {
        for (std::size_t i = 0; i < texts.size(); ++i)
            texts[i] =
                replaceAll(texts[i], rule.suffix, isWhole && i + 1 == texts.size() ? "" : " ");
    }
    void operator()(const Decoder::Ctc &rule)
    {
        texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
        for (std::string &text : texts) {
            text = replaceAll(text, rule.padding, "");
            if (rule.cleanup)
                text = replaceAll(withoutEnglishGaps(std::move(text)), rule.delimiter, " ");
        }
        std::erase_if(texts, [](const std::string &text) { return text.empty(); });
    }
    void operator()(const Decoder::SpacesBetween &)
    {
        for (std::size_t i = 0; i < texts.size(); ++i)
            if (!isFirst(i))
                texts[i].insert(0, " ");
    }
};

} // namespace

void Decoder::add(Step step)
{
    m_steps.push_back(std::move(step));
}

Texts Decoder::run(Texts tokens, bool isWhole) const
{
    DecodeStep state{std::move(tokens), isWhole};
    for (const Step &step : m_steps)
        std::visit(state, step);
    return std::move(state.texts);
}

std::string Decoder::decode(Texts tokens) const
{
    std::string all;
    for (const std::string &text : run(std::move(tokens), true))
        all += text;
    return all;
}

std::string Decoder::middle(std::string token) const
{
    Texts one(1, std::move(token));
    std::string all;
    for (const std::string &text : run(std::move(one), false))
        all += text;
    return all;
}

} // namespace fireside
