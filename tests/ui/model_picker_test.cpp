#include "app/hub/network.h"
#include "app/models/model_library.h"
#include "app/runtime/engine_service.h"
#include "app/settings/app_settings.h"
#include "tests/support/golden.h"
#include "tests/support/golden_converted.h"
#include "tests/support/require.h"
#include "tests/ui/private_home.h"
#include "ui/models/model_list_model.h"
#include "ui/models/model_picker.h"

#include <QAbstractItemModel>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <gtest/gtest.h>

namespace fireside {
namespace {

constexpr int kPickerPatience = 60'000; // ms

// A home with two models, one cut in half, and the starter model that comes with the program.
class ModelPickerTest : public testing::Test
{
protected:
    ModelPickerTest()
    {
        qRegisterMetaType<LoadSettings>();
        const QString golden = QStringLiteral(FIRESIDE_TEST_DATA "/golden/gguf/");
        EXPECT_TRUE(QFile::copy(QString::fromStdString(test::goldenGguf("f16").string()), good()));
        EXPECT_TRUE(QFile::copy(golden + "q4_k.gguf", other()));
        QFile whole(golden + "q4_k.gguf");
        EXPECT_TRUE(whole.open(QIODevice::ReadOnly));
        QFile cut(broken());
        EXPECT_TRUE(cut.open(QIODevice::WriteOnly));
        cut.write(whole.read(whole.size() / 2));
    }

    QString good() const { return home.modelsFolder() + QStringLiteral("/good-one.gguf"); }
    QString other() const { return home.modelsFolder() + QStringLiteral("/second.gguf"); }
    QString broken() const { return home.modelsFolder() + QStringLiteral("/broken.gguf"); }

    void openPicker()
    {
        picker.show();
        ASSERT_TRUE(QTest::qWaitFor([&] { return !library.scanning(); }, kPickerPatience));
    }

    void showUnusable() { child<QToolButton>("modelUnusable")->setChecked(true); }

    template <typename Widget>
    Widget *child(const char *name)
    {
        auto *widget = picker.findChild<Widget *>(QLatin1String(name));
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }

    QTreeView *view() { return child<QTreeView>("modelList"); }
    QAbstractItemModel *rows() { return view()->model(); }

    /// Chooses the row of a file; false when it is not in the list.
    bool choose(const QString &path)
    {
        for (int row = 0; row < rows()->rowCount(); ++row) {
            const QModelIndex index = rows()->index(row, 0);
            if (index.data(Qt::ToolTipRole).toString() == path) {
                view()->setCurrentIndex(index);
                return true;
            }
        }
        return false;
    }

    /// Answers the next question with the button of this role.
    void answer(QMessageBox::ButtonRole role)
    {
        QTimer::singleShot(0, &picker, [this, role] {
            auto *box = picker.findChild<QMessageBox *>();
            ASSERT_NE(box, nullptr);
            question = box->text() + QLatin1Char('\n') + box->informativeText();
            for (QAbstractButton *button : box->buttons()) {
                if (box->buttonRole(button) == role)
                    button->click();
            }
        });
    }

