#include "engine/text/readers/tokenizer_gguf.h"

#include "engine/core/error.h"
#include "engine/core/quote.h"
#include "engine/files/gguf.h"
#include "engine/text/readers/gguf_fields.h"
#include "engine/text/readers/merge_list.h"
#include "engine/text/tokenizers/bpe_tokenizer.h"
#include "engine/text/tokenizers/plamo_tokenizer.h"
#include "engine/text/tokenizers/rwkv_tokenizer.h"
#include "engine/text/tokenizers/spm_tokenizer.h"
#include "engine/text/tokenizers/unigram_tokenizer.h"
#include "engine/text/tokenizers/wordpiece_tokenizer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace fireside {
namespace {

constexpr std::string_view kPrefix = "tokenizer.ggml.";
constexpr std::string_view kMark = "\xE2\x96\x81"; // ▁
constexpr auto kRemoved = PreTokenizer::Behavior::Removed;
constexpr const char *kModel = "tokenizer.ggml.model";
constexpr const char *kCharsmap = "tokenizer.ggml.precompiled_charsmap";
constexpr const char *kTokens = "tokenizer.ggml.tokens";
constexpr const char *kTypes = "tokenizer.ggml.token_type";
constexpr const char *kScores = "tokenizer.ggml.scores";
constexpr const char *kMerges = "tokenizer.ggml.merges";
constexpr const char *kPre = "tokenizer.ggml.pre";

enum class GgufModel { ByteBpe, CharacterBpe, SentencePiece, WordPiece, Unigram, Rwkv, Plamo };

/// What a value of tokenizer.ggml.model stands for, and what the format leaves to custom.
struct GgufModelFacts
{
    std::string_view name;
    GgufModel model;
    std::string_view pre = ""; // in place of tokenizer.ggml.pre
    TokenId unknown = -1, bos = -1, eos = -1;
    bool addBos = false, addEos = false;
};

constexpr std::array<GgufModelFacts, 8> kGgufModels{{
    {.name = "gpt2", .model = GgufModel::ByteBpe},
    {.name = "gemma4", .model = GgufModel::ByteBpe, .pre = "gemma4"},
    {.name = "whitespace", .model = GgufModel::ByteBpe, .pre = "whitespace"},
    {.name = "llama",
     .model = GgufModel::SentencePiece,
     .unknown = 0,
     .bos = 1,
     .eos = 2,
     .addBos = true},
    {.name = "bert", .model = GgufModel::WordPiece, .unknown = 100, .bos = 101},
    {.name = "t5", .model = GgufModel::Unigram, .unknown = 2, .eos = 1, .addEos = true},
    {.name = "rwkv", .model = GgufModel::Rwkv},
    {.name = "plamo2", .model = GgufModel::Plamo, .unknown = 0, .bos = 1, .eos = 2},
}};
constexpr TokenId kBertSeparator = 102;

class GgufTokenizerReader
{
public:
    explicit GgufTokenizerReader(const Gguf &gguf)
        : m_gguf(gguf)
        , m_fields(gguf)
    {}

    std::unique_ptr<Tokenizer> read()
    {
        readModel();
        readTokens();
        readSpecialIds();
        readFraming();
        collectSpecialTokens();
        switch (m_model) {
        case GgufModel::ByteBpe:
            return makeBpe();
        case GgufModel::CharacterBpe:
            return makeCharacterBpe();
        case GgufModel::SentencePiece:
            return makeSpm();
        case GgufModel::WordPiece:
            return makeWordPiece();
        case GgufModel::Unigram:
            return makeUnigram();
        case GgufModel::Plamo:
            return makePlamo();
        case GgufModel::Rwkv:
            break;
        }
        m_common.invalid = InvalidBytes::Within;
        return std::make_unique<RwkvTokenizer>(std::move(m_common));
    }

private:
    std::string where(const std::string &key) const { return m_fields.where(key); }

