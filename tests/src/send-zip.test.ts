import { expect, test } from 'vitest';
import { type PublishEvent, publish } from '../../src/uploads/publish.ts';
import { UploadError, type UploadFetch } from '../../src/uploads/request.ts';
import { readZip } from '../../src/uploads/selection/zip.ts';
import { sendZip, type ZipOptions } from '../../src/uploads/send.ts';
import { releaseOf } from '../support/screen-fixtures.ts';
import { writeZip } from '../support/zip-writer.ts';

const UPLOAD = '0123456789abcdefghij';
const hash = (letter: string) => letter.repeat(64);
const STORED = {
  missing: [],
  leftOut: [{ path: '.env', reason: 'Settings.' }],
  files: [
    { path: 'dist/index.html', sha256: hash('a'), sizeBytes: 1 },
    { path: 'dist/a.js', sha256: hash('b'), sizeBytes: 2 },
    { path: 'src/main.ts', sha256: hash('c'), sizeBytes: 3 },
  ],
  totalBytes: 6,
  droppedCount: 0,
  notices: [],
};

type Call = { path: string; method: string | undefined; body: unknown };

async function bytesOf(call: Call | undefined): Promise<Uint8Array> {
  if (!(call?.body instanceof Blob)) expect.fail('no bytes');
  return new Uint8Array(await call.body.arrayBuffer());
}

const NAMES = ['dist/index.html', 'dist/a.js', 'src/main.ts'];
const wholeOf = async (zip: Blob) => new Uint8Array(await zip.arrayBuffer());
const isQuestion = ({ method }: Call) => method === undefined;

/** `arrived`: what the server says it has, at each question anew. */
async function arrange(answers: (Response | Error)[], arrived: readonly number[] = [], names = NAMES) {
  const selection = await readZip(new File([new Uint8Array(writeZip([...names]))], 'app.zip'));
  const calls: Call[] = [];
  const sentBytes: number[] = [];
  const waits: boolean[] = [];
  const options: ZipOptions = {
    fetch: async (path, { method, body, onSentBytes }) => {
      const call = { path, method, body };
      calls.push(call);
      if (isQuestion(call)) return Response.json({ bytes: arrived[calls.filter(isQuestion).length - 1] ?? 0 });
      onSentBytes?.(10);
      const answer = answers.shift();
      if (!(answer instanceof Response)) throw answer ?? new Error('one call too many');
      return answer;
    },
    signal: new AbortController().signal,
    onSentBytes: (bytes) => void sentBytes.push(bytes),
    onWaiting: (isWaiting) => void waits.push(isWaiting),
    pausesMs: [1, 1, 1],
  };
  return { selection, calls, sentBytes, waits, options };
}

const refusal = (status: number, code: string) =>
  new Response(JSON.stringify({ message: 'no', code, reason: 'bad_crc', path: 'a.txt' }), { status });

test('a ZIP is sent whole, with the bytes that have left, and with what is published on purpose', async () => {
  const { selection, calls, sentBytes, options } = await arrange([Response.json(STORED)]);
  expect(await sendZip(UPLOAD, selection, ['.env', 'a b'], options)).toEqual(STORED.leftOut);
  const [question, post] = calls;
  const key = new URLSearchParams(question?.path.split('?')[1]).get('key') ?? '';
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(question?.path).toBe(`/api/uploads/${UPLOAD}/zip?key=${key}`);
  expect(post?.method).toBe('POST');
  expect(post?.path).toBe(`/api/uploads/${UPLOAD}/zip?key=${key}&from=0&publishAnyway=.env&publishAnyway=a+b`);
  expect(await bytesOf(post)).toEqual(await wholeOf(selection.zip));
  expect(sentBytes).toEqual([0, 10]);
});

test('of one folder in it a list takes the place of the list of all', async () => {
  const { selection, calls, options } = await arrange([
    Response.json(STORED),
    Response.json({ missing: [], leftOut: [], droppedCount: 0, notices: [] }),
  ]);
  await sendZip(UPLOAD, { ...selection, within: 'dist' }, [], options);
  expect(calls[2]).toMatchObject({ path: `/api/uploads/${UPLOAD}/manifest`, method: 'PUT' });
  expect(JSON.parse(String(calls[2]?.body))).toEqual({
    files: [
      { path: 'index.html', sha256: hash('a'), sizeBytes: 1 },
      { path: 'a.js', sha256: hash('b'), sizeBytes: 2 },
    ],
  });
});

