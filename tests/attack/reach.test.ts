import { expect, test } from 'vitest';
import { appRouter } from '../../routers/_app.ts';
import { REST_CALLS } from '../../server/http/rest.ts';
import { randomOf } from '../support/random.ts';
import { readSurface } from './support/surface.ts';
import { anyCall } from './targets/calls.ts';

const ROUNDS = 2_500;
const KNOWN = { connectionId: 'c'.repeat(20), deploymentId: 'd'.repeat(20) };

test('every procedure and every REST call is attacked, and those that take a connection are given one', async () => {
  const surface = await readSurface();
  const calls = Array.from({ length: ROUNDS }, (_, round) =>
    anyCall(randomOf('reach', 'calls', round), surface, KNOWN),
  );
  const procedures = new Set(calls.flatMap(({ path }) => /^\/api\/trpc\/([^?]*)/.exec(path)?.[1]?.split(',') ?? []));
  const declared = Object.keys(appRouter._def.procedures);
  expect(declared).toContain('connections.connect');
  expect(declared.filter((path) => !procedures.has(path))).toEqual([]);
  const asked = new Set(calls.map(({ method, path }) => `${method} ${path}`));
  expect(REST_CALLS.filter(({ method, path }) => !asked.has(`${method.toUpperCase()} ${path}`))).toEqual([]);
  const given = calls
    .filter(({ path, body }) => `${path}${body}`.includes(KNOWN.connectionId))
    .flatMap(({ path }) => path.split('?')[0]?.replace('/api/trpc/', '').split(','));
  expect(given).toContain('deployments.create');
  expect(given).toContain('connections.remove');
  expect(surface.routes.filter((route) => REST_CALLS.some(({ path }) => path === route))).toHaveLength(
    REST_CALLS.length,
  );
});
