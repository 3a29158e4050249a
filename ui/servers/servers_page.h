#pragma once
#include <QWidget>

class QCheckBox;
class QLabel;
class QListWidget;
class QPushButton;

namespace fireside {

class EngineService;
class RemoteModels;

/// The servers elsewhere whose models answer in this window: add, change, remove, and what becomes
/// of a message that they cannot answer.
class ServersPage : public QWidget
{
    Q_OBJECT
public:
    ServersPage(RemoteModels &servers, EngineService &engine, QWidget *parent = nullptr);

protected:
    void showEvent(QShowEvent *event) override;

private:
    QLabel *addText(const char *role);
    QWidget *buildButtons();
    QWidget *buildFallback();
    void showServers();
    void showFallback();
    void updateButtons();
    QString chosen() const; // id; empty: none
    void add();
    void edit();
    void remove();
    void showHelp();

    RemoteModels &m_remote;
    EngineService &m_engine;
    QListWidget *m_list;
    QLabel *m_empty, *m_problem, *m_fallbackText;
    QCheckBox *m_fallback;
    QPushButton *m_edit, *m_remove;
};

} // namespace fireside
