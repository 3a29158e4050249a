#include "ui/math/symbols.h"

#include "ui/math/symbol_table.h"

#include <QStringList>

#include <algorithm>
#include <iterator>

namespace fireside {

const MathSymbol *mathSymbol(QStringView name)
{
    const auto *const found = std::lower_bound(
        std::begin(kMathSymbols), std::end(kMathSymbols), name,
        [](const MathSymbol &symbol, QStringView key) { return QLatin1String(symbol.name) < key; });
    return found != std::end(kMathSymbols) && QLatin1String(found->name) == name ? found : nullptr;
}

MathClass classOf(char32_t c)
{
    switch (c) {
    case U'+':
    case U'*':
    case 0x2212: // minus
        return MathClass::Bin;
    case U'=':
    case U'<':
    case U'>':
    case U':':
        return MathClass::Rel;
    case U'(':
    case U'[':
        return MathClass::Open;
    case U')':
    case U']':
    case U'!':
    case U'?':
        return MathClass::Close;
    case U',':
    case U';':
        return MathClass::Punct;
    default:
        break;
    }
    if (c < 0x80)
        return MathClass::Ord;
    const auto *const found =
        std::find_if(std::begin(kMathSymbols), std::end(kMathSymbols),
                     [c](const MathSymbol &symbol) { return symbol.character == c; });
    return found == std::end(kMathSymbols) ? MathClass::Ord : found->cls;
}

char32_t delimiterCharacter(QStringView token)
{
    if (token.isEmpty())
        return 0;
    if (token.size() == 1 && token[0] != QLatin1Char('\\')) {
        switch (const char16_t c = token[0].unicode()) {
        case u'<':
            return 0x27E8;
        case u'>':
            return 0x27E9;
        case u'.':
        case u'(':
        case u')':
        case u'[':
        case u']':
        case u'|':
        case u'/':
            return c;
        default:
            return QStringView(u"⟨⟩⌈⌉⌊⌋‖").contains(QChar(c)) ? c : 0;
        }
    }
    const MathSymbol *symbol = mathSymbol(token.mid(1));
    if (!symbol)
        return 0;
    const bool fence = symbol->cls == MathClass::Open || symbol->cls == MathClass::Close;
    const char32_t c = symbol->character;
    const bool arrow = (c >= 0x2190 && c <= 0x2195) || (c >= 0x21D0 && c <= 0x21D5);
    return fence || arrow || c == U'|' || c == 0x2016 || c == U'\\' ? c : 0;
}

QStringList mathSymbolNames()
{
    QStringList names;
    for (const MathSymbol &symbol : kMathSymbols)
        names.append(QString::fromLatin1(symbol.name));
    return names;
}

} // namespace fireside
