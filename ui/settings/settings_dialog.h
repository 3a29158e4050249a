#pragma once
#include <QDialog>

class QListWidget;
class QStackedWidget;

namespace fireside {

class AppSettings;
class EngineService;
class Network;
class RemoteModels;
class ToolBox;

/// The program's settings by page. Every change applies and is stored at once; closing loses
/// nothing.
class SettingsDialog : public QDialog
{
    Q_OBJECT
public:
    enum class Page {
        Backend,
        Generation,
        Appearance,
        Storage,
        Privacy,
        Server,
        Shortcuts,
        Servers
    };

    SettingsDialog(AppSettings &settings, EngineService &engine, Network &network,
                   QWidget *parent = nullptr);

    void showPage(Page page);
    /// The page of servers elsewhere.
    void addServers(RemoteModels &servers, EngineService &engine);
    /// One more page, where there are tools.
    void addTools(ToolBox &tools);
    void showTools();

private:
    void addPage(const QString &title, QWidget *content, QWidget *footer = nullptr);

    QListWidget *m_list;
    QStackedWidget *m_pages;
    int m_toolsPage = 0;
};

} // namespace fireside
