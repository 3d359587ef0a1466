// What a GPU answers where C++ has no answer: flushed subnormals, NaNs, 16-bit floats, sums of tensor cores.
// `record` writes one digest for each instruction, `dump` all words.

#include <string>

#include "harness.cuh"

namespace {

constexpr int count = 1024;

#define WEFT_CASE(id, ...)                                                                \
  __global__ void id(const u32* a, const u32* b, const u32* c, u32* d) {                  \
    const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);                \
    u32 result;                                                                           \
    asm volatile("{ " __VA_ARGS__ " }" : "=r"(result) : "r"(a[t]), "r"(b[t]), "r"(c[t])); \
    d[t] = result;                                                                        \
  }
#define WEFT_DOUBLES(text)                                                                           \
  ".reg .f64 x, y, z, w; .reg .b32 l, h; mov.b64 x, {%1, %2}; mov.b64 y, {%2, %3}; mov.b64 z, {%3, " \
  "%1}; " text " mov.b64 {l, h}, w; mad.lo.u32 %0, h, 33, l;"
#define WEFT_NARROW(text) ".reg .b16 n; " text " cvt.u32.u16 %0, n;"

WEFT_CASE(add_ftz, "add.ftz.f32 %0, %1, %2;")
WEFT_CASE(mul_ftz, "mul.ftz.f32 %0, %1, %2;")
WEFT_CASE(fma_ftz, "fma.rn.ftz.f32 %0, %1, %2, %3;")
WEFT_CASE(mul_ftz_rp, "mul.rp.ftz.f32 %0, %1, %2;")
WEFT_CASE(div_ftz, "div.rn.ftz.f32 %0, %1, %2;")
WEFT_CASE(sqrt_ftz, "sqrt.rn.ftz.f32 %0, %1;")
WEFT_CASE(add_sat, "add.sat.f32 %0, %1, %2;")
WEFT_CASE(fma_ftz_sat, "fma.rn.ftz.sat.f32 %0, %1, %2, %3;")
WEFT_CASE(min_f32, "min.f32 %0, %1, %2;")
WEFT_CASE(max_ftz, "max.ftz.f32 %0, %1, %2;")
WEFT_CASE(min_nan_xorsign, "min.NaN.xorsign.abs.f32 %0, %1, %2;")
WEFT_CASE(neg_f32, "neg.f32 %0, %1;")
WEFT_CASE(abs_ftz, "abs.ftz.f32 %0, %1;")
WEFT_CASE(rni_ftz, "cvt.rni.ftz.f32.f32 %0, %1;")
WEFT_CASE(rpi_ftz_s32, "cvt.rpi.ftz.s32.f32 %0, %1;")
WEFT_CASE(f64_add, WEFT_DOUBLES("add.f64 w, x, y;"))
WEFT_CASE(f64_mul, WEFT_DOUBLES("mul.f64 w, x, y;"))
WEFT_CASE(f64_fma, WEFT_DOUBLES("fma.rn.f64 w, x, y, z;"))
WEFT_CASE(f64_min, WEFT_DOUBLES("min.f64 w, x, y;"))
WEFT_CASE(f64_div, WEFT_DOUBLES("div.rn.f64 w, x, y;"))
WEFT_CASE(f64_to_f32, ".reg .f64 x; mov.b64 x, {%1, %2}; cvt.rn.f32.f64 %0, x;")
WEFT_CASE(f32_to_f64,
          ".reg .f64 w; .reg .b32 l, h; cvt.f64.f32 w, %1; mov.b64 {l, h}, w; mad.lo.u32 %0, h, 33, l;")