    void readModel()
    {
        const std::string_view name = m_gguf.requireString(kModel);
        if (name == "none" || name == "no_vocab")
            throwBadInput(where(kModel) + "the file says that it holds no vocabulary");
        const auto *const facts =
            std::find_if(kGgufModels.begin(), kGgufModels.end(),
                         [&](const GgufModelFacts &known) { return known.name == name; });
        if (facts == kGgufModels.end())
            throwUnsupported(where(kModel) + "the tokenizer model " + fireside::quoted(name) +
                             " is not supported");
        m_facts = *facts;
        m_model = facts->model;
        if (m_model != GgufModel::ByteBpe)
            return;
        m_pre = facts->pre.empty() ? m_gguf.findString(kPre).value_or("") : facts->pre;
        if (!isKnownPreTokenizer(m_pre))
            m_pre = "default"; // textRemarks() says so
        m_traits = namedPreTokenizerTraits(m_pre);
        if (m_traits.characters)
            m_model = GgufModel::CharacterBpe;
    }

    void readTokens()
    {
        const std::vector<std::string_view> &texts = m_fields.requireStrings(kTokens);
        if (texts.empty())
            throwBadInput(where(kTokens) + "is empty");
        std::size_t bytes = 0;
        for (const std::string_view text : texts)
            bytes += text.size();
        Vocabulary &tokens = m_common.vocabulary;
        tokens.reserve(texts.size(), bytes);
        for (const std::string_view text : texts)
            tokens.add(m_model == GgufModel::Rwkv ? unescapedRwkvToken(text) : text,
                       TokenKind::Normal);
        if (const auto twice = tokens.finish())
            throwBadInput(where(kTokens) + "the ids " + std::to_string(twice->first) + " and " +
                          std::to_string(twice->second) + " have the same text");

        const std::vector<double> types = m_fields.numbersOf(kTypes, tokens.size());
        for (std::size_t i = 0; i < types.size(); ++i) {
            const double type = types[i];
            if (!(type >= 0 && type <= 6) || type != std::floor(type))
                throwBadInput(where(kTypes) + "token " + std::to_string(i) +
                              " has the unknown type " + std::to_string(type));
            if (type >= 1) // 0 is "undefined"
                tokens.setKind(static_cast<TokenId>(i),
                               static_cast<TokenKind>(static_cast<int>(type)));
        }
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            const auto id = static_cast<TokenId>(i);
            if (writesBytes() && tokens.kind(id) == TokenKind::Normal &&
                parseByteToken(tokens.text(id)))
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

    std::vector<TokenId> idsUnder(const std::string &key) const
    {
        return m_fields.idsWithin(key, m_common.vocabulary.size());
    }

    /// Error(BadInput) where the key has an id that is no token and not -1, which says none.
    void requireId(const char *name) const
    {
        const std::string key = std::string(kPrefix) + name;
        if (!m_fields.saysNone(key))
            static_cast<void>(m_fields.idsUnder(key, m_common.vocabulary.size()));
    }

    /// Texts are cut into tokens, and replies end, by these; of others that are outside the
    /// vocabulary textRemarks() says that they are ignored.
    void requireNeededIds(bool addBos) const
    {
        requireId("eos_token_id");
        if (addBos)
            requireId("bos_token_id");
        if (m_model == GgufModel::WordPiece)
            for (const char *name : {"cls_token_id", "separator_token_id", "seperator_token_id"})
                requireId(name);
        // Byte tokens and bytes stand for what is unknown elsewhere.
        if (m_model == GgufModel::WordPiece || m_model == GgufModel::Unigram ||
            m_model == GgufModel::SentencePiece)
            requireId("unknown_token_id");
    }

    /// Whether <0x41> stands for a byte.
    bool writesBytes() const
    {
        return m_model == GgufModel::SentencePiece || m_model == GgufModel::CharacterBpe ||
               m_model == GgufModel::Plamo;
    }

    /// An id the file leaves to the format's custom, if the token there looks the part.
    std::optional<TokenId> customaryId(TokenId id) const
    {
        if (!m_common.vocabulary.contains(id) || !looksLikeMarker(m_common.vocabulary.text(id)))
            return std::nullopt;
        return id;
    }

    void readSpecialIds()
    {
        Vocabulary &tokens = m_common.vocabulary;
        // A value of another type says that the file is damaged, also where it is not used here.
        for (const auto &[key, value] : m_gguf.metadata())
            if (key.starts_with(kPrefix) && key.ends_with("_token_id"))
                idsUnder(std::string(key));
        const auto idOr = [this](const char *name, TokenId custom) {
            const auto id = findId(name);
            return id ? id : customaryId(custom);
        };
        m_common.unknown = idOr("unknown_token_id", m_facts.unknown);
        m_common.bos = idOr("bos_token_id", m_facts.bos);
        m_common.eos = idOr("eos_token_id", m_facts.eos);
        if (m_model == GgufModel::WordPiece) {
            if (const auto first = findId("cls_token_id"))
                m_common.bos = first;
            m_separator = findId("separator_token_id");
            if (!m_separator) // as converters write it
                m_separator = idOr("seperator_token_id", kBertSeparator);
        }
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
    }

    /// What goes around a text.
    void readFraming()
    {
        const bool addBos =
            m_fields.boolOr("tokenizer.ggml.add_bos_token", m_facts.addBos || m_traits.addBos);
        requireNeededIds(addBos || m_model == GgufModel::WordPiece);
        if (m_model == GgufModel::WordPiece) {
            if (m_common.bos)
                m_common.prefix.push_back(*m_common.bos);
            if (m_separator)
                m_common.suffix.push_back(*m_separator);
            return;
        }
        const bool addEos = m_fields.boolOr("tokenizer.ggml.add_eos_token", m_facts.addEos);
        if (addBos && m_common.bos)
            m_common.prefix.push_back(*m_common.bos);
        if (addEos && m_common.eos)
            m_common.suffix.push_back(*m_common.eos);
    }

    void collectSpecialTokens()
    {
        Vocabulary &tokens = m_common.vocabulary;
        const std::string_view architecture =
            m_gguf.findString("general.architecture").value_or("");
        // Phi-3's chat tokens swallow the white space behind them; GGUF cannot say so.
        const bool isPhi3 = m_model == GgufModel::SentencePiece && architecture == "phi3";
        // These models fill in gaps, and the space before a gap is part of it.
        const bool masksTakeSpaces = m_pre.starts_with("jina-v2-") ||
                                     architecture == "nomic-bert-moe" ||
                                     architecture == "jina-bert-v3";
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
            token.leftStrip = masksTakeSpaces && text == "<mask>";
            if (token.trustedOnly)
                tokens.setTrustedOnly(id);
            added.push_back(std::move(token));
        }
        m_common.special = SpecialTokens(std::move(added));
    }

