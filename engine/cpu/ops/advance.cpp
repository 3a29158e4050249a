#include "engine/core/error.h"
#include "engine/cpu/ops/op_call.h"

namespace fireside::cpu {

void run(OpCall & /*call*/, const op::Advance &op)
{
    throwUnsupported(std::string(op.kName) + ": the CPU runs no pass ahead");
}

} // namespace fireside::cpu
