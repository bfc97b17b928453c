import { expect, test } from 'vitest';
import type { ErrorCode } from '../../routers/schemas/errors.ts';
import type { PlatformUnderTest } from './platform-harness.ts';
import { platformHarness, published, restored } from './platform-harness.ts';
import type { Fault, Step } from './standins/faults.ts';
import type { StandIn } from './standins/stand-in.ts';

type Unusual = {
  /** A part of the sentence, where it is not made of the vendor's own words alone. */
  says?: string;
  remedy?: string;
  act?: Step;
  /** The vendor asks for a wait of an hour or more. */
  waits?: true;
};
/** The step that is refused, how, the code of that, and what is not usual for that code: the advice alone, or more. */
export type Refusal = readonly [step: Step, fault: Fault, code: ErrorCode, unusual?: string | Unusual];

type Refusing = PlatformUnderTest & { standIn: Pick<StandIn<unknown>, 'fail' | 'apiUrl'>; world: { drift: unknown } };

/** The sentence of each code, with `%` for the platform and `…` for its own words, and the advice. */
const SENTENCES: Partial<Record<ErrorCode, readonly [says: string, remedy: string]>> = {
  credentials_invalid: ['% no longer accepts the token of this connection.', 'Connect % again, then try again.'],
  permission_missing: [
    '% refused this because a permission is missing: ….',
    'Give the token this permission at %, then try again.',
  ],
  payment_required: ['% asks for a payment or a payment method first: ….', 'Settle it at %, then try again.'],
  plan_limit: ['Your plan at % does not allow this: ….', 'Change the plan at %, or make room there, then try again.'],
  name_taken: ['Somebody else has this name at %: ….', 'Publish these files as a new deployment with another name.'],
  domain_taken: [
    'Another site at % has this domain: ….',
    'If that site is yours, take the domain off it, then try again. If not, ask % to release the domain: you can prove through its DNS that it is yours.',
  ],
  rate_limited: ['% asks us to slow down.', 'It continues automatically; there is nothing to do.'],
  quota_exhausted: ['The limit of % is used up for now: ….', 'Try again later, or publish somewhere other than %.'],
  content_refused: ['% does not accept these files: ….', 'Change or leave out what is named, then publish again.'],
  out_of_sync: ['The state of this release at % differs from the one here: ….', 'It is checked again automatically.'],
  platform_down: [
    '% did not respond as expected: ….',
    'Fairlead tries again automatically. If the problem persists, look at the status page of %.',
  ],
  platform_place_gone: ['The site of this deployment was deleted at %.', 'Try again: the site is created again there.'],
  platform_failed: ['% could not complete the request: ….', 'Try again. If it fails again, check this site at %.'],
};

type Pages = Partial<Record<ErrorCode, string>>;

/** The vendor refuses one step: a person reads what it said, what it means and what to do. */
export function refusalSuite(
  title: string,
  make: () => Promise<Refusing>,
  pages: Pages,
  refusals: readonly Refusal[],
): void {
  for (const refusal of refusals) {
    const [step, fault, code] = refusal;
    test(`${title}, ${step}: ${JSON.stringify(fault)} is ${code}`, async () => {
      await using subject = await make();
      await expectRefusal(title, subject, pages, refusal);
      expect(subject.world.drift).toEqual([]);
    });
  }
}

async function expectRefusal(
  title: string,
  { platform, standIn }: Refusing,
  pages: Pages,
  [step, fault, code, unusual = {}]: Refusal,
): Promise<void> {
  const { says, remedy, act = step, waits }: Unusual = typeof unusual === 'string' ? { remedy: unusual } : unusual;
  await using harness = await platformHarness();
  const publish = async (number: number, text: string) =>
    published(platform, harness.call, await harness.release(number, { 'index.html': 'one', 'b.txt': text }));
  const isLater = act === 'attach' || act === 'restore';
  const before = isLater ? await publish(1, 'one') : null;
  if (act === 'restore') await publish(2, 'two');
  standIn.fail(step, fault, fault.how === 'states' ? 1 : 100);
  const attach = async () => platform.attachDomain?.(harness.call, 'shop.example.com');
  const later = act === 'attach' ? attach : () => restored(platform, harness.call, before?.ref ?? {});
  const [sentence = '', advice = ''] = SENTENCES[code] ?? [];
  const message = sentence.replace('%', title).replace('….', `${wordsOf(fault).replace(/\.$/, '')}.`);
  // GitHub's pages for people are where its API is.
  const page = pages[code]?.replace('https://github.com', standIn.apiUrl) ?? '';
  await expect(isLater ? later() : publish(1, 'one')).rejects.toMatchObject({
    code,
    message: says === undefined ? message : expect.stringContaining(says),
    hint: remedy === undefined ? `${advice.replace('%', title)} ${page}`.trimEnd() : expect.stringContaining(remedy),
  });
  if (waits) expect(harness.waits).toEqual([]);
}

/** Returns the words of the vendor, in whichever field they are; of a page for people, its status alone. */
function wordsOf(fault: Fault): string {
  const { status, body } = { status: undefined, body: undefined, ...fault };
  const { message, error, errors } = Object(body);
  const words = message ?? error?.message ?? error ?? errors;
  if (words === undefined) return `status ${status}`;
  return typeof words === 'string' || Array.isArray(words) ? String(words) : Object.entries(words).flat().join(' ');
}
