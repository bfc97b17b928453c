import { loadOnce } from '../../lib/load-once.ts';
import type { HostedPayments, HostedService } from './payments.ts';

/** Creates a hosted service whose library is loaded by the first call, so that no start waits for it. */
export function createLoadedLater(load: () => Promise<HostedService>): HostedService {
  let known: HostedPayments | undefined;
  const service = loadOnce(async () => {
    const loaded = await load();
    known = loaded.hosted;
    return loaded;
  });
  const hosted = async (): Promise<HostedPayments> => (await service()).hosted;
  return {
    isTest: false,
    openCheckout: async (order) => (await service()).openCheckout(order),
    hosted: {
      priceOf: async (plan) => (await hosted()).priceOf(plan),
      knownPrices: () => known?.knownPrices() ?? [],
      createCustomer: async (account) => (await hosted()).createCustomer(account),
      checkout: async (id) => (await hosted()).checkout(id),
      expireCheckout: async (id) => (await hosted()).expireCheckout(id),
      openPortal: async (customer) => (await hosted()).openPortal(customer),
      readNotice: async (body, signature, now) => (await hosted()).readNotice(body, signature, now),
      readCustomer: async (customer, checkouts) => (await hosted()).readCustomer(customer, checkouts),
      changeSubscription: async (id, change) => (await hosted()).changeSubscription(id, change),
      endSubscription: async (id) => (await hosted()).endSubscription(id),
      refund: async (charge, key) => (await hosted()).refund(charge, key),
      prepare: async () => (await hosted()).prepare(),
    },
  };
}
