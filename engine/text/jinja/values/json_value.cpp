#include "engine/text/jinja/values/json_value.h"

#include "engine/text/jinja/values/operators.h"

#include <nlohmann/json.hpp>

namespace fireside::jinja {

Value valueOfJson(Runtime &rt, const nlohmann::ordered_json &json, bool untrusted)
{
    const LevelGuard guard(rt.budget.calls);
    const auto text = [&](std::string s) {
        return rt.string(untrusted ? MarkedText::fromUser(std::move(s))
                                   : MarkedText::trusted(std::move(s)));
    };
    switch (json.type()) {
    case nlohmann::ordered_json::value_t::boolean:
        return Value::boolean(json.get<bool>());
    case nlohmann::ordered_json::value_t::number_integer:
        return Value::integer(json.get<std::int64_t>());
    case nlohmann::ordered_json::value_t::number_unsigned: {
        const auto number = json.get<std::uint64_t>();
        return number <= INT64_MAX ? Value::integer(static_cast<std::int64_t>(number))
                                   : Value::number(static_cast<double>(number));
    }
    case nlohmann::ordered_json::value_t::number_float:
        return Value::number(json.get<double>());
    case nlohmann::ordered_json::value_t::string:
        return text(json.get<std::string>());
    case nlohmann::ordered_json::value_t::array: {
        std::vector<Value> items;
        for (const auto &item : json)
            items.push_back(valueOfJson(rt, item, untrusted));
        return rt.heap.list(std::move(items));
    }
    case nlohmann::ordered_json::value_t::object: {
        const Value dict = rt.heap.dict();
        for (const auto &entry : json.items())
            setItem(rt, dict.asDict(), text(entry.key()),
                    valueOfJson(rt, entry.value(), untrusted));
        return dict;
    }
    default:
        return {};
    }
}

} // namespace fireside::jinja
