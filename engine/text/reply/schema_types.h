#pragma once
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

// The types that a JSON schema allows, for values whose text does not say its type. Schemas come
// from clients: whatever is not understood allows every type.
namespace fireside {

enum JsonType : unsigned {
    kJsonNull = 1,
    kJsonBoolean = 2,
    kJsonInteger = 4,
    kJsonFraction = 8, // a number that is no integer
    kJsonString = 16,
    kJsonArray = 32,
    kJsonObject = 64,
    kJsonAny = 127,
};

/// A place in a schema. The schema must outlive it.
class SchemaView
{
public:
    SchemaView() = default; // allows everything
    explicit SchemaView(const nlohmann::ordered_json &schema)
        : m_root(&schema)
        , m_node(&schema)
    {}
    unsigned types() const; // bits of JsonType
    SchemaView member(const std::string &name) const;
    SchemaView items() const;
    bool hasMembers() const; // names some
    bool hasMember(const std::string &name) const;
    bool hasEnumText(const std::string &text) const; // lists it as a value

private:
    using Json = nlohmann::ordered_json;
    SchemaView(const Json *root, const Json *node)
        : m_root(root)
        , m_node(node)
    {}
    const Json *resolved(const Json *node, int depth = 0) const;
    unsigned typesOf(const Json *node, int depth) const;
    const Json *find(const Json *node, const char *list, const std::string &name, int depth) const;

    const Json *m_root = nullptr, *m_node = nullptr;
};

/// The value that a text between tags stands for: of the type that the schema says, exactly the
/// text where that is a string. Where it allows several types, the text is read as JSON or Python
/// if it is that, and a string otherwise.
nlohmann::ordered_json typedText(std::string_view text, const SchemaView &schema);
/// Converts values of another type than the schema says where nothing is lost: 18 to "18", "18" to
/// 18, a list in a string to a list.
void fitToSchema(nlohmann::ordered_json &value, const SchemaView &schema);

} // namespace fireside
