import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readMongodSources } from '../../server/boot/env/env.ts';
import { startEmbeddedMongo } from '../../server/database/embedded/embedded-mongo.ts';
import { prepareEmbeddedMongo } from '../../server/database/embedded/replica-set.ts';
import { newKeys } from '../../server/lib/crypto/secrets.ts';

const quiet = (): void => undefined;
const SILENT = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/**
 * Returns one database and one folder of artifacts for several instances of the app; `env` is the environment of each.
 */
export async function makeSharedFixtures(): Promise<{ env: NodeJS.ProcessEnv } & AsyncDisposable> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-shared-'));
  const mongo = await startEmbeddedMongo({ dataDir: folder, sources: readMongodSources(process.env), log: SILENT });
  await prepareEmbeddedMongo(folder, mongo.uri);
  return {
    env: {
      MONGODB_URI: mongo.uri,
      FAIRLEAD_KEYS: JSON.stringify(newKeys()),
      ARTIFACTS_URL: pathToFileURL(join(folder, 'artifacts')).href,
    },
    async [Symbol.asyncDispose]() {
      await mongo.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