    test::PrivateHome home;
    AppSettings settings;
    EngineService engine;
    ModelLibrary library;
    Network network;
    ModelPicker picker{library, engine, settings, network};
    QString question;
};

TEST_F(ModelPickerTest, ListsWhatIsOnDiskWithNumbers)
{
    openPicker();
    ASSERT_TRUE(choose(good()));
    ASSERT_TRUE(choose(other()));
    ASSERT_TRUE(choose(good()));
    const QModelIndex current = view()->currentIndex();
    QStringList texts;
    for (int column = 0; column < rows()->columnCount(); ++column)
        texts.append(current.siblingAtColumn(column).data().toString());
    const QString row = texts.join(QLatin1Char('|'));
    EXPECT_TRUE(row.contains("F16")) << qPrintable(row);
    EXPECT_TRUE(row.contains("llama"));
    EXPECT_TRUE(row.contains("Fits"));
    EXPECT_TRUE(child<QLabel>("detailsFit")->text().contains("Fits"));
}

TEST_F(ModelPickerTest, NoVerdictIsCutAtItsDefaultSize)
{
    openPicker();
    showUnusable();
    constexpr int kFit = ModelListModel::Fit;
    ASSERT_GE(rows()->rowCount(), 3);
    for (int row = 0; row < rows()->rowCount(); ++row) {
        const QModelIndex index = rows()->index(row, kFit);
        const QString text = index.data().toString();
        QFont bold = view()->font(); // as the loaded model's
        bold.setBold(true);
        const int extra = QFontMetrics(bold).horizontalAdvance(text) -
                          view()->fontMetrics().horizontalAdvance(text);
        EXPECT_LE(view()->sizeHintForIndex(index).width() + extra, view()->columnWidth(kFit))
            << text.toStdString();
        EXPECT_FALSE(index.data(Qt::ToolTipRole).toString().isEmpty());
    }
    EXPECT_LE(view()->columnViewportPosition(kFit) + view()->columnWidth(kFit),
              view()->viewport()->width());
}

TEST(ModelListModelTest, VerdictsAreAFewWordsAndTheirSentencesAreTips)
{
    ModelEntry entry;
    entry.path = entry.name = QStringLiteral("a");
    entry.fitText = QStringLiteral("CPU: needs 385 MB and 34 MB for the program, 24 GB of RAM is "
                                   "free; about 19 tokens a second expected");
    entry.neededBytes = 385'000'000;
    const auto shown = [&](int role) {
        ModelListModel model;
        model.setEntries({entry}, true);
        return model.index(0, ModelListModel::Fit).data(role).toString();
    };
    entry.fit = ModelEntry::Fits;
    EXPECT_EQ(shown(Qt::DisplayRole), QStringLiteral("Fits: 385 MB on the GPU"));
    entry.onCpu = true;
    EXPECT_EQ(shown(Qt::DisplayRole), QStringLiteral("Fits: 385 MB on the CPU"));
    EXPECT_TRUE(shown(Qt::ToolTipRole).contains(QLatin1String("tokens a second")));
    entry.fit = ModelEntry::TooBig;
    EXPECT_EQ(shown(Qt::DisplayRole), QStringLiteral("Too big: needs 385 MB"));
    entry.elsewhere = QStringLiteral("http://gpu:8000");
    EXPECT_EQ(shown(Qt::DisplayRole), QStringLiteral("On gpu:8000"));
    entry.problem = QStringLiteral("it is cut in half");
    EXPECT_EQ(shown(Qt::DisplayRole), QStringLiteral("Cannot be used"));
    EXPECT_TRUE(shown(Qt::ToolTipRole).contains(QLatin1String("cut in half")));
}

TEST(ModelListModelTest, AModelOfAServerIsInUseAndNotLoaded)
{
    ModelListModel model;
    ModelEntry here, there;
    here.path = here.name = QStringLiteral("here");
    there.path = there.name = QStringLiteral("there");
    there.elsewhere = QStringLiteral("http://gpu:8000");
    model.setEntries({here, there}, true);
    model.setLoadedPath(QStringLiteral("here"));
    EXPECT_EQ(model.index(0, ModelListModel::Name).data().toString(),
              QStringLiteral("here (loaded)"));
    model.setLoadedPath(QStringLiteral("there"));
    EXPECT_EQ(model.index(1, ModelListModel::Name).data().toString(),
              QStringLiteral("there (in use)"));
}

TEST(ModelListModelTest, ACopyIsTheSameRow)
{
    ModelListModel model;
    ModelEntry one, other;
    one.name = QStringLiteral("Small 8B");
    one.path = QStringLiteral("/models/small-8b.gguf");
    one.copies = {{QStringLiteral("Ollama"), QStringLiteral("/ollama/blobs/sha256-1"),
                   QStringLiteral("small:8b")}};
    other.name = other.path = QStringLiteral("/models/other.gguf");
    model.addOrUpdate({other, one});
    EXPECT_EQ(model.rowOf(one.copies[0].path), 1);
    EXPECT_EQ(model.rowOf(QStringLiteral("/ollama/blobs/sha256-2")), -1);
    EXPECT_EQ(model.rowOf({}), -1);
    EXPECT_FALSE(model.isLoaded(one));
    model.setLoadedPath(one.copies[0].path);
    EXPECT_TRUE(model.isLoaded(one));
    EXPECT_FALSE(model.isLoaded(other));
    const QString words = model.index(1, 0).data(ModelListModel::FilterRole).toString();
    EXPECT_TRUE(words.contains(QStringLiteral("small:8b")));
    model.addOrUpdate({one});
    EXPECT_EQ(model.rowCount(), 2);
}

TEST(ModelListModelTest, ModelsOfOneNameAreToldApart)
{
    ModelListModel model;
    ModelEntry one, tuned;
    one.name = tuned.name = QStringLiteral("Small 8B");
    one.path = QStringLiteral("/models/small-8b.gguf");
    tuned.path = QStringLiteral("/models/tuned.gguf");
    const auto named = [&](int row) { return model.index(row, ModelListModel::Name).data(); };
    model.addOrUpdate({one});
    EXPECT_EQ(named(0).toString(), QStringLiteral("Small 8B"));
    model.addOrUpdate({tuned});
    EXPECT_EQ(named(0).toString(), QStringLiteral("Small 8B · small-8b.gguf"));
    EXPECT_EQ(named(1).toString(), QStringLiteral("Small 8B · tuned.gguf"));
    model.setEntries({tuned}, true);
    EXPECT_EQ(named(0).toString(), QStringLiteral("Small 8B"));
}

TEST_F(ModelPickerTest, WhatCannotBeUsedIsFoldedAndLast)
{
    openPicker();
    auto *unusable = child<QToolButton>("modelUnusable");
    EXPECT_TRUE(unusable->isVisible());
    EXPECT_EQ(unusable->text(), QStringLiteral("Cannot be used (1)"));
    EXPECT_FALSE(choose(broken()));
    QTest::mouseClick(unusable, Qt::LeftButton);
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        view()->sortByColumn(0, order);
        const int last = rows()->rowCount() - 1;
        EXPECT_EQ(rows()->index(last, 0).data(Qt::ToolTipRole).toString(), broken());
    }
    QTest::mouseClick(unusable, Qt::LeftButton);
    EXPECT_FALSE(choose(broken()));
    child<QLineEdit>("modelSearch")->setText(QStringLiteral("broken"));
    EXPECT_TRUE(choose(broken())) << "a filter finds all";
    EXPECT_FALSE(unusable->isVisible());
}

TEST_F(ModelPickerTest, EntriesAppearWhileTheScanStillRuns)
{
    picker.show();
    ASSERT_TRUE(library.scanning());
    ModelEntry early;
    early.path = QStringLiteral("/somewhere/early.gguf");
    early.name = QStringLiteral("Early bird");
    emit library.entriesFound({early});
    EXPECT_TRUE(choose(early.path));
    EXPECT_TRUE(library.scanning());
}

TEST_F(ModelPickerTest, ScanButtonCancelsAndStartsAgain)
{
    picker.show();
    ASSERT_TRUE(library.scanning());
    auto *button = child<QPushButton>("modelRescan");
    EXPECT_TRUE(button->text().contains("Cancel"));
    QTest::mouseClick(button, Qt::LeftButton);
    ASSERT_TRUE(QTest::qWaitFor([&] { return !library.scanning(); }, kPickerPatience));
    EXPECT_TRUE(button->text().contains("escan"));
    QTest::mouseClick(button, Qt::LeftButton);
    EXPECT_TRUE(library.scanning());
}

TEST_F(ModelPickerTest, FilterNeedsEveryWordAndSaysWhenNothingMatches)
{
    openPicker();
    auto *search = child<QLineEdit>("modelSearch");
    const int all = rows()->rowCount();
    EXPECT_GE(all, 3); // with the starter
    search->setText(QStringLiteral("f16  GOOD"));
    EXPECT_EQ(rows()->rowCount(), 1);
    search->setText(QStringLiteral("f16 no-such-word"));
    EXPECT_EQ(rows()->rowCount(), 0);
    EXPECT_TRUE(child<QLabel>("modelEmpty")->isVisible());
    EXPECT_FALSE(child<QPushButton>("modelLoad")->isEnabled());
    search->clear();
    EXPECT_EQ(rows()->rowCount(), all);
    EXPECT_FALSE(child<QLabel>("modelEmpty")->isVisible());
}

TEST_F(ModelPickerTest, LoadCarriesTheSettingsOfThisModelOnly)
{
    openPicker();
    ASSERT_TRUE(choose(good()));
    const QString general =
        rows()->index(view()->currentIndex().row(), ModelListModel::Fit).data().toString();
    child<QToolButton>("loadExpander")->click();
    child<QSpinBox>("loadContext")->setValue(512);
    child<QSpinBox>("loadThreads")->setValue(2);
    auto *kv = child<QComboBox>("loadKvType");
    kv->setCurrentIndex(kv->findData("q8_0"));
    auto *weights = child<QComboBox>("loadQuantize");
    EXPECT_EQ(weights->currentData(), "keep");
    weights->setCurrentIndex(weights->findData("q4_k_m"));
    auto *backend = child<QComboBox>("loadBackend");
    backend->setCurrentIndex(backend->findData("cpu"));

    QSignalSpy requests(&picker, &ModelPicker::loadRequested);
    QTest::mouseClick(child<QPushButton>("modelLoad"), Qt::LeftButton);
    ASSERT_EQ(requests.count(), 1);
    EXPECT_EQ(requests.first().at(0).toString(), good());
    const auto asked = requests.first().at(1).value<LoadSettings>();
    EXPECT_EQ(asked.context, 512);
    EXPECT_EQ(asked.threads, 2);
    EXPECT_EQ(asked.kvType, "q8_0");
    EXPECT_EQ(asked.quantize, "q4_k_m");
    EXPECT_EQ(asked.backend, "cpu");
    EXPECT_FALSE(picker.isVisible());
    EXPECT_EQ(settings.load(), LoadSettings()); // the settings of all models are not touched
    EXPECT_EQ(AppSettings().loadOf(good()), asked);
    const auto needed = [&] {
        return rows()->index(view()->currentIndex().row(), ModelListModel::Fit).data().toString();
    };
    ASSERT_TRUE(choose(good()));
    QString remembered;
    ASSERT_TRUE(QTest::qWaitFor(
        [&] {
            remembered = needed();
            return !remembered.isEmpty() && remembered != general;
        },
        kPickerPatience));
    openPicker(); // the scan's verdict is for the settings of every model
    ASSERT_TRUE(choose(good()));
    EXPECT_TRUE(QTest::qWaitFor([&] { return needed() == remembered; }, kPickerPatience));
    showUnusable();
    ASSERT_TRUE(choose(broken()));
    EXPECT_EQ(weights->currentData(), "keep");
    ASSERT_TRUE(choose(good()));
    EXPECT_EQ(weights->currentData(), "q4_k_m");
}

TEST_F(ModelPickerTest, UnusableModelSaysWhyAndCannotBeLoaded)
{
    openPicker();
    showUnusable();
    ASSERT_TRUE(choose(broken()));
    QSignalSpy requests(&picker, &ModelPicker::loadRequested);
    EXPECT_FALSE(child<QPushButton>("modelLoad")->isEnabled());
    EXPECT_TRUE(child<QLabel>("detailsFit")->text().contains("Cannot be used"));
    QTest::keyClick(view(), Qt::Key_Return);
    QTest::mouseDClick(view()->viewport(), Qt::LeftButton, {},
                       view()->visualRect(view()->currentIndex()).center());
    EXPECT_EQ(requests.count(), 0);
    EXPECT_TRUE(picker.isVisible());
}

TEST_F(ModelPickerTest, DoubtsAboutAModelAreSaidBeforeItIsLoaded)
{
    const QString named = home.modelsFolder() + QStringLiteral("/tiny-instruct.gguf");
    ASSERT_TRUE(
        QFile::copy(QString::fromStdString(test::goldenConverted("qwen3").string()), named));
    openPicker();
    auto *remarks = child<QLabel>("detailsRemarks");
    ASSERT_TRUE(choose(good()));
    EXPECT_FALSE(remarks->isVisible());
    ASSERT_TRUE(choose(named));
    ASSERT_TRUE(QTest::qWaitFor([&] { return remarks->isVisible(); }, kPickerPatience));
    EXPECT_TRUE(remarks->text().contains(QStringLiteral("no chat template")))
        << qPrintable(remarks->text());
}

TEST_F(ModelPickerTest, KeyboardAloneFindsAndLoads)
{
    openPicker();
    auto *search = child<QLineEdit>("modelSearch");
    search->setFocus();
    QTest::keyClicks(search, QStringLiteral("good-one"));
    QTest::keyClick(search, Qt::Key_Down);
    QSignalSpy requests(&picker, &ModelPicker::loadRequested);
    QTest::keyClick(view(), Qt::Key_Return);
    ASSERT_EQ(requests.count(), 1); // once, although both list and default button see the key
    EXPECT_EQ(requests.first().at(0).toString(), good());
}

TEST_F(ModelPickerTest, OpeningAFileLoadsItOrSaysWhyNot)
{
    openPicker();
    QSignalSpy requests(&picker, &ModelPicker::loadRequested);
    const QString text = home.path(QStringLiteral("notes.gguf"));
    QFile file(text);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("this is no model");
    file.close();
    picker.openFile(text);
    auto *problems = child<QLabel>("modelProblems");
    ASSERT_TRUE(QTest::qWaitFor([&] { return problems->isVisible(); }, kPickerPatience));
    EXPECT_TRUE(problems->text().contains("notes.gguf"));
    EXPECT_EQ(requests.count(), 0);

    const QString elsewhere = home.path(QStringLiteral("elsewhere.gguf"));
    ASSERT_TRUE(QFile::copy(good(), elsewhere));
    picker.openFile(elsewhere);
    ASSERT_TRUE(QTest::qWaitFor([&] { return requests.count() == 1; }, kPickerPatience));
    EXPECT_EQ(requests.first().at(0).toString(), elsewhere);
}

TEST_F(ModelPickerTest, DeletingAsksFirstAndNamesPathAndSize)
{
    openPicker();
    ASSERT_TRUE(choose(other()));
    answer(QMessageBox::RejectRole);
    QTest::mouseClick(child<QPushButton>("modelDelete"), Qt::LeftButton);
    EXPECT_TRUE(question.contains(other())) << qPrintable(question);
    EXPECT_TRUE(question.contains("kB"));
    EXPECT_TRUE(QFile::exists(other()));

    answer(QMessageBox::DestructiveRole);
    QTest::mouseClick(child<QPushButton>("modelDelete"), Qt::LeftButton);
    EXPECT_FALSE(QFile::exists(other()));
    ASSERT_TRUE(QTest::qWaitFor([&] { return !choose(other()); }, kPickerPatience));
}

TEST_F(ModelPickerTest, RemovingFromTheListKeepsTheFile)
{
    openPicker();
    ASSERT_TRUE(choose(other()));
    QTest::mouseClick(child<QPushButton>("modelRemove"), Qt::LeftButton);
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return !library.scanning() && !choose(other()); }, kPickerPatience));
    EXPECT_TRUE(QFile::exists(other()));
}

TEST_F(ModelPickerTest, StarterCannotBeDeleted)
{
    const QString starter = ModelLibrary::starterModelPath();
    if (starter.isEmpty())
        FIRESIDE_SKIP("the starter model is not here");
    openPicker();
    ASSERT_TRUE(choose(starter));
    EXPECT_FALSE(child<QPushButton>("modelDelete")->isEnabled());
    EXPECT_FALSE(child<QPushButton>("modelRemove")->isEnabled());
}

TEST_F(ModelPickerTest, FolderProblemsAreShown)
{
    openPicker();
    emit library.folderProblem(QStringLiteral("/locked"), QStringLiteral("permission denied"));
    auto *problems = child<QLabel>("modelProblems");
    EXPECT_TRUE(problems->isVisible());
    EXPECT_TRUE(problems->text().contains("/locked"));
    EXPECT_TRUE(problems->text().contains("permission denied"));
}

} // namespace
} // namespace fireside
