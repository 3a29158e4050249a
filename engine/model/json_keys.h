#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace fireside {

/// The keys of a JSON object from outside, each checked for its type and bounds. A null counts as
/// absent, as in transformers. Errors name the file, the key with its path, and the value.
class JsonKeys
{
public:
    /// `path` of keys inside the file: "rope_scaling." or nothing. The object must outlive this.
    JsonKeys(const std::filesystem::path &file, const nlohmann::json &object, std::string path = {})
        : m_file(file)
        , m_object(object)
        , m_path(std::move(path))
        , m_read(std::make_shared<std::set<std::string>>())
    {}

    const nlohmann::json *find(const char *key) const; // nullptr: absent or null
    bool has(const char *key) const { return find(key) != nullptr; }

    std::int64_t require(const char *key, std::int64_t low, std::int64_t high) const;
    std::int64_t optional(const char *key, std::int64_t fallback, std::int64_t low,
                          std::int64_t high) const;
    double requireReal(const char *key, double low, double high) const;
    double real(const char *key, double fallback, double low, double high) const;
    bool flag(const char *key, bool fallback) const;
    std::string text(const char *key, const char *fallback = "") const;
    std::vector<double> reals(const char *key, std::size_t size, double low, double high) const;
    /// The object under a key.
    JsonKeys inside(const char *key) const;

    /// Whether anything asked for the key, here or through another view of the same file.
    bool wasRead(const std::string &key) const { return m_read->contains(m_path + key); }

    std::string where(const char *key) const; // "FILE: 'key'"
    const nlohmann::json &object() const { return m_object; }
    const std::filesystem::path &file() const { return m_file; }

private:
    [[noreturn]] void fail(const char *key, const std::string &expected) const;
    [[noreturn]] void missing(const char *key) const;

    const std::filesystem::path &m_file;
    const nlohmann::json &m_object;
    std::string m_path;
    std::shared_ptr<std::set<std::string>> m_read; // whole paths, shared with inside()
};

} // namespace fireside
