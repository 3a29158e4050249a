#include "app/tools/input_request.h"

#include "app/tools/visible_text.h"

#include <QCoreApplication>
#include <QDate>
#include <QDateTime>
#include <QLocale>

#include <cmath>

namespace fireside {

struct InputTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::InputTexts)
};

constexpr qsizetype kLongestPattern = 100; // in a sentence

/// In sentences of any direction.
static QString leftToRight(const QString &text)
{
    return QChar(0x2066) + text + QChar(0x2069);
}

static QString numberText(double number)
{
    return QLocale().toString(number, 'g', 12);
}

/// amount: of what is limited. sizes: letters or choices, not a number itself.
static QString problemOfAmount(const InputField &field, double amount)
{
    const bool several = field.kind == InputField::Several, text = field.kind == InputField::Text;
    if (field.least && amount < *field.least)
        return several
                   ? InputTexts::tr("at least %1 are to be chosen").arg(numberText(*field.least))
               : text ? InputTexts::tr("at least %1 characters are wanted")
                            .arg(numberText(*field.least))
                      : InputTexts::tr("it must be %1 at least").arg(numberText(*field.least));
    if (field.most && amount > *field.most)
        return several ? InputTexts::tr("at most %1 may be chosen").arg(numberText(*field.most))
               : text  ? InputTexts::tr("at most %1 characters fit").arg(numberText(*field.most))
                       : InputTexts::tr("it must be %1 at most").arg(numberText(*field.most));
    return {};
}

static QString problemOfFormat(InputField::Format format, const QString &text)
{
    switch (format) {
    case InputField::Plain:
        return {};
    case InputField::Email: {
        const qsizetype at = text.indexOf(QLatin1Char('@'));
        const bool fine = at > 0 && at == text.lastIndexOf(QLatin1Char('@')) &&
                          at + 1 < text.size() && !text.contains(QLatin1Char(' '));
        return fine ? QString() : InputTexts::tr("that is no e-mail address");
    }
    case InputField::Address: {
        const QUrl url(text, QUrl::StrictMode);
        return url.isValid() && !url.scheme().isEmpty() ? QString()
                                                        : InputTexts::tr("that is no address");
    }
    case InputField::Date:
        return QDate::fromString(text, Qt::ISODate).isValid() && text.size() == 10
                   ? QString()
                   : InputTexts::tr("a date is written like 2026-12-31");
    case InputField::DateTime:
        return QDateTime::fromString(text, Qt::ISODate).isValid() && text.contains(QLatin1Char('T'))
                   ? QString()
                   : InputTexts::tr("a time is written like 2026-12-31T18:30:00Z");
    }
    return {};
}

static std::optional<ToolJson> checkedNumber(const InputField &field, const QString &text,
                                             QString &problem)
{
    bool fine = false;
    double number = QLocale::c().toDouble(text, &fine);
    if (!fine)
        number = QLocale().toDouble(text, &fine);
    if (!fine || !std::isfinite(number)) {
        problem = InputTexts::tr("that is no number");
        return std::nullopt;
    }
    const bool whole = number == std::floor(number) && std::abs(number) < 9e15;
    if (field.kind == InputField::Integer && !whole) {
        problem = InputTexts::tr("a whole number is wanted");
        return std::nullopt;
    }
    problem = problemOfAmount(field, number);
    if (!problem.isEmpty())
        return std::nullopt;
    return whole ? ToolJson(static_cast<qint64>(number)) : ToolJson(number);
}

static std::optional<ToolJson> checkedChoices(const InputField &field, const QStringList &chosen,
                                              QString &problem)
{
    ToolJson list = ToolJson::array();
    for (const QString &one : field.choices) // in their order, each once
        if (chosen.contains(one))
            list.push_back(one.toStdString());
    problem = problemOfAmount(field, static_cast<double>(list.size()));
    return problem.isEmpty() ? std::optional(list) : std::nullopt;
}

std::optional<ToolJson> checkedInput(const InputField &field, const QVariant &entered,
                                     QString &problem)
{
    problem.clear();
    if (field.kind == InputField::Boolean)
        return ToolJson(entered.toBool());
    if (field.kind == InputField::Several) {
        if (entered.toStringList().isEmpty() && !field.required)
            return ToolJson();
        return checkedChoices(field, entered.toStringList(), problem);
    }
    const QString text =
        field.kind == InputField::Text ? entered.toString() : entered.toString().trimmed();
    if (text.isEmpty()) {
        if (!field.required)
            return ToolJson();
        problem = InputTexts::tr("this has to be filled in");
        return std::nullopt;
    }
    if (field.kind == InputField::Number || field.kind == InputField::Integer)
        return checkedNumber(field, text, problem);
    if (field.kind == InputField::One && !field.choices.contains(text)) {
        problem = InputTexts::tr("one of the choices is wanted");
        return std::nullopt;
    }
    if (field.kind == InputField::Text) {
        problem = problemOfAmount(field, static_cast<double>(text.toUcs4().size()));
        if (problem.isEmpty() && field.pattern && !field.pattern->matches(text))
            problem =
                InputTexts::tr("it does not have the form that the server wants: %1")
                    .arg(leftToRight(
                        visible(field.pattern->written()).simplified().left(kLongestPattern)));
        if (problem.isEmpty())
            problem = problemOfFormat(field.format, text);
    }
    return problem.isEmpty() ? std::optional(ToolJson(text.toStdString())) : std::nullopt;
}

} // namespace fireside
