import { expect, test } from 'vitest';
import { readSources, type SourceTree } from '../support/source-tree.ts';

/** A docstring is a sentence with a subject; one that begins with these words is the middle of a sentence. */
const FRAGMENT = /^(Its|Of|What|Who|Whom|Whose|How|As|Whether|Where|Which|That|Those|Returns what)\b/;

/** Words that only this code used, or used in its own sense; the second word is the field's. */
const PRIVATE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/i, 'anybody who, the caller'],
  [/\bin the place of\b/i, 'in place of, replaces'],
  [/\b(gives?|gave|given|giving) up\b(?! to)/i, 'stops, aborts, dead letter'],
  [/\btold of\b/i, 'notified of, reported'],
  [/\bmend(s|ed|ing)?\b/i, 'repair, correct'],
  [/\bmakes? do with\b/i, 'is limited to'],
  [/\bpersistently\b/i, 'until it is answered'],
  [/\bhasten(s|ed)?\b/i, 'make due now'],
  [/\bdressed\b/i, 'formatted'],
  [/\b(tally|tallies)\b/i, 'rate counter'],
  [/\btwins?\b/i, 'precompressed variant'],
  [/\bburied\b/i, 'dead letter'],
  [/\bpulse\b/i, 'heartbeat'],
  [/\bheirs?\b/i, 'successor'],
];

/** Matches a docstring at the start of a line, or line comments below each other. */
const COMMENT = /^[ \t]*\/\*\*\s[\s\S]*?\*\/|(?:^[ \t]*\/\/ .*\n?)+/gm;
const MARKS = /^[ \t]*(?:\/\*\*|\*\/|\*(?!\/)|\/\/)|\*\/$/gm;

/** Returns the comments of a text, each in one line, without their marks and without code in backquotes. */
function commentsIn(text: string): { isDocstring: boolean; text: string }[] {
  return Array.from(text.matchAll(COMMENT), ([comment]) => ({
    isDocstring: comment.trimStart().startsWith('/**'),
    text: comment
      .replace(MARKS, '')
      .replace(/\s+/g, ' ')
      .replace(/`[^`]*`/g, '``')
      .trim(),
  }));
}

function faultsIn(path: string, text: string): string[] {
  return commentsIn(text).flatMap((comment) => {
    const word = PRIVATE_WORDS.find(([private_]) => private_.test(comment.text));
    if (word !== undefined) return [`${path}: say "${word[1]}" in "${comment.text.slice(0, 100)}"`];
    return comment.isDocstring && FRAGMENT.test(comment.text) ? [`${path}: ${comment.text.slice(0, 100)}`] : [];
  });
}

function faults(tree: SourceTree): string[] {
  return [...tree].flatMap(([path, text]) => faultsIn(path, text));
}

test('docstrings are sentences, and comments have the words of the field', () => {
  expect(faults(readSources(['routers', 'server', 'src', 'tests']))).toEqual([]);
});

test.each([
  ['a fragment in one line', '/** What the row holds. */\nconst a = 1;'],
  [
    'a fragment in several lines',
    'type A = {\n  /**\n   * How long it takes, which nobody\n   * knows.\n   */\n  a: 1;\n};',
  ],
  ['a fragment inside a type', 'type A = {\n  /** Its length. */\n  a: 1;\n};'],
  ['a private word in a docstring', '/** Answers whoever asks. */\nconst a = 1;'],
  ['a private word across two lines', '/**\n * Stands in the place\n * of another.\n */'],
  ['a private word in a line comment', '  // It gives up here.'],
])('a planted one is found: %s', (_kind, text) => {
  expect(faultsIn('planted.ts', text)).toHaveLength(1);
});

test('sentences, names of code and globs pass', () => {
  const text =
    "/** Answers `whoever` asks. */\nconst a = ['tests/**/*.ts'];\n/** The time that it takes. */\n// Stops.";
  expect(faultsIn('planted.ts', text)).toEqual([]);
});
