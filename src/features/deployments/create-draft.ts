import { useState } from 'react';
import { DEPLOYMENT_NAME_MAX } from '../../../routers/schemas/slug.ts';
import { keepDraft } from '../../lib/draft-storage.ts';
import { formDraftKey, tryStorage } from '../../lib/storage.ts';

const FORM = 'new-deployment';
const KEY = formDraftKey(FORM);

/** The name of a deployment that is being made: what was typed is kept for the session, else the folder names it. */
export function useDraftName(suggested: string): { name: string; setName: (name: string) => void; forget: () => void } {
  const [typed, setTyped] = useState<string | null>(() => tryStorage(() => sessionStorage.getItem(KEY)));
  return {
    name: typed ?? suggested,
    setName: (name) => {
      keepDraft(FORM, name);
      setTyped(name);
    },
    forget: () => {
      tryStorage(() => sessionStorage.removeItem(KEY));
      setTyped(null);
    },
  };
}

/** A name that the rules take, from the name of a folder. */
export function nameFromFolder(folderName: string): string {
  const shown = folderName.replace(/[\p{Cc}\p{Cf}]/gu, '').trim();
  return shown.slice(0, DEPLOYMENT_NAME_MAX);
}

/** `crypto.randomUUID` is missing outside a secure context. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
