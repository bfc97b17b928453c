import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import {
  invalid,
  invalidFields,
  json,
  type NetlifyCall,
  type NetlifyState,
  NOT_THERE,
  newSite,
  type SiteRecord,
  siteBody,
} from './state.ts';

const NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const HOST = /^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*$/;
/** The targets of names that Netlify serves (as of 2026-05; Netlify's own page documents the first). */
const LOAD_BALANCER = { a: '75.2.60.5', alias: 'apex-loadbalancer.netlify.com' };
const DAY_MS = 86_400_000;
const TEAMS = ['simulated-team', 'other-team'];

const siteSchema = z.looseObject({
  name: z.optional(z.string()),
  custom_domain: z.optional(z.nullable(z.string())),
  domain_aliases: z.optional(z.array(z.string())),
});

/** Sites of one account with two teams, with their domains and certificates. */
export const SITE_ROUTES: readonly Route<NetlifyState>[] = [
  at('GET', '/user', 'account', async ({ state }) => ({
    status: 200,
    body: { id: 'user-1', full_name: 'Simulated person', email: 'person@example.com', site_count: state.sites.size },
  })),
  at('GET', '/accounts', 'account', async () => ({
    status: 200,
    body: TEAMS.map((slug) => ({ id: `id-of-${slug}`, slug, name: slug, type_name: 'Free' })),
  })),
  at('GET', '/sites', 'look', async (call) => list(call, null)),
  at('POST', '/sites', 'site', async (call) => create(call, TEAMS[0] ?? '')),
  at('GET', '/{account_slug}/sites', 'look', async (call) => list(call, call.parts[0] ?? '')),
  at('POST', '/{account_slug}/sites', 'site', async (call) => create(call, call.parts[0] ?? '')),
  at('GET', '/sites/{site_id}', 'domains', async (call) =>
    withSite(call, (site) => ({ status: 200, body: siteBody(call, site) })),
  ),
  at('PATCH', '/sites/{site_id}', 'attach', async (call) => withSite(call, (site) => change(call, site))),
  at('DELETE', '/sites/{site_id}', 'remove', async (call) =>
    withSite(call, (site) => {
      call.state.sites.delete(site.id);
      return { status: 204 };
    }),
  ),
  at('GET', '/sites/{site_id}/ssl', 'state', async (call) => withSite(call, (site) => readCertificate(call, site))),
  at('POST', '/sites/{site_id}/ssl', 'certificate', async (call) =>
    withSite(call, (site) =>
      site.certificate === null
        ? order(call, site)
        : invalid('certificate parameter is required when updating an existing certificate'),
    ),
  ),
  at('POST', '/sites/{site_id}/ssl/renew', 'certificate', async (call) => withSite(call, (site) => order(call, site)), {
    isUndescribed: true,
  }),
];

function withSite({ state, parts }: NetlifyCall, work: (site: SiteRecord) => Reply): Reply {
  const site = state.sites.get(parts[0] ?? '');
  return site === undefined ? NOT_THERE : work(site);
}

function list(call: NetlifyCall, team: string | null): Reply {
  if (team !== null && !TEAMS.includes(team)) return NOT_THERE;
  const name = call.query.get('name') ?? '';
  const all = [...call.state.sites.values()].filter(
    (site) => (team === null || site.accountSlug === team) && site.name.includes(name),
  );
  return { status: 200, body: all.map((site) => siteBody(call, site)) };
}

function create(call: NetlifyCall, team: string): Reply {
  const { state, body } = call;
  if (!TEAMS.includes(team)) return NOT_THERE;
  const { name = `random-${state.sites.size}` } = json(siteSchema, body);
  if (!NAME.test(name)) return invalidFields({ subdomain: ['contains characters that are not allowed'] });
  const isTaken = [...state.sites.values()].some((one) => one.name === name) || state.elsewhere.has(name);
  if (isTaken) return invalidFields({ subdomain: ['must be unique'] });
  const site = newSite(name, team);
  state.sites.set(site.id, site);
  return { status: 201, body: siteBody(call, site) };
}

