import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { ROUTES } from './api.ts';
import { ELSEWHERE } from './domains.ts';
import { createFaultScript, type Fault, type FaultScript, type VendorStep } from './faults.ts';
import { createRecords, type Records, sha256Of } from './records.ts';
import type { VendorReply, ZoneRecord } from './route.ts';
import { type Page, pageOf } from './serve.ts';

/** Names under which its sites are served: loopback names (RFC 6761), so that they can be opened on this machine. */
export const SITES_DOMAIN = 'simulated.localhost';
/** Where adapters ask for it; `fetch` of the vendor leads there. */
const VENDOR_ORIGIN = 'http://api.simulated.localhost';

export type SeenRequest = { step: VendorStep; method: string; path: string; sizeBytes: number; token: string | null };

export type Vendor = {
  records: Records;
  port: number;
  /** Every request to its API since it started, in order. */
  requests: SeenRequest[];
  fail: FaultScript['fail'];
  heal: FaultScript['heal'];
  /** As `globalThis.fetch`, but what is asked of the platform gets here. */
  fetch: typeof globalThis.fetch;
  /** Does by hand what an API would do: these files are the site of that name from now on. */
  publishByHand(name: string, files: ReadonlyMap<string, Buffer>): Promise<void>;
  /** Does what a person does at their DNS provider: these records are answered from now on. */
  placeRecords(records: readonly ZoneRecord[]): void;
  /** Another account has this domain. */
  takeDomain(name: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * A hosting platform of our own that fails on demand: a listener on the loopback that answers an API and serves the
 * sites that were published to it. What it knows is in `folder` and outlives it; what it is to do wrong is not.
 */
export async function startVendor({ folder }: { folder: string }): Promise<Vendor> {
  const records = createRecords(folder);
  await records.open();
  const script = createFaultScript();
  const requests: SeenRequest[] = [];
  const zone: ZoneRecord[] = [];
  const server = createServer((request, response) => {
    const parts = { records, script, requests, zone, portOf: () => portOf(server) };
    void answer(parts, request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = portOf(server);

  return {
    records,
    port,
    requests,
    fail: script.fail,
    heal: script.heal,
    fetch: fetchFrom(port),
    publishByHand: (name, files) => publishByHand(records, name, files),
    placeRecords: (placed) => void zone.push(...placed),
    takeDomain: async (name) => void (await records.takeName(name, ELSEWHERE)),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** The way to a vendor that listens on this port, perhaps in another process. */
export function fetchFrom(port: number): typeof globalThis.fetch {
  return (input, init) => {
    const url = new URL(typeof input === 'string' || input instanceof URL ? input : input.url);
    const listener = `http://127.0.0.1:${port}`;
    if (url.origin === VENDOR_ORIGIN) return globalThis.fetch(`${listener}${url.pathname}${url.search}`, init);
    if (!url.hostname.endsWith(`.${SITES_DOMAIN}`)) return globalThis.fetch(input, init);
    // Not every resolver knows these names, and `fetch` takes no `Host` header.
    const name = url.hostname.slice(0, -SITES_DOMAIN.length - 1);
    return globalThis.fetch(`${listener}/visit/${name}${url.pathname}`, init);
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

type Parts = {
  records: Records;
  script: FaultScript;
  requests: SeenRequest[];
  zone: ZoneRecord[];
  portOf(): number;
};

async function answer(parts: Parts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  if (host.endsWith(`.${SITES_DOMAIN}`)) {
    return visit(parts, host.slice(0, -SITES_DOMAIN.length - 1), request.url ?? '/', response);
  }
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, visited, page = '/'] = /^\/visit\/([^/]+)(\/.*)$/.exec(url.pathname) ?? [];
  if (visited !== undefined) return visit(parts, visited, page, response);
  const route = ROUTES.find((one) => one.method === request.method && one.pattern.test(url.pathname));
  const body = await readBody(request);
  if (route === undefined) return send(response, { status: 404, body: { message: 'Not Found' } });
  parts.requests.push({
    step: route.step,
    method: route.method,
    path: url.pathname,
    sizeBytes: body.length,
    token: request.headers.authorization ?? null,
  });
  const fault = parts.script.take(route.step);
  await misbehave(fault, response, () =>
    route.answer({
      parts: route.pattern.exec(url.pathname)?.slice(1) ?? [],
      query: url.searchParams,
      body,
      states: fault?.how === 'states' ? fault.states : [],
      records: parts.records,
      zone: parts.zone,
      addressOf: (name) => `http://${name}.${SITES_DOMAIN}:${parts.portOf()}`,
    }),
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function misbehave(
  fault: Fault | undefined,
  response: ServerResponse,
  act: () => Promise<VendorReply>,
): Promise<void> {
  if (fault === undefined || fault.how === 'states') return send(response, await act());
  if (fault.how === 'reset') return void response.destroy();
  if (fault.how === 'garbage') return sendText(response, 200, '<html><body>Everything is fine</body></html>');
  if (fault.how === 'status') {
    const { status, headers = {}, body = { message: 'Something went wrong' } } = fault;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (typeof body === 'string') return sendText(response, status, body);
    return send(response, { status, body });
  }
  if (fault.how === 'wait') await delay(fault.ms, undefined, { ref: false });
  const reply = await act();
  if (fault.how === 'wait') return send(response, reply);
  // Done, and whoever asked never hears of it.
  if (fault.how === 'late') return;
  const text = JSON.stringify(reply.body ?? {});
  response.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

function send(response: ServerResponse, { status, body }: VendorReply): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === undefined ? undefined : JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(text);
}

async function visit(parts: Parts, name: string, target: string, response: ServerResponse): Promise<void> {
  const fault = parts.script.take('visit');
  if (fault?.how === 'status') return sendText(response, fault.status, 'no');
  if (fault?.how === 'garbage') return sendText(response, 200, 'other bytes');
  const page: Page = await pageOf(parts.records, name, target);
  response.writeHead(page.status);
  response.end(page.bytes);
}

async function publishByHand(records: Records, name: string, files: ReadonlyMap<string, Buffer>): Promise<void> {
  const named: Record<string, string> = {};
  for (const [path, bytes] of files) {
    named[path] = sha256Of(bytes);
    await records.writeBlob(sha256Of(bytes), bytes);
  }
  const known = await records.siteByName(name);
  const site = known ?? { id: records.newId(), name, owner: 'by hand', published: null, head: null };
  const release = { id: records.newId(), site: site.id, key: '', files: named, state: 'ready', ahead: [] };
  await records.write('releases', { ...release, goesPublic: true });
  await records.write('sites', { ...site, published: release.id });
  if (known === null) await records.takeName(name, site.id);
}
