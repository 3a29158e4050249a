#pragma once
#include "engine/text/rules/charsmap.h"
#include "engine/text/rules/regex.h"
#include "engine/text/unicode.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace fireside {

/// The text changes a tokenizer asks for before splitting, in order. Works on valid UTF-8.
class Normalizer
{
public:
    struct Form
    {
        NormalForm form;
    };
    struct Lowercase
    {};
    struct StripAccents
    {}; // all marks, without decomposing
    struct Strip
    {
        bool left, right;
    }; // white space at the ends
    struct Prepend
    {
        std::string text;
    }; // not before nothing
    struct Replace
    {
        Regex pattern;
        std::string with;
    };
    struct MapCharacters // by SentencePiece's table
    {
        Charsmap map;
        bool byCluster = false; // grapheme clusters of up to 5 bytes, else single characters;
                                // without it the longest sequence at each place
    };
    struct Bert // Devlin et al. 2018
    {
        bool cleanText, setIdeographsApart, stripAccents, lowercase;
    };
    struct Nmt
    {}; // control characters go, other white space becomes spaces
    struct MapBytes
    {};               // bytes become byte-level characters
    struct MarkSpaces // SentencePiece's way with spaces
    {
        bool before, after; // one is put before or behind the text
        bool merge;         // runs count as one, those at the ends as none
    };
    using Step = std::variant<Form, Lowercase, StripAccents, Strip, Prepend, Replace, MapCharacters,
                              Bert, Nmt, MapBytes, MarkSpaces>;

    void add(Step step);
    bool isEmpty() const { return m_steps.empty(); }
    std::size_t size() const { return m_steps.size(); }

    /// `atStart` is false for the rest of a text that was cut at invalid bytes: nothing is put
    /// before it.
    std::string apply(std::string_view text, bool atStart) const;

private:
    std::vector<Step> m_steps;
};

} // namespace fireside
