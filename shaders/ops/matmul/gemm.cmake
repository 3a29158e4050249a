# Products of many rows, and of rows with matrices chosen on the device.
foreach(type ${WEIGHT_TYPES})
    fireside_shader(gemm_${type} ops/matmul/gemm.comp DEFINES WEIGHT_${type})
    fireside_shader(expert_rows_${type} ops/matmul/expert_rows.comp DEFINES WEIGHT_${type})
endforeach()
if(HAS_COOPERATIVE_MATRIX)
    foreach(type ${MATRIX_TYPES})
        fireside_shader(gemm_matrix_${type} ops/matmul/gemm_matrix.comp DEFINES WEIGHT_${type})
    endforeach()
endif()
# The same on a plain device, for tests of the indexing.
foreach(type ${MATRIX_TYPES})
    fireside_test_shader(gemm_emulated_${type} ops/matmul/gemm_matrix.comp DEFINES WEIGHT_${type} EMULATE_MATRIX SMALL_CODE)
endforeach()
