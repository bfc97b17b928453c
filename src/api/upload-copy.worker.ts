import { type HashResult, hashBlobs } from './upload-hash.ts';
import { createPack, type PackedRow, type PackWriter } from './upload-pack.ts';

/** Blobs to be hashed and copied in one reading; `rows[i]` belongs to `blobs[i]`, rows behind them have no bytes. */
export type CopyJob = { id: string; blobs: readonly Blob[]; rows: PackedRow[]; sizeBytes: number };
export type CopyNews = { results: HashResult[] } | { isKept: boolean };

/** Answers are sent in bunches: a message a file would cost more than hashing it does. */
const BUNCH_MS = 50;

let bunch: HashResult[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

function tell(news: CopyNews): void {
  postMessage(news);
}

function flush(): void {
  clearTimeout(timer);
  timer = undefined;
  if (bunch.length > 0) tell({ results: bunch });
  bunch = [];
}

async function work({ id, blobs, rows, sizeBytes }: CopyJob): Promise<void> {
  // Without room for a copy the hashes are still wanted.
  let pack: PackWriter | null = await createPack(id, sizeBytes).catch(() => null);
  const opened = pack;
  const copy = (index: number, bytes: Uint8Array<ArrayBuffer>, at: number) => {
    try {
      pack?.write(bytes, (rows[index]?.offset ?? 0) + at);
    } catch {
      pack = null;
    }
  };
  await hashBlobs(
    blobs,
    (result) => {
      const row = rows[result.index];
      if ('problem' in result) pack = null;
      else if (row !== undefined) row.sha256 = result.sha256;
      bunch.push(result);
      timer ??= setTimeout(flush, BUNCH_MS);
    },
    copy,
  );
  flush();
  tell({ isKept: await finish(pack, opened, rows) });
}

async function finish(pack: PackWriter | null, opened: PackWriter | null, rows: PackedRow[]): Promise<boolean> {
  try {
    await pack?.finish(rows);
    if (pack === null) await opened?.discard();
    return pack !== null;
  } catch {
    await opened?.discard().catch(() => undefined);
    return false;
  }
}

addEventListener('message', ({ data }: MessageEvent<CopyJob>) => void work(data));
