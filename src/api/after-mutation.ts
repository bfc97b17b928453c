type Refresh = () => Promise<void>;

const refreshes = new Set<Refresh>();

/** Registers data that is cached outside the query cache, to be fetched again after every successful mutation. */
export function onMutation(refresh: Refresh): void {
  refreshes.add(refresh);
}

/** Resolves when all of it has been fetched again. */
export async function refreshOutsideOfCache(): Promise<void> {
  await Promise.all([...refreshes].map((refresh) => refresh()));
}
