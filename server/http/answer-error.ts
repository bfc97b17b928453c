import type { IncomingMessage, ServerResponse } from 'node:http';
import { newRequestId, REQUEST_ID_HEADER } from '../../routers/context.ts';
import { errorDetails, logFault, retryAfterSeconds, toAppError } from '../../routers/error-shape.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';

/** Maps errors of Express's body parser to our codes (npm: body-parser, "Errors"). */
const OF_BODY_PARSER: Record<string, ConstructorParameters<typeof AppError>> = {
  'entity.parse.failed': ['bad_request', 'The body is not valid JSON.'],
  'entity.too.large': ['body_too_large', 'The body is larger than 100 KB.'],
  'encoding.unsupported': ['body_type_unsupported', 'The encoding of the body is not supported.'],
  'charset.unsupported': ['body_type_unsupported', 'Send the body as UTF-8.'],
  'request.aborted': ['client_closed', 'The caller ended the call.'],
  'request.size.invalid': ['bad_request', 'The body is not as long as its header says.'],
};

/** Returns the id of this request, which its answer and the log carry; the first call makes it. */
export function requestIdFor(response: ServerResponse): string {
  const known = response.getHeader(REQUEST_ID_HEADER);
  if (typeof known === 'string') return known;
  const id = newRequestId();
  response.setHeader(REQUEST_ID_HEADER, id);
  return id;
}

/**
 * Answers a failed plain call with the status of its code and the body `{ message, code, requestId, … }`. A defect of
 * ours is logged, and the answer gives no details.
 */
export function answerError(request: IncomingMessage, response: ServerResponse, thrown: unknown, log: Log): void {
  const error = readBodyParserError(thrown) ?? readRouterError(thrown) ?? toAppError(thrown);
  const requestId = requestIdFor(response);
  logFault(log, { requestId, path: request.url?.split('?', 1)[0] ?? '/' }, error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const retryAfter = retryAfterSeconds(error);
  if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
  // The unread rest of the body would be taken for the next request.
  if (!request.complete && request.readableFlowing !== true) response.setHeader('Connection', 'close');
  const body = JSON.stringify({ message: error.message, ...errorDetails(error, requestId) });
  response.writeHead(error.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function readBodyParserError(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  if (isUnpackingError(thrown)) {
    return new AppError('bad_request', 'The body is not compressed as its header says.', { cause: thrown });
  }
  if (!('type' in thrown) || typeof thrown.type !== 'string') return undefined;
  const known = OF_BODY_PARSER[thrown.type];
  return known === undefined ? undefined : new AppError(...known);
}

/**
 * Detects an error of zlib, which body-parser passes on with a status (npm: body-parser, `read`). Without a status it
 * is a defect of ours.
 */
function isUnpackingError(thrown: Error): boolean {
  const isOfBody = 'status' in thrown && thrown.status === 400;
  const code = 'code' in thrown ? String(thrown.code) : '';
  return isOfBody && /^(Z_|ERR_BROTLI|ERR_ZLIB|ERR__ERROR_FORMAT)/.test(code);
}

/** Translates the error of Express's router for an address that cannot be decoded (npm: router, `decodeParam`). */
function readRouterError(thrown: unknown): AppError | undefined {
  if (!(thrown instanceof URIError) || !('status' in thrown) || thrown.status !== 400) return undefined;
  return new AppError('bad_request', 'The address has a percent sign that is not part of a valid encoding.', {
    cause: thrown,
  });
}
