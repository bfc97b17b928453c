import { type ComponentType, lazy, useState } from 'react';

export type LazyComponent<Props> = {
  /** Suspends until its file is loaded, and throws when that fails. */
  Component: ComponentType<Props>;
  /** Loads the file before the component is rendered. Resolves also when that fails: rendering it shows the failure. */
  fetch: () => Promise<void>;
  /** Lets the next rendering try once more: React remembers a failure for good. */
  fetchAgain: () => void;
};

const ignore = () => {};

/** Creates a component with a file of its own, which is loaded when it is first rendered. */
export function lazyComponent<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyComponent<Props> {
  let Loaded: ComponentType<Props> | null = null;
  const loadModule = async () => {
    Loaded = await load();
    return { default: Loaded };
  };
  let Current: ComponentType<Props> = lazy(loadModule);
  return {
    Component: function Lazy(props: Props) {
      // A loaded component is drawn at once, without suspending for a moment.
      const [Shown] = useState(() => Loaded ?? Current);
      return <Shown {...props} />;
    },
    fetch: () => loadModule().then(ignore, ignore),
    fetchAgain() {
      Current = lazy(loadModule);
    },
  };
}
