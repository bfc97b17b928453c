import { expect, test } from 'vitest';
import type { Subject, Tools } from '../../server/diagnostics/checks/check.ts';
import { emailUntouched } from '../../server/diagnostics/checks/dns/email-untouched.ts';

const subject = { name: 'harbour.example', own: { domainId: 'harbour' } } as Subject;

/** A domain that had a server for its mail, and has none now. */
function withoutMail(isWrittenSince: boolean): Tools {
  return {
    zoneOf: async () => ({ apex: 'harbour.example' }),
    askNameServers: async () => [{ server: 'ns1', values: [] }],
    mailBefore: async () => ({ facts: { 'MX of harbour.example': ['10 mail.example.'] }, isWrittenSince }),
  } as unknown as Tools;
}

test('mail records that our writing took along lead to the undo on the page of the domain, not to a new plan', async () => {
  const finding = await emailUntouched.run(subject, withoutMail(true));
  expect(finding).toMatchObject({ verdict: 'fail', fix: 'Undo the last change on the page of the domain.' });
  expect(finding.repair ?? null).toBeNull();
});

test('mail records that somebody else changed are no fault of ours', async () => {
  expect(await emailUntouched.run(subject, withoutMail(false))).toMatchObject({ verdict: 'pass' });
});
