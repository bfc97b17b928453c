import { expect, test } from 'vitest';
import type { PreflightInput, PreflightStep } from '../../routers/schemas/preflight.ts';
import type { Limits } from '../../server/context.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { createTestApp, type TestApp } from '../support/app.ts';
import { everythingStored } from '../support/everything-stored.ts';
import { platforms } from '../support/platforms.ts';
import { refusalOf } from '../support/refusal.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';
import { TOKEN } from '../support/standins/stand-in.ts';

const HARBOUR = { name: 'Harbour', platform: 'built-in' } as const satisfies PreflightInput;
const FILES = { count: 3, totalBytes: 3_000 };

const verdictsOf = (steps: readonly PreflightStep[]) =>
  Object.fromEntries(steps.map(({ step, verdict }) => [step, verdict]));

async function stepOf(
  { caller }: Awaited<ReturnType<TestApp['person']>>,
  step: PreflightStep['step'],
  input: PreflightInput,
): Promise<PreflightStep> {
  const { steps } = await caller.deployments.preflight(input);
  return steps.find((one) => one.step === step) ?? expect.fail(`There is no step ${step}.`);
}

test('a preflight goes through every step of a deployment, and leaves everything as it was', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create(HARBOUR);
  await person.caller.domains.add({ deploymentId, name: 'taken.test' });
  const before = await everythingStored();
  const input = { ...HARBOUR, domain: 'https://Quay.test/', files: FILES };
  const { steps } = await person.caller.deployments.preflight(input);
  expect(await everythingStored()).toEqual(before);
  expect(new Set(Object.values(verdictsOf(steps)))).toEqual(new Set(['pass']));
  expect(steps.map(({ step, lines }) => [step, lines])).toEqual([
    ['create', ['“Harbour” gets the address http://harbour-2.localhost:3001.']],
    [
      'send',
      ['Your browser sends the files to Fairlead at localhost:3000. Files that are already there are not sent again.'],
    ],
    ['publish', ['The built-in host reads the files where Fairlead keeps them. Nothing goes to anyone else.']],
    [
      'verify',
      [
        'Every file is fetched from the release’s own address and compared with your upload. Then visitors get the release.',
      ],
    ],
    [
      'domain',
      [
        'TXT _fairlead.quay.test: a value that is made for you',
        'A quay.test: 127.0.0.1',
        'AAAA quay.test: ::1',
        'CNAME www.quay.test: quay.test',
        expect.stringContaining('Do not create these records at a public DNS provider yet'),
      ],
    ],
    [
      'certificate',
      [
        'Fairlead’s own authority issues a certificate for quay.test and www.quay.test. Browsers trust it once the root certificate is installed.',
      ],
    ],
  ]);
  // What it said is what happens.
  expect((await person.caller.deployments.create(HARBOUR)).slug).toBe('harbour-2');
});

type Case = [PreflightStep['step'], PreflightInput, Partial<Limits>, object];

const refused = (problem: object) => ({ verdict: 'refused', problem });
const SENT = { ...HARBOUR, files: FILES };
const AT_NETLIFY = { ...HARBOUR, platform: 'netlify' } as const;
const CASES: readonly Case[] = [
  ['create', AT_NETLIFY, {}, refused({ code: 'validation_failed', message: 'Connect Netlify first.' })],
  // Without an account nobody can be asked.
  ['publish', AT_NETLIFY, {}, { verdict: 'unknown', problem: null }],
  ['create', { ...HARBOUR, platform: 'simulated' }, {}, refused({ code: 'platform_unavailable' })],
  ['create', HARBOUR, { deploymentsPerHour: 0 }, refused({ code: 'rate_limited' })],
  ['send', HARBOUR, { releasesPerHour: 0 }, refused({ code: 'rate_limited' })],
  ['send', SENT, { uploadBytesPerDay: 2_999 }, refused({ code: 'quota_exhausted' })],
  ['send', SENT, { listedFiles: 2 }, refused({ code: 'quota_exhausted' })],
  [
    'send',
    SENT,
    { accountFiles: 2 },
    refused({ message: 'An account can store 2 files. It uses 0 files, and this would add 3 files.' }),
  ],
  [
    'domain',
    { ...HARBOUR, domain: 'co.uk' },
    {},
    refused({ message: expect.stringContaining('co.uk is an ending that many domains share.') }),
  ],
  ['domain', HARBOUR, {}, { verdict: 'absent', problem: null }],
  ['certificate', HARBOUR, {}, { verdict: 'absent', problem: null }],
];

