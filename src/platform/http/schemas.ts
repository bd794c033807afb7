/** Schema fragments that several modules share. */
import { type TProperties, type TSchema, Type } from 'typebox'
import { withAbsentMembers } from './absent-members.ts'
import { documented } from './documented.ts'

/** Limit that the specification leaves open and the operator sets (OP-18). */
export type Limits = { text_max_chars: number }

const TEXT_MIN_CHARS = 1024
/** Texts of the maximum length that a body has room for. */
const BODY_TEXTS = 64

/** Maximum size of a body for which its route declares nothing else. */
export const bodyMaxBytes = ({ text_max_chars }: Limits): number =>
  BODY_TEXTS * Math.max(TEXT_MIN_CHARS, text_max_chars)

/** Maximum length of identifiers that clients choose, such as `external_id` (OP-18). */
export const IDENTIFIER_MAX_CHARS = 512

/** Larger integers are not exact in JSON. */
export const INTEGER_MAX = Number.MAX_SAFE_INTEGER

/** An enum schema whose static type is the union of its values. */
export const choice = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values] })

/** An optional text of a request that clients also send empty when they have none (OP-141). */
export const optionalText = (options: { maxLength: number; description?: string }) =>
  Type.Optional(Type.String({ minLength: 1, 'x-empty-is-absent': true, ...options }))

/**
 * JSON that is stored unchanged and not interpreted.
 * @param maxBytes maximum size as JSON without spaces
 */
export const opaqueObject = (description: string, maxBytes?: number) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description,
    ...(maxBytes !== undefined && { 'x-max-bytes': maxBytes }),
  })

/**
 * An object that refuses members it does not have: for filters, because ignoring a misspelled one would
 * match more than was meant (OP-143).
 */
export const strictObject = <T extends TProperties>(properties: T, options: object = {}) =>
  Type.Object(properties, { ...options, additionalProperties: false })

/** For responses, where the member is always present. */
export const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])

/** For requests: clients send null in place of a missing member. */
export const maybe = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema))

/**
 * A date or time of a query. The document names the forms of RFC 3339, of which every other one that is
 * accepted (OP-139) is a variant.
 */
export const dateParameter = (options: { description: string; examples?: string[] }) =>
  Type.Optional(
    Type.String({
      ...options,
      ...documented({
        type: undefined,
        anyOf: [
          { type: 'string', format: 'date' },
          { type: 'string', format: 'date-time' },
        ],
      }),
    }),
  )

/**
 * An element of a bulk request: the document describes it, and a validator of its own judges it, so that
 * an invalid one does not fail the others.
 */
export const elementLike = (request: TSchema) =>
  Type.Unsafe<unknown>(documented(withAbsentMembers(request)))
