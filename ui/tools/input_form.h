#pragma once
#include "app/tools/input_request.h"

#include <QWidget>

#include <vector>

class QLabel;
class QVBoxLayout;

namespace fireside {

/// The fields that a server wants filled in. Their texts are the server's: data. What cannot be
/// sent is said at a field once it was left, then with each letter.
class InputForm : public QWidget
{
    Q_OBJECT
public:
    explicit InputForm(const QList<InputField> &fields, QWidget *parent = nullptr);

    /// What was entered, by name; nothing where a field cannot be sent: it says why and has the
    /// focus.
    std::optional<ToolJson> content();
    void focusFirst();

signals:
    void problemsChanged(); // it may be higher or lower now

private:
    struct Row
    {
        InputField field;
        QWidget *editor = nullptr;
        QLabel *problem = nullptr;
    };
    QWidget *editorFor(const InputField &field);
    void addRow(const InputField &field, QVBoxLayout &column);
    void checkWhileWriting(std::size_t row);
    std::optional<ToolJson> checked(const Row &row);

    std::vector<Row> m_rows;
};

} // namespace fireside
