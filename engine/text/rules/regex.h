#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fireside {

struct TextRange
{
    std::size_t begin = 0, end = 0; // byte offsets, half open
    std::size_t size() const { return end - begin; }
};

/// A compiled regular expression over valid UTF-8 with Unicode classes. Accepts the dialect that
/// tokenizer files are written in (Oniguruma): \uHHHH, and \s meaning exactly the property
/// White_Space. Immutable and safe to share; each thread matches through its own Matcher.
class Regex
{
public:
    /// Throws Error naming `where` (a key), the place in the pattern and the compiler's reason.
    Regex(std::string_view pattern, std::string_view where);
    static std::string escape(std::string_view literal); // a pattern that matches just this text
    ~Regex();
    Regex(Regex &&) noexcept;
    Regex &operator=(Regex &&) noexcept;

    class Matcher
    {
    public:
        explicit Matcher(const Regex &regex);
        ~Matcher();
        Matcher(Matcher &&) noexcept;

        /// First match at or after `from`; may be empty. The subject must be valid UTF-8.
        /// Throws Error(BadInput) when the pattern needs unreasonably many steps.
        std::optional<TextRange> find(std::string_view subject, std::size_t from);

    private:
        struct Scratch;
        const Regex &m_regex;
        std::unique_ptr<Scratch> m_scratch;
    };

    /// Each match replaced by the text as it is, also empty matches.
    std::string replaceAll(std::string_view text, std::string_view with) const;

private:
    struct Code;
    std::unique_ptr<Code> m_code;
};

} // namespace fireside
