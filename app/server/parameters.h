#pragma once
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>

// The body of a request, read so that nothing in it is passed over in silence: what is unknown is
// refused, or reported to the request's notes (tolerance.h).
namespace fireside::server {

using json = nlohmann::ordered_json; // templates and grammars see members in the order they came in

/// What the client is told; the shape is OpenAI's.
struct ApiError : std::runtime_error
{
    ApiError(int httpStatus, const std::string &text, std::string parameter = {},
             std::string errorCode = {});
    int status;
    std::string param, code;
};
json errorBody(int status, const std::string &text, const std::string &param = {},
               const std::string &code = {});
/// Valid UTF-8 in any case.
std::string dumped(const json &value);

/// The members of a JSON object, by the names that are known. null counts as absent. Each throws
/// ApiError(400) with the name for a value of another type or out of range. Unless requests are
/// read strictly, numbers may stand in strings, and a number that is out of range becomes the
/// nearest one.
class Parameters
{
public:
    /// `of`: the object's own name where it is a member of another
    explicit Parameters(const json &object, std::string of = {});

    const json *find(const std::string &name); // nullptr: absent
    const json &require(const std::string &name);
    std::optional<double> number(const std::string &name, double low, double high);
    std::optional<std::int64_t> integer(const std::string &name, std::int64_t low,
                                        std::int64_t high);
    std::optional<bool> boolean(const std::string &name);
    std::optional<std::string> text(const std::string &name);
    /// Only these values change nothing; any other is reported, or refused as unsupported.
    void onlyAs(const std::string &name, const std::vector<json> &values);
    /// Any other value would change what the answer means.
    void requireAs(const std::string &name, const std::vector<json> &values);
    /// Says nothing about the reply: any value will do.
    void ignore(const std::string &name) { find(name); }
    /// Reports what nobody asked for, or refuses it.
    void finish() const;
    /// ApiError(400) for a list of more entries than are read.
    void limitCount(const std::string &name, std::size_t count, std::size_t most) const;

    [[noreturn]] void refuse(const std::string &name, const std::string &expected) const;
    std::string full(const std::string &name) const; // with the object's own name before it

private:
    const json &m_object;
    const std::string m_of;
    std::set<std::string> m_known;
};

constexpr std::size_t kMaxMessages = 10'000; // of a chat, or items of a response's input

/// ApiError(400) where it is no JSON object, or has more levels, members, objects, lists or values
/// than limits allow; found while it is read. Unless requests are read strictly, halves of
/// surrogate pairs become U+FFFD.
json parsedBody(const std::string &body);

} // namespace fireside::server
