/** Request and response of identity assertions (specification, "Push"; OP-32). */
import { type Static, Type } from 'typebox'
import { IDENTIFIER_MAX_CHARS } from '../../../platform/http/schemas.ts'

export const identityTokenRequest = Type.Object(
  {
    application_id: Type.String({ description: 'UUID of the application' }),
    external_user_id: Type.String({
      minLength: 1,
      maxLength: IDENTIFIER_MAX_CHARS,
      description: 'Your id of the user who has signed in',
    }),
  },
  {
    $id: 'IdentityTokenRequest',
    examples: [
      { application_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07', external_user_id: 'user_8841' },
    ],
  },
)

export const identityToken = Type.Object(
  {
    identity_token: Type.String({
      description: 'Identifies the user of one subscription of the application until it expires',
    }),
    expires_at: Type.String({ format: 'date-time' }),
  },
  {
    $id: 'IdentityToken',
    examples: [{ identity_token: 'eyJhbGciOiJFZERTQSIs…', expires_at: '2026-03-02T10:20:00.000Z' }],
    'x-open-point': 'OP-32',
  },
)

export type IdentityTokenRequest = Static<typeof identityTokenRequest>
export type IdentityToken = Static<typeof identityToken>