function change(call: NetlifyCall, site: SiteRecord): Reply {
  const { state, states } = call;
  const body = json(siteSchema, call.body);
  const { domainsLeaveBy } = state.reading;
  const isOther = body.custom_domain === (domainsLeaveBy === 'null' ? '' : null);
  if (isOther) return invalidFields({ custom_domain: ['is invalid'] });
  const customDomain = body.custom_domain === undefined ? site.customDomain : body.custom_domain || null;
  const sent = body.domain_aliases ?? site.aliases;
  const names = [...(customDomain === null ? [] : [customDomain]), ...sent];
  if (customDomain === null && sent.length > 0) return invalidFields({ domain_aliases: ['need a custom domain'] });
  if (names.some((name) => !HOST.test(name))) return invalidFields({ custom_domain: ['is not a valid domain'] });
  const others = [...state.sites.values()].filter((one) => one !== site).flatMap((one) => namesOf(one));
  if (names.some((name) => others.includes(name) || state.elsewhere.has(name))) {
    return invalidFields({ custom_domain: ['must be unique'] });
  }
  const added = customDomain === null || !state.reading.listsCounterparts ? [] : counterpartsOf([customDomain]);
  const aliases = [...new Set([...sent, ...added])].filter((name) => name !== customDomain);
  Object.assign(site, { customDomain, aliases, ...(states.length > 0 && { certificateStates: states }) });
  forgetGone(site);
  return { status: 200, body: siteBody(call, site) };
}

/** A name that leaves takes what was certified for it along. */
function forgetGone(site: SiteRecord): void {
  const names = namesOf(site);
  const isThere = (name: string): boolean => names.includes(name);
  site.orders = site.orders.filter((ordered) => ordered.some(isThere));
  if (!site.certificate?.domains.some(isThere)) site.certificate = null;
}

/** Returns the site's own names and the counterparts that Netlify adds. */
export function namesOf({ customDomain, aliases }: SiteRecord): string[] {
  const own = [...(customDomain === null ? [] : [customDomain]), ...aliases];
  return [...new Set([...own, ...counterpartsOf(own)])];
}

/** `www` comes with an apex, and the other way round; a name of two words has nothing above it. */
function counterpartsOf(names: readonly string[]): string[] {
  return names.flatMap((name) => {
    if (name.split('.').length === 2) return [`www.${name}`];
    return name.startsWith('www.') && name.split('.').length === 3 ? [name.slice(4)] : [];
  });
}

function order({ state }: NetlifyCall, site: SiteRecord): Reply {
  if (site.customDomain === null) return invalid('No custom domain configured');
  const here = namesOf(site).filter((name) => leadsHere(state, site, name));
  const isNew = here.some((name) => !site.certificate?.domains.includes(name));
  if (!isNew) return invalid('bad dns for custom domain');
  site.orders.push(here);
  const ahead = site.certificateStates.length > 0 ? [...site.certificateStates] : ['pending'];
  site.certificate = { ahead, domains: here, expiresAt: new Date(Date.now() + 90 * DAY_MS) };
  site.certificateStates = [];
  return { status: 200, body: certificateBody(site.certificate) };
}

function leadsHere({ zone }: NetlifyState, site: SiteRecord, name: string): boolean {
  const records = zone.filter((record) => record.name === name);
  const targets = [LOAD_BALANCER.a, LOAD_BALANCER.alias, `${site.name}.netlify.app`];
  return records.length > 0 && records.every(({ value }) => targets.includes(value));
}

function readCertificate({ state }: NetlifyCall, { certificate }: SiteRecord): Reply {
  if (certificate === null) return state.reading.missingCertificateIs404 ? NOT_THERE : { status: 200, body: {} };
  const body = certificateBody(certificate);
  certificate.ahead.shift();
  return { status: 200, body };
}

function certificateBody({
  ahead,
  domains,
  expiresAt,
}: NonNullable<SiteRecord['certificate']>): Record<string, unknown> {
  const [state = 'issued'] = ahead;
  return { state, domains, ...(state === 'issued' && { expires_at: expiresAt.toISOString() }) };
}
