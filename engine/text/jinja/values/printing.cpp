#include "engine/text/jinja/values/printing.h"

#include "engine/text/jinja/values/literals.h"
#include "engine/text/jinja/values/operators.h"

#include <algorithm>
#include <cmath>

namespace fireside::jinja {

using Kind = Value::Kind;

namespace {

std::string hex(std::uint32_t value, int digits)
{
    std::string out(static_cast<std::size_t>(digits), '0');
    for (int i = digits - 1; i >= 0; --i, value >>= 4)
        out[static_cast<std::size_t>(i)] = "0123456789abcdef"[value & 15];
    return out;
}

/// What both printers share: the builder, and the output limit on what it holds.
class Printer
{
public:
    explicit Printer(Runtime &runtime)
        : m_runtime(runtime)
    {}
    MarkedText take() { return m_out.take(); }

protected:
    void checkSize()
    {
        m_runtime.budget.step();
        m_runtime.budget.checkText(m_out.size());
        m_runtime.budget.checkText(m_out.ranges() * sizeof(MarkedText::Range));
    }

    /// Writes s with each character c for which escape(c) is not empty replaced by that.
    template <typename Escape>
    void writeEscaped(const StringObject &s, const Escape &escape)
    {
        m_runtime.budget.scan(8 * s.text().size()); // each character is looked at by itself
        std::size_t plain = 0;                      // start of the run not yet written
        const std::string &text = s.text();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t next = nextCharacter(text, at);
            const std::string replaced = escape(std::string_view(text).substr(at, next - at));
            if (!replaced.empty()) {
                m_out.append(s.marked, plain, at);
                m_out.appendDerived(replaced, s.marked, at, next);
                plain = next;
                if ((m_out.size() & 0xFFF) == 0)
                    checkSize();
            }
            at = next;
        }
        m_out.append(s.marked, plain, text.size());
        checkSize();
    }

    Runtime &m_runtime;
    MarkedBuilder m_out;
};

class ReprPrinter : public Printer
{
public:
    using Printer::Printer;

    void write(const Value &value)
    {
        const LevelGuard guard(m_runtime.budget.calls);
        checkSize();
        switch (value.kind()) {
        case Kind::Undefined:
            m_out.append("Undefined");
            break;
        case Kind::String:
            writeString(value.asString());
            break;
        case Kind::List:
            writeItems("[", value.asList().items, "]");
            break;
        case Kind::Tuple:
            writeItems("(", value.asList().items, value.asList().items.size() == 1 ? ",)" : ")");
            break;
        case Kind::Generator:
            m_out.append("<generator object>");
            break;
        case Kind::Dict:
            writeDict(value.asDict());
            break;
        case Kind::Object:
            m_out.append(value.asObject().describe());
            break;
        default:
            m_out.append(scalarText(value));
        }
    }

    static std::string scalarText(const Value &value)
    {
        switch (value.kind()) {
        case Kind::Bool:
            return value.asBool() ? "True" : "False";
        case Kind::Int:
            return std::to_string(value.asInteger());
        case Kind::Float:
            return floatText(value.asFloat());
        default:
            return "None";
        }
    }

private:
    void writeItems(const char *open, const std::vector<Value> &items, const char *close)
    {
        m_out.append(open);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (i > 0)
                m_out.append(", ");
            write(items[i]);
        }
        m_out.append(close);
    }

    void writeDict(const DictObject &dict)
    {
        m_out.append("{");
        for (std::size_t i = 0; i < dict.entries.size(); ++i) {
            if (i > 0)
                m_out.append(", ");
            write(dict.entries[i].key);
            m_out.append(": ");
            write(dict.entries[i].value);
        }
        m_out.append("}");
    }

    void writeString(const StringObject &s)
    {
        const bool hasSingle = s.text().find('\'') != std::string::npos;
        const char quote = hasSingle && s.text().find('"') == std::string::npos ? '"' : '\'';
        m_out.append(std::string(1, quote));
        writeEscaped(s, [&](std::string_view c) { return escape(c, quote); });
        m_out.append(std::string(1, quote));
    }

    static std::string escape(std::string_view character, char quote)
    {
        const std::int32_t c = decodeCharacter(character);
        switch (c) {
        case '\n':
            return "\\n";
        case '\r':
            return "\\r";
        case '\t':
            return "\\t";
        case '\\':
            return "\\\\";
        default:
            break;
        }
        if (c == quote)
            return std::string("\\") + quote;
        if (c >= 0 && c < 0x100 && (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD))
            return "\\x" + hex(static_cast<std::uint32_t>(c), 2);
        return {};
    }
};

