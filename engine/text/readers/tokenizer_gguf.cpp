#include "engine/text/readers/tokenizer_gguf.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/gguf.h"
#include "engine/text/tokenizers/bpe_tokenizer.h"
#include "engine/text/tokenizers/spm_tokenizer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fireside {
namespace {

constexpr std::string_view kPrefix = "tokenizer.ggml.";
constexpr const char *kTokens = "tokenizer.ggml.tokens";
constexpr const char *kTypes = "tokenizer.ggml.token_type";
constexpr const char *kScores = "tokenizer.ggml.scores";
constexpr const char *kMerges = "tokenizer.ggml.merges";
constexpr const char *kPre = "tokenizer.ggml.pre";

class GgufTokenizerReader
{
public:
    explicit GgufTokenizerReader(const Gguf &gguf)
        : m_gguf(gguf)
    {}

    std::unique_ptr<Tokenizer> read()
    {
        const std::string_view model = m_gguf.requireString("tokenizer.ggml.model");
        if (model != "gpt2" && model != "llama")
            throwUnsupported(where("tokenizer.ggml.model") + "the tokenizer model " +
                             fireside::quoted(model) + " is not supported");
        m_isSpm = model == "llama";
        readTokens();
        readFraming();
        collectSpecialTokens();
        if (m_isSpm)
            return makeSpm();
        return makeBpe();
    }

private:
    std::string where(const std::string &key) const
    {
        return m_gguf.path().string() + ": " + key + ": ";
    }

    const GgufArray &requireStrings(const char *key) const
    {
        const GgufArray *array = m_gguf.findArray(key);
        if (!array)
            throwBadInput(m_gguf.path().string() + " lacks the key '" + key + "'");
        if (array->strings.size() != array->size())
            throwBadInput(where(key) + "is no array of strings");
        return *array;
    }

    /// An array that goes with the tokens, one number each.
    const GgufArray *findParallel(const char *key) const
    {
        const GgufArray *array = m_gguf.findArray(key);
        if (array && array->size() != m_common.vocabulary.size())
            throwBadInput(where(key) + "has " + std::to_string(array->size()) + " entries for " +
                          std::to_string(m_common.vocabulary.size()) + " tokens");
        if (array && !array->strings.empty())
            throwBadInput(where(key) + "is no array of numbers");
        return array;
    }

    static double numberAt(const GgufArray &array, std::size_t i)
    {
        if (i < array.floatValues.size())
            return array.floatValues[i];
        if (i < array.signedValues.size())
            return static_cast<double>(array.signedValues[i]);
        return i < array.unsignedValues.size() ? static_cast<double>(array.unsignedValues[i]) : 0;
    }

    void readTokens()
    {
        const GgufArray &texts = requireStrings(kTokens);
        if (texts.strings.empty())
            throwBadInput(where(kTokens) + "is empty");
        std::size_t bytes = 0;
        for (const std::string_view text : texts.strings)
            bytes += text.size();
        Vocabulary &tokens = m_common.vocabulary;
        tokens.reserve(texts.strings.size(), bytes);
        for (const std::string_view text : texts.strings)
            tokens.add(text, TokenKind::Normal);
        if (const auto twice = tokens.finish())
            throwBadInput(where(kTokens) + "the ids " + std::to_string(twice->first) + " and " +
                          std::to_string(twice->second) + " have the same text");

        const GgufArray *types = findParallel(kTypes);
        for (std::size_t i = 0; types && i < tokens.size(); ++i) {
            const double type = numberAt(*types, i);
            if (!(type >= 0 && type <= 6) || type != std::floor(type))
                throwBadInput(where(kTypes) + "token " + std::to_string(i) +
                              " has the unknown type " + std::to_string(type));
            if (type >= 1) // 0 is "undefined"
                tokens.setKind(static_cast<TokenId>(i),
                               static_cast<TokenKind>(static_cast<int>(type)));
        }
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto id = static_cast<TokenId>(i);
            if (m_isSpm && tokens.kind(id) == TokenKind::Normal && parseByteToken(tokens.text(id)))
                tokens.setKind(id, TokenKind::Byte); // files without types
            // Converters sometimes leave end markers as ordinary tokens.
            if (isEndMarkerText(tokens.text(id)) && !tokens.isControl(id))
                tokens.setKind(id, TokenKind::Control);
        }
    }

