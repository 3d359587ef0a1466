// A ring in memory of which the driver has moved a part of each 2 MiB to the host: so it cannot map them by
// one page.
#include "device/attribute.hpp"
#include "driver_memory.hpp"
#include "spread_ring.hpp"

namespace {
constexpr std::int64_t page = std::int64_t{2} << 20;
constexpr std::int64_t part = std::int64_t{64} << 10;  ///< that is moved to the host

/// Links that lie so far apart that some part of each page has none.
RingShape spread_with_gaps(std::int64_t bytes) {
  constexpr std::int64_t least_pitch = 3 * part / 2;
  constexpr std::int64_t most = std::int64_t{1} << 16;
  const std::int64_t links = min(max(bytes / least_pitch, std::int64_t{1}), most);
  return {links, (bytes / links / model::line_bytes | 1) * model::line_bytes};
}

/// Memory that the driver moves between host and device.
class Managed {
 public:
  explicit Managed(const RingShape& ring) : bytes_((ring.links * ring.pitch + page - 1) / page * page) {
    if (move_ == nullptr || device_attribute(cudaDevAttrConcurrentManagedAccess) == 0) {
      unavailable("this needs a GPU whose driver moves pages of managed memory (cudaMemPrefetchAsync)");
    }
    cuda_check(cudaMallocManaged(&memory_, static_cast<std::size_t>(bytes_ + page)));
    const auto address = reinterpret_cast<std::uintptr_t>(memory_);
    begin_ = static_cast<std::byte*>(memory_) + (page - address % page) % page;
  }
  Managed(const Managed&) = delete;
  Managed& operator=(const Managed&) = delete;
  ~Managed() { cudaFree(memory_); }

  [[nodiscard]] std::byte* data() const { return begin_; }

  /// Everything goes to the device, and then some part of each page to the host.
  void settle(const RingShape& ring) const {
    int device = 0;
    cuda_check(cudaGetDevice(&device));
    move(0, bytes_, device);
    for (std::int64_t first = 0; first < bytes_; first += page) {
      move(part_without_link(first, ring), part, CU_DEVICE_CPU);
    }
    cuda_check(cudaDeviceSynchronize());
  }

 private:
  // As CUDA 12 declares it; the header of CUDA 13 has only its successor.
  using Move = CUresult(CUdeviceptr memory, std::size_t bytes, CUdevice to, CUstream stream);

  void move(std::int64_t first, std::int64_t bytes, CUdevice to) const {
    require(
        move_(reinterpret_cast<CUdeviceptr>(begin_ + first), static_cast<std::size_t>(bytes), to, nullptr),
        "cuMemPrefetchAsync");
  }

  /// Where a part begins that has none of the ring's links, in the page that begins there.
  static std::int64_t part_without_link(std::int64_t first, const RingShape& ring) {
    while ((first + ring.pitch - 1) / ring.pitch * ring.pitch < first + part) first += part;
    return first;
  }

  std::int64_t bytes_;
  Move* move_ = driver<Move>("cuMemPrefetchAsync");
  void* memory_ = nullptr;
  std::byte* begin_ = nullptr;
};

/// A ring that is given its memory when it is filled, for a description takes no driver.
class SmallPagesProblem final : public WalkProblem {
 public:
  explicit SmallPagesProblem(const RingShape& ring)
      : WalkProblem(ring, DeviceMemory(0), after_a_round(ring), launch_walk<Through::l2>), ring_(ring) {}

  void fill(std::uint64_t seed) override {
    if (managed_.get() == nullptr) managed_ = make_owned<Managed>(ring_);
    lie_at(managed_->data());
    WalkProblem::fill(seed);
    managed_->settle(ring_);
  }

 private:
  RingShape ring_;
  Owned<Managed> managed_;
};
}  // namespace

void weft::register_steps() {
  Variant made = walk_variant("small-pages", Axes().settings().front(), spread_with_gaps,
                              launch_walk<Through::l2>, after_a_round);
  made.kind = Kind::experiment;
  made.checked = {{std::int64_t{1} << 22}, {std::int64_t{1} << 28}};
  made.counted.clear();  // the emulator moves no pages
  made.predict = nullptr;
  for (const std::int64_t mib : {128, 512, 1024, 2048, 3072, 4096, 8192})
    made.measured.push_back({mib << 20});
  made.make = [](const Shape& shape) { return make_owned<SmallPagesProblem>(spread_with_gaps(shape[0])); };
  add(std::move(made));
}
