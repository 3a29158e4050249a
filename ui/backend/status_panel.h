#pragma once
#include "app/runtime/engine_types.h"

#include <QWidget>

#include <memory>

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QTimer;

namespace fireside {

class ChatController;
class ElidedButton;
class EngineService;
class MeterBar;
class Network;
struct StatusTexts;

/// The bottom of the window: which model runs where and why, how fast, and how full memory and
/// context are. Shows what the engine's signals say and computes nothing.
class StatusPanel : public QWidget
{
    Q_OBJECT
public:
    StatusPanel(EngineService &engine, ChatController &chat, QWidget *parent = nullptr);
    ~StatusPanel() override;

    /// While it is offline, or downloads run, the panel says so.
    void showNetwork(Network &network);

signals:
    void privacyRequested();
    void downloadsRequested();
    void detailsRequested();
    void modelsRequested();
    void serverRequested(); // its page

protected:
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    struct Shown;

    QWidget *buildReasonRow();
    QWidget *buildRemarkRow();
    QWidget *buildMeterRow();
    QWidget *buildLoadRow();
    void connectEngine();
    void refresh();
    void showMeters();
    void showServer();

    EngineService &m_engine;
    qint64 m_asked = 0;             // the reply that waits for the user's answer
    std::unique_ptr<Shown> m_shown; // what the signals said last
    QHBoxLayout *m_reasonRow = nullptr;
    QLabel *m_stateIcon;
    ElidedButton *m_model;
    ElidedButton *m_reason;
    QLabel *m_placement;
    QPushButton *m_server; // while it runs or cannot
    QTimer *m_serverTimer;
    QLabel *m_promptRate;
    QLabel *m_answerRate;
    MeterBar *m_memory;
    MeterBar *m_context;
    QWidget *m_remarkRow;
    QLabel *m_remarkIcon;
    QLabel *m_remarks;
    QWidget *m_meterRow;
    QWidget *m_loadRow;
    QLabel *m_loadStage;
    QProgressBar *m_loadBar;
    QPushButton *m_cancel;
};

} // namespace fireside
