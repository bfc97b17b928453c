import { EventEmitter } from 'node:events';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { LRUCache } from 'lru-cache';
import { Agent, buildConnector } from 'undici';
import { AppError } from '../errors.ts';
import { bodyToWrite, lengthOf } from './body.ts';
import type { Egress, EgressAnswer, EgressRequest, OwnListener } from './egress.ts';
import { EgressError } from './error.ts';
import { checkedLookup } from './lookup.ts';
import { type EgressRules, isReachable, mayOpen } from './rules.ts';
import { connectionWords } from './words.ts';

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
    if (isFresh) return onCertificate === undefined ? open() : createAgent(telling(connector(), onCertificate));
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

function telling(connect: buildConnector.connector, tell: (notAfter: Date) => void): buildConnector.connector {
  return (options, callback) => {
    connect(options, (...outcome) => {
      const [, socket] = outcome;
      if (socket instanceof TLSSocket) tell(new Date(socket.getPeerCertificate().valid_to));
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
  const trust = rules.ca === undefined ? {} : { ca: [...rules.ca] };
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
      url = parseAddress(URL.canParse(location, url) ? new URL(location, url).href : location);
    }
  } catch (error) {
    request.signal.throwIfAborted();
    throw limit.aborted ? new EgressError('too_slow', 'no whole answer in time', error) : error;
  } finally {
    limit.stop();
  }
}

/**
 * Ends the exchange at the caller's signal or after its time. undici accepts any emitter as a signal, and every
 * request needs one: an AbortController would cost as much as the rest of a request to our own host.
 */
class Limit extends EventEmitter {
  aborted = false;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #end = (): void => {
    this.aborted = true;
    this.emit('abort');
  };

  constructor({ signal, wholeMs }: EgressRequest) {
    super();
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

async function send(agent: Agent, url: URL, request: EgressRequest, signal: Limit): Promise<Answer> {
  const { method = 'GET', body, silenceMs = SILENCE_MS, maxBytes, listener } = request;
  const answer = await agent
    .request({
      origin: listener === undefined ? url.origin : `${listener.protocol}//${url.host}`,
      path: `${url.pathname}${url.search}`,
      method,
      headers: { 'accept-encoding': 'identity', ...request.headers?.(url), ...lengthOf(body) },
      body: bodyToWrite(body),
      signal,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
    })
    .catch((error: unknown) => {
      throw toEgressError(error);
    });
  return {
    status: answer.statusCode,
    get headers() {
      return headersOf(answer.headers);
    },
    url,
    body: bounded(answer.body, maxBytes),
    drop: () => void answer.body.on('error', () => undefined).destroy(),
  };
}

async function use<T>(answer: Answer, read: (answer: EgressAnswer) => Promise<T>): Promise<T> {
  try {
    return await read(answer);
  } finally {
    answer.drop();
  }
}

function headersOf(raw: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(raw)) {
    for (const one of value === undefined ? [] : [value].flat()) headers.append(name, one);
  }
  return headers;
}

async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new EgressError('too_large', 'the answer is too long');
      yield chunk;
    }
  } catch (error) {
    throw toEgressError(error);
  }
}

const SILENCES: ReadonlySet<string> = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/** These codes say that a name has no address (c-ares, and getaddrinfo for the operator's own names). */
const NO_ADDRESS: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** Converts an error of the client; an error of the store, met while a body was read from it, passes unchanged. */
function toEgressError(error: unknown): EgressError | AppError {
  if (error instanceof EgressError || error instanceof AppError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (SILENCES.has(code)) return new EgressError('silent', 'no answer in time', error);
  if (NO_ADDRESS.has(code)) return new EgressError('unknown_name', 'this address does not exist', error);
  return new EgressError('connection', connectionWords(error, code), error);
}
