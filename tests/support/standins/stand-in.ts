import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { atFreePort, portOf } from '../at-free-port.ts';
import { type DescriptionName, readDescription } from './description.ts';
import { createFaultScript, type Fault, type FaultScript, type Step } from './faults.ts';
import { countRequests, type RequestLimit } from './limits.ts';

/** Node ends a connection after five seconds without a request: on a busy machine a client uses it just then. */
const KEPT_MS = 60_000;

/**
 * A platform's API played over HTTP, for tests. It answers by its routes, each of which is an operation of the published
 * description: a request that does not fit is refused, an answer that does not fit fails the test that asked (`drift`).
 * After that each object gets a field that no client knows. It fails on demand, by step, and keeps a log of requests.
 */
export type StandIn<State> = {
  state: State;
  /** The address to make the adapter with. */
  apiUrl: string;
  port: number;
  /** Every request to the API since it started, in order. */
  requests: SeenRequest[];
  fail: FaultScript['fail'];
  heal: FaultScript['heal'];
  /** Opens the API to one more token. */
  admit(token: string): void;
  /** From now on this token opens nothing; without an argument, the token that opened everything. */
  revoke(token?: string): void;
  /** Counts requests by this clock from now on: that of an adapter for which no time passes but in its own calls. */
  keepTime(now: () => Date): void;
  /**
   * Deviations of its answers, or of requests to it, from the description, and requests above the vendor's limits.
   * Each is a defect of the stand-in or of the adapter.
   */
  drift: string[];
  [Symbol.asyncDispose](): Promise<void>;
};

export type SeenRequest = {
  step: Step;
  method: string;
  /** The path with its parameters, without the query. */
  path: string;
  query: string;
  sizeBytes: number;
  /** The header as it came. */
  token: string | null;
  status: number | null;
};

export type StandInCall<State> = {
  state: State;
  /** Values of the braces in the route's path, in order. */
  parts: readonly string[];
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** States that what is made goes through before its own. */
  states: readonly string[];
  /** The address of the stand-in, for what it answers as an address: `http://127.0.0.1:{port}`. */
  origin: string;
};

export type Reply = {
  status: number;
  body?: unknown;
  headers?: Record<string, string>;
  /** Known to be answered so, although the description does not say it. */
  isUndescribed?: true;
};

export type Route<State> = {
  method: string;
  /** The path as the description has it: `/sites/{site_id}/deploys`. One part may hold slashes: `{path+}`. */
  path: string;
  step: Step;
  /** Taken without a token, as presigned addresses are; a request that brings one all the same is drift. */
  isOpen?: true;
  /** Known to be there, although the description lacks it. */
  isUndescribed?: true;
  answer(call: StandInCall<State>): Promise<Reply>;
};

/** One route, in one line where its answer is short. */
export function at<State>(
  method: string,
  path: string,
  step: Step,
  answer: Route<State>['answer'],
  more: Pick<Route<State>, 'isOpen' | 'isUndescribed'> = {},
): Route<State> {
  return { method, path, step, answer, ...more };
}

export type StandInOptions<State> = {
  state: State;
  /** The vendor's published description that answers must fit; null where there is none. */
  description: DescriptionName | null;
  /** Reads the bodies of an API that takes forms. */
  decodes?(form: string): unknown;
  /** Stands before every path of the routes: `/api/v1`. */
  base?: string;
  routes: readonly Route<State>[];
  token?: string;
  /** Checks a proof of identity that is no token; a returned reply is the refusal. */
  refuse?(asked: { request: IncomingMessage; url: URL; body: Buffer }): Reply | null;
  /**
   * The limits that the vendor publishes; a request above one of them is refused as the vendor does it, and noted as
   * drift.
   */
  limits?: readonly RequestLimit[];
  refusals: { token: Reply; unknown: Reply; misfit?(what: string): Reply };
  /** Noted as drift and accepted all the same: fields that the vendor's own client sends, and the description lacks. */
  knownDrift?: RegExp;
  /** Leads addresses in an answer to this machine, once it was held to the description, which wants the vendor's names. */
  local?(text: string, origin: string): string;
  /** Visitors of the sites: everything that asks for another host than the API's. */
  visit?(state: State, host: string, path: string): Promise<Page>;
};

export type Page = { status: number; bytes: Buffer; headers?: Record<string, string> };

export const TOKEN = 'a-secret-token';

