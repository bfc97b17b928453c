import { type HashResult, hashBlobs } from './upload-hash.ts';

/** Answers are sent in bunches: a message a file would cost more than hashing it does. */
const BUNCH_MS = 50;

let bunch: HashResult[] = [];
let timer: ReturnType<typeof setTimeout> | undefined;

function flush(): void {
  clearTimeout(timer);
  timer = undefined;
  if (bunch.length > 0) postMessage(bunch);
  bunch = [];
}

addEventListener('message', (event: MessageEvent<readonly Blob[]>) => {
  void hashBlobs(event.data, (result) => {
    bunch.push(result);
    timer ??= setTimeout(flush, BUNCH_MS);
  }).then(flush);
});
