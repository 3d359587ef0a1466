// The explorer of address bits: a reader chooses the bits in which two lines of a page differ, and sees whether the two
// lines have what all pairs in conflict of a card share. What these share was measured; the rest comes from the book's
// model, compiled to WebAssembly.
{
const {text} = explorers;
const LEFT = 100, RIGHT = 334, HEAD = 18, PITCH = 22, SIDE = 10;
const words = odd => odd ? "odd" : "even";

// The toggles for a difference: each card begins with a pair of lines that was in conflict.
const differing = (bits, difference) => Object.fromEntries(bits.map(bit => [`bit${bit}`, difference >> bit & 1]));

const explore = (model, card, bits, state) => {
  const difference = bits.reduce((sum, bit) => sum + (state[`bit${bit}`] ? 2 ** bit : 0), 0);
  const parities = card.parities.map(([mask, given]) => ({mask, given, odd: model.weft_parity(difference, mask)}));
  const shared = parities.filter(({given, odd}) => given === odd).length;
  const left = model.weft_differences_with(parities.length, parities.filter(({given}) => given).length);
  const half = !card.halves ? "not known" : model.weft_parity(difference, card.halves) ? "the other" : "the same";
  const bank = !difference ? "the same line" : shared < parities.length ? "excluded" : "possible";
  return {difference, parities, shared, bank, half, share: left / model.weft_differences_with(0, 0)};
};

const squares = (bits, mask, x, y, kind) => bits.filter(bit => mask >> bit & 1).map(bit =>
  `<rect class="${kind}" x="${(x(bit) - SIDE / 2).toFixed(1)}" y="${y - SIDE / 2}" width="${SIDE}" height="${SIDE}"/>`).join("");

// A row for the bits that differ, one for each parity, and one for what decides about the halves of the L2: a square is a
// bit of the row, and a full one differs.
const draw = (card, bits, {difference, parities, half}) => {
  const x = bit => LEFT + (RIGHT - LEFT) * (bit - bits[0]) / (bits.length - 1);
  const rows = [{label: "the two lines", mask: difference, told: ""},
    ...parities.map(({mask, given, odd}, number) => ({
      label: `parity ${number + 1}`, mask, told: `${words(odd)} ${given === odd ? "✓" : "✗"}`})),
    ...(card.halves ? [{label: "halves of L2", mask: card.halves, told: half}] : [])];
  let parts = bits.map(bit => text(x(bit) - (bit < 10 ? 3 : 6), 6, bit, "quiet")).join("");
  rows.forEach(({label, mask, told}, row) => {
    const y = HEAD + PITCH * (row + 0.5);
    parts += `<path class="sector" d="M${LEFT} ${y}H${RIGHT}"/>` + text(LEFT - 14, y, label, "end") + text(RIGHT + 14, y, told) +
      squares(bits, mask, x, y, "blank") + squares(bits, mask & difference, x, y, "wanted");
  });
  return {parts, height: HEAD + PITCH * rows.length + 4};
};

explorers.start(".explorer-bits", (place, model, number) => {
  const cards = JSON.parse(place.dataset.cards);
  const first = model.weft_first_line_bit();
  const bits = Array.from({length: model.weft_page_bits() - first}, (_, place) => first + place);
  return {
    label: "bits in which two lines differ, and what conflicts share",
    controls: explorers.choice(`bits-${number}`, "card", "GPU", cards.map(({name}, index) => [index, name])) +
      explorers.toggles("bits in which the two lines differ", bits.map(bit => [`bit${bit}`, bit])),
    state: {card: 0, ...differing(bits, cards[0].first)},
    explore: (state, changed) => {
      const card = cards[state.card];
      if (changed === "card") Object.assign(state, differing(bits, card.first));
      const found = explore(model, card, bits, state);
      const as = `${found.shared} of ${card.parities.length}`;
      return {
        numbers: {"in one bank": found.bank, "parities as in all conflicts": as, "half of the L2": found.half,
          "pairs that remain possible": `${+(100 * found.share).toFixed(2)} %`, "conflicts that were seen": card.conflicts},
        sentence: `${card.name}: lines that differ in ${bits.filter(bit => state[`bit${bit}`]).join(", ") || "no bit"}: ` +
          `${as} parities as in all conflicts, in one bank: ${found.bank}, half of the L2: ${found.half}`,
        drawing: draw(card, bits, found),
      };
    },
  };
});
}
