#pragma once
#include "engine/text/rules/regex.h"

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
    using Step = std::variant<Split, Metaspace, PrefixSpace, MapBytes>;

    struct Words
    {
        std::string text;              // as changed by the rules
        std::vector<TextRange> pieces; // in order, not empty
    };

    void add(Step step);

    /// `atStart`: see Normalizer::apply; `first`: this is the beginning of the whole input.
    Words split(std::string text, bool atStart, bool first) const;

    /// The rules a GGUF file names in tokenizer.ggml.pre. Throws Error(Unsupported) with the name.
    static PreTokenizer named(std::string_view name);

private:
    std::vector<Step> m_steps;
};

/// What else tokenizer.ggml.pre decides in a byte-level BPE model.
struct PreTokenizerTraits
{
    bool wholeWordsFirst = false; // a word that is a token is taken whole, merges or not
    bool addBos = false;          // when the file does not say
};
PreTokenizerTraits namedPreTokenizerTraits(std::string_view name);

/// GPT-2's splitting pattern, which a ByteLevel rule of tokenizer.json implies.
extern const std::string_view kGpt2Pattern;

} // namespace fireside
