// Kimi Linear with layers of both kinds, from a folder and as GGUF, against double precision.
#include "tests/support/gguf_from_folder.h"
#include "tests/support/kimi_model.h"
#include "tests/support/model_fixture.h"
#include "tests/support/temp_dir.h"

#include <gtest/gtest.h>

namespace fireside {
namespace {

TEST(KimiLinear, LatentLayersAreAmongDeltaLayers)
{
    const test::KimiModel reference;
    const test::TempDir dir;
    reference.writeFolder(dir / "folder");
    test::writeGgufOf(dir / "folder", dir / "model.gguf");
    const std::vector<TokenId> ids{5, 17, 38, 9, 25, 3, 11, 11, 30, 0, 39, 7};
    const std::vector<double> expected = reference.logits(ids);
    const std::size_t V = reference.vocabulary();
    for (const char *form : {"folder", "model.gguf"}) {
        const test::ModelFixture model(dir / form);
        EXPECT_EQ(model.model().config().layer(0).mixer, Mixer::KimiDelta) << form;
        EXPECT_EQ(model.model().config().layer(1).mixer, Mixer::Latent) << form;
        const std::vector<float> logits = test::allLogits(*model.session(), ids);
        ASSERT_EQ(logits.size(), expected.size());
        for (std::size_t i = 0; i < logits.size(); ++i)
            ASSERT_NEAR(double{logits[i]}, expected[i], 2e-4) << form << ", position " << i / V;
        const auto session = model.session();
        std::vector<float> row(V);
        for (std::size_t t = 0; t < ids.size(); ++t) {
            session->append(std::span(ids).subspan(t, 1), row);
            for (std::size_t i = 0; i < V; ++i)
                ASSERT_NEAR(double{row[i]}, expected[t * V + i], 2e-4) << form << ", alone " << t;
        }
    }
}

} // namespace
} // namespace fireside
