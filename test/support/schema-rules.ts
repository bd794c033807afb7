/** Reads rules of a JSON schema of the API document. */
import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { Schema } from './document.ts'

// One for all schemas, because making it takes longer than compiling most of them.
const ajv = new Ajv({ strict: false })
addFormats.default(ajv)

/** Compiles each schema once. */
export const validatorOf = (schema: Schema): ValidateFunction => ajv.compile(schema)

/** Members of an object of which at least one is required, or exactly one. */
export function memberGroups(schema: Schema): { names: string[]; is_exclusive: boolean }[] {
  return ((schema['allOf'] ?? []) as Schema[]).flatMap((part) => {
    const alternatives = (part['anyOf'] ?? part['oneOf'] ?? []) as { required?: string[] }[]
    const names = alternatives.flatMap(({ required = [] }) => required)
    return names.length === 0 ? [] : [{ names, is_exclusive: 'oneOf' in part }]
  })
}

/** Alternatives that restrict the values of members, of which one applies: `token` depends on `platform`. */
export function memberRestrictions(schema: Schema): Record<string, Schema>[][] {
  return ((schema['allOf'] ?? []) as Schema[]).flatMap((part) => {
    const alternatives = (part['anyOf'] ?? part['oneOf'] ?? []) as Schema[]
    if (alternatives.length === 0 || alternatives.some((one) => 'required' in one)) return []
    return [alternatives.map((one) => (one['properties'] ?? {}) as Record<string, Schema>)]
  })
}
