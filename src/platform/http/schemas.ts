/** Small schema pieces that several modules share. */
import { type TSchema, Type } from 'typebox'

/** Numbers that the specification leaves open and the operator sets (OP-18). */
export type Limits = {
  text_max_chars: number
  check_bulk_max: number
}

/** Names that others give to their records: as long as the `external_id` of a profile (OP-18). */
export const IDENTIFIER_MAX_CHARS = 512

/** One of a list that is written once and also gives the type. */
export const choice = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values] })

/** JSON that is stored as it came and not interpreted. */
export const opaqueObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

/** In answers: the member is always there. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** Apps write null where they have nothing. */
export const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema))
