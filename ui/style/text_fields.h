#pragma once
#include <QLineEdit>
#include <QPlainTextEdit>

// The text fields of the program. A clipboard or a drop without any text leaves them as they are.
namespace fireside {

/// An X session in which nobody has copied yet offers data without a single format, which some
/// versions of Qt take the first of.
class PlainTextField : public QPlainTextEdit
{
    Q_OBJECT
public:
    explicit PlainTextField(QWidget *parent = nullptr);

protected:
    void changeEvent(QEvent *event) override;
    bool canInsertFromMimeData(const QMimeData *source) const override;
    void insertFromMimeData(const QMimeData *source) override;

private:
    void turn();
};

/// Qt's own deletes what is selected when nothing is pasted over it.
class LineField : public QLineEdit
{
    Q_OBJECT
public:
    static constexpr int kMaxLength = 4096; // laid out as a whole at each key

    explicit LineField(QWidget *parent = nullptr);

    /// A button that empties the field, in the theme's colours, while there is text.
    void addClearButton(const QString &name);
    /// A magnifying glass. It counts as a button for screen readers, which say the field's name.
    void addSearchIcon();

protected:
    bool event(QEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void nameButton(const QAction *action, const QString &name); // for screen readers
};

} // namespace fireside
