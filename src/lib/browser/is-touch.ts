/** Returns whether the page is used only with a finger, which cannot drag files from another window. */
export function isTouch(): boolean {
  return matchMedia('(hover: none) and (pointer: coarse)').matches;
}
