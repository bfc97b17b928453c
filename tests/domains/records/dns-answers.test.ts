import { expect, test } from 'vitest';
import { misplacedProofText } from '../../../server/dns/record-plan/misplaced-proof.ts';
import { gatherDnsAnswers, setKey } from '../../../server/domains/records/dns-answers.ts';
import type { DomainRecord } from '../../../server/publishing/platforms/platform.ts';
import type { Asked } from '../../support/fake-name-server.ts';
import { a, cname, HOSTILE, mx, ns, startInternet, txt } from '../../support/hostile-internet.ts';

const { signal } = new AbortController();
const RECORD = { ttl: 300, required: true, alternativeGroup: null };
const PROOF: DomainRecord = { ...RECORD, type: 'TXT', name: '_fairlead.evil.test', value: 'proof', purpose: 'proof' };
const ROUTES = ['evil.test', 'www.evil.test'].map(
  (name): DomainRecord => ({ ...RECORD, type: 'A', name, value: '192.0.2.10', purpose: 'route' }),
);
const RECORDS = [PROOF, ...ROUTES];

/** Eight name servers with three addresses each. */
const MANY = Array.from({ length: 8 }, (_, index) => ({
  name: `n${index}.evil.test`,
  addresses: [1, 2, 3].map((last) => `127.0.${index + 1}.${last}`),
}));
const MANY_SERVERS = {
  delegation: {
    authorities: MANY.map(({ name }) => ns('evil.test', name)),
    additionals: MANY.flatMap(({ name, addresses }) => addresses.map((address) => a(name, address))),
  },
  hostileAt: MANY.flatMap(({ addresses }) => addresses),
};

test('name servers that each name an alias of their own lead nowhere', async () => {
  let forks = 0;
  const respond = ({ name, type }: Asked) => {
    if (type !== 'A') return {};
    forks += 1;
    return { answers: [cname(name, `x${forks}.evil.test`)] };
  };
  await using internet = await startInternet(respond, MANY_SERVERS);
  const answers = await gatherDnsAnswers(internet.client, 'evil.test', RECORDS, signal);
  expect(answers.nameServers.get(setKey({ name: 'evil.test', type: 'A' }))).toHaveLength(24);
  expect(internet.hostile().filter(({ name }) => name.startsWith('x'))).toEqual([]);
});

test('however many servers and aliases there are, a check asks some hundreds of questions', async () => {
  for (const asked of ['A', 'TXT']) {
    const respond = ({ name, type }: Asked) => (type === asked ? { answers: [cname(name, `x.${name}`)] } : {});
    await using internet = await startInternet(respond, MANY_SERVERS);
    await gatherDnsAnswers(internet.client, 'evil.test', RECORDS, signal);
    expect(internet.questions()).toBeLessThanOrEqual(300);
  }
});

test('a chain that all name servers agree on is followed to its addresses, and no further than a few steps', async () => {
  const chain = (length: number) => async () => {
    const respond = ({ name, type }: Asked) => {
      const [, step] = /^s(\d+)\./.exec(name) ?? [null, '0'];
      if (type !== 'A') return {};
      if (Number(step) === length) return { answers: [a(name, '192.0.2.10')] };
      return { answers: [cname(name, `s${Number(step) + 1}.evil.test`)] };
    };
    await using internet = await startInternet(respond);
    const answers = await gatherDnsAnswers(internet.client, 'evil.test', RECORDS, signal);
    return answers.nameServers.get(setKey({ name: 'evil.test', type: 'A' }))?.map(({ values }) => values);
  };
  expect(await chain(4)()).toEqual([['192.0.2.10']]);
  expect(await chain(5)()).toEqual([[]]);
});

test('resolvers are asked once every name server has a record, since they remember that it was not there', async () => {
  const asked = async (behind: number) => {
    let looks = 0;
    const respond = ({ name, type }: Asked) => {
      if (type !== 'TXT') return {};
      looks += 1;
      return looks > behind ? { answers: [{ type, name, ttl: 60, data: 'proof' }] } : {};
    };
    await using internet = await startInternet(respond, MANY_SERVERS);
    const { resolvers } = await gatherDnsAnswers(internet.client, 'evil.test', [PROOF], signal);
    return [...resolvers.keys()];
  };
  expect(await asked(0)).toEqual([setKey(PROOF)]);
  expect(await asked(1)).toEqual([]);
});

test('a proof that was put at the domain itself is found there', async () => {
  const respond = ({ name, type }: Asked) =>
    type === 'TXT' && name === 'evil.test' ? { answers: [{ type, name, ttl: 60, data: 'proof' }] } : {};
  await using internet = await startInternet(respond);
  const answers = await gatherDnsAnswers(internet.client, 'evil.test', [PROOF], signal);
  expect(answers.misplacedProof).toBe('evil.test');
  const proofName = PROOF.name;
  expect(misplacedProofText({ proofName, apex: 'evil.test' }, 'evil.test')).toMatchObject({
    message: 'The value is at evil.test; it belongs at _fairlead.evil.test.',
  });
});

