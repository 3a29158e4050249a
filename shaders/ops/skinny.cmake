# Products of a few to some 64 rows on matrices.
fireside_shader(skinny_input ops/skinny_input.comp)
if(HAS_COOPERATIVE_MATRIX)
    fireside_shader(matrix_layout ops/matrix_layout.comp)
    foreach(type ${WEIGHT_TYPES})
        if(NOT type STREQUAL f32)
            fireside_shader(skinny_matrix_${type} ops/skinny_matrix.comp DEFINES WEIGHT_${type})
        endif()
    endforeach()
endif()
# The same on a plain device, for tests of the indexing.
foreach(type f16 q8_0 q4_k q6_k iq4_nl)
    fireside_shader(skinny_emulated_${type} ops/skinny_matrix.comp DEFINES WEIGHT_${type} EMULATE_MATRIX)
endforeach()
