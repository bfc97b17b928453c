import { X509Certificate } from 'node:crypto';
import * as z from 'zod/mini';
import { HOUR_MS } from '../../../../lib/durations.ts';
import type { RenewalInfo } from '../authority.ts';
import { authorityKeyIdOf } from '../x509.ts';

/** The bounds of the interval, whatever `Retry-After` says (RFC 9773, section 4.3.3, asks for such bounds). */
const ASK_MIN_MS = 5_000;
export const ASK_MAX_MS = 6 * HOUR_MS;

const answerSchema = z.object({
  suggestedWindow: z.object({ start: z.string(), end: z.string() }),
  explanationURL: z.catch(z.optional(z.string()), undefined),
});

/**
 * Returns the name of a certificate in renewal information (RFC 9773, section 4.1); null without the authority's key
 * id.
 */
export async function certIdOf(chain: string): Promise<string | null> {
  const keyId = await authorityKeyIdOf(chain);
  if (keyId === null) return null;
  const hex = new X509Certificate(chain).serialNumber;
  // OpenSSL drops the zero byte that keeps a DER integer from being negative.
  const serial = Buffer.from(/^[89A-F]/i.test(hex) ? `00${hex}` : hex, 'hex');
  return `${keyId.toString('base64url')}.${serial.toString('base64url')}`;
}

/** Reads an answer; returns null for an absurd one, after which the lifetime alone decides. */
export function parseRenewalInfo(value: unknown, retryAfterMs: number | null): RenewalInfo | null {
  const parsed = answerSchema.safeParse(value).data;
  if (parsed === undefined) return null;
  const { suggestedWindow, explanationURL } = parsed;
  const [start, end] = [new Date(suggestedWindow.start), new Date(suggestedWindow.end)];
  if (Number.isNaN(start.getTime()) || Number.isNaN(end.getTime()) || end <= start) return null;
  return {
    start,
    end,
    explanationUrl: explanationURL?.startsWith('https://') ? explanationURL : null,
    askAgainMs: Math.min(Math.max(retryAfterMs ?? ASK_MAX_MS, ASK_MIN_MS), ASK_MAX_MS),
  };
}
