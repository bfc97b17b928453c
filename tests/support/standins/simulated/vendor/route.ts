import type * as z from 'zod/mini';
import type { Reply, Route, StandInCall } from '../../stand-in.ts';
import type { Records, SiteRecord } from './records.ts';

/** `zone` holds what name servers answer. */
export type World = { records: Records; zone: ZoneRecord[] };
export type ZoneRecord = { type: string; name: string; value: string };

export type VendorCall = StandInCall<World> & World & { addressOf(name: string): string };
export type VendorReply = Reply;
export type VendorRoute = Omit<Route<World>, 'answer'> & { answer(call: VendorCall): Promise<VendorReply> };

export const NOT_THERE: VendorReply = { status: 404, body: { message: 'Not Found' } };

export function ok(body: unknown, status = 200): VendorReply {
  return { status, body };
}

export function refused(status: number, code: string, message: string): VendorReply {
  return { status, body: { code, message } };
}

export function json<T>(shape: z.ZodMiniType<T>, body: Buffer): T {
  return shape.parse(JSON.parse(body.toString('utf8')));
}

/** Returns the site that the first part of the path names. */
export async function withSite(
  call: VendorCall,
  work: (site: SiteRecord) => Promise<VendorReply>,
): Promise<VendorReply> {
  const site = await call.records.read('sites', call.parts[0] ?? '');
  return site === null ? NOT_THERE : work(site);
}
