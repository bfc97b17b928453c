import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';

/** Two: while an answer is waited for that may never come, the next question has a way of its own. */
const CONNECTIONS = 2;
/** A question that hangs gives its connection back after this long. */
const HANGS_MS = 5_000;

/**
 * Asks whether the database answers over connections of its own: the calls' pool may be full because there is much to do,
 * and a question that stands in line there would take a busy database for a dead one.
 */
let pulse: mongoose.mongo.MongoClient | undefined;

export type PulseOptions = { connectTimeoutMS: number; heartbeatFrequencyMS: number };

/** Opens these connections, until mongoose's default connection is closed. */
export async function openPulse(uri: string, options: PulseOptions): Promise<void> {
  const client = new mongoose.mongo.MongoClient(uri, {
    ...options,
    // Of a question; whoever asks waits less long.
    serverSelectionTimeoutMS: HANGS_MS,
    socketTimeoutMS: HANGS_MS,
    minPoolSize: 1,
    maxPoolSize: CONNECTIONS,
    appName: 'fairlead-pulse',
  });
  mongoose.connection.once('close', () => {
    if (pulse === client) pulse = undefined;
    client.close().catch(() => undefined);
  });
  pulse = client;
  await client.connect();
}

/** Whether the database answers within this time. */
export async function isMongoUp(timeoutMs: number): Promise<boolean> {
  if (pulse === undefined) return false;
  const giveUp = new AbortController();
  const answered = pulse
    .db('admin')
    .command({ ping: 1 })
    .then(
      (answer) => answer.ok === 1,
      () => false,
    );
  const timedOut = wait(timeoutMs, undefined, { signal: giveUp.signal })
    // After a pause of this process timers run first: an answer that has come meanwhile is read before it is judged.
    .then(() => turn())
    .then(() => turn())
    .then(
      () => false,
      () => false,
    );
  try {
    return await Promise.race([answered, timedOut]);
  } finally {
    giveUp.abort();
  }
}
