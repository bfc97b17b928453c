import { parseAnswer } from './answer-json.ts';

/**
 * Reads JSON that is one list of many megabytes. Each item is parsed by itself, so that other requests get their turn.
 * An item must be short, and so must the text around the list.
 */
const PART_LENGTH_MAX = 64 * 1024;
const ITEMS_A_STEP = 100;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const BEGINS: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const ENDS: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Reads an object with one long list; `beginsWith` finds the start of the list, and `around` is the object with the
 * list left empty. Returns undefined for anything else, for more than `itemsMax` items, and when `take` returns
 * undefined for an item. Run it with `runInTimeSlices`.
 */
export function* readLongList<Item>(
  text: string,
  { beginsWith, itemsMax, take }: { beginsWith: RegExp; itemsMax: number; take(item: unknown): Item | undefined },
): Generator<void, { items: Item[]; around: unknown } | undefined> {
  const found = beginsWith.exec(text.slice(0, PART_LENGTH_MAX));
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const items: Item[] = [];
  for (let at = start; ; ) {
    const end = endOfItem(text, at);
    if (end === undefined) return undefined;
    const isLast = text.charCodeAt(end) !== COMMA;
    const piece = text.slice(at, end).trim();
    const isEmptyList = isLast && at === start && piece === '';
    const item = piece === '' ? undefined : take(parseAnswer(piece));
    if (item !== undefined) items.push(item);
    if ((item === undefined && !isEmptyList) || items.length > itemsMax) return undefined;
    if (isLast) return text.length - end > PART_LENGTH_MAX ? undefined : withAround(items, text, { start, end });
    at = end + 1;
    if (items.length % ITEMS_A_STEP === 0) yield;
  }
}

function withAround<Item>(items: Item[], text: string, { start, end }: { start: number; end: number }) {
  const around = parseAnswer(text.slice(0, start) + text.slice(end));
  return around === undefined ? undefined : { items, around };
}

/** Returns the end of an item: the comma or the end of the list. Returns undefined when that is too far away. */
function endOfItem(text: string, start: number): number | undefined {
  let depth = 0;
  let isInText = false;
  for (let at = start; at < text.length && at - start <= PART_LENGTH_MAX; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isInText = !isInText;
    else if (isInText) at += code === BACKSLASH ? 1 : 0;
    else if (depth === 0 && (code === COMMA || ENDS.has(code))) return at;
    else if (BEGINS.has(code)) depth += 1;
    else if (ENDS.has(code)) depth -= 1;
  }
  return undefined;
}
