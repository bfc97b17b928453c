import { setImmediate as turn } from 'node:timers/promises';
import mongoose from 'mongoose';
import { withTimeout } from '../lib/with-timeout.ts';

/** Two: while an answer is waited for that may never come, the next question has a way of its own. */
const CONNECTIONS = 2;
/** A question that hangs gives its connection back after this long. */
const HANGS_MS = 5_000;

/**
 * Asks whether the database answers over connections of its own: the calls' pool may be full because there is much to do,
 * and a question that stands in line there would take a busy database for a dead one.
 */
let healthClient: mongoose.mongo.MongoClient | undefined;

export type HealthOptions = { connectTimeoutMS: number; heartbeatFrequencyMS: number };

/** Opens these connections, until mongoose's default connection is closed. */
export async function openHealthConnections(uri: string, options: HealthOptions): Promise<void> {
  const client = new mongoose.mongo.MongoClient(uri, {
    ...options,
    // Of a question; whoever asks waits less long.
    serverSelectionTimeoutMS: HANGS_MS,
    socketTimeoutMS: HANGS_MS,
    minPoolSize: 1,
    maxPoolSize: CONNECTIONS,
    appName: 'fairlead-health',
  });
  mongoose.connection.once('close', () => {
    if (healthClient === client) healthClient = undefined;
    client.close().catch(() => undefined);
  });
  healthClient = client;
  await client.connect();
}

/** Whether the database answers within this time. */
export async function isMongoUp(timeoutMs: number): Promise<boolean> {
  if (healthClient === undefined) return false;
  const answered = healthClient
    .db('admin')
    .command({ ping: 1 })
    .then(
      (answer) => answer.ok === 1,
      () => false,
    );
  return withTimeout(answered, timeoutMs, async () => {
    // After a pause of this process timers run first: an answer that has come meanwhile is read before it counts as late.
    await turn();
    await turn();
    return false;
  });
}
