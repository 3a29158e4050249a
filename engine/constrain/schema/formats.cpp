#include "engine/constrain/schema/formats.h"

#include <array>
#include <utility>

// Dates know how long months are and which years are leap years.
#define FIRESIDE_DATE                                                                              \
    "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-" \
    "9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][" \
    "048]|[13579][26])00)-02-29)"
#define FIRESIDE_TIME                                                                              \
    "(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:[Zz]|[+-](?:[01][0-9]|2[0-" \
    "3]):[0-5][0-9])|23:59:60(?:\\.[0-9]{1,9})?[Zz])"
#define FIRESIDE_BYTE "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
#define FIRESIDE_IPV4 "(?:" FIRESIDE_BYTE "\\.){3}" FIRESIDE_BYTE
#define FIRESIDE_H16 "[0-9A-Fa-f]{1,4}"
#define FIRESIDE_LS32 "(?:" FIRESIDE_H16 ":" FIRESIDE_H16 "|" FIRESIDE_IPV4 ")"
// No hyphens third and fourth: such labels are reserved, or encode others ("xn--"; RFC
// 5891, 4.2.3.1).
#define FIRESIDE_LABEL                                                                             \
    "[A-Za-z0-9](?:[A-Za-z0-9]|[A-Za-z0-9-][A-Za-z0-9](?:[A-Za-z0-9-]{0,59}[A-Za-z0-9])?|[A-Za-"   \
    "z0-9-]-[A-Za-z0-9](?:[A-Za-z0-9-]{0,58}[A-Za-z0-9])?)?"
#define FIRESIDE_PATH "(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*"

namespace fireside::constrain {
namespace {

using Row = std::pair<std::string_view, const char *>;
constexpr std::array kFormats{
    Row{"date", FIRESIDE_DATE},
    Row{"time", FIRESIDE_TIME},
    Row{"date-time", FIRESIDE_DATE "[Tt]" FIRESIDE_TIME},
    // RFC 3339, appendix A
    Row{"duration",
        "P(?:[0-9]{1,9}W|(?:[0-9]{1,9}D|[0-9]{1,9}M(?:[0-9]{1,9}D)?|[0-9]{1,9}Y(?:[0-9]{1,9}M(?:["
        "0-9]{1,9}D)?)?)(?:T(?:[0-9]{1,9}S|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-9]{1,9}H(?:[0-9]{1,9}M(?"
        ":[0-9]{1,9}S)?)?))?|T(?:[0-9]{1,9}S|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-9]{1,9}H(?:[0-9]{1,9}"
        "M(?:[0-9]{1,9}S)?)?))"},
    Row{"uuid", "[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}"},
    // The usual addresses of RFC 5321: no quoted names, no addresses of numbers.
    Row{"email",
        "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@" FIRESIDE_LABEL
        "(?:\\." FIRESIDE_LABEL ")+"},
    Row{"hostname", FIRESIDE_LABEL "(?:\\." FIRESIDE_LABEL "){0,3}"},
    Row{"ipv4", FIRESIDE_IPV4},
    // RFC 3986, section 3.2.2
    Row{"ipv6",
        "(?:(?:" FIRESIDE_H16 ":){6}" FIRESIDE_LS32 "|::(?:" FIRESIDE_H16 ":){5}" FIRESIDE_LS32
        "|(?:" FIRESIDE_H16 ")?::(?:" FIRESIDE_H16 ":){4}" FIRESIDE_LS32 "|(?:(?:" FIRESIDE_H16
        ":){0,1}" FIRESIDE_H16 ")?::(?:" FIRESIDE_H16 ":){3}" FIRESIDE_LS32 "|(?:(?:" FIRESIDE_H16
        ":){0,2}" FIRESIDE_H16 ")?::(?:" FIRESIDE_H16 ":){2}" FIRESIDE_LS32 "|(?:(?:" FIRESIDE_H16
        ":){0,3}" FIRESIDE_H16 ")?::" FIRESIDE_H16 ":" FIRESIDE_LS32 "|(?:(?:" FIRESIDE_H16
        ":){0,4}" FIRESIDE_H16 ")?::" FIRESIDE_LS32 "|(?:(?:" FIRESIDE_H16 ":){0,5}" FIRESIDE_H16
        ")?::" FIRESIDE_H16 "|(?:(?:" FIRESIDE_H16 ":){0,6}" FIRESIDE_H16 ")?::)"},
    Row{"uri",
        "[A-Za-z][A-Za-z0-9+.-]*:(?://(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?"
        "(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+(?::[0-9]{1,5})?(?:/" FIRESIDE_PATH
        ")?|/?(?:[A-Za-z0-9._~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})" FIRESIDE_PATH ")(?:\\?(?:[A-Za-"
        "z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0"
        "-9A-Fa-f]{2})*)?"},
    Row{"json-pointer", "(?:/(?:[^~/]|~[01])*)*"},
    Row{"byte", "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"},
};

} // namespace

const char *regexOfFormat(std::string_view format)
{
    for (const auto &[name, regex] : kFormats)
        if (name == format)
            return regex;
    return nullptr;
}

} // namespace fireside::constrain
