import { createEgress } from '../../server/egress.ts';
import { parseRange } from '../../server/egress-rules.ts';
import { createPlatforms } from '../../server/platforms/index.ts';

/** Nothing listens here: a test that needs a vendor makes its adapter with the address of a stand-in. */
const NOWHERE = 'http://127.0.0.1:1';

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
