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
        : m_limits(limits)
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

private:
    friend class CallGuard;
    friend class NestingGuard;
    [[noreturn]] void failSteps() const;
    [[noreturn]] void failOutput() const;
    [[noreturn]] void failDepth(int limit) const;

    Limits m_limits;
    std::uint64_t m_steps = 0;
    std::size_t m_memory = 0;
    int m_callDepth = 0;
    int m_nesting = 0;
};

/// One level of macro call, or of a nested value being printed or compared.
class CallGuard
{
public:
    explicit CallGuard(Budget &budget)
        : m_budget(budget)
    {
        if (m_budget.m_callDepth >= m_budget.m_limits.callDepth)
            m_budget.failDepth(m_budget.m_limits.callDepth);
        ++m_budget.m_callDepth;
    }
    ~CallGuard() { --m_budget.m_callDepth; }
    CallGuard(const CallGuard &) = delete;
    CallGuard &operator=(const CallGuard &) = delete;

private:
    Budget &m_budget;
};

/// One node of the syntax tree under evaluation.
class NestingGuard
{
public:
    explicit NestingGuard(Budget &budget)
        : m_budget(budget)
    {
        if (m_budget.m_nesting >= m_budget.m_limits.nesting)
            m_budget.failDepth(m_budget.m_limits.nesting);
        ++m_budget.m_nesting;
    }
    ~NestingGuard() { --m_budget.m_nesting; }
    NestingGuard(const NestingGuard &) = delete;
    NestingGuard &operator=(const NestingGuard &) = delete;

private:
    Budget &m_budget;
};

} // namespace fireside::jinja
