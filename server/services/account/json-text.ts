/**
 * A JSON object as text, a part at a time: a field that is an async iterable becomes a list, of which one row is held at
 * a time. For people too, so it is indented.
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

/** A generator ends when its reader does; a cursor of Mongoose has to be closed. */
type Rows = AsyncIterable<unknown> & { close?: () => Promise<unknown> };

async function* listText(rows: Rows): AsyncGenerator<string, void> {
  let before = '[';
  try {
    for await (const row of rows) {
      yield `${before}\n${JSON.stringify(row, null, 2)}`;
      before = ',';
    }
  } finally {
    await rows.close?.();
  }
  yield before === '[' ? '[]' : '\n]';
}

function isRows(value: unknown): value is Rows {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
