// What a search finds stands in this order: chapters, the glossary, other pages, the library's names.
var Scorer = {
  score: ([page, , , , score, , kind]) => {
    if (kind === "object") return score - 200;
    if (page.startsWith("chapters/")) return score + 100;
    return page === "docs/glossary" ? score + 60 : score;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
