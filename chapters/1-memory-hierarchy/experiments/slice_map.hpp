#pragma once

/// @file
/// What the latencies of lines from every multiprocessor tell of the slices of the L2.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

#include "model/list.hpp"

namespace weft {

inline constexpr int visits_of_chain = 8;

/// Latencies as they were measured: of each multiprocessor those of all lines by loads, and then by atomics,
/// each of a chain of so many visits; and of each line the first line that shares its slices.
struct Visited {
  std::int64_t multiprocessors, lines;
  Numbers cycles, first_of_group;

  [[nodiscard]] double load(std::int64_t multiprocessor, std::int64_t line) const {
    return static_cast<double>(cycles[2 * multiprocessor * lines + line]) / visits_of_chain;
  }
  [[nodiscard]] double atomic(std::int64_t multiprocessor, std::int64_t line) const {
    return static_cast<double>(cycles[(2 * multiprocessor + 1) * lines + line]) / visits_of_chain;
  }
};

/// The root of the mean of squares, and the ends, of what is added.
struct Tally {
  double squares = 0, sum = 0, least = 0, most = 0;
  std::int64_t count = 0;

  void add(double value) {
    least = count == 0 ? value : std::min(least, value);
    most = count == 0 ? value : std::max(most, value);
    squares += value * value;
    sum += value;
    ++count;
  }
  [[nodiscard]] double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
  [[nodiscard]] double root() const {
    return count == 0 ? 0 : std::sqrt(squares / static_cast<double>(count));
  }
};

/// The map of multiprocessors and slices. A group has a slice in each half; a multiprocessor's latency of a
/// group is that of the slice in its own half.
struct SliceMap {
  /// Of two groups whose slices lie side by side, the latencies from all multiprocessors differ by less once
  /// their means are taken off.
  static constexpr double cycles_of_block = 2.5;

  std::int64_t groups = 0;
  std::vector<int> half;                     ///< of each multiprocessor
  std::vector<int> side;                     ///< of each multiprocessor, in its half
  std::vector<int> block;                    ///< of each group
  std::vector<std::vector<double>> latency;  ///< of each multiprocessor: of each group, by loads
  std::int64_t contradictions = 0;           ///< visits that are near, but not if the line's home is right
  std::int64_t disputed = 0;                 ///< groups that lie on the other side, seen from the other half
  Tally in_slice;                            ///< loads of a line, beyond the mean of its slice
  Tally in_half;                             ///< loads of a line at home, beyond the multiprocessor's mean
  Tally copies;                              ///< how much longer a load of a copy takes, by slice
  Tally crossings;                           ///< how much longer an atomic takes if the home is far, by slice
  Tally in_crossing;                         ///< that of a multiprocessor, beyond the mean of the slice
  Tally own_side, other_side, all_of_map;

  explicit SliceMap(const Visited& visited) : SliceMap() {
    tell_halves(visited);
    if (home_.empty()) return;
    add_groups(visited);
    tell_sides();
    tell_blocks();
  }

  [[nodiscard]] std::vector<std::int64_t> groups_of_blocks() const {
    std::vector<std::int64_t> counts;
    for (const int one : block) {
      if (static_cast<std::size_t>(one) >= counts.size()) counts.resize(static_cast<std::size_t>(one) + 1);
      ++counts[static_cast<std::size_t>(one)];
    }
    return counts;
  }

 private:
  SliceMap() = default;

  /// An atomic is done at home: those of a multiprocessor fall into two heaps.
  void tell_halves(const Visited& visited) {
    Tally all;
    for (std::int64_t one = 0; one < visited.multiprocessors; ++one) {
      for (std::int64_t line = 0; line < visited.lines; ++line) all.add(visited.atomic(one, line));
    }
    const double middle = (all.least + all.most) / 2;
    const auto near = [&](std::int64_t one, std::int64_t line) { return visited.atomic(one, line) < middle; };
    for (std::int64_t line = 0; line < visited.lines; ++line) home_.push_back(near(0, line) ? 0 : 1);
    for (std::int64_t one = 0; one < visited.multiprocessors; ++one) {
      half.push_back(near(one, 0) == near(0, 0) ? 0 : 1);
      for (std::int64_t line = 0; line < visited.lines; ++line) {
        if (near(one, line) != (home_[index(line)] == half.back())) ++contradictions;
      }
    }
  }

