#include "tests/ui/picture_chats.h"

#include <utility>

namespace fireside::test {
namespace {

using Turns = QList<std::pair<const char *, const char *>>; // question and reply

ChatTree chat(const char *title, const QDateTime &at, const Turns &turns)
{
    ChatTree tree;
    tree.title = QString::fromUtf8(title);
    tree.named = true;
    tree.created = tree.updated = at;
    const auto add = [&](const char *role, const char *text) {
        Message message;
        message.id = tree.messages.size() + 1;
        message.parentId = message.id - 1;
        message.role = QLatin1String(role);
        message.text = QString::fromUtf8(text);
        message.created = at;
        tree.messages.append(message);
    };
    for (const auto &[question, reply] : turns) {
        add("user", question);
        add("assistant", reply);
    }
    tree.currentLeaf = tree.messages.size();
    return tree;
}

const Turns kPendulum{
    {"How long does a pendulum of one metre take to swing, and why doesn't its weight matter?",
     "About **two seconds** for a swing there and back. For small angles the period is\n\n"
     "$$T = 2\\pi\\sqrt{\\frac{\\ell}{g}} = 2\\pi\\sqrt{\\frac{1\\,\\mathrm{m}}"
     "{9.81\\,\\mathrm{m/s^2}}} \\approx 2.01\\,\\mathrm{s}$$\n\n"
     "The mass cancels: gravity pulls a heavier bob harder, and it is just as much harder to "
     "move.\n\n"
     "| Length | Period |\n|---|---|\n| 0.25 m | 1.00 s |\n| 1 m | 2.01 s |\n| 4 m | 4.01 s |\n"},
    {"Show me that in Python.", "```python\n"
                                "from math import pi, sqrt\n\n"
                                "def period(length: float, g: float = 9.81) -> float:\n"
                                "    return 2 * pi * sqrt(length / g)\n\n"
                                "for length in (0.25, 1, 4):\n"
                                "    print(f\"{length} m: {period(length):.2f} s\")\n"
                                "```\n\n"
                                "Four times the length takes twice as long."},
};

const Turns kPendulumArabic{
    {"كم تستغرق أرجحة بندول طوله متر واحد، ولماذا لا يؤثّر وزنه؟",
     "نحو **ثانيتين** ذهابًا وإيابًا. عند الزوايا الصغيرة تكون المدّة\n\n"
     "$$T = 2\\pi\\sqrt{\\frac{\\ell}{g}} \\approx 2.01\\,\\mathrm{s}$$\n\n"
     "تُختصر الكتلة: الجاذبية تشدّ الثقل الأكبر بقوة أكبر، وتحريكه أصعب بالقدر نفسه.\n\n"
     "| الطول | المدّة |\n|---|---|\n| 0.25 م | 1.00 ث |\n| 1 م | 2.01 ث |\n| 4 م | 4.01 ث |\n"},
    {"أرني ذلك بلغة بايثون.", "```python\n"
                              "from math import pi, sqrt\n\n"
                              "def period(length: float, g: float = 9.81) -> float:\n"
                              "    return 2 * pi * sqrt(length / g)\n"
                              "```\n\n"
                              "أربعة أضعاف الطول تستغرق ضعف الوقت."},
};

} // namespace

QList<ChatTree> pictureChats(const QString &language)
{
    const bool arabic = language == QLatin1String("ar");
    const QList<const char *> titles =
        arabic ? QList<const char *>{"وصفة خبز العجين المخمّر", "خطة رحلة إلى لشبونة",
                                     "شرح المؤشّرات في ++C", "رسالة إلى المالك", "كتب عن النجوم"}
               : QList<const char *>{"Sourdough without a scale", "A week in Lisbon",
                                     "Pointers and references in C++", "Letter to the landlord",
                                     "Books about the night sky"};
    const QDateTime now = QDateTime::currentDateTimeUtc();
    QList<ChatTree> chats;
    qint64 days = titles.size() * 3;
    for (const char *title : titles) {
        chats += chat(title, now.addDays(-days), {{title, "…"}});
        days -= 3;
    }
    chats += chat(arabic ? "بندول طوله متر" : "A pendulum of one metre", now,
                  arabic ? kPendulumArabic : kPendulum);
    return chats;
}

} // namespace fireside::test
