/** Returns a count with its noun: `1 file`, `214 files`, `1,204 files`. */
export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`;
}
