// The explorer of the textbook's DRAM: a reader changes R, the banks, the channels, the placement and the stride of a
// walk, and sees what the banks do and how much of the buses they fill. Every number comes from the book's model,
// compiled to WebAssembly; the drawing is that of the chapter's timelines.
{
const {text} = explorers;
const RANGES = [
  ["latency", "R: latency in bursts", 0, 40], ["banks", "banks of a channel", 1, 32], ["channels", "channels", 1, 8],
  ["stride", "stride, in bursts", 1, 64], ["burst", "floats of a burst", 1, 4],  // its logarithm
];
const TURNS = [["0", "channels first"], ["1", "banks first"]];
const LEFT = 52, RIGHT = 396, HEAD = 14, BUS = 14;
const ROUNDS = 3;  // so many accesses of a bank are shown

const box = (x, y, wide, high) => `M${x.toFixed(1)} ${y.toFixed(1)}h${wide.toFixed(2)}v${high}h${(-wide).toFixed(2)}z`;

const bursts = (model, dram, cycles) => {
  const asked = cycles * dram.channels;
  const count = model.weft_dram_schedule(dram.latency, dram.channels, dram.banks, dram.turn, dram.stride, asked);
  return Array.from({length: count}, (_, burst) => ({
    channel: model.weft_dram_channel(burst), bank: model.weft_dram_bank(burst),
    begin: model.weft_dram_begin(burst), moved: model.weft_dram_moved(burst),
  })).filter(({begin}) => begin < cycles);
};

// The banks of channel 0, a row each, and below them the bus of each channel.
const draw = (model, dram) => {
  const cycles = ROUNDS * (dram.latency + 1);
  const x = cycle => LEFT + (RIGHT - LEFT) * Math.min(cycle, cycles) / cycles;
  const pitch = Math.max(5, Math.min(14, 130 / dram.banks));
  const bottom = HEAD + pitch * dram.banks + 12;
  let sensed = "", moving = "", carried = "", frames = "";
  for (const {channel, bank, begin, moved} of bursts(model, dram, cycles)) {
    const wide = x(moved + 1) - x(moved);
    if (channel === 0) {
      sensed += box(x(begin), HEAD + pitch * bank, x(begin + dram.latency) - x(begin), pitch - 2);
      moving += box(x(moved), HEAD + pitch * bank, wide, pitch - 2);
    }
    carried += box(x(moved), bottom + BUS * channel, wide, BUS - 3);
  }
  let parts = text(LEFT, 4, "banks of channel 0", "quiet") + text(LEFT, bottom - 7, "buses", "quiet");
  const labelled = pitch > 11 ? Array.from({length: dram.banks}, (_, bank) => bank) : [0, dram.banks - 1];
  for (const bank of labelled) parts += text(LEFT - 5, HEAD + pitch * (bank + 0.5) - 1, `bank ${bank}`, "end");
  for (let channel = 0; channel < dram.channels; ++channel) {
    frames += box(LEFT, bottom + BUS * channel, RIGHT - LEFT, BUS - 3);
    parts += text(LEFT - 5, bottom + BUS * (channel + 0.5) - 1, `bus ${channel}`, "end");
  }
  const end = bottom + BUS * dram.channels;
  parts += text(LEFT, end + 6, "cycle 0") + text(RIGHT, end + 6, cycles, "end");
  parts += `<path class="moved" d="${sensed}"/><path class="wanted" d="${moving}"/>` +
    `<path class="wanted" d="${carried}"/><path class="sector" d="${frames}"/>`;
  return {parts, height: end + 16};
};

const explore = (model, {latency, banks, channels, turn, stride, burst}) => {
  const walk = [channels, banks, turn, stride];
  const busy = `${(model.weft_dram_busy(latency, ...walk) / 10).toFixed(1)} %`;
  const bandwidth = `${(model.weft_dram_megabytes(latency, ...walk) / 1000).toFixed(2)} GB/s`;
  const met = `${model.weft_dram_banks_met(...walk)} of ${channels * banks}`;
  const used = `${model.weft_dram_channels_met(...walk)} of ${channels}`;
  return {
    numbers: {"of all buses": busy, bandwidth, "banks met": met, "channels met": used,
      "banks that fill a bus": model.weft_dram_banks_that_fill(latency),
      "least floats in all banks": model.weft_dram_floats_in_all_banks(burst, channels, banks),
      "stride, in floats": stride * burst},
    sentence: `R = ${latency}, ${channels} × ${banks} banks, a stride of ${stride}: ${met} banks and ${used} channels met, ` +
      `${busy} of all buses, ${bandwidth}`,
  };
};

explorers.start(".explorer-dram", (place, model, number) => ({
  label: "what fills the buses of a DRAM",
  controls: explorers.choice(`dram-${number}`, "turn", "where the next burst lies", TURNS) + RANGES.map(explorers.range).join(""),
  state: {
    ...Object.fromEntries(RANGES.map(([name]) => [name, +place.dataset[name]])), burst: Math.log2(place.dataset.burst), turn: 0,
  },
  said: (name, value) => name === "burst" ? 2 ** value : value,
  explore: state => {
    const dram = {...state, burst: 2 ** state.burst};
    return {...explore(model, dram), drawing: draw(model, dram)};
  },
}));
}
