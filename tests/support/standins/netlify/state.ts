import { randomBytes, randomUUID } from 'node:crypto';
import type * as z from 'zod/mini';
import type { Reply, StandInCall } from '../stand-in.ts';

export type SiteRecord = {
  id: string;
  name: string;
  accountSlug: string;
  customDomain: string | null;
  aliases: readonly string[];
  publishedId: string | null;
  /** Automatic publishing is stopped: what is asked to go public does not. */
  isLocked: boolean;
  certificate: CertificateRecord | null;
  /** The names of each certificate that was ordered. */
  orders: (readonly string[])[];
  /** States that the next certificate goes through. */
  certificateStates: readonly string[];
};

export type CertificateRecord = { ahead: string[]; domains: readonly string[]; expiresAt: Date };

export type DeployRecord = {
  id: string;
  siteId: string;
  title: string | null;
  isDraft: boolean;
  /** Path to SHA-1; null until the manifest is sent. */
  files: Readonly<Record<string, string>> | null;
  /** The comparison with what is there is not done, so that `required` is not told. */
  isComparing: boolean;
  /** States before its end; null where it is decided. */
  ahead: string[];
  end: 'ready' | 'error' | 'cancelled';
  errorMessage: string | null;
  publishedAt: Date | null;
};

export type ZoneRecord = { type: string; name: string; value: string };

export type NetlifyState = {
  sites: Map<string, SiteRecord>;
  deploys: Map<string, DeployRecord>;
  /** Contents by SHA-1, over all sites. */
  blobs: Map<string, Buffer>;
  zone: ZoneRecord[];
  /** Domains of other accounts. */
  elsewhere: Set<string>;
  /** The chosen reading of each point that no description settles. */
  reading: Readonly<NetlifyReading>;
};

export type NetlifyCall = StandInCall<NetlifyState>;

/** Points that the description leaves open; each of them can be read in two ways. */
export type NetlifyReading = {
  /** The value that takes the last name off a site; the other of the two is refused. */
  domainsLeaveBy: 'empty text' | 'null';
  /** An added `www` is listed among the aliases. */
  listsCounterparts: boolean;
  /** A site without a certificate answers 404, or an object without a state. */
  missingCertificateIs404: boolean;
  /** A cancelled deploy is in the state `error`, or in one of its own. */
  cancelledIsError: boolean;
  /** `restore` tells when the deploy went public. */
  restoreTellsTime: boolean;
};

export const USUAL_READING: NetlifyReading = {
  domainsLeaveBy: 'empty text',
  listsCounterparts: false,
  missingCertificateIs404: true,
  cancelledIsError: true,
  restoreTellsTime: true,
};

export const SITES_DOMAIN = 'netlify.localhost';

export function newSite(name: string, accountSlug: string): SiteRecord {
  return {
    id: randomUUID(),
    name,
    accountSlug,
    customDomain: null,
    aliases: [],
    publishedId: null,
    isLocked: false,
    certificate: null,
    orders: [],
    certificateStates: [],
  };
}

export function newDeploy(siteId: string, title: string | null): DeployRecord {
  return {
    id: randomBytes(12).toString('hex'),
    siteId,
    title,
    isDraft: false,
    files: null,
    isComparing: false,
    ahead: [],
    end: 'ready',
    errorMessage: null,
    publishedAt: null,
  };
}

/** Digests of the manifest that nobody has sent yet. */
export function requiredOf({ blobs }: NetlifyState, { files }: DeployRecord): string[] {
  return [...new Set(Object.values(files ?? {}))].filter((sha1) => !blobs.has(sha1));
}

export function stateOf(state: NetlifyState, deploy: DeployRecord): string {
  if (deploy.files === null && deploy.errorMessage === null) return 'new';
  if (deploy.isComparing) return 'preparing';
  if (deploy.errorMessage === null && requiredOf(state, deploy).length > 0) return 'uploading';
  return deploy.ahead[0] ?? deploy.end;
}

/** One look further: what was asked about moves on with each question. */
export function moveOn(state: NetlifyState, deploy: DeployRecord): void {
  if (deploy.isComparing) deploy.isComparing = false;
  else if (requiredOf(state, deploy).length === 0) deploy.ahead.shift();
  const site = state.sites.get(deploy.siteId);
  if (stateOf(state, deploy) === 'ready' && !deploy.isDraft && deploy.publishedAt === null) goPublic(site, deploy);
}

export function goPublic(site: SiteRecord | undefined, deploy: DeployRecord): void {
  if (site === undefined || site.isLocked) return;
  site.publishedId = deploy.id;
  deploy.publishedAt = new Date();
}

export function deployBody(call: NetlifyCall, deploy: DeployRecord): Record<string, unknown> {
  const { state } = call;
  const site = state.sites.get(deploy.siteId);
  const own = addressOf(call, `${deploy.id}--${site?.name}`);
  const main = addressOf(call, site?.name ?? '');
  return {
    id: deploy.id,
    site_id: deploy.siteId,
    state: stateOf(state, deploy),
    name: site?.name,
    url: main,
    ssl_url: main,
    deploy_url: own,
    deploy_ssl_url: own,
    admin_url: `https://app.netlify.com/sites/${site?.name}`,
    ...(deploy.title !== null && { title: deploy.title }),
    draft: deploy.isDraft,
    context: deploy.isDraft ? 'deploy-preview' : 'production',
    ...(deploy.errorMessage !== null && { error_message: deploy.errorMessage }),
    ...(deploy.publishedAt !== null && { published_at: deploy.publishedAt.toISOString() }),
    created_at: new Date().toISOString(),
    locked: site?.isLocked ?? false,
    ...(deploy.files !== null &&
      !deploy.isComparing && { required: requiredOf(state, deploy), required_functions: [] }),
  };
}

export function siteBody(call: NetlifyCall, site: SiteRecord): Record<string, unknown> {
  const { state } = call;
  const published = site.publishedId === null ? undefined : state.deploys.get(site.publishedId);
  const address = addressOf(call, site.name);
  return {
    id: site.id,
    state: 'current',
    name: site.name,
    url: address,
    ssl_url: address,
    admin_url: `https://app.netlify.com/sites/${site.name}`,
    default_domain: `${site.name}.netlify.app`,
    account_id: 'account-1',
    account_slug: site.accountSlug,
    ...(site.customDomain !== null && { custom_domain: site.customDomain }),
    domain_aliases: [...site.aliases],
    managed_dns: false,
    ssl: site.certificate !== null,
    ...(published !== undefined && {
      published_deploy: { id: published.id, state: 'ready', locked: site.isLocked, site_id: site.id },
    }),
    prevent_non_git_prod_deploys: false,
  };
}

function addressOf({ origin }: NetlifyCall, host: string): string {
  return `http://${host}.${SITES_DOMAIN}:${new URL(origin).port}`;
}

export const NOT_THERE: Reply = { status: 404, body: { code: 404, message: 'Not Found' } };

export function invalid(message: string): Reply {
  return { status: 422, body: { code: 422, message } };
}

export function invalidFields(errors: Readonly<Record<string, readonly string[]>>): Reply {
  // The description knows only errors with a message (recorded in dagger/dagger, issue 1968).
  return { status: 422, body: { errors }, isUndescribed: true };
}

export function json<T>(shape: z.ZodMiniType<T>, body: Buffer): T {
  return shape.parse(JSON.parse(body.toString('utf8')));
}
