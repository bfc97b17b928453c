import { awaitsHost } from '../../routers/rules/lead-here.ts';
import type { AccountContext } from '../context.ts';
import { CertificateModel } from '../database/models/domains/certificate.ts';
import { DomainModel, type DomainRow } from '../database/models/domains/domain.ts';
import { DeploymentModel, type DeploymentRow, primaryOf } from '../database/models/publishing/deployment.ts';
import { ReleaseModel } from '../database/models/publishing/release.ts';
import { certifiedDomains, domainUrlOf, siteOf, siteUrlOf } from '../database/site-address.ts';
import { unitOf } from '../domains/records/names.ts';
import { domainTargetOf, requiredRecords } from '../domains/records/required-records.ts';
import { urlOf } from '../lib/site-names.ts';
import { readManifest, unlessLost } from '../publishing/publication/release-files.ts';
import { readRedirects } from '../publishing/publication/rule-report.ts';
import { withFileListSlot } from '../publishing/uploads/file-list-slot.ts';
import type { Manifest } from '../store/manifest.ts';
import type { Subject } from './checks/check.ts';

export type Diagnosed = {
  subject: Subject;
  /** The names of the certificate, for a domain of ours. */
  certifiedNames: readonly string[];
  manifest: Manifest | null;
};

type Asked = {
  name: string;
  deploymentId: string | null;
  /** True to check a deployment only at the names that its visitors use, not at a domain still to be set up. */
  isAsVisited?: boolean;
};

/** Finds the subject of a name, or of a deployment; null when the deployment is gone. */
export async function findSubject(
  ctx: AccountContext,
  { name, deploymentId, isAsVisited = false }: Asked,
): Promise<Diagnosed | null> {
  const { accountId } = ctx.actor;
  if (deploymentId !== null) {
    const deployment = await DeploymentModel.findOne({ _id: deploymentId, accountId }).lean();
    if (deployment === null) return null;
    const domain = await mainDomain(accountId, deploymentId, isAsVisited);
    return domain === null ? ownAddress(ctx, deployment) : ofDomain(ctx, deployment, domain, domain.servedName);
  }
  const named = {
    accountId,
    unit: unitOf(name).unit,
    $or: [{ name }, { counterpart: name }],
    state: { $ne: 'removing' as const },
  };
  const domain = await DomainModel.findOne(named).lean<DomainRow>();
  const deployment =
    domain === null ? null : await DeploymentModel.findOne({ _id: domain.deploymentId, accountId }).lean();
  return domain === null || deployment === null ? stranger(name) : ofDomain(ctx, deployment, domain, name);
}

/**
 * Returns the working domain, else the one that was added first; as visited, only one that has worked. One that waits
 * for this host to be public is none: nobody can be sent to it yet.
 */
async function mainDomain(accountId: string, deploymentId: string, isAsVisited: boolean): Promise<DomainRow | null> {
  const state = isAsVisited ? ('misconfigured' as const) : { $ne: 'removing' as const };
  const of = { accountId, deploymentId, state, lostAt: null };
  const active = await DomainModel.findOne({ ...of, state: 'active' })
    .sort({ createdAt: 1 })
    .lean<DomainRow>();
  const first = active ?? (await DomainModel.findOne(of).sort({ createdAt: 1 }).lean<DomainRow>());
  return first !== null && awaitsHost(first) ? null : first;
}

/** Expects nothing of a name that no deployment of the account has. */
function stranger(name: string): Diagnosed {
  const url = withSlash(urlOf('https', name));
  const subject = {
    name,
    isDomain: true,
    counterpart: null,
    own: null,
    url,
    entrySha256: null,
    witness: null,
    hasTls: true,
  };
  return { subject, certifiedNames: [], manifest: null };
}

async function ownAddress(ctx: AccountContext, deployment: DeploymentRow): Promise<Diagnosed | null> {
  const url = siteUrlOf(ctx.providers.addresses, siteOf(deployment));
  if (url === '' || !URL.canParse(url)) return null;
  const { hostname, protocol } = new URL(url);
  const { manifest, ...expected } = await readEntry(ctx, deployment);
  const isServedHere = (await domainTargetOf(ctx.providers, deployment)).isServedHere;
  const subject: Subject = {
    ...{ name: hostname, isDomain: !isServedHere, counterpart: null, url: withSlash(url), ...expected },
    hasTls: protocol === 'https:' && !isServedHere,
    own: {
      ...{ deploymentId: deployment._id, isServedHere, records: [], proof: null, domainId: null },
      ...{ certificateId: null, renewAt: null },
    },
  };
  return { subject, certifiedNames: [], manifest };
}

