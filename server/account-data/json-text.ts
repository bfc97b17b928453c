import { type Rows, rowsOf } from '../database/cursor-rows.ts';

/**
 * Yields a JSON object as text, a part at a time: a field that is an async iterable becomes a list, of which one row
 * is held at a time. It is indented, since people read it too.
 */
export async function* jsonText(fields: Record<string, unknown>): AsyncGenerator<string, void> {
  let before = '{';
  for (const [name, value] of Object.entries(fields)) {
    yield `${before}\n${JSON.stringify(name)}: `;
    if (isRows(value)) yield* listText(value);
    else yield JSON.stringify(value, null, 2) ?? 'null';
    before = ',';
  }
  yield '\n}\n';
}

async function* listText(rows: Rows<unknown>): AsyncGenerator<string, void> {
  let before = '[';
  for await (const row of rowsOf(rows)) {
    yield `${before}\n${JSON.stringify(row, null, 2)}`;
    before = ',';
  }
  yield before === '[' ? '[]' : '\n]';
}

function isRows(value: unknown): value is Rows<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
