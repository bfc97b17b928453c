import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { nameCanBeShown } from '../../routers/schemas/primitives.ts';

const isName = (name: string): boolean => z.string().check(nameCanBeShown).safeParse(name).success;

test.each([
  ['Persian', 'می\u200cخواهم'],
  ['Hindi', 'क्\u200dष'],
  ['a family', '👩\u200d👩\u200d👧'],
  ['an occupation with a tone of skin', '👩🏽\u200d💻'],
  ['a flag', '🏳\ufe0f\u200d🌈'],
  ['an emoji of several with a selector within', '❤\ufe0f\u200d🔥'],
  ['a digit in a key', '1\ufe0f\u20e3'],
  ['a sign as text', '☎\ufe0e'],
  ['a Han letter in its own shape', '辻\u{e0100}'],
  ['Mongolian', 'ᠨᠠ\u180bᠷᠠ'],
  ['Korean', '한글'],
  ['Braille', '⠓⠊'],
])('%s is a name: %j', (_what, name) => {
  expect(isName(name)).toBe(true);
  expect(isName(`My ${name} 2`)).toBe(true);
});

test.each([
  ['a joiner at the start', '\u200dक'],
  ['a joiner at the end', 'می\u200c'],
  ['a joiner beside a space', 'می\u200c خواهم'],
  ['two joiners', 'می\u200c\u200cخواهم'],
  ['a joiner between digits', '1\u200d2'],
  ['a space without width', 'می\u200bخواهم'],
  ['a mark that turns the direction', 'abc\u202edef'],
  ['an isolate', 'می\u2066خواهم'],
  ['a control character', 'a\u0000b'],
  ['half of a pair', 'a\ud83db'],
  ['a filler of Hangul', '\u3164'],
  ['a half-width filler of Hangul', '\uffa0'],
  ['a filler of a leading consonant', '\u115f'],
  ['a filler of a vowel', '\u1160'],
  ['the blank of Braille', '\u2800'],
  ['a selector alone', '\ufe0f'],
  ['a selector behind a letter', 'a\ufe0f'],
  ['two selectors', '❤\ufe0f\ufe0f'],
  ['a joiner of graphemes', 'a\u034fb'],
  ['a separator of lines', 'a\u2028b'],
  ['a separator of paragraphs', 'a\u2029b'],
])('%s cannot be shown: %j', (_what, name) => {
  expect(isName(name)).toBe(false);
});