test('each step is refused as the real one would be', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const { limits } = app.providers;
  for (const [step, input, change, expected] of CASES) {
    app.providers.limits = { ...limits, ...change };
    expect(await stepOf(person, step, input)).toMatchObject(expected);
  }
});

test('without a plan it says what creating would say', async () => {
  await using app = await createTestApp();
  const nobody = await app.person();
  const { problem } = await stepOf(nobody, 'create', HARBOUR);
  const refused = await refusalOf(nobody.caller.deployments.create(HARBOUR));
  expect(problem).toMatchObject({ code: 'deployment_limit_reached', message: refused.message });
});

test('a platform is asked whose token it is and nothing more, and no answer is kept', async () => {
  await using netlify = await netlifyUnderTest();
  await using app = await createTestApp({
    providers: { platforms: { ...platforms, netlify: netlify.platform }, wait: async () => undefined },
  });
  const person = await app.trialPerson();
  await person.caller.connections.connect({ provider: 'netlify', token: TOKEN });
  const before = await everythingStored();
  const input = { name: 'Mole', platform: 'netlify', domain: 'quay.test' } as const;
  const { steps } = await person.caller.deployments.preflight(input);
  expect(new Set(Object.values(verdictsOf(steps)))).toEqual(new Set(['pass']));
  expect(steps.flatMap(({ lines }) => lines)).toEqual(
    expect.arrayContaining([
      'Netlify is asked for a site named mole, or another name if that is taken.',
      expect.stringMatching(/^Netlify accepts your token, as /),
      'Netlify is told the name and says where it must point.',
      'Netlify gets the certificate, and Fairlead watches it.',
    ]),
  );
  expect(new Set(netlify.standIn.requests.map(({ method }) => method))).toEqual(new Set(['GET']));

  netlify.world.fail('account', { how: 'status', status: 401 }, 10);
  expect(await stepOf(person, 'publish', input)).toMatchObject({
    verdict: 'refused',
    problem: { code: 'credentials_invalid', message: 'Netlify does not accept this token.' },
  });
  netlify.world.heal();
  netlify.world.fail('account', { how: 'status', status: 503 }, 100);
  expect(await stepOf(person, 'publish', input)).toMatchObject({ verdict: 'unknown' });
  expect(await everythingStored()).toEqual(before);
});

test('of a public authority CAA is read, for every way in which the names can be proved', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const input = { ...HARBOUR, domain: 'quay.test' };
  const { authority, dns } = app.providers;
  const caaIdentities = async () => ['authority.test'];
  app.providers.authority = { ...authority, name: 'authority.test', isPublic: true, caaIdentities };
  let values = ['0 issue "authority.test; validationmethods=dns-01"'];
  app.providers.dns = { ...dns, caaOf: async () => ({ name: 'quay.test', values }) };
  expect(await stepOf(person, 'certificate', input)).toMatchObject({
    verdict: 'pass',
    lines: [
      'Once the domain leads here, authority.test is asked for a certificate for quay.test and www.quay.test.',
      'CAA allows the certificate authority to issue certificates for quay.test.',
      'CAA allows the certificate authority to issue certificates for www.quay.test.',
    ],
  });
  values = ['0 issue "other.test"'];
  expect(await stepOf(person, 'certificate', input)).toMatchObject({
    verdict: 'refused',
    problem: { code: 'records_refused', message: expect.stringContaining('0 issue "authority.test"') },
  });
  app.providers.dns = { ...dns, caaOf: () => Promise.reject(new Error('lost')) };
  expect(await stepOf(person, 'certificate', input)).toMatchObject({ verdict: 'unknown' });
});

test('a further release is looked at as it would be published, and is refused while one is on its way', async () => {
  await using app = await createTestApp();
  const person = await app.trialPerson();
  const { id: deploymentId } = await person.caller.deployments.create(HARBOUR);
  const before = await everythingStored();
  const { steps } = await person.caller.deployments.preflight({ deploymentId, files: FILES });
  expect(await everythingStored()).toEqual(before);
  expect(verdictsOf(steps)).toEqual({
    ...{ create: 'pass', send: 'pass', publish: 'pass', verify: 'pass' },
    ...{ domain: 'absent', certificate: 'absent' },
  });
  expect(steps[0]?.lines).toEqual(['“Harbour” gets a new release on Built-in host.']);
  await DeploymentModel.updateOne({ _id: deploymentId, accountId: person.user.id }, { state: 'deploying' });
  expect(await stepOf(person, 'create', { deploymentId })).toMatchObject(refused({ code: 'deployment_busy' }));
  const stranger = await app.trialPerson();
  const foreign = await refusalOf(stranger.caller.deployments.preflight({ deploymentId }));
  expect(foreign.code).toBe('not_found');
});
