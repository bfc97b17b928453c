import type { StreamItem } from '../../routers/schemas/events.ts';
import { createStore, useStore } from '../lib/store.ts';

/** `closed`: nobody listens, or the last attempt failed and the next one waits. */
export type ChannelState = 'closed' | 'connecting' | 'open';
export type SeenItem = { key: number; id: string; at: Date; item: StreamItem };
type Channel = { state: ChannelState; items: readonly SeenItem[] };

/** The number of items that are remembered for the page that shows them. */
const ITEMS_KEPT = 50;

/** The channel for code without a component. */
export const channel = createStore<Channel>({ state: 'closed', items: [] });
let seen = 0;

/** Returns the realtime channel: its state, and the items received on this page, newest first. */
export function useChannel(): Channel {
  return useStore(channel);
}

export function setChannelState(state: ChannelState): void {
  const before = channel.get();
  if (state !== before.state) channel.set({ ...before, state });
}

export function rememberItem(id: string, item: StreamItem): void {
  seen += 1;
  const { state, items } = channel.get();
  channel.set({ state, items: [{ key: seen, id, at: new Date(), item }, ...items].slice(0, ITEMS_KEPT) });
}

/** Forgets the items, so that the next person to sign in sees nothing of this account. */
export function forgetChannel(): void {
  channel.set({ state: 'closed', items: [] });
}
