import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Env, readEnv } from './env.ts';
import { createLifeCycle, sentenceOf } from './life-cycle.ts';
import { createLog, type Log, scrub } from './log.ts';
import { EXIT_FAILED, StartError } from './start-error.ts';

/** Of one and the same signal: npm passes on what the terminal has sent to the whole group (operators' contract). */
const SAME_SIGNAL_MS = 1_000;
/** A stop with work in hand takes up to 30 s (operators' contract); what hangs longer is left to the next start. */
const STOP_TIMEOUT_MS = 29_000;
/** Reads the environment, starts the app, and ends the process by a signal, or with one sentence when it cannot start. */
async function main(): Promise<void> {
  const env = readEnv(process.env);
  const isTerminal = process.stdout.isTTY === true;
  const log = createLog({ level: env.logLevel, isTerminal, write: (line) => void process.stdout.write(line) });
  for (const warning of env.warnings) log.warn(warning);
  const app = createLifeCycle({ env, log, webRoot: join(packageRoot(), 'dist', 'web') });
  endOnSignals(() => app.stop(), log);
  endOnSurprises(log);
  await app.start();
  announce(env, log, isTerminal);
}

function endOnSignals(stop: () => Promise<void>, log: Log): void {
  let firstAt: number | undefined;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (firstAt !== undefined) {
      if (Date.now() - firstAt > SAME_SIGNAL_MS) process.exit(EXIT_FAILED);
      return;
    }
    firstAt = Date.now();
    log.info(`Stopping (${signal})`);
    setTimeout(() => {
      log.error('Stopping takes too long; what is left is ended with the process');
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

/** After an error that nobody caught nothing is certain any more: leases run out, and a supervisor starts anew. */
function endOnSurprises(log: Log): void {
  const onSurprise = (error: unknown): void => {
    const stack = error instanceof Error ? error.stack : undefined;
    log.error('An error that nobody caught ends the process', { error: stack ?? String(error) });
    process.exit(EXIT_FAILED);
  };
  process.on('uncaughtException', onSurprise);
  process.on('unhandledRejection', onSurprise);
}

/** From the sources and from the bundle alike: the nearest folder above that is a package. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

function announce(env: Env, log: Log, isTerminal: boolean): void {
  const sites = `http://{name}.${env.sitesDomain}:${env.sitesPort}`;
  if (!isTerminal) {
    log.info('Fairlead is running', { app: env.publicUrl, sites, data: env.dataDir });
    return;
  }
  process.stdout.write(
    `\n  Fairlead is running.\n\n    Open   ${env.publicUrl}\n    Sites  ${sites}\n    Data   ${env.dataDir}\n\n  Ctrl-C stops it.\n\n`,
  );
}

main().catch((error: unknown) => {
  process.stderr.write(
    `Fairlead did not start: ${scrub(error instanceof StartError ? error.message : `${sentenceOf(error)}.`)}\n`,
  );
  if (!(error instanceof StartError) && process.env.LOG_LEVEL === 'debug' && error instanceof Error) {
    process.stderr.write(`${scrub(error.stack ?? '')}\n`);
  }
  process.exit(error instanceof StartError ? error.exitCode : EXIT_FAILED);
});
