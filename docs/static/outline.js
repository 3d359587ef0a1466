// Keeps the sidebar's entry of what is being read in sight, where the reader has not just moved the sidebar.
{
  const scroller = document.querySelector(".sidebar-scroll");
  const follow = () => {
    const current = document.querySelector(".sidebar-tree .scroll-current > a");
    if (!current || !scroller || scroller.matches(":hover, :focus-within")) return;
    const place = current.getBoundingClientRect(), frame = scroller.getBoundingClientRect();
    if (place.top < frame.top + 40 || place.bottom > frame.bottom - 40) {
      scroller.scrollTop += place.top - frame.top - frame.height / 3;
    }
  };
  let asked = false;
  addEventListener("scroll", () => {
    if (asked) return;
    asked = true;
    setTimeout(() => { asked = false; follow(); }, 150);
  }, { passive: true });
}