WEFT_CASE(f64_to_s32, ".reg .f64 x; mov.b64 x, {%1, %2}; cvt.rzi.s32.f64 %0, x;")
WEFT_CASE(f16x2_add, "add.f16x2 %0, %1, %2;")
WEFT_CASE(f16x2_mul_ftz, "mul.ftz.f16x2 %0, %1, %2;")
WEFT_CASE(f16x2_fma, "fma.rn.f16x2 %0, %1, %2, %3;")
WEFT_CASE(f16x2_fma_relu, "fma.rn.relu.f16x2 %0, %1, %2, %3;")
WEFT_CASE(f16x2_fma_sat, "fma.rn.sat.f16x2 %0, %1, %2, %3;")
WEFT_CASE(f16x2_min, "min.f16x2 %0, %1, %2;")
WEFT_CASE(f16x2_max_nan, "max.NaN.f16x2 %0, %1, %2;")
WEFT_CASE(f16x2_neg, "neg.f16x2 %0, %1;")
WEFT_CASE(bf16x2_fma, "fma.rn.bf16x2 %0, %1, %2, %3;")
WEFT_CASE(bf16x2_fma_relu, "fma.rn.relu.bf16x2 %0, %1, %2, %3;")
WEFT_CASE(bf16x2_add, "add.bf16x2 %0, %1, %2;")
WEFT_CASE(bf16x2_mul, "mul.bf16x2 %0, %1, %2;")
WEFT_CASE(bf16x2_max, "max.bf16x2 %0, %1, %2;")
WEFT_CASE(to_f16_rn, WEFT_NARROW("cvt.rn.f16.f32 n, %1;"))
WEFT_CASE(to_f16_rz, WEFT_NARROW("cvt.rz.f16.f32 n, %1;"))
WEFT_CASE(to_f16x2, "cvt.rn.f16x2.f32 %0, %1, %2;")
WEFT_CASE(to_bf16x2_relu, "cvt.rn.relu.bf16x2.f32 %0, %1, %2;")
WEFT_CASE(to_e4m3, WEFT_NARROW("cvt.rn.satfinite.e4m3x2.f32 n, %1, %2;"))
WEFT_CASE(to_e5m2, WEFT_NARROW("cvt.rn.satfinite.e5m2x2.f32 n, %1, %2;"))
WEFT_CASE(from_e4m3, ".reg .b16 n; cvt.u16.u32 n, %1; cvt.rn.f16x2.e4m3x2 %0, n;")
WEFT_CASE(from_e5m2, ".reg .b16 n; cvt.u16.u32 n, %1; cvt.rn.f16x2.e5m2x2 %0, n;")
WEFT_CASE(to_tf32, "cvt.rna.tf32.f32 %0, %1;")
WEFT_CASE(from_f16, ".reg .b16 n; cvt.u16.u32 n, %1; cvt.f32.f16 %0, n;")
WEFT_CASE(from_bf16, ".reg .b16 n; cvt.u16.u32 n, %1; cvt.f32.bf16 %0, n;")
WEFT_CASE(f16_to_s32, ".reg .b16 n; cvt.u16.u32 n, %1; cvt.rni.s32.f16 %0, n;")

// Each warp multiplies matrices whose fragments are words of its lanes.
#define WEFT_FRAGMENTS                                                                       \
  ".reg .b32 x<4>, y<2>; shf.l.wrap.b32 x0, %1, %1, 5; xor.b32 x1, %1, 0x01020304; "         \
  "shf.l.wrap.b32 x2, %2, %2, 7; xor.b32 x3, %2, 0x00400020; shf.l.wrap.b32 y0, %2, %2, 3; " \
  "xor.b32 y1, %1, 0x00800100; "
/// Exponents in the middle, so that hardly anything is infinite.
#define WEFT_TAME(mask, bits)                                                                         \
  "and.b32 x0, x0, " mask "; or.b32 x0, x0, " bits "; and.b32 x1, x1, " mask "; or.b32 x1, x1, " bits \
  "; "                                                                                                \
  "and.b32 x2, x2, " mask "; or.b32 x2, x2, " bits "; and.b32 x3, x3, " mask "; or.b32 x3, x3, " bits \
  "; "                                                                                                \
  "and.b32 y0, y0, " mask "; or.b32 y0, y0, " bits "; and.b32 y1, y1, " mask "; or.b32 y1, y1, " bits "; "
