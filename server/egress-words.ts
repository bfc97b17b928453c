const CONNECTION_WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ETIMEDOUT: 'no answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer in time',
};

/** Returns why no connection came about, for a person; the system's own words where there are no better ones. */
export function connectionWords(error: unknown, code: string): string {
  if (!(error instanceof Error)) return String(error);
  // The name servers may be what refuses the connection: of the address itself nothing is known then.
  const asked = 'syscall' in error ? String(error.syscall) : '';
  if (asked.startsWith('query') || asked === 'getaddrinfo') return 'the name servers do not answer';
  return CONNECTION_WORDS[code] ?? error.message;
}
