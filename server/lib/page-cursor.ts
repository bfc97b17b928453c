import { AppError } from './errors.ts';

/** The end of a page in a list that begins with the latest: time and id of the page's last row. */
export type CursorPosition = { at: Date; id: string };

/** Returns the cursor that continues after this row: opaque to callers. `at`: the time by which its list is sorted. */
export function encodeCursor(row: { createdAt: Date; _id: string }, at = row.createdAt): string {
  return Buffer.from(`${at.getTime()}.${row._id}`).toString('base64url');
}

/** Throws `bad_request` for a text that is not a cursor of ours. */
export function decodeCursor(cursor: string): CursorPosition {
  const [ms, id] = Buffer.from(cursor, 'base64url').toString('utf8').split('.');
  const at = new Date(Number(ms));
  if (id === undefined || Number.isNaN(at.getTime())) throw unknownCursor();
  return { at, id };
}

/** Returns the part of a filter that begins after `cursor`, in a list sorted `by` it; everything when there is none. */
export function afterCursor(
  cursor: string | undefined,
  by: 'createdAt' | 'updatedAt' | 'changedAt' = 'createdAt',
): Record<string, unknown> {
  if (cursor === undefined) return {};
  const { at, id } = decodeCursor(cursor);
  return { [by]: { $lte: at }, $or: [{ [by]: { $lt: at } }, { _id: { $lt: id } }] };
}

/** Returns whether a row of such a list comes after the cursor, for rows that were read without it. */
export function isAfterCursor(row: { changedAt: Date; _id: string }, { at, id }: CursorPosition): boolean {
  return row.changedAt < at || (row.changedAt.getTime() === at.getTime() && row._id < id);
}

/** Makes `bad_request` on the cursor's field. */
export function unknownCursor(): AppError {
  return new AppError('bad_request', 'This cursor did not come from a page of the list.', { field: 'cursor' });
}
