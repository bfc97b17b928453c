/** Counts how often others have had their turn since it was made. */
export function countTurns(): { count(): number; [Symbol.dispose](): void } {
  let turns = 0;
  let isOver = false;
  const takeTurn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  return {
    count: () => turns,
    [Symbol.dispose]: () => {
      isOver = true;
    },
  };
}
