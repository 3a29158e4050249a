#include "engine/text/rules/pre_tokenizer.h"

#include <array>

namespace fireside {
namespace {

// The scripts SentencePiece tells apart, without Han, Hiragana and Katakana; younger ones are none.
constexpr std::array<std::string_view, 134> kScripts{"Adlam",
                                                     "Ahom",
                                                     "Anatolian_Hieroglyphs",
                                                     "Arabic",
                                                     "Armenian",
                                                     "Avestan",
                                                     "Balinese",
                                                     "Bamum",
                                                     "Bassa_Vah",
                                                     "Batak",
                                                     "Bengali",
                                                     "Bhaiksuki",
                                                     "Bopomofo",
                                                     "Brahmi",
                                                     "Braille",
                                                     "Buginese",
                                                     "Buhid",
                                                     "Canadian_Aboriginal",
                                                     "Carian",
                                                     "Caucasian_Albanian",
                                                     "Chakma",
                                                     "Cham",
                                                     "Cherokee",
                                                     "Common",
                                                     "Coptic",
                                                     "Cuneiform",
                                                     "Cypriot",
                                                     "Cyrillic",
                                                     "Deseret",
                                                     "Devanagari",
                                                     "Duployan",
                                                     "Egyptian_Hieroglyphs",
                                                     "Elbasan",
                                                     "Ethiopic",
                                                     "Georgian",
                                                     "Glagolitic",
                                                     "Gothic",
                                                     "Grantha",
                                                     "Greek",
                                                     "Gujarati",
                                                     "Gurmukhi",
                                                     "Hangul",
                                                     "Hanunoo",
                                                     "Hatran",
                                                     "Hebrew",
                                                     "Imperial_Aramaic",
                                                     "Inherited",
                                                     "Inscriptional_Pahlavi",
                                                     "Inscriptional_Parthian",
                                                     "Javanese",
                                                     "Kaithi",
                                                     "Kannada",
                                                     "Kayah_Li",
                                                     "Kharoshthi",
                                                     "Khmer",
                                                     "Khojki",
                                                     "Khudawadi",
                                                     "Lao",
                                                     "Latin",
                                                     "Lepcha",
                                                     "Limbu",
                                                     "Linear_A",
                                                     "Linear_B",
                                                     "Lisu",
                                                     "Lycian",
                                                     "Lydian",
                                                     "Mahajani",
                                                     "Malayalam",
                                                     "Mandaic",
                                                     "Manichaean",
                                                     "Marchen",
                                                     "Meetei_Mayek",
                                                     "Mende_Kikakui",
                                                     "Meroitic_Cursive",
                                                     "Meroitic_Hieroglyphs",
                                                     "Miao",
                                                     "Modi",
                                                     "Mongolian",
                                                     "Mro",
                                                     "Multani",
                                                     "Myanmar",
                                                     "Nabataean",
                                                     "New_Tai_Lue",
                                                     "Newa",
                                                     "Nko",
                                                     "Ogham",
                                                     "Ol_Chiki",
                                                     "Old_Hungarian",
                                                     "Old_Italic",
                                                     "Old_North_Arabian",
                                                     "Old_Permic",
                                                     "Old_Persian",
                                                     "Old_South_Arabian",
                                                     "Old_Turkic",
                                                     "Oriya",
                                                     "Osage",
                                                     "Osmanya",
                                                     "Pahawh_Hmong",
                                                     "Palmyrene",
                                                     "Pau_Cin_Hau",
                                                     "Phags_Pa",
                                                     "Phoenician",
                                                     "Psalter_Pahlavi",
                                                     "Rejang",
                                                     "Runic",
                                                     "Samaritan",
                                                     "Saurashtra",
                                                     "Sharada",
                                                     "Shavian",
                                                     "Siddham",
                                                     "Sign_Writing",
                                                     "Sinhala",
                                                     "Sora_Sompeng",
                                                     "Sundanese",
                                                     "Syloti_Nagri",
                                                     "Syriac",
                                                     "Tagalog",
                                                     "Tagbanwa",
                                                     "Tai_Le",
                                                     "Tai_Tham",
                                                     "Tai_Viet",
                                                     "Takri",
                                                     "Tamil",
                                                     "Tangut",
                                                     "Telugu",
                                                     "Thaana",
                                                     "Thai",
                                                     "Tibetan",
                                                     "Tifinagh",
                                                     "Tirhuta",
                                                     "Ugaritic",
                                                     "Vai",
                                                     "Warang_Citi",
                                                     "Yi"};

} // namespace

std::string scriptRunPattern()
{
    constexpr std::string_view han = R"(\p{sc:Han}\p{sc:Hiragana}\p{sc:Katakana}\x{30FC})";
    std::string known(han);
    for (const std::string_view script : kScripts)
        known.append("\\p{sc:").append(script).append("}");
    std::string pattern = "(?(DEFINE)(?<none> |[^" + known + "]))";
    const auto add = [&pattern](const std::string &members) {
        pattern.append(members).append("(?:").append(members).append("|(?&none))*+|");
    };
    add("[" + std::string(han) + "]");
    // The space is of no script, and the long vowel mark of Han.
    add(R"((?![ \x{30FC}])\p{sc:Common})");
    for (const std::string_view script : kScripts)
        if (script != "Common")
            add("\\p{sc:" + std::string(script) + "}");
    pattern.pop_back();
    return pattern;
}

} // namespace fireside
