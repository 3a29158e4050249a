# Makes the list of ops from their structs: each struct with a kName in a header of OPS_FOLDER is an op.
# OP_LIST, a header, includes these headers and names the ops in FIRESIDE_OPS(X). Also a script:
# cmake -DOPS_FOLDER=… -DOP_LIST=… -P op_list.cmake
file(GLOB op_headers ${OPS_FOLDER}/*.h)
set(includes "")
set(names "")
foreach(header ${op_headers})
    file(READ ${header} text)
    string(REGEX MATCHALL "struct [A-Za-z0-9]+\n{\n    static constexpr const char [*]kName" structs "${text}")
    if(structs)
        get_filename_component(name ${header} NAME)
        string(APPEND includes "#include \"engine/backend/ops/${name}\"\n")
    endif()
    foreach(struct IN LISTS structs)
        string(REGEX REPLACE "struct ([A-Za-z0-9]+).*" "\\1" name "${struct}")
        string(APPEND names " \\\n    X(${name})")
    endforeach()
endforeach()
file(CONFIGURE OUTPUT ${OP_LIST} CONTENT "// Made by engine/backend/op_list.cmake.
#pragma once
${includes}
#define FIRESIDE_OPS(X)${names}
" @ONLY)
