import { useSyncExternalStore } from 'react';
import { UPLOAD_RECORD_PREFIX } from '../lib/storage.ts';
import { session } from './session.ts';
import type { UploadRecord } from './upload-record.ts';

/** Folders that a reload interrupted and whose bytes it could not keep: the person is asked for each of them again. */
const asked = new Map<string, UploadRecord>();
const listeners = new Set<() => void>();

const keyOf = (deploymentId: string | null): string => deploymentId ?? '';

/** Asks for it until it was chosen again or is not wanted any more. */
export function askAgain(record: UploadRecord): void {
  asked.set(keyOf(record.publication?.deployment.id ?? null), record);
  announce();
}

/** It was chosen again, or is not wanted any more. */
export function stopAsking(deploymentId: string | null): UploadRecord | null {
  const record = asked.get(keyOf(deploymentId)) ?? null;
  if (record !== null) {
    asked.delete(keyOf(deploymentId));
    localStorage.removeItem(UPLOAD_RECORD_PREFIX + record.id);
    announce();
  }
  return record;
}

/** What is asked for on the page of a deployment; of no deployment: for what was about to be published. */
export function useAskedFor(deploymentId: string | null): UploadRecord | null {
  return useSyncExternalStore(subscribe, () => askedFor(deploymentId));
}

function askedFor(deploymentId: string | null): UploadRecord | null {
  const record = asked.get(keyOf(deploymentId)) ?? null;
  const isOthers = record !== null && record.accountId !== null && record.accountId !== session.accountId();
  return isOthers ? null : record;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

function announce(): void {
  for (const listener of listeners) listener();
}
