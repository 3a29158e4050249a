#pragma once
#include "engine/tensor/dtype.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Cases of an op, drawn so that no option of theirs hangs on another:
//
//   Cases cases("transformHeads");
//   const auto rows = cases.option<std::int64_t>("rows", {0, 1, 33});
//   const auto from = cases.option("from", bench.activations());
//   const auto into = cases.option("into", bench.activations());
//   const auto inPlace = cases.option("in place", {false, true});
//   cases.without([](bool same, DType a, DType b) { return same && a != b; }, inPlace, from, into);
//   for (const Pick &pick : bench.draw(cases, 12)) { … bench.start(pick); … pick[rows] … }
namespace fireside::conformance {

class Cases;

/// Something that cases differ in; it finds its value in a Pick.
template <class T>
class Option
{
    friend class Cases;
    friend struct Pick;
    std::size_t m_number = 0;
    std::shared_ptr<const std::vector<T>> m_values;
};

/// A case: one value of each option. Not longer than the Cases it is of.
struct Pick
{
    const Cases *of = nullptr;
    std::vector<int> values; // by option, the index of its value

    template <class T>
    typename std::vector<T>::const_reference operator[](const Option<T> &option) const
    {
        return (*option.m_values)[static_cast<std::size_t>(values[option.m_number])];
    }
    std::string text() const;  // "rows 33, from F16, …"
    std::string types() const; // of the options that are types: "F32→F16"
};

// How values are called in texts; for structs beside the struct.
std::string valueText(double value);
inline std::string valueText(bool value)
{
    return value ? "yes" : "no";
}
inline std::string valueText(DType value)
{
    return name(value);
}
template <class T>
requires std::integral<T> || std::is_enum_v<T> std::string valueText(T value)
{
    return std::to_string(static_cast<long long>(value));
}

class Cases
{
public:
    /// `set` tells apart sets of one op with options of their own.
    explicit Cases(std::string op, const std::string &set = "");
    Cases(const Cases &) = delete;
    Cases &operator=(const Cases &) = delete;

    template <class T>
    Option<T> option(const std::string &name, std::vector<T> values)
    {
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < values.size(); ++i)
            texts.push_back(valueText(static_cast<T>(values[i])));
        return option(name, std::move(values), std::move(texts));
    }
    template <class T>
    Option<T> option(const std::string &name, std::vector<T> values, std::vector<std::string> texts)
    {
        Option<T> made;
        made.m_number = m_options.size();
        made.m_values = std::make_shared<const std::vector<T>>(std::move(values));
        add({name, std::move(texts), std::is_same_v<T, DType>});
        return made;
    }
    Option<bool> option(const std::string &name) { return option<bool>(name, {false, true}); }

    /// Values of these options for which excluded(values…) is true do not go together.
    template <class F, class... T>
    void without(F excluded, const Option<T> &...options)
    {
        m_rules.push_back(
            {{options.m_number...}, [=](const std::vector<int> &values) {
                 return excluded(
                     (*options.m_values)[static_cast<std::size_t>(values[options.m_number])]...);
             }});
    }

    /// The first cases meet all values of this option, each another one as long as there are any.
    template <class T>
    void first(const Option<T> &option)
    {
        m_comesFirst = option.m_number;
    }

    /// Cases in which any two values of two options that can go together do, at least once; the
    /// first few meet all values and as many pairs as so few can.
    std::vector<Pick> allPairs(std::mt19937 &random) const;

    /// All pairs that can be, and those of a case: "from F16 × rows 33".
    std::vector<std::string> pairs() const;
    std::vector<std::string> pairsOf(const Pick &pick) const;

    const std::string &op() const { return m_op; }
    const std::string &name() const { return m_name; } // op and set
    std::string text(const Pick &pick) const;
    std::string types(const Pick &pick) const;

private:
    struct Any
    {
        std::string name;
        std::vector<std::string> texts;
        bool isType = false;
    };
    struct Rule
    {
        std::vector<std::size_t> options;
        std::function<bool(const std::vector<int> &)> excluded;
    };
    class Cover;
    void add(Any option);
    bool allowed(const std::vector<int> &values) const;
    bool canBeCompleted(std::vector<int> &values) const;
    std::string pairText(std::size_t a, int x, std::size_t b, int y) const;

    std::string m_op, m_name;
    std::vector<Any> m_options;
    std::vector<Rule> m_rules;
    std::optional<std::size_t> m_comesFirst; // an option
};

} // namespace fireside::conformance
