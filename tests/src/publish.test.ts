import { createHash } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, test, vi } from 'vitest';
import { createWorkerHasher, type Hasher, hashBlob, hashBlobs } from '../../src/uploads/hash.ts';
import { type Load, type PublishEvent, publish, type UploadResult } from '../../src/uploads/publish.ts';
import type { UploadFetch } from '../../src/uploads/request.ts';
import type { SelectedFile } from '../../src/uploads/selection/selection.ts';
import { atFreePort } from '../support/at-free-port.ts';
import { requestHandler } from '../support/request-handler.ts';
import { releaseOf } from '../support/screen-fixtures.ts';

const UPLOAD = '0123456789abcdefghij';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A request that is cut off after its first file leaves that one behind. */
type Answer = { status: number; headers?: Record<string, string>; body?: unknown } | 'cut' | 'cut after one';
type Intake = {
  manifests: { files: { path: string; sha256: string; sizeBytes: number }[]; publishAnyway?: string[] }[];
  received: Map<string, string>;
  /** The hashes in each request that brings files, answered or not. */
  attempts: string[][];
  mostAtOnce: number;
  fetch: UploadFetch;
  [Symbol.asyncDispose](): Promise<void>;
};

/** A small server that takes the list and the files of an upload; `before` may answer a request with files in its place. */
async function startIntake(
  before: (attempt: number) => Answer | undefined | Promise<Answer | undefined> = () => undefined,
): Promise<Intake> {
  const intake: Omit<Intake, 'fetch' | typeof Symbol.asyncDispose> = {
    manifests: [],
    received: new Map(),
    attempts: [],
    mostAtOnce: 0,
  };
  let running = 0;
  const missing = () => {
    const hashes = new Set(intake.manifests.at(-1)?.files.map((file) => file.sha256));
    return [...hashes].filter((wanted) => !intake.received.has(wanted));
  };
  const takeFiles = async (files: [hash: string, text: string][], response: ServerResponse) => {
    running += 1;
    intake.mostAtOnce = Math.max(intake.mostAtOnce, running);
    intake.attempts.push(files.map(([hash]) => hash));
    const answer = await before(intake.attempts.length);
    await new Promise((resolve) => setTimeout(resolve, 5));
    running -= 1;
    const kept = answer === undefined ? files : answer === 'cut after one' ? files.slice(0, 1) : [];
    for (const [hash, text] of kept) intake.received.set(hash, text);
    if (typeof answer === 'string') return void response.destroy();
    response.writeHead(answer?.status ?? 204, answer?.headers ?? {});
    response.end(answer?.body === undefined ? undefined : JSON.stringify(answer.body));
  };
  const server = createServer(
    requestHandler(async (request, response) => {
      const text = await textOf(request);
      const [, , , uploadId, kind, hash] = request.url?.split('/') ?? [];
      if (uploadId !== UPLOAD) return void response.writeHead(404).end();
      const answer = (body: unknown) => void response.writeHead(200).end(JSON.stringify(body));
      if (kind === 'files' && request.method === 'GET') return answer({ missing: missing() });
      if (kind === 'files') {
        const sizes = new Map(intake.manifests.at(-1)?.files.map(({ sha256, sizeBytes }) => [sha256, sizeBytes]));
        return takeFiles(request.method === 'PUT' ? [[hash ?? '', text]] : filesIn(text, sizes), response);
      }
      intake.manifests.push(JSON.parse(text));
      answer({ missing: missing(), leftOut: [], droppedCount: 0, notices: [] });
    }),
  );
  const listening = await atFreePort(server);
  return Object.assign(intake, listening, { fetch: fetchFrom(listening.port) });
}

/** Reads a body of many files; their texts are of one byte a letter. */
function filesIn(body: string, sizes: ReadonlyMap<string, number>): [hash: string, text: string][] {
  const files: [string, string][] = [];
  for (let at = 0; at < body.length; ) {
    const hash = body.slice(at, at + 64);
    const start = at + 65;
    at = start + (sizes.get(hash) ?? expect.fail(`Nobody announced ${hash}.`));
    files.push([hash, body.slice(start, at)]);
  }
  return files;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request) text += String(part);
  return text;
}

