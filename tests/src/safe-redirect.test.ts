import { expect, test } from 'vitest';
import { wantedRedirect } from '../../src/lib/paths/safe-redirect.ts';

const origin = 'https://app.example';

test.each([
  '/dashboard',
  '/deployments?state=live&search=a%20b',
  '/deployments/0123456789abcdefghij/releases/3#log',
  '/',
])('%s is followed', (path) => {
  expect(wantedRedirect(path, origin)).toBe(path);
});

test.each([
  [null],
  [''],
  ['dashboard'],
  ['evil.example'],
  ['https://evil.example/dashboard'],
  ['https:evil.example'],
  ['//evil.example/dashboard'],
  ['///evil.example/dashboard'],
  ['/\\evil.example/dashboard'],
  ['\\\\evil.example'],
  ['/\t/evil.example/dashboard'],
  ['\t//evil.example'],
  ['/\n//evil.example'],
  ['javascript:alert(1)'],
  [' javascript:alert(1)'],
  ['data:text/html,evil'],
  ['/api/logout'],
  ['/nowhere'],
  ['/login'],
  ['/register?redirect=/login'],
  ['/auth'],
  ['/dashboard/../api/user'],
  ['/.//help'],
  ['/..//account'],
  ['/dashboard/..//help'],
  ['/deployments//x'],
])('%j leads nowhere', (redirect) => {
  expect(wantedRedirect(redirect, origin)).toBe(null);
});
