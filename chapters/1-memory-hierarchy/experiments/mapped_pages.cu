// The ring of the step tlb in memory that the program maps itself: each 2 MiB are a piece of their own, or
// all of it may be compressed.
#include "check/pattern.hpp"
#include "driver_memory.hpp"
#include "spread_ring.hpp"

namespace {
enum class Mapped : std::uint8_t {
  in_pieces,    ///< of the least size that the driver offers, in no order
  compressible  ///< one piece, which the GPU may compress
};

CUmemAllocationProp wanted(Mapped how) {
  CUmemAllocationProp wanted = memory_of_device();
  if (how == Mapped::compressible) wanted.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
  return wanted;
}

std::size_t granularity(Mapped how, CUmemAllocationGranularity_flags which) {
  const auto ask = driver<decltype(cuMemGetAllocationGranularity)>("cuMemGetAllocationGranularity");
  if (ask == nullptr) unavailable("this needs a GPU whose driver maps memory (cuMemMap)");
  const CUmemAllocationProp memory = wanted(how);
  std::size_t bytes = 0;
  require(ask(&bytes, &memory, which), "cuMemGetAllocationGranularity");
  return bytes;
}

class Pieces {
 public:
  Pieces(std::size_t bytes, Mapped how) {
    const std::size_t least = granularity(how, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    bytes_ = (bytes + least - 1) / least * least;
    piece_bytes_ = how == Mapped::in_pieces ? least : bytes_;
    require(driver<decltype(cuMemAddressReserve)>("cuMemAddressReserve")(&base_, bytes_, 0, 0, 0),
            "cuMemAddressReserve");
    const auto create = driver<decltype(cuMemCreate)>("cuMemCreate");
    const auto map = driver<decltype(cuMemMap)>("cuMemMap");
    const CUmemAllocationProp memory = wanted(how);
    const auto count = static_cast<std::int64_t>(bytes_ / piece_bytes_);
    const Permutation order(count);
    for (std::int64_t i = 0; i < count; ++i) {
      CUmemGenericAllocationHandle piece = 0;
      const CUresult created = create(&piece, piece_bytes_, &memory, 0);
      if (created == CUDA_ERROR_OUT_OF_MEMORY) {
        release();
        unavailable("this needs a GPU with more memory");
      }
      require(created, "cuMemCreate");
      pieces_.push_back(piece);
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const CUdeviceptr place = base_ + static_cast<std::size_t>(i) * piece_bytes_;
      require(map(place, piece_bytes_, 0, pieces_[static_cast<std::size_t>(order(i))], 0), "cuMemMap");
    }
    mapped_ = true;
    CUmemAccessDesc access{};
    access.location = memory.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    require(driver<decltype(cuMemSetAccess)>("cuMemSetAccess")(base_, bytes_, &access, 1), "cuMemSetAccess");
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;
  ~Pieces() { release(); }

  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver gives addresses as numbers
  [[nodiscard]] std::byte* data() const { return reinterpret_cast<std::byte*>(base_); }

 private:
  void release() {
    if (mapped_) driver<decltype(cuMemUnmap)>("cuMemUnmap")(base_, bytes_);
    for (const CUmemGenericAllocationHandle piece : pieces_)
      driver<decltype(cuMemRelease)>("cuMemRelease")(piece);
    driver<decltype(cuMemAddressFree)>("cuMemAddressFree")(base_, bytes_);
  }

  std::size_t bytes_ = 0, piece_bytes_ = 0;
  CUdeviceptr base_ = 0;
  List<CUmemGenericAllocationHandle> pieces_;
  bool mapped_ = false;
};

/// A ring that is given its memory when it is filled, for a description takes no driver.
class MappedProblem final : public WalkProblem {
 public:
  MappedProblem(const RingShape& ring, Mapped how)
      : WalkProblem(ring, DeviceMemory(0), after_a_round(ring), launch_walk<Through::l2>),
        bytes_(static_cast<std::size_t>(ring.links * ring.pitch)),
        how_(how) {}

  void fill(std::uint64_t seed) override {
    if (pieces_.get() == nullptr) pieces_ = make_owned<Pieces>(bytes_, how_);
    lie_at(pieces_->data());
    WalkProblem::fill(seed);
  }

 private:
  std::size_t bytes_;
  Mapped how_;
  Owned<Pieces> pieces_;
};
}  // namespace

void weft::register_steps() {
  for (const Setting& setting : Axes().with("compressible", {0, 1}).settings()) {
    const auto how = static_cast<Mapped>(setting.number());
    Variant made =
        walk_variant("mapped-pages", setting, spread_over, launch_walk<Through::l2>, after_a_round);
    made.kind = Kind::experiment;
    made.checked = {{1 << 16}, {std::int64_t{1} << 30}};
    made.counted.clear();  // the emulator maps no memory
    made.predict = nullptr;
    const Numbers sizes = how == Mapped::in_pieces ? Numbers{1, 8, 64, 72} : Numbers{1, 2, 4, 8, 16, 64};
    for (const std::int64_t gib : sizes) made.measured.push_back({gib << 30});
    made.make = [=](const Shape& shape) { return make_owned<MappedProblem>(spread_over(shape[0]), how); };
    const auto bytes = [=](CUmemAllocationGranularity_flags which) {
      return [=](Problem&) { return static_cast<double>(granularity(how, which)); };
    };
    made.quantities.push_back(
        {"least-bytes", "bytes", Origin::device, bytes(CU_MEM_ALLOC_GRANULARITY_MINIMUM)});
    made.quantities.push_back(
        {"recommended-bytes", "bytes", Origin::device, bytes(CU_MEM_ALLOC_GRANULARITY_RECOMMENDED)});
    add(std::move(made));
  }
}
