import type { Providers } from '../context.ts';
import { type Egress, EgressError } from '../lib/egress/egress.ts';
import { urlOf } from '../lib/site-names.ts';
import type { PlatformDomain } from '../publishing/platforms/platform.ts';

const SEEN = {
  state: 'ok',
  code: 'certificate_issued',
  text: 'Browsers get a valid certificate for this domain.',
} as const;
/** A handshake and an empty answer; a slower server is checked again by the next check. */
const LOOK_MS = 3_000;

/**
 * Replaces a platform's answer about certificates with a browser's view, for the names that the platform serves: a
 * handshake whose certificate is trusted, names the domain and has not expired. Anything else leaves the answer as it
 * is, since platforms take their time.
 */
export async function withSeenCertificates<Answer extends PlatformDomain & { name: string }>(
  { egress }: Pick<Providers, 'egress'>,
  answers: readonly Answer[],
  signal: AbortSignal,
): Promise<Answer[]> {
  return Promise.all(
    answers.map(async (answer) => {
      if (answer.dns.state !== 'ok' || answer.certificate.state !== 'waiting') return answer;
      const expiresAt = await seenEnd(egress, answer.name, signal);
      if (expiresAt === null) return answer;
      return { ...answer, certificate: { ...SEEN, expiresAt } };
    }),
  );
}

/** Returns the expiry of the certificate that browsers get for this name; null while they get none that they trust. */
async function seenEnd(egress: Egress, name: string, signal: AbortSignal): Promise<Date | null> {
  let end: Date | null = null;
  const request = {
    method: 'HEAD',
    signal,
    maxBytes: 0,
    wholeMs: LOOK_MS,
    isFresh: true,
    onCertificate: (notAfter: Date) => {
      end = notAfter;
    },
  } as const;
  try {
    await egress.request(`${urlOf('https', name)}/`, request, async () => undefined);
  } catch (error) {
    // Anything after the handshake is not about the certificate.
    if (!(error instanceof EgressError)) throw error;
  }
  return end;
}
