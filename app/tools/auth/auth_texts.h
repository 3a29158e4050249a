#pragma once
#include "app/tools/visible_text.h"

#include <QCoreApplication>

namespace fireside::auth {

struct AuthTexts
{
    Q_DECLARE_TR_FUNCTIONS(fireside::AuthTexts)
};

/// What a server says, short and in one line.
inline QString foreignClause(const QString &text)
{
    return visible(text.left(3000)).simplified().left(300);
}

} // namespace fireside::auth