/** Acts as `fetch` does in the page: it returns an answer, or throws a TypeError when there was none. */
function fetchFrom(port: number): UploadFetch {
  return async (path, { body, signal, ...init }) => {
    const bytes = body instanceof Blob ? new Uint8Array(await body.arrayBuffer()) : String(body ?? '');
    return new Promise((resolve, reject) => {
      const fail = (cause: unknown): void =>
        reject(signal?.aborted ? signal.reason : new TypeError('Failed to fetch', { cause }));
      const call = httpRequest({ port, path, method: init.method, agent: false }, (answer) => {
        textOf(answer).then((text) => {
          const retryAfter = answer.headers['retry-after'];
          const headers = { ...(retryAfter !== undefined && { 'Retry-After': retryAfter }) };
          resolve(new Response(text === '' ? null : text, { status: answer.statusCode ?? 0, headers }));
        }, fail);
      });
      call.on('error', fail);
      signal?.addEventListener('abort', () => call.destroy());
      call.end(bytes);
    });
  };
}

function picked(files: Record<string, string>): SelectedFile[] {
  return Object.entries(files).map(([path, text]) => ({ path, file: new File([text], path) }));
}

type Job = {
  fetch: UploadFetch;
  files: SelectedFile[];
  signal: AbortSignal;
  load: Load | null;
  events: PublishEvent[];
  hasher?: Hasher;
};

function request(intake: Intake, files: SelectedFile[], signal = new AbortController().signal): Job {
  return { fetch: intake.fetch, files, signal, load: null, events: [] };
}

/** Publishes to the end and answers what was sent. */
async function uploadFiles({
  fetch,
  files,
  signal,
  load,
  events,
  hasher = hashBlobs,
}: Job): Promise<UploadResult | undefined> {
  const server = {
    prepare: async () => ({ uploadId: UPLOAD }),
    createRelease: async () => releaseOf(),
    isDeploymentGone: async () => false,
    fetch,
    hasher,
    pausesMs: [5, 5, 5],
  };
  const job = {
    deploymentId: 'harbour',
    selection: { name: 'harbour', files },
    publishAnyway: [],
    stored: { uploadId: UPLOAD, isSent: false, load },
    isResumed: false,
    isUnchangedWanted: false,
  };
  for await (const event of publish(job, server, signal)) events.push(event);
  return events.find((event) => event.type === 'sent')?.result;
}

const progressOf = ({ events }: Job) => events.flatMap((event) => (event.type === 'progress' ? [event.progress] : []));
const loadsOf = ({ events }: Job) => events.flatMap((event) => (event.type === 'offered' ? [event.load] : []));

test('every file arrives once, the same content travels once, and the progress ends at the whole', async () => {
  await using intake = await startIntake();
  const job = request(intake, picked({ 'index.html': 'hello', 'copy.html': 'hello', 'ü 🎉.css': 'body{}' }));
  const result = await uploadFiles(job);
  expect([...intake.received.values()].sort()).toEqual(['body{}', 'hello']);
  expect(intake.manifests[0]?.files).toContainEqual({ path: 'ü 🎉.css', sha256: sha256('body{}'), sizeBytes: 6 });
  // The person chose three files, and sees three counted, with the size of three.
  expect(result).toEqual({ sentFiles: 3, sentBytes: 16, leftOut: [] });
  expect(progressOf(job).at(-1)).toMatchObject({
    phase: 'sending',
    filesDone: 3,
    filesTotal: 3,
    bytesDone: 16,
    filesThere: 0,
  });
});

test('one sending of a page at a time holds the bytes of its files, as their limit is one of the page', async () => {
  await using intake = await startIntake();
  // What it read and held can be told from the file itself.
  const hasher: Hasher = async (blobs, onResults) => {
    const results = blobs.map(async (blob, index) => {
      return { index, sha256: sha256(await blob.text()), bytes: new TextEncoder().encode('held') };
    });
    onResults(await Promise.all(results));
  };
  const jobs = ['one!', 'two!'].map((text) => ({ ...request(intake, picked({ 'index.html': text })), hasher }));
  await Promise.all(jobs.map(uploadFiles));
  const later = { ...request(intake, picked({ 'index.html': 'last' })), hasher };
  await uploadFiles(later);
  expect([...intake.received.values()]).toEqual(['held', 'two!', 'held']);
});

