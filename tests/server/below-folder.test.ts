import { expect, test } from 'vitest';
import { isBelowFolder } from '../../routers/schemas/platforms/below-folder.ts';

test.each([
  ['repositoryFolder', '', false, true],
  ['root', '', false, false],
  [undefined, '', false, false],
  ['repositoryFolder', 'https://pat.github.io/things', false, true],
  ['repositoryFolder', 'https://pat.github.io', false, false],
  ['repositoryFolder', 'https://pat.github.io/things', true, false],
] as const)(
  'a site that is put at its %s, has the address "%s" and a domain: %s',
  (basePath, url, hasDomain, isBelow) => {
    expect(isBelowFolder(basePath, url, hasDomain)).toBe(isBelow);
  },
);