/** Starts it at a free port of this machine. */
export async function startStandIn<State>(options: StandInOptions<State>): Promise<StandIn<State>> {
  const script = createFaultScript();
  const requests: SeenRequest[] = [];
  const drift: string[] = [];
  const tokens = new Set([options.token ?? TOKEN]);
  const counter = countRequests(options.limits ?? []);
  let now = (): Date => new Date();
  const roomFor: Parts<State>['roomFor'] = (route) => counter.take(route, now().getTime());
  const server = createServer((request, response) => {
    const parts = { options, script, requests, drift, tokens, roomFor, origin: `http://127.0.0.1:${portOf(server)}` };
    void serve(parts, request, response).catch((error: unknown) => {
      if (!request.destroyed) drift.push(String(error));
      response.destroy();
    });
  });
  server.keepAliveTimeout = KEPT_MS;
  const listening = await atFreePort(server);
  return {
    ...listening,
    state: options.state,
    apiUrl: `${listening.url}${options.base ?? ''}`,
    requests,
    fail: script.fail,
    heal: script.heal,
    admit: (token) => void tokens.add(token),
    revoke: (token) => void (token === undefined ? tokens.clear() : tokens.delete(token)),
    keepTime: (clock) => {
      now = clock;
    },
    drift,
  };
}

type Parts<State> = {
  options: StandInOptions<State>;
  script: FaultScript;
  requests: SeenRequest[];
  drift: string[];
  tokens: ReadonlySet<string>;
  roomFor(route: Route<State>): ReturnType<ReturnType<typeof countRequests>['take']>;
  origin: string;
};

async function serve<State>(parts: Parts<State>, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { options, script } = parts;
  const url = new URL(request.url ?? '/', parts.origin);
  const host = (request.headers.host ?? '').replace(/:\d+$/, '');
  if (host !== '127.0.0.1' && options.visit !== undefined) return visit(parts, host, url.pathname, response);
  const found = findRoute(options, request.method ?? 'GET', url.pathname);
  const fault = found === null ? undefined : script.take(found.route.step);
  if (fault?.how === 'cut') return cut(request);
  const body = await readBody(request);
  if (found === null) return send(response, options.refusals.unknown);
  const seen: SeenRequest = {
    step: found.route.step,
    method: found.route.method,
    path: url.pathname,
    query: url.search,
    sizeBytes: body.length,
    token: request.headers.authorization ?? null,
    status: null,
  };
  parts.requests.push(seen);
  const act = async (): Promise<Reply> => {
    const reply = await answer(parts, found, { request, url, body, fault });
    seen.status = reply.status;
    return reply;
  };
  await misbehave(fault, response, act);
}

type Found<State> = { route: Route<State>; parts: string[] };
type Asked = { request: IncomingMessage; url: URL; body: Buffer; fault: Fault | undefined };

async function answer<State>(parts: Parts<State>, { route, parts: named }: Found<State>, asked: Asked): Promise<Reply> {
  const { options, tokens, drift, origin } = parts;
  const { request, url, body: sent, fault } = asked;
  const token = tokenIn(request);
  const where = `${route.method} ${route.path}`;
  if (route.isOpen && token !== undefined) drift.push(`${where} takes no token, and got one`);
  const isKnown = options.refuse !== undefined || (token !== undefined && tokens.has(token));
  if (!route.isOpen && !isKnown) return options.refusals.token;
  const tooMany = parts.roomFor(route);
  if (tooMany !== null) drift.push(tooMany.why);
  if (tooMany !== null) return tooMany.reply;
  const refused = options.refuse?.({ request, url, body: sent }) ?? null;
  if (refused !== null) return refused;
  const description = descriptionOf(options, route);
  const path = route.path.replaceAll('+}', '}');
  const misfit = misfitOf(parts, route, asked);
  if (misfit !== null) return misfit;
  const reply = await route.answer({
    state: options.state,
    parts: named,
    query: url.searchParams,
    headers: request.headers,
    body: sent,
    states: fault?.how === 'states' ? fault.states : [],
    origin,
  });
  const isToldSo = reply.body !== undefined && typeof reply.body !== 'string' && !reply.isUndescribed;
  const drifted = isToldSo ? description?.faultOfAnswer(route.method, path, reply.status, reply.body) : null;
  if (drifted) drift.push(`answer ${reply.status} to ${where}: ${drifted}`);
  const body = withUnknownField(reply.body);
  if (options.local === undefined || typeof body !== 'object') return { ...reply, body };
  return { ...reply, body: JSON.parse(options.local(JSON.stringify(body), origin)) };
}

