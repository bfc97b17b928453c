/** Things that a floating part must not cover, their space around the words included. */
const CONTROLS = 'a[href], button, input, textarea, select, summary, label, [role="switch"], [role="tab"]';
/** Smaller than the smallest control. */
const STEP_PX = 20;

/** Returns whether a floating part at `place`, in pixels of the window, covers a control or text of the page. */
export function isCovering(place: DOMRect): boolean {
  const below = new Set<Element>();
  for (const y of points(place.top, place.bottom)) {
    for (const x of points(place.left, place.right)) {
      for (const element of document.elementsFromPoint(x, y)) below.add(element);
    }
  }
  return [...below].some(
    (element) =>
      element.closest('main,footer') !== null && (element.closest(CONTROLS) !== null || hasTextIn(element, place)),
  );
}

/** Looks at the lines themselves: the box of a paragraph is as wide as its column. */
function hasTextIn(element: Element, place: DOMRect): boolean {
  const range = document.createRange();
  return [...element.childNodes].some((node) => {
    if (!(node instanceof Text)) return false;
    range.selectNodeContents(node);
    return [...range.getClientRects()].some(
      ({ left, right, top, bottom }) =>
        left < place.right && right > place.left && top < place.bottom && bottom > place.top,
    );
  });
}

/** Returns points from one edge to the other, including both. */
function points(from: number, to: number): number[] {
  const count = Math.max(1, Math.ceil((to - from) / STEP_PX));
  return Array.from({ length: count + 1 }, (_, index) => from + ((to - from) * index) / count);
}
