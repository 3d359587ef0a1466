#include "emulator/execute/doubts.hpp"

namespace weft::emulator {

std::set<Doubt> doubts_of(const Launch& launch, const std::vector<Site>& sites,
                          const std::vector<SiteCount>& counts, std::size_t site) {
  const Site& at = sites[site];
  const SiteCount& count = counts[site];
  const bool guarded = at.guard_site != 0 && counts[at.guard_site - 1].requests != count.requests;
  std::set<Doubt> doubts;
  if (guarded) doubts.insert(Doubt::guards);
  if (count.requests == 0 && count.units == 0) return doubts;
  if (at.doubt) doubts.insert(*at.doubt);
  if (count.beyond_rule) doubts.insert(Doubt::many_lines);
  // Where several warps swap, who is first makes the others try again.
  if (at.counting == Counting::shared_swap && launch.block.count() > lanes) doubts.insert(Doubt::schedule);
  return doubts;
}

}  // namespace weft::emulator
