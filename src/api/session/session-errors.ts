/** The messages for a person when the session ends or cannot be used. */
export const SESSION_TEXTS = {
  expired: 'Session expired. Please log in again.',
  failed: 'Authentication failed. Please log in again.',
  failedByError: 'Authentication failed due to an error. Please log in again.',
  other: (text: string) => `Authentication error: ${text}`,
  loggedOut: 'You were logged out in another tab. Files that you had only chosen here must be chosen again.',
  accountDeleted: 'Your account was deleted.',
  unavailable: 'Fairlead cannot be reached right now.',
} as const;

/** The session is over; the message is one of `SESSION_TEXTS`. */
export class SessionEndedError extends Error {
  override name = 'SessionEndedError';
}

/** The refresh got no answer, so the session has not ended but cannot be used now. */
export class SessionUnavailableError extends Error {
  override name = 'SessionUnavailableError';
}