function descriptionOf<State>({ description }: StandInOptions<State>, { isUndescribed }: Route<State>) {
  return isUndescribed || description === null ? null : readDescription(description);
}

/** The refusal of a body that does not fit the description, which is noted; null where it does. */
function misfitOf<State>(
  { options, drift }: Parts<State>,
  route: Route<State>,
  { request, body }: Asked,
): Reply | null {
  // Some clients name the media type of a body that they do not send.
  const type = body.length > 0 ? (request.headers['content-type'] ?? '') : '';
  const isForm = options.decodes !== undefined && type.startsWith('application/x-www-form-urlencoded');
  if (!isForm && !type.startsWith('application/json')) return null;
  const sent: unknown = isForm ? options.decodes?.(body.toString()) : JSON.parse(body.toString());
  const path = route.path.replaceAll('+}', '}');
  const wrong = descriptionOf(options, route)?.faultOfRequest(route.method, path, sent);
  if (!wrong) return null;
  const noted = `request ${route.method} ${route.path}: ${wrong}`;
  drift.push(noted);
  if (options.knownDrift?.test(noted) === true) return null;
  return options.refusals.misfit?.(wrong) ?? { status: 422, body: { message: wrong } };
}

/** A password is taken for a token as well, as clients of old send it. */
function tokenIn({ headers: { authorization } }: IncomingMessage): string | undefined {
  const basic = /^Basic (.+)$/i.exec(authorization ?? '')?.[1];
  if (basic !== undefined)
    return Buffer.from(basic, 'base64')
      .toString()
      .replace(/^[^:]*:/, '');
  return authorization?.replace(/^(Bearer|token) /i, '');
}

/** Servers send more than they describe, and something new every month. */
function withUnknownField(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withUnknownField);
  return typeof body === 'object' && body !== null ? { ...body, added_last_week: true } : body;
}

function findRoute<State>(
  { routes, base = '' }: StandInOptions<State>,
  method: string,
  path: string,
): Found<State> | null {
  if (!path.startsWith(base)) return null;
  for (const route of routes) {
    const pattern = route.path
      .replace(/[.*?^$()|[\]\\]/g, '\\$&')
      .replace(/\{[^}]*?(\+?)\}/g, (_name, plus) => (plus === '+' ? '(.+)' : '([^/]+)'));
    const match = new RegExp(`^${pattern}$`).exec(path.slice(base.length));
    if (route.method === method && match !== null) return { route, parts: match.slice(1).map(decodeURIComponent) };
  }
  return null;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** Breaks off after the first bytes of the body, or at once without a body. */
function cut(request: IncomingMessage): void {
  request.once('data', () => request.destroy());
  request.once('end', () => request.destroy());
}

async function misbehave(fault: Fault | undefined, response: ServerResponse, act: () => Promise<Reply>): Promise<void> {
  if (fault === undefined || fault.how === 'states') return send(response, await act());
  if (fault.how === 'reset') return void response.destroy();
  if (fault.how === 'garbage') return sendText(response, fault.status ?? 200, '<html><body>Gateway</body></html>');
  if (fault.how === 'misshapen') return send(response, { status: 200, body: [{ nothing: 'of this' }] });
  if (fault.how === 'status') return send(response, { body: { message: 'Something went wrong' }, ...fault });
  if (fault.how === 'wait') await delay(fault.ms, undefined, { ref: false });
  if (fault.how === 'held') await fault.until;
  const reply = await act();
  if (fault.how === 'wait' || fault.how === 'held') return send(response, reply);
  // Done, but the caller never gets the answer.
  if (fault.how === 'late') return;
  const text = JSON.stringify(reply.body ?? {});
  response.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': text.length });
  response.write(text.slice(0, text.length / 2), () => response.destroy());
}

function send(response: ServerResponse, { status, body, headers = {} }: Reply): void {
  const isText = typeof body === 'string';
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
  response.end(body === undefined || isText ? body : JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, text: string): void {
  send(response, { status, body: text });
}

async function visit<State>(
  { options, script }: Parts<State>,
  host: string,
  path: string,
  response: ServerResponse,
): Promise<void> {
  const fault = script.take('visit');
  if (fault?.how === 'status') return sendText(response, fault.status, 'no');
  if (fault?.how === 'garbage') return sendText(response, fault.status ?? 200, 'other bytes');
  const page = await options.visit?.(options.state, host, path);
  response.writeHead(page?.status ?? 404, page?.headers);
  response.end(page?.bytes);
}
