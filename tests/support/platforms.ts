import { createEgress, type Egress, EgressError } from '../../server/lib/egress/egress.ts';
import { createReach } from '../../server/lib/egress/reach.ts';
import { parseRange } from '../../server/lib/egress/rules.ts';
import { createPlatforms } from '../../server/publishing/platforms/index.ts';

/** Nothing listens here: a test that needs a vendor makes its adapter with the address of a stand-in. */
const NOWHERE = 'http://127.0.0.1:1';

export const platforms = createPlatforms({
  netlify: NOWHERE,
  vercel: NOWHERE,
  'github-pages': NOWHERE,
  render: NOWHERE,
  heroku: NOWHERE,
});

const allow = ['127.0.0.0/8', '::1'].map(parseRange).filter((range) => range !== null);

/** The way out of tests: stand-ins listen on this machine. */
export function testEgress() {
  return createEgress({ allow });
}

/** The same for what is seen of addresses and of certificates. */
export function testReach() {
  return createReach({ allow });
}

const CLOSED = Object.assign(new Error('closed'), { code: 'ECONNREFUSED' });

/** Reaches the product's own listeners alone, whatever else listens at port 80 of this machine. */
export function ownEgress(): Egress {
  const egress = testEgress();
  return {
    request: (url, asked, read) =>
      asked.listener === undefined
        ? Promise.reject(new EgressError('connection', 'nobody listens', CLOSED))
        : egress.request(url, asked, read),
  };
}
