// The explorer of occupancy: a reader changes what a block takes, and sees how many blocks a multiprocessor holds and what
// they leave. Every number comes from the book's model, compiled to WebAssembly; what was measured says so.
{
const {text, many} = explorers;
const RESOURCES = ["blocks", "registers", "shared memory", "warps", "barriers"];  // in the order of the model's Resource
const WARPS = RESOURCES.indexOf("warps"), SHARED = RESOURCES.indexOf("shared memory");
const LEFT = 92, RIGHT = 322, PITCH = 17, BAR = 11;
const PLOT = {left: 34, right: 392, high: 100};
const KIB = 1024;


// What one block takes of the multiprocessor, again and again until there is no room for another one.
const bars = (model, launch, blocks) => {
  let parts = text(LEFT, 4, "a multiprocessor", "quiet") + text(RIGHT + 6, 4, "room for", "quiet");
  RESOURCES.forEach((name, resource) => {
    const y = 13 + PITCH * resource;
    const limit = model.weft_occupancy_limit(...launch, resource);
    const part = (RIGHT - LEFT) * model.weft_occupancy_taken(...launch, resource) /
      model.weft_occupancy_available(...launch, resource);
    parts += text(LEFT - 5, y + BAR / 2, name, "end") +
      `<rect class="sector" x="${LEFT}" y="${y}" width="${RIGHT - LEFT}" height="${BAR}"/>`;
    for (let block = 0; block < blocks; ++block) {
      parts += `<rect class="${limit === blocks ? "crowded" : "moved"}" x="${(LEFT + block * part).toFixed(2)}" y="${y}" ` +
        `width="${part.toFixed(2)}" height="${BAR}"/>`;
    }
    parts += text(RIGHT + 6, y + BAR / 2, many(limit, "block") + (limit === blocks ? " ◂" : ""));
  });
  return {parts, height: 13 + PITCH * RESOURCES.length};
};

// A curve in a frame, and where the reader stands on it.
const plot = (top, title, kind, points, ticks, most, here) => {
  const [from, to] = [points[0][0], points.at(-1)[0]];
  const x = value => PLOT.left + (PLOT.right - PLOT.left) * (value - from) / (to - from);
  const y = value => top + 12 + PLOT.high * (1 - value / most);
  let parts = text(PLOT.left, top, title, "quiet");
  for (const [tick, words] of ticks) {
    parts += `<path class="sector" d="M${PLOT.left} ${y(tick).toFixed(1)}H${PLOT.right}"/>` + text(PLOT.left - 5, y(tick), words, "end");
  }
  for (const tick of [from, to]) parts += text(x(tick), top + 24 + PLOT.high, tick, tick === to ? "end" : "");
  const line = points.map(([value, height]) => kind === "computed"  // holds until the next value
    ? `H${x(value).toFixed(1)}V${y(height).toFixed(1)}` : `L${x(value).toFixed(1)} ${y(height).toFixed(1)}`).join("");
  const at = points.find(([value]) => value === here);
  const held = Math.max(from, Math.min(here, to));
  parts += `<path class="${kind}" d="M${x(from)} ${y(points[0][1]).toFixed(1)}${line}"/><path class="here" d="M${x(held).toFixed(1)} ${top + 12}v${PLOT.high}"/>`;
  if (at) parts += `<circle class="wanted" cx="${x(here).toFixed(1)}" cy="${y(at[1]).toFixed(1)}" r="5"/>`;
  return {parts, height: top + 32 + PLOT.high};
};

// The measured value at so many warps; between two that were measured, these two.
const measuredAt = (points, warps) => {
  const after = points.findIndex(([at]) => at >= warps);
  if (after < 0) return `more than ${points.at(-1)[0]} warps: not measured`;
  const [at, , words] = points[after];
  if (at === warps) return words;
  return after === 0 ? `fewer than ${at} warps: not measured` : `${points[after - 1][2]} to ${words}`;
};

explorers.start(".explorer-occupancy", (place, model) => {
  const {card, start, measured} = JSON.parse(place.dataset.told);
  const numbers = ({threads, registers, shared}) => [card.capability, threads, registers, KIB * shared];
  let most = model.weft_occupancy_available(...numbers({threads: 32, registers: 16, shared: 0}), SHARED) / KIB;
  while (model.weft_occupancy_blocks(...numbers({threads: 32, registers: 16, shared: most})) === 0) --most;
  const ranges = [["threads", "threads of a block", 32, 1024, 32], ["registers", "registers of a thread", 16, 255],
    ["shared", "KiB of shared memory of a block", 0, most], ["grid", "blocks of the grid", 1, 64 * card.multiprocessors]];
  let varied = "registers";  // what the curve goes along; the blocks of the grid change no occupancy

  const explore = (launch, changed = varied) => {
    if (changed !== "grid") varied = changed;
    const asked = numbers(launch);
    const blocks = model.weft_occupancy_blocks(...asked), warps = model.weft_occupancy_warps(...asked);
    const room = model.weft_occupancy_available(...asked, WARPS);
    const limits = RESOURCES.filter((_, resource) => model.weft_occupancy_limit(...asked, resource) === blocks).join(", ");
    const waves = blocks ? model.weft_occupancy_waves(...asked, launch.grid, card.multiprocessors).toFixed(2) : "–";
    const told = {blocks, warps: `${warps} of ${room}`, occupancy: `${+(100 * warps / room).toFixed(1)} %`, "limited by": limits,
      [`waves on ${card.multiprocessors} multiprocessors`]: waves};
    if (measured && warps) told["measured at as many warps"] = measuredAt(measured, warps);

    const held = bars(model, asked, blocks);
    const [name, words, least, last, step = 1] = ranges.find(([name]) => name === varied);
    const curve = Array.from({length: (last - least) / step + 1}, (_, index) => {
      const value = least + step * index;
      return [value, model.weft_occupancy_warps(...numbers({...launch, [name]: value}))];
    });
    let drawing = plot(held.height + 16, `warps, by ${words}`, "computed", curve, [0, room / 2, room].map(tick => [tick, tick]), room, launch[name]);
    drawing.parts = held.parts + drawing.parts;
    if (measured) {
      const highest = measured.reduce((most, point) => point[1] > most[1] ? point : most);
      const title = `${card.name}, measured: ${highest[2]} at most, by warps of a multiprocessor`;
      const more = plot(drawing.height + 16, title, "measured", measured, [[0, 0], [highest[1], "most"]], 1.1 * highest[1], warps);
      drawing = {parts: drawing.parts + more.parts, height: more.height};
    }
    const sentence = blocks
      ? `${many(blocks, "block")} of ${launch.threads} threads, ${warps} of ${room} warps, limited by ${limits}; ${waves} waves`
      : `no block of ${launch.threads} threads with ${launch.registers} registers: ${limits}`;
    return {numbers: told, sentence, drawing};
  };
  return {label: "the blocks that a multiprocessor holds", controls: ranges.map(explorers.range).join(""), state: start, explore};
});
}
