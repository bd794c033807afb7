/** Reads rules of a JSON schema of the API document. */
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Schema } from './document.ts'

// One for all schemas, because making it takes longer than compiling most of them.
const ajv = new Ajv({ strict: false })
addFormats.default(ajv)

/** Compiles each schema once. */
export const validatorOf = (schema: Schema): ValidateFunction => ajv.compile(schema)

type Alternative = { properties?: Record<string, Schema>; required?: string[] }

const alternativesOf = (part: Schema): Alternative[] =>
  (part['anyOf'] ?? part['oneOf'] ?? []) as Alternative[]

/** Each alternative says only that one member is present. */
const isGroup = (alternatives: readonly Alternative[]): boolean =>
  alternatives.length > 0 && alternatives.every(({ required = [] }) => required.length === 1)

/** Members of an object of which at least one is required, or exactly one. */
export function memberGroups(schema: Schema): { names: string[]; is_exclusive: boolean }[] {
  return ((schema['allOf'] ?? []) as Schema[]).flatMap((part) => {
    const alternatives = alternativesOf(part)
    if (!isGroup(alternatives)) return []
    const names = alternatives.flatMap(({ required = [] }) => required)
    return [{ names, is_exclusive: 'oneOf' in part }]
  })
}

export type Restriction = { members: Record<string, Schema>; required: readonly string[] }

/** Alternatives that restrict the values of members, of which one applies: `token` depends on `platform`. */
export function memberRestrictions(schema: Schema): Restriction[][] {
  return ((schema['allOf'] ?? []) as Schema[]).flatMap((part) => {
    const alternatives = alternativesOf(part)
    if (alternatives.length === 0 || isGroup(alternatives)) return []
    return [
      alternatives.map(({ properties = {}, required = [] }) => ({ members: properties, required })),
    ]
  })
}
