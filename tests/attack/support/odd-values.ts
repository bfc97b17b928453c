import type { Random } from '../../support/random.ts';

/** Texts and values that readers of requests, names, addresses and JSON have stumbled over. */

const ODD_TEXTS = [
  ...['', ' ', '\0', '\n', '\t', '"', "'", '\\', '/', '//', '.', '..', '../', '%', '%0', '%00', '%ff', '%2e%2e%2f'],
  ...['[', ']', '[::1', '[::1]', ':', '::', 'a:99999', 'a:b@c', '*', '?', '#', '-', '--', '\ud800', '\udfff', '\ufeff'],
  ...['é', 'e\u0301', '🚢', '日本語', '\u202e', '\u0000a', '1e999', '-1', '0', 'NaN', 'null', 'undefined', 'true'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', '$where', '$gt', '{}', '[]'],
  ...['<!--', '<script>', '{{7*7}}', "' or 1=1", 'javascript:', 'http://[', 'file:///etc/passwd'],
];

/** Pieces for texts of the greatest length: each repeats a sign at which some scanner starts anew. */
export const REPEATED_PIECES = [
  ...['a', 'A', '0', ' ', '\t', '-', '_', '.', '/', '\\', '%', '%2', '%25', '%41', '=', ';', ',', ':', '*', '"', "'"],
  ...['a-', '-a', 'a.', '.a', './', '../', 'a/', '/*', '*/', ':a', 'a=', 'a,', 'é', '\ud83d', '[', '{', '(', '<', '&'],
];

/** One of the texts above, a few of them in a row, random characters, or one piece over and over. */
export function oddText(random: Random, longest = 4_000): string {
  switch (random.below(4)) {
    case 0:
      return random.pick(ODD_TEXTS).slice(0, longest);
    case 1:
      return random
        .many(2, 6, () => random.pick(ODD_TEXTS))
        .join('')
        .slice(0, longest);
    case 2:
      return random
        .bytes(1 + random.below(40))
        .toString('latin1')
        .slice(0, longest);
    default:
      return longText(random, random.pick(REPEATED_PIECES), longest);
  }
}

/** A piece repeated up to a length, with something else in front or behind. */
export function longText(random: Random, piece: string, longest: number): string {
  const [front, behind] = [random.pick(['', 'a', '/', ' ']), random.pick(['', '!', '\0', '>'])];
  const times = Math.max(0, Math.floor((longest - front.length - behind.length) / piece.length));
  return `${front}${piece.repeat(times)}${behind}`.slice(0, longest);
}

const ODD_NUMBERS = [0, -0, -1, 1.5, 1e308, -1e308, 2e9, 2 ** 31, 2 ** 53, 4_294_967_296, 5e-324];

/** A value of JSON that nobody expects where it stands. */
export function oddValue(random: Random, depth = 0): unknown {
  switch (random.below(depth > 2 ? 4 : 7)) {
    case 0:
      return random.pick([null, true, false]);
    case 1:
      return random.pick(ODD_NUMBERS);
    case 2:
    case 3:
      return oddText(random, 300);
    case 4:
      return random.many(0, 4, () => oddValue(random, depth + 1));
    case 5:
      return Object.fromEntries(random.many(0, 4, () => [oddText(random, 20), oddValue(random, depth + 1)] as const));
    default:
      return nested(random.pick(['array', 'object']), 1 + random.below(2_000));
  }
}

function nested(kind: 'array' | 'object', depth: number): unknown {
  let value: unknown = kind;
  for (let level = 0; level < depth; level += 1) value = kind === 'array' ? [value] : { a: value };
  return value;
}

/** JSON text that no serializer writes, up to a length: of one piece over and over, or cut off. */
export function oddJson(random: Random, longest: number): string {
  const piece = random.pick([
    '[',
    '{"a":',
    '"\\u0000',
    '[1,',
    '{"":{"":',
    '1e9,',
    '"a":',
    'null,',
    '[[],',
    '{"__proto__":',
  ]);
  const many = longText(random, piece, longest);
  if (random.chance(0.5)) return many;
  const list = Array.from({ length: Math.floor(longest / 4) }, () => random.below(1_000));
  return JSON.stringify({ json: list }).slice(0, longest - random.below(3));
}
