import { takeAway } from '../../connections/challenge-records.ts';
import type { Providers } from '../../context.ts';
import { CertificateModel, type CertificateRow } from '../../database/models/domains/certificate.ts';
import { ChallengeRecordModel } from '../../database/models/domains/challenge-record.ts';
import { DomainModel } from '../../database/models/domains/domain.ts';
import { transaction } from '../../database/mongo.ts';
import { moveCertificate } from '../../database/move-state.ts';
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts';
import { takeTurns } from './account-turns.ts';
import { ASK_MAX_MS } from './authority/acme/ari.ts';
import { AuthorityError, type RenewalInfo } from './authority/authority.ts';
import { renewAt } from './authority/renewal.ts';
import { ensureCertificate, expediteIssue, isServedElsewhere, removeCertificates } from './ensure.ts';
import { notifyExpiry } from './notify-owner.ts';
import { LAST_DAYS_MS } from './outcome.ts';
import { type Rehearsed, rehearse } from './rehearse.ts';
import { storeRehearsal } from './store-rehearsal.ts';

type MaintenanceRun = { providers: Providers; signal: AbortSignal };

/** This work serves all accounts; each write names its own. */
const ALL = { acrossAccounts: 'jobs' } as const;
/** The limit of one run: the next is minutes away. */
const RUN_MAX = 500;
/** The limits of one account in one run, which begins none after this time: accounts take turns. */
const REHEARSALS_MAX = 50;
const REHEARSALS_MS = 20_000;
/** Covers the account and two rounds of a preflight, ten seconds each; no rehearsal takes longer. */
const REHEARSAL_MS = 30_000;
/** The same limits for leftover challenge records. */
const LEFT_MAX = 100;
const LEFT_MS = 15_000;
const REHEARSE_AGAIN_MS = HOUR_MS;
const ENSURE_EVERY_MS = DAY_MS;
const DOMAIN_FIELDS = { accountId: 1, state: 1, heldNames: 1, pointedNames: 1, zoneHolder: 1, attached: 1 } as const;

/** Orders due renewals, and publishes which certificates have expired. */
export async function renewDue({ providers, signal }: MaintenanceRun): Promise<void> {
  const now = providers.now();
  // A certificate that waits for its next try has a waiting job, too, and one that was refused for good waits for a
  // person, unless that was before it was due, or before the days in which it is renewed without the refused name.
  const lastFrom = { $subtract: ['$issued.notAfter', LAST_DAYS_MS] };
  const isLast = { $and: [{ $lte: [lastFrom, now] }, { $lt: ['$problem.at', lastFrom] }] };
  const isOpen = { nextTryAt: null, $expr: { $or: [{ $lt: ['$problem.at', '$renewAt'] }, isLast] } };
  const isDue = { $or: [{ nextTryAt: { $lte: now } }, isOpen] };
  const due = await CertificateModel.find({ renewAt: { $lte: now }, order: null, ...isDue }, { accountId: 1 })
    .setOptions(ALL)
    .limit(RUN_MAX)
    .lean();
  for (const { _id, accountId } of due) {
    signal.throwIfAborted();
    await transaction((session) => expediteIssue(session, { _id, accountId }));
  }
  const over = { state: 'issued' as const, 'issued.notAfter': { $lte: now } };
  for (const { _id: id, accountId } of await CertificateModel.find(over, { accountId: 1 })
    .setOptions(ALL)
    .limit(RUN_MAX)
    .lean()) {
    await transaction(async (session) => {
      const moved = await moveCertificate(session, { id, accountId, from: ['issued'], to: 'expired' });
      if (moved !== null) await notifyExpiry(session, providers, moved);
    });
  }
}

/**
 * Asks authorities for their suggested time of renewal (RFC 9773). A missing answer changes nothing, and when none can
 * be reached the others wait for the next run.
 */
