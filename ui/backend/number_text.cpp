#include "ui/backend/number_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <array>

namespace fireside {

namespace {

class NumberTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::NumberText)
};

// Two significant digits below 10, whole numbers above: more would be noise in a status line.
QString shortNumber(double value, const QLocale &locale)
{
    return locale.toString(value, 'f', value < 9.95 ? 1 : 0);
}

} // namespace

QString bytesText(qint64 bytes, const QLocale &locale)
{
    if (bytes < 0)
        return NumberTexts::tr("unknown");
    if (bytes < 1000)
        return locale.toString(bytes) + QStringLiteral(" B");
    static constexpr std::array kUnits = {"kB", "MB", "GB", "TB", "PB", "EB"};
    double value = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; value >= 999.5 && unit + 1 < kUnits.size(); ++unit)
        value /= 1000;
    return shortNumber(value, locale) + QLatin1Char(' ') + QLatin1String(kUnits[unit]);
}

QString parametersText(qint64 parameters, const QLocale &locale)
{
    if (parameters <= 0)
        return NumberTexts::tr("unknown");
    const double millions = static_cast<double>(parameters) / 1e6;
    if (millions < 999.5)
        return locale.toString(millions, 'f', millions < 99.95 ? 1 : 0) + QStringLiteral(" M");
    return locale.toString(millions / 1000, 'f', millions < 99950 ? 1 : 0) + QStringLiteral(" B");
}

QString countText(qint64 count)
{
    return QLocale().toString(count);
}

QString rateText(double tokensPerSecond)
{
    if (!(tokensPerSecond > 0))
        return QStringLiteral("–");
    return NumberTexts::tr("%1 tok/s")
        .arg(QLocale().toString(tokensPerSecond, 'f', tokensPerSecond < 99.95 ? 1 : 0));
}

} // namespace fireside
