import { createHash, type Hash } from 'node:crypto';

/** Starts the hash by which Git names a file's content; the bytes of the file go in next (`git help hash-object`). */
export function gitBlobHash(sizeBytes: number): Hash {
  return createHash('sha1').update(`blob ${sizeBytes}\0`);
}
