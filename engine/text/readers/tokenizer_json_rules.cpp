#include "engine/text/readers/tokenizer_json_rules.h"

#include "engine/core/base64.h"
#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/text/readers/json_fields.h"

#include <nlohmann/json.hpp>

namespace fireside {
namespace {

using nlohmann::json;

constexpr std::string_view kMetaspace = "\xE2\x96\x81";
constexpr std::size_t kMaxRules = 1000; // of a kind: each costs a walk over every text
// Words and runs of symbols. Joiners count as parts of words, and of Latin-1's numbers the digits:
// the rule is of another kind of regular expressions than those in files.
#define FIRESIDE_WORD R"((?![\x{B2}\x{B3}\x{B9}\x{BC}-\x{BE}])[\w\x{200C}\x{200D}])"
constexpr const char *kWords = "(?:" FIRESIDE_WORD ")+|(?:(?!" FIRESIDE_WORD R"()\S)+)";

using Behavior = PreTokenizer::Behavior;

const json *findMember(const json &object, const char *key)
{
    const json &value = jsonMember(object, key);
    return value.is_null() ? nullptr : &value;
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

void checkCount(std::size_t rules, const std::string &where)
{
    if (rules > kMaxRules)
        throwBadInput(where + ": more than " + std::to_string(kMaxRules) + " rules");
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

/// One character, as text.
std::string readCharacter(const json &rule, const char *key, const std::string &fallback,
                          const std::string &where)
{
    std::string text = jsonStringOr(rule, key, fallback, where);
    if (text.empty() || decodeUtf8(text, 0).length != text.size())
        throwBadInput(where + ": '" + key + "' is not one character");
    return text;
}

class PreTokenizerReader
{
public:
    PreTokenizerReader(bool bytesOut, PreTokenizer &out)
        : m_bytesOut(bytesOut)
        , m_out(out)
    {}

    void read(const json &rule, const std::string &where, bool isLast)
    {
        checkCount(m_out.size(), where);
        const std::string type = typeOf(rule, where);
        if (type == "Sequence") {
            const json &list = requireList(rule, "pretokenizers", where);
            for (std::size_t i = 0; i < list.size(); ++i)
                read(list[i], where + ".pretokenizers[" + std::to_string(i) + "]",
                     isLast && i + 1 == list.size());
        } else if (type == "ByteLevel") {
            readByteLevel(rule, where, isLast);
        } else if (type == "Metaspace") {
            readMetaspace(rule, where);
        } else if (!readCut(type, rule, where)) {
            throwUnsupported(where + ": the pre-tokenizer type " + fireside::quoted(type) +
                             " is not supported");
        }
    }

    const PreTokenizerFacts &facts() const { return m_facts; }

private:
    void readByteLevel(const json &rule, const std::string &where, bool isLast)
    {
        m_facts.byteLevel = true;
        if (jsonBoolOr(rule, "add_prefix_space", true, where))
            m_out.add(PreTokenizer::PrefixSpace{});
        if (jsonBoolOr(rule, "use_regex", true, where))
            m_out.add(PreTokenizer::Split{Regex(kGpt2Pattern, where)});
        m_facts.mapsLast = isLast;
        if (!isLast || !m_bytesOut) // there and back would be for nothing
            m_out.add(PreTokenizer::MapBytes{});
    }

    void readMetaspace(const json &rule, const std::string &where)
    {
        const std::string mark = readCharacter(rule, "replacement", std::string(kMetaspace), where);
        m_out.add(PreTokenizer::Metaspace{mark, readPrepend(rule, where)});
        if (jsonBoolOr(rule, "split", true, where))
            m_out.add(
                PreTokenizer::Split{Regex(Regex::escape(mark), where), Behavior::MergedWithNext});
    }

    /// The rules that only cut.
    bool readCut(const std::string &type, const json &rule, const std::string &where)
    {
        if (type == "Split") {
            m_out.add(PreTokenizer::Split{readPattern(rule, where), readBehavior(rule, where),
                                          jsonBoolOr(rule, "invert", false, where)});
        } else if (type == "Digits") {
            const bool individual = jsonBoolOr(rule, "individual_digits", false, where);
            m_out.add(PreTokenizer::Characters{isNumeric, individual ? Behavior::Isolated
                                                                     : Behavior::Contiguous});
        } else if (type == "Punctuation") {
            m_out.add(PreTokenizer::Characters{isPunctuation, readBehavior(rule, where)});
        } else if (type == "WhitespaceSplit") {
            m_out.add(PreTokenizer::Characters{isWhiteSpace, Behavior::Removed});
        } else if (type == "BertPreTokenizer") {
            m_out.add(PreTokenizer::Characters{isWhiteSpace, Behavior::Removed});
            m_out.add(PreTokenizer::Characters{isPunctuation, Behavior::Isolated});
        } else if (type == "Whitespace") {
            m_out.add(PreTokenizer::Split{Regex(kWords, where), Behavior::Removed, true});
        } else if (type == "UnicodeScripts") {
            m_out.add(
                PreTokenizer::Split{Regex(scriptRunPattern(), where), Behavior::Removed, true});
        } else if (type == "CharDelimiterSplit") {
            const std::string character = readCharacter(rule, "delimiter", "", where);
            m_out.add(
                PreTokenizer::Split{Regex(Regex::escape(character), where), Behavior::Removed});
        } else if (type == "FixedLength") {
            const std::size_t length = jsonCountOr(rule, "length", 5, where);
            if (length == 0)
                throwBadInput(where + ": pieces of length 0");
            m_out.add(PreTokenizer::FixedLength{length});
        } else {
            return false;
        }
        return true;
    }

    bool m_bytesOut;
    PreTokenizer &m_out;
    PreTokenizerFacts m_facts;
};

class DecoderReader
{
public:
    explicit DecoderReader(Decoder &out)
        : m_out(out)
    {}

    void read(const json &rule, const std::string &where)
    {
        checkCount(m_out.size(), where);
        const std::string type = typeOf(rule, where);
        if (type == "Sequence") {
            const json &list = requireList(rule, "decoders", where);
            for (std::size_t i = 0; i < list.size(); ++i)
                read(list[i], where + ".decoders[" + std::to_string(i) + "]");
            return;
        }
        m_types += (m_types.empty() ? "" : " ") + type;
        if (type == "ByteLevel")
            m_out.add(Decoder::FromByteLevel{});
        else if (type == "ByteFallback")
            m_out.add(Decoder::FromByteTokens{});
        else if (type == "Fuse")
            m_out.add(Decoder::Fuse{});
        else if (type == "Metaspace")
            readMetaspace(rule, where);
        else if (type == "Replace")
            readReplace(rule, where);
        else if (type == "Strip")
            readStrip(rule, where);
        else if (type == "WordPiece")
            m_out.add(Decoder::WordPiece{jsonStringOr(rule, "prefix", "##", where), "",
                                         jsonBoolOr(rule, "cleanup", true, where)});
        else if (type == "BPEDecoder")
            m_out.add(Decoder::WordEnds{jsonStringOr(rule, "suffix", "</w>", where)});
        else if (type == "CTC")
            m_out.add(Decoder::Ctc{jsonStringOr(rule, "pad_token", "<pad>", where),
                                   jsonStringOr(rule, "word_delimiter_token", "|", where),
                                   jsonBoolOr(rule, "cleanup", true, where)});
        else
            throwUnsupported(where + ": the decoder type " + fireside::quoted(type) +
                             " is not supported");
    }

    DecoderFacts facts() const
    {
        DecoderFacts facts;
        facts.byteLevel = m_types == "ByteLevel";
        const bool strips = m_types == "Replace ByteFallback Fuse Strip";
        facts.sentencePiece = m_plain && (strips || m_types == "Replace ByteFallback Fuse");
        facts.stripFirstSpace = strips;
        facts.marksSpaces = m_marksSpaces;
        return facts;
    }

private:
    void readMetaspace(const json &rule, const std::string &where)
    {
        const bool drops = readPrepend(rule, where) != PreTokenizer::Prepend::Never;
        m_out.add(Decoder::Metaspace{
            readCharacter(rule, "replacement", std::string(kMetaspace), where), drops});
        m_marksSpaces = true;
    }

    void readReplace(const json &rule, const std::string &where)
    {
        const std::string with = jsonString(rule, "content", where);
        const json *pattern = findMember(rule, "pattern");
        const bool marks =
            with == " " && pattern && jsonStringOr(*pattern, "String", "", where) == kMetaspace;
        m_marksSpaces = m_marksSpaces || marks;
        m_plain = m_plain && marks;
        m_out.add(Decoder::Replace{readPattern(rule, where), with});
    }

    void readStrip(const json &rule, const std::string &where)
    {
        const Decoder::Strip strip{readCharacter(rule, "content", " ", where),
                                   jsonCountOr(rule, "start", 0, where),
                                   jsonCountOr(rule, "stop", 0, where)};
        m_plain = m_plain && strip.character == " " && strip.begin == 1 && strip.end == 0;
        m_out.add(strip);
    }

    Decoder &m_out;
    std::string m_types;
    bool m_plain = true, m_marksSpaces = false;
};

class NormalizerReader
{
public:
    explicit NormalizerReader(Normalizer &out)
        : m_out(out)
    {}

    void read(const json &rule, const std::string &where)
    {
        checkCount(m_out.size(), where);
        const std::string type = typeOf(rule, where);
        if (type == "Sequence") {
            const json &list = requireList(rule, "normalizers", where);
            for (std::size_t i = 0; i < list.size(); ++i)
                read(list[i], where + ".normalizers[" + std::to_string(i) + "]");
            return;
        }
        if (!readForm(type) && !readOther(type, rule, where))
            throwUnsupported(where + ": the normalizer type " + fireside::quoted(type) +
                             " is not supported");
    }

    NormalizerFacts facts;

private:
    bool readForm(const std::string &type)
    {
        for (const auto &[name, form] :
             {std::pair{"NFC", NormalForm::Nfc}, std::pair{"NFD", NormalForm::Nfd},
              std::pair{"NFKC", NormalForm::Nfkc}, std::pair{"NFKD", NormalForm::Nfkd}}) {
            if (type != name)
                continue;
            m_out.add(Normalizer::Form{form});
            return true;
        }
        return false;
    }

    bool readOther(const std::string &type, const json &rule, const std::string &where)
    {
        if (type == "Lowercase") {
            m_out.add(Normalizer::Lowercase{});
        } else if (type == "StripAccents") {
            m_out.add(Normalizer::StripAccents{});
        } else if (type == "Strip") {
            m_out.add(Normalizer::Strip{jsonBoolOr(rule, "strip_left", true, where),
                                        jsonBoolOr(rule, "strip_right", true, where)});
        } else if (type == "Prepend") {
            m_out.add(Normalizer::Prepend{jsonString(rule, "prepend", where)});
        } else if (type == "Replace") {
            m_out.add(
                Normalizer::Replace{readPattern(rule, where), jsonString(rule, "content", where)});
        } else if (type == "Precompiled") {
            const auto table = decodeBase64(jsonString(rule, "precompiled_charsmap", where));
            if (!table)
                throwBadInput(where + ": 'precompiled_charsmap' is no base64");
            m_out.add(Normalizer::MapCharacters{Charsmap(*table, where), true});
        } else if (type == "BertNormalizer") {
            const bool lowercase = jsonBoolOr(rule, "lowercase", true, where);
            m_out.add(Normalizer::Bert{jsonBoolOr(rule, "clean_text", true, where),
                                       jsonBoolOr(rule, "handle_chinese_chars", true, where),
                                       jsonBoolOr(rule, "strip_accents", lowercase, where),
                                       lowercase});
        } else if (type == "Nmt") {
            m_out.add(Normalizer::Nmt{});
        } else if (type == "ByteLevel") {
            ++facts.mapsBytes;
            m_out.add(Normalizer::MapBytes{});
        } else {
            return false;
        }
        return true;
    }

    Normalizer &m_out;
};

} // namespace

NormalizerFacts readNormalizer(const json &section, const std::string &where, Normalizer &out)
{
    NormalizerReader reader(out);
    if (!section.is_null())
        reader.read(section, where);
    return reader.facts;
}

PreTokenizerFacts readPreTokenizer(const json &section, const std::string &where, bool bytesOut,
                                   PreTokenizer &out)
{
    PreTokenizerReader reader(bytesOut, out);
    if (!section.is_null())
        reader.read(section, where, true);
    return reader.facts();
}

DecoderFacts readDecoder(const json &section, const std::string &where, Decoder &out)
{
    DecoderReader reader(out);
    if (section.is_null())
        out.add(Decoder::SpacesBetween{});
    else
        reader.read(section, where);
    return reader.facts();
}

} // namespace fireside
