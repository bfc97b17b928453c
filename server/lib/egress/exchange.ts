import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { AppError } from '../errors.ts';
import { EgressError } from './error.ts';
import { connectionWords } from './words.ts';

/** The peer has to wait while this much is here unread. */
const UNREAD_MAX_BYTES = 64 * 1024;

const END = { done: true, value: undefined } as const;

type Next = IteratorResult<Uint8Array, undefined>;
type Waiting = { resolve(next: Next): void; reject(error: Error): void };
type Head = { status: number; headers: IncomingHttpHeaders };

/**
 * One request and its answer, by the events of undici's core, which are iterated once. The streams, signals and scopes
 * that undici puts around them cost as much as all the rest of a request to our own host.
 */
export class Exchange implements Dispatcher.DispatchHandler, AsyncIterable<Uint8Array> {
  /** Rejects with an EgressError, or with an error of the store that was met while a body was read from it. */
  readonly head: Promise<Head>;
  readonly #maxBytes: number;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #unreadBytes = 0;
  #isWhole = false;
  #failure: Error | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #reader: Waiting | undefined;
  #tellHead: (head: Head) => void = () => undefined;
  #failHead: (error: Error) => void = () => undefined;

  /** A longer answer ends as `too_large`. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.head = new Promise((resolve, reject) => {
      this.#tellHead = resolve;
      this.#failHead = reject;
    });
    // After the end nobody may be there any more who waits for it.
    this.head.catch(() => undefined);
  }

  /** Ends it when nobody wants the rest of the answer, if there is a rest; then the connection is closed. */
  drop(): void {
    if (!this.#isOver()) this.end(new EgressError('connection', 'the rest of the answer is not wanted'));
  }

  /** Ends it with this error, unless it has ended. */
  end(error: Error): void {
    if (this.#isOver()) return;
    this.#failure = error;
    this.#failHead(error);
    this.#reader?.reject(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure !== undefined) controller.abort(this.#failure);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status >= 200) this.#tellHead({ status, headers });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#maxBytes) {
      this.end(new EgressError('too_large', 'the answer is too long'));
    } else if (this.#reader !== undefined) {
      this.#hand({ done: false, value: chunk });
    } else {
      this.#chunks.push(chunk);
      this.#unreadBytes += chunk.byteLength;
      if (this.#unreadBytes >= UNREAD_MAX_BYTES) controller.pause();
    }
  }

  onResponseEnd(): void {
    this.#isWhole = true;
    this.#hand(END);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.end(toEgressError(error));
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined> {
    return { next: () => this.#next() };
  }

  #isOver(): boolean {
    return this.#isWhole || this.#failure !== undefined;
  }

  #hand(next: Next): void {
    this.#reader?.resolve(next);
    this.#reader = undefined;
  }

  async #next(): Promise<Next> {
    if (this.#failure !== undefined) throw this.#failure;
    const value = this.#chunks.shift();
    if (value !== undefined) {
      this.#unreadBytes -= value.byteLength;
      if (this.#unreadBytes < UNREAD_MAX_BYTES) this.#controller?.resume();
      return { done: false, value };
    }
    if (this.#isWhole) return END;
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
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
