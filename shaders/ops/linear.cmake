# Embedding and products of few rows.
foreach(type ${WEIGHT_TYPES})
    fireside_shader(embed_${type} ops/embed.comp DEFINES WEIGHT_${type})
endforeach()
foreach(type ${WEIGHT_TYPES})
    fireside_shader(matvec_${type} ops/matvec.comp DEFINES WEIGHT_${type})
endforeach()
