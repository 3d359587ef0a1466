// What stands behind a word: a term's definition, a number's origin. Each opens by pointing at it, by the keyboard's focus, and by
// touch; Escape closes it. Without scripts a term is a link to the glossary, and a number keeps its title.
{
  const bubble = document.createElement("div");
  bubble.className = "hint-bubble";
  bubble.id = "hint-bubble";
  bubble.setAttribute("role", "tooltip");
  bubble.hidden = true;
  document.body.append(bubble);

  let shown, closing;
  const hide = () => {
    clearTimeout(closing);
    bubble.hidden = true;
    shown = undefined;
  };
  const hideSoon = () => { closing = setTimeout(hide, 200); };

  const told = word => {
    if (!word.matches("a.term")) return [word.dataset.hint];
    const definition = document.getElementById(word.getAttribute("aria-describedby"));
    const more = document.createElement("a");
    more.href = word.href;
    more.textContent = "glossary";
    more.tabIndex = -1;  // the term itself leads there
    return [...[...definition.childNodes].map(node => node.cloneNode(true)), " ", more];
  };

  const show = word => {
    clearTimeout(closing);
    if (shown === word) return;
    hide();
    shown = word;
    bubble.replaceChildren(...told(word));
    bubble.hidden = false;
    const place = word.getClientRects()[0], margin = 8;
    const left = Math.min(place.left, document.documentElement.clientWidth - bubble.offsetWidth - margin);
    const below = place.bottom + 4 + bubble.offsetHeight < innerHeight;
    bubble.style.left = `${Math.max(margin, left) + scrollX}px`;
    bubble.style.top = `${(below ? place.bottom + 4 : place.top - bubble.offsetHeight - 4) + scrollY}px`;
  };

  for (const number of document.querySelectorAll("article :is(abbr, .cell)[title]")) {
    number.dataset.hint = number.title;
    number.removeAttribute("title");
    number.tabIndex = 0;
    number.closest("[aria-hidden]")?.removeAttribute("aria-hidden");  // what takes the focus is there for everybody
    number.setAttribute("aria-description", number.dataset.hint);
  }
  for (const word of document.querySelectorAll("a.term, [data-hint]")) {
    let touched = false;
    word.addEventListener("pointerdown", event => { touched = event.pointerType !== "mouse" && shown !== word; });
    word.addEventListener("click", event => {
      if (touched) { event.preventDefault(); show(word); }
      touched = false;
    });
    word.addEventListener("pointerenter", event => { if (event.pointerType === "mouse") show(word); });
    word.addEventListener("pointerleave", event => { if (event.pointerType === "mouse") hideSoon(); });
    word.addEventListener("focus", () => { if (word.matches(":focus-visible")) show(word); });
    word.addEventListener("blur", hideSoon);
  }
  bubble.addEventListener("pointerenter", () => clearTimeout(closing));
  bubble.addEventListener("pointerleave", hideSoon);
  addEventListener("keydown", event => { if (event.key === "Escape") hide(); });
  addEventListener("pointerdown", event => { if (!event.target.closest?.("a.term, [data-hint], .hint-bubble")) hide(); });
}
