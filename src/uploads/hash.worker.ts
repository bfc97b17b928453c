import { type HashResult, hashBlobs } from './hash.ts';

/** Results are sent in batches, because a message for each file would cost more than hashing it does. */
const BUNCH_MS = 50;

addEventListener('message', async (event: MessageEvent<readonly Blob[]>) => {
  let bunch: HashResult[] = [];
  const flush = () => {
    // Files that were read together share a buffer, which is handed over and not copied.
    const buffers = bunch.flatMap((result) => ('bytes' in result ? result.bytes.buffer : []));
    if (bunch.length > 0) postMessage(bunch, { transfer: [...new Set(buffers)] });
    bunch = [];
  };
  const timer = setInterval(flush, BUNCH_MS);
  await hashBlobs(event.data, (results) => bunch.push(...results));
  clearInterval(timer);
  flush();
});
