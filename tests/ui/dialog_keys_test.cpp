#include "tests/ui/keys.h"
#include "tests/ui/situations.h"
#include "ui/backend/device_details_dialog.h"
#include "ui/models/model_list_model.h"
#include "ui/models/model_picker.h"
#include "ui/settings/settings_dialog.h"

#include <QApplication>
#include <QFile>
#include <QLineEdit>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>

// Every key in every control of every dialog: nothing crashes and no file is deleted, the dialog
// stays as usable as it was, and Esc closes it.
namespace fireside::test {
namespace {

class DialogKeysTest : public SituationTest
{
protected:
    using Open = std::function<QDialog *()>;

    /// The dialog of its class that is shown; nullptr: none.
    template <typename Dialog>
    Dialog *shown()
    {
        for (auto *dialog : window().findChildren<Dialog *>()) {
            if (dialog->isVisible())
                return dialog;
        }
        return nullptr;
    }
    /// Shows it where it is not, and gives it the keyboard: a platform without a window manager
    /// forgets who had it when a popup closes.
    template <typename Dialog>
    Dialog *openWith(const QString &entry)
    {
        if (!shown<Dialog>())
            menuAction(entry)->trigger();
        auto *dialog = shown<Dialog>();
        EXPECT_NE(dialog, nullptr) << entry.toStdString();
        // isActiveWindow() is true for a dialog of the active window, too.
        if (dialog && QApplication::activeWindow() != dialog) {
            dialog->activateWindow();
            EXPECT_TRUE(waitFor([&] { return QApplication::activeWindow() == dialog; }));
        }
        return dialog;
    }

    /// Presses the keys and, with Esc, leaves every menu and message that comes up over the dialog.
    void pressAndLeave(const QString &keys, const QDialog *dialog)
    {
        const QPointer<const QDialog> below = dialog;
        int left = 0;
        const auto above = [&]() -> QWidget * {
            if (QWidget *popup = QApplication::activePopupWidget())
                return popup;
            QWidget *modal = QApplication::activeModalWidget();
            return modal == below ? nullptr : modal;
        };
        QTimer leaving; // menus and messages run loops of their own
        QObject::connect(&leaving, &QTimer::timeout, &window(), [&] {
            QWidget *widget = above();
            if (widget == nullptr)
                return;
            EXPECT_LT(++left, 20) << widget->metaObject()->className() << " does not go away";
            if (left < 20)
                QTest::keyClick(widget, Qt::Key_Escape);
            else
                widget->close();
        });
        leaving.start(0);
        press(keys);
        do
            QCoreApplication::processEvents();
        while (above() != nullptr);
    }

    static QByteArray idOf(const QWidget &control)
    {
        return control.objectName().isEmpty() || control.objectName().startsWith(u"qt_")
                   ? nameOf(control)
                   : control.objectName().toUtf8();
    }
    static QWidget *find(const QDialog &dialog, const QByteArray &id)
    {
        // Of a group of choices the chosen one alone is reached with Tab, and may be another one
        // now.
        for (QWidget *control : fieldsIn(dialog, Qt::StrongFocus)) {
            if (idOf(*control) == id)
                return control;
        }
        return nullptr;
    }

    /// All keys in all controls, which are returned. A press of the buttons in `closing` closes the
    /// dialog.
    QByteArrayList sweep(const Open &open, const QByteArrayList &closing,
                         const std::function<void()> &reset)
    {
        QByteArrayList ids;
        if (const QDialog *dialog = open()) {
            reset();
            for (const QWidget *control : fieldsIn(*dialog))
                ids += idOf(*control);
        }
        for (const QByteArray &id : std::as_const(ids)) {
            const bool closes = closing.contains(id);
            for (const QByteArrayView keys : kKeys) {
                // QTest would send the release of Ctrl to the window that Space has closed.
                if (closes && (keys.endsWith("+Space") || keys.endsWith("+Return")))
                    continue;
                SCOPED_TRACE((id + ": " + keys.toByteArray()).toStdString());
                pressIn(id, QLatin1String(keys), open, reset,
                        keys == "Esc" || (closes && keys == "Space"));
                if (HasFailure())
                    return ids;
            }
            const QPointer<QDialog> dialog = open();
            pressAndLeave(QStringLiteral("Esc"), dialog);
            EXPECT_FALSE(dialog && dialog->isVisible()) << id.toStdString();
            closeAll();
        }
        return ids;
    }

