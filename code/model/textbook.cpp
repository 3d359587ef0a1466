// `model textbook` reads questions about the textbook's DRAM, a list of {"ask": "share", "banks": 2, …}, and
// writes an answer to each, as a list. What a question does not say is as in source 003.

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/answers.hpp"
#include "model/bus.hpp"
#include "model/interleaving.hpp"
#include "model/tiled_product.hpp"

namespace weft::on_textbook {

using namespace model;
using answers::Json;

constexpr std::int64_t float_bytes = 4;

/// A number of a question.
std::int64_t said(const Json& question, const char* name, std::int64_t otherwise) {
  const std::int64_t number = question.value(name, otherwise);
  if (number < 0) throw std::invalid_argument(std::string(name) + " is negative");
  return number;
}

std::int64_t positive(const Json& question, const char* name, std::int64_t otherwise) {
  const std::int64_t number = said(question, name, otherwise);
  if (number == 0) throw std::invalid_argument(std::string(name) + " is zero");
  return number;
}

Bus bus(const Json& q) {
  return {positive(q, "bits", 64), positive(q, "hertz", 1'000'000'000), positive(q, "transfers", 2)};
}

BurstTiming timing(const Json& q) { return {said(q, "latency", 20), positive(q, "transfer", 1)}; }

Interleaving interleaving(const Json& q) {
  return {positive(q, "burst_bytes", 8), positive(q, "channels", 4), positive(q, "banks", 2), Turn::channel};
}

TiledProduct product(const Json& q) {
  const TiledProduct made{positive(q, "width", 4), positive(q, "tile", 2)};
  if (made.width % made.tile != 0) throw std::invalid_argument("the width is a multiple of the tile");
  return made;
}

Json value(double number, const char* unit) { return {{"value", number}, {"unit", unit}}; }
Json count(std::int64_t number) { return value(static_cast<double>(number), "count"); }

Json placed(const Json& q, std::int64_t element) {
  const BankPlace place = interleaving(q).place(element * float_bytes);
  return {{"element", element}, {"channel", place.channel}, {"bank", place.bank}};
}

/// Neighbouring bursts in turns of channels, then of banks, asked for as fast as all buses could carry them.
Json timeline(const Json& q) {
  const Interleaving neighbours{1, positive(q, "channels", 1), positive(q, "banks", 1), Turn::channel};
  std::vector<Burst> bursts(static_cast<std::size_t>(positive(q, "accesses", 2)));
  for (std::int64_t access = 0; Burst& burst : bursts) {
    const BankPlace place = neighbours.place(access);
    burst = {place.channel, place.bank, access / neighbours.channels * timing(q).transfer};
    ++access;
  }
  schedule(timing(q), bursts);
  Json answer = Json::array();
  for (const Burst& burst : bursts) {
    answer.push_back({{"channel", burst.channel},
                      {"bank", burst.bank},
                      {"begin", burst.begin},
                      {"moved", burst.moved},
                      {"end", burst.end}});
  }
  return answer;
}

/// The elements that a block loads of M or of N in a phase, in the order of its threads, and where they lie.
Json loaded(const Json& q, bool of_n, std::int64_t block, std::int64_t phase) {
  const TiledProduct made = product(q);
  Json elements = Json::array();
  for (std::int64_t y = 0; y < made.tile; ++y) {
    for (std::int64_t x = 0; x < made.tile; ++x) {
      elements.push_back(placed(q, of_n ? made.of_n(block, phase, y, x) : made.of_m(block, phase, y, x)));
    }
  }
  return elements;
}

bool of_n(const Json& q) {
  const std::string matrix = q.value("matrix", "m");
  if (matrix != "m" && matrix != "n") throw std::invalid_argument("the matrix is m or n");
  return matrix == "n";
}

/// What all blocks load of a matrix in each phase: phases of rows of blocks, or of columns of them, of
/// elements.
Json phases(const Json& q) {
  Json all = Json::array();
  for (std::int64_t phase = 0; phase < product(q).phases(); ++phase) {
    Json& blocks = all.emplace_back(Json::array());
    for (std::int64_t block = 0; block < product(q).phases(); ++block) {
      blocks.push_back(loaded(q, of_n(q), block, phase));
    }
  }
  return all;
}

/// How many channels, or banks of all channels, a phase's loads of a matrix touch.
Json touched(const Json& q, bool banks) {
  const std::int64_t phase = said(q, "phase", 0);
  if (phase >= product(q).phases()) throw std::invalid_argument("the product has no such phase");
  const Json blocks = phases(q)[static_cast<std::size_t>(phase)];
  std::set<std::pair<std::int64_t, std::int64_t>> found;
  for (const Json& elements : blocks) {
    for (const Json& one : elements)
      found.emplace(one["channel"], banks ? one["bank"].get<std::int64_t>() : 0);
  }
  return count(static_cast<std::int64_t>(found.size()));
}

/// How many channels so many floats meet that lie a stride apart.
Json met_channels(const Json& q) {
  std::set<std::int64_t> found;
  for (std::int64_t step = 0; step < positive(q, "steps", 32); ++step) {
    found.insert(interleaving(q).place(step * said(q, "stride", 1) * float_bytes).channel);
  }
  return count(static_cast<std::int64_t>(found.size()));
}

using Answer = Json (*)(const Json&);

const std::map<std::string, Answer>& answers() {
  static const std::map<std::string, Answer> all{
      {"bandwidth", [](const Json& q) { return value(static_cast<double>(bus(q).bandwidth()), "B/s"); }},
      {"channels",
       [](const Json& q) { return count(bus(q).channels_for(positive(q, "bandwidth", 256'000'000'000))); }},
      {"share",
       [](const Json& q) { return value(share_of_bus(timing(q), said(q, "banks", 1)).value(), "share"); }},
      {"busy-bandwidth",
       [](const Json& q) {
         const Share share = share_of_bus(timing(q), said(q, "banks", 1));
         return value(share.value() * static_cast<double>(bus(q).bandwidth()), "B/s");
       }},
      {"banks", [](const Json& q) { return count(banks_that_fill(timing(q))); }},
      {"different-banks",
       [](const Json& q) {
         return value(different_banks(positive(q, "banks", 21), said(q, "accesses", 21)), "average");
       }},
      {"bytes-in-all-banks", [](const Json& q) { return count(interleaving(q).bytes_in_all_banks()); }},
      {"channel", [](const Json& q) { return count(placed(q, said(q, "element", 0))["channel"]); }},
      {"bank", [](const Json& q) { return count(placed(q, said(q, "element", 0))["bank"]); }},
      {"met-channels", met_channels},
      {"touched-channels", [](const Json& q) { return touched(q, false); }},
      {"touched-banks", [](const Json& q) { return touched(q, true); }},
      {"timeline", timeline},
      {"phases", phases},
  };
  return all;
}

Json answer(const Json& question) {
  const std::string ask = question.at("ask");
  const auto found = answers().find(ask);
  if (found == answers().end()) throw std::invalid_argument("nobody can answer " + ask);
  return found->second(question);
}

}  // namespace weft::on_textbook

weft::answers::Json weft::answers::textbook(const Json& questions) {
  Json all = Json::array();
  for (const Json& question : questions) all.push_back(on_textbook::answer(question));
  return all;
}
