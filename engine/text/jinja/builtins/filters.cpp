#include "engine/text/jinja/builtins/filters.h"

#include "engine/core/quote.h"

namespace fireside::jinja {

namespace {

BuiltinFunction::Function findFilter(const std::string &name)
{
    for (const auto filters : {textFilters, numberFilters, sequenceFilters, selectionFilters}) {
        if (const auto found = filters().find(name); found != filters().end())
            return found->second;
    }
    return nullptr;
}

} // namespace

Value applyFilter(Runtime &rt, const std::string &name, const Value &input, const Arguments &args)
{
    const auto function = findFilter(name);
    if (!function)
        throw TemplateError("no filter named " + fireside::quoted(name));
    rt.budget.step();
    return function(rt, input, args);
}

bool isFilter(const std::string &name)
{
    return findFilter(name) != nullptr;
}

} // namespace fireside::jinja
