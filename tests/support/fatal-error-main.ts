import { readEnv } from '../../server/boot/env/env.ts';
import { endOnFatalErrors } from '../../server/boot/fatal-errors.ts';
import { createLifeCycle } from '../../server/boot/life-cycle.ts';
import { createLog } from '../../server/lib/log.ts';

/**
 * The application as main.ts starts it, with a defect: at the boundary of its work that is named, something is thrown
 * where nobody catches it, once SIGUSR2 has armed it; then it says so. At first a promise is left alone, once it was armed
 * again something throws in a timer.
 */
const [, , boundary] = process.argv;
const env = readEnv(process.env);
const log = createLog({ level: env.logLevel, isTerminal: false, write: (line) => void process.stdout.write(line) });
endOnFatalErrors(log);

let armed: 'reject' | 'throw' | undefined;

function fail(): void {
  if (armed === 'reject') void Promise.reject(new Error('planted'));
  else
    setTimeout(() => {
      throw new Error('planted');
    });
}

const app = createLifeCycle({
  env,
  log,
  webRoot: 'dist/web',
  faults: {
    at: async (reached) => {
      if (reached !== boundary || armed === undefined) return;
      fail();
      // It ends in a moment: nothing more may happen in it.
      await new Promise(() => undefined);
    },
  },
});
process.on('SIGUSR2', () => {
  armed = armed === undefined ? 'reject' : 'throw';
  log.info(`Armed: ${armed}`);
});
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
await app.start();
