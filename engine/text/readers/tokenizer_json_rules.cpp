#include "engine/text/readers/tokenizer_json_rules.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"

#include <nlohmann/json.hpp>

namespace fireside {
namespace {

using nlohmann::json;

constexpr std::string_view kMetaspace = "\xE2\x96\x81";

using Behavior = PreTokenizer::Behavior;

const json *findMember(const json &object, const char *key)
{
    if (!object.is_object())
        return nullptr;
    const auto it = object.find(key);
    return it == object.end() || it->is_null() ? nullptr : &*it;
}

const json &requireList(const json &object, const char *key, const std::string &where)
{
    const json *list = findMember(object, key);
    if (!list || !list->is_array())
        throwBadInput(where + ": '" + key + "' is no list");
    return *list;
}

std::string typeOf(const json &rule, const std::string &where)
{
    if (!rule.is_object())
        throwBadInput(where + " is no object");
    return jsonString(rule, "type", where);
}

/// "pattern": {"String": …} or {"Regex": …}
Regex readPattern(const json &rule, const std::string &where)
{
    const json *pattern = findMember(rule, "pattern");
    if (pattern && findMember(*pattern, "String"))
        return Regex(Regex::escape(jsonString(*pattern, "String", where)), where);
    if (pattern && findMember(*pattern, "Regex"))
        return Regex(jsonString(*pattern, "Regex", where), where);
    throwBadInput(where + ": 'pattern' is neither a String nor a Regex");
}

PreTokenizer::Behavior readBehavior(const json &rule, const std::string &where,
                                    const char *fallback = "Isolated")
{
    const std::string name = jsonStringOr(rule, "behavior", fallback, where);
    for (const auto &[known, behavior] :
         {std::pair{"Removed", Behavior::Removed}, std::pair{"Isolated", Behavior::Isolated},
          std::pair{"MergedWithPrevious", Behavior::MergedWithPrevious},
          std::pair{"MergedWithNext", Behavior::MergedWithNext},
          std::pair{"Contiguous", Behavior::Contiguous}})
        if (name == known)
            return behavior;
    throwUnsupported(where + ": the behavior " + fireside::quoted(name) + " is not supported");
}

PreTokenizer::Prepend readPrepend(const json &rule, const std::string &where)
{
    const bool older = jsonBoolOr(rule, "add_prefix_space", true, where);
    const std::string scheme =
        jsonStringOr(rule, "prepend_scheme", older ? "always" : "never", where);
    if (scheme == "always")
        return PreTokenizer::Prepend::Always;
    if (scheme == "first")
        return PreTokenizer::Prepend::First;
    if (scheme == "never")
        return PreTokenizer::Prepend::Never;
    throwUnsupported(where + ": the prepend_scheme " + fireside::quoted(scheme) +
                     " is not supported");
}

void readPreTokenizerRule(const json &rule, const std::string &where, bool isLast,
                          PreTokenizer &out, PreTokenizerFacts &facts)
{
    const std::string type = typeOf(rule, where);
    if (type == "Sequence") {
        const json &list = requireList(rule, "pretokenizers", where);
        for (std::size_t i = 0; i < list.size(); ++i)
            readPreTokenizerRule(list[i], where + ".pretokenizers[" + std::to_string(i) + "]",
                                 isLast && i + 1 == list.size(), out, facts);
    } else if (type == "ByteLevel") {
        facts.byteLevel = true;
        if (jsonBoolOr(rule, "add_prefix_space", true, where))
            out.add(PreTokenizer::PrefixSpace{});
        if (jsonBoolOr(rule, "use_regex", true, where))
            out.add(PreTokenizer::Split{Regex(kGpt2Pattern, where)});
        if (!isLast)
            out.add(PreTokenizer::MapBytes{});
    } else if (type == "Split") {
        out.add(PreTokenizer::Split{readPattern(rule, where), readBehavior(rule, where),
                                    jsonBoolOr(rule, "invert", false, where)});
    } else if (type == "Digits") {
        const bool individual = jsonBoolOr(rule, "individual_digits", false, where);
        out.add(PreTokenizer::Split{Regex("\\p{N}", where),
                                    individual ? Behavior::Isolated : Behavior::Contiguous});
    } else if (type == "Punctuation") {
        out.add(
            PreTokenizer::Split{Regex("[\\p{P}!-/:-@\\[-`{-~]", where), readBehavior(rule, where)});
    } else if (type == "WhitespaceSplit") {
        out.add(PreTokenizer::Split{Regex("\\s", where), Behavior::Removed});
    } else if (type == "Whitespace") {
        out.add(PreTokenizer::Split{Regex("[\\w\\p{M}]+|[^\\w\\p{M}\\s]+", where),
                                    Behavior::Removed, true});
    } else if (type == "Metaspace") {
        const std::string mark = jsonStringOr(rule, "replacement", std::string(kMetaspace), where);
        out.add(PreTokenizer::Metaspace{mark, readPrepend(rule, where)});
        if (jsonBoolOr(rule, "split", true, where))
            out.add(
                PreTokenizer::Split{Regex(Regex::escape(mark), where), Behavior::MergedWithNext});
    } else {
        throwUnsupported(where + ": the pre-tokenizer type " + fireside::quoted(type) +
                         " is not supported");
    }
}

void readDecoderRule(const json &rule, const std::string &where, DecoderFacts &facts)
{
    const std::string type = typeOf(rule, where);
    if (type == "Sequence") {
        const json &list = requireList(rule, "decoders", where);
        for (std::size_t i = 0; i < list.size(); ++i)
            readDecoderRule(list[i], where + ".decoders[" + std::to_string(i) + "]", facts);
    } else if (type == "ByteLevel") {
        facts.byteLevel = true;
    } else if (type == "Metaspace") {
        facts.marksSpaces = true;
        facts.stripFirstSpace = readPrepend(rule, where) != PreTokenizer::Prepend::Never;
    } else if (type == "Replace") {
        const json *pattern = findMember(rule, "pattern");
        if (!pattern || jsonStringOr(*pattern, "String", "", where) != kMetaspace ||
            jsonString(rule, "content", where) != " ")
            throwUnsupported(where + ": a Replace other than of spaces is not supported");
        facts.marksSpaces = true;
    } else if (type == "Strip") {
        const json *start = findMember(rule, "start");
        facts.stripFirstSpace = jsonStringOr(rule, "content", " ", where) == " " && start &&
                                start->is_number_integer() && start->get<std::int64_t>() > 0;
    } else if (type != "ByteFallback" && type != "Fuse") {
        throwUnsupported(where + ": the decoder type " + fireside::quoted(type) +
                         " is not supported");
    }
}

} // namespace

std::string jsonString(const json &object, const char *key, const std::string &where)
{
    const json *value = findMember(object, key);
    if (!value || !value->is_string())
        throwBadInput(where + ": '" + key + "' is no string");
    return value->get<std::string>();
}

std::string jsonStringOr(const json &object, const char *key, std::string fallback,
                         const std::string &where)
{
    return findMember(object, key) ? jsonString(object, key, where) : std::move(fallback);
}

bool jsonBoolOr(const json &object, const char *key, bool fallback, const std::string &where)
{
    const json *value = findMember(object, key);
    if (!value)
        return fallback;
    if (!value->is_boolean())
        throwBadInput(where + ": '" + key + "' is neither true nor false");
    return value->get<bool>();
}

void readNormalizer(const json &section, const std::string &where, Normalizer &out)
{
    if (section.is_null())
        return;
    const std::string type = typeOf(section, where);
    if (type == "Sequence") {
        const json &list = requireList(section, "normalizers", where);
        for (std::size_t i = 0; i < list.size(); ++i)
            readNormalizer(list[i], where + ".normalizers[" + std::to_string(i) + "]", out);
    } else if (type == "NFC") {
        out.add(Normalizer::Form{NormalForm::Nfc});
    } else if (type == "NFD") {
        out.add(Normalizer::Form{NormalForm::Nfd});
    } else if (type == "NFKC") {
        out.add(Normalizer::Form{NormalForm::Nfkc});
    } else if (type == "NFKD") {
        out.add(Normalizer::Form{NormalForm::Nfkd});
    } else if (type == "Lowercase") {
        out.add(Normalizer::Lowercase{});
    } else if (type == "StripAccents") {
        out.add(Normalizer::StripAccents{});
    } else if (type == "Strip") {
        out.add(Normalizer::Strip{jsonBoolOr(section, "strip_left", true, where),
                                  jsonBoolOr(section, "strip_right", true, where)});
    } else if (type == "Prepend") {
        out.add(Normalizer::Prepend{jsonString(section, "prepend", where)});
    } else if (type == "Replace") {
        out.add(Normalizer::Replace{readPattern(section, where),
                                    jsonString(section, "content", where)});
    } else {
        throwUnsupported(where + ": the normalizer type " + fireside::quoted(type) +
                         " is not supported");
    }
}

PreTokenizerFacts readPreTokenizer(const json &section, const std::string &where, PreTokenizer &out)
{
    PreTokenizerFacts facts;
    if (!section.is_null())
        readPreTokenizerRule(section, where, true, out, facts);
    return facts;
}

DecoderFacts readDecoder(const json &section, const std::string &where)
{
    DecoderFacts facts;
    if (!section.is_null())
        readDecoderRule(section, where, facts);
    return facts;
}

} // namespace fireside
