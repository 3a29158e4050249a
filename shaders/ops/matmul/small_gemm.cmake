# Products of a few to some 128 rows on matrices.
if(HAS_COOPERATIVE_MATRIX)
    fireside_shader(matrix_layout probe/matrix_layout.comp)
    foreach(type ${MATRIX_TYPES})
        fireside_shader(small_gemm_matrix_${type} ops/matmul/small_gemm_matrix.comp DEFINES WEIGHT_${type})
        fireside_shader(staged_gemm_matrix_${type} ops/matmul/staged_gemm_matrix.comp DEFINES WEIGHT_${type})
    endforeach()
endif()
# The same on a plain device, for tests of the indexing.
foreach(type ${MATRIX_TYPES})
    fireside_test_shader(small_gemm_emulated_${type} ops/matmul/small_gemm_matrix.comp DEFINES WEIGHT_${type} EMULATE_MATRIX SMALL_CODE)
    fireside_test_shader(staged_gemm_emulated_${type} ops/matmul/staged_gemm_matrix.comp DEFINES WEIGHT_${type} EMULATE_MATRIX SMALL_CODE)
endforeach()
