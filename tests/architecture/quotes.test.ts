import { expect, test } from 'vitest';
import { readSources } from '../support/source-tree.ts';

/** An apostrophe as a typewriter has it, or words between its quotes. */
const STRAIGHT = /[a-z]'[a-z]|[ (`']"[a-z][\w .,:?!’-]*"(?=[\s).,;`'])/i;
const COMMENT = /^\s*(\*|\/\*).*$|\/\*\*.*\*\/|\/\/ .*$/;

/** Sentences whose wording is prescribed, apostrophe included. */
const FIXED = /Passwords don't match|Now let's choose|You're now part|you've been logged out|We'll get back to you/;

const MAY_HAVE = [
  // A terminal shows commands between straight quotes, as a shell reads them.
  /^server\/(cli|boot|http\/web-app\.ts)/,
  // Text for programs and from them: one in another language, the log of the database, files of platforms, a CAA record.
  /^server\/database\/embedded\//,
  /^server\/publishing\/platforms\/(heroku\/static-server|replit\/index)\.ts$/,
  /^server\/simulation\/check-failures\.ts$/,
  /^routers\/schemas\/platforms\/unclaimed-pages\.ts$/,
];

test('texts have the apostrophes and quotes of print', () => {
  const found: string[] = [];
  for (const [path, text] of readSources(['routers', 'server', 'src'])) {
    if (MAY_HAVE.some((place) => place.test(path))) continue;
    for (const line of text.split('\n')) {
      const code = line.replace(COMMENT, '');
      if (STRAIGHT.test(code) && !FIXED.test(code)) found.push(`${path}: ${line.trim()}`);
    }
  }
  expect(found).toEqual([]);
});
