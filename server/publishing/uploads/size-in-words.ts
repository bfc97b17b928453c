const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'] as const;

/** Returns a text like `9.6 GiB`, rounded to one digit after the point. */
export function sizeInWords(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${UNITS[power]}`;
}
