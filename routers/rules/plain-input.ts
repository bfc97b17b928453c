/** Clients write inputs as plain JSON, in which a field that is set to `undefined` is left out. */
export const PLAIN_INPUT = {
  serialize: (json: unknown): { json: unknown } => ({ json }),
  deserialize: ({ json }: { json: unknown }): unknown => json,
};
