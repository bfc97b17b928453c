/** Returns whether the page is used only with a finger, which cannot drag files from another window. */
export function isTouch(): boolean {
  return matchMedia('(hover: none) and (pointer: coarse)').matches;
}

/** Returns a text that asks for a drop, which is a choice where nothing can be dragged. */
export function dropText(text: string): string {
  return isTouch() ? text.replace(/\bdrop\b/g, 'choose').replace(/\bDrop\b/g, 'Choose') : text;
}