#define WEFT_SUM                                                                                     \
  ".reg .f32 r<4>; .reg .b32 s; and.b32 s, %3, 0xcfffffff; or.b32 s, s, 0x30000000; mov.b32 r0, s; " \
  "mov.b32 r1, s; mov.f32 r2, 0f00000000; mov.f32 r3, r0; "
#define WEFT_TOTAL                                                                                    \
  "mov.b32 %0, r0; mov.b32 s, r1; mad.lo.u32 %0, %0, 33, s; mov.b32 s, r2; mad.lo.u32 %0, %0, 33, s;" \
  " mov.b32 s, r3; mad.lo.u32 %0, %0, 33, s;"
WEFT_CASE(mma_f16, WEFT_FRAGMENTS WEFT_TAME("0xafffafff", "0x10001000") WEFT_SUM
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r0, r1, r2, r3}, {x0, x1, x2, x3}, {y0, y1}, "
          "{r0, r1, r2, r3};" WEFT_TOTAL)
WEFT_CASE(mma_f16_all, WEFT_FRAGMENTS WEFT_TAME("0xbfffbfff", "0") WEFT_SUM
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r0, r1, r2, r3}, {x0, x1, x2, x3}, {y0, y1}, "
          "{r0, r1, r2, r3};" WEFT_TOTAL)
WEFT_CASE(mma_bf16, WEFT_FRAGMENTS WEFT_TAME("0xb7ffb7ff", "0x30003000") WEFT_SUM
          "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {r0, r1, r2, r3}, {x0, x1, x2, x3}, {y0, y1}, "
          "{r0, r1, r2, r3};" WEFT_TOTAL)
WEFT_CASE(mma_bf16_k8, WEFT_FRAGMENTS WEFT_TAME("0xb7ffb7ff", "0x30003000") WEFT_SUM
          "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {r0, r1, r2, r3}, {x0, x1}, {y0}, "
          "{r0, r1, r2, r3};" WEFT_TOTAL)
WEFT_CASE(mma_tf32, WEFT_FRAGMENTS WEFT_TAME("0xb7ffffff", "0x30000000") WEFT_SUM
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {r0, r1, r2, r3}, {x0, x1, x2, x3}, {y0, y1}, "
          "{r0, r1, r2, r3};" WEFT_TOTAL)
WEFT_CASE(mma_f16_f16, WEFT_FRAGMENTS WEFT_TAME("0xafffafff", "0x10001000")
          ".reg .b32 r<2>; and.b32 r0, %3, 0xafffafff; mov.b32 r1, 0; "
          "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {r0, r1}, {x0, x1, x2, x3}, {y0, y1}, {r0, r1}; "
          "mad.lo.u32 %0, r0, 33, r1;")
WEFT_CASE(mma_f64,
          ".reg .f64 x, y, p, q; .reg .b32 l, h; cvt.f64.f32 x, %1; cvt.f64.f32 y, %2; cvt.f64.f32 p, %3; "
          "mov.f64 q, p; mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {p, q}, {x}, {y}, {p, q}; "
          "mov.b64 {l, h}, p; mad.lo.u32 %0, h, 33, l; mov.b64 {l, h}, q; mad.lo.u32 %0, %0, 33, h; add.u32 "
          "%0, %0, l;")

