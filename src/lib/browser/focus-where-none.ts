/** Focuses an element if the previous one is gone, without taking away a person's own focus. */
export function focusWhereNone(element: HTMLElement | null): void {
  if (element === null || document.activeElement !== document.body) return;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
