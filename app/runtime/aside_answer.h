#pragma once
#include <QMetaType>
#include <QString>

namespace fireside {

/// What came of a question beside the chats (EngineService::askAside()).
struct AsideAnswer
{
    enum Kind {
        Whole,
        CutShort,    // it became too long
        Interrupted, // by another request
        Failed,
    };
    Kind kind = Failed;
    QString text{};    // what was said, without thoughts
    QString problem{}; // Failed
};

} // namespace fireside

Q_DECLARE_METATYPE(fireside::AsideAnswer)
