#pragma once
#include <QDateTime>
#include <QString>

namespace fireside {

/// What is asked of the calendar.
struct CalendarQuestion
{
    QString at{};   // a moment or day, ISO 8601; empty: now
    QString zone{}; // "Europe/Oslo"; empty: this computer's
    int years = 0, months = 0, days = 0, hours = 0, minutes = 0; // to be added
};

struct CalendarAnswer
{
    QString text;    // lines of "what: value"
    QString problem; // then: what is wrong
};

/// The moment that is asked for, its weekday, week and zone, and how far it is from `now`.
CalendarAnswer calendarAnswer(const CalendarQuestion &question,
                              const QDateTime &now = QDateTime::currentDateTime());

} // namespace fireside
