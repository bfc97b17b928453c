import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { createStore, useStore } from '../../src/lib/store.ts';

test('listeners hear of every new value until they leave, and of the same value nothing', () => {
  const store = createStore(1);
  const listener = vi.fn();
  const leave = store.subscribe(listener);
  store.set(2);
  store.set(2);
  expect(store.get()).toBe(2);
  expect(listener).toHaveBeenCalledTimes(1);
  leave();
  store.set(3);
  expect(listener).toHaveBeenCalledTimes(1);
});

test('what a store needs while it is used begins with the first listener and stops after the last', () => {
  const stop = vi.fn();
  const onUse = vi.fn(() => stop);
  const store = createStore(0, onUse);
  const listener = () => {};
  expect(onUse).not.toHaveBeenCalled();
  const leaves = [store.subscribe(listener), store.subscribe(listener)];
  expect(onUse).toHaveBeenCalledTimes(1);
  leaves[0]?.();
  leaves[0]?.();
  expect(stop).not.toHaveBeenCalled();
  leaves[1]?.();
  expect(stop).toHaveBeenCalledTimes(1);
  store.subscribe(listener)();
  expect(onUse).toHaveBeenCalledTimes(2);
});

test('a component follows the part that it selects', () => {
  const store = createStore({ name: 'a', other: 1 });
  const renders = vi.fn();
  function Name() {
    const name = useStore(store, (value) => value.name);
    renders();
    return <p>{name}</p>;
  }
  const page = document.createElement('main');
  const root = createRoot(page);
  flushSync(() => root.render(<Name />));
  expect(page.textContent).toBe('a');
  flushSync(() => store.set({ name: 'b', other: 1 }));
  expect(page.textContent).toBe('b');
  flushSync(() => store.set({ name: 'b', other: 2 }));
  expect(renders).toHaveBeenCalledTimes(2);
  root.unmount();
});
