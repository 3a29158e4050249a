#pragma once
#include "app/runtime/engine_types.h"

#include <QTimer>
#include <QWidget>

class QLabel;
class QVBoxLayout;

namespace fireside {

class EngineService;

/// "Will it fit": where a model would run with some settings and why, and every other way with its
/// speed, expected and measured, or what is in its way. Nothing is cut off.
class PlacementView : public QWidget
{
    Q_OBJECT
public:
    explicit PlacementView(EngineService &engine, QWidget *parent = nullptr);

    /// The answer comes soon after the last question; path empty: there is no model.
    void ask(const QString &path, const LoadSettings &settings);
    const PlacementStatus &shown() const { return m_shown; }

signals:
    void answered();

private:
    void compute();
    void display(const PlacementStatus &status);
    QWidget *optionRow(const PlacementOptionStatus &option);

    EngineService &m_engine;
    QString m_path;
    LoadSettings m_settings;
    PlacementStatus m_shown;
    QLabel *m_sign, *m_reason, *m_context;
    QVBoxLayout *m_options;
    QTimer m_rest;       // until the fields rest
    quint64 m_asked = 0; // only the newest answer counts
};

} // namespace fireside
