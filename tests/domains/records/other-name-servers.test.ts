import { expect, test } from 'vitest';
import type { CheckedRecord } from '../../../routers/schemas/domains.ts';
import { DomainModel } from '../../../server/database/models/domains/domain.ts';
import { transaction } from '../../../server/database/mongo.ts';
import type { ServerAnswer } from '../../../server/dns/dns-client.ts';
import { noAnswers } from '../../../server/domains/records/dns-answers.ts';
import { changeOf, type Problem, problemOf, recordKey } from '../../../server/domains/records/problem.ts';
import { recordStates } from '../../../server/domains/records/record-states.ts';
import { saveCheck } from '../../../server/domains/save-check.ts';
import { HOUR_MS } from '../../../server/lib/durations.ts';
import { createTestApp } from '../../support/app.ts';

const NAME = 'a.test';
const ADDRESS = '192.0.2.10';
const ANSWER = { server: 'new.test', address: '192.0.2.1', values: [ADDRESS], ttl: 300, error: null, cname: null };
const ROUTE: CheckedRecord = {
  ...{ type: 'A', name: NAME, value: ADDRESS, ttl: 300, purpose: 'route', required: true, alternativeGroup: null },
  ...{ state: 'ok', seen: [{ ...ANSWER, isAuthority: true }] },
};
const ANSWERS = {
  ...{ ...noAnswers(), isUnanswered: false, nameServers: new Map([[`${NAME} A`, [ANSWER]]]) },
  zone: { apex: NAME, servers: [{ name: 'new.test', addresses: [] }], parentServers: null, childServers: null },
};
const TARGET = { isServedHere: false, addresses: [], alias: null, issuers: [] };
const REFUSED = { code: 'name_refused', message: 'The platform refuses it.', hint: null };

test('name servers that another hand has named are not taken as known while another problem is told', async () => {
  await using app = await createTestApp();
  const place = { _id: NAME, accountId: 'owner' };
  const now = app.providers.now();
  await DomainModel.create({
    ...{ ...place, deploymentId: 'its deployment', name: NAME, unit: NAME, servedName: NAME, state: 'active' },
    ...{ proof: { name: `_fairlead.${NAME}`, value: 'proof' }, provedAt: now, nextCheckAt: now, quickFrom: now },
    ...{ heldNames: [NAME], nameServers: ['old.test'] },
    ...{ concern: { code: REFUSED.code, since: now, toldAt: now } },
    attached: { ...{ destinationId: 'its', platform: 'netlify', records: [], steps: [], answers: [] }, error: REFUSED },
  });
  const look = async () => {
    app.clock.advance(HOUR_MS);
    const domain = await DomainModel.findOne(place).orFail();
    const found = { domain, answers: ANSWERS, records: [ROUTE], target: TARGET, zoneHolder: null, tookMs: 0 };
    await transaction((session) => saveCheck(session, app.providers, found));
    const { state, problem, nameServers } = await DomainModel.findOne(place).orFail();
    return [state, problem?.code, ...nameServers];
  };
  expect(await look()).toEqual(['active', 'name_refused', 'old.test']);
  await DomainModel.updateOne(place, { 'attached.error': null });
  expect(await look()).toEqual(['active', 'name_servers_changed', 'old.test']);
  expect(await look()).toEqual(['active', 'name_servers_changed', 'new.test']);
  expect(await look()).toEqual(['active', undefined, 'new.test']);
});

const DOMAIN = {
  ...{ name: NAME, servedName: NAME, unit: NAME, proof: { name: `_fairlead.${NAME}`, value: 'proof' } },
  ...{ provedAt: new Date(0), rightRecords: [], nameServers: ['old.test'], attached: null },
};
const NOW_ELSEWHERE = { ...ANSWER, values: ['192.0.2.99'] };
const CHANGED = `${NAME} has other name servers now: new.test.`;

test('of other name servers it is told when one of the names leads elsewhere there', () => {
  const www: CheckedRecord = {
    ...{ ...ROUTE, name: `www.${NAME}`, state: 'wrong' },
    seen: [{ ...NOW_ELSEWHERE, isAuthority: true }],
  };
  const nameServers = new Map([...ANSWERS.nameServers, [`www.${NAME} A`, [NOW_ELSEWHERE]]]);
  const answers = { ...ANSWERS, nameServers };
  const messageWith = (records: CheckedRecord[]) =>
    problemOf({ domain: DOMAIN, answers, records, target: TARGET, leaving: [] })?.message;
  expect(messageWith([ROUTE])).toBe(`${CHANGED} They have the right records.`);
  expect(messageWith([ROUTE, www])).toMatch(`${CHANGED} www.${NAME}`);
});

