import { expect, test, vi } from 'vitest';
import { DomainList } from '../../src/features/domains/domain-list.tsx';
import { DomainScreen } from '../../src/screens/domain.tsx';
import { DomainsScreen } from '../../src/screens/domains.tsx';
import { domainAnswers, DOMAIN_PLACE as PLACE } from '../support/domain-answers.ts';
import { domainOf } from '../support/domain-fixtures.ts';
import { type Answers, refusal, showScreen, typeInto } from '../support/screen.tsx';
import { allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

test('of domains beyond the cap the person says which can be changed, and one that cannot says so', async () => {
  const [kept, over] = [domainOf(), domainOf({ id: 'over', name: 'over.example', isOverCap: true, mayBeChosen: true })];
  const chooseWritable = vi.fn(() => ({ done: true }));
  const answers: Answers = {
    ...domainAnswers(kept),
    'domains.list': () => ({ items: [kept, over], nextCursor: null }),
    'domains.chooseWritable': chooseWritable,
  };
  const deployments = [{ id: kept.deploymentId, name: 'One', slug: 'one', url: '', platform: 'built-in' as const }];
  const list = (
    <DomainList deployments={deployments} deploymentId={kept.deploymentId} isReadOnly={() => false} limit={1} />
  );
  using shown = showScreen(list, answers);
  await shown.sees('Your plan allows 1 domain for a deployment');
  shown.button('Choose').click();
  await vi.waitFor(() => expect(document.body.textContent).toContain('1 of 1 domain chosen.'));
  const boxes = () => [...document.querySelectorAll<HTMLButtonElement>('[role="checkbox"]')];
  boxes()[1]?.click();
  const checked = () => boxes().map((box) => box.getAttribute('aria-checked'));
  await vi.waitFor(() => expect(checked()).toEqual(['false', 'true']));
  const save = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Save the choice');
  save?.click();
  const wish = { deploymentId: kept.deploymentId, domainIds: ['over'] };
  await vi.waitFor(() => expect(chooseWritable).toHaveBeenCalledWith(wish, undefined));

  answers['domains.list'] = () => ({ items: [kept, { ...over, mayBeChosen: false }], nextCursor: null });
  using chosen = showScreen(list, answers);
  await chosen.sees('The others stay live and are read-only.');
  expect(chosen.linkTo('See the plans')).toBe('/subscription/pricing');
  expect(chosen.page.textContent).not.toContain('choose which');

  using screen = showScreen(<DomainScreen />, domainAnswers({ ...over, id: 'shop' }), PLACE);
  await screen.sees('This one stays live and is read-only.');
  expect(screen.linkTo('See its domains')).toBe(`/deployments/${kept.deploymentId}?tab=domains`);
});

test('the cap of the plan is told at the field of the name', async () => {
  const message = 'The Basic plan allows 1 custom domain for a deployment. Standard allows 5.';
  const deployment = deploymentOf({ id: 'harbour0000000000000' });
  const answers: Answers = {
    ...domainAnswers(domainOf()),
    'deployments.list': () => ({ items: [deployment], nextCursor: null }),
    'domains.add': () => refusal('domain_limit_reached', message),
  };
  using shown = showScreen(<DomainsScreen />, answers);
  await shown.sees('with www');
  shown.button('Add a domain').click();
  const field = await vi.waitFor(() => typeInto(document, 'name', 'second.example'));
  field.form?.requestSubmit();
  await vi.waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
  expect(document.body.textContent).toContain(message);
});

test('a deployment with all domains of its plan says so before a name is thought of', async () => {
  const domain = domainOf();
  const answers: Answers = {
    ...domainAnswers(domain),
    'subscription.allowance': () => allowanceOf({ plan: 'BASIC', customDomains: 1 }),
    'deployments.list': () => ({ items: [deploymentOf({ id: domain.deploymentId })], nextCursor: null }),
  };
  using shown = showScreen(<DomainsScreen />, answers);
  await shown.sees(domain.name);
  shown.button('Add a domain').click();
  const text = 'This deployment has the one domain your plan allows.';
  await vi.waitFor(() => expect(document.body.textContent).toContain(text));
  expect(document.querySelector('input[name="name"]')).toBeNull();
  document.querySelector<HTMLFormElement>('[role="dialog"] form')?.requestSubmit();
  expect(location.pathname).toBe('/subscription/pricing');
});