export async function askForRenewal({ providers, signal }: MaintenanceRun): Promise<void> {
  const due = await CertificateModel.find({ askAt: { $lte: providers.now() } }, { accountId: 1, issued: 1 })
    .setOptions(ALL)
    .sort({ askAt: 1 })
    .limit(RUN_MAX)
    .lean();
  for (const row of due) {
    signal.throwIfAborted();
    const { isReached } = await askFor({ providers, signal }, row);
    if (!isReached) return;
  }
}

async function askFor(
  { providers, signal }: MaintenanceRun,
  { _id, accountId, issued }: Pick<CertificateRow, '_id' | 'accountId' | 'issued'>,
): Promise<{ isReached: boolean }> {
  const { authority, log } = providers;
  if (!issued) return { isReached: true };
  const isIts = issued.authorityId === authority.id;
  const answer = isIts ? await authority.renewalInfo(issued.chain, signal).catch(nothing(log, _id)) : null;
  const info = answer === 'unreachable' ? null : answer;
  const askAt = isIts ? new Date(providers.now().getTime() + (info?.askAgainMs ?? ASK_MAX_MS)) : null;
  const { chosen } = issued;
  const suggested = info === null ? null : { start: info.start, end: info.end };
  await CertificateModel.updateOne(
    // This checks that it is the same certificate: another may have replaced it meanwhile.
    { _id, accountId, 'issued.serial': issued.serial },
    {
      $set: {
        askAt,
        ...(info !== null && {
          renewAt: renewAt(issued, suggested, chosen),
          'issued.suggested': suggested,
          'issued.explanationUrl': info.explanationUrl,
        }),
      },
    },
  );
  return { isReached: answer !== 'unreachable' };
}

function nothing(log: Providers['log'], certificateId: string) {
  return (error: unknown): RenewalInfo | 'unreachable' | null => {
    if (!(error instanceof AuthorityError)) throw error;
    log.debug('No renewal information', { certificateId, detail: error.problem.detail });
    return error.problem.type === 'unreachable' ? 'unreachable' : null;
  };
}

/**
 * Backs up the immediate events: checks at intervals whether each domain has a certificate for its names, and whether
 * each certificate still has its domain, served here.
 */
export async function ensureAll(run: MaintenanceRun): Promise<void> {
  await coverDomains(run);
  await letGoOfOrphans(run);
}

async function coverDomains({ providers, signal }: MaintenanceRun): Promise<void> {
  const now = providers.now();
  const due = await DomainModel.find({ heldNames: { $gt: '' }, ...isToEnsure(now) }, { accountId: 1 })
    .setOptions(ALL)
    .hint('to_ensure')
    .sort({ ensureAt: 1 })
    .limit(RUN_MAX)
    .lean();
  for (const { _id, accountId } of due) {
    signal.throwIfAborted();
    await transaction(async (session) => {
      const set = { ensureAt: ensureAgainAt(now) };
      // The current state counts: it may have changed, or be gone, since the list was read.
      const domain = await DomainModel.findOneAndUpdate({ _id, accountId }, { $set: set }, { session })
        .select(DOMAIN_FIELDS)
        .lean();
      if (domain !== null) await ensureCertificate(session, providers, domain);
    });
  }
}

async function letGoOfOrphans({ providers, signal }: MaintenanceRun): Promise<void> {
  const now = providers.now();
  const due = await CertificateModel.find(isToEnsure(now), { accountId: 1, domainId: 1 })
    .setOptions(ALL)
    .hint('to_ensure')
    .sort({ ensureAt: 1 })
    .limit(RUN_MAX)
    .lean();
  for (const { _id, accountId, domainId } of due) {
    signal.throwIfAborted();
    await transaction(async (session) => {
      const held = { _id: domainId, accountId, heldNames: { $gt: '' } };
      const domain = await DomainModel.findOne(held, { attached: 1, leaving: 1 }).session(session).lean();
      const isNeeded = domain !== null && !isServedElsewhere(domain);
      if (!isNeeded) return removeCertificates(session, { accountId, domainId });
      const set = { ensureAt: ensureAgainAt(now) };
      await CertificateModel.updateOne({ _id, accountId }, { $set: set }, { session });
    });
  }
}

