#include "emulator/operation/table.hpp"

namespace weft::emulator {

void Table::add(std::initializer_list<const char*> parts_of_name, Handler run,
                std::initializer_list<ptx::Type> types) {
  std::string name;
  for (const char* const part : parts_of_name) name += part;
  entries_.insert_or_assign(std::move(name), Entry{.run = run, .types = types});
}

const Entry* Table::find(std::string_view name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace weft::emulator