    MergeTable readMerges() const
    {
        const std::vector<std::string_view> &lines = m_fields.requireStrings(kMerges);
        MergeList list;
        list.size = lines.size();
        list.at = [&lines](std::size_t i) -> std::optional<MergeTexts> {
            const std::size_t space = lines[i].find(' ', 1);
            if (space == std::string_view::npos)
                return std::nullopt;
            const std::string_view right = lines[i].substr(space + 1);
            return MergeTexts{lines[i].substr(0, space), right, right};
        };
        list.fail = [&](std::size_t i, const char *reason) {
            throwBadInput(where(kMerges) + "entry " + std::to_string(i) + " (" +
                          fireside::quoted(lines[i].substr(0, 80)) + ") " + reason);
        };
        return readMergeList(list, m_common.vocabulary);
    }

    std::vector<double> readScores() const
    {
        return m_fields.requireNumbers(kScores, m_common.vocabulary.size());
    }

    /// Scores as ranks: the highest score has rank 0, equal scores have equal ranks.
    std::vector<std::uint32_t> readRanks() const
    {
        const std::vector<double> values = readScores();
        std::vector<std::uint32_t> order(values.size()), ranks(values.size());
        std::iota(order.begin(), order.end(), 0u);
        const auto better = [&](std::uint32_t a, std::uint32_t b) { return values[a] > values[b]; };
        if (!std::is_sorted(order.begin(), order.end(), better)) // as most files have them
            std::sort(order.begin(), order.end(), better);
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
        const bool spacePrefix = m_fields.boolOr("tokenizer.ggml.add_space_prefix", true);
        if (spacePrefix)
            m_common.normalizer.add(Normalizer::Prepend{" "});
        m_common.normalizer.add(Normalizer::Replace{Regex(" ", "space"), "\xE2\x96\x81"});
        m_common.stripFirstSpace = spacePrefix;
        parts.common = std::move(m_common);
        return std::make_unique<SpmTokenizer>(std::move(parts));
    }

