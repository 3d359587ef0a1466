#pragma once

/// @file
/// CUTLASS's kernels, which take minutes to compile: so they lie in a library of their own, which only
/// measuring builds and which is looked for when a program runs.

#include <dlfcn.h>

#include "search.hpp"

namespace weft::cutlass_kernels {

inline constexpr const char* library = "libweft_cutlass.so";

/// What the library has: adds all of its kernels that can do the product.
using Listing = void(const Sgemm&, List<Candidate>&);
extern "C" Listing weft_cutlass_multiply_adds;
extern "C" Listing weft_cutlass_three_tf32;

/// @param list the name of one of the library's functions
/// @throws Unavailable if the library was not built
inline List<Candidate> candidates(const char* list, const Sgemm& p) {
  void* const kernels = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (kernels == nullptr) unavailable("this needs CUTLASS's kernels, which `make reproduce` builds");
  List<Candidate> found;
  reinterpret_cast<Listing*>(dlsym(kernels, list))(p, found);
  return found;
}

/// Registers a peer that takes its kernels from the library.
inline void add(const char* name, List<Candidate> (*candidates)(const Sgemm&)) {
  add_fastest(name,
              {.candidates = candidates,
               .properties = {"tile-rows", "tile-columns", "tile-depth", "stages", "split-k", "stream-k"},
               .most_error = 1},
              {.kind = Kind::peer, .workspace = workspace_of_search, .everywhere = true});
}

}  // namespace weft::cutlass_kernels
