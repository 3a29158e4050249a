#include "app/tools/builtin/builtin_tools.h"

#include "app/tools/builtin/calculator.h"
#include "app/tools/builtin/calendar.h"
#include "app/tools/builtin/folder_tools.h"
#include "app/tools/tool_json.h"

#include <QCoreApplication>
#include <QCryptographicHash>

#include <algorithm>
#include <array>

namespace fireside {
namespace {

struct BuiltinTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::BuiltinTools)
};

// What models read is in English, as most of what they have learned about tools is.
struct Description
{
    const char *name, *title, *description, *parameters;
    bool ofFolder;
};

constexpr std::array kDescriptions{
    Description{"calculate", QT_TRANSLATE_NOOP("fireside::BuiltinTools", "Calculator"),
                "Evaluates an arithmetic expression exactly: + - * / % ^ ! and brackets, numbers "
                "such as 1.5e9 and 0x1f, pi, e, and functions such as sqrt, ln, log(x, base), sin "
                "(radians), floor, round(x, digits), min, max, gcd, lcm, sum, mean.",
                R"json({"type":"object","properties":{"expression":{"type":"string",
                "description":"for example (3 + 4) * sqrt(2)"}},"required":["expression"],
                "additionalProperties":false})json",
                false},
    Description{"date_time", QT_TRANSLATE_NOOP("fireside::BuiltinTools", "Date and time"),
                "Tells the current date, time and weekday, or those of another moment: of a date, "
                "in a time zone, so many days, months or hours later or (negative) earlier.",
                R"json({"type":"object","properties":{"at":{"type":"string",
                "description":"date or moment, ISO 8601; now if left out"},"time_zone":{"type":
                "string","description":"such as Europe/Oslo; the user's own if left out"},
                "add_years":{"type":"integer"},"add_months":{"type":"integer"},"add_days":{"type":
                "integer"},"add_hours":{"type":"integer"},"add_minutes":{"type":"integer"}},
                "additionalProperties":false})json",
                false},
    Description{"list_folder", QT_TRANSLATE_NOOP("fireside::BuiltinTools", "List a folder"),
                "Lists the files and folders in the folder that the user has chosen, or in one "
                "below it.",
                R"json({"type":"object","properties":{"path":{"type":"string",
                "description":"relative to the chosen folder; that itself if left out"}},
                "additionalProperties":false})json",
                true},
    Description{"read_text_file", QT_TRANSLATE_NOOP("fireside::BuiltinTools", "Read a file"),
                "Reads a text file in the folder that the user has chosen, 64 kB at a time.",
                R"json({"type":"object","properties":{"path":{"type":"string",
                "description":"relative to the chosen folder"},"offset":{"type":"integer",
                "minimum":0,"description":"byte to begin at"}},"required":["path"],
                "additionalProperties":false})json",
                true},
    Description{
        "search_files", QT_TRANSLATE_NOOP("fireside::BuiltinTools", "Search files"),
        "Finds lines that contain a text, in any case, in the files of the folder that the "
        "user has chosen and below.",
        R"json({"type":"object","properties":{"text":{"type":"string"},"path":{"type":"string",
                "description":"a folder or file to search in"},"names":{"type":"string",
                "description":"pattern of file names, such as *.md"}},"required":["text"],
                "additionalProperties":false})json",
        true},
};

/// Numbers also as texts, which small models like to write.
qint64 numberIn(const ToolJson &given, const char *name)
{
    const ToolJson *const value = memberOf(given, name);
    if (value && value->is_number_integer())
        return value->get<qint64>();
    if (value && value->is_number_float()) {
        const double number = value->get<double>();
        return number > -1e15 && number < 1e15 ? static_cast<qint64>(number) : 0;
    }
    return textIn(given, name).toLongLong();
}

int smallNumberIn(const ToolJson &given, const char *name)
{
    constexpr qint64 kMostSteps = 10'000'000;
    return static_cast<int>(std::clamp(numberIn(given, name), -kMostSteps, kMostSteps));
}

ToolResult resultFrom(const QString &text, const QString &problem)
{
    return problem.isEmpty() ? ToolResult{ToolResult::Done, text}
                             : ToolResult{ToolResult::ToolError, problem};
}

ToolResult dateTime(const ToolJson &given)
{
    const CalendarAnswer answer = calendarAnswer(
        {textIn(given, "at"), textIn(given, "time_zone"), smallNumberIn(given, "add_years"),
         smallNumberIn(given, "add_months"), smallNumberIn(given, "add_days"),
         smallNumberIn(given, "add_hours"), smallNumberIn(given, "add_minutes")});
    return resultFrom(answer.text, answer.problem);
}

ToolResult calculate(const ToolJson &given)
{
    const ToolJson *const expression = memberOf(given, "expression");
    const QString text = expression && expression->is_number()
                             ? QString::fromUtf8(bytesOf(*expression))
                             : textIn(given, "expression");
    const Calculation result = calculated(text);
    return resultFrom(result.value, result.problem);
}

} // namespace

QList<Tool> builtinTools(const QString &folder)
{
    QList<Tool> tools;
    for (const Description &one : kDescriptions) {
        if (one.ofFolder && folder.isEmpty())
            continue;
        Tool tool{kBuiltIn, QLatin1String(one.name)};
        tool.title = BuiltinTexts::tr(one.title);
        tool.description = QLatin1String(one.description);
        tool.parameters = bytesOf(parsedJson(one.parameters).value_or(ToolJson::object()));
        // They stay what they are; which folder they may read is what may change.
        tool.fingerprint = QCryptographicHash::hash(
                               one.name + (one.ofFolder ? '\n' + folder.toUtf8() : QByteArray()),
                               QCryptographicHash::Sha256)
                               .toHex();
        tools.append(tool);
    }
    return tools;
}

ToolResult runBuiltin(const QString &name, const QByteArray &arguments, const QString &folder,
                      const std::stop_token &stop)
{
    const auto given = parsedJson(arguments);
    if (!given || !given->is_object())
        return {ToolResult::ToolError, BuiltinTexts::tr("the arguments are no JSON object")};
    if (name == QLatin1String("calculate"))
        return calculate(*given);
    if (name == QLatin1String("date_time"))
        return dateTime(*given);
    const FolderTools files(folder);
    if (name == QLatin1String("list_folder"))
        return files.list(textIn(*given, "path"));
    if (name == QLatin1String("read_text_file"))
        return files.read(textIn(*given, "path"), numberIn(*given, "offset"));
    if (name == QLatin1String("search_files"))
        return files.search(textIn(*given, "text"), textIn(*given, "path"), textIn(*given, "names"),
                            stop);
    return {ToolResult::Failed, BuiltinTexts::tr("there is no such tool")};
}

} // namespace fireside
