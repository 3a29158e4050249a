# CMake's Release says -O3, which pays in kernels; elsewhere it mostly keeps the compiler busy. Folders
# choose their own: engine/cpu -O3, most tests -O0.
set(FIRESIDE_OPTIMIZE -O2)
# Whether FIRESIDE_SANITIZE goes into a target's code; tests choose it off.
set(FIRESIDE_INSTRUMENT ON)

# Warnings, sanitizers and the include root shared by every target of the project.
function(fireside_target target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wconversion -Wno-sign-conversion -Wshadow)
    if(FIRESIDE_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
        # GCC 12 and 13 see these inside std::string where they cannot be (its bugs 105651, 105562).
        if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
            target_compile_options(${target} PRIVATE -Wno-error=restrict -Wno-error=maybe-uninitialized)
        endif()
    endif()
    # GCC 12 takes "text" + std::string for an overlapping copy (its bug 105329).
    target_compile_options(${target} PRIVATE
        $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${FIRESIDE_OPTIMIZE}>)
    # Where every processor has them, compilers join products and sums; plain code is to round as elsewhere.
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
        target_compile_options(${target} PRIVATE -ffp-contract=off)
    endif()
    target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
    if(FIRESIDE_SANITIZE)
        if(FIRESIDE_INSTRUMENT)
            target_compile_options(${target} PRIVATE -fsanitize=${FIRESIDE_SANITIZE} -fno-omit-frame-pointer)
        endif()
        target_link_options(${target} PUBLIC -fsanitize=${FIRESIDE_SANITIZE})
    endif()
endfunction()

# fireside_library(NAME SOURCES … LINKS …): one static library per part, so that a part's include
# directions are also its link directions.
function(fireside_library name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
    add_library(${name} STATIC ${ARG_SOURCES})
    fireside_target(${name})
    target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
endfunction()
