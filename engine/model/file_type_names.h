#pragma once
#include <array>
#include <cstdint>

namespace fireside {

struct FileTypeName
{
    std::uint64_t id;
    const char *name;
};
/// general.file_type: the mix a file was written with (format facts of the GGUF specification).
inline constexpr std::array kFileTypes{
    FileTypeName{0, "F32"},     FileTypeName{1, "F16"},      FileTypeName{2, "Q4_0"},
    FileTypeName{3, "Q4_1"},    FileTypeName{7, "Q8_0"},     FileTypeName{8, "Q5_0"},
    FileTypeName{9, "Q5_1"},    FileTypeName{10, "Q2_K"},    FileTypeName{11, "Q3_K_S"},
    FileTypeName{12, "Q3_K_M"}, FileTypeName{13, "Q3_K_L"},  FileTypeName{14, "Q4_K_S"},
    FileTypeName{15, "Q4_K_M"}, FileTypeName{16, "Q5_K_S"},  FileTypeName{17, "Q5_K_M"},
    FileTypeName{18, "Q6_K"},   FileTypeName{19, "IQ2_XXS"}, FileTypeName{20, "IQ2_XS"},
    FileTypeName{21, "Q2_K_S"}, FileTypeName{22, "IQ3_XS"},  FileTypeName{23, "IQ3_XXS"},
    FileTypeName{24, "IQ1_S"},  FileTypeName{25, "IQ4_NL"},  FileTypeName{26, "IQ3_S"},
    FileTypeName{27, "IQ3_M"},  FileTypeName{28, "IQ2_S"},   FileTypeName{29, "IQ2_M"},
    FileTypeName{30, "IQ4_XS"}, FileTypeName{31, "IQ1_M"},   FileTypeName{32, "BF16"},
    FileTypeName{36, "TQ1_0"},  FileTypeName{37, "TQ2_0"},   FileTypeName{38, "MXFP4"},
    FileTypeName{39, "NVFP4"},
};

} // namespace fireside
