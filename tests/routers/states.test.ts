import { expect, test } from 'vitest';
import {
  CERTIFICATE_MOVES,
  DEPLOYMENT_MOVES,
  DOMAIN_MOVES,
  PAYMENT_MOVES,
  RELEASE_MOVES,
  RELEASE_STEPS,
} from '../../routers/schemas/states.ts';

type Moves = Record<string, readonly string[]>;

function statesBefore(moves: Moves, state: string): string[] {
  return Object.keys(moves).filter((from) => moves[from]?.includes(state));
}

test.each<[string, Moves, string[]]>([
  ['deployment', DEPLOYMENT_MOVES, ['deleting']],
  ['release', RELEASE_MOVES, ['failed', 'cancelled']],
  ['domain', DOMAIN_MOVES, ['removing']],
  ['certificate', CERTIFICATE_MOVES, []],
  ['payment', PAYMENT_MOVES, ['failed', 'expired']],
])('a %s never leaves a state that is its end', (_, moves, ends) => {
  expect(Object.keys(moves).filter((state) => moves[state]?.length === 0)).toEqual(ends);
});

test.each<[string, Moves, string, string[]]>([
  ['a deployment is live', DEPLOYMENT_MOVES, 'live', ['deploying']],
  ['a release is live', RELEASE_MOVES, 'live', ['verifying']],
  ['a domain is active', DOMAIN_MOVES, 'active', ['pending_dns', 'misconfigured']],
  ['a domain is proved', DOMAIN_MOVES, 'pending_dns', ['unverified', 'active', 'misconfigured']],
  ['a certificate is issued', CERTIFICATE_MOVES, 'issued', ['validating', 'renewing']],
  ['a payment is paid', PAYMENT_MOVES, 'paid', ['pending', 'refunded']],
])('%s only after what comes before it', (_, moves, state, before) => {
  expect(statesBefore(moves, state)).toEqual(before);
});

test('a release goes through its steps in their order, and can fail or be cancelled in each', () => {
  const steps = ['queued', ...RELEASE_STEPS] as const;
  for (const [index, step] of steps.entries()) {
    expect(RELEASE_MOVES[step].slice(0, 3)).toEqual([steps[index + 1] ?? 'live', 'failed', 'cancelled']);
  }
  expect(statesBefore(RELEASE_MOVES, 'superseded')).toEqual(['verifying', 'live']);
});
