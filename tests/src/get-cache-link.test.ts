import superjson from 'superjson';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getCache } from '../../src/api/get-cache.ts';
import { trpcClient } from '../../src/api/trpc.ts';

const DEPLOYMENT = '0123456789abcdefghij';
/** The requests to the server, in order. */
let asked: string[] = [];
let isRefusing = false;

beforeEach(() => {
  asked = [];
  isRefusing = false;
  getCache.clear();
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const [path = ''] = String(input).split('?');
    if (!path.startsWith('/api/trpc/')) return new Response('{}', { status: 401 });
    asked.push(path.slice('/api/trpc/'.length));
    if (!isRefusing) return Response.json([{ result: { data: superjson.serialize({ items: [], nextCursor: null }) } }]);
    const data = { code: 'conflict', requestId: 'request-1' };
    return Response.json([{ error: { json: { message: 'It runs.', code: -32009, data } } }], { status: 409 });
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const look = () => trpcClient.deployments.list.query({});
const change = () => trpcClient.deployments.remove.mutate({ deploymentId: DEPLOYMENT });

test('a question that was answered is not asked again within five minutes', async () => {
  await look();
  await look();
  expect(asked).toEqual(['deployments.list']);
});

test('a change empties the cache, and so does one that failed', async () => {
  await look();
  await change();
  await look();
  expect(asked).toEqual(['deployments.list', 'deployments.remove', 'deployments.list']);

  isRefusing = true;
  await expect(change()).rejects.toThrow('It runs.');
  isRefusing = false;
  await look();
  expect(asked.slice(3)).toEqual(['deployments.remove', 'deployments.list']);
});
