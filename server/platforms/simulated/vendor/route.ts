import type * as z from 'zod/mini';
import type { VendorStep } from './faults.ts';
import type { Records, SiteRecord } from './records.ts';

/** A request as the routes see it: the parts of its path that the pattern names, its query and its body. */
export type VendorCall = {
  parts: readonly string[];
  query: URLSearchParams;
  body: Buffer;
  /** States that what is made goes through before its own. */
  states: readonly string[];
  records: Records;
  /** What name servers answer. */
  zone: readonly ZoneRecord[];
  addressOf(name: string): string;
};
export type ZoneRecord = { type: string; name: string; value: string };
export type VendorReply = { status: number; body?: unknown };
export type Route = {
  method: string;
  pattern: RegExp;
  step: VendorStep;
  answer(call: VendorCall): Promise<VendorReply>;
};

export const NOT_THERE: VendorReply = { status: 404, body: { message: 'Not Found' } };

/** With a field that no client knows. */
export function ok(body: Record<string, unknown>, status = 200): VendorReply {
  return { status, body: { ...body, added_last_week: true } };
}

export function refused(status: number, code: string, message: string): VendorReply {
  return { status, body: { code, message } };
}

export function json<T>(shape: z.ZodMiniType<T>, body: Buffer): T {
  return shape.parse(JSON.parse(body.toString('utf8')));
}

/** The site that the first part of the path names. */
export async function withSite(
  call: VendorCall,
  work: (site: SiteRecord) => Promise<VendorReply>,
): Promise<VendorReply> {
  const site = await call.records.read('sites', call.parts[0] ?? '');
  return site === null ? NOT_THERE : work(site);
}
