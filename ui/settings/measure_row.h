#pragma once
#include "app/runtime/engine_types.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QPushButton;

namespace fireside {

class EngineService;

/// "Measure": runs a model for some seconds wherever there is room for it, with progress and Stop,
/// and says what came of it. Not while a reply is written.
class MeasureRow : public QWidget
{
    Q_OBJECT
public:
    explicit MeasureRow(EngineService &engine, QWidget *parent = nullptr);

    void setModel(const QString &path, const LoadSettings &settings); // empty: none
    bool measuring() const { return m_measuring; }

private:
    void showState();
    void showResult(const MeasureStatus &status);

    EngineService &m_engine;
    QString m_path;
    LoadSettings m_settings;
    bool m_measuring = false;            // this row has begun it
    QWidget *m_focusMeanwhile = nullptr; // has the keys until the model is back
    QPushButton *m_start, *m_stop;
    QProgressBar *m_bar;
    QLabel *m_text;
};

} // namespace fireside
