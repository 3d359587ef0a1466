#include "emulator/ptxas/prediction.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <ranges>
#include <tuple>

namespace weft::emulator {
namespace {

constexpr int widest_bytes = 16;  // of an access

/// Accesses among which neighbours are joined.
using Group = std::vector<const PtxAccess*>;

/// Accesses with the same of this may be joined: what they do, where, from what, and how wide their elements
/// are.
using Key = std::tuple<MachineOperation, std::uint32_t, std::uint32_t, AddressRoot::Kind, std::uint32_t,
                       std::string_view, int>;

Key key_of(const PtxAccess& access) {
  const AddressRoot& root = access.address.root;
  return {access.operation, access.stretch, access.phase,        root.kind,
          root.index,       root.name,      access.element_bytes};
}

bool is_candidate(const PtxAccess& access) {
  using enum MachineOperation;
  return (access.operation == load_shared || access.operation == store_shared) && access.may_join &&
         access.element_bytes > 1 && access.bytes < widest_bytes;
}

int power_of(int bytes) { return std::countr_zero(static_cast<unsigned>(bytes)); }

/// Where an access lies: the start of the piece of so many bytes.
std::int64_t start_of(const PtxAccess& access, int bytes) {
  return access.address.offset & -std::int64_t{bytes};
}

/// Whether no other one of the group comes between these.
bool follow_each_other(const Group& members, const Group& group) {
  const auto first = std::ranges::find(group, members.front());
  return std::ranges::equal(members, std::ranges::subrange(first, group.end()) |
                                         std::views::take(static_cast<std::ptrdiff_t>(members.size())));
}

/// Takes those out of a group that lie in one piece of memory, if enough of it is wanted.
bool take_piece(Group& group, int bytes, std::vector<Joined>& joined) {
  std::map<std::int64_t, Group> pieces;
  for (const PtxAccess* const access : group) pieces[start_of(*access, bytes)].push_back(access);
  for (auto& [start, members] : pieces) {
    std::uint32_t wanted = 0;  // a bit for each byte
    for (const PtxAccess* const member : members)
      wanted |= ((1U << member->bytes) - 1) << (member->address.offset - start);
    const int count = std::popcount(wanted);
    const int most = members.front()->element_bytes * 4;
    const bool load = members.front()->operation == MachineOperation::load_shared;
    const bool enough = count == bytes || (load && bytes == most && count * 4 == bytes * 3);
    if (members.size() < 2 || !enough || (!load && !follow_each_other(members, group))) continue;
    std::erase_if(group, [&, at = start](const PtxAccess* access) { return start_of(*access, bytes) == at; });
    joined.push_back({std::move(members), bytes, start, false});
    return true;
  }
  return false;
}

/// An element or two per turn of a loop, right behind those of the turn before.
bool take_turns(Group& group, const AddressForms& forms, std::vector<Joined>& joined) {
  const PtxAccess& first = *group.front();
  const AddressForms::Stride stride = forms.stride(first.address.root);
  const int bytes = std::min(widest_bytes, first.element_bytes * 4);
  const bool small = stride.step > 0 && stride.step < bytes && bytes % stride.step == 0;
  if (first.loop == 0 || !small || stride.alignment < power_of(bytes)) return false;
  const auto step = static_cast<int>(stride.step);
  std::map<std::int64_t, Group> pieces;
  for (const PtxAccess* const access : group) pieces[start_of(*access, step)].push_back(access);
  for (auto& [start, members] : pieces) joined.push_back({std::move(members), bytes, start, true});
  group.clear();
  return true;
}

void join_group(Group group, const AddressForms& forms, bool across_turns, std::vector<Joined>& joined) {
  if (across_turns && take_turns(group, forms, joined)) return;
  const int element = group.front()->element_bytes;
  const int alignment = forms.alignment(group.front()->address.root);
  for (int bytes = std::min(widest_bytes, element * 4); bytes > element; bytes /= 2) {
    if (alignment < power_of(bytes)) continue;
    while (!group.empty() && take_piece(group, bytes, joined)) {
    }
  }
  for (const PtxAccess* const access : group)
    joined.push_back({{access}, access->bytes, access->address.offset, false});
}

}  // namespace

std::vector<Joined> join_neighbours(const std::vector<PtxAccess>& accesses, const AddressForms& forms,
                                    bool across_turns) {
  std::vector<Joined> joined;
  std::map<Key, Group> groups;
  for (const PtxAccess& access : accesses) {
    if (is_candidate(access)) {
      groups[key_of(access)].push_back(&access);
    } else {
      joined.push_back({{&access}, access.bytes, access.address.offset, false});
    }
  }
  for (auto& [key, group] : groups) join_group(std::move(group), forms, across_turns, joined);
  return joined;
}

}  // namespace weft::emulator
