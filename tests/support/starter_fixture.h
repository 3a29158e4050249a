#pragma once
#include "engine/engine.h"
#include "tests/support/starter.h"

#include <gtest/gtest.h>

#include <memory>

namespace fireside::test {

/// The starter model, loaded to the CPU once for all tests of a suite.
class StarterModelTest : public testing::Test
{
protected:
    static void SetUpTestSuite()
    {
        s_engine = std::make_unique<Engine>();
        s_model = s_engine->load(starterModel(), {.backend = BackendKind::Cpu});
    }
    static void TearDownTestSuite()
    {
        s_model.reset();
        s_engine.reset();
    }
    static Engine &engine() { return *s_engine; }
    static const LoadedModel &model() { return *s_model; }

private:
    inline static std::unique_ptr<Engine> s_engine;
    inline static std::shared_ptr<const LoadedModel> s_model;
};

} // namespace fireside::test
