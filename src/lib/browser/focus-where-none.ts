/**
 * Focuses an element if the previous one is gone, without taking away a person's own focus. It waits for a task: while
 * the focus moves from a field to what was pressed, nothing has it, and leaving the field may be what shows the element.
 */
export function focusWhereNone(element: HTMLElement | null): void {
  if (element === null) return;
  setTimeout(() => {
    if (document.activeElement !== document.body) return;
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
  });
}
