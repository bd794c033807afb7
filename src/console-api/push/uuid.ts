import { Type } from 'typebox'

/** The validator's `uuid` takes `urn:uuid:…` too, which PostgreSQL does not. */
export const uuid = () =>
  Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' })
