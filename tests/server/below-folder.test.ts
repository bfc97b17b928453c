import { expect, test } from 'vitest';
import { isBelowFolder, isOwnersSite } from '../../routers/schemas/platforms/below-folder.ts';

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

test.each([
  ['Pat.github.io', true],
  ['pat/pat.github.io', true],
  ['pat/sam.github.io', false],
  ['things', false],
  ['', false],
])('the repository %s is the one at the root of its owner’s host: %s', (repository, isAtRoot) => {
  expect(isOwnersSite(repository)).toBe(isAtRoot);
  expect(isBelowFolder('repositoryFolder', '', false, repository)).toBe(!isAtRoot);
});
