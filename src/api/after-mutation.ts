type Refresh = () => Promise<void>;

const refreshes = new Set<Refresh>();

/** Registers what is cached outside of the query cache, to be asked again after every successful mutation. */
export function onMutation(refresh: Refresh): void {
  refreshes.add(refresh);
}

/** Resolves when all of it is known anew. */
export async function refreshOutsideOfCache(): Promise<void> {
  await Promise.all([...refreshes].map((refresh) => refresh()));
}
