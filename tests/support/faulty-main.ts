import { readEnv } from '../../server/env.ts';
import { createLifeCycle } from '../../server/life-cycle.ts';
import { createLog } from '../../server/log.ts';

/**
 * The application as main.ts starts it, except that it ends itself by SIGKILL the first time that its work reaches the
 * boundary named as its argument: `node --import tsx tests/support/faulty-main.ts uploading:end`.
 */
const [, , boundary] = process.argv;
const env = readEnv(process.env);
const log = createLog({ level: env.logLevel, isTerminal: false, write: (line) => void process.stdout.write(line) });
const app = createLifeCycle({
  env,
  log,
  webRoot: 'dist/web',
  faults: {
    at: async (reached) => {
      if (reached !== boundary) return;
      process.kill(process.pid, 'SIGKILL');
      // The signal takes a moment: nothing more may happen in it.
      await new Promise(() => undefined);
    },
  },
});
process.on('SIGTERM', () => void app.stop().then(() => process.exit(0)));
await app.start();
