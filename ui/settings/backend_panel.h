#pragma once
#include "app/runtime/engine_types.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace fireside {

class AppSettings;
class ContextField;
class EngineService;
class ThreadsField;

/// Which kind of device runs models, every device with its reason, and what a change means for the model
/// that is loaded now.
class BackendPanel : public QWidget
{
    Q_OBJECT
public:
    BackendPanel(AppSettings &settings, EngineService &engine, QWidget *parent = nullptr);

private:
    QWidget *buildKind();
    QWidget *buildDevices();
    QWidget *buildMemory();
    QWidget *buildReload();
    void showDevices();
    void showChoice();
    void showReload();
    void store();

    AppSettings &m_settings;
    EngineService &m_engine;
    QComboBox *m_kind;
    QLabel *m_kindText;
    QVBoxLayout *m_devices;
    QComboBox *m_context;
    QComboBox *m_kvType;
    QComboBox *m_threads;
    QLabel *m_reloadText;
    QPushButton *m_reload;
    LoadSettings m_loadedWith; // of the model loaded now
};

} // namespace fireside
