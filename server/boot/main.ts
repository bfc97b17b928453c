import cluster from 'node:cluster';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLog, type Log, redactSecrets, writerTo } from '../lib/log.ts';
import { SLUG_MARK } from '../lib/site-names.ts';
import { EXIT_FAILED, StartError, sentenceOf } from '../lib/start-error.ts';
import { type Env, readEnv, showsStackTraces } from './env/env.ts';
import { endOnFatalErrors } from './fatal-errors.ts';
import type { LifeCycle } from './life-cycle.ts';
import { packageRoot } from './noted-folders.ts';
import { CHILD_ARGUMENT, createSupervisor, SUPERVISED_ARGUMENT } from './supervisor.ts';

/**
 * A second signal within this time counts as the same one: npm forwards the signal that the terminal has already sent
 * to the whole group.
 */
const SAME_SIGNAL_MS = 1_000;
/** A stop waits up to 30 s for running work; what takes longer is left to the next start. */
const STOP_TIMEOUT_MS = 29_000;

/**
 * Reads the environment and starts the app. The process ends by a signal, or with one sentence when it cannot start.
 */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  const isTerminal = process.stdout.isTTY === true;
  const write = writerTo(process.stdout);
  const log = createLog({ level: env.logLevel, isTerminal, write });
  process.stderr.on('error', () => undefined);
  const webRoot = join(packageRoot(), 'dist', 'web');
  endOnFatalErrors(log);
  if (cluster.isWorker && process.argv.includes(CHILD_ARGUMENT)) {
    // A terminal sends them to the supervisor as well, which says when to stop.
    for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => undefined);
    const { runChild } = await import('./child.ts');
    return runChild({ env, log, webRoot });
  }
  for (const warning of env.warnings) log.warn(warning);
  const isSupervised = process.argv.includes(SUPERVISED_ARGUMENT);
  const app = isSupervised
    ? createSupervisor({ env, log, entry: fileURLToPath(import.meta.url) })
    : await unsupervised(env, log, webRoot);
  endOnSignals(() => app.stop(), log);
  await app.start();
  announce(env, log, isTerminal ? write : undefined);
}

/** Loads the app itself, which a supervisor leaves to its child. */
async function unsupervised(env: Env, log: Log, webRoot: string): Promise<LifeCycle> {
  const { createLifeCycle } = await import('./life-cycle.ts');
  return createLifeCycle({ env, log, webRoot });
}

function endOnSignals(stop: () => Promise<void>, log: Log): void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(EXIT_FAILED);
      return;
    }
    firstAt = performance.now();
    log.info(`Stopping (${signal})`);
    setTimeout(() => {
      log.error('Stopping takes too long; ending the process with the rest unfinished');
      process.exit(EXIT_FAILED);
    }, STOP_TIMEOUT_MS).unref();
    void stop().then(() => {
      log.info('Stopped');
      process.exit(0);
    });
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function announce(env: Env, log: Log, write: ((text: string) => void) | undefined): void {
  const sites = env.sitesUrl.replace(SLUG_MARK, '{name}');
  const mail = env.smtp === undefined ? 'kept here: npx fairlead outbox lists it' : 'sent by SMTP';
  if (write === undefined) {
    log.info('Fairlead is running', { app: env.publicUrl, sites, data: env.dataDir, mail });
    return;
  }
  write(
    `\n  Fairlead is running.\n\n    Open   ${env.publicUrl}\n    Sites  ${sites}\n    Data   ${env.dataDir}\n    Email  ${mail}\n\n  Ctrl-C stops it.\n\n`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(
    `Fairlead did not start: ${redactSecrets(error instanceof StartError ? error.message : `${sentenceOf(error)}.`)}\n`,
  );
  if (!(error instanceof StartError) && showsStackTraces(process.env) && error instanceof Error) {
    process.stderr.write(`${redactSecrets(error.stack ?? '')}\n`);
  }
  process.exit(error instanceof StartError ? error.exitCode : EXIT_FAILED);
});