test('a lost network is waited for, and a server that still reads what was cut off as well', async () => {
  const { selection, calls, waits, options } = await arrange([
    new TypeError('Failed to fetch'),
    refusal(409, 'conflict'),
    Response.json(STORED),
  ]);
  await sendZip(UPLOAD, selection, [], options);
  expect(calls.filter((call) => !isQuestion(call))).toHaveLength(3);
  expect(waits).toContain(true);
  expect(waits.at(-1)).toBe(false);
});

test('the files in a ZIP are counted as it travels, as they are wherever the release is shown', async () => {
  const { selection, options } = await arrange([Response.json(STORED)]);
  const half = selection.zip.size / 2;
  const events: PublishEvent[] = [];
  const server = {
    prepare: async () => ({ uploadId: UPLOAD }),
    createRelease: async () => releaseOf(),
    isDeploymentGone: async () => false,
    fetch: async (...[path, init]: Parameters<UploadFetch>) =>
      options.fetch(path, { ...init, onSentBytes: () => init.onSentBytes?.(half) }),
    hasher: async () => {},
  };
  const stored = { uploadId: UPLOAD, isSent: false, load: null };
  const job = { deploymentId: 'd', selection, publishAnyway: [], stored, isResumed: false, isUnchangedWanted: false };
  for await (const event of publish(job, server, options.signal)) events.push(event);
  const counts = events.flatMap((event) => (event.type === 'progress' ? [event.progress] : []));
  expect(counts.map(({ filesDone, filesTotal }) => [filesDone, filesTotal])).toContainEqual([1, 3]);
  expect(counts.at(-1)).toMatchObject({ filesDone: 3, filesTotal: 3, bytesDone: selection.zip.size });
  const sent = events.find((event) => event.type === 'sent');
  expect(sent?.result).toMatchObject({ sentFiles: 3, sentBytes: selection.zip.size });
});

test("the page of a proxy is told in a sentence, whose cause is the plain call's error: status, colon, body", async () => {
  const { selection, options } = await arrange([new Response('No room', { status: 413 })]);
  const error = await sendZip(UPLOAD, selection, [], options).catch((cause: unknown) => cause);
  if (!(error instanceof UploadError)) expect.fail('no refusal');
  expect(error.message).toBe('A server on the way to Fairlead refused this request (status 413).');
  expect(error.cause).toMatchObject({ message: '413: No room' });
});

test('a refusal is final and names the entry', async () => {
  const { selection, calls, options } = await arrange([refusal(400, 'upload_refused')]);
  const error = await sendZip(UPLOAD, selection, [], options).catch((cause: unknown) => cause);
  if (!(error instanceof UploadError)) expect.fail('no refusal');
  expect(error.cause).toMatchObject({ message: expect.stringMatching(/^400: \{.*"upload_refused"/) });
  expect([error.code, error.path]).toEqual(['upload_refused', 'a.txt']);
  expect(calls.filter((call) => !isQuestion(call))).toHaveLength(1);
});

test('after a lost network only those bytes are sent that have not arrived, and all count as done', async () => {
  const { selection, calls, sentBytes, options } = await arrange(
    [new TypeError('Failed to fetch'), refusal(409, 'conflict'), Response.json(STORED)],
    [0, 100, 150],
  );
  await sendZip(UPLOAD, selection, [], options);
  const posts = calls.filter((call) => !isQuestion(call));
  expect(posts.map(({ path }) => new URLSearchParams(path.split('?')[1]).get('from'))).toEqual(['0', '100', '150']);
  expect(await bytesOf(posts[2])).toEqual((await wholeOf(selection.zip)).slice(150));
  expect(sentBytes).toEqual(expect.arrayContaining([150, 160]));
});

test('two archives of one size are told apart', async () => {
  const keys = new Set<string>();
  for (const name of ['a.html', 'b.html']) {
    const { selection, calls, options } = await arrange([Response.json({ ...STORED, leftOut: [] })], [], [name]);
    await sendZip(UPLOAD, selection, [], options);
    keys.add(calls[0]?.path ?? '');
  }
  expect(keys.size).toBe(2);
});
