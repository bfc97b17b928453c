/** Takes the focus where what had it is gone: nobody's own choice is taken away. */
export function focusWhereNone(element: HTMLElement | null): void {
  if (element === null || document.activeElement !== document.body) return;
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}