test('while files travel together those are counted whose bytes have left', async () => {
  await using intake = await startIntake();
  const text = (letter: string) => letter.repeat(32 * 1024);
  const copies = { 'index.html': text('a'), 'copy.html': text('a') };
  const job = request(intake, picked({ ...copies, 'a.css': text('b'), 'c.css': text('c') }));
  const fetch: UploadFetch = (path, init) => {
    if (init.body instanceof Blob) init.onSentBytes?.(init.body.size / 2);
    return intake.fetch(path, init);
  };
  await uploadFiles({ ...job, fetch });
  const counts = progressOf(job).flatMap(({ phase, filesDone, bytesDone }) =>
    phase === 'sending' ? [[filesDone, bytesDone]] : [],
  );
  // Two files with the same content travel once.
  expect(counts).toContainEqual([2, 64 * 1024]);
  expect(counts.at(-1)).toEqual([4, 128 * 1024]);
});

test('small files travel together, large ones alone, four requests at once and no more', async () => {
  let letGo = () => {};
  const four = new Promise<undefined>((resolve) => {
    letGo = () => resolve(undefined);
  });
  await using intake = await startIntake((attempt) => {
    if (attempt === 4) letGo();
    return four;
  });
  const sized = (name: string, count: number, sizeBytes: number): [string, string][] =>
    Array.from({ length: count }, (_, number) => [`${name}${number}`, `${name}${number} `.padEnd(sizeBytes, '.')]);
  const files = [...sized('tiny', 2_000, 9), ...sized('large', 5, 1024 ** 2), ...sized('small', 12, 500_000)];
  await uploadFiles(request(intake, picked(Object.fromEntries(files))));
  expect(intake.received.size).toBe(files.length);
  expect(intake.mostAtOnce).toBe(4);
  const counts = intake.attempts.map(({ length }) => length).sort((a, b) => b - a);
  expect(counts).toEqual([1_000, 1_000, 9, 3, 1, 1, 1, 1, 1]);
});

test('of what travelled together only that is sent again which did not arrive', async () => {
  const answers: (Answer | undefined)[] = ['cut after one', 'cut after one'];
  await using intake = await startIntake((attempt) => answers[attempt - 1]);
  const job = request(intake, picked({ 'index.html': 'hello', 'a.css': 'a', 'b.css': 'bb' }));
  expect(await uploadFiles(job)).toMatchObject({ sentFiles: 3, sentBytes: 8 });
  const [hello, a, b] = ['hello', 'a', 'bb'].map(sha256);
  expect(intake.attempts).toEqual([[hello, a, b], [a, b], [b]]);
  expect(progressOf(job).at(-1)).toMatchObject({ filesDone: 3, bytesDone: 8 });
});

test('of a folder the bytes on their way count, with what arrived before, and never as more than its files have', async () => {
  await using intake = await startIntake((attempt) => (attempt === 1 ? 'cut after one' : undefined));
  const sized = (name: string): [string, string] => [name, name.padEnd(600_000, '.')];
  const job = request(intake, picked(Object.fromEntries(['a', 'b', 'c'].map(sized))));
  const waits: unknown[] = [];
  job.fetch = async (path, init) => {
    init.onSentBytes?.(400_000);
    if (init.body instanceof Blob && intake.attempts.length > 0) init.onSentBytes?.(init.body.size);
    // The event of it is read in the next turn.
    await new Promise((resolve) => setTimeout(resolve));
    if (init.body instanceof Blob) waits.push(progressOf(job).at(-1)?.isWaiting);
    return intake.fetch(path, init);
  };
  await uploadFiles(job);
  const sending = progressOf(job).filter(({ phase }) => phase === 'sending');
  // The body has the hashes of its files as well: 44 of the first 400,000 bytes, which do not count.
  expect([...new Set(sending.map(({ bytesDone }) => bytesDone))]).toEqual([0, 399_956, 999_956, 1_800_000]);
  expect(waits, 'what is being sent again waits no more').toEqual([false, false]);
});

test('publishing again sends the one file that changed', async () => {
  await using intake = await startIntake();
  const files = picked({ 'index.html': 'hello', 'a.css': 'a', 'b.css': 'b' });
  await uploadFiles(request(intake, files));
  const again = [...files.slice(1), ...picked({ 'index.html': 'hello again' })];
  const result = await uploadFiles(request(intake, again));
  expect(result?.sentFiles).toBe(1);
  expect(intake.attempts.flat()).toHaveLength(4);
});

