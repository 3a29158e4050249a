#include "tests/ui/program.h"
#include "ui/backend/elided_text.h"
#include "ui/settings/settings_dialog.h"

#include <QAbstractButton>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialog>
#include <QGroupBox>
#include <QLabel>
#include <QListWidget>
#include <QMenuBar>
#include <QRadioButton>
#include <QTest>
#include <QTranslator>

// The window in a language that does not exist: every text that goes through tr() becomes longer
// and stands in brackets. What has none was never offered for translation; what is wider than its
// place would be cut in German.
namespace fireside::test {
namespace {

class PseudoTranslator : public QTranslator
{
public:
    QString translate(const char *, const char *text, const char *, int) const override
    {
        const QString english = QString::fromUtf8(text);
        // Long texts grow less: about a fifth, as German does.
        const QString more(english.size() / (english.size() > 24 ? 5 : 3), QLatin1Char('~'));
        return QStringLiteral("[") + english + more + QStringLiteral("]");
    }
    bool isEmpty() const override { return false; }
};

class PseudoLocaleTest : public ProgramTest, public testing::WithParamInterface<Qt::LayoutDirection>
{
protected:
    void SetUp() override
    {
        QCoreApplication::installTranslator(&m_translator);
        QGuiApplication::setLayoutDirection(GetParam());
        const qint64 newest = storeChats();
        start();
        window().resize(1000, 700);
        ASSERT_NO_FATAL_FAILURE(loadStarter());
        chat().openConversation(newest);
        settle();
    }
    void TearDown() override
    {
        end();
        QGuiApplication::setLayoutDirection(Qt::LeftToRight);
        QCoreApplication::removeTranslator(&m_translator);
    }

    static bool hasLetters(const QString &text)
    {
        return std::any_of(text.begin(), text.end(), [](QChar c) { return c.isLetter(); });
    }

    static bool mayBeCut(const QWidget &widget)
    {
        return qobject_cast<const ElidedLabel *>(&widget) ||
               qobject_cast<const ElidedButton *>(&widget);
    }

    static std::string nameOf(const QWidget &widget, const QString &text)
    {
        return std::string(widget.metaObject()->className()) + " " +
               widget.objectName().toStdString() + " “" + text.toStdString() + "” in " +
               (widget.parentWidget() ? widget.parentWidget()->metaObject()->className() : "");
    }

    /// Until layouts have followed texts that changed while others were laid out.
    static void settle()
    {
        for (int i = 0; i < 5; ++i)
            QCoreApplication::processEvents();
    }

    /// Labels and buttons, whole or wrapped, as wide and as high as their text.
    static void expectWhole(const QWidget &root)
    {
        for (const QWidget *widget : root.findChildren<QWidget *>()) {
            if (!widget->isVisible() || mayBeCut(*widget))
                continue;
            if (const auto *label = qobject_cast<const QLabel *>(widget)) {
                if (label->text().isEmpty())
                    continue;
                if (label->wordWrap()) {
                    EXPECT_GE(label->height() + 1, label->heightForWidth(label->width()))
                        << nameOf(*widget, label->text());
                } else {
                    EXPECT_GE(label->width() + 1, label->sizeHint().width())
                        << nameOf(*widget, label->text());
                }
            } else if (const auto *button = qobject_cast<const QAbstractButton *>(widget)) {
                if (button->text().isEmpty())
                    continue;
                EXPECT_GE(button->width() + 1, button->sizeHint().width())
                    << nameOf(*widget, button->text());
            }
        }
    }

    PseudoTranslator m_translator;
};

TEST_P(PseudoLocaleTest, TextsOfTheWindowAreWhole)
{
    expectWhole(window());
}

TEST_P(PseudoLocaleTest, TextsOfTheSettingsAreWhole)
{
    window().showSettings();
    auto *dialog = window().findChild<SettingsDialog *>();
    ASSERT_NE(dialog, nullptr);
    auto *pages = dialog->findChild<QListWidget *>(QStringLiteral("settingsPages"));
    for (int page = 0; page < pages->count(); ++page) {
        pages->setCurrentRow(page);
        settle();
        SCOPED_TRACE(pages->item(page)->text().toStdString());
        expectWhole(*dialog);
    }
}

TEST_P(PseudoLocaleTest, TextsOfDialogsAreWhole)
{
    for (void (MainWindow::*show)() : {&MainWindow::showModels, &MainWindow::showDeviceDetails}) {
        (window().*show)();
        settle();
        for (QDialog *dialog : window().findChildren<QDialog *>()) {
            if (dialog->isVisible())
                expectWhole(*dialog);
        }
        closeAll();
    }
}

INSTANTIATE_TEST_SUITE_P(Directions, PseudoLocaleTest,
                         testing::Values(Qt::LeftToRight, Qt::RightToLeft),
                         [](const auto &direction) {
                             return direction.param == Qt::LeftToRight ? "LeftToRight"
                                                                       : "RightToLeft";
                         });

} // namespace
} // namespace fireside::test
