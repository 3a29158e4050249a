#pragma once
#include <QString>

namespace fireside {

/// One language as data. Lists are words separated by single spaces.
struct CodeLanguage
{
    const char *names; // what may stand after the fence, the first is the canonical one
    const char *title; // shown above the block
    const char *keywords;
    const char *types;
    const char *lineComments;           // "//" "#", several separated by spaces
    const char *blockOpen, *blockClose; // "/*" "*/", empty for none
    const char *quotes;                 // characters that delimit strings on one line
    const char *longQuotes;             // delimiters of strings over several lines
    bool ignoreCase = false;
    bool markup = false; // HTML and XML: tags, attributes
    /// What stands before ":" or "=" at a line's beginning is a name, and an apostrophe within a
    /// word no quotation mark.
    bool keys = false;
    bool directives = false; // lines that begin with "#" are no comments: #include
};

/// nullptr when unknown. Case does not matter.
const CodeLanguage *findCodeLanguage(const QString &name);

/// "C++" for "cpp"; the word itself when the language is unknown.
QString languageTitle(const QString &language);

} // namespace fireside
