import type { Providers } from '../../context.ts';
import { type Egress, EgressError } from '../../lib/egress/egress.ts';
import type { PlatformDomain } from '../../platforms/platform.ts';

const SEEN = {
  state: 'ok',
  code: 'certificate_issued',
  text: 'Browsers get a valid certificate for this domain.',
} as const;
/** A handshake and an empty answer; who needs longer is seen by the next check. */
const LOOK_MS = 3_000;

/**
 * Puts in the place of a platform's word on certificates what a browser would see, for those names that the platform
 * serves: a handshake whose certificate is trusted, names the domain and has not run out. Anything else leaves the word
 * as it is, since platforms take their time.
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

/** Until when the certificate is valid that browsers get for this name; null while they get none that they trust. */
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
    await egress.request(`https://${name}/`, request, async () => undefined);
  } catch (error) {
    // Whatever was said after the handshake is not about the certificate.
    if (!(error instanceof EgressError)) throw error;
  }
  return end;
}
