/** Whether two choices hold the same, in whatever order. Neither names one twice. */
export function isSameChoice(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}