    void pressIn(const QByteArray &id, const QString &keys, const Open &open,
                 const std::function<void()> &reset, bool mayClose)
    {
        const QPointer<QDialog> dialog = open();
        ASSERT_TRUE(dialog);
        reset();
        QWidget *target = find(*dialog, id);
        ASSERT_NE(target, nullptr) << "it can no longer be used";
        target->setFocus();
        ASSERT_TRUE(target->hasFocus());
        pressAndLeave(keys, dialog);
        ASSERT_TRUE(window().isVisible());
        if (!mayClose) {
            ASSERT_TRUE(dialog && dialog->isVisible());
            EXPECT_TRUE(dialog->isEnabled());
        }
    }
};

TEST_P(DialogKeysTest, OfModels)
{
    // Models of the user's own, which can be removed from the list and from the disk.
    const QString golden = QStringLiteral(FIRESIDE_TEST_DATA "/golden/gguf/q4_k.gguf");
    const QString folder = ModelLibrary::firesideFolder();
    const QStringList own{folder + QStringLiteral("/a-first.gguf"),
                          folder + QStringLiteral("/a-second.gguf")};
    const bool writable = GetParam().disk == Situation::Good;
    for (const QString &path : own)
        EXPECT_EQ(QFile::copy(golden, path), writable);
    const auto open = [&]() -> QDialog * {
        return openWith<ModelPicker>(QStringLiteral("Models"));
    };
    const auto scanned = [&] { return !m_program->library.scanning(); };
    const auto reset = [&] {
        auto *picker = shown<ModelPicker>();
        engine().stopMeasuring();
        EXPECT_TRUE(waitFor([&] { return engine().state() != EngineState::Loading; }));
        EXPECT_TRUE(waitFor(scanned));
        if (m_program->library.hiddenCount() > 0) {
            m_program->library.showHiddenModels();
            EXPECT_TRUE(waitFor(scanned));
        }
        picker->showPage(ModelPicker::Page::Local);
        picker->findChild<QLineEdit *>(QStringLiteral("modelSearch"))->clear();
        picker->findChild<QToolButton *>(QStringLiteral("loadExpander"))->setChecked(true);
        auto *list = picker->findChild<QTreeView *>(QStringLiteral("modelList"));
        const QModelIndex first = list->model()->index(0, 0);
        const QModelIndexList rows =
            list->model()->match(first, ModelListModel::PathRole, own.first());
        list->setCurrentIndex(rows.value(0, first));
    };
    const QByteArrayList ids = sweep(open, {"modelClose", "modelLoad", "modelServers"}, reset);
    EXPECT_GE(ids.size(), writable ? 15 : 13) << ids.join(", ").toStdString();
    for (const QString &path : own)
        EXPECT_EQ(QFile::exists(path), writable) << path.toStdString();
}

TEST_P(DialogKeysTest, OfGettingModels)
{
    m_program->network.setOffline(true); // nobody is asked
    const auto open = [&]() -> QDialog * {
        return openWith<ModelPicker>(QStringLiteral("Models"));
    };
    int controls = 0;
    for (const auto page : {ModelPicker::Page::Get, ModelPicker::Page::Downloads}) {
        const auto reset = [&] { shown<ModelPicker>()->showPage(page); };
        controls += static_cast<int>(sweep(open, {"hubClose", "downloadsClose"}, reset).size());
    }
    EXPECT_GE(controls, 8);
}

TEST_P(DialogKeysTest, OfSettings)
{
    const auto open = [&]() -> QDialog * {
        return openWith<SettingsDialog>(QStringLiteral("Settings"));
    };
    int controls = 0;
    for (const auto page : {SettingsDialog::Page::Backend, SettingsDialog::Page::Generation,
                            SettingsDialog::Page::Appearance, SettingsDialog::Page::Storage,
                            SettingsDialog::Page::Privacy, SettingsDialog::Page::Server,
                            SettingsDialog::Page::Shortcuts, SettingsDialog::Page::Servers}) {
        SCOPED_TRACE(static_cast<int>(page));
        const auto reset = [&] {
            shown<SettingsDialog>()->showPage(page);
            EXPECT_TRUE(waitFor([&] { return engine().state() != EngineState::Loading; }));
            if (page != SettingsDialog::Page::Backend || !engine().hasModel())
                return;
            // Other settings than those of the loaded model, which can be loaded again with them.
            LoadSettings other = engine().model().asked;
            other.context = other.context == 512 ? 1024 : 512;
            settings().setLoad(other);
        };
        controls += static_cast<int>(sweep(open, {"QPushButton Close"}, reset).size());
    }
    EXPECT_GE(controls, 32);
}

TEST_P(DialogKeysTest, OfDevices)
{
    const auto open = [&]() -> QDialog * {
        return openWith<DeviceDetailsDialog>(QStringLiteral("Devices and backends"));
    };
    EXPECT_GE(sweep(open, {"QPushButton Close"}, [] {}).size(), 3);
}

constexpr Situation kAroundDialogs[] = {
    {.name = "JustStarted", .engine = false},
    {.name = "ModelAndChat", .chats = true, .model = true, .clipboard = Situation::Text},
    {.name = "ReadOnlyFolder", .chats = true, .engine = false, .disk = Situation::ReadOnly},
};
INSTANTIATE_TEST_SUITE_P(In, DialogKeysTest, testing::ValuesIn(kAroundDialogs),
                         [](const auto &tested) { return std::string(tested.param.name); });

} // namespace
} // namespace fireside::test
