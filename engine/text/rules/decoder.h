#pragma once
#include "engine/text/rules/regex.h"

#include <string>
#include <variant>
#include <vector>

namespace fireside {

/// How the texts of tokens become text again: steps that each see the whole list.
class Decoder
{
public:
    struct FromByteLevel
    {}; // tokens of nothing but byte-level characters become bytes
    struct FromByteTokens
    {}; // <0x41>
    struct Fuse
    {}; // to one
    struct Replace
    {
        Regex pattern;
        std::string with;
    };
    struct Strip
    {
        std::string character;
        std::size_t begin, end; // so many of them at most
    };
    struct Metaspace
    {
        std::string mark; // becomes a space …
        bool dropFirst;   // … or nothing in the first token
    };
    struct WordPiece // a space before each token but the first, unless it goes on with a word
    {
        std::string continuing; // what tokens within words begin with, dropped
        std::string beginning;  // where it is not empty: what those at the start of a word do
        bool cleanup;           // no spaces before punctuation and English endings
    };
    struct WordEnds
    {
        std::string suffix; // becomes a space, in the last token nothing
    };
    struct Ctc // Graves et al. 2006: repeated tokens count once
    {
        std::string padding, delimiter;
        bool cleanup;
    };
    struct SpacesBetween
    {}; // what lists without a rule get
    using Step = std::variant<FromByteLevel, FromByteTokens, Fuse, Replace, Strip, Metaspace,
                              WordPiece, WordEnds, Ctc, SpacesBetween>;

    void add(Step step);
    std::size_t size() const { return m_steps.size(); }

    /// All steps, joined; bytes that are no UTF-8 stay as they are.
    std::string decode(std::vector<std::string> tokens) const;
    /// What one token stands for in the middle of a text.
    std::string middle(std::string token) const;

private:
    std::vector<std::string> run(std::vector<std::string> tokens, bool isWhole) const;

    std::vector<Step> m_steps;
};

} // namespace fireside
