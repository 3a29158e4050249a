#pragma once
#include "app/runtime/engine_types.h"

#include <QWidget>

#include <optional>

class QCheckBox;
class QDoubleSpinBox;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace fireside {

class AppSettings;

/// How replies are made: system prompt, sampling numbers, limits. Each field says what it does.
class GenerationPage : public QWidget
{
    Q_OBJECT
public:
    explicit GenerationPage(AppSettings &settings, QWidget *parent = nullptr);

private:
    void buildPrompt(QVBoxLayout *layout);
    void buildSampling(QVBoxLayout *layout);
    void buildLimits(QVBoxLayout *layout);
    QDoubleSpinBox *addNumber(QVBoxLayout *layout, const char *name, const QString &title,
                              const QString &help, double least, double most, double step);
    void addField(QVBoxLayout *layout, const char *name, const QString &title, QWidget *control,
                  const QString &help);

    SamplingSettings shown() const;
    void show(const SamplingSettings &sampling);
    void store();
    void resetOrUndo();

    AppSettings &m_settings;
    QPlainTextEdit *m_systemPrompt;
    QDoubleSpinBox *m_temperature;
    QSpinBox *m_topK;
    QDoubleSpinBox *m_topP;
    QDoubleSpinBox *m_minP;
    QDoubleSpinBox *m_repeatPenalty;
    QLineEdit *m_seed;
    QSpinBox *m_maxTokens;
    QPlainTextEdit *m_stopStrings;
    QCheckBox *m_dropOldest;
    QPushButton *m_reset;
    std::optional<SamplingSettings> m_beforeReset; // set: the button undoes
    bool m_showing = false;                        // fields are being filled, not edited
};

} // namespace fireside