test('a request that got no answer is made again, and so is one that was told to come later', async () => {
  const answers: (Answer | undefined)[] = ['cut', { status: 503, headers: { 'Retry-After': '0' } }, 'cut'];
  await using intake = await startIntake((attempt) => answers[attempt - 1]);
  const job = request(intake, picked({ 'index.html': 'hello' }));
  await uploadFiles(job);
  expect(intake.attempts).toHaveLength(4);
  expect(intake.received.size).toBe(1);
  expect(progressOf(job).some((step) => step.isWaiting)).toBe(true);
  expect(progressOf(job).at(-1)?.isWaiting).toBe(false);
});

test('a server that stays away ends the upload with what to do, and what arrived is not sent again', async () => {
  let isAway = false;
  await using intake = await startIntake(() => (isAway ? 'cut' : undefined));
  const files = picked({ 'index.html': 'hello', 'a.css': 'a' });
  await uploadFiles(request(intake, files.slice(0, 1)));
  isAway = true;
  const failure = await uploadFiles(request(intake, files)).catch((cause: unknown) => cause);
  expect(failure).toMatchObject({ code: 'network', message: 'The server cannot be reached.' });
  isAway = false;
  intake.attempts.length = 0;
  await uploadFiles(request(intake, files));
  expect(intake.attempts).toEqual([[sha256('a')]]);
});

test('what arrived before a reload counts as done, and not as there from before', async () => {
  await using intake = await startIntake();
  const files = picked({ 'index.html': 'hello', 'a.css': 'a', 'b.css': 'bb', 'c.css': 'ccc' });
  await uploadFiles(request(intake, files.slice(0, 2)));
  const job = { ...request(intake, files), load: { files: 3, bytes: 6 } };
  expect(await uploadFiles(job)).toMatchObject({ sentFiles: 3, sentBytes: 6 });
  expect(intake.attempts.flat()).toHaveLength(4);
  const counts = progressOf(job)
    .filter(({ phase }) => phase === 'sending')
    .map((step) => [step.filesDone, step.bytesDone]);
  expect([counts[0], counts.at(-1)]).toEqual([
    [1, 1],
    [3, 6],
  ]);
  expect(progressOf(job).at(-1)).toMatchObject({ filesTotal: 3, bytesTotal: 6, filesThere: 1 });
  expect(loadsOf(job)).toEqual([{ files: 3, bytes: 6 }]);
});

test('another folder for the same upload is counted from its own beginning', async () => {
  await using intake = await startIntake();
  const job = { ...request(intake, picked({ 'index.html': 'hello', 'a.css': 'a' })), load: { files: 1, bytes: 9 } };
  expect(await uploadFiles(job)).toMatchObject({ sentFiles: 2, sentBytes: 6 });
  expect(progressOf(job).find(({ phase }) => phase === 'sending')).toMatchObject({ filesDone: 0, filesTotal: 2 });
});

test("the server's refusal arrives with its sentence, code and path, and is not repeated", async () => {
  const body = { message: 'The path is too long.', code: 'upload_refused', reason: 'path_too_long', path: 'x/y' };
  await using intake = await startIntake(() => ({ status: 400, body }));
  const failure = await uploadFiles(request(intake, picked({ 'index.html': 'hello' }))).catch(
    (cause: unknown) => cause,
  );
  expect(failure).toMatchObject({ code: 'upload_refused', message: 'The path is too long.', path: 'x/y' });
  expect(intake.attempts).toHaveLength(1);
});

test('a body whose hash is not the announced one names the file that changed', async () => {
  await using intake = await startIntake(() => ({ status: 400, body: { message: 'no', code: 'hash_mismatch' } }));
  const uploading = uploadFiles(request(intake, picked({ 'index.html': 'hello' })));
  await expect(uploading).rejects.toThrow('index.html changed after it was chosen.');
});

test('of files that travel together the one that changed is named', async () => {
  const body = { message: 'no', code: 'hash_mismatch', field: sha256('a') };
  await using intake = await startIntake(() => ({ status: 400, body }));
  const uploading = uploadFiles(request(intake, picked({ 'index.html': 'hello', 'a.css': 'a' })));
  await expect(uploading).rejects.toThrow('a.css changed after it was chosen.');
});

