// Runs before `npm start`, `npm test` and `npm run bench` and builds every part that is missing or older than its
// source. It is plain JavaScript, so that an old Node gives a sentence and not a syntax error.
import { nodeFault } from './node-version.mjs';

const fault = nodeFault(process.version);
if (fault !== null) {
  process.stderr.write(`${fault}\n`);
  process.exit(78);
}

import('./build.mjs')
  .then(({ build }) =>
    build({ isForced: process.argv.includes('--force'), isCheckOnly: process.argv.includes('--check-only') }),
  )
  .catch((error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
