import { expect } from '@playwright/test';
import type { Route } from '../specification/route-table.ts';
import { type Account, clientOf } from '../support/api-account.ts';

/**
 * Makes what the screens need that belong to one thing of an account, and returns their rows: a domain, a checkout that
 * waits, a receipt, a report that is shared, and the place where a deployment is published again.
 */
export async function placesOf(account: Account, deploymentId: string, name: string): Promise<Route[]> {
  const { domains, payments, diagnostics } = clientOf(account);
  const { reportId } = await diagnostics.run.mutate({ deploymentId });
  const domain = await domains.add.mutate({ deploymentId, name: `${account.username.replaceAll(' ', '-')}.test` });
  const paid = idOf(await payments.checkout.mutate({ plan: 'STANDARD' }));
  await payments.answerTest.mutate({ paymentId: paid, answer: 'pay' });
  const open = idOf(await payments.checkout.mutate({ plan: 'PRO' }));
  await expect.poll(async () => (await diagnostics.get.query({ reportId })).state).not.toBe('running');
  const { url: shared } = await diagnostics.share.mutate({ reportId });
  const inside = { access: 'app', layout: 'sidebar', skeleton: 'spinner', current: 'any' } as const;
  return [
    { ...inside, path: `/domains/${domain.id}`, title: /\.test|Domain/ },
    { ...inside, path: `/checkout/test/${open}`, title: 'Test checkout', layout: 'plain' },
    { ...inside, path: `/receipts/${paid}`, title: /Receipt/ },
    { ...inside, path: shared.slice(new URL(shared).origin.length), title: 'Report', layout: 'plain' },
    { ...inside, path: `/deployments/${deploymentId}#publish`, title: new RegExp(name) },
  ];
}

function idOf({ url }: { url: string }): string {
  return url.slice(url.lastIndexOf('/') + 1);
}
