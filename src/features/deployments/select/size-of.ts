import type { SelectionReport } from '../../../uploads/inspect.ts';

/** Returns the size that would be sent; null when nothing can be. */
export function sizeOf(report: SelectionReport | null): { count: number; totalBytes: number } | null {
  if (report === null || report.reading.refusal !== null || report.reading.files.length === 0) return null;
  return { count: report.reading.files.length, totalBytes: report.reading.totalBytes };
}