struct Case {
  const char* name;
  void (*kernel)(const u32*, const u32*, const u32*, u32*);
};
#define WEFT_NAMED(id) {#id, id}
const Case cases[] = {
    WEFT_NAMED(add_ftz),        WEFT_NAMED(mul_ftz),         WEFT_NAMED(fma_ftz),
    WEFT_NAMED(mul_ftz_rp),     WEFT_NAMED(div_ftz),         WEFT_NAMED(sqrt_ftz),
    WEFT_NAMED(add_sat),        WEFT_NAMED(fma_ftz_sat),     WEFT_NAMED(min_f32),
    WEFT_NAMED(max_ftz),        WEFT_NAMED(min_nan_xorsign), WEFT_NAMED(neg_f32),
    WEFT_NAMED(abs_ftz),        WEFT_NAMED(rni_ftz),         WEFT_NAMED(rpi_ftz_s32),
    WEFT_NAMED(f64_add),        WEFT_NAMED(f64_mul),         WEFT_NAMED(f64_fma),
    WEFT_NAMED(f64_min),        WEFT_NAMED(f64_div),         WEFT_NAMED(f64_to_f32),
    WEFT_NAMED(f32_to_f64),     WEFT_NAMED(f64_to_s32),      WEFT_NAMED(f16x2_add),
    WEFT_NAMED(f16x2_mul_ftz),  WEFT_NAMED(f16x2_fma),       WEFT_NAMED(f16x2_fma_relu),
    WEFT_NAMED(f16x2_fma_sat),  WEFT_NAMED(f16x2_min),       WEFT_NAMED(f16x2_max_nan),
    WEFT_NAMED(f16x2_neg),      WEFT_NAMED(bf16x2_fma),      WEFT_NAMED(bf16x2_fma_relu),
    WEFT_NAMED(bf16x2_add),     WEFT_NAMED(bf16x2_mul),      WEFT_NAMED(bf16x2_max),
    WEFT_NAMED(to_f16_rn),      WEFT_NAMED(to_f16_rz),       WEFT_NAMED(to_f16x2),
    WEFT_NAMED(to_bf16x2_relu), WEFT_NAMED(to_e4m3),         WEFT_NAMED(to_e5m2),
    WEFT_NAMED(from_e4m3),      WEFT_NAMED(from_e5m2),       WEFT_NAMED(to_tf32),
    WEFT_NAMED(from_f16),       WEFT_NAMED(from_bf16),       WEFT_NAMED(f16_to_s32),
    WEFT_NAMED(mma_f16),        WEFT_NAMED(mma_f16_all),     WEFT_NAMED(mma_bf16),
    WEFT_NAMED(mma_bf16_k8),    WEFT_NAMED(mma_tf32),        WEFT_NAMED(mma_f16_f16),
    WEFT_NAMED(mma_f64),
};

/// @param halves whether words are better made of two 16-bit floats
std::vector<u32> words(u64 seed, bool halves) {
  Random random(seed);
  std::vector<u32> found(count);
  for (u32& word : found) word = halves ? random.word() << 16 | (random.word() & 0xffff) : random.word();
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words_given(argv + 1, argv + argc);
  const bool dump = !words_given.empty() && words_given[0] == "dump";
  for (const auto& [name, kernel] : cases) {
    const bool halves = std::strstr(name, "16") != nullptr || std::strstr(name, "mma") != nullptr;
    const std::vector<u32> a = words(1, halves), b = words(2, halves), c = words(3, halves);
    Buffer<u32> in_a(count), in_b(count), in_c(count), out(count);
    in_a.put(a);
    in_b.put(b);
    in_c.put(c);
    kernel<<<count / 128, 128>>>(in_a.data(), in_b.data(), in_c.data(), out.data());
    WEFT_CHECK(cudaGetLastError());
    WEFT_CHECK(cudaDeviceSynchronize());
    const std::vector<u32> d = out.get();
    if (dump) {
      for (int i = 0; i < count; ++i) std::printf("%s %08x %08x %08x %08x\n", name, a[i], b[i], c[i], d[i]);
    } else {
      const std::vector<u64> wide(d.begin(), d.end());
      std::printf("%s %016llx\n", name, static_cast<unsigned long long>(digest(wide)));
    }
  }
}
