/** What a floating part must not lie on: what can be pressed, and figures that stand under each other. */
const NEEDED = 'a[href], button, summary, label, [role="switch"], [role="tab"], .tabular-nums';
/** Fewer than the smallest control is wide and high. */
const STEP_PX = 20;

/** Whether a floating part at `place`, in pixels of the window, lies on something of the page's content that is needed. */
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

/** From one edge to the other, both with them. */
function points(from: number, to: number): number[] {
  const count = Math.max(1, Math.ceil((to - from) / STEP_PX));
  return Array.from({ length: count + 1 }, (_, index) => from + ((to - from) * index) / count);
}
