import { setTimeout as wait } from 'node:timers/promises';
import { get } from '../../support/get.ts';
import { IS_FULL } from '../../support/size.ts';
import { ask } from '../../support/supervised-app.ts';
import { type AttackedApp, SITE_TEXT } from './attacked-app.ts';

const EVERY_MS = IS_FULL ? 50 : 150;
/** The limit of open questions; more would only burden the machine that they are asked on. */
const WAITING_MAX = 100;

export type Probe = {
  /** Ends it, and tells how many questions were answered as they should be, and what else came. */
  stop(): Promise<{ answered: number; failed: string[] }>;
};

/** Another client, which asks for the health and for a live site many times a second, whether or not answers come. */
export function startProbe({ app, site }: AttackedApp): Probe {
  const failed: string[] = [];
  const waiting = new Set<Promise<void>>();
  let answered = 0;
  let isOver = false;

  function question(what: string, asked: Promise<{ status: number; body: string | Buffer }>, expected?: string): void {
    const judged = asked
      .then(({ status, body }) => {
        if (status !== 200 || (expected !== undefined && String(body) !== expected))
          throw new Error(`${status} ${String(body).slice(0, 80)}`);
        answered += 1;
      })
      .catch((error: unknown) => void failed.push(`${what}: ${String(error)}`))
      .finally(() => waiting.delete(judged));
    waiting.add(judged);
  }

  const asking = (async () => {
    while (!isOver) {
      if (waiting.size < WAITING_MAX) {
        question('health', ask(`${app.url}/api/health`));
        question('site', get(app.sitesPort, `${site.slug}.localhost:${app.sitesPort}`, '/'), SITE_TEXT);
      }
      await wait(EVERY_MS);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await asking;
      await Promise.all(waiting);
      return { answered, failed };
    },
  };
}
