import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import { bodyIn, type Call, type Domain, type HerokuState, NOW, refused, withApp } from './state.ts';

const bodySchema = z.strictObject({ hostname: z.string(), sni_endpoint: z.nullable(z.string()) });
const NO_DOMAIN = refused(404, 'not_found', 'Couldn’t find that domain name.');
/** The states of a domain once its records are seen, in order. */
const CERTIFICATE_STATES = ['verified', 'dns-verified', 'cert issued'];

export const domainRoutes: readonly Route<HerokuState>[] = [
  at('POST', '/apps/{app}/domains', 'attach', async (call) => withApp(call, ({ id }) => attach(call, id))),
  at('GET', '/apps/{app}/domains/{domain}', 'domains', async (call) =>
    withDomain(call, (domain) => {
      advance(call, domain);
      return { status: 200, body: shown(domain) };
    }),
  ),
  at('DELETE', '/apps/{app}/domains/{domain}', 'detach', async (call) =>
    withDomain(call, (domain) => {
      call.state.domains.delete(domain.hostname);
      return { status: 200, body: shown(domain) };
    }),
  ),
];

function attach(call: Call, app: string): Reply {
  const { state, states } = call;
  const parsed = bodySchema.safeParse(bodyIn(call));
  if (!parsed.success) return refused(422, 'invalid_params', 'Require params: sni_endpoint.');
  const { hostname } = parsed.data;
  if (!state.account.verified) return refused(422, 'verification_needed', 'Please verify your account to add domains.');
  if (!/^([a-z0-9-]+\.)+[a-z]+$/.test(hostname)) return refused(422, 'invalid_params', 'Domain is invalid.');
  const known = state.domains.get(hostname);
  if (known !== undefined || state.elsewhere.has(hostname)) {
    return refused(422, 'invalid_params', `The hostname ${hostname} is currently in use by another app.`);
  }
  const target = `${createHash('sha1').update(hostname).digest('hex').slice(0, 12)}.herokudns.com`;
  const domain: Domain = {
    id: randomUUID(),
    hostname,
    app,
    cname: state.quirks.isTargetLate ? null : target,
    target,
    status: null,
    reason: null,
    ahead: [...states],
  };
  state.domains.set(hostname, domain);
  return { status: 201, body: shown(domain) };
}

/** One state a look: the target first, then the outcome of the certificate. */
function advance({ state }: Call, domain: Domain): void {
  if (domain.cname === null) {
    domain.cname = domain.target;
    return;
  }
  const isManaged = state.apps.get(domain.app)?.acm === true;
  const isSeen = state.zone.some(({ name, value }) => name === domain.hostname && value === domain.target);
  const next = domain.ahead.shift();
  if (next !== undefined) domain.status = next;
  else if (isManaged && isSeen && domain.status !== 'failed') {
    const at = CERTIFICATE_STATES.indexOf(domain.status ?? '');
    domain.status = CERTIFICATE_STATES[Math.min(at + 1, CERTIFICATE_STATES.length - 1)] ?? null;
  }
}

function withDomain(call: Call, work: (domain: Domain) => Reply): Reply {
  return withApp(call, ({ id }) => {
    const domain = call.state.domains.get(call.parts[1] ?? '');
    return domain?.app === id ? work(domain) : NO_DOMAIN;
  });
}

function shown({ id, hostname, app, cname, status, reason }: Domain) {
  return {
    id,
    hostname,
    app: { id: app, name: 'an-app' },
    kind: 'custom',
    status: cname === null ? 'pending' : 'succeeded',
    cname,
    acm_status: status,
    acm_status_reason: reason,
    sni_endpoint: null,
    created_at: NOW,
    updated_at: NOW,
  };
}
