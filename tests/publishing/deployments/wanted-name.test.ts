import { expect, test } from 'vitest';
import { SLUG_MAX } from '../../../routers/schemas/limits.ts';
import { cutSlug, slugFromName } from '../../../routers/schemas/slug.ts';
import { remainsOf } from '../../../server/publishing/deployments/left-sites.ts';
import { wantedNameOf } from '../../../server/publishing/deployments/slug.ts';

const WORDS = 'the harbour museum of the northern islands and its lighthouse';

test.each(['Harbour cafe', WORDS, ...[46, 47, 48, 49, 50].map((length) => 'x'.repeat(length))])(
  'a platform is asked for the name that “%s” makes, whatever number the address here needed',
  (name) => {
    const base = slugFromName(name);
    const numbered = ['2', '9', 'k3x9q'].map((one) => `${cutSlug(base, SLUG_MAX - one.length - 1)}-${one}`);
    for (const slug of [base, ...numbered]) expect(wantedNameOf({ name, slug }), slug).toBe(base);
    expect(base.length).toBeLessThanOrEqual(SLUG_MAX);
  },
);

test('an address that its person chose is the name that is asked for', () => {
  for (const slug of ['quay', 'harbour-cafe-sea', 'harbour-cafe-2027', 'harbour-cafe-north', 'harbour-cafe-by-the-sea'])
    expect(wantedNameOf({ name: 'Harbour cafe', slug })).toBe(slug);
});

test('a site without an address is named as it was requested', () => {
  const made = { platform: 'vercel' as const, url: null, wantedName: 'harbour' };
  expect(remainsOf({ ...made, site: { wanted: 'harbour-a1b2c3' } }).site).toBe(
    'The site requested as “harbour-a1b2c3”',
  );
  expect(remainsOf({ ...made, site: { projectId: 'prj_1' } }).site).toBe('The site requested as “harbour”');
  const atRender = { ...made, platform: 'render' as const, site: { url: 'https://harbour.onrender.com' } };
  expect(remainsOf(atRender)).toMatchObject({ site: atRender.site.url, url: atRender.site.url });
});
