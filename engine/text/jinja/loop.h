#pragma once
#include "engine/text/jinja/interpreter.h"

namespace fireside::jinja {

/// The variable `loop` inside {% for %}. Calling it renders a recursive loop one level deeper.
class LoopObject : public Object
{
public:
    LoopObject(Interpreter &interpreter, const ForStmt &stmt, Scope &scope,
               const std::vector<Value> &items, int depth)
        : m_interpreter(interpreter)
        , m_stmt(stmt)
        , m_scope(scope)
        , m_items(&items)
        , m_depth(depth)
    {}

    /// While the loop runs its items can be seen; a `loop` kept longer forgets them.
    class Running
    {
    public:
        explicit Running(LoopObject &loop)
            : m_loop(loop)
        {}
        ~Running()
        {
            m_loop.m_length = m_loop.m_items->size();
            m_loop.m_items = nullptr;
        }
        Running(const Running &) = delete;
        Running &operator=(const Running &) = delete;

    private:
        LoopObject &m_loop;
    };

    void moveTo(std::size_t index) { m_index = index; }
    std::string typeName() const override { return "LoopContext"; }
    bool isCallable() const override { return true; }
    Value call(Runtime &runtime, const Arguments &args) override;
    std::optional<Value> attribute(Runtime &runtime, const std::string &name) override;

private:
    static Value cycle(Runtime &runtime, const Value &self, const Arguments &args);
    static Value changed(Runtime &runtime, const Value &self, const Arguments &args);
    Value neighbour(Runtime &runtime, bool next) const;

    Interpreter &m_interpreter;
    const ForStmt &m_stmt;
    Scope &m_scope;
    const std::vector<Value> *m_items;
    std::size_t m_length = 0; // once m_items is gone
    std::size_t m_index = 0;
    int m_depth;
    std::optional<Value> m_lastChecked; // of changed()
};

/// A macro, bound to the scope it was defined in.
class MacroObject : public Object
{
public:
    MacroObject(Interpreter &interpreter, const MacroStmt &stmt, Scope &scope)
        : m_interpreter(interpreter)
        , m_stmt(stmt)
        , m_scope(scope)
    {}
    std::string typeName() const override { return "Macro"; }
    bool isCallable() const override { return true; }
    Value call(Runtime &, const Arguments &args) override
    {
        return m_interpreter.callMacro(m_stmt, m_scope, args);
    }
    std::optional<Value> attribute(Runtime &runtime, const std::string &name) override;
    std::string describe() const override { return "<Macro '" + m_stmt.name + "'>"; }

private:
    Interpreter &m_interpreter;
    const MacroStmt &m_stmt;
    Scope &m_scope;
};

} // namespace fireside::jinja