    std::optional<TokenId> findId(const char *name) const
    {
        return idUnder(std::string(kPrefix) + name);
    }

    std::optional<TokenId> idUnder(const std::string &key) const
    {
        const std::vector<TokenId> ids = idsUnder(key);
        return ids.empty() ? std::nullopt : std::optional(ids.front());
    }

    /// None, one or an array.
    std::vector<TokenId> idsUnder(const std::string &key) const
    {
        const GgufValue *const value = m_gguf.find(key);
        if (value == nullptr)
            return {};
        const auto *const array = std::get_if<GgufArray>(value);
        if (array == nullptr)
            return {checkedId(key, *m_gguf.findUnsigned(key))};
        if (!array->strings.empty() || !array->floatValues.empty())
            throwBadInput(where(key) + "is no array of ids");
        std::vector<TokenId> ids;
        for (const std::uint64_t id : array->unsignedValues)
            ids.push_back(checkedId(key, id));
        for (const std::int64_t id : array->signedValues)
            ids.push_back(checkedId(key, id));
        return ids;
    }

    template <typename Number>
    TokenId checkedId(const std::string &key, Number id) const
    {
        if (id < Number{0} || static_cast<std::uint64_t>(id) >= m_common.vocabulary.size())
            throwBadInput(where(key) + std::to_string(id) + " is outside the vocabulary of " +
                          std::to_string(m_common.vocabulary.size()) + " tokens");
        return static_cast<TokenId>(id);
    }

    /// An id the file leaves to the format's custom, if the token there looks the part.
    std::optional<TokenId> customaryId(TokenId id) const
    {
        if (!m_isSpm || !m_common.vocabulary.contains(id) ||
            !looksLikeMarker(m_common.vocabulary.text(id)))
            return std::nullopt;
        return id;
    }

    void readFraming()
    {
        Vocabulary &tokens = m_common.vocabulary;
        // One bad id says that the file is damaged, also where it is not used here.
        for (const auto &[key, value] : m_gguf.metadata())
            if (key.starts_with(kPrefix) && key.ends_with("_token_id"))
                idsUnder(std::string(key));
        const auto idOr = [this](const char *name, TokenId custom) {
            const auto id = findId(name);
            return id ? id : customaryId(custom);
        };
        m_common.unknown = idOr("unknown_token_id", 0);
        m_common.bos = idOr("bos_token_id", 1);
        m_common.eos = idOr("eos_token_id", 2);
        for (const char *name : {"eos_token_id", "eot_token_id", "eom_token_id", "eos_token_ids",
                                 "eot_token_ids", "eom_token_ids", "eog_token_ids"})
            for (const TokenId id : idsUnder(std::string(kPrefix) + name))
                m_common.endMarkers.push_back(id);
        // Without types these would be ordinary tokens that user text can spell.
        std::vector<TokenId> control = m_common.endMarkers;
        for (const auto id : {m_common.bos, m_common.eos})
            if (id)
                control.push_back(*id);
        for (const TokenId id : control)
            if (!tokens.isControl(id) && looksLikeMarker(tokens.text(id)))
                tokens.setKind(id, TokenKind::Control);
        if (m_common.unknown && tokens.kind(*m_common.unknown) == TokenKind::Normal &&
            looksLikeMarker(tokens.text(*m_common.unknown)))
            tokens.setKind(*m_common.unknown, TokenKind::Unknown);

        if (!m_isSpm) {
            m_pre = m_gguf.findString(kPre).value_or("default");
            try {
                m_traits = namedPreTokenizerTraits(m_pre);
            } catch (const Error &error) {
                throw Error(error.kind(), m_gguf.path().string() + ": " + error.what());
            }
        }
        const bool addBos =
            m_gguf.findBool("tokenizer.ggml.add_bos_token").value_or(m_isSpm || m_traits.addBos);
        const bool addEos = m_gguf.findBool("tokenizer.ggml.add_eos_token").value_or(false);
        if (addBos && m_common.bos)
            m_common.prefix.push_back(*m_common.bos);
        if (addEos && m_common.eos)
            m_common.suffix.push_back(*m_common.eos);
    }