test('of other name servers it is told which records they do not have', () => {
  const www = { ...ROUTE, name: `www.${NAME}` };
  const domain = { ...DOMAIN, rightRecords: [ROUTE, www].map(recordKey) };
  const changeWith = (...records: CheckedRecord[]) =>
    changeOf({ domain, answers: ANSWERS, records, target: TARGET }).message;
  const gone: CheckedRecord = { ...ROUTE, state: 'missing' };
  const neverRight: CheckedRecord = { ...gone, type: 'ALIAS', value: 'shop.host.test' };
  expect(changeWith(neverRight, gone, www)).toBe(`${CHANGED} The A record of a.test is missing there.`);
  expect(changeWith({ ...gone, state: 'wrong' }, www)).toBe(`${CHANGED} The A record of a.test is wrong there.`);
  expect(changeWith(gone, { ...www, state: 'missing' })).toBe(
    `${CHANGED} The A record of a.test and 1 other record are missing there.`,
  );
  expect(changeWith({ ...gone, seen: [] })).toBe(`${CHANGED} Their records could not be read.`);
});

test('of other name servers with the right records, what forbids certificates there is told', () => {
  const codeOf = (state: CheckedRecord['state'], problems: { caa?: Problem; certificate?: Problem }) => {
    const domain = { ...DOMAIN, rightRecords: [recordKey(ROUTE)] };
    return changeOf({ domain, answers: ANSWERS, records: [{ ...ROUTE, state }], target: TARGET, ...problems }).code;
  };
  const caa = { code: 'caa_forbids', message: 'They forbid it.', hint: null };
  const certificate = { ...caa, code: 'certificate_replaced' };
  expect(codeOf('ok', { caa })).toBe('caa_forbids');
  expect(codeOf('ok', { caa, certificate })).toBe('certificate_replaced');
  expect(codeOf('missing', { caa })).toBe('name_servers_changed');
});

test('of a changed record the kind is told that is there now', () => {
  const domain = { ...DOMAIN, nameServers: [] };
  const changeAt = (type: CheckedRecord['type'], values = NOW_ELSEWHERE.values) => {
    const { state: _, seen: __, ...route } = { ...ROUTE, type, value: 'shop.host.test' };
    const answers = { ...ANSWERS, nameServers: new Map([[`${NAME} A`, [{ ...ANSWER, values }]]]) };
    const records = recordStates([route], answers, TARGET);
    return changeOf({ domain, answers, records, target: TARGET }).message;
  };
  expect(changeAt('CNAME')).toBe('a.test has an address of its own now, 192.0.2.99, in place of its CNAME record.');
  expect(changeAt('ALIAS')).toBe('The ALIAS record of a.test was changed: it leads to 192.0.2.99 now.');
  expect(changeAt('ALIAS', [])).toBe('The ALIAS record of a.test is gone.');
});

const HERE = { isServedHere: true, addresses: [ADDRESS], alias: null, issuers: [] };
const LAME = { ...ANSWER, server: 'lame.test', address: '192.0.2.2', values: null, error: 'lame' as const };
const STRAY = { ...ANSWER, values: ['2001:db8::9'] };
const DOUBLED = {
  code: 'doubled_name' as const,
  message: 'It is in that name twice.',
  hint: 'Change it.',
  name: 'www.a.test',
};
const BESIDE = { ...DOUBLED, code: 'cname_beside_others' as const };

type Seen = { conflict: typeof DOUBLED | typeof BESIDE; four: ServerAnswer[]; six?: ServerAnswer[] };
test.each<[string, string | undefined, Seen]>([
  ['lame name servers are told', 'name_servers_lame', { conflict: DOUBLED, four: [ANSWER, LAME] }],
  ['an address elsewhere is told', 'aaaa_elsewhere', { conflict: DOUBLED, four: [], six: [STRAY] }],
  ['a domain that begins to work has no problem', undefined, { conflict: BESIDE, four: [ANSWER] }],
  ['a doubled name is told of a domain that works', DOUBLED.code, { conflict: DOUBLED, four: [ANSWER] }],
  ['it is told of a domain that does not work', BESIDE.code, { conflict: BESIDE, four: [{ ...ANSWER, values: [] }] }],
])('beside a conflict of another name %s', (_what, code, { conflict, four, six = [] }) => {
  const nameServers = new Map<string, ServerAnswer[]>([
    [`${NAME} A`, four],
    [`${NAME} AAAA`, six],
  ]);
  const answers = { ...ANSWERS, nameServers, conflict };
  const records = recordStates([ROUTE], answers, HERE);
  const domain = { ...DOMAIN, nameServers: [] };
  expect(problemOf({ domain, answers, records, target: HERE, leaving: [] })?.code).toBe(code);
});
