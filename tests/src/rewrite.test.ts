import { expect, test } from 'vitest';
import { rewriteApiPath } from '../../src/api/session/rewrite.ts';

test.each([
  ['/api/user', 'localhost:3000', '', '/api/user'],
  ['/api/user', 'fairlead.example', '', '/api/user'],
  ['/api/user', 'fairlead.netlify.app', '', '/.netlify/functions/api/user'],
  ['/api/user', 'deploy-7--fairlead.netlify.app', '', '/.netlify/functions/api/user'],
  ['/api/user', 'FAIRLEAD.Netlify.App', '', '/.netlify/functions/api/user'],
  ['/api/user', 'netlify.app.evil.example', '', '/api/user'],
  ['/api/user', 'notnetlify.app', '', '/api/user'],
  ['/api/user', 'app.example', 'app.example', '/.netlify/functions/api/user'],
  ['/api/user', 'App.Example', 'app.example', '/.netlify/functions/api/user'],
  ['/api/user', 'other.example', 'app.example', '/api/user'],
  ['/api/trpc/a,b?batch=1&input=%7B%7D', 'x.netlify.app', '', '/.netlify/functions/api/trpc/a,b?batch=1&input=%7B%7D'],
  ['/api', 'x.netlify.app', '', '/api'],
  ['/apis/user', 'x.netlify.app', '', '/apis/user'],
  ['/assets/api/user', 'x.netlify.app', '', '/assets/api/user'],
])('%s on %s with "%s" named at build time goes to %s', (path, host, functionApiHost, target) => {
  expect(rewriteApiPath(path, host, functionApiHost)).toBe(target);
});
