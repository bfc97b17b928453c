import type { HashResult } from './upload-hash.ts';

/** What the page knows of the content of files: the browser refuses to read one that changed since it was picked. */
const hashes = new WeakMap<Blob, string>();
/** Files that somebody is hashing right now, for whoever wants the same. */
const underway = new WeakMap<Blob, Promise<void>>();
const listeners = new WeakMap<Blob, () => void>();

/** The SHA-256 of this very file object, when it was read before. */
export function knownHash(file: Blob): string | undefined {
  return hashes.get(file);
}

/** Forgotten with the file object. */
export function rememberHash(file: Blob, sha256: string): void {
  hashes.set(file, sha256);
  listeners.get(file)?.();
}

/** Notes that `files` are being hashed until `done`, which must not reject; answers where their results go. */
export function announceHashing(files: readonly Blob[], done: Promise<void>): (result: HashResult) => void {
  for (const file of files) underway.set(file, done);
  return (result) => {
    const file = files[result.index];
    if (file !== undefined && 'sha256' in result) rememberHash(file, result.sha256);
  };
}

/** Waits for those of `files` that are being hashed already; `onHash` is told of each. Ends early on the signal. */
export async function awaitHashing(
  files: readonly Blob[],
  onHash: (file: Blob) => void,
  signal: AbortSignal,
): Promise<void> {
  const jobs = new Set<Promise<void>>();
  for (const file of files) {
    const job = underway.get(file);
    if (job === undefined || hashes.has(file)) continue;
    jobs.add(job);
    listeners.set(file, () => onHash(file));
  }
  if (jobs.size === 0) return;
  await Promise.race([
    Promise.all(jobs),
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  ]);
  for (const file of files) listeners.delete(file);
}
