import { randomBytes } from 'node:crypto';
import mongoose, { type ClientSession } from 'mongoose';
import { ID_ALPHABET, ID_LENGTH } from '../routers/schemas/primitives.ts';

/** A new random id: 20 characters of 36, about 103 bits. */
export function newId(): string {
  let id = '';
  while (id.length < ID_LENGTH) {
    // 252 is the largest multiple of 36 below 256: bytes above it would favour the first letters.
    for (const byte of randomBytes(ID_LENGTH * 2)) {
      if (byte < 252 && id.length < ID_LENGTH) id += ID_ALPHABET.charAt(byte % ID_ALPHABET.length);
    }
  }
  return id;
}

/**
 * Runs `work` in one transaction and returns what it returns. It may run more than once (write conflicts), so it has
 * no effect outside the database; an AppError thrown in it rolls back and arrives unchanged. Every mongoose call inside
 * joins by itself; raw driver calls, aggregates and bulk writes take the session.
 */
export async function transaction<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
  return mongoose.connection.transaction(work, {
    readConcern: 'snapshot',
    writeConcern: { w: 'majority', journal: true },
  }) as Promise<T>;
}
