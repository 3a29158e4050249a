#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace fireside::jinja {

/// A template failed while running: the interpreter adds the place in the source.
class TemplateError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// raise_exception('…'): the message is the template author's, printable.
class RaisedError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

/// What one rendering may use. Templates come from strangers' model files. The steps are what
/// bounds the time: a slow core takes a second for all of them, real templates need some thousand.
struct Limits
{
    std::uint64_t steps = 1'000'000; // evaluated nodes, loop elements and 64-byte blocks of text
    std::size_t memory = 48'000'000; // bytes of values created, none is freed before the end
    std::size_t output = 16'000'000; // bytes of the result and of any single string
    std::int64_t rangeLength = 1'000'000; // elements of one range()
    int callDepth = 200;                  // macros inside macros, recursive loops, nested values
    int nesting = 2'000;                  // nodes being evaluated at once: bounds the native stack
};

/// Counts what a rendering uses and throws TemplateError naming the limit it passes.
class Budget
{
public:
    explicit Budget(const Limits &limits = {})
        : calls{limits.callDepth}
        , nodes{limits.nesting}
        , m_limits(limits)
    {}

    void step(std::uint64_t count = 1)
    {
        m_steps += count;
        if (m_steps > m_limits.steps)
            failSteps();
    }
    /// Reading or comparing text costs steps by its length.
    void scan(std::size_t bytes) { step(bytes / 64 + 1); }
    void allocate(std::size_t bytes);
    /// Called before a string of this many bytes is made.
    void checkText(std::size_t bytes) const
    {
        if (bytes > m_limits.output)
            failOutput();
    }
    /// count × bytes without overflow, checked like checkText.
    void checkRepeat(std::size_t bytes, std::int64_t count) const;
    const Limits &limits() const { return m_limits; }
    std::uint64_t steps() const { return m_steps; } // so far

    struct Depth
    {
        int limit, now = 0;
    };
    Depth calls; // of macros, and of nested values being printed or compared
    Depth nodes; // of the syntax tree under evaluation

private:
    [[noreturn]] void failSteps() const;
    [[noreturn]] void failOutput() const;

    Limits m_limits;
    std::uint64_t m_steps = 0;
    std::size_t m_memory = 0;
};

/// One level more of something that nests.
class LevelGuard
{
public:
    explicit LevelGuard(Budget::Depth &depth)
        : m_depth(depth)
    {
        if (m_depth.now >= m_depth.limit)
            fail();
        ++m_depth.now;
    }
    ~LevelGuard() { --m_depth.now; }
    LevelGuard(const LevelGuard &) = delete;
    LevelGuard &operator=(const LevelGuard &) = delete;

private:
    [[noreturn]] void fail() const;
    Budget::Depth &m_depth;
};

} // namespace fireside::jinja