/** Returns an honest zone with these sets and wildcards; an empty name between two others has nothing (RFC 4592). */
function zoneOf(sets: readonly ReturnType<typeof a | typeof cname | typeof txt | typeof mx>[]) {
  return ({ name, type }: Asked) => {
    const isBelow = (at: string) =>
      at === 'evil.test' || sets.some((one) => one.name === at || one.name.endsWith(`.${at}`));
    let at = name;
    while (!isBelow(at)) at = at.slice(at.indexOf('.') + 1);
    const owner = at === name ? name : `*.${at}`;
    const found = sets.filter((one) => one.name === owner && (one.type === type || one.type === 'CNAME'));
    return { answers: found.map((one) => ({ ...one, name })) };
  };
}

const WWW: DomainRecord = { ...RECORD, type: 'CNAME', name: 'www.evil.test', value: 'evil.test', purpose: 'route' };
const PROVED = txt(PROOF.name, 'proof');
const APEX = a('evil.test', '192.0.2.10');
const DOUBLED_A = {
  code: 'doubled_name',
  message:
    'The A record at evil.test.evil.test has evil.test twice in its name: your DNS provider adds evil.test automatically.',
  hint: 'Change its name there to @.',
  name: 'evil.test',
};
const DOUBLED_CNAME = {
  code: 'doubled_name',
  message:
    'The CNAME record at www.evil.test.evil.test has evil.test twice in its name: your DNS provider adds evil.test automatically.',
  hint: 'Change its name there to www.',
  name: 'www.evil.test',
};
const OTHERS_AT_WWW = {
  code: 'cname_beside_others',
  message:
    'www.evil.test should be a CNAME record, but has TXT and MX records, and no other record can exist beside a CNAME.',
  hint: 'Use another name, or move those records.',
  name: 'www.evil.test',
};
const CNAME_AT_PROOF = {
  code: 'cname_beside_others',
  message:
    '_fairlead.evil.test is a CNAME record that points to x.evil.test, and no other record can exist beside a CNAME.',
  hint: 'Remove it, or add the TXT record where it points.',
  name: PROOF.name,
};
const DOUBLED_WWW = cname('www.evil.test.evil.test', 'evil.test');
const MAIL_AT_WWW = [txt('www.evil.test', 'v=spf1 -all'), mx('www.evil.test', 'mail.evil.test')];

test.each([
  {
    what: 'the domain twice in the name of the apex',
    sets: [PROVED, a('evil.test.evil.test', '192.0.2.10')],
    conflict: DOUBLED_A,
  },
  { what: 'the domain twice in the name of www', sets: [PROVED, APEX, DOUBLED_WWW], conflict: DOUBLED_CNAME },
  { what: 'mail at www', sets: [PROVED, APEX, ...MAIL_AT_WWW], conflict: OTHERS_AT_WWW },
  { what: 'a CNAME in place of the proof', sets: [cname(PROOF.name, 'x.evil.test'), APEX], conflict: CNAME_AT_PROOF },
  {
    what: 'mail at www, which has an address as well',
    sets: [PROVED, APEX, a('www.evil.test', '192.0.2.99'), ...MAIL_AT_WWW],
    conflict: OTHERS_AT_WWW,
  },
  { what: 'an address at www', sets: [PROVED, APEX, a('www.evil.test', '192.0.2.99')], conflict: null },
  {
    what: 'a CNAME in place of the proof, and a wildcard',
    sets: [cname(PROOF.name, 'x.evil.test'), cname('*.evil.test', 'y.evil.test')],
    conflict: CNAME_AT_PROOF,
  },
  { what: 'a wildcard with the address', sets: [PROVED, a('*.evil.test', '192.0.2.10')], conflict: null },
  { what: 'a wildcard CNAME at the proof', sets: [APEX, cname('*.evil.test', 'evil.test')], conflict: null },
  {
    what: 'a wildcard with mail',
    sets: [PROVED, APEX, txt('*.evil.test', 'v=spf1 -all'), mx('*.evil.test', 'mail.evil.test')],
    conflict: null,
  },
  { what: 'nothing', sets: [], conflict: null },
])('without a connection, $what is seen as what it is', async ({ sets, conflict }) => {
  await using internet = await startInternet(zoneOf(sets));
  const [apex = WWW] = ROUTES;
  const answers = await gatherDnsAnswers(internet.client, 'evil.test', [PROOF, apex, WWW], signal);
  expect(answers.conflict).toEqual(conflict);
  expect(internet.hostile().length).toBeLessThanOrEqual(30);
});

test('a check of several names goes its way down once', async () => {
  await using internet = await startInternet(({ name, type }) => (type === 'A' ? { answers: [a(name, HOSTILE)] } : {}));
  await gatherDnsAnswers(internet.client, 'evil.test', RECORDS, signal);
  const asked = internet.hostile().map(({ name, type }) => `${name} ${type}`);
  expect(asked.filter((question, index) => asked.indexOf(question) !== index)).toEqual([]);
});

test('a check that name servers keep waiting ends in time with what was found', async () => {
  await using internet = await startInternet(({ type }) => (type === 'TXT' ? {} : null), { wholeMs: 400 });
  const answers = await gatherDnsAnswers(internet.client, 'evil.test', RECORDS, signal);
  expect(answers).toMatchObject({ zone: { apex: 'evil.test' }, isUnanswered: false, misplacedProof: null });
  expect(answers.nameServers.get(setKey({ name: 'evil.test', type: 'A' }))).toMatchObject([
    { values: null, error: 'timeout' },
  ]);
});
