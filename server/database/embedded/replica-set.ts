import mongoose from 'mongoose';
import { REPLICA_SET, writeMarker } from './embedded-mongo.ts';
import type { Credentials } from './mongod-process.ts';

type MongoClient = InstanceType<typeof mongoose.mongo.MongoClient>;

export type InitiateOptions = {
  port: number;
  replSet: string;
  credentials?: Credentials;
  /** False trades durability for speed, in tests alone. */
  isDurable?: boolean;
};

const PRIMARY_TIMEOUT_MS = 30_000;
const ALREADY_INITIALIZED = 23;

/** The version of the program that has the data open, and that of the newest features that they may use. */
export type DataVersions = { mongodVersion: string; featureCompatibilityVersion: string };

/** Prepares what `startEmbeddedMongo` has started at this address for work, and notes how the next start opens it. */
export async function prepareEmbeddedMongo(dataDir: string, uri: string): Promise<void> {
  const { port, username: user, password } = new URL(uri);
  const address = { port: Number(port), credentials: { user, password } };
  const versions = await initiate({ ...address, replSet: REPLICA_SET });
  await writeMarker(dataDir, { ...versions, port: address.port });
}

/**
 * Makes the process a replica set of one and waits until it accepts writes; for existing data it corrects the address.
 * The very first start creates the user, through the localhost exception (MongoDB manual, "Localhost Exception").
 */
export async function initiate(options: InitiateOptions): Promise<DataVersions> {
  const deadline = performance.now() + PRIMARY_TIMEOUT_MS;
  for (;;) {
    try {
      return await tryToInitiate(options, deadline);
    } catch (error) {
      // A member closes its connections while its role or address changes: the next try finds the work that was begun.
      if (!(error instanceof mongoose.mongo.MongoNetworkError) || performance.now() > deadline) throw error;
    }
  }
}

async function tryToInitiate(options: InitiateOptions, deadline: number): Promise<DataVersions> {
  const { port, credentials } = options;
  if (credentials !== undefined && !(await isUserThere(port, credentials))) {
    await using bare = await openClient(port);
    await makeReplicaSet(bare.client, options, deadline);
    await bare.client.db('admin').command({
      createUser: credentials.user,
      pwd: credentials.password,
      roles: ['root'],
      writeConcern: { w: 'majority', j: true },
    });
  }
  await using session = await openClient(port, credentials);
  await makeReplicaSet(session.client, options, deadline);
  const admin = session.client.db('admin');
  const { version } = await admin.command({ buildInfo: 1 });
  const { featureCompatibilityVersion } = await admin.command({ getParameter: 1, featureCompatibilityVersion: 1 });
  return { mongodVersion: String(version), featureCompatibilityVersion: String(featureCompatibilityVersion.version) };
}

async function makeReplicaSet(client: MongoClient, options: InitiateOptions, deadline: number): Promise<void> {
  const admin = client.db('admin');
  const host = `127.0.0.1:${options.port}`;
  const config = {
    _id: options.replSet,
    members: [{ _id: 0, host }],
    ...(options.isDurable === false && { writeConcernMajorityJournalDefault: false }),
  };
  try {
    await admin.command({ replSetInitiate: config });
  } catch (error) {
    if (!hasCode(error, ALREADY_INITIALIZED)) throw error;
    const hello = await admin.command({ hello: 1 });
    // A member that does not find itself in its own set never becomes primary: the port has changed.
    if (hello.me !== host) await admin.command({ replSetReconfig: { ...config, version: 1 }, force: true });
  }
  await untilPrimary(client, deadline);
}

async function untilPrimary(client: MongoClient, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    const hello = await client.db('admin').command({ hello: 1 });
    if (hello.isWritablePrimary === true) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`The database did not take writes within ${PRIMARY_TIMEOUT_MS / 1000} s.`);
}

async function isUserThere(port: number, credentials: Credentials): Promise<boolean> {
  try {
    await using session = await openClient(port, credentials);
    await session.client.db('admin').command({ ping: 1 });
    return true;
  } catch (error) {
    if (hasCode(error, 18)) return false;
    throw error;
  }
}

async function openClient(port: number, credentials?: Credentials): Promise<{ client: MongoClient } & AsyncDisposable> {
  const client = new mongoose.mongo.MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
    serverSelectionTimeoutMS: PRIMARY_TIMEOUT_MS,
    ...(credentials !== undefined && {
      auth: { username: credentials.user, password: credentials.password },
      authSource: 'admin',
    }),
  });
  await client.connect();
  return { client, [Symbol.asyncDispose]: () => client.close() };
}

function hasCode(error: unknown, code: number): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
