#include "benchmark/table.hpp"

#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

namespace weft {
namespace {

/// Whether the ceilings do operations: then all is rated by those, else by bytes.
bool rated_by_operations(const std::vector<Json>& measurements) {
  return std::ranges::any_of(measurements, [](const Json& measurement) {
    return measurement.at("kind") == "ceiling" && measurement.value("flops", 0.0) > 0;
  });
}

std::string fixed(double value, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
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
  const bool operations = rated_by_operations(measurements);
  const auto rating = [&](const Json& measurement) {
    const double work = operations ? measurement.value("flops", 0.0) : measurement.at("bytes").get<double>();
    return work / measurement.at("seconds").at("median").get<double>();
  };
  std::map<std::string, double> ceilings;
  for (const Json& measurement : measurements) {
    if (measurement.at("kind") != "ceiling") continue;
    double& highest = ceilings[shape_text(measurement.at("shape"))];
    highest = std::max(highest, rating(measurement));
  }
  std::vector<Row> rows{{"step", "kind", "parameters", "shape", "time/us", "5%", "95%",
                         operations ? "GFLOP/s" : "GB/s", "of ceiling"}};
  for (const Json& measurement : measurements) {
    const std::string shape = shape_text(measurement.at("shape"));
    const Json& seconds = measurement.at("seconds");
    const double rate = rating(measurement);
    const auto ceiling = ceilings.find(shape);
    rows.push_back(
        {measurement.at("step"), measurement.at("kind"), parameters_text(measurement.at("parameters")), shape,
         fixed(seconds.at("median").get<double>() * 1e6, 1), fixed(seconds.at("low").get<double>() * 1e6, 1),
         fixed(seconds.at("high").get<double>() * 1e6, 1), fixed(rate * 1e-9, 0),
         ceiling == ceilings.end() ? "" : fixed(100 * rate / ceiling->second, 1) + " %"});
  }
  constexpr std::size_t text_columns = 4;
  return align(rows, text_columns);
}

}  // namespace weft
