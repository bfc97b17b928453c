import type { ClientSession } from 'mongoose';
import type { CertificateState } from '../../../routers/schemas/state-names.ts';
import { mailOwner } from '../../account/mail/queue-mail.ts';
import type { Providers } from '../../context.ts';
import type { CertificateRow } from '../../database/models/domains/certificate.ts';
import { publishEvent } from '../../events/publish.ts';
import { dayInWords } from '../../lib/durations.ts';

type NotifiedCertificate = Pick<CertificateRow, 'accountId' | 'domainId' | 'names' | 'issued'>;

const WARNED = 'Browsers warn visitors until there is a new one.';

/**
 * Publishes that a certificate was issued, has failed, has expired or was revoked, or that visitors get another one.
 */
export async function publishStatus(
  session: ClientSession,
  { accountId, names }: Pick<NotifiedCertificate, 'accountId' | 'names'>,
  status: { sslStatus: CertificateState | 'replaced'; isValid: boolean },
): Promise<void> {
  await publishEvent(session, accountId, { type: 'ssl_status', domain: names[0] ?? '', ...status });
}

/** Returns whether a certificate was issued, and has not expired. */
export function isUsable({ issued }: Pick<NotifiedCertificate, 'issued'>, now: Date): boolean {
  return issued !== null && issued !== undefined && issued.notAfter > now;
}

/**
 * Notifies the owner that it could not be issued or renewed. The caller ensures that this happens once for each cause.
 */
export async function notifyFailure(
  session: ClientSession,
  providers: Providers,
  certificate: NotifiedCertificate,
  message: string,
): Promise<void> {
  await publishStatus(session, certificate, { sslStatus: 'failed', isValid: isUsable(certificate, providers.now()) });
  // The owner waits for a first certificate on the page of its domain, and nobody relies on it yet.
  if (certificate.issued) await mailAbout(session, providers, certificate, { kind: 'renewal-failed', message });
}

/** Notifies the owner that a renewed certificate is not for these names any more. */
export async function notifyLoss(
  session: ClientSession,
  providers: Providers,
  { accountId, domainId, problem }: Pick<CertificateRow, 'accountId' | 'domainId' | 'problem'>,
  names: string[],
): Promise<void> {
  const lost = { accountId, domainId, names, issued: null };
  await mailAbout(session, providers, lost, { kind: 'renewal-failed', message: `${problem?.message} ${WARNED}` });
}

/** Notifies the owner, weeks ahead, that a renewal cannot succeed as things are. */
export async function notifyObstacle(
  session: ClientSession,
  providers: Providers,
  certificate: NotifiedCertificate,
  message: string,
): Promise<void> {
  const { accountId, names } = certificate;
  const title = 'Certificate renewal will fail';
  const event = { title, message: `${names[0]}: ${message}`, variant: 'destructive' } as const;
  await publishEvent(session, accountId, { type: 'notification', ...event });
  await mailAbout(session, providers, certificate, { kind: 'renewal-at-risk', message });
}

/** Notifies the owner that no valid certificate is served any more. */
export async function notifyExpiry(
  session: ClientSession,
  providers: Providers,
  certificate: NotifiedCertificate,
): Promise<void> {
  await publishStatus(session, certificate, { sslStatus: 'expired', isValid: false });
  const message = `It was not renewed in time. ${WARNED}`;
  await mailAbout(session, providers, certificate, { kind: 'certificate-expired', message });
}

type News = { kind: 'renewal-failed' | 'renewal-at-risk' | 'certificate-expired'; message: string };

async function mailAbout(
  session: ClientSession,
  providers: Providers,
  { accountId, domainId, names, issued }: NotifiedCertificate,
  { kind, message }: News,
): Promise<void> {
  const until =
    issued && isUsable({ issued }, providers.now())
      ? ` The current certificate works until ${dayInWords(issued.notAfter)}.`
      : '';
  const values = { kind, name: names[0] ?? '', message: `${message}${until}`, page: `/domains/${domainId}` };
  await mailOwner(session, providers, accountId, values);
}
