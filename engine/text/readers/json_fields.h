#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fireside {

/// A member of an object; null when it is absent or this is no object.
const nlohmann::json &jsonMember(const nlohmann::json &object, const char *key);

/// Typed access to members of a JSON object; errors name `where` and the key. The optional forms
/// give the fallback when the key is absent or null.
std::string jsonString(const nlohmann::json &object, const char *key, const std::string &where);
std::string jsonStringOr(const nlohmann::json &object, const char *key, std::string fallback,
                         const std::string &where);
bool jsonBoolOr(const nlohmann::json &object, const char *key, bool fallback,
                const std::string &where);
std::size_t jsonCountOr(const nlohmann::json &object, const char *key, std::size_t fallback,
                        const std::string &where);

/// A value for an error text: short and printable.
std::string quotedJson(const nlohmann::json &value);

/// A whole number that is not negative; `place` names where it stands.
std::size_t jsonId(const nlohmann::json &value, const std::string &place);

} // namespace fireside
