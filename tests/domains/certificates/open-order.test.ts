import { expect, test } from 'vitest';
import { findOpenOrder } from '../../../server/domains/certificates/authority/acme/open-order.ts';
import type { Transport } from '../../../server/domains/certificates/authority/acme/transport.ts';

const ORIGIN = 'https://authority.example';
const NAMES = ['example.com'];
const CALL = { accountKey: '', accountUrl: `${ORIGIN}/account`, signal: new AbortController().signal };

const answer = (json: unknown, headers = {}) => ({
  ...{ status: 200, text: '', json, retryAfterMs: null },
  headers: new Headers(headers),
});

/** An authority that lists one order a page, the newest last. */
function transportOf(orders: number, nextOrigin = ORIGIN): Transport {
  const none = () => Promise.reject(new Error('Nothing else is asked for.'));
  return {
    directory: none,
    get: none,
    async post(url) {
      const { pathname, searchParams } = new URL(url);
      if (pathname === '/account') return answer({ orders: `${ORIGIN}/orders?page=1` });
      const page = Number(searchParams.get('page'));
      if (pathname !== '/orders') return answer({ status: 'pending', identifiers: NAMES.map((value) => ({ value })) });
      const next = page < orders ? { link: `<${nextOrigin}/orders?page=${page + 1}>;rel="next"` } : {};
      return answer({ orders: [`${ORIGIN}/order/${page}`] }, next);
    },
  };
}

test('an open order is found on the last of fifty pages, and none where the last page is not reached', async () => {
  expect(await findOpenOrder(transportOf(50), CALL, NAMES)).toBe(`${ORIGIN}/order/50`);
  expect(await findOpenOrder(transportOf(51), CALL, NAMES)).toBeNull();
  expect(await findOpenOrder(transportOf(2, 'http://authority.example'), CALL, NAMES)).toBeNull();
});
