#pragma once

/// @file
/// Names inside a function. PTX's braces open scopes, in which a name may mean something else.

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace weft::emulator::ptx {

/// What a name inside a function stands for.
struct Meaning {
  enum class Kind : std::uint8_t { reg, variable, label, targets };
  Kind kind;
  std::uint32_t index;
};

/// All scopes of one function, open and closed: labels are used before they are defined.
class Scopes {
 public:
  Scopes() { open(); }

  void open() {
    scopes_.push_back({current_, {}, {}});
    current_ = static_cast<int>(scopes_.size()) - 1;
  }
  void close() { current_ = scopes_[current_].parent; }

  [[nodiscard]] int current() const { return current_; }
  [[nodiscard]] bool outermost() const { return current_ == 0; }

  void define(std::string_view name, Meaning meaning) { scopes_[current_].names[name] = meaning; }

  /// Defines `prefix0` to `prefix<count-1>`, whose indices start at `first`.
  void define_range(std::string_view prefix, std::uint32_t count, std::uint32_t first) {
    scopes_[current_].ranges.push_back({prefix, count, first});
  }

  /// @param scope where the name is used
  [[nodiscard]] std::optional<Meaning> find(std::string_view name, int scope) const;

 private:
  struct Range {
    std::string_view prefix;
    std::uint32_t count, first;
  };
  struct Scope {
    int parent;
    std::map<std::string_view, Meaning> names;
    std::vector<Range> ranges;
  };

  std::vector<Scope> scopes_;
  int current_ = -1;
};

}  // namespace weft::emulator::ptx
