#pragma once
#include <QMap>
#include <QSet>
#include <QString>
#include <QTranslator>

namespace fireside::test {

/// Is asked for every text that the program shows, and notes those that a catalogue lacks: what
/// `lupdate` could not find, or found under another context, shows only while the program runs.
class CatalogueGuard : public QTranslator
{
public:
    explicit CatalogueGuard(const QStringList &languages);

    QString translate(const char *context, const char *text, const char *comment,
                      int number) const override;
    bool isEmpty() const override { return false; }

    /// "ar: fireside::MainWindow: &File", each once.
    QStringList missing() const;

private:
    QMap<QString, QTranslator *> m_catalogues;
    mutable QSet<QString> m_missing;
};

} // namespace fireside::test
