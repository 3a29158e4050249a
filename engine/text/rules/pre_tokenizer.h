#pragma once
#include "engine/text/rules/regex.h"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fireside {

/// Cuts text into the words inside which merging happens, by rules applied one after the other,
/// each to every piece of the one before. Works on valid UTF-8.
class PreTokenizer
{
public:
    /// What becomes of a match of a Split rule.
    enum class Behavior { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };
    struct Split
    {
        Regex pattern;
        Behavior behavior = Behavior::Isolated;
        bool invert = false; // the pattern describes what lies between the matches
    };
    struct Characters // the same by a property of single characters
    {
        bool (*isMatch)(char32_t);
        Behavior behavior = Behavior::Isolated;
    };
    struct FixedLength
    {
        std::size_t characters; // at least 1
    };
    enum class Prepend { Never, First, Always };
    struct Metaspace // spaces become `replacement`, one is put before (First: only at the very
                     // start)
    {
        std::string replacement;
        Prepend prepend = Prepend::Always;
    };
    struct PrefixSpace
    {}; // a space before each piece that starts without one
    struct MapBytes
    {}; // rules behind it see bytes as byte-level characters
    using Step = std::variant<Split, Characters, FixedLength, Metaspace, PrefixSpace, MapBytes>;

    struct Words
    {
        std::string text;              // as changed by the rules
        std::vector<TextRange> pieces; // in order, not empty
    };

    void add(Step step);
    std::size_t size() const { return m_steps.size(); }
    /// Words are mapped back from byte-level characters to bytes, once.
    void setBytesOut(bool on) { m_bytesOut = on; }

    /// `atStart`: see Normalizer::apply; `first`: this is the beginning of the whole input.
    Words split(std::string text, bool atStart, bool first) const;

    /// The rules a GGUF file names in tokenizer.ggml.pre. Throws Error(Unsupported) with the name.
    static PreTokenizer named(std::string_view name);
    /// A name under which a GGUF file gets these rules, found by what they do to texts that tell
    /// all known ones apart; wholeWordsFirst: see PreTokenizerTraits. nullopt: none does the same.
    static std::optional<std::string_view> nameOf(const PreTokenizer &rules, bool wholeWordsFirst);

private:
    std::vector<Step> m_steps;
    bool m_bytesOut = false;
};

/// What else tokenizer.ggml.pre decides in a BPE model.
struct PreTokenizerTraits
{
    bool wholeWordsFirst = false; // a word that is a token is taken whole, merges or not
    bool addBos = false;          // when the file does not say
    bool characters = false;      // the model's symbols are characters, not bytes …
    bool marksSpaces = false;     // … and "▁" stands for a space
    bool dropsSpaces = false;     // white space only parts words
    bool wholeLineBreaks = false; // a run of line breaks that is a token is taken whole
};
PreTokenizerTraits namedPreTokenizerTraits(std::string_view name);
/// Whether named() knows it. Files without a name are older than this: they mean "default".
bool isKnownPreTokenizer(std::string_view name);

/// Matches from the first character of a script to the last before another's; characters of no
/// script belong to what stands before them. Han counts Hiragana and Katakana.
std::string scriptRunPattern();

/// GPT-2's splitting pattern, which a ByteLevel rule of tokenizer.json implies.
extern const std::string_view kGpt2Pattern;

} // namespace fireside
