#pragma once
#include "app/runtime/cache_usage.h"
#include "app/settings/cache_settings.h"
#include "ui/settings/setting_editors.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QPushButton;

namespace fireside {

class AppSettings;
class EngineService;
class MeterBar;

/// What is kept of computed chats: how much there may be, how much there is and where, and a button
/// that clears it.
class StoragePage : public QWidget
{
    Q_OBJECT
public:
    StoragePage(AppSettings &settings, EngineService &engine, QWidget *parent = nullptr);

protected:
    void showEvent(QShowEvent *event) override;
    void hideEvent(QHideEvent *event) override;

private:
    QLabel *addText(const char *role, const QString &name);
    void showUsage();

    AppSettings &m_settings;
    EngineService &m_engine;
    SettingEditors<CacheSettings> m_editors;
    MeterBar *m_used;
    QLabel *m_text, *m_place, *m_problem;
    QPushButton *m_clear;
    QTimer m_timer; // the thread that writes tells nobody
};

} // namespace fireside
