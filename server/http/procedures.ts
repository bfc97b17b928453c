import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AnyTRPCProcedure, getTRPCErrorShape, TRPCError } from '@trpc/server';
import { appRouter } from '../../routers/_app.ts';
import { type Context, contextFor } from '../../routers/context.ts';
import { logFault, nameRequest, retryAfterSeconds, toAppError, toTRPCError } from '../../routers/error-shape.ts';
import { BATCH_MAX_CALLS, JSON_BODY_MAX_BYTES } from '../../routers/schemas/limits.ts';
import type { Providers } from '../context.ts';
import { AppError } from '../lib/errors.ts';
import { requestIdFor } from './answer-error.ts';
import { holdBody } from './body-budget.ts';
import { isJson, requireOwnOrigin, setApiHeaders } from './security.ts';

export const TRPC = '/api/trpc/';

const { transformer } = appRouter._def._config;
const procedures = proceduresByPath();

type Call = { path: string; index: number; procedure: AnyTRPCProcedure | undefined };
type Called = { calls: Call[]; isBatch: boolean; query: URLSearchParams };
type Outcome = { call?: Call; ctx?: Context | undefined } & ({ data: unknown } | { error: TRPCError });

/**
 * Answers a request of tRPC's batch link (trpc.io/docs/rpc). tRPC's own handler for Node makes a `Request`, a
 * `Response`, their streams and three abort signals for each, which is more than half of the cost of a small call.
 */
export async function answerProcedures(
  providers: Providers,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { url = '' } = request;
  const queryAt = url.indexOf('?');
  const path = queryAt === -1 ? url : url.slice(0, queryAt);
  setApiHeaders(response, providers.addresses);
  try {
    guardMethod(request);
    requireOwnOrigin(request, path, providers.addresses);
    guardStream(request);
    const called = calledBy(path.slice(TRPC.length), new URLSearchParams(url.slice(path.length)));
    await holdBody(providers, request, response);
    if (request.method === 'HEAD') return void response.writeHead(204).end();
    const ctx = await contextFor(providers, request, response, { calls: called.calls.length });
    const outcomes = await callAll(called, ctx, { request, response });
    const answers = outcomes.map(answerOf);
    send(response, outcomes, called.isBatch ? answers : answers[0]);
  } catch (thrown) {
    const requestId = requestIdFor(response);
    logFault(providers.log, { requestId, path }, thrown);
    const outcome = { error: nameRequest(toTRPCError(thrown), requestId) };
    send(response, [outcome], answerOf(outcome));
  }
}

/**
 * Returns the procedures by their whole path: tRPC stores them so, but types them as the tree they were declared in.
 */
function proceduresByPath(): Record<string, AnyTRPCProcedure | undefined> {
  return appRouter._def.procedures as unknown as Record<string, AnyTRPCProcedure | undefined>;
}

/** Refuses methods that no procedure has; the Fetch standard forbids this one to browsers ("forbidden method"). */
function guardMethod({ method }: IncomingMessage): void {
  if (method === 'TRACE') throw new AppError('method_not_allowed', 'TRACE is not possible here.');
}

/**
 * Refuses a client that wants the answers of a batch one by one: it would wait for lines, and a cookie could not be
 * set after the headers have left.
 */
function guardStream({ headers }: IncomingMessage): void {
  const accepted = String(headers['trpc-accept'] ?? headers.accept ?? '').split(',');
  if (!accepted.some((type) => type.split(';', 1)[0]?.trim().toLowerCase() === 'application/jsonl')) return;
  throw new AppError('bad_request', 'Answers are not streamed: accept application/json.');
}

/**
 * Returns the calls of a request. Throws `bad_request`, and `method_not_allowed` for subscriptions, which need a
 * WebSocket.
 */
function calledBy(encodedPath: string, query: URLSearchParams): Called {
  const isBatch = query.get('batch') === '1';
  const path = decodedPath(encodedPath);
  const paths = isBatch ? path.split(',') : [path];
  if (paths.length > BATCH_MAX_CALLS) throw new AppError('bad_request', 'The request could not be read.');
  const calls = paths.map((one, index) => ({ path: one, index, procedure: procedures[one] }));
  const types = new Set(calls.flatMap(({ procedure }) => procedure?._def.type ?? []));
  if (types.has('subscription')) {
    throw new AppError('method_not_allowed', 'Subscribe over the WebSocket at /api/trpc.');
  }
  if (types.size > 1) throw new AppError('bad_request', 'The request could not be read.');
  return { calls, isBatch, query };
}

