#pragma once
#include "engine/core/exception_guard.h"
#include "engine/core/quote.h"

#include <QString>
#include <QtConcurrentRun>

#include <type_traits>
#include <utility>

// Work on other threads, in event handlers and in callbacks of libraries, from which no exception
// may leave.
namespace fireside {

/// Runs work() on a pool thread. What it throws becomes a result, failed(text), so the future
/// always gets one.
template <typename Work, typename Failed>
auto inBackground(const char *where, Work work, Failed failed)
{
    return QtConcurrent::run([where, work = std::move(work), failed = std::move(failed)] {
        std::invoke_result_t<const Work &> result{};
        containExceptions(
            where, [&] { result = work(); },
            [&](const Error &error) {
                result = failed(QString::fromStdString(printable(error.what())));
            });
        return result;
    });
}

/// An application object whose event handlers and slots, on any thread, end with their exception:
/// Qt's event loop must not see one.
template <typename Application>
class Guarded : public Application
{
public:
    using Application::Application;

    bool notify(QObject *receiver, QEvent *event) override
    {
        bool result = false;
        containExceptions("event", [&] { result = Application::notify(receiver, event); });
        return result;
    }
};

} // namespace fireside
