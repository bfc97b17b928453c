import { expect, test } from 'vitest';
import { folderOf, isOwnersSite } from '../../../routers/schemas/platforms/below-folder.ts';

test.each([
  ['repositoryFolder', '', false, null],
  ['root', '', false, ''],
  [undefined, '', false, ''],
  ['repositoryFolder', 'https://pat.github.io/things', false, 'things'],
  ['repositoryFolder', 'https://pat.github.io/things/', false, 'things'],
  ['repositoryFolder', 'https://pat.github.io', false, ''],
  ['repositoryFolder', 'https://pat.github.io/things', true, ''],
] as const)(
  'a site that is put at its %s, has the address "%s" and a domain: %s is below the folder %s',
  (basePath, url, hasDomain, folder) => {
    expect(folderOf(basePath, url, hasDomain)).toBe(folder);
  },
);

test.each([
  ['Pat.github.io', ''],
  ['pat/pat.github.io', ''],
  ['pat/sam.github.io', 'sam.github.io'],
  ['things', 'things'],
  ['', null],
])('the repository "%s" puts a site below the folder "%s" of its owner’s host', (repository, folder) => {
  expect(isOwnersSite(repository)).toBe(folder === '');
  expect(folderOf('repositoryFolder', '', false, repository)).toBe(folder);
});
