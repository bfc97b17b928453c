import mongoose from 'mongoose';
import type { Env } from '../boot/env/env.ts';
import { embeddedUri, isEmbeddedRunning } from '../database/embedded/embedded-mongo.ts';
import { connectMongo, UnsupportedDatabaseError } from '../database/mongo.ts';
import { EXIT_FAILED, StartError } from '../lib/start-error.ts';
import { listDeadLetters, rerunDeadLetter } from '../queue/dead-letters.ts';

type Write = (text: string) => void;

/** Runs `work` on the database of a running Fairlead: the one in these folders, or the one that MONGODB_URI names. */
export async function onDatabase(env: Env, dataDirs: readonly string[], work: () => Promise<void>): Promise<void> {
  const uri = env.mongodbUri ?? (await embeddedUri((await runningFolder(dataDirs)) ?? env.dataDir));
  if (uri === null)
    throw new StartError(EXIT_FAILED, `There is no database in "${env.dataDir}"; start Fairlead first.`);
  try {
    await connectMongo(uri);
    await work();
  } catch (error) {
    if (!(error instanceof UnsupportedDatabaseError)) throw error;
    throw new StartError(EXIT_FAILED, `${error.message} Start Fairlead first: its jobs are in its database.`, error);
  } finally {
    await mongoose.disconnect();
  }
}

/**
 * Returns which of these data folders has a running database; undefined when none has. Throws StartError when several
 * have: nobody knows which of them is meant.
 */
export async function runningFolder(dataDirs: readonly string[]): Promise<string | undefined> {
  const running = await Promise.all(dataDirs.map(async (path) => ((await isEmbeddedRunning(path)) ? [path] : [])));
  const [path, ...others] = running.flat();
  if (others.length === 0) return path;
  const names = running.flat().map((name) => `"${name}"`);
  throw new StartError(EXIT_FAILED, `Several databases are running: ${names.join(', ')}. Set DATA_DIR to one of them.`);
}

/** Writes one line for each dead letter: id, time, name, attempts, and the reason. */
export async function listJobs(write: Write): Promise<void> {
  const jobs = await listDeadLetters();
  if (jobs.length === 0) write('There are no failed jobs.\n');
  for (const { id, finishedAt, name, attempt, lastError } of jobs) {
    write(`${id}  ${finishedAt?.toISOString() ?? '-'}  ${name}  ${attempt}×  ${lastError.split('\n')[0] ?? ''}\n`);
  }
}

/** Runs a dead letter again. Throws StartError when there is none, or another job for the same thing waits or runs. */
export async function rerunJob(id: string, write: Write): Promise<void> {
  const outcome = await rerunDeadLetter(id);
  if (outcome === 'queued') write(`The job "${id}" will run again shortly.\n`);
  else if (outcome === 'open')
    throw new StartError(EXIT_FAILED, 'Another job for the same work is already waiting or running.');
  else throw new StartError(EXIT_FAILED, `There is no failed job "${id}"; "fairlead jobs" lists them.`);
}
