#include "ui/math/math_font.h"

#include <QFontDatabase>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace fireside {

namespace {

constexpr double kDefaultConstants[kMathConstants] = {
    0.154, 0.25,  0.45,  0.664, 0.247, 0.344, 0.2,   0.363, 0.289, 0.108, 0.25,  0.16,  0.344,
    0.056, 0.2,   0.111, 0.167, 0.6,   0.444, 0.677, 0.345, 0.686, 0.12,  0.28,  0.111, 0.6,
    0.2,   0.167, 0.394, 0.677, 0.345, 0.686, 0.04,  0.12,  0.04,  0.04,  0.12,  0.35,  0.096,
    0.12,  0.04,  0.04,  0.12,  0.04,  0.04,  0.05,  0.148, 0.04,  0.04,  0.278, -0.556};

QString systemFamily()
{
    const QStringList families = QFontDatabase::families();
    for (const char *name :
         {"Latin Modern Math", "STIX Two Math", "Libertinus Math", "XITS Math",
          "TeX Gyre Termes Math", "TeX Gyre Pagella Math", "DejaVu Math TeX Gyre", "Asana Math"}) {
        if (families.contains(QLatin1String(name)))
            return QLatin1String(name);
    }
    return QGuiApplication::font().family();
}

} // namespace

const MathFont &MathFont::system()
{
    // QRawFont and the caches belong to one thread; chats are also printed on others.
    thread_local const MathFont font(systemFamily());
    return font;
}

MathFont::MathFont(const QString &family)
{
    QFont font(family);
    font.setPixelSize(1000);
    font.setHintingPreference(QFont::PreferNoHinting);
    m_design = QRawFont::fromFont(font);
    m_unitsPerEm = std::max(16.0, m_design.unitsPerEm());
    m_design.setPixelSize(m_unitsPerEm);
    m_table = m_design.fontTable("MATH");
    std::copy(std::begin(kDefaultConstants), std::end(kDefaultConstants), m_constants);
    if (const double height = m_design.xHeight(); height > 0)
        m_xHeight = height / m_unitsPerEm;
    readConstants();
}

/// 0 beyond the end: a broken font has strange distances, no worse.
int MathFont::u16(int offset) const
{
    if (offset < 0 || offset + 2 > m_table.size())
        return 0;
    return (uchar(m_table[offset]) << 8) | uchar(m_table[offset + 1]);
}

void MathFont::readConstants()
{
    const int constants = u16(4);
    if (u16(constants + 8 + 4 * int(MathConstant::SuperscriptShiftUp)) == 0)
        m_table.clear(); // some fonts of text have a table without distances
    if (m_table.isEmpty())
        return;
    m_scales[0] = std::clamp(s16(constants) / 100.0, 0.4, 1.0);
    m_scales[1] = std::clamp(s16(constants + 2) / 100.0, 0.3, 1.0);
    m_leastOperator = u16(constants + 6) / m_unitsPerEm;
    for (int i = 0; i < kMathConstants; ++i)
        m_constants[i] = std::clamp(em(constants + 8 + 4 * i), -4.0, 4.0);
    m_degreeRaise = std::clamp(s16(constants + 8 + 4 * kMathConstants) / 100.0, 0.0, 1.0);
    const int glyphs = u16(6);
    readGlyphValues(glyphs + u16(glyphs), m_italics);
    readGlyphValues(glyphs + u16(glyphs + 2), m_accents);
}

QList<quint32> MathFont::coverage(int offset) const
{
    QList<quint32> glyphs;
    const int count = u16(offset + 2);
    for (int i = 0; i < count; ++i) {
        if (u16(offset) == 1) {
            glyphs.append(quint32(u16(offset + 4 + 2 * i)));
            continue;
        }
        const int first = u16(offset + 4 + 6 * i), last = u16(offset + 6 + 6 * i);
        for (int glyph = first; glyph <= last && glyphs.size() < 65536; ++glyph)
            glyphs.append(quint32(glyph));
    }
    return glyphs;
}

void MathFont::readGlyphValues(int offset, QHash<quint32, double> &values) const
{
    const QList<quint32> glyphs = coverage(offset + u16(offset));
    const int count = std::min(u16(offset + 2), int(glyphs.size()));
    for (int i = 0; i < count; ++i)
        values.insert(glyphs[i], em(offset + 4 + 4 * i));
}

GlyphGrowth MathFont::growth(quint32 glyph, bool upright) const
{
    if (m_table.isEmpty())
        return {};
    const int variants = u16(8);
    const int at = u16(variants + (upright ? 2 : 4));
    const auto index = at ? coverage(variants + at).indexOf(glyph) : -1;
    if (index < 0)
        return {};
    const int skipped = upright ? 0 : u16(variants + 6);
    const int construction = u16(variants + 10 + 2 * (skipped + int(index)));
    return readGrowth(variants + construction);
}

GlyphGrowth MathFont::readGrowth(int offset) const
{
    GlyphGrowth growth;
    for (int i = 0; i < std::min(u16(offset + 2), 64); ++i)
        growth.sizes.append({.glyph = quint32(u16(offset + 4 + 4 * i)),
                             .advance = u16(offset + 6 + 4 * i) / m_unitsPerEm});
    const int assembly = u16(offset);
    for (int i = 0; assembly && i < std::min(u16(offset + assembly + 4), 16); ++i) {
        const int part = offset + assembly + 6 + 10 * i;
        growth.parts.append({.glyph = quint32(u16(part)),
                             .advance = u16(part + 6) / m_unitsPerEm,
                             .startOverlap = u16(part + 2) / m_unitsPerEm,
                             .endOverlap = u16(part + 4) / m_unitsPerEm,
                             .extender = (u16(part + 8) & 1) != 0});
    }
    return growth;
}

double MathFont::scriptScale(MathStyle style) const
{
    return style == MathStyle::Script         ? m_scales[0]
           : style == MathStyle::ScriptScript ? m_scales[1]
                                              : 1.0;
}

quint32 MathFont::glyph(char32_t character) const
{
    if (const auto known = m_glyphs.constFind(character); known != m_glyphs.constEnd())
        return *known;
    const QList<quint32> found = m_design.glyphIndexesForString(QString::fromUcs4(&character, 1));
    const quint32 glyph = found.isEmpty() ? 0 : found.first();
    m_glyphs.insert(character, glyph);
    return glyph;
}

GlyphShape MathFont::shape(quint32 glyph) const
{
    if (const auto known = m_shapes.constFind(glyph); known != m_shapes.constEnd())
        return *known;
    GlyphShape shape;
    const QList<QPointF> advances = m_design.advancesForGlyphIndexes({glyph});
    shape.advance = advances.isEmpty() ? 0 : advances.first().x() / m_unitsPerEm;
    const QRectF bounds = m_design.pathForGlyph(glyph).boundingRect();
    shape.bounds = QRectF(bounds.topLeft() / m_unitsPerEm, bounds.size() / m_unitsPerEm);
    return *m_shapes.insert(glyph, shape);
}

QRawFont MathFont::sized(double pixels) const
{
    const int key = int(std::lround(pixels * 16));
    if (const auto known = m_sized.constFind(key); known != m_sized.constEnd())
        return *known;
    if (m_sized.size() > 64)
        m_sized.clear();
    QRawFont font = m_design;
    font.setPixelSize(key / 16.0);
    m_sized.insert(key, font);
    return font;
}

} // namespace fireside
