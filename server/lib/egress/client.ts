import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector } from 'undici';
import { bodyToWrite, lengthOf } from './body.ts';
import type { Egress, EgressAnswer, EgressRequest, OwnListener } from './egress.ts';
import { EgressError } from './error.ts';
import { Exchange } from './exchange.ts';
import { checkedLookup } from './lookup.ts';
import { type EgressRules, isReachable, mayOpen } from './rules.ts';
import { trusting } from './trust.ts';

/**
 * undici parses answers in WebAssembly. Optimizing that parser takes 35 MiB for a moment at the first requests, and
 * saves one microsecond a request, so V8 is told not to.
 */
setFlagsFromString('--liftoff-only');

const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;
const HEADERS_MAX_BYTES = 16 * 1024;
/** The connections to one origin over all requests: the most that an adapter sends at once. */
const CONNECTIONS = 50;
/** More ports than an operator opens. Where a range is allowed, anybody who names an address in it chooses the port. */
const PORTS_KEPT = 32;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Creates the client with these rules. Connections are reused for the next request to the same origin. */
export function openEgress(rules: EgressRules): Egress {
  const checked = createAgent(checkedConnector(rules));
  const listeners = new Map<string, Agent>();
  const agentFor = ({ listener, isFresh, onCertificate }: EgressRequest): Agent => {
    const connector = () => (listener === undefined ? checkedConnector(rules) : connectorTo(listener));
    const open = (): Agent => createAgent(connector());
    if (isFresh)
      return onCertificate === undefined ? open() : createAgent(withCertificateReport(connector(), onCertificate));
    if (listener === undefined) return checked;
    const key = `${listener.protocol} ${listener.host} ${listener.port}`;
    const agent = listeners.get(key) ?? open();
    listeners.set(key, agent);
    return agent;
  };
  return {
    async request(url, request, read) {
      const agent = agentFor(request);
      try {
        return await follow(agent, url, request, read);
      } finally {
        if (request.isFresh) await agent.destroy();
      }
    },
  };
}

function createAgent(connect: buildConnector.connector): Agent {
  return new Agent({ connect, connections: CONNECTIONS, maxHeaderSize: HEADERS_MAX_BYTES });
}

function withCertificateReport(
  connect: buildConnector.connector,
  report: (notAfter: Date) => void,
): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...outcome) => {
      const [, socket] = outcome;
      if (socket instanceof TLSSocket) report(new Date(socket.getPeerCertificate().valid_to));
      callback(...outcome);
    });
  };
}

function connectorTo({ host, port }: OwnListener): buildConnector.connector {
  // The listener is ours, so any certificate is accepted: an authority that only its visitors know may have signed it.
  const connect = buildConnector({ timeout: CONNECT_MS, rejectUnauthorized: false });
  return (options, callback) => {
    connect({ ...options, servername: options.hostname, hostname: host, host, port: String(port) }, callback);
  };
}

function checkedConnector(rules: EgressRules): buildConnector.connector {
  const connectors = new LRUCache<number, buildConnector.connector>({ max: PORTS_KEPT });
  return (options, callback) => {
    const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80);
    const host = options.hostname.replace(/^\[|\]$/g, '');
    // A literal address is not resolved, so `lookup` would never see it.
    const isRefused = isIP(host) === 0 ? !mayOpen(port, rules) : !isReachable(host, port, [host], rules);
    if (isRefused) return callback(refusal(host), null);
    const connect = connectors.get(port) ?? connectorWith(rules, port);
    connectors.set(port, connect);
    return connect(options, callback);
  };
}

function connectorWith(rules: EgressRules, port: number): buildConnector.connector {
  const trust = rules.ca === undefined ? {} : { secureContext: trusting(rules.ca) };
  return buildConnector({ timeout: CONNECT_MS, lookup: checkedLookup(rules, port, refusal), ...trust });
}

/** Uses one sentence for all refusals, so that it tells nothing about what is at the address. */
function refusal(host: string): EgressError {
  return new EgressError('refused', `${host} is not a public web address`);
}

async function follow<T>(
  agent: Agent,
  address: string,
  request: EgressRequest,
  read: (answer: EgressAnswer) => Promise<T>,
): Promise<T> {
  const limit = new Limit(request);
  let url = parseAddress(address);
  try {
    for (let left = request.body === undefined ? (request.redirects ?? 0) : 0; ; left -= 1) {
      const answer = await send(agent, url, request, limit);
      const location = REDIRECTS.has(answer.status) ? answer.headers.get('location') : null;
      if (location === null || (request.redirects ?? 0) === 0) return await use(answer, read);
      answer.drop();
      if (left === 0) throw new EgressError('redirects', `${url.origin} redirects too often.`);
      url = nextAddress(location, url, request);
    }
  } catch (error) {
    request.signal.throwIfAborted();
    throw limit.isOver ? tooSlow(error) : error;
  } finally {
    limit.stop();
  }
}

function nextAddress(location: string, from: URL, { onRedirect }: EgressRequest): URL {
  if (!URL.canParse(location, from)) return parseAddress(location);
  const next = new URL(location, from);
  onRedirect?.(next);
  return parseAddress(next.href);
}

/** Ends the exchange under way at the caller's signal, or after its time. */
class Limit {
  isOver = false;
  exchange: Exchange | undefined;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #end = (): void => {
    this.isOver = true;
    this.exchange?.end(tooSlow());
  };

  constructor({ signal, wholeMs }: EgressRequest) {
    this.#signal = signal;
    this.#timer = setTimeout(this.#end, wholeMs);
    signal.addEventListener('abort', this.#end);
    if (signal.aborted) this.#end();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#end);
  }
}

function tooSlow(cause?: unknown): EgressError {
  return new EgressError('too_slow', 'no whole answer in time', cause);
}

function parseAddress(address: string): URL {
  if (!URL.canParse(address)) throw new EgressError('refused', 'This is not a web address.');
  const url = new URL(address);
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || url.username !== '' || url.password !== '') {
    throw new EgressError('refused', 'This is not a web address.');
  }
  return url;
}

type Answer = EgressAnswer & { drop(): void };

async function send(agent: Agent, url: URL, request: EgressRequest, limit: Limit): Promise<Answer> {
  const { method = 'GET', body, silenceMs = SILENCE_MS, maxBytes, listener } = request;
  const exchange = new Exchange(maxBytes);
  limit.exchange = exchange;
  if (limit.isOver) throw tooSlow();
  const written = bodyToWrite(body);
  const drop = (): void => {
    exchange.drop();
    if (written instanceof Readable) written.on('error', () => undefined).destroy();
  };
  agent.dispatch(
    {
      origin: listener === undefined ? url.origin : `${listener.protocol}//${url.host}`,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { 'accept-encoding': 'identity', ...request.headers?.(url), ...lengthOf(body) },
      body: written,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    },
    exchange,
  );
  try {
    const { status, headers } = await exchange.head;
    return {
      status,
      get headers() {
        return headersOf(headers);
      },
      url,
      body: exchange,
      drop,
    };
  } catch (error) {
    drop();
    throw error;
  }
}

async function use<T>(answer: Answer, read: (answer: EgressAnswer) => Promise<T>): Promise<T> {
  try {
    return await read(answer);
  } finally {
    answer.drop();
  }
}

function headersOf(raw: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const one of value === undefined ? [] : [value].flat()) headers.append(name, one);
  }
  return headers;
}
