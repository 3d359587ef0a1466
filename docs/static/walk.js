// The explorer of the memory hierarchy: a reader changes the working set of a walk and its stride, and sees which level
// holds it and what a load takes. Counts come from the book's model, compiled to WebAssembly; latencies are measured.
{
const {text} = explorers;
const LEFT = 34, RIGHT = 392, TOP = 14, BOTTOM = 172, HIGH = 206;
const LEAST = 10, MOST = 36;  // of the working set: 1 KiB to 64 GiB
const RANGES = [["bytes", "working set", LEAST, MOST], ["stride", "stride", 3, 21]];

const binary = log => `${2 ** (log % 10)} ${["B", "KiB", "MiB", "GiB"][Math.floor(log / 10)]}`;
const cycles = number => `${number < 100 ? number.toFixed(1) : Math.round(number)} cycles`;
const across = log => LEFT + (RIGHT - LEFT) * (log - LEAST) / (MOST - LEAST);

// What a load takes whose lines fill so many bytes of a cache: between measured sizes, by the logarithm of the size.
const measured = (points, log) => {
  const after = points.findIndex(([size]) => size >= log);
  if (after <= 0) return points.at(after)[1];
  const [[low, from], [high, to]] = [points[after - 1], points[after]];
  return from + (to - from) * (log - low) / (high - low);
};

// Of the loads of a walk, those that the L1 answers, those that the L2 does, and those behind it.
const shares = (model, levels, log, pattern) => {
  const ask = 1 / model.weft_walk_loads_of_sector(...pattern), fetch = 1 / model.weft_walk_loads_of_fetch(...pattern);
  if (log <= levels[0].most) return [1, 0, 0];
  return log <= levels[1].most ? [1 - ask, ask, 0] : [1 - ask, ask - fetch, fetch];
};

const explore = (model, {points, levels}, {bytes, stride}) => {
  const pattern = [bytes, Math.min(stride, bytes)];
  const lines = model.weft_walk_lines(...pattern);
  const log = Math.log2(lines * model.weft_line_bytes());
  const parts = shares(model, levels, log, pattern);
  const level = parts.findLastIndex(part => part > 0);
  const cost = levels.map(({cycles}, index) => index === level ? measured(points, log) : cycles);
  const mean = parts.reduce((sum, part, index) => sum + part * cost[index], 0);
  return {lines, log, mean, level: levels[level].name,
    told: levels.map(({name}, index) => [name, parts[index]]).filter(([, part]) => part > 0)};
};

const draw = ({points}, {log, mean}) => {
  const most = 1.15 * Math.max(...points.map(([, value]) => value));
  const down = value => BOTTOM - (BOTTOM - TOP) * value / most;
  let parts = text(LEFT, 4, "cycles of a load", "quiet");
  for (let tick = 0; tick < most; tick += 200) {
    parts += `<path class="sector" d="M${LEFT} ${down(tick).toFixed(1)}H${RIGHT}"/>` + text(LEFT - 5, down(tick), tick, "end");
  }
  for (const tick of [10, 20, 30, 36]) parts += text(across(tick), BOTTOM + 12, binary(tick), tick < 36 ? "" : "end");
  parts += text((LEFT + RIGHT) / 2 - 60, BOTTOM + 28, "bytes of the lines that are touched", "quiet");
  parts += `<path class="measured" d="M${points.map(([size, value]) => `${across(size).toFixed(1)} ${down(value).toFixed(1)}`).join("L")}"/>`;
  const x = across(Math.max(LEAST, log)).toFixed(1), y = down(mean).toFixed(1);
  return parts + `<path class="here" d="M${x} ${TOP}V${BOTTOM}"/><circle class="wanted" cx="${x}" cy="${y}" r="5"/>`;
};

explorers.start(".explorer-walk", (place, model) => {
  const data = JSON.parse(place.dataset.measured);
  return {
    label: "how far away the words of a walk are",
    controls: RANGES.map(explorers.range).join(""),
    state: {bytes: 20, stride: 7},
    said: (name, value) => binary(value),
    explore: walk => {
      const found = explore(model, data, walk);
      const numbers = {level: found.level, "mean latency": cycles(found.mean), "lines touched": found.lines.toLocaleString("en")};
      for (const [name, part] of found.told) numbers[`answered by ${name}`] = `${+(100 * part).toFixed(1)} %`;
      const sentence = `${binary(walk.bytes)} at a stride of ${binary(walk.stride)}: ` +
        `${found.lines} lines, held by ${found.level}, ${cycles(found.mean)} a load`;
      return {numbers, sentence, drawing: {parts: draw(data, found), height: HIGH}};
    },
  };
});
}
