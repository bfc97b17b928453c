import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import { type Call, type Domain, GONE, refused, sha1Of, type VercelState, withProject, withTeam } from './state.ts';

/** Records that it asks for; the CNAME's host is this account's own. Addresses for documentation (RFC 5737). */
const WANTED = { a: ['192.0.2.79', '192.0.2.1'], cname: '0123456789abcdef.dns-017.vercel-dns.com' };
const bodySchema = z.object({ name: z.string() });

export const domainRoutes: readonly Route<VercelState>[] = [
  at('POST', '/v10/projects/{idOrName}/domains', 'attach', async (call) =>
    withProject(call, (project) => {
      const { name } = bodySchema.parse(JSON.parse(call.body.toString()));
      if (project.production === null) {
        return refused(400, 'bad_request', 'The latest production deployment of the project was not successful.');
      }
      return attach(call, project.id, name);
    }),
  ),
  at('GET', '/v9/projects/{idOrName}/domains/{domain}', 'domains', async (call) =>
    withDomain(call, (domain) => ({ status: 200, body: shown(domain) })),
  ),
  at('DELETE', '/v9/projects/{idOrName}/domains/{domain}', 'detach', async (call) =>
    withDomain(call, ({ name }) => {
      call.state.domains.delete(name);
      return { status: 200, body: {} };
    }),
  ),
  at('POST', '/v9/projects/{idOrName}/domains/{domain}/verify', 'finish', async (call) =>
    withDomain(call, (domain) => verify(call, domain)),
  ),
  at('GET', '/v6/domains/{domain}/config', 'certificate', async (call) =>
    withTeam(call, () => {
      const name = call.parts[0] ?? '';
      const here = call.state.zone.filter((record) => record.name === name);
      const kind = here.find(({ value }) => [...WANTED.a, WANTED.cname].includes(value))?.type ?? null;
      return {
        status: 200,
        body: {
          configuredBy: kind,
          acceptedChallenges: kind === null ? [] : ['http-01'],
          recommendedIPv4: [
            { rank: 2, value: ['192.0.2.21'] },
            { rank: 1, value: WANTED.a },
          ],
          recommendedCNAME: [
            { rank: 2, value: 'cname.vercel-dns.com' },
            { rank: 1, value: `${WANTED.cname}.` },
          ],
          misconfigured: kind === null,
        },
      };
    }),
  ),
];

function attach({ state }: Call, project: string, name: string): Reply {
  if (!/^([a-z0-9-]+\.)+[a-z]+$/.test(name))
    return refused(400, 'invalid_domain', `The domain "${name}" is not valid.`);
  const known = state.domains.get(name);
  if (known?.project === project)
    return refused(400, 'domain_already_exists', 'The domain is on this project already.');
  if (known !== undefined) {
    return refused(409, 'domain_already_in_use', `Cannot add ${name} since it's already in use by another project.`);
  }
  const isElsewhere = state.elsewhere.has(name);
  const proof = `vc-domain-verify=${name},${sha1Of(Buffer.from(name)).slice(0, 20)}`;
  const domain = { name, project, verified: !isElsewhere, proof };
  state.domains.set(name, domain);
  return { status: 200, body: shown(domain) };
}

function verify({ state }: Call, domain: Domain): Reply {
  if (!domain.verified && !state.zone.some(({ type, value }) => type === 'TXT' && value === domain.proof)) {
    return refused(400, 'missing_txt_record', `Domain _vercel.${apexOf(domain.name)} is missing required TXT Record.`);
  }
  domain.verified = true;
  const { verification: _none, ...body } = shown(domain);
  return { status: 200, body };
}

function withDomain(call: Call, work: (domain: Domain) => Reply): Reply {
  return withProject(call, ({ id }) => {
    const domain = call.state.domains.get(call.parts[1] ?? '');
    return domain?.project === id ? work(domain) : GONE;
  });
}

/** No name of a test has a public suffix of two words. */
function apexOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}

function shown({ name, project, verified, proof }: Domain) {
  const domain = `_vercel.${apexOf(name)}`;
  return {
    name,
    apexName: apexOf(name),
    projectId: project,
    verified,
    ...(!verified && { verification: [{ type: 'TXT', domain, value: proof, reason: 'pending_domain_verification' }] }),
  };
}
