#include "engine/report_json.h"

#include "engine/core/error.h"

#include <array>

namespace fireside {
namespace {

using Json = nlohmann::ordered_json;

struct OutcomeWord
{
    DeviceCheck::Outcome outcome;
    const char *word;
};
constexpr std::array kOutcomes{OutcomeWord{DeviceCheck::Outcome::Passed, "passed"},
                               OutcomeWord{DeviceCheck::Outcome::Failed, "failed"},
                               OutcomeWord{DeviceCheck::Outcome::NotReached, "not reached"}};

const char *wordOf(DeviceCheck::Outcome outcome)
{
    for (const OutcomeWord &known : kOutcomes)
        if (known.outcome == outcome)
            return known.word;
    return "";
}

DeviceCheck::Outcome outcomeOf(const std::string &word)
{
    for (const OutcomeWord &known : kOutcomes)
        if (word == known.word)
            return known.outcome;
    throwBadInput("no outcome of a check: '" + word + "'");
}

Json bytesOrNull(const std::optional<std::uint64_t> &bytes)
{
    return bytes ? Json(*bytes) : Json(nullptr);
}

std::optional<std::uint64_t> bytesOf(const Json &json)
{
    return json.is_null() ? std::nullopt : std::optional(json.get<std::uint64_t>());
}

} // namespace

Json toJson(const DeviceReport &r)
{
    Json j{{"id", r.id},
           {"kind", toString(r.kind)},
           {"name", r.name},
           {"available", r.available},
           {"reason", r.reason},
           {"software", r.software},
           {"unified_memory", r.unifiedMemory},
           {"memory_total", bytesOrNull(r.memoryTotal)},
           {"memory_free", bytesOrNull(r.memoryFree)}};
    j["checks"] = Json::array();
    for (const DeviceCheck &c : r.checks)
        j["checks"].push_back({{"name", c.name},
                               {"outcome", wordOf(c.outcome)},
                               {"detail", c.detail},
                               {"error", c.rawError},
                               {"advice", c.advice}});
    j["properties"] = Json::object();
    for (const auto &[key, value] : r.properties)
        j["properties"][key] = value;
    return j;
}

DeviceReport reportFromJson(const Json &json)
{
    try {
        DeviceReport r;
        r.id = json.at("id").get<std::string>();
        r.kind = parseBackendKind(json.at("kind").get<std::string>());
        r.name = json.at("name").get<std::string>();
        r.available = json.at("available").get<bool>();
        r.reason = json.at("reason").get<std::string>();
        r.software = json.at("software").get<bool>();
        r.unifiedMemory = json.at("unified_memory").get<bool>();
        r.memoryTotal = bytesOf(json.at("memory_total"));
        r.memoryFree = bytesOf(json.at("memory_free"));
        for (const Json &c : json.at("checks"))
            r.checks.push_back({c.at("name").get<std::string>(),
                                outcomeOf(c.at("outcome").get<std::string>()),
                                c.at("detail").get<std::string>(), c.at("error").get<std::string>(),
                                c.at("advice").get<std::string>()});
        for (const auto &[key, value] : json.at("properties").items())
            r.properties.emplace_back(key, value.get<std::string>());
        return r;
    } catch (const Json::exception &error) {
        throwBadInput(std::string("no report of a device: ") + error.what());
    }
}

} // namespace fireside