  /// Groups without a line in one of the halves are left out.
  void add_groups(const Visited& visited) {
    std::map<std::int64_t, std::array<std::vector<std::int64_t>, 2>> lines;
    for (std::int64_t line = 0; line < visited.lines; ++line) {
      lines[visited.first_of_group[index(line)]][index(home_[index(line)])].push_back(line);
    }
    latency.resize(half.size());
    for (const auto& [first, by_home] : lines) {
      if (by_home[0].empty() || by_home[1].empty()) continue;
      ++groups;
      std::array<Tally, 2> copied;
      std::array<std::vector<double>, 2> across;
      for (std::size_t one = 0; one < half.size(); ++one) {
        const auto multiprocessor = static_cast<std::int64_t>(one);
        const std::size_t here = index(half[one]);
        std::array<Tally, 2> loads, atomics;
        for (std::size_t home = 0; home < 2; ++home) {
          for (const std::int64_t line : by_home[home]) {
            loads[home].add(visited.load(multiprocessor, line));
            atomics[home].add(visited.atomic(multiprocessor, line));
          }
          for (const std::int64_t line : by_home[home]) {
            in_slice.add(visited.load(multiprocessor, line) - loads[home].mean());
          }
        }
        latency[one].push_back(loads[here].mean());
        all_of_map.add(loads[here].mean());
        copied[here].add(loads[1 - here].mean() - loads[here].mean());
        across[here].push_back(atomics[1 - here].mean() - atomics[here].mean());
      }
      for (std::size_t here = 0; here < 2; ++here) {
        Tally crossing;
        for (const double cycles : across[here]) crossing.add(cycles);
        for (const double cycles : across[here]) in_crossing.add(cycles - crossing.mean());
        crossings.add(crossing.mean());
        copies.add(copied[here].mean());
      }
    }
    for (const std::vector<double>& row : latency) {
      for (const double cycles : row) in_half.add(cycles - mean(row));
    }
  }

  /// The multiprocessors of a half fall into two sides: for each side other groups are nearer than on
  /// average. Side 0 is the one that group 0 is near to.
  void tell_sides() {
    side.resize(half.size());
    if (groups == 0) return;
    std::array<std::vector<bool>, 2> nearer;  // groups to side 0, seen from either half
    for (const int here : {0, 1}) {
      const std::vector<double> middle = mean_of(here, [](std::size_t) { return true; });
      std::vector<double> reference;
      for (std::size_t one = 0; one < half.size(); ++one) {
        if (half[one] != here) continue;
        std::vector<double> row(latency[one]);
        const double beyond = mean(row) - mean(middle);
        for (std::size_t group = 0; group < row.size(); ++group) row[group] -= middle[group] + beyond;
        if (reference.empty()) reference = row;
        side[one] = std::inner_product(row.begin(), row.end(), reference.begin(), 0.) > 0 ? 0 : 1;
      }
      const auto first = mean_of(here, [&](std::size_t one) { return side[one] == 0; });
      const auto second = mean_of(here, [&](std::size_t one) { return side[one] == 1; });
      const bool swapped = first[0] > second[0];
      for (std::size_t group = 0; group < first.size(); ++group) {
        nearer[index(here)].push_back((first[group] < second[group]) != swapped);
      }
      for (std::size_t one = 0; one < half.size(); ++one) {
        if (half[one] != here) continue;
        if (swapped) side[one] = 1 - side[one];
        for (std::size_t group = 0; group < first.size(); ++group) {
          const bool own = nearer[index(here)][group] == (side[one] == 0);
          (own ? own_side : other_side).add(latency[one][group]);
        }
      }
    }
    for (std::size_t group = 0; group < nearer[0].size(); ++group) {
      if (nearer[0][group] != nearer[1][group]) ++disputed;
    }
    near_side_ = nearer[0];
  }

  /// Groups of one block lie side by side in both halves. Those that are near to side 0 have the first
  /// numbers.
  void tell_blocks() {
    block.assign(static_cast<std::size_t>(groups), -1);
    int blocks = 0;
    for (const bool first_side : {true, false}) {
      for (std::size_t group = 0; group < block.size(); ++group) {
        if (near_side_[group] != first_side || block[group] >= 0) continue;
        std::vector<std::size_t> waiting{group};
        block[group] = blocks;
        while (!waiting.empty()) {
          const std::size_t one = waiting.back();
          waiting.pop_back();
          for (std::size_t other = 0; other < block.size(); ++other) {
            if (block[other] >= 0 || distance(one, other) > cycles_of_block) continue;
            block[other] = blocks;
            waiting.push_back(other);
          }
        }
        ++blocks;
      }
    }
  }

  /// How much the latencies of two groups differ beyond a constant in each half.
  [[nodiscard]] double distance(std::size_t one, std::size_t other) const {
    std::array<Tally, 2> differences;
    for (std::size_t i = 0; i < half.size(); ++i) {
      differences[index(half[i])].add(latency[i][one] - latency[i][other]);
    }
    Tally all;
    for (std::size_t i = 0; i < half.size(); ++i) {
      all.add(latency[i][one] - latency[i][other] - differences[index(half[i])].mean());
    }
    return all.root();
  }

  /// The mean latency of each group from some multiprocessors of a half.
  template <typename Chosen>
  [[nodiscard]] std::vector<double> mean_of(int here, const Chosen& chosen) const {
    std::vector<Tally> means(static_cast<std::size_t>(groups));
    for (std::size_t one = 0; one < half.size(); ++one) {
      if (half[one] != here || !chosen(one)) continue;
      for (std::size_t group = 0; group < means.size(); ++group) means[group].add(latency[one][group]);
    }
    std::vector<double> found;
    found.reserve(means.size());
    for (const Tally& tally : means) found.push_back(tally.mean());
    return found;
  }

  static double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.) / static_cast<double>(values.size());
  }

  template <typename Number>
  static std::size_t index(Number number) {
    return static_cast<std::size_t>(number);
  }

  std::vector<int> home_;        ///< of each line
  std::vector<bool> near_side_;  ///< of each group: whether side 0 is the nearer one
};

}  // namespace weft
