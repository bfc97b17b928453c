import { expect, test } from 'vitest';
import { cacheKey, createGetCache, isCacheable } from '../../src/api/get-cache.ts';

const of = (accountId: string | null, hasToken = true) => ({ hasToken: () => hasToken, accountId: () => accountId });

test('an answer is kept for five minutes', () => {
  let now = 0;
  const cache = createGetCache(() => now);
  cache.set('key', 'value', cache.generation());
  now = 299_999;
  expect(cache.get('key')).toEqual({ value: 'value' });
  now = 300_000;
  expect(cache.get('key')).toBeNull();
  expect(cache.size()).toBe(0);
});

test('a hundred answers are kept, the oldest goes first', () => {
  const cache = createGetCache(() => 0);
  for (let index = 0; index <= 100; index += 1) cache.set(`key ${index}`, index, cache.generation());
  expect(cache.size()).toBe(100);
  expect(cache.get('key 0')).toBeNull();
  expect(cache.get('key 1')).toEqual({ value: 1 });
});

test('an answer from before an emptying is not kept', () => {
  const cache = createGetCache(() => 0);
  const before = cache.generation();
  cache.clear();
  cache.set('key', 'old', before);
  expect(cache.get('key')).toBeNull();
});

test.each([
  'user.get',
  'auth.sessions',
  '/api/user',
  '/api/login',
  '/api/register',
  '/api/logout',
  '/api/refresh-token',
])('%s is never kept', (name) => {
  expect(isCacheable(name)).toBe(false);
  expect(cacheKey(of('a'), name, null)).toBeNull();
});

test.each(['deployments.list', 'releases.get', 'subscription.allowance', '/api/subscription'])(
  '%s may be kept',
  (name) => {
    expect(isCacheable(name)).toBe(true);
  },
);

test('accounts, procedures and inputs have keys of their own', () => {
  const keys = [
    cacheKey(of('a'), 'deployments.list', { limit: 25 }),
    cacheKey(of('b'), 'deployments.list', { limit: 25 }),
    cacheKey(of('a'), 'releases.list', { limit: 25 }),
    cacheKey(of('a'), 'deployments.list', { limit: 50 }),
    cacheKey(of(null, false), 'deployments.list', { limit: 25 }),
  ];
  expect(new Set(keys).size).toBe(5);
});

test('while nobody knows whose token it is, nothing is kept', () => {
  expect(cacheKey(of(null), 'deployments.list', null)).toBeNull();
});

test('an account that has left its id behind is not mistaken for a visitor', () => {
  expect(cacheKey(of('a', false), 'disclaimer.status', null)).toBe(
    cacheKey(of(null, false), 'disclaimer.status', null),
  );
});