/** Matches certificates that are due for a check; those never checked sort before every time. */
const isToEnsure = (now: Date) => ({ ensureAt: { $not: { $gt: now } } });

/** Spreads the next checks, so that those that came together are not checked together for ever. */
function ensureAgainAt(now: Date): Date {
  return new Date(now.getTime() + ENSURE_EVERY_MS * (1 - Math.random() / 4));
}

/**
 * Rehearses each renewal weeks before it is due, so that obstacles are known while there is time. A rehearsal that
 * fails to run is logged and comes again later: it does not hold up the others, and neither do those of one account
 * hold up another's.
 */
export async function rehearseAll({ providers, signal }: MaintenanceRun): Promise<void> {
  if (!providers.authority.isPublic) return;
  const isDue = (dueBy: Date) => ({ rehearseAt: { $lte: dueBy } });
  await takeTurns(providers.now(), signal, {
    async next(dueBy) {
      const oldest = await CertificateModel.findOne(isDue(dueBy), { accountId: 1 })
        .setOptions(ALL)
        .sort({ rehearseAt: 1 })
        .lean();
      return oldest?.accountId ?? null;
    },
    async take(accountId, dueBy) {
      const over = AbortSignal.timeout(REHEARSALS_MS);
      const due = await CertificateModel.find({ accountId, ...isDue(dueBy) }, { history: 0 })
        .sort({ rehearseAt: 1 })
        .limit(REHEARSALS_MAX)
        .lean();
      for (const certificate of due) {
        signal.throwIfAborted();
        if (over.aborted) return;
        await rehearseOne({ providers, signal }, certificate);
      }
    },
    async postpone(accountId, dueBy, until) {
      await CertificateModel.updateMany({ accountId, ...isDue(dueBy) }, { $set: { rehearseAt: until } });
    },
  });
}

async function rehearseOne({ providers, signal }: MaintenanceRun, certificate: Rehearsed): Promise<void> {
  const { _id, accountId } = certificate;
  const within = AbortSignal.any([signal, AbortSignal.timeout(REHEARSAL_MS)]);
  try {
    // Names that have no certificate yet have their own tries, and do not stop a renewal.
    const covered = certificate.names.filter((name) => certificate.issued?.names.includes(name));
    const renewed = { ...certificate, names: covered.length > 0 ? covered : certificate.names };
    const found = { rehearsal: await rehearse(providers, renewed, within), isByHand: false };
    const place = { certificateId: _id, accountId };
    await transaction((session) => storeRehearsal(session, providers, place, found));
  } catch (error) {
    signal.throwIfAborted();
    providers.log.warn('A renewal could not be rehearsed', { certificateId: _id, error: String(error) });
    const rehearseAt = new Date(providers.now().getTime() + REHEARSE_AGAIN_MS);
    // This excludes one that was revoked meanwhile.
    await CertificateModel.updateOne({ _id, accountId, rehearseAt: { $ne: null } }, { $set: { rehearseAt } });
  }
}

/**
 * Removes challenge records that were left because the process was killed or a provider did not answer. Each account
 * has its turn, however much of another is left and however silent its provider is.
 */
export async function removeLeftRecords({ providers, signal }: MaintenanceRun): Promise<void> {
  const isLeft = (dueBy: Date) => ({ neededUntil: { $lte: dueBy } });
  await takeTurns(providers.now(), signal, {
    async next(dueBy) {
      const oldest = await ChallengeRecordModel.findOne(isLeft(dueBy), { accountId: 1 })
        .setOptions(ALL)
        .sort({ neededUntil: 1 })
        .lean();
      return oldest?.accountId ?? null;
    },
    async take(accountId, dueBy) {
      const left = await ChallengeRecordModel.find({ accountId, ...isLeft(dueBy) })
        .sort({ neededUntil: 1 })
        .limit(LEFT_MAX)
        .lean();
      await takeAway(providers, left, { signal, withinMs: LEFT_MS });
    },
    async postpone(accountId, dueBy, until) {
      await ChallengeRecordModel.updateMany({ accountId, ...isLeft(dueBy) }, { $set: { neededUntil: until } });
    },
  });
}
