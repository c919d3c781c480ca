// The mouse on the rows of a pane: the wheel, the bar beside them, and the clicks.

const LINE = 24;

/**
 * Let a list be scrolled. The list itself decides how far it goes.
 * @param {{rows: HTMLElement, track: HTMLElement, top: number, total: number, seen: number, draw: () => void}} list
 */
export function scrolls(list) {
  /** @param {number} top */
  const go = (top) => {
    list.top = Math.max(0, Math.round(top));
    list.draw();
  };
  list.rows.addEventListener('wheel', (event) => {
    if (event.ctrlKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? event.deltaY : event.deltaY / LINE;
    go(list.top + (Math.abs(lines) < 1 ? Math.sign(lines) : lines));
  }, { passive: false });
  drags(list.rows, (by) => go(list.top - by / LINE));
  list.track.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    list.track.setPointerCapture(event.pointerId);
    const move = (/** @type {PointerEvent} */ moved) => {
      const box = list.track.getBoundingClientRect();
      const share = Math.max(0, Math.min(1, (moved.clientY - box.top) / box.height));
      go(share * Math.max(0, list.total - list.seen));
    };
    move(event);
    list.track.addEventListener('pointermove', move);
    const end = () => list.track.removeEventListener('pointermove', move);
    list.track.addEventListener('pointerup', end, { once: true });
    list.track.addEventListener('pointercancel', end, { once: true });
  });
}

/** A finger pulls the rows. @param {HTMLElement} rows @param {(by: number) => void} pulled */
function drags(rows, pulled) {
  let last = 0;
  rows.addEventListener('touchstart', (event) => { last = event.touches[0].clientY; }, { passive: true });
  rows.addEventListener('touchmove', (event) => {
    const by = event.touches[0].clientY - last;
    if (Math.abs(by) < LINE) return;
    last = event.touches[0].clientY;
    pulled(by);
  }, { passive: true });
}
