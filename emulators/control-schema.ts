/** The schemas that the control interfaces of several emulators share, and the validation of bodies. */
import { Ajv, type ValidateFunction } from 'ajv'
import { type Static, type TSchema, Type } from 'typebox'
import { invalid } from './google-errors.ts'

export const Text = Type.String({ minLength: 1, maxLength: 200 })
export const Rate = Type.Number({ minimum: 0, maximum: 1 })
export const Milliseconds = Type.Integer({ minimum: 0, maximum: 600_000 })
export const Seconds = Type.Integer({ minimum: 0, maximum: 86_400 })

/** Creates a function that returns a body when it fits the schema and otherwise throws an ApiError. */
export function readerOf<T extends TSchema>(schema: T): (value: unknown) => Static<T> {
  let validate: ValidateFunction | undefined
  return (value) => {
    // Compiled at first use, because compiling all schemas would take a third of a second per start.
    validate ??= new Ajv().compile(schema)
    if (validate(value)) return value as Static<T>
    const [error] = validate.errors ?? []
    const member = (error?.instancePath ?? '').slice(1).replaceAll('/', '.') || 'the body'
    const params: Record<string, unknown> = error?.params ?? {}
    const unknown = params['additionalProperty']
    const named = typeof unknown === 'string' ? `: ${unknown}` : ''
    throw invalid(`${member} ${error?.message ?? 'is not valid'}${named}`)
  }
}
