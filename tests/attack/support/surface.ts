import type { Express } from 'express';
import * as z from 'zod/mini';
import { appRouter } from '../../../routers/_app.ts';
import { createApp } from '../../../server/http/app.ts';
import { createTestApp } from '../../support/app.ts';
import type { Random } from '../../support/random.ts';

/**
 * Everything that can be requested from the app over HTTP, read from the app itself, so that a new procedure is
 * attacked without being named.
 */
export type Surface = { procedures: readonly Procedure[]; routes: readonly string[] };
export type Procedure = { path: string; type: 'query' | 'mutation' | 'subscription'; input: JsonSchema };

/** The part of JSON Schema in which inputs are written. */
export type JsonSchema = {
  type?: string;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  enum?: unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  minItems?: number;
  pattern?: string;
  format?: string;
};

export async function readSurface(): Promise<Surface> {
  return { procedures: proceduresOf(), routes: await routesOfApp() };
}

function proceduresOf(): Procedure[] {
  return Object.entries(declared()).map(([path, { _def }]) => ({
    path,
    type: _def.type,
    input: _def.inputs[0] === undefined ? {} : schemaOf(_def.inputs[0]),
  }));
}

type Declared = { _def: { type: Procedure['type']; inputs: z.ZodMiniType[] } };

/** tRPC keeps its procedures by their whole path, and types them as the tree they were declared in. */
function declared(): Record<string, Declared> {
  return appRouter._def.procedures as unknown as Record<string, Declared>;
}

function schemaOf(input: z.ZodMiniType): JsonSchema {
  return z.toJSONSchema(input, { unrepresentable: 'any', io: 'input' }) as JsonSchema;
}

/** The paths of Express, with those of the routers in it; nothing is called, so that no database is needed. */
async function routesOfApp(): Promise<string[]> {
  await using app = await createTestApp();
  const webApp = { load: async () => undefined, answer: () => false };
  const parts = { database: 'ok', store: 'ok', worker: 'ok' } as const;
  return pathsIn(createApp(app.providers, webApp, { check: async () => ({ isReady: true, parts }) }).router);
}

type Layer = { rawPath: unknown; route?: { path: unknown }; handle: { stack?: unknown } };

function pathsIn(router: Express['router'] | { stack?: unknown }, above = ''): string[] {
  return layersOf(router).flatMap(({ rawPath, route, handle }) => {
    if (route !== undefined) return [`${above}${String(route.path)}`];
    return pathsIn(handle, above + (typeof rawPath === 'string' && rawPath !== '/' ? rawPath : ''));
  });
}

/** The types leave out the path at which a layer was mounted (npm: router, lib/layer.js). */
function layersOf({ stack }: { stack?: unknown }): Layer[] {
  return Array.isArray(stack) ? (stack as Layer[]) : [];
}

/** Ids for fields of these names, the attacker's own first, then those of others. A list `xIds` holds those of `xId`. */
export type KnownIds = Readonly<Record<string, readonly string[]>>;

/** An input that the schema takes, as far as it tells. */
export function inputFor(schema: JsonSchema, random: Random, known: KnownIds): unknown {
  const choices = schema.anyOf ?? schema.oneOf ?? [];
  if (choices.length > 0) return inputFor(random.pick(choices), random, known);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => schema.required?.includes(name) === true || random.chance(0.5))
          .map(([name, field]) => [name, idsFor(name, random, known) ?? inputFor(field, random, known)] as const),
      );
    case 'array':
      return random.many(Math.max(1, schema.minItems ?? 0), 3, () => inputFor(schema.items ?? {}, random, known));
    case 'string':
      return textFor(schema, random);
    case 'integer':
    case 'number':
      return (schema.minimum ?? 0) + random.below(5);
    case 'boolean':
      return random.chance(0.5);
    default:
      return null;
  }
}

/** Returns ids for a field. Own ids lead to work, and foreign ones to a refusal, even in a list with own ones. */
function idsFor(name: string, random: Random, known: KnownIds): string | string[] | undefined {
  const list = /Ids$/.test(name) ? known[name.slice(0, -1)] : undefined;
  if (list !== undefined) return random.many(1, 4, () => random.pick(list));
  const [own] = known[name] ?? [];
  return own !== undefined && random.chance(0.1) ? random.pick(known[name] ?? []) : own;
}

function textFor({ pattern = '', format, minLength = 1, maxLength = 30 }: JsonSchema, random: Random): string {
  if (format === 'email') return `attacker-${random.below(1e9)}@example.com`;
  const exact = /\{(\d+)\}\$$/.exec(pattern)?.[1];
  const length = exact === undefined ? Math.min(maxLength, minLength + random.below(20)) : Number(exact);
  return Array.from({ length }, () => random.pick([...'0123456789abcdef'])).join('');
}
