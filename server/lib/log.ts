/**
 * Structured log: JSON lines, or readable lines on a terminal. Fields are an allow-list of plain values; anything that
 * looks like a secret is removed before it is written.
 */
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export type Log = {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields & { error?: string | undefined }): void;
};

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export type LogOptions = {
  level: LogLevel;
  /** Writes lines for a person instead of JSON. */
  isTerminal: boolean;
  write(line: string): void;
  now?(): Date;
};

const STRUCK = '[struck out]';

/** Texts that are secrets by their looks: our tokens, those of vendors, headers, links, connection strings. */
const SECRETS: readonly [RegExp, string][] = [
  [/\b(?:fla|flt|whsec|ghp|gho|ghs|ghu|ghr|github_pat|nfp|sk|rk|sk_live|sk_test)_[\w+/=.-]+/g, STRUCK],
  [/\b(Bearer|Basic)\s+[\w+/=.~-]+/gi, `$1 ${STRUCK}`],
  [
    /\b((?:proxy-)?authorization|(?:set-)?cookie|x-auth-token|x-new-access-token)(["']?\s*[:=]\s*)[^\r\n]+/gi,
    `$1$2${STRUCK}`,
  ],
  // A password in a connection string may hold any character except the one that ends it.
  [/(?<=:\/\/)[^\s/@]+@/g, `${STRUCK}@`],
  [
    /([?#&;](?:token|access_token|refresh_token|id_token|code|state|key|secret|password|signature)=)[^\s&#"']+/gi,
    `$1${STRUCK}`,
  ],
  [
    // The paths of server/lib/mailed-links.ts, written out: a pattern that is assembled cannot be checked to be linear.
    /(\/auth\/(?:reset|confirm|stop-email-change|delete-account|callback)[^\s?#]{0,20}[?#])[^\s"']+/gi,
    `$1${STRUCK}`,
  ],
  [/("(?:password|newPassword|currentPassword|token|accessToken|refreshToken|secret)"\s*:\s*")[^"]*/gi, `$1${STRUCK}`],
];

/** Fields whose value is never logged, whatever it looks like. */
const SECRET_FIELD = /password|secret|authorization|cookie|(?:^|[a-z])token$|^token|apikey|api_key|credential/i;

/** Replaces everything that looks like a secret. */
export function redactSecrets(text: string): string {
  return SECRETS.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}

/** Writes control characters as escapes, because they could move a terminal's cursor or forge a line. */
function escapeControls(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function cleanText(text: string): string {
  return escapeControls(redactSecrets(text));
}

type CleanField = [string, string | number | boolean | null];

function cleanFields(fields: LogFields): CleanField[] {
  return Object.entries(fields).flatMap(([name, value]): CleanField[] => {
    if (value === undefined) return [];
    if (typeof value !== 'string') return [[name, value]];
    return [[name, SECRET_FIELD.test(name) ? STRUCK : cleanText(value)]];
  });
}

function readableLine(at: Date, level: LogLevel, message: string, fields: CleanField[]): string {
  const mark = level === 'info' ? '' : `${level.toUpperCase()} `;
  const rest = fields.map(([name, value]) => ` ${name}=${String(value)}`).join('');
  return `${at.toTimeString().slice(0, 8)} ${mark}${message}${rest}`;
}

/**
 * Writes lines to a stream whose disk may be full or whose pipe may be closed: such lines are lost, and nothing ends.
 */
export function writerTo(stream: NodeJS.WritableStream): (line: string) => void {
  stream.on('error', () => undefined);
  return (line) => {
    try {
      stream.write(line);
    } catch {
      // A file is written synchronously, and a full disk throws.
    }
  };
}

/** Creates a log that writes lines at and above a level. */
export function createLog({ level, isTerminal, write, now = () => new Date() }: LogOptions): Log {
  const lowest = LOG_LEVELS.indexOf(level);
  const at =
    (lineLevel: LogLevel) =>
    (message: string, fields: LogFields = {}): void => {
      if (LOG_LEVELS.indexOf(lineLevel) < lowest) return;
      const time = now();
      const text = cleanText(message);
      const clean = cleanFields(fields);
      write(
        isTerminal
          ? `${readableLine(time, lineLevel, text, clean)}\n`
          : `${JSON.stringify({ at: time.toISOString(), level: lineLevel, message: text, ...Object.fromEntries(clean) })}\n`,
      );
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