class JsonPrinter : public Printer
{
public:
    JsonPrinter(Runtime &runtime, const JsonStyle &style)
        : Printer(runtime)
        , m_style(style)
    {}

    void write(const Value &value)
    {
        const LevelGuard guard(m_runtime.budget.calls);
        checkSize();
        switch (value.kind()) {
        case Kind::None:
        case Kind::Bool:
        case Kind::Int:
        case Kind::Float:
            m_out.append(scalarText(value));
            break;
        case Kind::String:
            writeString(value.asString());
            break;
        case Kind::List:
        case Kind::Tuple:
            writeItems('[', ']', value.asList().items.size(),
                       [&](std::size_t i) { write(value.asList().items[i]); });
            break;
        case Kind::Dict:
            writeDict(value.asDict());
            break;
        default:
            throw TemplateError("Object of type " + typeName(value) + " is not JSON serializable");
        }
    }

private:
    static std::string scalarText(const Value &value)
    {
        switch (value.kind()) {
        case Kind::Bool:
            return value.asBool() ? "true" : "false";
        case Kind::Int:
            return std::to_string(value.asInteger());
        case Kind::Float:
            if (std::isnan(value.asFloat()))
                return "NaN";
            if (std::isinf(value.asFloat()))
                return value.asFloat() < 0 ? "-Infinity" : "Infinity";
            return floatText(value.asFloat());
        default:
            return "null";
        }
    }

    template <typename WriteItem>
    void writeItems(char open, char close, std::size_t count, const WriteItem &writeItem)
    {
        m_out.append(std::string(1, open));
        ++m_level;
        for (std::size_t i = 0; i < count; ++i) {
            if (i > 0)
                m_out.append(m_style.itemSeparator);
            newLine();
            writeItem(i);
        }
        --m_level;
        if (count > 0)
            newLine();
        m_out.append(std::string(1, close));
    }

    void writeDict(const DictObject &dict)
    {
        std::vector<const DictObject::Entry *> entries;
        for (const auto &entry : dict.entries)
            entries.push_back(&entry);
        if (m_style.sortKeys) {
            std::stable_sort(entries.begin(), entries.end(), [&](const auto *a, const auto *b) {
                return order(m_runtime, a->key, b->key) < 0;
            });
        }
        writeItems('{', '}', entries.size(), [&](std::size_t i) {
            writeKey(entries[i]->key);
            m_out.append(m_style.keySeparator);
            write(entries[i]->value);
        });
    }

    void writeKey(const Value &key)
    {
        if (key.isString())
            return writeString(key.asString());
        if (key.is(Kind::Tuple) || key.isUndefined())
            throw TemplateError("keys must be str, int, float, bool or None, not " + typeName(key));
        m_out.append('"' + scalarText(key) + '"');
    }

    void newLine()
    {
        if (!m_style.indent)
            return;
        m_out.append("\n");
        for (int i = 0; i < m_level; ++i) {
            m_out.append(*m_style.indent);
            checkSize();
        }
    }

    void writeString(const StringObject &s)
    {
        m_out.append("\"");
        writeEscaped(s, [&](std::string_view c) { return escape(c); });
        m_out.append("\"");
    }

    std::string escape(std::string_view character) const
    {
        static constexpr std::string_view From = "\"\\\n\r\t\f\b";
        static constexpr std::string_view To = "\"\\nrtfb";
        if (const auto known = From.find(character); known != std::string_view::npos)
            return {'\\', To[known]};
        const std::int32_t c = decodeCharacter(character);
        if (c < 0)
            return {};
        const auto code = static_cast<std::uint32_t>(c);
        if (code < 0x20 || (m_style.ensureAscii && code >= 0x7F && code < 0x10000))
            return "\\u" + hex(code, 4);
        if (m_style.ensureAscii && code >= 0x10000)
            return "\\u" + hex(0xD800 + ((code - 0x10000) >> 10), 4) + "\\u" +
                   hex(0xDC00 + (code & 0x3FF), 4);
        return {};
    }

    const JsonStyle &m_style;
    int m_level = 0;
};

} // namespace

Value toText(Runtime &rt, const Value &value)
{
    switch (value.kind()) {
    case Kind::String:
        return value;
    case Kind::Undefined:
        return rt.string(std::string());
    default:
        return rt.string(represent(rt, value));
    }
}

MarkedText represent(Runtime &rt, const Value &value)
{
    ReprPrinter printer(rt);
    printer.write(value);
    return printer.take();
}

MarkedText toJson(Runtime &rt, const Value &value, const JsonStyle &style)
{
    JsonPrinter printer(rt, style);
    printer.write(value);
    return printer.take();
}

} // namespace fireside::jinja
