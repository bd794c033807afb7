/** The envelope of every response (specification, "Response envelope"). */
import { type TSchema, Type } from 'typebox'

export type Envelope<T> = { success: true; message: string; content: T }

export const envelope = <T>(message: string, content: T): Envelope<T> => ({
  success: true,
  message,
  content,
})

export const envelopeOf = <T extends TSchema>(content: T, message: string) =>
  Type.Object({
    success: Type.Boolean({ const: true }),
    message: Type.String({ examples: [message] }),
    content,
  })

const errorBody = (example: Record<string, unknown>) =>
  Type.Object(
    {
      success: Type.Boolean({ const: false }),
      message: Type.String(),
      code: Type.Optional(Type.String({ enum: ['invalid_request'] })),
      content: Type.Optional(
        Type.Object(
          { field: Type.Optional(Type.String()), retry_after: Type.Optional(Type.Integer()) },
          { additionalProperties: true },
        ),
      ),
    },
    { examples: [example] },
  )

const ERRORS = {
  400: [
    'Invalid parameters',
    { message: 'email must be string', code: 'invalid_request', content: { field: 'email' } },
  ],
  401: ['Invalid or missing credential', { message: 'Invalid API key' }],
  403: ['Insufficient permissions', { message: 'A secret key is required' }],
  404: ['Not found', { message: 'Not found' }],
  429: ['Rate limit exceeded', { message: 'Rate limit exceeded', content: { retry_after: 3 } }],
  500: ['Server error', { message: 'Internal server error' }],
} as const

/** Response schemas of a route: the envelope around `content`, and the error responses. */
export function responses<T extends TSchema>(content: T, message: string, description = 'Success') {
  const errors = Object.entries(ERRORS).map(([status, [text, example]]) => [
    status,
    {
      ...errorBody({ success: false, ...example }),
      description: text,
      ...(status === '429' && { 'x-open-point': 'OP-19' }),
    },
  ])
  return {
    200: { ...envelopeOf(content, message), description },
    ...(Object.fromEntries(errors) as Record<keyof typeof ERRORS, ReturnType<typeof errorBody>>),
  }
}
