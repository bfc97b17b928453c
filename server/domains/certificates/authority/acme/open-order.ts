import * as z from 'zod/mini';
import { listOf } from '../../../../lib/egress/answer-json.ts';
import { type AuthorityCall, AuthorityError } from '../authority.ts';
import { address, linkOf, parse, signerOf, type Transport } from './transport.ts';

/** Some authorities list every order, a few to a page: reading on would cost more than another order. */
const ORDER_PAGES_MAX = 50;
const ORDERS_READ_MAX = 50;

/** Authorities may leave it out (RFC 8555, section 7.1.2.1). */
const accountSchema = z.object({ orders: z.optional(address) });
const nextSchema = z.nullable(address);
const orderListSchema = z.object({ orders: listOf(address) });
const listedOrderSchema = z.object({ status: z.string(), identifiers: listOf(z.object({ value: z.string() })) });

/**
 * Returns the address of an order of our account for just these names that can be continued; null when none is found. A
 * list that cannot be read costs another order, and no more.
 */
export async function findOpenOrder(
  transport: Transport,
  call: AuthorityCall,
  names: readonly string[],
): Promise<string | null> {
  const wanted = [...names].sort().join();
  try {
    for (const url of (await listOrders(transport, call)).slice(-ORDERS_READ_MAX).reverse()) {
      const { json } = await transport.post(url, signerOf(call), undefined, call.signal);
      const { status, identifiers } = parse(listedOrderSchema, json);
      const isFor = identifiers.map(({ value }) => value).sort();
      if (['pending', 'ready'].includes(status) && isFor.join() === wanted) return url;
    }
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error;
  }
  return null;
}

async function listOrders(transport: Transport, call: AuthorityCall): Promise<string[]> {
  const account = await transport.post(call.accountUrl, signerOf(call), undefined, call.signal);
  const found: string[] = [];
  let next = parse(accountSchema, account.json).orders ?? null;
  for (let pages = 0; next !== null && pages < ORDER_PAGES_MAX; pages += 1) {
    const { json, headers } = await transport.post(next, signerOf(call), undefined, call.signal);
    found.push(...parse(orderListSchema, json).orders);
    next = parse(nextSchema, linkOf(headers, 'next'));
  }
  // The newest orders are on the last page.
  return next === null ? found : [];
}
