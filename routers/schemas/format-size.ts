const BYTE_UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats a size like `8.4 MB`; powers of 1000, at most one decimal below 100. */
export function formatSize(sizeBytes: number): string {
  const { value, unit } = scaled(sizeBytes, sizeBytes);
  return `${value} ${unit}`;
}

/** Formats sizes like `5.1 of 8.4 MB`: both in the unit of the whole. */
export function formatSizeOf(doneBytes: number, totalBytes: number): string {
  const whole = scaled(totalBytes, totalBytes);
  return `${scaled(doneBytes, totalBytes).value} of ${whole.value} ${whole.unit}`;
}

function scaled(sizeBytes: number, scaleBytes: number): { value: string; unit: string } {
  const power = scaleBytes < 1_000 ? 0 : Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(scaleBytes) / 3));
  const value = sizeBytes / 1_000 ** power;
  // 999,960 bytes round to the next unit and not to `1000 KB`.
  if (sizeBytes === scaleBytes && power < BYTE_UNITS.length - 1 && Math.round(value) >= 1_000) {
    return scaled(sizeBytes, 1_000 ** (power + 1));
  }
  const decimals = power === 0 || value >= 100 || Number.isInteger(value) ? 0 : 1;
  return { value: value.toFixed(decimals).replace(/\.0$/, ''), unit: BYTE_UNITS[power] ?? 'B' };
}
