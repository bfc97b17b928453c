import { createEgress } from '../../server/egress.ts';
import { parseRange } from '../../server/egress-rules.ts';
import { createPlatforms } from '../../server/platforms/index.ts';

/** Says where no adapter of a test may reach: who needs one makes it with the address of its stand-in. */
const NOWHERE = 'http://127.0.0.1:1';

/** These are the platforms of this version, none of which reaches a vendor. */
export const platforms = createPlatforms({
  netlify: NOWHERE,
  vercel: NOWHERE,
  'github-pages': NOWHERE,
  render: NOWHERE,
  heroku: NOWHERE,
});

/** The way out of tests: stand-ins listen on this machine. */
export function testEgress() {
  return createEgress({ allow: ['127.0.0.0/8', '::1'].map(parseRange).filter((range) => range !== null) });
}
