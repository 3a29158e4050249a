#include "ui/program_window.h"

#include "app/settings/app_settings.h"
#include "ui/main_window.h"
#include "ui/style/language.h"

#include <utility>

namespace fireside {

ProgramWindow::ProgramWindow(AppSettings &settings, Make make, QObject *parent)
    : QObject(parent)
    , m_settings(settings)
    , m_make(std::move(make))
{
    Language::apply(m_settings.appearance());
    m_window = m_make();
    // Later: the change comes from a dialog of the window that is about to go.
    connect(&m_settings, &AppSettings::appearanceChanged, this, &ProgramWindow::followLanguage,
            Qt::QueuedConnection);
}

ProgramWindow::~ProgramWindow() = default;

void ProgramWindow::followLanguage()
{
    if (!Language::apply(m_settings.appearance()))
        return;
    const bool visible = m_window->isVisible();
    const QByteArray place = m_window->saveGeometry();
    // The old one goes after the new one is there: without any window the program would end.
    const std::unique_ptr<MainWindow> old = std::exchange(m_window, m_make());
    m_window->restoreGeometry(place);
    if (visible) {
        m_window->show();
        m_window->showAppearance();
    }
    emit languageChanged();
}

} // namespace fireside
