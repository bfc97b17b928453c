/** Messages of the specification, section 8, in the reading of the product page, section 11, Session. */
export const SESSION_TEXTS = {
  expired: 'Session expired. Please log in again.',
  failed: 'Authentication failed. Please log in again.',
  failedByError: 'Authentication failed due to an error. Please log in again.',
  other: (text: string) => `Authentication error: ${text}`,
  unavailable: 'Fairlead cannot be reached right now.',
} as const;

/** The session is over; the message is the one of the specification, section 8. */
export class SessionEndedError extends Error {
  override name = 'SessionEndedError';
}

/** Neither yes nor no: the refresh got no answer, and nothing has ended. */
export class SessionUnavailableError extends Error {
  override name = 'SessionUnavailableError';
}
