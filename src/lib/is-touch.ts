/** Whether the page is used with a finger alone, which drags no file out of another window. */
export function isTouch(): boolean {
  return matchMedia('(hover: none) and (pointer: coarse)').matches;
}
