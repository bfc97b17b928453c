import type { StreamItem } from '../../routers/schemas/events.ts';
import { createStore, type Store, useStore } from '../lib/store.ts';

/** `closed`: nobody listens, or the last attempt failed and the next one waits. */
export type ChannelState = 'closed' | 'connecting' | 'open';
export type SeenItem = { key: number; id: string; at: Date; item: StreamItem };
type Channel = { state: ChannelState; items: readonly SeenItem[] };

/** The number of items that are remembered for the page that shows them. */
const ITEMS_KEPT = 50;

const store = createStore<Channel>({ state: 'closed', items: [] });
let seen = 0;

/** The channel for code without a component. */
export const channel: Omit<Store<Channel>, 'set'> = store;

/** Returns the realtime channel: its state, and the items received on this page, newest first. */
export function useChannel(): Channel {
  return useStore(store);
}

export function setChannelState(state: ChannelState): void {
  const before = store.get();
  if (state !== before.state) store.set({ ...before, state });
}

export function rememberItem(id: string, item: StreamItem): void {
  seen += 1;
  const { state, items } = store.get();
  store.set({ state, items: [{ key: seen, id, at: new Date(), item }, ...items].slice(0, ITEMS_KEPT) });
}

/** Forgets the items, so that the next person to sign in sees nothing of this account. */
export function forgetChannel(): void {
  store.set({ state: 'closed', items: [] });
}
