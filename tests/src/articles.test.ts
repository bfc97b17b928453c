import { expect, test } from 'vitest';
import { parseRedirects } from '../../routers/rules/hosting/redirects-file.ts';
import { searchArticles } from '../../src/features/help/articles.ts';
import { guides } from '../../src/features/help/guides.ts';
import { questions } from '../../src/features/help/questions.ts';

const titles = (search: string, chapters = questions) =>
  searchArticles(chapters, search).flatMap(({ articles }) => articles.map(({ title }) => title));

test('a search finds the articles that hold all of its words, in any order and case', () => {
  expect(titles('PASSWORD forgot')).toEqual(['I forgot my password. What now?']);
  expect(titles('new password').length).toBeGreaterThan(1);
  expect(titles('zebra')).toEqual([]);
  expect(titles('outbox').length).toBe(1);
  // The title of a chapter is a word for all that is in it.
  expect(titles('plans money')).toContain('What does the trial cost?');
});

test('Help has an answer for what people call things', () => {
  const words = [
    'price',
    'cost',
    'roll',
    'rollback',
    'undo',
    'delete',
    'password',
    'billing',
    'trial',
    'token',
    'dark',
    'previous version',
    'old version',
    'confirm',
    'phone',
    'mobile',
  ];
  for (const word of words) expect(titles(word, guides), word).not.toEqual([]);
  expect(titles('billing')).not.toEqual([]);
  expect(titles('undo', guides)).toContain('Roll back to an earlier release');
  expect(titles('confirm email', guides)).toContain('Change your password or email address');
});

test('an empty search leaves everything in its chapters', () => {
  expect(searchArticles(questions, '  ')).toEqual(questions);
});

test('every article has an anchor of its own', () => {
  for (const chapters of [questions, guides]) {
    const ids = chapters.flatMap(({ articles }) => articles.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9-]+$/);
  }
});

test('every rule that the guide to _redirects shows is one that the host follows', () => {
  const { paragraphs = [] } =
    guides.flatMap(({ articles }) => articles).find(({ id }) => id === 'redirects-file') ?? {};
  const rules = paragraphs.flatMap((paragraph) => /^(\/\S+ \S+ \d+) — /.exec(String(paragraph))?.[1] ?? []);
  expect(rules.length).toBeGreaterThan(3);
  const read = parseRedirects(rules.join('\n'));
  expect([read.rules.length, read.problems]).toEqual([rules.length, []]);
});