async function ofDomain(
  ctx: AccountContext,
  deployment: DeploymentRow,
  domain: DomainRow,
  name: string,
): Promise<Diagnosed> {
  const { accountId } = ctx.actor;
  const target = await domainTargetOf(ctx.providers, deployment);
  const isAtPlatform = Boolean(domain.attached);
  const isCertified = (await certifiedDomains(accountId, [domain])).has(domain._id);
  const url = domainUrlOf(ctx.providers.addresses, { name, isAtPlatform, isCertified });
  const covering = { accountId, domainId: domain._id, state: { $ne: 'revoked' as const } };
  const fields = { names: 1, renewAt: 1, issued: 1 } as const;
  const certificate = await CertificateModel.findOne(covering, fields).sort({ createdAt: -1 }).lean();
  const { authority } = ctx.providers;
  const isPrivate = authority.isPrivate === true && certificate?.issued?.authorityId === authority.id;
  const { manifest, ...expected } = await readEntry(ctx, deployment);
  const both = [domain.name, domain.counterpart].filter((one) => typeof one === 'string');
  const subject: Subject = {
    ...{ name, isDomain: true, counterpart: both.find((one) => one !== name) ?? null },
    ...{ url: withSlash(url), ...expected, hasTls: url.startsWith('https:') },
    own: {
      ...{ deploymentId: deployment._id, isServedHere: target.isServedHere },
      records: requiredRecords(domain, target),
      proof: { name: domain.proof.name, value: domain.proof.value },
      ...{ domainId: domain._id, certificateId: certificate?._id ?? null, renewAt: certificate?.renewAt ?? null },
      privateSerial: isPrivate ? (certificate?.issued?.serial ?? null) : null,
    },
  };
  return { subject, certifiedNames: certificate?.names ?? both, manifest };
}

const withSlash = (url: string): string => (url.endsWith('/') ? url : `${url}/`);

/** Reads the entry page. If a rule of the site redirects it, nothing is known about what visitors get. */
async function readEntry(
  ctx: AccountContext,
  { _id: deploymentId, currentReleaseId, platform }: DeploymentRow,
): Promise<{ manifest: Manifest | null } & Pick<Subject, 'lacksStartPage' | 'entrySha256' | 'witness'>> {
  const { accountId } = ctx.actor;
  const { store, platforms } = ctx.providers;
  const live = { _id: currentReleaseId ?? '', accountId, deploymentId };
  const release = await ReleaseModel.findOne(live, { manifestHash: 1, hasStartPage: 1 }).lean();
  if (release === null) return { manifest: null, entrySha256: null, witness: null };
  const lacksStartPage = release.hasStartPage === false;
  return withFileListSlot(ctx, async () => {
    const manifest = await unlessLost(readManifest(store, release.manifestHash));
    const entry = manifest?.get('index.html') ?? null;
    if (manifest === null || entry === null) return { manifest, lacksStartPage, entrySha256: null, witness: null };
    const hasRules = platforms[platform]?.capabilities.serving.redirects === true;
    const isLed = hasRules && (await readRedirects(store, manifest)).forced('', '') !== null;
    return { manifest, entrySha256: isLed ? null : entry.sha256, witness: witnessIn(manifest) };
  });
}

/** Proxies rewrite pages, and shrink pictures (Cloudflare's manual, "Polish"); these are passed on unchanged. */
const PLAIN = /\.(?:css|js|svg|ico|woff2?)$/i;
const WITNESS_MAX_BYTES = 256 * 1024;

/** Returns the smallest file that identifies its release; null when there is none. */
function witnessIn(manifest: Manifest): Subject['witness'] {
  let smallest: { path: string; sha256: string; sizeBytes: number } | null = null;
  for (const [path, { sha256, sizeBytes }] of manifest) {
    const isPlain = PLAIN.test(path) && sizeBytes > 0 && sizeBytes <= WITNESS_MAX_BYTES && !/(?:^|\/)\./.test(path);
    if (isPlain && sizeBytes < (smallest?.sizeBytes ?? Infinity)) smallest = { path, sha256, sizeBytes };
  }
  if (smallest === null) return null;
  return { path: smallest.path.split('/').map(encodeURIComponent).join('/'), sha256: smallest.sha256 };
}

/** Returns the name that a deployment's report has until its checks know the subject. */
export function hostOfDeployment(ctx: AccountContext, deployment: DeploymentRow): string {
  const url = siteUrlOf(ctx.providers.addresses, siteOf(deployment));
  return URL.canParse(url) ? new URL(url).hostname : primaryOf(deployment).platform;
}
