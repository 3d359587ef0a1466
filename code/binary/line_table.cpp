#include "binary/line_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "binary/bytes.hpp"

namespace weft {
namespace {

/// Reads a line table's bytes one after the other.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  [[nodiscard]] bool at_end() const { return at_ >= bytes_.size(); }
  [[nodiscard]] std::uint64_t at() const { return at_; }
  void skip(std::uint64_t size) {
    part_of(bytes_, at_, size);
    at_ += size;
  }

  template <class T>
  T next() {
    const T value = read_at<T>(bytes_, at_);
    at_ += sizeof(T);
    return value;
  }

  /// A number of any length, seven bits per byte.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = next<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  std::int64_t signed_number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const auto byte = next<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      shift += 7;
      if (byte >= 0x80) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
      return static_cast<std::int64_t>(value);
    }
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint64_t at_ = 0;
};

struct UnitHeader {
  std::uint8_t minimum_instruction;
  std::uint8_t default_is_statement;
  std::int8_t line_base;
  std::uint8_t line_range;
  std::uint8_t opcode_base;
};

/// Opcodes of the program that makes a table.
enum LineOpcode : std::uint8_t {
  extended = 0,
  copy = 1,
  advance_address = 2,
  advance_line = 3,
  add_const_address = 8,
  fixed_advance_address = 9,
};
enum ExtendedOpcode : std::uint8_t { end_sequence = 1, set_address = 2 };

/// Runs the programs of one unit.
class Unit {
 public:
  Unit(std::span<const std::byte> bytes, std::uint64_t place) : reader_(bytes), place_(place) {
    reader_.skip(2);  // the version
    const auto header_bytes = reader_.next<std::uint32_t>();
    const std::uint64_t program = reader_.at() + header_bytes;
    header_ = reader_.next<UnitHeader>();
    if (header_.line_range == 0 || header_.opcode_base == 0)
      throw std::runtime_error("a cubin's line table is damaged");
    for (unsigned i = 1; i < header_.opcode_base; ++i)
      operand_counts_.push_back(reader_.next<std::uint8_t>());
    if (program < reader_.at()) throw std::runtime_error("a cubin's line table is damaged");
    reader_.skip(program - reader_.at());  // names of files
  }

  std::vector<LineSequence> run() {
    while (!reader_.at_end()) step();
    return std::move(sequences_);
  }

 private:
  void step() {
    const auto opcode = reader_.next<std::uint8_t>();
    if (opcode >= header_.opcode_base) {
      advance(opcode - header_.opcode_base);
      line_ += header_.line_base + (opcode - header_.opcode_base) % header_.line_range;
      add_row();
      return;
    }
    switch (opcode) {
      case extended:
        step_extended();
        break;
      case copy:
        add_row();
        break;
      case advance_address:
        address_ += reader_.number() * header_.minimum_instruction;
        break;
      case advance_line:
        line_ += reader_.signed_number();
        break;
      case add_const_address:
        advance(255 - header_.opcode_base);
        break;
      case fixed_advance_address:
        address_ += reader_.next<std::uint16_t>();
        break;
      default:
        for (unsigned i = 0; i < operand_counts_[opcode - 1U]; ++i) reader_.number();
    }
  }

  void step_extended() {
    const std::uint64_t size = reader_.number();
    if (size == 0) return;
    const auto opcode = reader_.next<std::uint8_t>();
    if (opcode == set_address && size == 9) {
      sequence_.place = place_ + reader_.at();
      address_ = reader_.next<std::uint64_t>();
      return;
    }
    if (opcode == end_sequence) {
      std::ranges::stable_sort(sequence_.rows, {}, &LineRow::address);
      sequences_.push_back(std::exchange(sequence_, {}));
      address_ = 0;
      line_ = 1;
    }
    reader_.skip(size - 1);
  }

  void advance(int steps) {
    address_ += static_cast<std::uint64_t>(steps / header_.line_range) * header_.minimum_instruction;
  }

  void add_row() { sequence_.rows.push_back({address_, static_cast<std::uint32_t>(line_)}); }

  Reader reader_;
  std::uint64_t place_;
  UnitHeader header_{};
  std::vector<std::uint8_t> operand_counts_;
  std::uint64_t address_ = 0;
  std::int64_t line_ = 1;
  LineSequence sequence_;
  std::vector<LineSequence> sequences_;
};

}  // namespace

std::vector<LineSequence> read_line_table(std::span<const std::byte> bytes) {
  std::vector<LineSequence> sequences;
  for (std::uint64_t at = 0; at < bytes.size();) {
    const auto size = read_at<std::uint32_t>(bytes, at);
    at += sizeof size;
    for (LineSequence& sequence : Unit(part_of(bytes, at, size), at).run())
      sequences.push_back(std::move(sequence));
    at += size;
  }
  return sequences;
}

std::uint32_t line_at(const std::vector<LineRow>& rows, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(rows, address, {}, &LineRow::address);
  return after == rows.begin() ? 0 : std::prev(after)->line;
}

}  // namespace weft
