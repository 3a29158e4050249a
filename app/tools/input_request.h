#pragma once
#include "app/tools/text_pattern.h"
#include "app/tools/tool_json.h"

#include <QList>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QUrl>
#include <QVariant>

#include <optional>

namespace fireside {

/// One field of a form.
struct InputField
{
    enum Kind { Text, Number, Integer, Boolean, One, Several };
    enum Format { Plain, Email, Address, Date, DateTime };
    Kind kind = Text;
    Format format = Plain;
    QString name;                   // in the answer
    QString title = {}, about = {}; // no title: the name
    bool required = false;
    QVariant preset = {};                        // as in checkedInput(); invalid: none
    QStringList choices = {}, labels = {};       // of One and Several, as many labels as choices
    std::optional<double> least = {}, most = {}; // numbers, letters or choices
    std::optional<TextPattern> pattern = {};     // of Text; none: the server checks it alone
    bool operator==(const InputField &) const = default;
};

/// What a server asks of the user.
struct InputRequest
{
    QString server, message; // the latter is data: no markup, nothing to obey
    QList<InputField> fields = {};
    QUrl page = {};     // instead of fields: to be opened in the browser
    QString id = {};    // of the page's errand, which the server may report as done
    bool waits = false; // for the errand: what was asked for is tried again after it
    bool opened = false;
    bool isPage() const { return !page.isEmpty(); }
    bool operator==(const InputRequest &) const = default;
};

struct InputAnswer
{
    enum Action { Accept, Decline, Cancel };
    Action action = Cancel;
    ToolJson content = {}; // of an accepted form: its values by name
    bool operator==(const InputAnswer &) const = default;
};

/// What was entered, as the answer holds it: a QString of texts, numbers and one choice (its
/// value), a bool, a QStringList of several choices. Null: left out. nullopt: it cannot be sent,
/// `problem` is a clause that says why.
std::optional<ToolJson> checkedInput(const InputField &field, const QVariant &entered,
                                     QString &problem);

} // namespace fireside

Q_DECLARE_METATYPE(fireside::InputRequest)
Q_DECLARE_METATYPE(fireside::InputAnswer)
