import { type HashResult, hashBlobs } from './hash.ts';

/** Results are sent in batches, because a message for each file would cost more than hashing it does. */
const BUNCH_MS = 50;

addEventListener('message', async (event: MessageEvent<readonly Blob[]>) => {
  let bunch: HashResult[] = [];
  const flush = () => {
    if (bunch.length > 0) postMessage(bunch);
    bunch = [];
  };
  const timer = setInterval(flush, BUNCH_MS);
  await hashBlobs(event.data, (result) => bunch.push(result));
  clearInterval(timer);
  flush();
});
