#pragma once

/// @file
/// Hopper's tensor cores: four warps multiply 64 rows of tf32 by 128 columns that lie in shared memory.

#include <cstdint>

#include "kernel/tma.hpp"

namespace weft::hopper {

// [split]
constexpr unsigned bits_of_tf32 = 0xffffe000U;  ///< the tensor cores do not look at the others
constexpr unsigned half_of_last = 0x1000U;      ///< of these bits

/// A float as the sum of two tf32, each of 11 bits: 22 of the 24 bits that a float has. The big part is
/// rounded, so that the small one is as often negative as positive.
struct Split {
  unsigned big, small;
};
__device__ inline Split split(float x) {
  const unsigned big = (__float_as_uint(x) + half_of_last) & bits_of_tf32;
  return {big, __float_as_uint(x - __uint_as_float(big))};
}

/// What the tensor cores cut off x, rounded to the bits that they look at.
__device__ inline unsigned cut_off(float x) {
  const float rest = x - __uint_as_float(__float_as_uint(x) & bits_of_tf32);
  return __float_as_uint(rest) + half_of_last;
}
// [split]

// [descriptor]
/// Tells the tensor cores where a factor lies: rows of 128 bytes along the depth, swizzled by TMA's rule,
/// eight of them in 1024 bytes (PTX ISA, "Matrix Descriptor").
__device__ inline std::uint64_t descriptor(unsigned address) {
  constexpr std::uint64_t swizzled_by_128 = std::uint64_t{1} << 62;
  constexpr std::uint64_t bytes_of_eight_rows = std::uint64_t{1024 / 16} << 32;
  return swizzled_by_128 | bytes_of_eight_rows | std::uint64_t{1} << 16 | (address & 0x3ffff) / 16;
}
// [descriptor]

/// What was written to shared memory and registers by ordinary means is there for the tensor cores.
__device__ inline void begin_products() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
/// All products since the last call are a group …
__device__ inline void end_products() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

inline constexpr int sums_of_product = 64;

// [product]
/// Queues d = a b, or d += a b. The four warps have 16 rows of A each, in registers: a lane those of row lane
/// / 4 and the eighth below it, in columns lane % 4 and lane % 4 + 4. d[4 i] and d[4 i + 1] lie in row lane /
/// 4, columns 8 i + 2 (lane % 4) and the next; d[4 i + 2] and d[4 i + 3] eight rows below.
/// @param b descriptor of 128 columns, 8 deep
// NOLINTNEXTLINE(misc-const-correctness): the tensor cores write there.
__device__ inline void multiply(float (&d)[sums_of_product], const unsigned (&a)[4], std::uint64_t b,
                                bool adds) {
  asm volatile(
      "{\n"
      ".reg .pred adds;\n"
      "setp.ne.b32 adds, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, %68, adds, 1, 1;\n"
      "}"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
        "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
        "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
        "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
        "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]),
        "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]), "+f"(d[42]), "+f"(d[43]),
        "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]), "+f"(d[49]), "+f"(d[50]),
        "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]), "+f"(d[57]),
        "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(static_cast<int>(adds)));
}
// [product]

// [wait-for-products]
/// Waits for all groups. Until then the products write d. The compiler does not know this. So a statement
/// behind the wait says that it writes d, and the compiler reads d after this statement.
// NOLINTNEXTLINE(misc-const-correctness): the products were written there.
__device__ inline void wait_for_products(float (&d)[sums_of_product]) {
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  // NOLINTNEXTLINE(misc-const-correctness): to the compiler, the statement writes it.
  for (float& sum : d) asm volatile("" : "+f"(sum)::"memory");
}

/// Puts `number` into `held`, a register that products read. It stands behind the wait for these products:
/// neither the compiler nor the assembler may load the number into this register earlier.
/// @param none zero, which the assembler does not know: so it keeps the old number in the register up to
/// here
// NOLINTNEXTLINE(misc-const-correctness): the instruction writes it.
__device__ inline void replace(unsigned& held, unsigned number, unsigned none) {
  asm volatile("lop3.b32 %0, %0, %1, %2, 0xea;" : "+r"(held) : "r"(none), "r"(number) : "memory");
}
// [wait-for-products]

}  // namespace weft::hopper
