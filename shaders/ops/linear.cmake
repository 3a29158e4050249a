# Embedding and products of few rows.
fireside_shader(integer_rows ops/integer_rows.comp)
foreach(type ${WEIGHT_TYPES})
    fireside_shader(embed_${type} ops/embed.comp DEFINES WEIGHT_${type})
endforeach()
foreach(type ${WEIGHT_TYPES})
    fireside_shader(matvec_${type} ops/matvec.comp DEFINES WEIGHT_${type})
endforeach()
# The types whose values are small whole numbers times a scale; table values would have to be looked up.
if(HAS_INTEGER_DOT)
    foreach(type q4_0 q4_1 q5_0 q5_1 q8_0 q2_k q3_k q4_k q5_k q6_k)
        fireside_shader(matvec_integer_${type} ops/matvec.comp DEFINES WEIGHT_${type} INTEGER_DOT)
    endforeach()
endif()