test('a file that can no longer be read is named, and not taken for a lost network', async () => {
  await using intake = await startIntake();
  const files = picked({ 'index.html': 'hello' });
  const [page] = files;
  if (page === undefined) expect.fail();
  const gone = () => Promise.reject(new DOMException('gone', 'NotReadableError'));
  const job = request(intake, files);
  const uploading = uploadFiles({
    ...job,
    fetch: (path, init) => {
      if (path.endsWith('/manifest')) return job.fetch(path, init);
      Object.assign(page.file, { slice: () => ({ arrayBuffer: gone }) });
      return Promise.reject(new TypeError('Failed to fetch'));
    },
  });
  await expect(uploading).rejects.toMatchObject({ code: 'file_changed', path: 'index.html' });
});

test('cancelling ends the files on their way and sends no more', async () => {
  const cancel = new AbortController();
  await using intake = await startIntake((attempt) => {
    if (attempt === 3) cancel.abort();
    return undefined;
  });
  const files = picked(Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}`, `${i}`.padEnd(1024 ** 2)])));
  await expect(uploadFiles(request(intake, files, cancel.signal))).rejects.toMatchObject({ name: 'AbortError' });
  expect(intake.attempts.length).toBeLessThan(8);
});

test('a hash is the same with and without crypto.subtle', async () => {
  expect(await hashBlob(new Blob(['hello']))).toBe(sha256('hello'));
  expect(await hashBlob(new Blob(['hello']), null)).toBe(sha256('hello'));
});

test('many small files are read at once, and each by itself when that fails', async () => {
  const texts = Array.from({ length: 100 }, (_, index) => `text ${index}`);
  const blobs = texts.map((text) => new Blob([text]));
  const hashAll = async () => {
    const hashes: string[] = [];
    await hashBlobs(blobs, (results) => {
      for (const result of results) if ('sha256' in result) hashes[result.index] = result.sha256;
    });
    return hashes;
  };
  const read = vi.spyOn(Blob.prototype, 'arrayBuffer');
  expect(await hashAll()).toEqual(texts.map(sha256));
  expect(read).toHaveBeenCalledTimes(1);
  for (const failing of [() => Promise.reject(new Error('changed')), async () => new ArrayBuffer(7)]) {
    read.mockClear().mockImplementationOnce(failing);
    expect(await hashAll()).toEqual(texts.map(sha256));
    expect(read).toHaveBeenCalledTimes(1 + blobs.length);
  }
  read.mockRestore();
});

test('small files are read once, to be hashed, and sent from memory', async () => {
  await using intake = await startIntake();
  const files = picked({ 'index.html': 'hello', 'a.css': 'a', 'b.css': 'b' });
  const read: unknown[] = [];
  vi.stubGlobal(
    'Blob',
    class extends Blob {
      constructor(parts: BlobPart[], options?: BlobPropertyBag) {
        super(parts, options);
        read.push(...parts.filter((part) => part instanceof File));
      }
    },
  );
  const job = request(intake, files);
  let isLost = true;
  await uploadFiles({
    ...job,
    fetch: (path, init) => {
      if (path.endsWith('/manifest') || !isLost) return job.fetch(path, init);
      isLost = false;
      // What changes on the disk from now on is not sent, so that it stops nothing.
      const gone = () => Promise.reject(new DOMException('gone', 'NotReadableError'));
      for (const { file } of files) Object.assign(file, { slice: () => ({ arrayBuffer: gone }) });
      return Promise.reject(new TypeError('Failed to fetch'));
    },
  });
  vi.unstubAllGlobals();
  expect(read).toEqual(files.map(({ file }) => file));
  expect([...intake.received.values()].toSorted()).toEqual(['a', 'b', 'hello']);
});

/** The parts of a worker that the page asks for. */
function brokenWorker(): Worker {
  return { terminate: () => undefined, postMessage: () => undefined } as unknown as Worker;
}

test('where no worker can start the page hashes itself', async () => {
  const worker = brokenWorker();
  const hasher = createWorkerHasher(() => {
    queueMicrotask(() => worker.onerror?.call(worker, new ErrorEvent('error', { message: 'blocked' })));
    return worker;
  });
  const seen: unknown[] = [];
  await hasher([new File(['hello'], 'a')], (results) => void seen.push(...results), new AbortController().signal);
  expect(seen).toEqual([{ index: 0, sha256: sha256('hello') }]);
});
