/** Why this Node will not do, as a sentence; null when it will. */
export function nodeFault(version: string): string | null;
