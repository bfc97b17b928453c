// Stands before `npm start`, `npm test` and `npm run bench`: builds what is missing or older than its source.
// Reads on any Node that knows modules, so that an old one is told in a sentence and not by a syntax error.
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
