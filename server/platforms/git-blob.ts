import { createHash, type Hash } from 'node:crypto';

/** Git's name of a file's content is the hex digest of this once its bytes went in (`git help hash-object`). */
export function gitBlobHash(sizeBytes: number): Hash {
  return createHash('sha1').update(`blob ${sizeBytes}\0`);
}
