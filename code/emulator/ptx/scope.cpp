#include "emulator/ptx/scope.hpp"

#include <charconv>

namespace weft::emulator::ptx {

std::optional<Meaning> Scopes::find(std::string_view name, int scope) const {
  for (; scope >= 0; scope = scopes_[scope].parent) {
    const auto found = scopes_[scope].names.find(name);
    if (found != scopes_[scope].names.end()) return found->second;
    for (const auto& [prefix, count, first] : scopes_[scope].ranges) {
      if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
      std::uint32_t number = 0;
      const char* const last = name.data() + name.size();
      const auto [end, error] = std::from_chars(name.data() + prefix.size(), last, number);
      if (error == std::errc() && end == last && number < count)
        return Meaning{Meaning::Kind::reg, first + number};
    }
  }
  return std::nullopt;
}

}  // namespace weft::emulator::ptx
