// The main function of programs that are nothing but tests; doctest's implementation is linked to it.

#include <doctest/doctest.h>

// NOLINTNEXTLINE(misc-const-correctness): main is declared so
int main(int argc, char** argv) { return doctest::Context(argc, argv).run(); }
