import { leadHere } from '../../routers/rules/lead-here.ts';
import { LOOPBACK_WARNING } from '../../routers/rules/loopback-warning.ts';
import { CONNECTION_TITLES } from '../../routers/schemas/connection-titles.ts';
import { isDnsProvider } from '../../routers/schemas/dns-providers.ts';
import { PLATFORM_CAPABILITIES } from '../../routers/schemas/platforms/capabilities/index.ts';
import { domainsRefusal } from '../../routers/schemas/platforms/domains-refusal.ts';
import { HOSTING_PLATFORMS, type PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../routers/schemas/platforms/list.ts';
import { PLATFORM_SETUPS } from '../../routers/schemas/platforms/setups.ts';
import type {
  FurtherReleasePreflight,
  NewDeploymentPreflight,
  Preflight,
  PreflightInput,
  PreflightStep,
} from '../../routers/schemas/preflight.ts';
import { withAskingSlots } from '../account/asking-slots.ts';
import { countAgainst } from '../account/rate-limit.ts';
import { askWhose } from '../connections/ask-platform.ts';
import { connectionIdsOf, currentToken } from '../connections/credentials.ts';
import { dnsConnections } from '../connections/dns-connections.ts';
import { findConnection } from '../connections/index.ts';
import type { AccountContext } from '../context.ts';
import { findDeployment } from '../database/find-deployment.ts';
import { type DeploymentDoc, primaryOf } from '../database/models/publishing/deployment.ts';
import { siteUrlOf } from '../database/site-address.ts';
import { nameProblem } from '../domains/add.ts';
import { knownAccountUrl } from '../domains/certificates/account.ts';
import { AuthorityError } from '../domains/certificates/authority/authority.ts';
import { requireWithinLimits } from '../domains/certificates/authority-use.ts';
import { judgeNames } from '../domains/certificates/preflight.ts';
import { nameRefused, unitOf } from '../domains/records/names.ts';
import { domainTargetAt, requiredRecords } from '../domains/records/required-records.ts';
import { MINUTE_MS } from '../lib/durations.ts';
import { AppError } from '../lib/errors.ts';
import { requireWritable } from '../plans/subscription/writable.ts';
import { deploymentBusy } from '../publishing/deployments/change.ts';
import { resolveDestination } from '../publishing/deployments/destination.ts';
import { tryCreation } from '../publishing/deployments/index.ts';
import { requireRoomForRelease } from '../publishing/releases/pace.ts';
import { requireRoomToSend } from '../publishing/uploads/index.ts';

/** Each asks a platform, and name servers of strangers. */
const PREFLIGHTS_PER_MINUTE = 20;
const ASK_MS = 20_000;

/**
 * Rehearses a new deployment, or a further release of one, and changes nothing: each step follows the rules of the
 * real one, here by trying and undoing, at the platform and in DNS by reading alone. A step is judged whatever the
 * result of the one before, so that all obstacles are known at once. Throws `rate_limited`, and `not_found` for an
 * unknown deployment.
 */
export async function runPreflight(ctx: AccountContext, input: PreflightInput): Promise<Preflight> {
  const { accountId } = ctx.actor;
  await countAgainst({ name: 'preflights', key: accountId, limit: PREFLIGHTS_PER_MINUTE, windowMs: MINUTE_MS });
  if ('deploymentId' in input) return { steps: await furtherSteps(ctx, input) };
  return {
    steps: await Promise.all([
      judged('create', [], () => creation(ctx, input)),
      judged('send', sendingLines(ctx), () => sending(ctx, input)),
      publishStep(ctx, input),
      verification(input),
      input.domain === undefined ? absent('domain') : judged('domain', [], () => domain(ctx, input)),
      certificateStep(ctx, input),
    ]),
  };
}

/** Returns the steps of a further release: domains and certificates of the deployment stay as they are. */
async function furtherSteps(ctx: AccountContext, input: FurtherReleasePreflight): Promise<PreflightStep[]> {
  const deployment = await findDeployment(ctx, input.deploymentId);
  const { destinations, currentReleaseId } = deployment;
  const { platform } = primaryOf(deployment);
  const lines = [...new Set(destinations.flatMap((one) => publishingLines(one)))];
  return Promise.all([
    judged('create', [], () => release(ctx, deployment)),
    judged('send', sendingLines(ctx), () => sending(ctx, input)),
    judged('publish', lines, () => publishing(ctx, destinations)),
    verification({ platform, isFurther: Boolean(currentReleaseId) }),
    absent('domain'),
    absent('certificate'),
  ]);
}

async function release(ctx: AccountContext, deployment: DeploymentDoc): Promise<string[]> {
  await requireWritable(null, ctx, deployment._id);
  if (deployment.state === 'deploying') throw deploymentBusy();
  const where = deployment.destinations.map(({ platform }) => PLATFORMS[platform].title).join(' and ');
  const live = !deployment.currentReleaseId ? [] : ['What is live stays live until the new release has been checked.'];
  return [`“${deployment.name}” gets a new release on ${where}.`, ...live];
}

type StepId = PreflightStep['step'];

const ASKS_OTHERS: ReadonlySet<StepId> = new Set(['publish', 'certificate']);

const absent = (step: StepId): PreflightStep => ({ step, verdict: 'absent', lines: [], problem: null });

/** The other side gave no answer, which says nothing about its later answer. */
const UNANSWERED: ReadonlySet<string> = new Set(['platform_down', 'platform_failed', 'overloaded', 'rate_limited']);

/** Judges a step: `check` returns what can only be known by looking, and throws the error of the real step. */
async function judged(
  step: StepId,
  lines: readonly string[],
  check: () => Promise<readonly string[]>,
): Promise<PreflightStep> {
  try {
    return { step, verdict: 'pass', lines: [...lines, ...(await check())], problem: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const { code, message, hint = null } = error;
    const verdict = ASKS_OTHERS.has(step) && UNANSWERED.has(code) ? 'unknown' : 'refused';
    return { step, verdict, lines: [...lines], problem: { code, message, hint } };
  }
}

async function creation(ctx: AccountContext, { name, platform, ...input }: NewDeploymentPreflight): Promise<string[]> {
  const { connectionId, targetId, options } = input;
  const { slug } = await tryCreation(ctx, { name, platform, connectionId, targetId, options });
  const { title, isServedHere } = PLATFORMS[platform];
  if (isServedHere !== true) return [`${title} is asked for a site named ${slug}, or another name if that is taken.`];
  return [`“${name}” gets the address ${siteUrlOf(ctx.providers.addresses, { platform, slug })}.`];
}

function sendingLines({ providers }: AccountContext): string[] {
  const { host } = new URL(providers.addresses.publicUrl);
  return [`Your browser sends the files to Fairlead at ${host}. Files that are already there are not sent again.`];
}

async function sending(ctx: AccountContext, { files }: Pick<NewDeploymentPreflight, 'files'>): Promise<string[]> {
  await requireRoomForRelease(ctx);
  if (files !== undefined) await requireRoomToSend(ctx, files);
  return [];
}

function publishingLines({ platform }: { platform: PlatformId }): string[] {
  const hosting = HOSTING_PLATFORMS.find((id) => id === platform);
  if (hosting !== undefined) return [PLATFORM_SETUPS[hosting].way];
  return ['The built-in host reads the files where Fairlead keeps them. Nothing goes to anyone else.'];
}

async function publishStep(ctx: AccountContext, input: NewDeploymentPreflight): Promise<PreflightStep> {
  const lines = publishingLines(input);
  const destination = await resolveDestination(ctx, input).catch((error: unknown) => {
    if (error instanceof AppError) return null;
    throw error;
  });
  // A missing field is reported when the deployment is made.
  const unasked = [...lines, 'The account there is not checked until the deployment can be created.'];
  if (destination === null) return { step: 'publish', verdict: 'unknown', lines: unasked, problem: null };
  return judged('publish', lines, () => publishing(ctx, [destination]));
}

/** Asks each connected platform for its account, which is the first request of a publication. */
async function publishing(
  ctx: AccountContext,
  destinations: readonly Parameters<typeof connectionIdsOf>[0][],
): Promise<string[]> {
  const lines: string[] = [];
  for (const connectionId of new Set(destinations.flatMap((destination) => connectionIdsOf(destination)))) {
    const connection = await findConnection(ctx.actor.accountId, connectionId);
    const { provider } = connection;
    if (isDnsProvider(provider)) continue;
    const { identity, warnings } = await askWhose(ctx, provider, await currentToken(ctx.providers, connection));
    lines.push(`${CONNECTION_TITLES[provider]} accepts your token, as ${identity}.`, ...warnings);
  }
  return lines;
}

function verification({ platform, isFurther = false }: { platform: PlatformId; isFurther?: boolean }): PreflightStep {
  const { draft = false, publish } = PLATFORM_CAPABILITIES[platform] ?? {};
  const asked = publish === 'handOff' ? ['You publish the files there yourself, then enter the address here.'] : [];
  const files = isFurther ? 'Every new or changed file' : 'Every file';
  const looked = draft
    ? `${files} is fetched from the release’s own address and compared with your upload. Then visitors get the release.`
    : `${files} is fetched from the public address and compared with your upload.`;
  return { step: 'verify', verdict: 'pass', lines: [...asked, looked], problem: null };
}

async function domain(ctx: AccountContext, { domain: name = '', platform }: NewDeploymentPreflight): Promise<string[]> {
  const refusal = domainsRefusal(platform);
  const problem = refusal === null ? await nameProblem(ctx, name) : nameRefused(refusal);
  if (problem !== null) throw problem;
  return recordLines(ctx, name, platform);
}

/**
 * Lists the records that would be needed, and who writes them. The value of the proof is made with the domain itself.
 */
async function recordLines(ctx: AccountContext, name: string, platform: PlatformId): Promise<string[]> {
  const unit = unitOf(name);
  const proof = { name: `_fairlead.${unit.unit}`, value: 'a value that is made for you' };
  const target = await domainTargetAt(ctx.providers, platform);
  const records = requiredRecords({ name, ...unit, proof }, target);
  const there = target.isServedHere
    ? []
    : [`${PLATFORMS[platform].title} is told the name and says where it must point.`];
  const lines = [...records.map((record) => `${record.type} ${record.name}: ${record.value}`), ...there];
  return [...lines, leadHere(records) ? LOOPBACK_WARNING : await writerLine(ctx)];
}

async function writerLine({ actor }: AccountContext): Promise<string> {
  const connections = await dnsConnections(actor.accountId);
  if (connections.length === 0) return 'You add these records at your DNS provider.';
  const holders = connections.map(({ provider, identity }) => `${CONNECTION_TITLES[provider]} (${identity})`);
  return `If ${holders.join(' or ')} holds the domain, Fairlead writes the records once you agree. Otherwise you add them.`;
}

async function certificateStep(
  ctx: AccountContext,
  { domain: name, platform }: NewDeploymentPreflight,
): Promise<PreflightStep> {
  if (name === undefined || domainsRefusal(platform) !== null) return absent('certificate');
  const { title, isServedHere } = PLATFORMS[platform];
  if (isServedHere !== true) {
    const lines = [`${title} gets the certificate, and Fairlead watches it.`];
    return { step: 'certificate', verdict: 'pass', lines, problem: null };
  }
  const { authority } = ctx.providers;
  const names = [name, unitOf(name).counterpart].filter((one) => one !== null);
  const asked = authority.isPublic
    ? `Once the domain leads here, ${authority.name} is asked for a certificate for ${names.join(' and ')}.`
    : `Fairlead’s own authority issues a certificate for ${names.join(' and ')}. Browsers trust it once the root certificate is installed.`;
  return judged('certificate', [asked], () => order(ctx, names));
}

/** Returns the known obstacles to an order before there is one: the limits of the authority, and CAA. */
async function order(ctx: AccountContext, names: readonly string[]): Promise<string[]> {
  const { providers, actor } = ctx;
  const accountUrl = (await knownAccountUrl(providers.authority.id)) ?? '';
  const use = { accountUrl, accountId: actor.accountId, names, isByHand: true, renews: null };
  await requireWithinLimits(providers, use).catch((error: unknown) => {
    if (!(error instanceof AuthorityError)) throw error;
    throw new AppError('quota_exhausted', error.problem.detail, { cause: error });
  });
  const signal = AbortSignal.timeout(ASK_MS);
  const checks = await withAskingSlots(ctx, { whom: 'name servers' }, () =>
    judgeNames(providers, { names, accountUrl }, signal),
  );
  const failed = checks.find(({ verdict }) => verdict === 'fail');
  if (failed !== undefined) throw new AppError('records_refused', failed.message);
  const unread = checks.find(({ verdict }) => verdict === 'unknown');
  if (unread !== undefined) throw new AppError('platform_down', unread.message);
  return checks.map(({ message }) => message);
}
