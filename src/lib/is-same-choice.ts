/** Returns whether two choices are the same, in any order. Neither has duplicates. */
export function isSameChoice(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}
