import { useSyncExternalStore } from 'react';
import type { StreamItem } from '../../routers/schemas/events.ts';

/** `closed`: nobody listens, or the last attempt failed and the next one waits. */
export type ChannelState = 'closed' | 'connecting' | 'open';
export type SeenItem = { key: number; id: string; at: Date; item: StreamItem };
type Channel = { state: ChannelState; items: readonly SeenItem[] };

/** Items that are remembered for the page that shows them; older ones are forgotten. */
const ITEMS_KEPT = 50;

let channel: Channel = { state: 'closed', items: [] };
let seen = 0;
const listeners = new Set<() => void>();

/** The realtime channel as it is: its state, and what came over it on this page, newest first. */
export function useChannel(): Channel {
  return useSyncExternalStore(subscribe, () => channel);
}

export function setChannelState(state: ChannelState): void {
  if (state !== channel.state) set({ ...channel, state });
}

export function rememberItem(id: string, item: StreamItem): void {
  seen += 1;
  set({ ...channel, items: [{ key: seen, id, at: new Date(), item }, ...channel.items].slice(0, ITEMS_KEPT) });
}

/** Whoever signs in next sees nothing of this account. */
export function forgetChannel(): void {
  set({ state: 'closed', items: [] });
}

function set(next: Channel): void {
  channel = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
