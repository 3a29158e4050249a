#pragma once
#include "engine/backend/ops/activation.h"
#include "engine/backend/ops/op_check.h"

#include <optional>

// Each element by itself. out may be an input.
namespace fireside::op {

/// out = a + b. b is of a's shape, one row [1, n] for all rows, one number [1, 1], or one for each
/// row [T, 1].
struct Add
{
    static constexpr const char *kName = "add";
    Tensor a, b, out; // [T, n]
};

/// out = a ⊙ b, of such shapes.
struct Multiply
{
    static constexpr const char *kName = "multiply";
    Tensor a, b, out; // [T, n]
};

/// out += scale · x
struct AddScaled
{
    static constexpr const char *kName = "addScaled";
    Tensor x; // [T, n]
    float scale = 1;
    Tensor out; // [T, n]
};

/// out = scale · x + add
struct Scale
{
    static constexpr const char *kName = "scale";
    Tensor x; // [T, n]
    float scale = 1;
    Tensor out; // [T, n]
    float add = 0;
};

/// out = min(max(x, low), high); NaN stays NaN.
struct Clamp
{
    static constexpr const char *kName = "clamp";
    Tensor x; // [T, n]
    float low = 0, high = 0;
    Tensor out; // [T, n]
};

/// out = x + bias (+ residual)
struct AddBias
{
    static constexpr const char *kName = "addBias";
    Tensor x;                       // [T, n]
    const Weight &bias;             // [1, n]
    std::optional<Tensor> residual; // [T, n] or none
    Tensor out;                     // [T, n]
};

/// out = act(x (+ bias))
struct Activate
{
    static constexpr const char *kName = "activate";
    Tensor x; // [T, n]
    Activation act = Activation::SiLU;
    const Weight *bias = nullptr; // [1, n] or none
    Tensor out;                   // [T, n]
    XIelu xielu{};                // the numbers of Activation::XIelu
};

/// out = act(gate) ⊙ up; one [T, 2n] input is two views of it.
struct Gate
{
    static constexpr const char *kName = "gate";
    Tensor gate, up; // [T, n]
    Activation act = Activation::SiLU;
    Tensor out; // [T, n]
};

/// out = cap · tanh(x / cap)
struct Softcap
{
    static constexpr const char *kName = "softcap";
    Tensor x; // [T, n]
    float cap = 1;
    Tensor out; // [T, n]
};

/// out = a · softplus(x + bias), softplus(z) = ln(1 + eᶻ): how fast a state decays. The gated delta
/// rule has a = −exp(A_log).
struct Decay
{
    static constexpr const char *kName = "decay";
    Tensor x;                     // [T, n]
    const Weight &a;              // [1, n]
    const Weight *bias = nullptr; // [1, n] or none
    Tensor out;                   // [T, n]
};

/// out = x · (1 + scale · ln(1 + ⌊(position + offset) / period⌋)), position being that of the
/// batch's row: queries of late tokens are made longer (Llama 4).
struct AttentionTemperature
{
    static constexpr const char *kName = "attentionTemperature";
    Tensor x, out; // [T, n]
    float scale = 0, offset = 0, period = 1;
};

inline void checkTwo(const OpCheck &check, const Tensor &a, const Tensor &b, const Tensor &out)
{
    check.activation("a", a);
    const bool row = b.rows == 1 && b.cols == a.cols, number = b.rows == 1 && b.cols == 1;
    const bool column = b.rows == a.rows && b.cols == 1;
    if (row || number || column)
        check.activation("b", b);
    else
        check.activation("b", a.rows, a.cols, b);
    check.activation("out", a.rows, a.cols, out);
}

inline void checkOne(const OpCheck &check, const Tensor &x, const Tensor &out)
{
    check.activation("x", x);
    check.activation("out", x.rows, x.cols, out);
}

inline void check(const Add &op, const PassRows & /*pass*/)
{
    checkTwo(OpCheck(op.kName), op.a, op.b, op.out);
}

inline void check(const Multiply &op, const PassRows & /*pass*/)
{
    checkTwo(OpCheck(op.kName), op.a, op.b, op.out);
}

inline void check(const AddScaled &op, const PassRows & /*pass*/)
{
    checkOne(OpCheck(op.kName), op.x, op.out);
}

inline void check(const Scale &op, const PassRows & /*pass*/)
{
    checkOne(OpCheck(op.kName), op.x, op.out);
}

inline void check(const Clamp &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    checkOne(check, op.x, op.out);
    if (!(op.low <= op.high))
        check.fail("no number lies between " + std::to_string(op.low) + " and " +
                   std::to_string(op.high));
}

inline void check(const AddBias &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    checkOne(check, op.x, op.out);
    if (op.residual)
        check.activation("residual", op.x.rows, op.x.cols, *op.residual);
    check.vector(&op.bias, op.x.cols);
}

inline void check(const Activate &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    if (op.act == Activation::ClampedSwiGlu)
        check.fail("the clamped SwiGLU needs a gate and an up input");
    checkOne(check, op.x, op.out);
    check.vector(op.bias, op.x.cols);
}

inline void check(const Gate &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    check.gate(op.act);
    check.activation("gate", op.gate);
    check.activation("up", op.gate.rows, op.gate.cols, op.up);
    check.activation("out", op.gate.rows, op.gate.cols, op.out);
}

inline void check(const Softcap &op, const PassRows & /*pass*/)
{
    checkOne(OpCheck(op.kName), op.x, op.out);
}

inline void check(const Decay &op, const PassRows & /*pass*/)
{
    const OpCheck check(op.kName);
    checkOne(check, op.x, op.out);
    check.vector(&op.a, op.x.cols);
    check.vector(op.bias, op.x.cols);
}

inline void check(const AttentionTemperature &op, const PassRows &pass)
{
    const OpCheck check(op.kName);
    check.activation("x", pass.rows, op.x.cols, op.x);
    check.activation("out", pass.rows, op.x.cols, op.out);
    if (!(op.period > 0))
        check.fail("a period of " + std::to_string(op.period));
}

} // namespace fireside::op
