import { once } from 'node:events';
import { readEnv } from '../../server/boot/env/env.ts';
import { createLifeCycle } from '../../server/boot/life-cycle.ts';
import { AppError } from '../../server/lib/errors.ts';
import { createLog } from '../../server/lib/log.ts';
import { LANES } from '../../server/queue/lanes.ts';

/**
 * The application as main.ts starts it, with something the matter at boundaries of its work, each named after what happens
 * there: `… faulty-main.ts hold processing:start fail verifying:start`.
 *
 *   kill       it ends itself by SIGKILL
 *   killArmed  the same, once SIGUSR2 has armed it; then it says `Armed`
 *   killArmed:4  the same, once four runs have come there, which wait for each other
 *   hold       it says `Held at …` and goes on at SIGUSR2
 *   fail       the work ends with an error that is final
 */
const faults = new Map<string, string>();
for (let next = 2; next + 1 < process.argv.length; next += 2) {
  faults.set(process.argv[next + 1] ?? '', process.argv[next] ?? '');
}
/** One kill is one for each run that is there, so that all of them find places. */
const together = Math.max(...[...faults.values()].map((fault) => Number(fault.split(':')[1] ?? 1)));
for (const lane of [LANES.certificates, LANES.records]) {
  if (together > lane.perAccount) Object.assign(lane, { loops: together, perAccount: together });
}
const env = readEnv(process.env);
const log = createLog({ level: env.logLevel, isTerminal: false, write: (line) => void process.stdout.write(line) });

let isArmed = false;
let runsThere = 0;

async function meet(boundary: string): Promise<void> {
  const fault = faults.get(boundary);
  if (fault === 'hold') {
    log.info(`Held at ${boundary}`);
    await once(process, 'SIGUSR2');
  }
  if (fault === 'fail') throw new AppError('platform_failed', 'The platform has refused this release.');
  const [kind, runs = '1'] = fault?.split(':') ?? [];
  if (kind !== 'kill' && !(kind === 'killArmed' && isArmed)) return;
  runsThere += 1;
  if (runsThere >= Number(runs)) process.kill(process.pid, 'SIGKILL');
  // The others may be on their way, and the signal takes a moment: nothing more may happen here.
  await new Promise(() => undefined);
}

const app = createLifeCycle({
  env,
  log,
  webRoot: 'dist/web',
  faults: { at: meet },
  // A test that reads events through a crash has to write them faster than a person may.
  limits: { testNotificationsPerHour: 1_000_000 },
});
process.on('SIGUSR2', () => {
  isArmed = true;
  log.info('Armed');
});
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
await app.start();
