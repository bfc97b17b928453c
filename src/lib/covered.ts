/** Things that a floating part must not cover: controls, and columns of figures. */
const NEEDED = 'a[href], button, summary, label, [role="switch"], [role="tab"], .tabular-nums';
/** Smaller than the smallest control. */
const STEP_PX = 20;

/** Returns whether a floating part at `place`, in pixels of the window, covers needed content of the page. */
export function isCovering(place: DOMRect): boolean {
  for (const y of points(place.top, place.bottom)) {
    for (const x of points(place.left, place.right)) {
      if (document.elementsFromPoint(x, y).some(isNeeded)) return true;
    }
  }
  return false;
}

function isNeeded(element: Element): boolean {
  return element.closest('main') !== null && element.closest(NEEDED) !== null;
}

/** Returns points from one edge to the other, including both. */
function points(from: number, to: number): number[] {
  const count = Math.max(1, Math.ceil((to - from) / STEP_PX));
  return Array.from({ length: count + 1 }, (_, index) => from + ((to - from) * index) / count);
}
