// Stands in for the library below llama.cpp's: it has no backends to load.
extern "C" void ggml_backend_load_all_from_path(const char *) {}