    void collectSpecialTokens()
    {
        Vocabulary &tokens = m_common.vocabulary;
        // Phi-3's chat tokens swallow the white space behind them; GGUF cannot say so.
        const bool isPhi3 =
            m_isSpm && m_gguf.findString("general.architecture").value_or("") == "phi3";
        std::vector<AddedToken> added;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto id = static_cast<TokenId>(i);
            const std::string_view text = tokens.text(id);
            const bool control = tokens.isControl(id);
            if (text.empty() || (!control && tokens.kind(id) != TokenKind::UserDefined))
                continue;
            AddedToken token;
            token.id = id;
            token.text = text;
            token.trustedOnly = control || looksLikeMarker(text);
            token.rightStrip = isPhi3 && token.trustedOnly && text != "<unk>" && text != "<s>" &&
                               text != "<|endoftext|>";
            if (token.trustedOnly)
                tokens.setTrustedOnly(id);
            added.push_back(std::move(token));
        }
        m_common.special = SpecialTokens(std::move(added));
    }

    MergeTable readMerges() const
    {
        const GgufArray &lines = requireStrings(kMerges);
        const Vocabulary &tokens = m_common.vocabulary;
        MergeTable merges;
        merges.reserve(lines.strings.size());
        std::string joined;
        for (std::size_t i = 0; i < lines.strings.size(); ++i) {
            const std::string_view line = lines.strings[i];
            const std::size_t space = line.find(' ', 1);
            const auto fail = [&](const std::string &reason) {
                throwBadInput(where(kMerges) + "entry " + std::to_string(i) + " (" +
                              fireside::quoted(line.substr(0, 80)) + ") " + reason);
            };
            if (space == std::string_view::npos)
                fail("is no pair of tokens");
            const auto left = tokens.find(line.substr(0, space));
            const auto right = tokens.find(line.substr(space + 1));
            joined.assign(line.substr(0, space)).append(line.substr(space + 1));
            const auto result = tokens.find(joined);
            if (!left || !right || !result)
                fail("names a token that is not in the vocabulary");
            // A merge must not build a control token out of ordinary text.
            if (tokens.isReachable(*result))
                merges.insert(*left, *right, {static_cast<std::uint32_t>(i), *result});
        }
        return merges;
    }

    /// Scores as ranks: the highest score has rank 0, equal scores have equal ranks.
    std::vector<std::uint32_t> readRanks() const
    {
        const GgufArray *scores = findParallel(kScores);
        if (!scores)
            throwBadInput(m_gguf.path().string() + " lacks the key '" + kScores + "'");
        std::vector<double> values(m_common.vocabulary.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = numberAt(*scores, i);
            if (std::isnan(values[i]))
                throwBadInput(where(kScores) + "entry " + std::to_string(i) + " is no number");
        }
        std::vector<std::uint32_t> order(values.size()), ranks(values.size());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return values[a] > values[b]; });
        std::uint32_t rank = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (i > 0 && values[order[i]] != values[order[i - 1]])
                ++rank;
            ranks[order[i]] = rank;
        }
        return ranks;
    }

    std::unique_ptr<Tokenizer> makeBpe()
    {
        BpeTokenizer::Parts parts;
        parts.merges = readMerges();
        m_common.preTokenizer = PreTokenizer::named(m_pre);
        parts.wholeWordsFirst = m_traits.wholeWordsFirst;
        parts.common = std::move(m_common);
        return std::make_unique<BpeTokenizer>(std::move(parts));
    }

    std::unique_ptr<Tokenizer> makeSpm()
    {
        SpmTokenizer::Parts parts;
        parts.ranks = readRanks();
        const bool spacePrefix = m_gguf.findBool("tokenizer.ggml.add_space_prefix").value_or(true);
        if (spacePrefix)
            m_common.normalizer.add(Normalizer::Prepend{" "});
        m_common.normalizer.add(Normalizer::Replace{Regex(" ", "space"), "\xE2\x96\x81"});
        m_common.stripFirstSpace = spacePrefix;
        parts.common = std::move(m_common);
        return std::make_unique<SpmTokenizer>(std::move(parts));
    }

    const Gguf &m_gguf;
    TokenizerCommon m_common;
    bool m_isSpm = false;
    std::string m_pre;
    PreTokenizerTraits m_traits;
};

} // namespace

std::unique_ptr<Tokenizer> makeTokenizerFromGguf(const Gguf &gguf)
{
    return GgufTokenizerReader(gguf).read();
}

} // namespace fireside
