#pragma once
#include "engine/constrain/grammar.h"

#include <optional>
#include <string>
#include <string_view>

namespace fireside::constrain {

/// A decimal number, digit by digit.
struct Decimal
{
    bool negative = false;
    std::string whole = "0"; // without leading zeros
    std::string fraction{};  // without zeros at the end

    /// From a number of JSON; nullopt for exponents that are out of all proportion.
    static std::optional<Decimal> parse(std::string_view text);
    bool isZero() const { return whole == "0" && fraction.empty(); }
};

/// < 0, 0, > 0
int compare(const Decimal &a, const Decimal &b);

/// What is asked of a number besides its being one.
struct NumberBounds
{
    struct Bound
    {
        Decimal value;
        bool strict = false;
    };
    std::optional<Bound> low{}, high{};
    bool whole = false; // no fraction
};

/// The JSON numbers within bounds, written without exponents.
CharDfa numbersWithin(const NumberBounds &bounds, const GrammarLimits &limits);

} // namespace fireside::constrain
