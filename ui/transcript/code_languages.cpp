#include "ui/transcript/code_languages.h"

#include <QHash>
#include <QString>
#include <QStringList>

namespace fireside {

namespace {

// clang-format off
constexpr CodeLanguage kLanguages[] = {
    {"cpp c++ cc cxx hpp h c objc cuda glsl hlsl", "C++",
     "alignas alignof asm auto break case catch class co_await co_return co_yield concept const const_cast "
     "consteval constexpr constinit continue decltype default delete do dynamic_cast else enum explicit "
     "export extern false final for friend goto if inline mutable namespace new noexcept nullptr operator "
     "override private protected public register reinterpret_cast requires restrict return sizeof static "
     "static_assert static_cast struct switch template this thread_local throw true try typedef typeid "
     "typename union using virtual volatile while NULL in out inout uniform layout buffer",
     "bool char char8_t char16_t char32_t double float int long short signed unsigned void wchar_t size_t "
     "ssize_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t std string vector map "
     "vec2 vec3 vec4 mat4 uint",
     "//", "/*", "*/", "\"'", "", false, false, false, true},
    {"python py python3 ipython", "Python",
     "False None True and as assert async await break case class continue def del elif else except finally "
     "for from global if import in is lambda match nonlocal not or pass raise return try while with yield self",
     "bool bytes dict float frozenset int list object range set str tuple type print len Exception",
     "#", "", "", "\"'", "\"\"\" '''"},
    {"javascript js jsx mjs node typescript ts tsx", "JavaScript",
     "abstract as async await break case catch class const constructor continue debugger declare default delete "
     "do else enum export extends false finally for from function get if implements import in infer instanceof "
     "interface is keyof let namespace new null of private protected public readonly return satisfies set static "
     "super switch this throw true try type typeof undefined var void while yield",
     "any Array boolean Date Error Map never number object Object Promise RegExp Set string symbol unknown "
     "console Math JSON document window",
     "//", "/*", "*/", "\"'", "`"},
    {"json jsonc json5", "JSON", "true false null", "", "//", "/*", "*/", "\"", ""},
    {"bash sh shell zsh console terminal shellsession", "Shell",
     "if then else elif fi for while until do done case esac in function return exit local export readonly "
     "declare unset shift break continue set source alias trap",
     "cd echo printf read test sudo apt apt-get cat cp curl chmod chown find git grep head ls make mkdir mv "
     "rm sed sort tail tar touch wget awk xargs cmake ninja pip npm docker",
     "#", "", "", "\"'", ""},
    {"sql postgresql mysql sqlite plsql", "SQL",
     "add all alter and as asc begin between by case check column commit constraint create cross database "
     "default delete desc distinct drop else end exists foreign from full group having if in index inner insert "
     "into is join key left like limit not null offset on or order outer primary references returning right "
     "rollback select set table then transaction union unique update using values view when where with",
     "bigint blob boolean char date decimal double float int integer numeric real serial smallint text time "
     "timestamp varchar",
     "--", "/*", "*/", "'\"", "", true},
    {"rust rs", "Rust",
     "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod "
     "move mut pub ref return self Self static struct super trait true type union unsafe use where while",
     "bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize Box Option Result String Vec "
     "Some None Ok Err Rc Arc HashMap",
     "//", "/*", "*/", "\"", ""},
    {"go golang", "Go",
     "break case chan const continue default defer else fallthrough for func go goto if import interface map "
     "package range return select struct switch type var true false nil iota",
     "any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 "
     "uint16 uint32 uint64 uintptr make new len cap append panic recover",
     "//", "/*", "*/", "\"'", "`"},
    {"java kotlin kt scala groovy", "Java",
     "abstract as assert break by case catch class companion const continue data default do else enum extends "
     "false final finally for fun if implements import in init instanceof interface is lateinit native new null "
     "object open override package private protected public record return sealed static strictfp super suspend "
     "switch synchronized this throw throws transient true try val var volatile when while yield",
     "boolean byte char double float int long short void Boolean Double Integer List Long Map Object Set String "
     "Int Unit Any System",
     "//", "/*", "*/", "\"'", "\"\"\""},
    {"csharp cs c#", "C#",
     "abstract as async await base break case catch checked class const continue default delegate do else enum "
     "event explicit extern false finally fixed for foreach get goto if implicit in init interface internal is "
     "lock namespace new null operator out override params private protected public readonly record ref return "
     "sealed set sizeof stackalloc static struct switch this throw true try typeof unchecked unsafe using var "
     "virtual volatile when where while yield",
     "bool byte char decimal double float int long object sbyte short string uint ulong ushort void List "
     "Dictionary Task Console String",
     "//", "/*", "*/", "\"'", ""},
    {"swift", "Swift",
     "as associatedtype async await break case catch class continue default defer deinit do else enum extension "
     "fallthrough false fileprivate for func guard if import in init inout internal is let nil open operator "
     "private protocol public repeat rethrows return self Self static struct subscript super switch throw throws "
     "true try typealias var where while",
     "Any Array Bool Character Dictionary Double Float Int Optional Set String UInt Void",
     "//", "/*", "*/", "\"", "\"\"\""},
    {"php", "PHP",
     "abstract and array as break case catch class clone const continue declare default do echo else elseif empty "
     "extends false final finally fn for foreach function global if implements include instanceof interface isset "
     "match namespace new null or private protected public readonly require require_once return static switch "
     "this throw trait true try unset use var while yield",
     "bool float int string void mixed object callable iterable", "// #", "/*", "*/", "\"'", ""},
    {"ruby rb", "Ruby",
     "alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo "
     "rescue retry return self super then true undef unless until when while yield require require_relative "
     "attr_accessor attr_reader puts",
     "Array Hash Integer String Symbol Float", "#", "", "", "\"'", ""},
    {"lua", "Lua",
     "and break do else elseif end false for function goto if in local nil not or repeat return then true until while",
     "print pairs ipairs string table math require", "--", "--[[", "]]", "\"'", ""},
    {"yaml yml toml ini conf cfg properties dockerfile docker", "Configuration",
     "true false null yes no on off FROM RUN CMD COPY ADD ENV WORKDIR EXPOSE ENTRYPOINT ARG USER VOLUME", "",
     "# ;", "", "", "\"'", "", false, false, true},
    {"cmake makefile make", "Build file",
     "if else elseif endif foreach endforeach function endfunction macro endmacro set include project add_executable "
     "add_library target_link_libraries find_package ifeq ifneq ifdef endef define", "", "#", "", "", "\"", ""},
    {"css", "CSS",
     "important media import keyframes supports from to and not only", "px em rem vh vw auto none inherit initial "
     "flex grid block inline absolute relative fixed", "", "/*", "*/", "\"'", "", false, false, true},
    {"scss less sass", "SCSS",
     "important media import keyframes supports from to and not only", "px em rem vh vw auto none inherit initial "
     "flex grid block inline absolute relative fixed", "//", "/*", "*/", "\"'", "", false, false, true},
    {"html xml svg xhtml vue svelte htm", "HTML", "", "", "", "<!--", "-->", "\"'", "", true, true},
    {"diff patch", "Diff", "", "", "", "", "", "", ""},
    {"powershell ps1 pwsh ps", "PowerShell",
     "begin break catch class continue do else elseif end exit filter finally for foreach function if in param process "
     "return switch throw trap try until using while eq ne gt ge lt le like match and or not",
     "string int bool array hashtable datetime", "#", "<#", "#>", "\"'", "", true},
    {"r rscript", "R",
     "if else for while repeat function return next break in TRUE FALSE NULL NA NaN Inf library require",
     "c list vector matrix factor numeric character logical integer", "#", "", "", "\"'", ""},
    {"dart", "Dart",
     "abstract as assert async await break case catch class const continue default do else enum export extends "
     "extension factory false final finally for get if implements import in is late library mixin new null on part "
     "required rethrow return set static super switch sync this throw true try typedef var void while with yield",
     "bool double dynamic int num Future Iterable List Map Object Set Stream String Widget", "//", "/*", "*/", "\"'",
     "\"\"\""},
    {"perl pl", "Perl",
     "my our local sub if elsif else unless while until for foreach last next redo return use no package require and "
     "or not eq ne lt gt le ge cmp qw", "print printf say open close push pop shift split join keys values defined",
     "#", "", "", "\"'", ""},
    {"haskell hs", "Haskell",
     "case class data default deriving do else foreign if import in infix infixl infixr instance let module newtype of "
     "then type where qualified as hiding", "Bool Char Double Either Float IO Int Integer Maybe String Just Nothing Left "
     "Right True False", "--", "{-", "-}", "\"", ""},
    {"elixir ex exs", "Elixir",
     "after alias and case catch cond def defmodule defp defstruct do else end false fn for if import in nil not or "
     "quote raise receive rescue require true try unless use when with", "IO Enum Map String List", "#", "", "", "\"'",
     "\"\"\""},
    {"matlab octave", "MATLAB",
     "break case catch continue else elseif end for function global if otherwise persistent return switch try while",
     "zeros ones eye rand disp plot", "%", "%{", "%}", "\"", ""},
    {"zig", "Zig",
     "and break catch comptime const continue defer else enum errdefer error export extern fn for if inline or orelse "
     "pub return struct switch test true false null try undefined union unreachable usingnamespace var while",
     "bool f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize void anyerror type", "//", "", "", "\"'", ""},
    {"latex tex", "LaTeX", "begin end documentclass usepackage newcommand section subsection chapter item label ref cite "
     "frac sum int left right textbf textit emph", "", "%", "", "", "", ""},
    {"mermaid", "Mermaid",
     "graph flowchart sequenceDiagram classDiagram stateDiagram erDiagram gantt pie journey gitGraph mindmap timeline "
     "subgraph end participant actor loop alt else opt par and rect note over activate deactivate state class title "
     "section direction click style classDef linkStyle dateFormat autonumber",
     "TB TD BT RL LR", "%%", "", "", "\"", ""},
    {"text txt plain plaintext output", "Text", "", "", "", "", "", "", ""},
    {"markdown md", "Markdown", "", "", "", "", "", "", ""},
};

// Names that share a row but deserve their own title.
constexpr struct { const char *name, *title; } kTitles[] = {
    {"c", "C"}, {"h", "C"}, {"glsl", "GLSL"}, {"hlsl", "HLSL"}, {"cuda", "CUDA"}, {"objc", "Objective-C"},
    {"typescript", "TypeScript"}, {"ts", "TypeScript"}, {"tsx", "TypeScript"}, {"bash", "Bash"}, {"zsh", "Zsh"},
    {"kotlin", "Kotlin"}, {"kt", "Kotlin"}, {"scala", "Scala"}, {"groovy", "Groovy"}, {"yaml", "YAML"},
    {"yml", "YAML"}, {"toml", "TOML"}, {"ini", "INI"}, {"dockerfile", "Dockerfile"}, {"docker", "Dockerfile"},
    {"cmake", "CMake"}, {"makefile", "Makefile"}, {"make", "Makefile"}, {"less", "Less"}, {"xml", "XML"},
    {"svg", "SVG"}, {"vue", "Vue"}, {"svelte", "Svelte"},
};
// clang-format on

} // namespace

const CodeLanguage *findCodeLanguage(const QString &name)
{
    static const QHash<QString, const CodeLanguage *> index = [] {
        QHash<QString, const CodeLanguage *> result;
        for (const CodeLanguage &language : kLanguages) {
            for (const QString &word : QString::fromLatin1(language.names).split(QLatin1Char(' ')))
                result.insert(word, &language);
        }
        return result;
    }();
    return index.value(name.toLower());
}

QString languageTitle(const QString &language)
{
    const QString lower = language.toLower();
    for (const auto &title : kTitles) {
        if (lower == QLatin1String(title.name))
            return QString::fromLatin1(title.title);
    }
    const CodeLanguage *known = findCodeLanguage(language);
    return known ? QString::fromLatin1(known->title) : language;
}

} // namespace fireside
