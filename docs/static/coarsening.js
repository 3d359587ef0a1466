// The explorer of coarsening: a reader changes how many results a thread of a tiled product has, and sees what is saved and how
// full the card is. Every number comes from the book's model, compiled to WebAssembly; what was measured says so.
{
const {text, many} = explorers;
const COLUMNS = 22, CELL = 16, GAP = 2, LEFT = 4, TOP = 14;

// A square for each multiprocessor: those that have most blocks are filled, the others have fewer, or none.
const multiprocessors = (blocks, count) => {
  const most = Math.ceil(blocks / count), full = blocks - (most - 1) * count;
  let parts = text(LEFT, 4, `${full} multiprocessors have ${many(most, "block")}, ${count - full} have ${most - 1}`, "quiet");
  for (let number = 0; number < count; ++number) {
    const x = LEFT + (CELL + GAP) * (number % COLUMNS), y = TOP + (CELL + GAP) * Math.floor(number / COLUMNS);
    parts += `<rect class="${number < full ? "moved" : "sector"}" x="${x}" y="${y}" width="${CELL}" height="${CELL}"/>`;
  }
  return {parts, height: TOP + (CELL + GAP) * Math.ceil(count / COLUMNS) + 4};
};

explorers.start(".explorer-coarsening", (place, model, number) => {
  const {card, start, registers, measured} = JSON.parse(place.dataset.told);
  const own = ({side, factor}) => registers[`${side}x${factor}`];
  const state = {...start, registers: own(start)};

  const explore = (asked, changed) => {
    if ((changed === "side" || changed === "factor") && own(asked)) asked.registers = own(asked);
    const {size, side, factor} = asked;
    const blocks = model.weft_coarsened_blocks(size, side, factor);
    const most = model.weft_coarsened_most(blocks, card.multiprocessors);
    const launch = [card.capability, side * side, asked.registers, model.weft_coarsened_shared(side, factor)];
    const held = model.weft_occupancy_blocks(...launch), warps = model.weft_occupancy_warps(...launch);
    const waves = held ? model.weft_occupancy_waves(...launch, blocks, card.multiprocessors).toFixed(2) : "–";
    const numbers = {
      "loads of each element": model.weft_coarsened_loads(size, side, factor),
      blocks, "blocks of a multiprocessor at a time": held, warps, waves,
      "blocks of the fullest multiprocessor": most,
      "measured": asked.registers === own(asked) ? measured[`${side}x${factor}x${size}`] ?? "not measured" : "not measured",
    };
    const sentence = `${many(blocks, "block")}, ${held} at a time on a multiprocessor, ${waves} waves; each element is loaded ` +
      `${many(numbers["loads of each element"], "time")}`;
    return {numbers, sentence, drawing: multiprocessors(blocks, card.multiprocessors)};
  };
  const controls = explorers.choice(number, "factor", "results of a thread, down and across", [1, 2, 4, 8, 16].map(one => [one, one])) +
    explorers.choice(number, "side", "threads of a block", [[16, "16 × 16"], [32, "32 × 32"]]) +
    explorers.range(["size", "rows and columns of the matrices", 256, 8192, 256]) +
    explorers.range(["registers", "registers of a thread", 16, 255]);
  return {label: "a tiled product, coarsened", controls, state, explore};
});
}
