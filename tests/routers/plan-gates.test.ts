import { expect, test } from 'vitest';
import { PAID_PLANS, type PaidPlan, type Plan } from '../../routers/schemas/plans.ts';
import { createTestApp, type Person } from '../support/app.ts';
import { setPlan } from '../support/plans.ts';
import { refusalOf } from '../support/refusal.ts';
import { IS_FULL } from '../support/size.ts';

/** More than the largest cap of a plan that has one. */
const TRIED = { deployments: 4, domains: 6 };

async function untilRefused(times: number, code: string, act: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < times; n += 1) {
    const done = act();
    if (
      await done.then(
        () => true,
        () => false,
      )
    )
      continue;
    const refusal = await refusalOf(done);
    expect([code, 'plan_required']).toContain(refusal.code);
    expect(refusal).toMatchObject({ status: 403, hint: expect.stringMatching(/Pricing & Trial/) });
    return n;
  }
  return times;
}

/** Returns whether the plan allows it; any other refusal does not count. */
async function isOpen(act: Promise<unknown>): Promise<boolean> {
  return act.then(
    () => true,
    async () => (await refusalOf(act)).code !== 'plan_required',
  );
}

let tries = 0;
function newName(): string {
  tries += 1;
  return `gate-${tries}.test`;
}

/**
 * Asks for everything at each gate: more deployments and domains, or the features of the plan. Returns what a person
 * gets.
 */
const GATES = {
  deployments: ({ caller }: Person) =>
    untilRefused(TRIED.deployments, 'deployment_limit_reached', () =>
      caller.deployments.create({ name: newName(), platform: 'built-in' }),
    ),
  domains: async ({ caller }: Person, deploymentId: string) =>
    untilRefused(TRIED.domains, 'domain_limit_reached', () => caller.domains.add({ deploymentId, name: newName() })),
  /** The same platform twice is refused as well, behind the gate. */
  destinations: ({ caller }: Person, deploymentId: string) =>
    isOpen(caller.deployments.addDestination({ deploymentId, platform: 'built-in' })),
  platforms: ({ caller }: Person, deploymentId: string) =>
    isOpen(caller.deployments.addDestination({ deploymentId, platform: 'built-in', isMove: true })),
  diagnostics: async ({ caller }: Person) => {
    const { reportId } = await caller.diagnostics.run({ name: newName() });
    return (await caller.diagnostics.get({ reportId })).isWhole;
  },
  analytics: async ({ caller }: Person) => (await caller.analytics.visits({ days: 396, timeZone: 'UTC' })).keptDays,
};
type Gate = keyof typeof GATES;

/** The plans as they are sold. `Infinity` stands for as many as are tried. */
const SOLD: Record<Plan, Record<Gate, number | boolean | null>> = {
  free: { deployments: 0, domains: 0, destinations: false, platforms: false, diagnostics: false, analytics: null },
  BASIC: { deployments: 1, domains: 1, destinations: false, platforms: true, diagnostics: false, analytics: 7 },
  STANDARD: { deployments: 3, domains: 5, destinations: false, platforms: true, diagnostics: true, analytics: 30 },
  PRO: { deployments: 4, domains: 6, destinations: true, platforms: true, diagnostics: true, analytics: 396 },
  BETA: { deployments: 4, domains: 6, destinations: true, platforms: true, diagnostics: true, analytics: 396 },
};

async function put(person: Person, plan: Plan): Promise<void> {
  if (plan === 'free') await setPlan(person, 'BASIC', { endsAt: new Date(0) });
  else await setPlan(person, plan);
}

async function allOf(person: Person, deploymentId: string): Promise<Record<string, unknown>> {
  const got: Record<string, unknown> = {};
  for (const [gate, ask] of Object.entries(GATES)) {
    // Without a deployment that can be changed there is nothing to add to.
    got[gate] = await ask(person, deploymentId);
  }
  return got;
}

/** Every change to another plan: [from, to]. */
const ALL_CHANGES = PAID_PLANS.flatMap((from) =>
  (['free', ...PAID_PLANS] as const).filter((to) => to !== from).map((to): [PaidPlan, Plan] => [from, to]),
);

/** Up, down, sidewards and to none; each plan before a change and after one. */
const FEW_CHANGES: typeof ALL_CHANGES = [
  ['BASIC', 'STANDARD'],
  ['STANDARD', 'BETA'],
  ['BETA', 'PRO'],
  ['PRO', 'BASIC'],
  ['STANDARD', 'free'],
];

test.each(IS_FULL ? ALL_CHANGES : FEW_CHANGES)(
  'each gate gives what %s is sold with, and from the moment of the change what %s is',
  async (from, to) => {
    await using app = await createTestApp();
    const person = await app.person();
    await put(person, from);
    const { id } = await person.caller.deployments.create({ name: 'First', platform: 'built-in' });
    const more = await GATES.deployments(person);
    const held = { deployments: 1 + more, domains: await GATES.domains(person, id) };
    const { [from]: had } = SOLD;
    expect([Math.min(held.deployments, TRIED.deployments), held.domains]).toEqual([had.deployments, had.domains]);
    await setPlan(person, to === 'free' ? 'BASIC' : to, {
      writableIds: [id],
      ...(to === 'free' && { endsAt: new Date(0) }),
    });

    const { deployments, domains, ...open } = await allOf(person, id);

    const { deployments: cap, domains: domainCap, ...sold } = SOLD[to];
    expect(open).toEqual(sold);
    const isUncapped = to === 'PRO' || to === 'BETA';
    const left = (limit: unknown, has: number) => Math.max(0, Number(limit) - has);
    expect([deployments, domains]).toEqual(
      isUncapped ? [TRIED.deployments, TRIED.domains] : [left(cap, held.deployments), left(domainCap, held.domains)],
    );
  },
);
