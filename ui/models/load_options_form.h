#pragma once
#include "app/runtime/engine_types.h"

#include <QSpinBox>
#include <QWidget>

class QComboBox;

namespace fireside {

/// Tokens of context: steps by doubling, 0 reads "Automatic".
class ContextSpinBox : public QSpinBox
{
    Q_OBJECT
public:
    explicit ContextSpinBox(QWidget *parent = nullptr);
    void stepBy(int steps) override;
    static constexpr int kLeast = 256;
    static constexpr int kMost = 1 << 20;

protected:
    StepEnabled stepEnabled() const override;
};

/// How a model is loaded: backend, context, type of the context memory, threads. Used for one model
/// in the picker and for every model in the settings.
class LoadOptionsForm : public QWidget
{
    Q_OBJECT
public:
    explicit LoadOptionsForm(QWidget *parent = nullptr);

    LoadSettings settings() const;
    void setSettings(const LoadSettings &settings); // emits nothing

signals:
    void changed(const fireside::LoadSettings &settings);

private:
    void emitChanged();

    QComboBox *m_backend;
    ContextSpinBox *m_context;
    QComboBox *m_kvType;
    QSpinBox *m_threads;
};

} // namespace fireside
