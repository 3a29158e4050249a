#include "app/server/lenient_schema.h"

#include "app/server/tolerance.h"
#include "engine/constrain/schema_reader.h"
#include "engine/core/error.h"

namespace fireside::server {
namespace {

bool canBeKept(const json &schema)
{
    try {
        (void)constrain::readJsonSchema(dumped(schema), {.lenient = true});
        return true;
    } catch (const Error &) {
        return false;
    }
}

/// Only these members of the schema, so that others cannot be what is wrong.
json onlyWith(const json &schema, const std::string &name, const json &value)
{
    json part{{"type", "object"}};
    for (const char *definitions : {"$defs", "definitions"})
        if (schema.contains(definitions))
            part[definitions] = schema[definitions];
    part[name] = value;
    return part;
}

/// Whether the parts can be tried one by one: each with all definitions.
bool isSmall(const json &schema)
{
    constexpr std::size_t kMaxBytes = 8 << 20;
    const std::size_t properties = schema.contains("properties") ? schema["properties"].size() : 0;
    return dumped(schema).size() * (properties + schema.size()) <= kMaxBytes;
}

} // namespace

json keptSchema(const json &schema, const std::string &place)
{
    if (canBeKept(schema))
        return schema;
    json kept{{"type", "object"}};
    if (!schema.is_object()) {
        noteIgnored(place);
        return kept;
    }
    if (!isSmall(schema)) {
        noteIgnored(place);
        return kept;
    }
    // One keyword after another, and of the properties one after another.
    for (const auto &[name, value] : schema.items()) {
        if (name == "type")
            continue;
        json part = value;
        if (name == "properties" && value.is_object())
            for (auto &[property, inner] : part.items())
                if (!canBeKept(onlyWith(schema, name, {{property, inner}}))) {
                    noteIgnored(place + ".properties." + property);
                    inner = true;
                }
        if (canBeKept(onlyWith(schema, name, part)))
            kept[name] = std::move(part);
        else
            noteIgnored(place + "." + name);
    }
    if (canBeKept(kept))
        return kept;
    noteIgnored(place);
    return {{"type", "object"}};
}

} // namespace fireside::server