function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    throw new AppError(
      'bad_request',
      'The address of this call has a percent sign that is not part of a valid encoding.',
      {
        cause: error,
      },
    );
  }
}

type Exchange = { request: IncomingMessage; response: ServerResponse };

function callAll(called: Called, ctx: Context, { request, response }: Exchange): Promise<Outcome[]> {
  let inputs: Promise<unknown[]> | undefined;
  const readInputs = () => (inputs ??= inputsOf(called, request));
  return Promise.all(
    called.calls.map(async (call): Promise<Outcome> => {
      try {
        const { path, index, procedure } = call;
        if (procedure === undefined) throw new TRPCError({ code: 'NOT_FOUND' });
        const { type } = procedure._def;
        if (request.method !== (type === 'mutation' ? 'POST' : 'GET')) {
          throw new TRPCError({ code: 'METHOD_NOT_SUPPORTED' });
        }
        const data: unknown = await procedure({
          path,
          type,
          ctx,
          getRawInput: async () => (await readInputs())[index],
          signal: type === 'mutation' ? goneSignal(response) : undefined,
          batchIndex: index,
        });
        return { data };
      } catch (error) {
        return { error: toTRPCError(error), call, ctx };
      }
    }),
  );
}

/** Returns a signal that aborts when the caller disconnects before its answer is complete. */
function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController();
  response.once('close', () => response.writableFinished || gone.abort());
  return gone.signal;
}

/** Returns the input of each call. Throws `bad_request`, `body_too_large`, `body_type_unsupported`. */
async function inputsOf({ calls, isBatch, query }: Called, request: IncomingMessage): Promise<unknown[]> {
  const text = request.method === 'GET' ? query.get('input') || null : await readJson(request);
  if (text === null) return [];
  const inputs = parse(text);
  if (!isBatch) return [transformer.input.deserialize(inputs)];
  if (typeof inputs !== 'object' || inputs === null) throw new TRPCError({ code: 'BAD_REQUEST' });
  const given = new Map(Object.entries(inputs));
  return calls.map(({ index }) => {
    const input: unknown = given.get(String(index));
    return input === undefined ? undefined : transformer.input.deserialize(input);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TRPCError({ code: 'BAD_REQUEST', cause });
  }
}

function readJson(request: IncomingMessage): Promise<string> {
  if (!isJson(request)) throw new TRPCError({ code: 'UNSUPPORTED_MEDIA_TYPE' });
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= JSON_BODY_MAX_BYTES) pieces.push(piece);
      else reject(new TRPCError({ code: 'PAYLOAD_TOO_LARGE' }));
    });
    request.once('end', () => resolve(new TextDecoder().decode(Buffer.concat(pieces))));
    request.once('close', () => reject(new TRPCError({ code: 'CLIENT_CLOSED_REQUEST' })));
  });
}

function answerOf(outcome: Outcome): unknown {
  if ('data' in outcome) return { result: { data: transformer.output.serialize(outcome.data) } };
  const { error, call, ctx } = outcome;
  const shape = getTRPCErrorShape({
    config: appRouter._def._config,
    error,
    type: call?.procedure?._def.type ?? 'unknown',
    path: call?.path,
    input: undefined,
    ctx,
  });
  return { error: transformer.output.serialize(shape) };
}

/** Sends the answer with the status that all calls share, else 207 (RFC 4918, section 11.1). */
function send(response: ServerResponse, outcomes: Outcome[], answer: unknown): void {
  const body = JSON.stringify(answer);
  const errors = outcomes.flatMap((outcome) => ('error' in outcome ? toAppError(outcome.error) : []));
  const statuses = new Set(errors.map(({ status }) => status));
  if (errors.length < outcomes.length) statuses.add(200);
  const waits = errors.flatMap((error) => retryAfterSeconds(error) ?? []).map(Number);
  if (waits.length > 0) response.setHeader('Retry-After', Math.max(...waits));
  const call = outcomes.find((outcome) => outcome.call !== undefined)?.call;
  if (call !== undefined && errors.some(({ code }) => code === 'method_not_allowed')) {
    response.setHeader('Allow', call.procedure?._def.type === 'mutation' ? 'POST' : 'GET, HEAD');
  }
  const [status = 200] = statuses;
  response.setHeader('Content-Type', 'application/json');
  response.writeHead(statuses.size > 1 ? 207 : status, { 'Content-Length': Buffer.byteLength(body) }).end(body);
}
