import { execFile } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Account, clientOf, publishSite } from '../../support/api-account.ts';
import { TOKEN } from '../../support/standins/stand-in.ts';
import { NO_ANSWER } from '../../support/supervised-app.ts';
import type { AttackedApp } from './attacked-app.ts';

const run = promisify(execFile);
/** Far more than it takes on a busy machine: what is not there by then never comes. */
const PATIENCE_MS = 60_000;
const HERE = '192.0.2.10';

/** The fields of the router that take an id: reach.test.ts looks for those that are missing. */
export const ID_FIELDS = [
  ...(['certificateId', 'connectionId', 'deploymentId', 'destinationId', 'domainId', 'licenseId'] as const),
  ...(['paymentId', 'planId', 'releaseId', 'reportId', 'sessionId', 'targetId', 'tokenId', 'uploadId'] as const),
];
export type OwnIds = Readonly<Record<(typeof ID_FIELDS)[number], string>>;
export type Prover = Pick<AttackedApp, 'nameServer'>;
type Owned = Pick<AttackedApp, 'app' | 'nameServer' | 'dnsProvider' | 'stripe'>;

type Claim = { deploymentId: string; name: string };

/** A domain of this deployment, proved and led here. */
export async function proveOwn({ nameServer }: Prover, account: Account, claim: Claim): Promise<string> {
  const client = clientOf(account);
  const { id: domainId, proof } = await client.domains.add.mutate(claim);
  nameServer.hold(proof);
  for (const its of [claim.name, `www.${claim.name}`]) nameServer.hold({ type: 'A', name: its, value: HERE });
  for (const endsAt = performance.now() + PATIENCE_MS; performance.now() < endsAt; await wait(200)) {
    const found = await client.domains.check.mutate({ domainId }).catch(unlessBusy);
    if (found !== null && found.state !== 'unverified') return domainId;
  }
  throw new Error(`${claim.name} is not proved.`);
}

/** The same with its certificate. */
export async function proveDomain(
  attacked: Prover,
  account: Account,
  claim: Claim,
): Promise<{ domainId: string; certificateId: string }> {
  const domainId = await proveOwn(attacked, account, claim);
  for (const endsAt = performance.now() + PATIENCE_MS; performance.now() < endsAt; await wait(100)) {
    const { items } = await clientOf(account).certificates.list.query({ domainId });
    const [certificate] = items;
    if (certificate?.state === 'issued') return { domainId, certificateId: certificate.id };
  }
  throw new Error(`${NO_ANSWER} ${claim.name} has no certificate.`);
}

/** Two checks of an account run and four wait. */
export function unlessBusy(error: unknown): null {
  if (error instanceof Error && error.message.startsWith('Too many checks are running')) return null;
  throw error;
}

/** Ids that are the attacker's own, one for each field that takes them: what is found is worked on. */
export async function ownIds(attacked: Owned, account: Account): Promise<OwnIds> {
  const client = clientOf(account);
  const { deploymentId, releaseId } = await publishSite(account, 'Called', { 'index.html': 'CALLED' });
  const { uploadId } = await client.releases.prepare.mutate({ deploymentId });
  const { id: connectionId } = await client.connections.connect.mutate({ provider: 'netlify', token: TOKEN });
  const targets = await client.connections.targets.query({ connectionId });
  const added = { deploymentId, platform: 'netlify', connectionId } as const;
  const { destinations } = await client.deployments.addDestination.mutate(added);
  const name = `${account.username.replaceAll(' ', '-')}.test`;
  const proved = await proveDomain(attacked, account, { deploymentId, name });
  const { url } = await client.payments.checkout.mutate({ plan: 'BETA' });
  const { id: tokenId } = await client.tokens.create.mutate({
    ...{ name: 'revoked', scopes: ['read'], currentPassword: account.password },
  });
  const known = {
    ...{ deploymentId, releaseId, uploadId, connectionId, tokenId, ...proved },
    destinationId: destinations.at(-1)?.id,
    licenseId: await redeemLicense(attacked, account),
    paymentId: paymentAt(attacked, url),
    planId: await planDomain(attacked, account, { name, domainId: proved.domainId }),
    reportId: (await client.diagnostics.run.mutate({ deploymentId })).reportId,
    sessionId: await secondSession(account),
    targetId: targets.items[0]?.id,
  };
  const missing = ID_FIELDS.filter((field) => known[field] === undefined);
  if (missing.length > 0) throw new Error(`There is nothing of its own for ${missing.join(', ')}.`);
  return { ...known, destinationId: known.destinationId ?? '', targetId: known.targetId ?? '' };
}

/** The page of Stripe leads back with it. */
function paymentAt({ stripe }: Owned, url: string): string {
  return String(stripe.state.sessions.get(url.split('/').at(-1) ?? '')?.success_url).slice(-20);
}

/** A plan that waits to be written to the person's own server. */
async function planDomain(
  { dnsProvider }: Owned,
  account: Account,
  { name, domainId }: { name: string; domainId: string },
): Promise<string> {
  const client = clientOf(account);
  dnsProvider.addZone(name);
  const fields = { url: `http://127.0.0.1:${dnsProvider.proxy.port}`, apiKey: `key-of-${account.username.slice(-1)}` };
  const { id: connectionId } = await client.connections.connect.mutate({ provider: 'powerdns', fields });
  const { planId } = await client.domains.plan.mutate({ domainId, connectionId });
  return planId;
}

/** The operator makes the key, as an operator does. */
async function redeemLicense({ app }: Owned, account: Account): Promise<string> {
  const words = ['license', 'create', '--plan', 'PRO', '--months', '1'];
  const { stdout } = await run(process.execPath, ['dist/server/fairlead.js', ...words], { env: app.env });
  await clientOf(account).licenses.redeem.mutate({ key: stdout.trim() });
  const { items } = await clientOf(account).licenses.list.query();
  const [license] = items;
  if (license === undefined) throw new Error('The license is not there.');
  return license.id;
}

/** Somebody else at another machine: whose session ends, if one does. */
async function secondSession(account: Account): Promise<string> {
  const { username, password } = account;
  const { accessToken } = await clientOf(account).auth.login.mutate({ username, password });
  const { items } = await clientOf({ ...account, token: accessToken }).auth.sessions.query();
  const own = items.find(({ isCurrent }) => isCurrent);
  if (own === undefined) throw new Error('The session is not there.');
  return own.id;
}
