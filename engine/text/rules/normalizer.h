#pragma once
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
    {};
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
    using Step = std::variant<Form, Lowercase, StripAccents, Strip, Prepend, Replace>;

    void add(Step step);
    bool isEmpty() const { return m_steps.empty(); }

    /// `atStart` is false for the rest of a text that was cut at invalid bytes: nothing is put
    /// before it.
    std::string apply(std::string_view text, bool atStart) const;

private:
    std::vector<Step> m_steps;
};

} // namespace fireside
