import { setImmediate as turn } from 'node:timers/promises';
import mongoose from 'mongoose';
import { withTimeout } from '../lib/with-timeout.ts';

/** While one question may hang for ever, the next one needs a connection of its own. */
const CONNECTIONS = 2;
/** A question that hangs gives its connection back after this time. */
const HANGS_MS = 5_000;

/**
 * Asks whether the database answers, over connections of its own: the pool for calls may be full on a busy day, and a
 * question that queues there would report a busy database as dead.
 */
let healthClient: mongoose.mongo.MongoClient | undefined;

export type HealthOptions = { connectTimeoutMS: number; heartbeatFrequencyMS: number };

/** Opens these connections; they close with mongoose's default connection. */
export async function openHealthConnections(uri: string, options: HealthOptions): Promise<void> {
  const client = new mongoose.mongo.MongoClient(uri, {
    ...options,
    // This bounds a single question; callers wait less long.
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

/** Returns whether the database answers within this time. */
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
    // After a pause of this process timers run first: an answer that arrived meanwhile is read before it counts as
    // late.
    await turn();
    await turn();
    return false;
  });
}
