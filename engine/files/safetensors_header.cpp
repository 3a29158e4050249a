#include "engine/files/safetensors_header.h"

#include "engine/core/error.h"
#include "engine/files/byte_reader.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace fireside {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kMaxHeaderTensors = std::size_t{1}
                                          << 18; // the largest mixtures have about 50,000

/// Follows the header { "name": {"dtype": …, "shape": […], "data_offsets": [begin, end]}, … } and
/// "__metadata__": {"key": "text", …}.
class HeaderReader final : public nlohmann::json_sax<json>
{
public:
    explicit HeaderReader(const std::filesystem::path &path)
        : m_path(path)
    {}
    std::vector<SafetensorsEntry> take() { return std::move(m_entries); }

    bool start_object(std::size_t) override
    {
        if (m_place == Place::Start)
            m_place = Place::Top;
        else if (m_place == Place::Value)
            m_place = m_metadata ? Place::Metadata : Place::Tensor;
        else
            fail("an object where none belongs");
        return true;
    }
    bool end_object() override
    {
        if (m_place == Place::Tensor)
            finishTensor();
        m_place = m_place == Place::Top ? Place::End : Place::Top;
        return true;
    }
    bool key(std::string &text) override
    {
        if (m_place == Place::Top)
            startEntry(text);
        else if (m_place == Place::Tensor)
            startField(text);
        return true;
    }
    bool start_array(std::size_t) override
    {
        if (m_place != Place::Field || m_field == Field::Type)
            fail("a list where none belongs");
        m_place = Place::List;
        return true;
    }
    bool end_array() override
    {
        keepList();
        m_place = Place::Tensor;
        return true;
    }
    bool number_unsigned(std::uint64_t value) override
    {
        if (m_place != Place::List)
            fail("the number " + std::to_string(value) + " where none belongs");
        const std::size_t limit = m_field == Field::Shape ? kMaxRank : 2;
        if (m_numbers.size() == limit)
            fail(m_field == Field::Shape ? "more than " + std::to_string(kMaxRank) + " dimensions"
                                         : "'data_offsets' with more than two numbers");
        m_numbers.push_back(value);
        return true;
    }
    bool string(std::string &text) override
    {
        if (m_place == Place::Metadata)
            return true;
        if (m_place != Place::Field || m_field != Field::Type)
            fail("the text " + fireside::quoted(text) + " where none belongs");
        m_entry.type = text;
        m_place = Place::Tensor;
        return true;
    }
    bool null() override { fail("a null"); }
    bool boolean(bool) override { fail("a bool"); }
    bool number_integer(std::int64_t value) override
    {
        fail("the negative number " + std::to_string(value));
    }
    bool number_float(double, const std::string &text) override
    {
        fail("the number " + fireside::quoted(text));
    }
    bool binary(json::binary_t &) override { fail("binary data"); }
    bool parse_error(std::size_t position, const std::string &, const json::exception &) override
    {
        throwBadInput(m_path.string() + ": the header is no valid JSON: mistake at byte " +
                      std::to_string(position));
    }

private:
    enum class Place { Start, Top, Value, Metadata, Tensor, Field, List, End };
    enum class Field { Type, Shape, Offsets };

    [[noreturn]] void fail(const std::string &what) const
    {
        throwBadInput(m_path.string() + ": the header has " + what +
                      (m_entry.name.empty() ? "" : " at " + fireside::quoted(m_entry.name)));
    }

    void startEntry(const std::string &name)
    {
        m_entry = {};
        m_entry.name = name;
        m_has[0] = m_has[1] = m_has[2] = false;
        m_metadata = name == "__metadata__";
        if (m_metadata && std::exchange(m_metadataSeen, true))
            fail("the entry '__metadata__' twice");
        if (name.empty())
            fail("a tensor without a name");
        m_place = Place::Value;
    }
    void startField(const std::string &name)
    {
        if (name == "dtype")
            m_field = Field::Type;
        else if (name == "shape")
            m_field = Field::Shape;
        else if (name == "data_offsets")
            m_field = Field::Offsets;
        else
            fail("the unknown field " + fireside::quoted(name));
        bool &has = m_has[static_cast<std::size_t>(m_field)];
        if (std::exchange(has, true))
            fail("the field " + fireside::quoted(name) + " twice");
        m_numbers.clear();
        m_place = Place::Field;
    }
    void keepList()
    {
        if (m_field == Field::Shape) {
            m_entry.shape = m_numbers;
        } else {
            if (m_numbers.size() != 2)
                fail("'data_offsets' without two numbers");
            m_entry.begin = m_numbers[0];
            m_entry.end = m_numbers[1];
        }
    }
    void finishTensor()
    {
        for (const bool has : m_has)
            if (!has)
                fail("no 'dtype', 'shape' or 'data_offsets'");
        if (m_entries.size() == kMaxHeaderTensors)
            fail("more than " + std::to_string(kMaxHeaderTensors) + " tensors");
        m_entries.push_back(std::move(m_entry));
        m_entry = {};
    }

    const std::filesystem::path &m_path;
    std::vector<SafetensorsEntry> m_entries;
    SafetensorsEntry m_entry;
    std::vector<std::uint64_t> m_numbers;
    Place m_place = Place::Start;
    Field m_field = Field::Type;
    bool m_has[3] = {};
    bool m_metadata = false, m_metadataSeen = false;
};

} // namespace

std::vector<SafetensorsEntry> readSafetensorsHeader(const std::filesystem::path &path,
                                                    std::string_view text)
{
    HeaderReader reader(path);
    json::sax_parse(text.begin(), text.end(), &reader);
    return reader.take();
}

} // namespace fireside
