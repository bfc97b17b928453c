import { once } from 'node:events';
import { createServer, type Server as HttpServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createSecureContext } from 'node:tls';
import { expect } from 'vitest';
import type { Report } from '../../routers/schemas/diagnostics.ts';
import { DAY_MS } from '../../server/lib/durations.ts';
import { createReach } from '../../server/lib/egress/reach.ts';
import { parseRange } from '../../server/lib/egress/rules.ts';
import type { Person } from './app.ts';
import { type Certificate, selfSigned } from './certificate.ts';
import { createDomainApp } from './domain-app.ts';
import { setsOf, startDomainLab, type ZoneSets } from './domain-lab.ts';
import { publish } from './publishing.ts';

/** The addresses of Fairlead's own sites; of somebody else's server; and of no server. All are in SITES_ADDRESSES. */
export const SITE = '127.0.0.1';
export const OTHER = '127.0.0.5';
export const NOBODY = '127.0.0.6';
export const OLD = '127.0.0.8';
const PAGE = '<!doctype html><title>harbour</title><p>the page of the release';

export type Web = { status?: number; headers?: Record<string, string>; body?: string; breaks?: RegExp };

const from = (days: number): Date => new Date(Date.now() + days * DAY_MS);

async function listenAt(server: HttpServer, address: string, port: number): Promise<number> {
  server.listen(port, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Answers as the test says for each name and scheme; any other name has a page without faults. */
function answering(web: Map<string, Web>, scheme: 'http' | 'https'): RequestListener {
  return (request, response) => {
    const name = (request.headers.host ?? '').split(':')[0] ?? '';
    const told = web.get(`${scheme}://${name}`) ?? {};
    if (told.breaks?.test(request.url ?? '')) return void request.socket.destroy();
    const isLed = scheme === 'http' && told.status === undefined;
    const headers = isLed
      ? { location: `https://${name}/` }
      : { 'content-type': 'text/html', 'strict-transport-security': 'max-age=31536000', ...told.headers };
    response.writeHead(isLed ? 301 : (told.status ?? 200), headers).end(told.body ?? PAGE);
  };
}

/**
 * The application with its host, two name servers that any zone can be made at, and web servers of somebody else at the very
 * port of our sites, over TLS as well, whose certificates are told by name.
 */
export async function createDiagnosisWorld({
  trustAnchors = [],
  resolved = [],
}: {
  trustAnchors?: string[];
  resolved?: string[];
} = {}) {
  const lab = await startDomainLab({ trustAnchors, resolved });
  const web = new Map<string, Web>();
  const shown = new Map<string, Certificate>();
  const roots: string[] = [];
  /** Signed by itself, and trusted where no more is said. */
  const certificateFor = (name: string): Certificate => {
    const known = shown.get(name) ?? selfSigned(from(-10), from(80), name);
    if (!shown.has(name)) roots.push(known.cert);
    shown.set(name, known);
    return known;
  };
  const SNICallback = (name: string, answer: (error: null, context: ReturnType<typeof createSecureContext>) => void) =>
    answer(null, createSecureContext(certificateFor(name)));
  const allow = ['127.0.0.0/8', '::1'].map(parseRange).filter((range) => range !== null);
  const app = await createDomainApp(lab, {
    providers: {
      sitesAddresses: async () => ({ given: true, found: [SITE, OTHER, NOBODY, OLD, '::1'] }),
      reach: {
        ...createReach({ allow }),
        handshake: (request) => createReach({ allow, ca: [...roots] }).handshake(request),
      },
    },
  });
  const httpPort = app.host.address.port;
  const plain = createServer(answering(web, 'http'));
  await listenAt(plain, OTHER, httpPort);
  const secure = createTlsServer({ SNICallback }, answering(web, 'https'));
  const tlsPort = await listenAt(secure, OTHER, 0);
  const old = createTlsServer(
    { SNICallback, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.2', ciphers: 'DEFAULT@SECLEVEL=0' },
    answering(web, 'https'),
  );
  await listenAt(old, OLD, tlsPort);
  const addresses = Object.assign(app.providers.addresses, {
    sitesHttpPort: httpPort,
    sitesUrl: `http://{slug}.localhost:${httpPort}`,
  });
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'harbour', platform: 'built-in' });
  await publish(app, person, deployment, { 'index.html': PAGE });
  const deploymentId = deployment.id;

  async function report(input: { name: string } | { deploymentId: string }, of: Person = person): Promise<Report> {
    const { reportId } = await of.caller.diagnostics.run(input);
    await app.jobs.drain();
    const done = await of.caller.diagnostics.get({ reportId });
    expect(done.state).toBe('done');
    return done;
  }

  return {
    ...{ app, lab, web, shown, person, deploymentId, certificateFor, report },
    /** A domain of the deployment that works, with further records. */
    async own(name: string, more: ZoneSets = {}) {
      const added = await person.caller.domains.add({ deploymentId, name });
      const sets = { ...setsOf(added.records.filter(({ type }) => type === 'TXT')), [`${name} A`]: [SITE] };
      await lab.zone(name, { ...sets, ...more });
      app.clock.advance(2_000);
      const domain = await person.caller.domains.check({ domainId: added.id });
      return { ...domain, ...added };
    },
    /** A name of somebody else, whose site is the web server's. */
    async stranger(name: string, more: ZoneSets = {}) {
      await lab.zone(name, { [`${name} A`]: [OTHER], ...more });
    },
    /** Has names of other people's servers visited over TLS at the web server from here on. */
    withTls: async <T>(work: () => Promise<T>): Promise<T> => {
      addresses.sitesTlsPort = tlsPort;
      try {
        return await work();
      } finally {
        addresses.sitesTlsPort = undefined;
      }
    },
    async [Symbol.asyncDispose]() {
      for (const server of [plain, secure, old]) {
        server.close();
        server.closeAllConnections();
      }
      await app[Symbol.asyncDispose]();
      await lab[Symbol.asyncDispose]();
    },
  };
}

export type DiagnosisWorld = Awaited<ReturnType<typeof createDiagnosisWorld>>;
