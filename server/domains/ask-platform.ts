import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { platformCall } from '../connections/platform-call.ts';
import type { Providers } from '../context.ts';
import { type DomainDoc, DomainModel, type DomainRow } from '../database/models/domains/domain.ts';
import { type DeploymentRow, primaryOf } from '../database/models/publishing/deployment.ts';
import { AppError, shownError } from '../lib/errors.ts';
import type { Platform, PlatformCall, PlatformDomain } from '../publishing/platforms/platform.ts';
import { noAnswer, wasJustAsked } from './attach.ts';
import { withSeenCertificates } from './seen-certificates.ts';

type Reached = Pick<DeploymentRow, 'accountId' | 'slug' | 'isSinglePage' | 'primaryId' | 'destinations'>;
/** A platform's answer about one name. */
export type PlatformAnswer = PlatformDomain & { name: string };

/** Together with the check before it, this stays below the 30 s that the browser waits (src/api/links.ts). */
const ASK_MS = 6_000;

/**
 * Asks the deployment's platform about the attached names, and orders their certificates if the platform wants that
 * and their records are right; at most once a minute unless a person acts. If the platform reports no certificates,
 * the names are checked from outside. A platform's failure is stored as its error, and does not fail the check. A name
 * that it no longer has is attached again by the next check.
 */
export async function askPlatform(
  providers: Providers,
  deployment: Reached,
  domain: DomainDoc,
  { pointedNames, signal }: { pointedNames: readonly string[]; signal: AbortSignal },
): Promise<DomainDoc> {
  const destination = primaryOf(deployment);
  const { attached } = domain;
  if (attached?.destinationId !== destination._id || !(attached.toldAt instanceof Date)) return domain;
  if (wasJustAsked(domain, providers.now())) return domain;
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]);
  const call = platformCall(providers, deployment, destination, inTime);
  const askedAt = providers.now();
  try {
    const asked = await askAll(providers.platforms[destination.platform], call, domain, pointedNames);
    const answers = reportsCertificates(destination.platform)
      ? asked
      : await withSeenCertificates(providers, asked, signal);
    const isGone = answers.some(({ name, ownership }) => name === domain.name && ownership.code === 'not_attached');
    return await saveAnswer(domain, { askedAt, answers, error: null, ...(isGone && { toldAt: null }) });
  } catch (error) {
    if (signal.aborted || !(error instanceof AppError || inTime.aborted)) throw error;
    return saveAnswer(domain, { askedAt, error: shownError(inTime.aborted ? noAnswer(destination.platform) : error) });
  }
}

async function askAll(
  platform: Platform | undefined,
  call: PlatformCall,
  { name, counterpart }: DomainDoc,
  pointedNames: readonly string[],
): Promise<PlatformAnswer[]> {
  const answers: PlatformAnswer[] = [];
  const isManual = platform?.capabilities.domain?.counterpart === 'manual';
  // They are asked in turn: platforms count requests, and there are two names at most.
  for (const one of counterpart && isManual ? [name, counterpart] : [name]) {
    let answer = await platform?.domain?.(call, one);
    const isMissing = answer?.certificate.code === 'certificate_missing' && pointedNames.includes(one);
    if (isMissing && platform?.requestCertificate !== undefined) {
      await platform.requestCertificate(call, one);
      answer = await platform.domain?.(call, one);
    }
    if (answer !== undefined) answers.push({ name: one, ...answer });
  }
  return answers;
}

async function saveAnswer(domain: DomainDoc, outcome: Record<string, unknown>): Promise<DomainDoc> {
  const { _id, accountId, attached } = domain;
  const $set = Object.fromEntries(Object.entries(outcome).map(([field, value]) => [`attached.${field}`, value]));
  const here = { _id, accountId, 'attached.destinationId': attached?.destinationId ?? '' };
  return (await DomainModel.findOneAndUpdate(here, { $set }, { returnDocument: 'after' })) ?? domain;
}

/** The schema leaves the field free; only `askPlatform` writes it. */
export function platformAnswers({ attached }: Pick<DomainRow, 'attached'>): PlatformAnswer[] {
  return (attached?.answers ?? []) as PlatformAnswer[];
}

function reportsCertificates(platform: PlatformId): boolean {
  return PLATFORM_CAPABILITIES[platform]?.domain?.certificate.status !== 'none';
}

/** Returns whether the platform is making a certificate right now. */
export function isCertificateComing(domain: Pick<DomainRow, 'attached'>): boolean {
  return platformAnswers(domain).some(({ certificate }) => certificate.state === 'waiting');
}
