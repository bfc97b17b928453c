import { expect, test } from 'vitest';
import { ownAddress, webOrigin } from '../../server/publishing/platforms/git/hosts.ts';

test.each([
  ['https://api.github.com', 'https://github.com'],
  ['https://api.harbour.ghe.com', 'https://harbour.ghe.com'],
  ['https://github.example.com/api/v3', 'https://github.example.com'],
  ['https://api.example.com:8443/api/v3', 'https://api.example.com:8443'],
])('people of the API at %s are at %s', (apiUrl, origin) => {
  expect(webOrigin(apiUrl)).toBe(origin);
});

test.each([
  ['https://api.github.com', 'Pat/Things', 'https://pat.github.io/Things'],
  ['https://api.github.com', 'Pat/pat.github.io', 'https://pat.github.io'],
  ['https://github.example.com/api/v3', 'Pat/Things', 'https://github.example.com/pages/Pat/Things'],
])('below %s the website of %s is at %s', (apiUrl, repository, address) => {
  expect(ownAddress(apiUrl, repository)).toBe(address);
});
