#pragma once
#include "app/runtime/engine_types.h"

#include <QScrollArea>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace fireside {

/// What an empty conversation shows: who answers here, a few questions to begin with, and the way
/// to other models.
class Welcome : public QScrollArea
{
    Q_OBJECT
public:
    explicit Welcome(QWidget *parent = nullptr);

    void showModel(const ModelStatus &model);
    void showLoading(const QString &name);
    void showNoModel();
    void setSendable(bool sendable); // example buttons

signals:
    void exampleChosen(const QString &question);
    void modelsRequested();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void fitTexts();
    void arrange(bool compact);
    void showTexts(const QString &title, const QString &text, const QStringList &examples);

    QVBoxLayout *m_outer, *m_column;
    QWidget *m_mark;
    QLabel *m_title, *m_text, *m_tryLabel;
    QList<QPushButton *> m_examples;
    QStringList m_questions; // on them
    QPushButton *m_models;
};

} // namespace fireside
