// The ring of the step tlb at as many addresses, behind which lie the same 32 MiB again and again.
#include "driver_memory.hpp"
#include "spread_ring.hpp"

namespace {
constexpr std::size_t piece_bytes = std::size_t{32} << 20;

/// Addresses of one piece of memory.
class Aliases {
 public:
  explicit Aliases(std::size_t bytes) : bytes_((bytes + piece_bytes - 1) / piece_bytes * piece_bytes) {
    const auto create = driver<decltype(cuMemCreate)>("cuMemCreate");
    if (create == nullptr) unavailable("this needs a GPU whose driver maps memory (cuMemMap)");
    const CUmemAllocationProp wanted = memory_of_device();
    require(create(&piece_, piece_bytes, &wanted, 0), "cuMemCreate");
    require(driver<decltype(cuMemAddressReserve)>("cuMemAddressReserve")(&base_, bytes_, 0, 0, 0),
            "cuMemAddressReserve");
    const auto map = driver<decltype(cuMemMap)>("cuMemMap");
    for (; mapped_ < bytes_; mapped_ += piece_bytes)
      require(map(base_ + mapped_, piece_bytes, 0, piece_, 0), "cuMemMap");
    CUmemAccessDesc access{};
    access.location = wanted.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    require(driver<decltype(cuMemSetAccess)>("cuMemSetAccess")(base_, bytes_, &access, 1), "cuMemSetAccess");
  }
  Aliases(const Aliases&) = delete;
  Aliases& operator=(const Aliases&) = delete;
  ~Aliases() {
    driver<decltype(cuMemUnmap)>("cuMemUnmap")(base_, mapped_);
    driver<decltype(cuMemAddressFree)>("cuMemAddressFree")(base_, bytes_);
    driver<decltype(cuMemRelease)>("cuMemRelease")(piece_);
  }

  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver gives addresses as numbers
  [[nodiscard]] std::byte* data() const { return reinterpret_cast<std::byte*>(base_); }

 private:
  std::size_t bytes_;
  std::size_t mapped_ = 0;
  CUdeviceptr base_ = 0;
  CUmemGenericAllocationHandle piece_ = 0;
};

/// A ring that is given its memory when it is filled, for a description takes no driver.
class AliasedProblem final : public WalkProblem {
 public:
  explicit AliasedProblem(const RingShape& ring)
      : WalkProblem(ring, DeviceMemory(0), after_a_round(ring), launch_walk<Through::l2>),
        bytes_(static_cast<std::size_t>(ring.links * ring.pitch)) {}

  void fill(std::uint64_t seed) override {
    aliases_ = make_owned<Aliases>(bytes_);
    lie_at(aliases_->data());
    WalkProblem::fill(seed);
  }

 private:
  std::size_t bytes_;
  Owned<Aliases> aliases_;
};
}  // namespace

void weft::register_steps() {
  Variant made = walk_variant("aliased-pages", Axes().settings().front(), spread_over,
                              launch_walk<Through::l2>, after_a_round);
  made.kind = Kind::experiment;
  made.checked = {{1 << 16}, {std::int64_t{1} << 32}};
  made.counted.clear();  // the emulator maps no memory
  made.predict = nullptr;
  for (const std::int64_t gib : {1, 16, 64, 72, 96, 128, 192, 256, 320, 384, 512, 1024})
    made.measured.push_back({gib << 30});
  made.make = [](const Shape& shape) { return make_owned<AliasedProblem>(spread_over(shape[0])); };
  add(std::move(made));
}
