/** What stands closer looks touched. */
const MARGIN_PX = 8;
/** Closer than a figure is wide. */
const GRID_PX = 6;
/** A status is what loads, in bars that take the place of texts. */
const CONTENT = 'a, button, input, select, textarea, label, summary, img, svg, [role="status"]';

/** Whether neither a text nor a control nor a picture of the page lies below `place`; what stands in it does not count. */
export function isPlaceFree(place: Element): boolean {
  const { x, y, width, height } = place.getBoundingClientRect();
  const area = new DOMRect(x - MARGIN_PX, y - MARGIN_PX, width + 2 * MARGIN_PX, height + 2 * MARGIN_PX);
  const below = new Set<Element>();
  for (const column of gridLines(area.left, area.right)) {
    for (const row of gridLines(area.top, area.bottom)) {
      for (const element of document.elementsFromPoint(column, row)) below.add(element);
    }
  }
  return [...below].every((element) => place.contains(element) || !holdsContent(element, area));
}

/** Both edges among them. */
function gridLines(from: number, to: number): number[] {
  const count = Math.ceil((to - from) / GRID_PX);
  return Array.from({ length: count + 1 }, (_, index) => Math.min(from + index * GRID_PX, to));
}

function holdsContent(element: Element, area: DOMRect): boolean {
  return element.matches(CONTENT) || [...element.childNodes].some((node) => isShownWithin(node, area));
}

/** A text by its lines; a picture of a site by its edges, since what is inert is not found at a point. */
function isShownWithin(node: Node, area: DOMRect): boolean {
  const isText = node.nodeType === Node.TEXT_NODE && node.textContent?.trim() !== '';
  const isPicture = node instanceof Element && node.hasAttribute('inert');
  if (!isText && !isPicture) return false;
  const range = document.createRange();
  range.selectNode(node);
  return [...range.getClientRects()].some(
    ({ left, right, top, bottom }) => left < area.right && right > area.left && top < area.bottom && bottom > area.top,
  );
}
