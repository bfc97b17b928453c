import { useEffect, useRef } from 'react';
import { onDraftsTaken, storeDraft } from './draft-storage.ts';
import { formDraftKey, tryStorage } from './storage.ts';

/** Fields of a form that are stored while they are typed: only texts, and never a password. */
type Texts = Record<string, string>;
type Watched<Values extends Texts> = {
  reset: (values: Values) => void;
  subscribe: (options: { formState: { values: true }; callback: (state: { values: Values }) => void }) => () => void;
};

/** Returns the stored text of `form`, field by field; `empty` names the fields. */
export function readFormDraft<Values extends Texts>(form: string, empty: Values): Values {
  const stored = parse(tryStorage(() => sessionStorage.getItem(formDraftKey(form))));
  const entries = Object.entries(empty).map(([field, value]) => [field, textOf(stored, field) ?? value]);
  return sameFields<Values>(entries);
}

/**
 * Stores what is typed into the fields of `empty`, and no other, for the browser session. When its owner logs out in
 * another tab the form is `allEmpty` again, which has its further fields as well.
 */
export function useFormDraft<Values extends Texts>(
  form: string,
  empty: Values,
  { subscribe, reset }: Watched<Values>,
  allEmpty: Values = empty,
): void {
  const latest = useRef({ empty, allEmpty });
  latest.current = { empty, allEmpty };
  useEffect(
    () =>
      subscribe({
        formState: { values: true },
        callback: ({ values }) => storeDraft(form, JSON.stringify(values, Object.keys(latest.current.empty))),
      }),
    [form, subscribe],
  );
  useEffect(
    () =>
      onDraftsTaken(() => {
        reset(latest.current.allEmpty);
        forgetFormDraft(form);
      }),
    [form, reset],
  );
}

export function forgetFormDraft(form: string): void {
  tryStorage(() => sessionStorage.removeItem(formDraftKey(form)));
}

/** The assertion holds because the entries come from the fields of `Values`, each with a text. */
function sameFields<Values extends Texts>(entries: string[][]): Values {
  return Object.fromEntries(entries) as Values;
}

function textOf(stored: unknown, field: string): string | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const value: unknown = Object.entries(stored).find(([name]) => name === field)?.[1];
  return typeof value === 'string' ? value : null;
}

function parse(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
