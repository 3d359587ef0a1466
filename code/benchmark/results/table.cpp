#include "benchmark/results/table.hpp"

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

namespace weft {
namespace {

/// What a launch does in a second, of what it is rated by.
double rate(const Json& measurement) {
  const Json& amounts = measurement.at("amounts");
  return amounts.at(measurement.at("rated_by").get<std::string>()).get<double>() /
         measurement.at("seconds").at("median").get<double>();
}

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

/// The rate as it is known: 4000 GB/s; of accesses that wait for one another, the time of one.
std::string rate_text(const Json& measurement) {
  const std::string by = measurement.at("rated_by");
  if (by == "accesses") return fixed(1e9 / rate(measurement), 1) + " ns each";
  const std::map<std::string, const char*> units{
      {"bytes", " GB/s"}, {"operations", " GFLOP/s"}, {"elements", " G/s"}};
  return fixed(rate(measurement) * 1e-9, 0) + units.at(by);
}

/// What measurements can be compared by: the shape, and what they are rated by.
std::string scale(const Json& measurement) {
  return measurement.at("rated_by").get<std::string>() + ' ' + shape_text(measurement.at("shape"));
}

using Row = std::vector<std::string>;

/// Columns as wide as their widest cell; text to the left, numbers to the right.
std::string align(const std::vector<Row>& rows, std::size_t text_columns) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string table;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string space(widths[column] - row[column].size(), ' ');
      if (column > 0) line += "  ";
      line += column < text_columns ? row[column] + space : space + row[column];
    }
    table += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return table;
}

}  // namespace

std::string format_table(const std::vector<Json>& measurements) {
  std::map<std::string, double> ceilings;
  for (const Json& measurement : measurements) {
    if (measurement.at("kind") != "ceiling") continue;
    double& highest = ceilings[scale(measurement)];
    highest = std::max(highest, rate(measurement));
  }
  std::vector<Row> rows{
      {"step", "kind", "parameters", "shape", "time/us", "5%", "95%", "rate", "of ceiling"}};
  for (const Json& measurement : measurements) {
    const Json& seconds = measurement.at("seconds");
    const auto ceiling = ceilings.find(scale(measurement));
    rows.push_back(
        {measurement.at("step"), measurement.at("kind"), parameters_text(measurement.at("parameters")),
         shape_text(measurement.at("shape")), fixed(seconds.at("median").get<double>() * 1e6, 1),
         fixed(seconds.at("low").get<double>() * 1e6, 1), fixed(seconds.at("high").get<double>() * 1e6, 1),
         rate_text(measurement),
         ceiling == ceilings.end() ? "" : fixed(100 * rate(measurement) / ceiling->second, 1) + " %"});
  }
  constexpr std::size_t text_columns = 4;
  return align(rows, text_columns);
}

}  // namespace weft
