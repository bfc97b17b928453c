import { LRUCache } from 'lru-cache';

/**
 * The content codings of finished bodies (RFC 9110, 12.5.3). Among those that a client accepts equally, br comes
 * before gzip, and both before the plain body.
 */
export type Coding = 'br' | 'gzip' | 'identity';

const ONLY_PLAIN: readonly Coding[] = ['identity'];
/** Header values repeat: a handful of browsers write all of them. */
const REMEMBERED_MAX = 500;
const HEADER_MAX = 200;
const remembered = new LRUCache<string, readonly Coding[]>({ max: REMEMBERED_MAX });

/**
 * Returns the encodings that a client accepts, best first. Refused ones are not listed; the plain body is sent when
 * nothing else is left.
 */
export function codingsFor(acceptEncoding: string | undefined): readonly Coding[] {
  if (acceptEncoding === undefined || acceptEncoding.length > HEADER_MAX) return ONLY_PLAIN;
  const known = remembered.get(acceptEncoding);
  if (known !== undefined) return known;
  const read = readCodings(acceptEncoding);
  remembered.set(acceptEncoding, read);
  return read;
}

function readCodings(header: string): readonly Coding[] {
  const weights = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = q === undefined ? 1 : Number(q.slice(2));
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, Number.isNaN(weight) ? 0 : weight);
  }
  const star = weights.get('*');
  const weightOf = (coding: Coding): number =>
    // The plain body is always welcome unless it is refused by name or by the star.
    weights.get(coding) ?? star ?? (coding === 'identity' ? Number.MIN_VALUE : 0);
  const order: readonly Coding[] = ['br', 'gzip', 'identity'];
  // The sort is stable: among equals the first of the order stays first.
  return order.filter((coding) => weightOf(coding) > 0).sort((a, b) => weightOf(b) - weightOf(a));
}
