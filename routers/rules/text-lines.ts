/**
 * Returns a function from a position in `text` to its line, counted from one. Positions must ascend: the text is
 * walked once.
 */
export function lineCounter(text: string): (at: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (at) => {
    while (next !== -1 && next < at) {
      line += 1;
      next = text.indexOf('\n', next + 1);
    }
    return line;
  };
}