    std::unique_ptr<Tokenizer> makeCharacterBpe()
    {
        SpmTokenizer::Parts parts;
        parts.merges = readMerges();
        parts.fuseUnknown = false;
        parts.wholeLineBreaks = m_traits.wholeLineBreaks;
        parts.spacesAreMarked = m_traits.marksSpaces;
        if (m_traits.marksSpaces)
            m_common.normalizer.add(Normalizer::Replace{Regex(" ", "space"), "\xE2\x96\x81"});
        if (m_fields.boolOr("tokenizer.ggml.normalizer.lowercase", false))
            m_common.normalizer.add(Normalizer::Lowercase{});
        m_common.preTokenizer = PreTokenizer::named(m_pre);
        if (m_traits.dropsSpaces)
            m_common.preTokenizer.add(PreTokenizer::Characters{isWhiteSpace, kRemoved});
        parts.common = std::move(m_common);
        return std::make_unique<SpmTokenizer>(std::move(parts));
    }

    /// Tokens at the beginning of words begin with "▁", the others with nothing.
    std::unique_ptr<Tokenizer> makeWordPiece()
    {
        const bool lowercase = m_fields.boolOr("tokenizer.ggml.normalizer.lowercase", true);
        const bool accents = m_fields.boolOr("tokenizer.ggml.normalizer.strip_accents", lowercase);
        m_common.normalizer.add(Normalizer::Bert{true, true, accents, lowercase});
        m_common.preTokenizer.add(PreTokenizer::Characters{isWhiteSpace, kRemoved});
        m_common.preTokenizer.add(PreTokenizer::Characters{isPunctuation});
        m_common.decoder.emplace();
        m_common.decoder->add(Decoder::WordPiece{"", std::string(kMark), true});
        m_common.invalid = InvalidBytes::Replaced;
        WordPieceTokenizer::Parts parts;
        parts.beginning = kMark;
        parts.common = std::move(m_common);
        return std::make_unique<WordPieceTokenizer>(std::move(parts));
    }

    std::unique_ptr<Tokenizer> makeUnigram()
    {
        constexpr double unknownPenalty = 10;
        UnigramTokenizer::Parts parts;
        parts.scores = readScores();
        double lowest = std::numeric_limits<double>::max();
        for (std::size_t i = 0; i < parts.scores.size(); ++i) {
            const TokenKind kind = m_common.vocabulary.kind(static_cast<TokenId>(i));
            if (kind == TokenKind::Normal)
                lowest = std::min(lowest, parts.scores[i]);
            else if (kind == TokenKind::UserDefined)
                parts.scores[i] = 0;
            if (!std::isfinite(parts.scores[i]))
                throwBadInput(where(kScores) + "entry " + std::to_string(i) + " is infinite");
        }
        parts.unknownScore = lowest - unknownPenalty;
        if (const std::string map = m_fields.bytesOf(kCharsmap); !map.empty())
            m_common.normalizer.add(
                Normalizer::MapCharacters{Charsmap(map, where(kCharsmap)), false});
        const bool before = m_fields.boolOr("tokenizer.ggml.add_space_prefix", false);
        const bool merge = m_fields.boolOr("tokenizer.ggml.remove_extra_whitespaces", false);
        m_common.normalizer.add(Normalizer::MarkSpaces{before, false, merge});
        m_common.invalid = InvalidBytes::Replaced;
        m_common.decoder.emplace();
        m_common.decoder->add(Decoder::Metaspace{std::string(kMark), false});
        m_common.decoder->add(Decoder::FromByteTokens{});
        if (before || merge) {
            m_common.decoder->add(Decoder::Fuse{});
            m_common.decoder->add(Decoder::Strip{" ", 1, 0});
        }
        parts.common = std::move(m_common);
        return std::make_unique<UnigramTokenizer>(std::move(parts));
    }

    std::unique_ptr<Tokenizer> makePlamo()
    {
        PlamoTokenizer::Parts parts;
        parts.scores = readScores();
        parts.common = std::move(m_common);
        try {
            return std::make_unique<PlamoTokenizer>(std::move(parts));
        } catch (const Error &error) {
            throw Error(error.kind(), where(kTokens) + error.what());
        }
    }

    const Gguf &m_gguf;
    GgufFields m_fields;
    TokenizerCommon m_common;
    GgufModelFacts m_facts{};
    GgufModel m_model = GgufModel::ByteBpe;
    std::optional<TokenId> m_separator;
    std::string m_pre;
    PreTokenizerTraits m_traits;
};

} // namespace

std::unique_ptr<Tokenizer> makeTokenizerFromGguf(const Gguf &gguf)
{
    return GgufTokenizerReader(gguf).read();
}

} // namespace fireside
