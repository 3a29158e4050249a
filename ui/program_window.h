#pragma once
#include <QObject>

#include <functional>
#include <memory>

namespace fireside {

class AppSettings;
class MainWindow;

/// Owns the window, and makes it anew where the language changes: widgets have their texts from
/// when they were made. What the window shows lives elsewhere, so that nothing is lost.
class ProgramWindow : public QObject
{
    Q_OBJECT
public:
    using Make = std::function<std::unique_ptr<MainWindow>()>;

    ProgramWindow(AppSettings &settings, Make make, QObject *parent = nullptr);
    ~ProgramWindow() override;

    MainWindow &window() { return *m_window; }

signals:
    void languageChanged();

private:
    void followLanguage();

    AppSettings &m_settings;
    Make m_make;
    std::unique_ptr<MainWindow> m_window;
};

} // namespace fireside
