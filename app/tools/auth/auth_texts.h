#pragma once
#include <QCoreApplication>

namespace fireside::auth {

struct AuthTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::AuthTexts)
};

/// What a server says, short and in one line.
inline QString foreignClause(const QString &text)
{
    return text.simplified().left(300);
}

} // namespace fireside::auth
