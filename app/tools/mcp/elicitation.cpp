#include "app/tools/mcp/elicitation.h"

#include "app/tools/auth/addresses.h"
#include "app/tools/visible_text.h"

#include <algorithm>
#include <cmath>

namespace fireside::mcp {
namespace {

constexpr std::size_t kMostFields = 50, kMostChoices = 500;
constexpr qsizetype kLongestQuestion = 4000, kLongestName = 200, kLongestAbout = 1000;
constexpr qsizetype kLongestPreset = 10'000;

QString limited(const ToolJson &json, const char *name, qsizetype longest)
{
    qsizetype end = 0;
    return visible(textIn(json, name), longest, end);
}

std::optional<double> limitIn(const ToolJson &schema, const char *name)
{
    const ToolJson *const value = memberOf(schema, name);
    if (!value || !value->is_number() || !std::isfinite(value->get<double>()))
        return std::nullopt;
    return value->get<double>();
}

/// "enum" with "enumNames", or "oneOf"/"anyOf" of {"const", "title"}. False: none of them.
bool readChoices(const ToolJson &schema, InputField &field)
{
    const auto add = [&](const ToolJson &value, const QString &label) {
        if (!value.is_string() || field.choices.size() >= static_cast<qsizetype>(kMostChoices))
            return false;
        const QString text = QString::fromStdString(value.get<std::string>());
        if (text.isEmpty() || text.size() > kLongestAbout)
            return false;
        if (!field.choices.contains(text)) {
            field.choices += text;
            field.labels += visible(label.isEmpty() ? text : label).left(kLongestName);
        }
        return true;
    };
    if (const ToolJson *const list = memberOf(schema, "enum"); list && list->is_array()) {
        const ToolJson *const names = memberOf(schema, "enumNames");
        for (std::size_t i = 0; i < list->size(); ++i) {
            const bool named =
                names && names->is_array() && i < names->size() && (*names)[i].is_string();
            const QString label =
                named ? QString::fromStdString((*names)[i].get<std::string>()) : QString();
            if (!add((*list)[i], label))
                return false;
        }
    }
    for (const char *key : {"oneOf", "anyOf"})
        if (const ToolJson *const list = memberOf(schema, key); list && list->is_array())
            for (const ToolJson &one : *list) {
                const ToolJson *const value = memberOf(one, "const");
                if (!value || !add(*value, textIn(one, "title")))
                    return false;
            }
    return !field.choices.isEmpty();
}

void readPreset(const ToolJson &schema, InputField &field)
{
    const ToolJson *const value = memberOf(schema, "default");
    if (!value)
        return;
    if (field.kind == InputField::Boolean && value->is_boolean())
        field.preset = value->get<bool>();
    else if (field.kind == InputField::Several && value->is_array()) {
        QStringList chosen;
        for (const QString &one : field.choices)
            if (std::find(value->begin(), value->end(), one.toStdString()) != value->end())
                chosen += one;
        field.preset = chosen;
    } else if (value->is_number() &&
               (field.kind == InputField::Number || field.kind == InputField::Integer))
        field.preset = QString::fromUtf8(bytesOf(*value));
    else if (value->is_string() && field.kind == InputField::Text)
        field.preset = QString::fromStdString(value->get<std::string>()).left(kLongestPreset);
    else if (value->is_string() && field.kind == InputField::One &&
             field.choices.contains(QString::fromStdString(value->get<std::string>())))
        field.preset = QString::fromStdString(value->get<std::string>());
}

bool readText(const ToolJson &schema, InputField &field)
{
    if (memberOf(schema, "enum") || memberOf(schema, "oneOf") || memberOf(schema, "anyOf")) {
        field.kind = InputField::One;
        return readChoices(schema, field);
    }
    const QString format = textIn(schema, "format");
    field.format = format == QLatin1String("email")       ? InputField::Email
                   : format == QLatin1String("uri")       ? InputField::Address
                   : format == QLatin1String("date")      ? InputField::Date
                   : format == QLatin1String("date-time") ? InputField::DateTime
                                                          : InputField::Plain;
    field.least = limitIn(schema, "minLength");
    field.most = limitIn(schema, "maxLength");
    if (const QString pattern = textIn(schema, "pattern"); !pattern.isEmpty())
        field.pattern = TextPattern::read(pattern);
    return true;
}

/// False: a kind of field that forms do not have.
bool readField(const ToolJson &schema, InputField &field)
{
    const QString type = textIn(schema, "type");
    field.title = limited(schema, "title", kLongestName);
    field.about = limited(schema, "description", kLongestAbout);
    bool fine = true;
    if (type == QLatin1String("string")) {
        fine = readText(schema, field);
    } else if (type == QLatin1String("number") || type == QLatin1String("integer")) {
        field.kind = type == QLatin1String("number") ? InputField::Number : InputField::Integer;
        field.least = limitIn(schema, "minimum");
        field.most = limitIn(schema, "maximum");
    } else if (type == QLatin1String("boolean")) {
        field.kind = InputField::Boolean;
    } else if (type == QLatin1String("array")) {
        field.kind = InputField::Several;
        const ToolJson *const items = memberOf(schema, "items");
        field.least = limitIn(schema, "minItems");
        field.most = limitIn(schema, "maxItems");
        fine = items && readChoices(*items, field);
    } else {
        fine = false;
    }
    readPreset(schema, field);
    return fine;
}

bool readForm(const ToolJson &params, InputRequest &request, QString &problem)
{
    const ToolJson *const schema = memberOf(params, "requestedSchema");
    const ToolJson *const properties = schema ? memberOf(*schema, "properties") : nullptr;
    if (!properties || !properties->is_object() || properties->size() > kMostFields) {
        problem = QStringLiteral("requestedSchema is no flat object of at most 50 properties");
        return false;
    }
    const ToolJson *const required = memberOf(*schema, "required");
    for (const auto &[name, property] : properties->items()) {
        InputField field{.name = QString::fromStdString(name)};
        if (field.name.isEmpty() || field.name.size() > kLongestName ||
            !readField(property, field)) {
            problem = QStringLiteral("the property “%1” is of a kind that forms do not have")
                          .arg(field.name.left(100));
            return false;
        }
        field.required = required && required->is_array() &&
                         std::find(required->begin(), required->end(), name) != required->end();
        request.fields.append(field);
    }
    return true;
}

} // namespace

ToolJson inputCapabilities()
{
    return {{"elicitation", {{"form", ToolJson::object()}, {"url", ToolJson::object()}}}};
}

std::optional<InputRequest> readInputRequest(const ToolJson &params, const QString &server,
                                             QString &problem)
{
    InputRequest request{server, limited(params, "message", kLongestQuestion)};
    const QString mode = textIn(params, "mode");
    if (mode == QLatin1String("url")) {
        request.page = QUrl(textIn(params, "url"), QUrl::StrictMode);
        request.id = textIn(params, "elicitationId").left(kLongestName);
        if (!auth::isSafe(request.page) || !request.page.userInfo().isEmpty() ||
            request.page.toEncoded().size() > kLongestQuestion) {
            problem = QStringLiteral("url is no https address");
            return std::nullopt;
        }
        return request;
    }
    if (!mode.isEmpty() && mode != QLatin1String("form")) {
        problem = QStringLiteral("the mode is neither form nor url");
        return std::nullopt;
    }
    return readForm(params, request, problem) ? std::optional(request) : std::nullopt;
}

ToolJson inputResult(const InputAnswer &answer)
{
    if (answer.action == InputAnswer::Decline)
        return {{"action", "decline"}};
    if (answer.action == InputAnswer::Cancel)
        return {{"action", "cancel"}};
    ToolJson result{{"action", "accept"}};
    if (answer.content.is_object())
        result["content"] = answer.content;
    return result;
}

} // namespace fireside::mcp
