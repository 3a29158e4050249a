#include "app/tools/builtin/calendar.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <QTimeZone>

#include <algorithm>
#include <cmath>

namespace fireside {
namespace {

struct CalendarTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::Calendar)
};

/// A moment, or the beginning of a day; what says no zone is of `zone`.
QDateTime momentIn(const QString &text, const QTimeZone &zone)
{
    const QString tidy = text.trimmed();
    if (const QDate day = QDate::fromString(tidy, Qt::ISODate); tidy.size() == 10 && day.isValid())
        return QDateTime(day, QTime(0, 0), zone);
    QDateTime moment = QDateTime::fromString(tidy, Qt::ISODateWithMs);
    if (!moment.isValid())
        moment = QDateTime::fromString(QString(tidy).replace(10, 1, QLatin1Char('T')),
                                       Qt::ISODateWithMs);
    if (!moment.isValid())
        return moment;
    return moment.timeSpec() == Qt::LocalTime ? QDateTime(moment.date(), moment.time(), zone)
                                              : moment.toTimeZone(zone);
}

QString distance(qint64 days)
{
    if (days == 0)
        return QStringLiteral("0 (today)");
    return days > 0 ? QStringLiteral("%1 (in the future)").arg(days)
                    : QStringLiteral("%1 (in the past)").arg(days);
}

} // namespace

CalendarAnswer calendarAnswer(const CalendarQuestion &question, const QDateTime &now)
{
    const QTimeZone zone = question.zone.isEmpty() ? QTimeZone::systemTimeZone()
                                                   : QTimeZone(question.zone.trimmed().toUtf8());
    if (!zone.isValid())
        return {{},
                CalendarTexts::tr("“%1” is no time zone; they are called like “Europe/Oslo”")
                    .arg(question.zone.left(60))};
    const QDateTime here = now.toTimeZone(zone);
    QDateTime moment = question.at.trimmed().isEmpty() ? here : momentIn(question.at, zone);
    if (!moment.isValid())
        return {{},
                CalendarTexts::tr("“%1” is no date; they are written like 2026-07-28 or "
                                  "2026-07-28T14:30")
                    .arg(question.at.left(60))};
    moment = moment.addYears(question.years)
                 .addMonths(question.months)
                 .addDays(question.days)
                 .addSecs(question.hours * qint64(3600) + question.minutes * qint64(60));
    if (!moment.isValid() || std::abs(moment.date().year()) > 9999)
        return {{}, CalendarTexts::tr("that is beyond the calendar")};
    int weekYear = 0;
    const int week = moment.date().weekNumber(&weekYear);
    // In English and ISO form, which every model knows.
    const QStringList lines{
        QStringLiteral("date and time: ") + moment.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
        QStringLiteral("weekday: ") + QLocale::c().dayName(moment.date().dayOfWeek()),
        QStringLiteral("time zone: %1 (UTC%2)")
            .arg(QString::fromUtf8(zone.id()), moment.toOffsetFromUtc(moment.offsetFromUtc())
                                                   .toString(QStringLiteral("t"))
                                                   .remove(QStringLiteral("UTC"))),
        QStringLiteral("ISO week: %1-W%2").arg(weekYear).arg(week, 2, 10, QLatin1Char('0')),
        QStringLiteral("day of the year: %1").arg(moment.date().dayOfYear()),
        QStringLiteral("days from today: ") + distance(here.date().daysTo(moment.date()))};
    return {lines.join(QLatin1Char('\n')), {}};
}

} // namespace fireside
