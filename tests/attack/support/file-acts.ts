import { createHash } from 'node:crypto';
import { clientOf } from '../../support/api-account.ts';
import type { Random } from '../../support/random.ts';
import { IS_FULL } from '../../support/size.ts';
import { writeZip } from '../../support/zip-writer.ts';
import { faultOf } from './call.ts';
import type { Act } from './right-acts.ts';

type Sent = { path: string; sha256: string; bytes: Buffer };
/** One request of an upload, of the files that its list announces. */
type Send = (uploadId: string, files: readonly Sent[], random: Random) => Asked[];
type Asked = { rest: string; type?: string; body?: Buffer };

const FILES_MAX = 40;
const FILE_MAX_BYTES = 1_000;
/**
 * A large one is a piece that is repeated: to make it of a seed takes longer than to send it. Of the gate's few acts some
 * large ones would be most of what is left.
 */
const LARGE_CHANCE = 0.02;
const LARGE_PIECES = IS_FULL ? 200 : 40;

/**
 * The possible requests to an upload, by method and path as the application declares them; reach.test.ts looks for
 * missing ones.
 */
export const UPLOAD_CALLS: Readonly<Record<string, Send>> = {
  'PUT /:uploadId/manifest': (_, files) => [{ rest: 'manifest', type: 'application/json', body: listOf(files) }],
  'GET /:uploadId/files': () => [{ rest: 'files' }],
  'PUT /:uploadId/files/:sha256': (_, files, random) =>
    random
      .shuffled(files)
      .slice(0, 5)
      .map(({ sha256, bytes }) => ({ rest: `files/${sha256}`, type: 'application/octet-stream', body: bytes })),
  'POST /:uploadId/files': (_, files) => [
    {
      rest: 'files',
      type: 'application/octet-stream',
      body: Buffer.concat(files.flatMap(({ sha256, bytes }) => [Buffer.from(`${sha256}\n`), bytes])),
    },
  ],
  'POST /:uploadId/zip': (uploadId, files) => [
    {
      rest: `zip?key=${keyOf(uploadId)}`,
      type: 'application/zip',
      body: writeZip(files.map(({ path, bytes }) => ({ name: path, data: bytes }))),
    },
  ],
  'GET /:uploadId/zip': (uploadId) => [{ rest: `zip?key=${keyOf(uploadId)}` }],
};

const keyOf = (uploadId: string): string => createHash('sha256').update(uploadId).digest('hex');
const listOf = (files: readonly Sent[]): Buffer =>
  Buffer.from(
    JSON.stringify({ files: files.map(({ path, sha256, bytes }) => ({ path, sha256, sizeBytes: bytes.length })) }),
  );

function newFile(random: Random, path: string): Sent {
  const piece = random.bytes(1 + random.below(FILE_MAX_BYTES));
  const bytes = random.chance(LARGE_CHANCE) ? Buffer.alloc(piece.length * LARGE_PIECES, piece) : piece;
  return { path, sha256: createHash('sha256').update(bytes).digest('hex'), bytes };
}

/** Announces files and sends them by every way there is, in any order and at once; some of it becomes a release. */
export const sendFiles: Act = async (random, who) => {
  const { attacked, account, sites, calls } = who;
  const { deploymentId } = random.pick(sites);
  const opened = await calls.ask((options) => clientOf(account).releases.prepare.mutate({ deploymentId }, options));
  if (opened === null) return [];
  const { uploadId } = opened;
  const files = [
    newFile(random, 'index.html'),
    ...random.many(1, FILES_MAX, () => newFile(random, `${random.below(1e9)}.txt`)),
  ];
  const send = async (call: string): Promise<string[]> => {
    const [method = ''] = call.split(' ');
    const asked = UPLOAD_CALLS[call]?.(uploadId, files, random) ?? [];
    const found = asked.map(({ rest, type, body = Buffer.alloc(0) }) =>
      faultOf(attacked.app.url, {
        method,
        path: `/api/uploads/${uploadId}/${rest}`,
        headers: { authorization: `Bearer ${account.token}`, ...(type !== undefined && { 'content-type': type }) },
        body,
      }),
    );
    return (await Promise.all(found)).flat();
  };
  const announced = await send('PUT /:uploadId/manifest');
  const found = await Promise.all(random.shuffled(Object.keys(UPLOAD_CALLS)).slice(0, 4).map(send));
  if (random.chance(0.3)) await calls.ask(() => clientOf(account).releases.create.mutate({ deploymentId, uploadId }));
  return [...announced, ...found.flat()];
};
