import { type KeyboardEvent, useRef } from 'react';

/** Returns the tab that a key leads to; undefined for any other key. */
function target(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

export type TabKeys<Value extends string> = {
  /** The props of the button of a tab. */
  of: (value: Value) => {
    ref: (element: HTMLButtonElement | null) => void;
    tabIndex: 0 | -1;
    'aria-selected': boolean;
    onKeyDown: (event: KeyboardEvent) => void;
    onClick: () => void;
  };
};

/**
 * Handles the keyboard of tabs by the ARIA practices: one is in the order of Tab; arrows, Home and End move and
 * switch.
 */
export function useTabKeys<Value extends string>(
  values: readonly Value[],
  value: Value,
  onChange: (value: Value) => void,
): TabKeys<Value> {
  const buttons = useRef(new Map<Value, HTMLButtonElement>());

  function move(event: KeyboardEvent) {
    const index = target(event.key, values.indexOf(value), values.length);
    const next = index === undefined ? undefined : values[index];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    buttons.current.get(next)?.focus();
    if (next !== value) onChange(next);
  }

  return {
    of: (own) => ({
      ref: (element) => {
        if (element !== null) buttons.current.set(own, element);
      },
      tabIndex: own === value ? 0 : -1,
      'aria-selected': own === value,
      onKeyDown: move,
      onClick: () => onChange(own),
    }),
  };
}
